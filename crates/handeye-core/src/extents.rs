//! Where something is, as far as that is known: on the screen, or in its window.

use crate::{InWindow, OnScreen, Place, Rect, Size, Space};
use std::fmt;

/// A rectangle in one of the two spaces in which elements are placed. A source that knows where its windows are on the screen, or asks an
/// application that does, reports the screen; one that knows no more than where elements are in their windows reports that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extents {
    /// On the screen.
    OnScreen(Rect),
    /// In the window that shows it.
    InWindow(Rect<InWindow>),
}

/// The spaces that [`Extents`] can be in.
pub trait Units: Space {
    /// A rectangle of this space as extents.
    fn extents(area: Rect<Self>) -> Extents;

    /// Extents in this space; `place` is that of the window, where it is known. `None` where it would have to be known and is not.
    fn of(extents: Extents, place: Option<Place>) -> Option<Rect<Self>>;
}

impl Units for OnScreen {
    fn extents(area: Rect) -> Extents {
        Extents::OnScreen(area)
    }

    fn of(extents: Extents, place: Option<Place>) -> Option<Rect> {
        match extents {
            Extents::OnScreen(area) => Some(area),
            Extents::InWindow(area) => place.map(|place| place.on_screen(area)),
        }
    }
}

impl Units for InWindow {
    fn extents(area: Rect<Self>) -> Extents {
        Extents::InWindow(area)
    }

    fn of(extents: Extents, place: Option<Place>) -> Option<Rect<Self>> {
        match extents {
            Extents::OnScreen(area) => place.map(|place| place.in_window(area)),
            Extents::InWindow(area) => Some(area),
        }
    }
}

impl<S: Units> From<Rect<S>> for Extents {
    fn from(area: Rect<S>) -> Self {
        S::extents(area)
    }
}

impl Extents {
    /// Where that is on the screen; `place` is that of the window, where it is known.
    pub fn on_screen(self, place: Option<Place>) -> Option<Rect> {
        OnScreen::of(self, place)
    }

    /// Width and height, in units of the screen.
    pub const fn size(&self) -> Size {
        match self {
            Self::OnScreen(area) => area.size(),
            Self::InWindow(area) => area.size(),
        }
    }

    /// Whether it covers nothing.
    pub const fn is_empty(&self) -> bool {
        let size = self.size();
        size.width == 0 || size.height == 0
    }

    /// How many units it covers.
    pub fn area(&self) -> u64 {
        let size = self.size();
        u64::from(size.width) * u64::from(size.height)
    }

    /// Its top left corner: units from the left and from the top edge of its space.
    pub const fn corner(&self) -> (i32, i32) {
        match self {
            Self::OnScreen(area) => (area.x, area.y),
            Self::InWindow(area) => (area.x, area.y),
        }
    }

    /// The same, moved by `dx`, `dy` units.
    #[must_use]
    pub fn translated(self, dx: i32, dy: i32) -> Self {
        match self {
            Self::OnScreen(area) => Self::OnScreen(area.translated(dx, dy)),
            Self::InWindow(area) => Self::InWindow(area.translated(dx, dy)),
        }
    }

    /// What of it `region` covers, which is counted from its top left corner; `None` if that is nothing.
    pub fn part(self, region: Rect<InWindow>) -> Option<Self> {
        fn part<S: Units>(area: Rect<S>, region: Rect<InWindow>) -> Option<Extents> {
            let wanted =
                Rect::new(region.x, region.y, region.width, region.height).translated(area.x, area.y);
            wanted.intersection(&area).map(Extents::from)
        }
        match self {
            Self::OnScreen(area) => part(area, region),
            Self::InWindow(area) => part(area, region),
        }
    }

    /// The part that both cover; `None` if they share nothing, or are in different spaces.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::OnScreen(one), Self::OnScreen(other)) => one.intersection(other).map(Self::from),
            (Self::InWindow(one), Self::InWindow(other)) => one.intersection(other).map(Self::from),
            _ => None,
        }
    }
}

/// `100x18 at (110, 110)`.
impl fmt::Display for Extents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Size { width, height }, (x, y)) = (self.size(), self.corner());
        write!(f, "{width}x{height} at ({x}, {y})")?;
        match self {
            Self::OnScreen(_) => Ok(()),
            Self::InWindow(_) => f.write_str(" of its window"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_place_of_the_window_leads_from_one_space_to_the_other() {
        let place = Place { content: Rect::new(103, 120, 400, 300), frame: Rect::new(100, 100, 406, 323) };
        let (on_screen, in_window) =
            (Rect::<OnScreen>::new(113, 140, 50, 20), Rect::<InWindow>::new(10, 20, 50, 20));
        assert_eq!(Extents::from(in_window).on_screen(Some(place)), Some(on_screen));
        assert_eq!(InWindow::of(on_screen.into(), Some(place)), Some(in_window));
        assert_eq!(Extents::from(in_window).on_screen(None), None);
        assert_eq!(InWindow::of(on_screen.into(), None), None);
        assert_eq!(Extents::from(on_screen).on_screen(None), Some(on_screen), "no window is asked");
    }

    #[test]
    fn rectangles_of_different_spaces_share_nothing() {
        let (on_screen, in_window) = (Rect::<OnScreen>::new(0, 0, 9, 9), Rect::<InWindow>::new(0, 0, 9, 9));
        assert_eq!(Extents::from(on_screen).intersection(&in_window.into()), None);
        let part = Extents::from(in_window).part(Rect::new(4, 5, 100, 2));
        assert_eq!(part, Some(Rect::<InWindow>::new(4, 5, 5, 2).into()));
        assert_eq!(part.map(|part| part.to_string()).as_deref(), Some("5x2 at (4, 5) of its window"));
    }
}
