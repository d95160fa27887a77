//! Where the labels go: beside their elements, on what is empty, and never over each other if that can be.

use super::ink::Ink;
use handeye_core::{InPicture, Size};

type Point = handeye_core::Point<InPicture>;
type Rect = handeye_core::Rect<InPicture>;

/// A label over another one cannot be read: worse than anything else.
const OVER_LABEL: f64 = 1e6;
/// A label over the middle of its element hides what is to be named: worse than to lie over any number of others.
const OVER_OWN_MIDDLE: f64 = 2e5;
/// A label over the middle of another element hides that one.
const OVER_OTHER_MIDDLE: f64 = 2e3;
/// A label that covers nothing but another element.
const OVER_OTHER: f64 = 90.0;
/// A label that lies in another element, and not in its own, is taken for the other one's.
const MISTAKEN: f64 = 200.0;
/// How much each pixel between a label inside of its element and the nearest edge of that costs, in heights of the label.
const INSIDE: f64 = 6.0;
/// A label that covers nothing but its own element.
const OVER_OWN: f64 = 50.0;
/// A label on nothing but edges: letters, icons.
const OVER_INK: f64 = 240.0;
/// How much each pixel between a label and its element costs, in heights of the label.
const DISTANCE: f64 = 35.0;
/// A line from a label to its element that crosses another element.
const LINE_OVER_OTHER: f64 = 150.0;
/// A label this far from its element gets a line to it, in pixels.
pub(super) const LINE_FROM: u32 = 3;
/// How often all labels are looked at again. Each round lowers the cost of the whole, so a few are enough; the
/// limit is for the deadline alone.
const ROUNDS: usize = 60;
/// How far from its element a label may be, in heights of the label.
const MAX_STEPS: i32 = 4;

/// An element and the size of its label, in pixels of the picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    /// The element; a part of the picture.
    pub(super) area: Rect,
    /// The size of its label.
    pub(super) label: Size,
}

/// A place that a label can have, and what it costs whatever the others do.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    place: Rect,
    cost: f64,
}

/// A place for each label, inside of the picture; `None` for a label that is larger than the picture. `ring` is the width of
/// the outline around each element.
pub(super) fn place(picture: Size, items: &[Item], ring: u32, ink: &Ink) -> Vec<Option<Rect>> {
    let candidates: Vec<Vec<Candidate>> =
        (0..items.len()).map(|index| candidates(picture, items, index, ring, ink)).collect();
    let mut chosen: Vec<Option<usize>> = vec![None; items.len()];
    // Those with the fewest free places choose first.
    let mut order: Vec<usize> = (0..items.len()).collect();
    let cheap = |index: &usize| candidates[*index].iter().filter(|place| place.cost < 60.0).count();
    order.sort_by_key(|index| (cheap(index), *index));
    for _ in 0..ROUNDS {
        let mut moved = false;
        for &index in &order {
            let best = best(&candidates, &chosen, index);
            moved |= best != chosen[index];
            chosen[index] = best;
        }
        if !moved {
            break;
        }
    }
    chosen.iter().enumerate().map(|(index, choice)| Some(candidates[index][(*choice)?].place)).collect()
}

/// The cheapest place of a label while the others stay where they are.
fn best(candidates: &[Vec<Candidate>], chosen: &[Option<usize>], index: usize) -> Option<usize> {
    let others: Vec<Rect> = chosen
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != index)
        .filter_map(|(other, choice)| Some(candidates[other][(*choice)?].place))
        .collect();
    let cost = |candidate: &Candidate| {
        let over: f64 = others.iter().map(|other| over_label(&candidate.place, other)).sum();
        candidate.cost + over
    };
    let costs = candidates[index].iter().map(cost).enumerate();
    costs.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(place, _)| place)
}

/// What two labels cost that lie over each other: the same for both, so that rounds of choices come to an end.
fn over_label(one: &Rect, other: &Rect) -> f64 {
    let shared = shared(one, other);
    if shared > 0.0 { OVER_LABEL + shared } else { 0.0 }
}

