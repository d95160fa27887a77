//! Puts the pointer of an agent over a window, where its keys go then.

use super::aim::{Aim, named};
use super::fault::Outcome;
use super::pointer::move_to;
use super::stack::shown;
use super::windows::id_of;
use super::x_session::XSession;
use handeye_core::{Error, ErrorCode, Invocation, Point, Rect, Window, text};

/// Into how many parts each side of a window is divided in the search for a point that nothing covers.
const PARTS: u32 = 8;

/// Moves the pointer to a point of the window that nothing covers, if it is not over the window already.
///
/// # Errors
/// [`ErrorCode::Refused`] if the window is not drawn or covered everywhere.
pub(super) fn put_over(session: &mut XSession, aim: Aim) -> Outcome<()> {
    if aim.pointer_is_elsewhere(session)?.is_none() {
        return Ok(());
    }
    let shown = shown(session)?;
    let meant = id_of(aim.window());
    let Some(place) = shown.iter().position(|window| window.id == meant) else {
        let why = "no key was pressed: the window is minimized, or on another virtual desktop";
        return Err(Error::new(ErrorCode::Refused, why)
            .with_next(text!["Show it (", Invocation::of("ax_list_windows"), "), then try again."])
            .into());
    };
    match uncovered_point(&shown[..place], &shown[place]) {
        Ok(point) => move_to(session, point),
        Err(cover) => {
            let by = cover.map_or_else(|| "other windows".to_owned(), |window| named(&window.title));
            let why =
                format!("no key was pressed: {by} covers the window, and an agent's keys go by its pointer");
            Err(Error::new(ErrorCode::Refused, why)
                .with_next("Move or close what covers it, then try again.")
                .into())
        }
    }
}

/// A point of the window that none of those above it covers, as near to its middle as possible; else what covers the middle.
fn uncovered_point<'a>(above: &'a [Window], window: &Window) -> Result<Point, Option<&'a Window>> {
    let Some(content) = window.content() else { return Err(None) };
    let covering =
        |point: Point| above.iter().find(|over| over.frame().is_some_and(|frame| frame.contains(point)));
    let middle = content.center();
    let mut points: Vec<Point> = grid(content).collect();
    points.sort_by_key(|point| i64::from(point.x - middle.x).pow(2) + i64::from(point.y - middle.y).pow(2));
    std::iter::once(middle)
        .chain(points)
        .find(|point| covering(*point).is_none())
        .ok_or_else(|| covering(middle))
}

/// Points all over an area, none on its edge.
fn grid(area: Rect) -> impl Iterator<Item = Point> {
    let at = move |part: u32, start: i32, length: u32| start + (length * (2 * part + 1) / (2 * PARTS)) as i32;
    (0..PARTS).flat_map(move |row| {
        (0..PARTS).map(move |column| Point::new(at(column, area.x, area.width), at(row, area.y, area.height)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_points_of_an_area_are_inside_of_it() {
        let area = Rect::new(-10, 20, 8, 400);
        assert!(grid(area).all(|point| area.contains(point)));
        assert_eq!(grid(area).count(), 64);
    }
}
