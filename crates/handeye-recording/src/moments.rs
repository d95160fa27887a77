//! What was shown a moment ago. A popup may be gone before the press in it can be looked at, so what is in one is kept, and each press is
//! judged by what was shown when it happened.

use handeye_core::{Point, Rect, Window, WindowId};
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// Most looks at the stack of windows that are kept.
const MOST_LOOKS: usize = 16;
/// How long a popup that is gone is kept: a press in it may wait behind a slow look.
const KEPT: Duration = Duration::from_secs(10);
/// How long it is watched whether a popup goes: no sign comes of it, and one that stays is a part of the desktop.
const WATCHED: Duration = Duration::from_secs(60);
/// Most popups that are read, and how often one is read until two readings are equal: a menu is drawn before all of its items are.
const MOST_POPUPS: usize = 4;
const MOST_READINGS: u32 = 5;

/// What was shown, and what was where in popups. `E` is an element.
pub(crate) struct Moments<E> {
    /// The windows from the topmost down, at each look; the newest look is the last.
    looks: VecDeque<(Instant, Vec<Window>)>,
    popups: HashMap<WindowId, Popup<E>>,
}

struct Popup<E> {
    elements: Vec<(Rect, E)>,
    readings: u32,
    is_settled: bool,
    /// When it was found to be there.
    seen: Instant,
    /// When it was found to be gone.
    gone: Option<Instant>,
    /// When a choice was made in it last: it goes then, before a look can find that.
    left: Option<Instant>,
}

/// What lay at a point at some moment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Then<'a, E> {
    /// An element of a popup.
    Element(&'a E),
    /// This window.
    Window(WindowId),
    /// That is not known.
    Unknown,
}

impl<E> Default for Moments<E> {
    fn default() -> Self {
        Self { looks: VecDeque::new(), popups: HashMap::new() }
    }
}

impl<E: PartialEq> Moments<E> {
    /// A look that began at `at` found these windows; `is_popup` of them are popups.
    pub(crate) fn saw(&mut self, at: Instant, shown: Vec<Window>, is_popup: impl Fn(&Window) -> bool) {
        let open: Vec<WindowId> = shown
            .iter()
            .filter(|window| is_popup(window))
            .map(|window| window.id)
            .take(MOST_POPUPS)
            .collect();
        for (id, popup) in &mut self.popups {
            if popup.gone.is_none() && !open.contains(id) {
                popup.gone = Some(at);
            }
        }
        self.popups.retain(|_, popup| popup.gone.is_none_or(|gone| at.duration_since(gone) < KEPT));
        for id in open {
            // Toolkits show a window again, elsewhere and with other items.
            if self.popups.get(&id).is_none_or(|popup| popup.gone.is_some()) {
                let popup = Popup {
                    elements: Vec::new(),
                    readings: 0,
                    is_settled: false,
                    seen: at,
                    gone: None,
                    left: None,
                };
                self.popups.insert(id, popup);
            }
        }
        if self.looks.len() == MOST_LOOKS {
            self.looks.pop_front();
        }
        self.looks.push_back((at, shown));
    }

    /// The popups that have to be read.
    pub(crate) fn unread(&self) -> Vec<Window> {
        let Some((_, shown)) = self.looks.back() else { return Vec::new() };
        shown
            .iter()
            .filter(|window| self.popups.get(&window.id).is_some_and(Popup::is_unread))
            .cloned()
            .collect()
    }

    /// Whether a popup may go any moment, as a tooltip does when the pointer moves: a press where it was is for what is below.
    pub(crate) fn has_open(&self, now: Instant) -> bool {
        let is_open = |popup: &Popup<E>| popup.gone.is_none() && now.duration_since(popup.seen) < WATCHED;
        self.popups.values().any(is_open)
    }

    /// Whether there are popups that have to be read.
    pub(crate) fn has_unread(&self) -> bool {
        self.popups.values().any(Popup::is_unread)
    }

    /// A popup was read, or could not be.
    pub(crate) fn read(&mut self, id: WindowId, elements: Option<Vec<(Rect, E)>>) {
        let Some(popup) = self.popups.get_mut(&id) else { return };
        popup.readings += 1;
        let Some(elements) = elements else { return };
        popup.is_settled = !elements.is_empty() && elements == popup.elements;
        // One that is just closing has fewer.
        if elements.len() >= popup.elements.len() {
            popup.elements = elements;
        }
    }