/// Every place that a label can have, none twice.
fn candidates(picture: Size, items: &[Item], index: usize, ring: u32, ink: &Ink) -> Vec<Candidate> {
    let Item { area, label } = items[index];
    if label.width > picture.width || label.height > picture.height {
        return Vec::new();
    }
    let mut seen = std::collections::HashSet::new();
    let mut places = Vec::new();
    for (place, preference) in positions(area, label, ring) {
        let place = pushed_inside(place, picture);
        if seen.insert((place.x, place.y)) {
            places.push(Candidate { place, cost: preference + cost(place, items, index, ring, ink) });
        }
    }
    places
}

/// The places around and in an element, with how much worse than the best each is by itself. They may lie outside of the picture.
fn positions(area: Rect, label: Size, ring: u32) -> Vec<(Rect, f64)> {
    let (w, h) = (label.width as i32, label.height as i32);
    let outer = grown(area, ring);
    let at = |x: i32, y: i32| Rect::new(x, y, label.width, label.height);
    let mut places = Vec::new();
    // Along the edges, first those at the ends and in the middle, then steps between.
    let along = |start: i32, end: i32, length: i32| {
        let middle = start + (end - start - length) / 2;
        let mut stops = vec![
            (start, 0.0),
            (end - length, 1.0),
            (middle, 2.0),
            (start - length / 2, 3.0),
            (end - length / 2, 3.0),
        ];
        stops.extend(
            (1..8).map(|step| start + step * length).filter(|at| at + length < end).map(|at| (at, 3.0)),
        );
        stops
    };
    for step in 0..=MAX_STEPS {
        let (gap, far) = (step * h, f64::from(step) * DISTANCE);
        for (x, less) in along(outer.x, outer.right(), w) {
            places.push((at(x, outer.y - h - gap), far + less));
            places.push((at(x, outer.bottom() + gap), far + less + 1.5));
        }
        for (y, less) in along(outer.y, outer.bottom(), h) {
            places.push((at(outer.right() + gap, y), far + less + 3.0));
            places.push((at(outer.x - w - gap, y), far + less + 3.5));
        }
        for (x, y) in [
            (outer.right() + gap, outer.y - h - gap),
            (outer.x - w - gap, outer.y - h - gap),
            (outer.right() + gap, outer.bottom() + gap),
            (outer.x - w - gap, outer.bottom() + gap),
        ] {
            places.push((at(x, y), far + 6.0));
        }
    }
    // Half inside: over a corner, or over an edge at its end.
    for y in [outer.y - h / 2, outer.bottom() - h / 2] {
        for x in [outer.x - w / 2, outer.right() - w / 2, outer.x, outer.right() - w] {
            places.push((at(x, y), 8.0));
        }
    }
    if area.width >= label.width * 2 && area.height >= label.height {
        let (left, right) = (area.x, area.right() - w);
        let (top, bottom) = (area.y, area.bottom() - h);
        let middle = area.y + (area.height as i32 - h) / 2;
        for (x, y, less) in [
            (right, top, 5.0),
            (left, top, 5.5),
            (right, bottom, 6.0),
            (left, bottom, 6.5),
            (right, middle, 5.5),
            (left, middle, 6.5),
        ] {
            places.push((at(x, y), less));
        }
        // A wide one may hold something at both ends and nothing between.
        for eighth in 1..8 {
            places.push((at(left + (right - left) * eighth / 8, middle), 7.0));
        }
    }
    places
}

