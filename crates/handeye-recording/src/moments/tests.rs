use super::*;
use handeye_core::Place;

fn window(id: u64, stacking: usize, frame: Rect) -> Window {
    Window {
        id: WindowId::issued(id),
        title: String::new(),
        class: None,
        pid: None,
        place: Some(Place::bare(frame)),
        stacking: Some(stacking),
        minimized: false,
        active: false,
        modal: false,
        transient_for: None,
    }
}

const MAIN: u64 = 1;
const MENU: u64 = 2;

/// A window, and over it a menu with one item, which is gone two seconds later.
fn menu_that_goes() -> (Moments<&'static str>, Instant) {
    let start = Instant::now();
    let main = window(MAIN, 1, Rect::new(0, 0, 500, 500));
    let menu = window(MENU, 0, Rect::new(100, 100, 50, 50));
    let is_popup = |window: &Window| window.id == WindowId::issued(MENU);
    let mut moments = Moments::default();
    moments.saw(start, vec![main.clone()], is_popup);
    moments.saw(start + Duration::from_secs(1), vec![menu, main.clone()], is_popup);
    assert_eq!(moments.unread().len(), 1);
    moments.read(WindowId::issued(MENU), Some(vec![(Rect::new(100, 100, 50, 20), "About")]));
    moments.saw(start + Duration::from_secs(3), vec![main], is_popup);
    (moments, start)
}

#[test]
fn a_press_is_judged_by_what_was_shown_when_it_happened() {
    let (moments, start) = menu_that_goes();
    let at = |y, seconds| moments.at(Point::new(110, y), start + Duration::from_secs(seconds), |_| false);
    assert_eq!(at(110, 0), Then::Window(WindowId::issued(MAIN)));
    assert_eq!(at(110, 2), Then::Element(&"About"));
    assert_eq!(at(140, 2), Then::Window(WindowId::issued(MENU)));
    assert_eq!(at(110, 4), Then::Window(WindowId::issued(MAIN)));
    let was_shown = |seconds| moments.was_shown(WindowId::issued(MENU), start + Duration::from_secs(seconds));
    assert_eq!([0, 2, 4].map(was_shown), [false, true, false]);
}

#[test]
fn a_popup_is_read_until_two_readings_are_equal_and_keeps_the_fuller_one() {
    let main = window(MAIN, 1, Rect::new(0, 0, 500, 500));
    let menu = window(MENU, 0, Rect::new(100, 100, 50, 50));
    let is_popup = |window: &Window| window.id == WindowId::issued(MENU);
    let start = Instant::now();
    let mut moments = Moments::default();
    moments.saw(start, vec![menu, main], is_popup);
    let item = |y, name| (Rect::new(100, y, 50, 20), name);
    let id = WindowId::issued(MENU);
    for elements in [vec![], vec![item(100, "New")], vec![item(100, "New"), item(120, "Open")]] {
        moments.read(id, Some(elements));
        assert!(moments.has_unread());
    }
    moments.read(id, None);
    moments.read(id, Some(vec![item(100, "New")]));
    assert!(!moments.has_unread(), "it is read without end");
    assert_eq!(moments.at(Point::new(110, 130), start, |_| false), Then::Element(&"Open"));
}

#[test]
fn a_popup_that_is_shown_again_is_read_again() {
    let (mut moments, start) = menu_that_goes();
    let menu = window(MENU, 0, Rect::new(200, 200, 50, 50));
    moments.saw(start + Duration::from_secs(5), vec![menu], |_| true);
    assert!(moments.has_unread());
    let at = moments.at(Point::new(210, 210), start + Duration::from_secs(6), |_| false);
    assert_eq!(at, Then::Window(WindowId::issued(MENU)));
}

#[test]
fn the_picture_of_what_is_dragged_is_passed_over() {
    let main = window(MAIN, 1, Rect::new(0, 0, 500, 500));
    let picture = window(MENU, 0, Rect::new(100, 100, 50, 50));
    let start = Instant::now();
    let mut moments = Moments::<&str>::default();
    moments.saw(start, vec![picture, main], |window| window.id == WindowId::issued(MENU));
    let picture = WindowId::issued(MENU);
    let reached = |moments: &Moments<&'static str>| {
        let is_picture = |id| moments.is_popup_without(id, |name| !name.is_empty());
        matches!(moments.at(Point::new(110, 110), start, is_picture), Then::Window(id) if id == WindowId::issued(MAIN))
    };
    assert!(reached(&moments));
    moments.read(picture, Some(vec![(Rect::new(100, 100, 50, 50), "")]));
    assert!(reached(&moments), "it has an image without a name");
    moments
        .read(picture, Some(vec![(Rect::new(100, 100, 50, 50), ""), (Rect::new(105, 105, 20, 20), "Save")]));
    assert!(!reached(&moments), "it is a menu");
}