    /// A button was released at a point on what is chosen with that: the popup there goes, and so do those with an element that leads to the
    /// chosen one, as a menu leads to a menu in it. `leads_to` compares such an element with the chosen one.
    pub(crate) fn released(&mut self, point: Point, when: Instant, leads_to: impl Fn(&E, &E) -> bool) {
        let Some(id) = self.topmost_at(point, when, |_| false) else { return };
        let Some(chosen) = self.element_at(id, point) else { return };
        let has_led = |popup: &Popup<E>| popup.elements.iter().any(|(_, element)| leads_to(element, chosen));
        let mut left: Vec<WindowId> =
            self.popups.iter().filter(|(_, popup)| has_led(popup)).map(|(id, _)| *id).collect();
        left.push(id);
        for id in left {
            if let Some(popup) = self.popups.get_mut(&id) {
                popup.left = Some(when);
            }
        }
    }

    /// The windows that were shown at a moment, as far as is known.
    fn shown_at(&self, when: Instant) -> impl Iterator<Item = &Window> {
        let look = self.looks.iter().rev().find(|(at, _)| *at <= when).or_else(|| self.looks.front());
        look.into_iter().flat_map(move |(seen, shown)| {
            shown.iter().filter(move |window| !self.has_left(window.id, *seen, when))
        })
    }

    /// Whether a choice was made in a popup after the look that has seen it, and before a moment.
    fn has_left(&self, id: WindowId, seen: Instant, when: Instant) -> bool {
        let left = self.popups.get(&id).and_then(|popup| popup.left);
        left.is_some_and(|left| seen < left && left < when)
    }

    /// Whether a window was shown at a moment; true where nothing is known of it.
    pub(crate) fn was_shown(&self, id: WindowId, when: Instant) -> bool {
        self.looks.is_empty() || self.shown_at(when).any(|window| window.id == id)
    }

    /// Whether a window is a popup in which nothing like this was found, as the picture of what is dragged: GTK 3 has a window and an image
    /// without a name for that.
    pub(crate) fn is_popup_without(&self, id: WindowId, is_like: impl Fn(&E) -> bool) -> bool {
        self.popups.get(&id).is_some_and(|popup| !popup.elements.iter().any(|(_, element)| is_like(element)))
    }

    /// What lay at a point at a moment, apart from windows for which `is_passed` is true.
    pub(crate) fn at(
        &self,
        point: Point,
        when: Instant,
        is_passed: impl Fn(WindowId) -> bool,
    ) -> Then<'_, E> {
        match self.topmost_at(point, when, is_passed) {
            Some(window) => self.element_at(window, point).map_or(Then::Window(window), Then::Element),
            None => Then::Unknown,
        }
    }

    fn topmost_at(
        &self,
        point: Point,
        when: Instant,
        is_passed: impl Fn(WindowId) -> bool,
    ) -> Option<WindowId> {
        let there = |window: &&Window| {
            let is_at_point = window.frame().is_some_and(|frame| frame.contains(point));
            is_at_point && !window.minimized && !is_passed(window.id)
        };
        let topmost = self.shown_at(when).filter(there).min_by_key(|window| window.stacking);
        topmost.map(|window| window.id)
    }

    /// The innermost element of a popup at a point.
    fn element_at(&self, popup: WindowId, point: Point) -> Option<&E> {
        innermost(&self.popups.get(&popup)?.elements, point)
    }
}

/// Of elements with their places, the innermost at a point: the smallest.
pub(crate) fn innermost<E>(elements: &[(Rect, E)], point: Point) -> Option<&E> {
    let at_point = elements.iter().filter(|(place, _)| place.contains(point));
    let smallest = at_point.min_by_key(|(place, _)| u64::from(place.width) * u64::from(place.height));
    smallest.map(|(_, element)| element)
}

impl<E> Popup<E> {
    const fn is_unread(&self) -> bool {
        self.gone.is_none() && !self.is_settled && self.readings < MOST_READINGS
    }
}

#[cfg(test)]
mod tests;