/// What a place costs by what lies under it.
fn cost(place: Rect, items: &[Item], index: usize, ring: u32, ink: &Ink) -> f64 {
    let size = f64::from(place.width) * f64::from(place.height);
    let own = items[index].area;
    let mut cost = ink.share(&place) * OVER_INK;
    // An element many times larger than its label has room for it.
    let room = (f64::from(own.width) * f64::from(own.height) / size / 12.0).max(1.0);
    let on_own = shared(&place, &own);
    cost += on_own / size * OVER_OWN / room;
    cost += f64::from(depth(&place, &own)) / f64::from(place.height) * INSIDE;
    if place.intersection(&middle_of(&own)).is_some() {
        cost += OVER_OWN_MIDDLE;
    }
    let line = (distance(&place, &grown(own, ring)) > LINE_FROM).then(|| line(&place, &own));
    for (_, other) in items.iter().enumerate().filter(|(other, _)| *other != index) {
        // What holds the element is covered wherever its label is.
        if contains(&other.area, &own) {
            continue;
        }
        if line.is_some_and(|(from, to)| crosses(from, to, &grown(other.area, ring))) {
            cost += LINE_OVER_OTHER;
        }
        let covered = shared(&place, &other.area);
        if covered == 0.0 {
            continue;
        }
        cost += covered / size * OVER_OTHER + ((covered - on_own) / size).max(0.0) * MISTAKEN;
        if place.intersection(&middle_of(&other.area)).is_some() {
            cost += OVER_OTHER_MIDDLE;
        }
    }
    cost
}

/// The part of an element that has to stay visible: its middle, at most 12 pixels wide.
fn middle_of(area: &Rect) -> Rect {
    let Point { x, y, .. } = area.center();
    let (across, down) = ((area.width / 4).min(6), (area.height / 4).min(6));
    Rect::new(x - across as i32, y - down as i32, across * 2 + 1, down * 2 + 1)
}

/// The rectangle with a margin around it.
pub(super) fn grown(area: Rect, margin: u32) -> Rect {
    let by = margin as i32;
    Rect::new(area.x - by, area.y - by, area.width + 2 * margin, area.height + 2 * margin)
}

/// How many pixels lie between two rectangles, the way along x or y that is longer; 0 if they touch.
pub(super) fn distance(one: &Rect, other: &Rect) -> u32 {
    let across = (other.x - one.right()).max(one.x - other.right()).max(0);
    let down = (other.y - one.bottom()).max(one.y - other.bottom()).max(0);
    across.max(down).unsigned_abs()
}

/// The line from a label to the nearest point of its element.
pub(super) fn line(label: &Rect, element: &Rect) -> (Point, Point) {
    let from = label.center();
    let nearest = |at: i32, start: i32, end: i32| at.clamp(start, end.max(start + 1) - 1);
    let to =
        Point::new(nearest(from.x, element.x, element.right()), nearest(from.y, element.y, element.bottom()));
    (from, to)
}

/// Whether a line passes through a rectangle (Liang and Barsky's clipping).
fn crosses(from: Point, to: Point, area: &Rect) -> bool {
    let (x, y) = (f64::from(from.x), f64::from(from.y));
    let (dx, dy) = (f64::from(to.x) - x, f64::from(to.y) - y);
    let edges = [
        (-dx, x - f64::from(area.x)),
        (dx, f64::from(area.right() - 1) - x),
        (-dy, y - f64::from(area.y)),
        (dy, f64::from(area.bottom() - 1) - y),
    ];
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for (along, room) in edges {
        if along == 0.0 {
            if room < 0.0 {
                return false;
            }
        } else if along < 0.0 {
            enter = enter.max(room / along);
        } else {
            leave = leave.min(room / along);
        }
    }
    enter <= leave
}

/// How far inside of a rectangle another one lies, in pixels from the nearest edge; 0 if it reaches out of it.
fn depth(inner: &Rect, outer: &Rect) -> u32 {
    let gaps = [
        inner.x - outer.x,
        inner.y - outer.y,
        outer.right() - inner.right(),
        outer.bottom() - inner.bottom(),
    ];
    gaps.into_iter().min().unwrap_or_default().max(0).unsigned_abs()
}

fn contains(outer: &Rect, inner: &Rect) -> bool {
    outer.intersection(inner) == Some(*inner)
}

/// How many pixels both cover.
fn shared(one: &Rect, other: &Rect) -> f64 {
    one.intersection(other).map_or(0.0, |shared| f64::from(shared.width) * f64::from(shared.height))
}

