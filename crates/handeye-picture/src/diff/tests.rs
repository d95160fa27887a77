//! What a comparison has to give, whatever the pictures are.

use super::*;
use crate::samples::{self, KINDS, Kind as Sample};
use handeye_core::Rect;
use proptest::prelude::*;

const PIXEL: Mode = Mode::Pixel { tolerate_antialiasing: true };
const EXACT: Mode = Mode::Pixel { tolerate_antialiasing: false };
const MODES: [Mode; 3] = [PIXEL, EXACT, Mode::Perceptual];

fn compared(one: &Frame, other: &Frame, mode: Mode, ignored: &[Rect<InPicture>]) -> Comparison {
    compare(one, other, mode, ignored).expect("two pictures")
}

/// The same picture with a rectangle of another colour.
fn planted(frame: &Frame, area: Rect<InPicture>, colour: [u8; 3]) -> Frame {
    let mut rgb = frame.rgb().to_vec();
    let width = frame.size().width;
    for (at, pixel) in rgb.chunks_exact_mut(3).enumerate() {
        let (x, y) = (at as u32 % width, at as u32 / width);
        if area.contains(handeye_core::Point::new(x as i32, y as i32)) {
            pixel.copy_from_slice(&colour);
        }
    }
    frame.resized(frame.size(), rgb)
}

fn flat(width: u32, height: u32) -> Frame {
    Frame::unplaced(Size::new(width, height), vec![240; (width * height * 3) as usize])
}

fn red_pixels(frame: &Frame) -> u64 {
    frame.rgb().chunks_exact(3).filter(|pixel| *pixel == [255, 0, 0]).count() as u64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_picture_does_not_differ_from_itself(width in 1_u32..300, height in 1_u32..200, kind in samples::kinds()) {
        let frame = samples::frame(kind, width, height);
        for mode in MODES {
            let found = compared(&frame, &frame, mode, &[]);
            prop_assert_eq!((found.different, found.antialiased, found.total), (0, 0, u64::from(width) * u64::from(height)));
            prop_assert!(found.regions.is_empty());
        }
    }

    #[test]
    fn the_order_of_the_pictures_does_not_matter(
        a in (1_u32..120, 1_u32..150), b in (1_u32..120, 1_u32..150), kinds in (samples::kinds(), samples::kinds()),
    ) {
        let (one, other) = (samples::frame(kinds.0, a.0, a.1), samples::frame(kinds.1, b.0, b.1));
        for mode in MODES {
            let (there, back) = (compared(&one, &other, mode, &[]), compared(&other, &one, mode, &[]));
            prop_assert_eq!((there.different, there.antialiased, there.total), (back.different, back.antialiased, back.total));
            prop_assert_eq!(there.regions, back.regions);
        }
    }

    #[test]
    fn planted_differences_are_counted_to_the_pixel(x in 0_i32..180, y in 0_i32..150, w in 1_u32..60, h in 1_u32..60) {
        let before = flat(200, 170);
        let area = Rect::new(x, y, w, h);
        let after = planted(&before, area, [10, 20, 30]);
        let inside = area.intersection(&before.whole()).expect("inside");
        let found = compared(&before, &after, EXACT, &[]);
        prop_assert_eq!(found.different, u64::from(inside.width) * u64::from(inside.height));
        prop_assert_eq!(&found.regions, &[inside]);
        let drawn = found.overlay(&after).expect("drawn");
        prop_assert_eq!(red_pixels(&drawn), found.different);
        prop_assert_eq!(compared(&before, &after, PIXEL, &[]).different, found.different, "no edge is smoothed");
        // Ignoring it once, twice or with more than there is leaves the rest.
        let rest = before.rgb().len() as u64 / 3 - found.different;
        for ignored in [vec![area], vec![area, area], vec![area, Rect::new(x, y, w, 1), Rect::new(500, 500, 9, 9)]] {
            let ignoring = compared(&before, &after, EXACT, &ignored);
            prop_assert_eq!((ignoring.different, ignoring.total), (0, rest));
        }
    }

    #[test]
    fn ignored_rectangles_count_once(areas in prop::collection::vec((-50_i32..150, -50_i32..150, 0_u32..200, 0_u32..200), 0..6)) {
        let (one, other) = (flat(100, 90), planted(&flat(100, 90), Rect::new(0, 0, 100, 90), [0; 3]));
        let areas: Vec<Rect<InPicture>> = areas.into_iter().map(|(x, y, w, h)| Rect::new(x, y, w, h)).collect();
        let is_ignored = |x: i32, y: i32| areas.iter().any(|area| area.contains(handeye_core::Point::new(x, y)));
        let expected = (0..90).flat_map(|y| (0..100).map(move |x| (x, y))).filter(|(x, y)| !is_ignored(*x, *y)).count() as u64;
        for mode in MODES {
            let found = compared(&one, &other, mode, &areas);
            prop_assert_eq!((found.total, found.different), (expected, expected));
        }
    }
}