/// A window, over it a menu, and over both a menu that opens from it, all seen at the moment that is returned.
fn menus() -> (Moments<&'static str>, Instant) {
    let start = Instant::now();
    let main = window(MAIN, 2, Rect::new(0, 0, 500, 500));
    let menu = window(MENU, 1, Rect::new(100, 100, 50, 50));
    let inner = window(INNER, 0, Rect::new(150, 100, 50, 50));
    let mut moments = Moments::default();
    moments.saw(start, vec![inner, menu, main], |window| window.id != WindowId::issued(MAIN));
    let (item, choice) = (Rect::new(100, 100, 50, 20), Rect::new(150, 100, 50, 20));
    moments.read(WindowId::issued(MENU), Some(vec![(item, "Recent")]));
    moments.read(WindowId::issued(INNER), Some(vec![(choice, "Letter")]));
    (moments, start)
}

const INNER: u64 = 3;

#[test]
fn a_press_after_a_choice_is_not_in_the_menus_that_close() {
    let (mut moments, start) = menus();
    let after = |millis| start + Duration::from_millis(millis);
    let leads_to = |element: &&str, chosen: &&str| (*element, *chosen) == ("Recent", "Letter");
    moments.released(Point::new(160, 110), after(10), leads_to);
    let (in_menu, in_inner) = (Point::new(110, 110), Point::new(160, 110));
    let at = |moments: &Moments<&'static str>, point, millis| {
        format!("{:?}", moments.at(point, after(millis), |_| false))
    };
    let main = format!("{:?}", Then::<&str>::Window(WindowId::issued(MAIN)));
    assert_eq!(at(&moments, in_inner, 10), "Element(\"Letter\")", "the release itself is in the menu");
    assert_eq!(at(&moments, in_inner, 5), "Element(\"Letter\")", "so is what was before it");
    assert_eq!(at(&moments, in_inner, 11), main);
    assert_eq!(at(&moments, in_menu, 11), main, "the menu that it opened from closes too");
    let was_shown = |id, millis| moments.was_shown(WindowId::issued(id), after(millis));
    assert_eq!([MAIN, MENU, INNER].map(|id| was_shown(id, 11)), [true, false, false]);
    assert_eq!([MAIN, MENU, INNER].map(|id| was_shown(id, 10)), [true, true, true]);
}

#[test]
fn a_popup_that_a_later_look_shows_has_not_closed() {
    let (mut moments, start) = menus();
    let after = |millis| start + Duration::from_millis(millis);
    let inner = window(INNER, 0, Rect::new(150, 100, 50, 50));
    moments.released(Point::new(160, 110), after(10), |_, _| false);
    let menu = moments.at(Point::new(110, 110), after(11), |_| false);
    assert_eq!(menu, Then::Element(&"Recent"), "nothing was chosen in this one");
    moments.saw(after(20), vec![inner], |_| true);
    assert_eq!(moments.at(Point::new(160, 110), after(30), |_| false), Then::Element(&"Letter"));
}

#[test]
fn a_release_outside_of_popups_closes_none() {
    let (mut moments, start) = menus();
    let after = |millis| start + Duration::from_millis(millis);
    for point in [Point::new(10, 10), Point::new(160, 140), Point::new(900, 900)] {
        moments.released(point, after(10), |_, _| true);
        assert_eq!(moments.at(Point::new(160, 110), after(20), |_| false), Then::Element(&"Letter"));
    }
}

#[test]
fn it_is_watched_whether_a_popup_goes_but_not_for_ever() {
    let (mut moments, start) = menu_that_goes();
    let opened = start + Duration::from_secs(10);
    assert!(!moments.has_open(opened));
    moments.saw(opened, vec![window(MENU, 0, Rect::new(200, 200, 50, 50))], |_| true);
    assert!(moments.has_open(opened + Duration::from_secs(5)));
    assert!(!moments.has_open(opened + WATCHED));
}