/// The same rectangle, moved into the picture, which is large enough.
fn pushed_inside(place: Rect, picture: Size) -> Rect {
    let (right, bottom) = ((picture.width - place.width) as i32, (picture.height - place.height) as i32);
    Rect::new(place.x.clamp(0, right), place.y.clamp(0, bottom), place.width, place.height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::Frame;
    use proptest::prelude::*;

    const LABEL: Size = Size::new(28, 16);

    fn blank(size: Size) -> Ink {
        let area = handeye_core::Rect::new(0, 0, size.width, size.height);
        Ink::of(&Frame::new(area, vec![255; size.width as usize * size.height as usize * 3]))
    }

    fn overlaps(places: &[Option<Rect>], index: usize, place: &Rect) -> bool {
        let mut others = places.iter().enumerate().filter(|(other, _)| *other != index);
        others.any(|(_, other)| other.is_some_and(|other| other.intersection(place).is_some()))
    }

    prop_compose! {
        fn any_picture()(width in 8_u32..500, height in 8_u32..400)(
            areas in prop::collection::vec((0..width, 0..height, 1_u32..200, 1_u32..120), 0..40),
            size in Just(Size::new(width, height)),
        ) -> (Size, Vec<Item>) {
            let items = areas.into_iter().map(|(x, y, w, h)| Item {
                area: Rect::new(x as i32, y as i32, w.min(size.width - x), h.min(size.height - y)),
                label: LABEL,
            });
            (size, items.collect())
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn labels_lie_inside_apart_and_beside_wherever_that_can_be((size, items) in any_picture()) {
            let ink = blank(size);
            let places = place(size, &items, 2, &ink);
            prop_assert_eq!(&places, &place(size, &items, 2, &ink), "the same picture, the same labels");
            for (index, item) in items.iter().enumerate() {
                let Some(label) = places[index] else {
                    prop_assert!(LABEL.width > size.width || LABEL.height > size.height);
                    continue;
                };
                prop_assert!(contains(&Rect::new(0, 0, size.width, size.height), &label));
                prop_assert_eq!((label.width, label.height), (LABEL.width, LABEL.height));
                let all = candidates(size, &items, index, 2, &ink);
                if overlaps(&places, index, &label) {
                    let free = all.iter().find(|other| !overlaps(&places, index, &other.place));
                    prop_assert!(free.is_none(), "{index} at {label:?} could be at {free:?}");
                }
                let middle = middle_of(&item.area);
                if label.intersection(&middle).is_some() {
                    let beside = all.iter().find(|other| {
                        !overlaps(&places, index, &other.place) && other.place.intersection(&middle).is_none()
                    });
                    prop_assert!(beside.is_none(), "{index} at {label:?} could be at {beside:?}");
                }
            }
        }
    }

    #[test]
    fn a_dense_toolbar_keeps_every_label_apart_and_every_icon_in_sight() {
        let size = Size::new(700, 120);
        let items: Vec<Item> =
            (0..24).map(|n| Item { area: Rect::new(10 + n * 28, 40, 24, 24), label: LABEL }).collect();
        let places = place(size, &items, 2, &blank(size));
        for (index, label) in places.iter().enumerate() {
            let label = label.expect("a place");
            assert!(!overlaps(&places, index, &label), "{places:?}");
            for item in &items {
                assert!(!label.contains(item.area.center()), "{label:?} hides {item:?}");
            }
        }
    }

    #[test]
    fn an_empty_place_is_preferred_to_one_with_letters() {
        let size = Size::new(300, 200);
        let mut rgb = vec![255; 300 * 200 * 3];
        // Letters above the element.
        for y in 50..78 {
            for x in 60..260 {
                if (x + y) % 3 == 0 {
                    rgb[(y * 300 + x) * 3..][..3].fill(0);
                }
            }
        }
        let ink = Ink::of(&Frame::new(handeye_core::Rect::new(0, 0, 300, 200), rgb));
        let item = Item { area: Rect::new(100, 80, 60, 24), label: LABEL };
        let label = place(size, &[item], 2, &ink)[0].expect("a place");
        assert!(label.y >= 80, "{label:?}");
    }
}