#[test]
fn what_only_one_picture_has_is_different() {
    let (small, large) = (flat(100, 70), flat(120, 90));
    for (one, other) in [(&small, &large), (&large, &small)] {
        for mode in MODES {
            let found = compared(one, other, mode, &[]);
            assert_eq!((found.size, found.total), (Size::new(120, 90), 120 * 90));
            assert_eq!(found.different, 120 * 90 - 100 * 70);
            let drawn = found.overlay(other).expect("drawn");
            assert_eq!((drawn.size(), red_pixels(&drawn)), (found.size, found.different));
        }
    }
}

#[test]
fn what_lies_apart_has_rectangles_of_its_own_the_largest_first() {
    let before = flat(400, 300);
    let (large, small) = (Rect::new(10, 20, 50, 30), Rect::new(300, 250, 8, 8));
    let after = planted(&planted(&before, small, [0; 3]), large, [0; 3]);
    let found = compared(&before, &after, PIXEL, &[]);
    assert_eq!(found.regions, [large, small]);
    assert!((found.percentage() - (1500.0 + 64.0) / 1200.0).abs() < 1e-9);
}

/// A disc whose edge is smoothed over `softness` pixels.
fn disc(softness: f64) -> Frame {
    let value = |at: u32| {
        let (x, y) = (f64::from(at % 80) - 39.7, f64::from(at / 80) - 40.2);
        let inside = ((25.0 - x.hypot(y)) / softness + 0.5).clamp(0.0, 1.0);
        (255.0 - inside * 255.0) as u8
    };
    Frame::unplaced(Size::new(80, 80), (0..80 * 80).flat_map(|at| [value(at); 3]).collect())
}

#[test]
fn another_smoothing_of_an_edge_is_tolerated() {
    let (hard, soft) = (disc(0.01), disc(1.2));
    let exact = compared(&hard, &soft, EXACT, &[]);
    let tolerant = compared(&hard, &soft, PIXEL, &[]);
    assert!(exact.different > 50, "{exact:?}");
    assert!(tolerant.different * 10 < exact.different, "{} of {}", tolerant.different, exact.different);
    assert_eq!(tolerant.different + tolerant.antialiased, exact.different);
    // Of black on white an observer sees it where an edge has moved by half a pixel; of anything softer nowhere.
    let seen = compared(&hard, &soft, Mode::Perceptual, &[]).different;
    assert!(seen * 2 < exact.different, "{seen} of {}", exact.different);
}

#[test]
fn an_observer_sees_a_change_of_colour_and_no_noise() {
    let before = flat(120, 80);
    let mut noisy = before.clone();
    for (at, value) in noisy.rgb_mut().iter_mut().enumerate() {
        *value += if at / 3 % 2 == 0 { 6 } else { 0 };
    }
    assert_eq!(compared(&before, &noisy, Mode::Perceptual, &[]).different, 0);
    let tinted = planted(&before, Rect::new(40, 30, 20, 20), [240, 215, 240]);
    let found = compared(&before, &tinted, Mode::Perceptual, &[]);
    assert!((300..=600).contains(&found.different), "{found:?}");
}

#[test]
fn every_kind_of_picture_is_compared_across_strips() {
    for kind in KINDS {
        let frame = samples::frame(kind, 301, 2 * STRIP + 7);
        let area = Rect::new(290, STRIP as i32 - 3, 11, 6);
        let ink = if kind == Sample::Noise { [0, 255, 0] } else { [255, 0, 255] };
        let changed = planted(&frame, area, ink);
        let found = compared(&frame, &changed, EXACT, &[]);
        assert!(found.regions.iter().all(|region| area.intersection(region) == Some(*region)), "{kind:?}");
        assert!(found.different > 0 && found.different <= 66, "{kind:?}");
    }
}

#[test]
fn pixels_that_do_not_make_up_a_picture_are_an_error() {
    let (whole, broken) = (flat(4, 4), Frame::unplaced(Size::new(4, 4), vec![0; 5]));
    for (one, other) in [(&whole, &broken), (&broken, &whole)] {
        assert_eq!(compare(one, other, PIXEL, &[]).expect_err("broken").code, ErrorCode::CaptureFailed);
    }
    let found = compared(&whole, &whole, PIXEL, &[]);
    assert_eq!(found.overlay(&broken).expect_err("broken").code, ErrorCode::CaptureFailed);
    assert_eq!(found.overlay(&flat(5, 4)).expect_err("another one").code, ErrorCode::CaptureFailed);
}
