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
                let popup =
                    Popup { elements: Vec::new(), readings: 0, is_settled: false, seen: at, gone: None };
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

    /// The windows that were shown at a moment, as far as is known.
    fn shown_at(&self, when: Instant) -> &[Window] {
        let look = self.looks.iter().rev().find(|(at, _)| *at <= when).or_else(|| self.looks.front());
        look.map_or(&[], |(_, shown)| shown)
    }

    /// Whether a window was shown at a moment; true where nothing is known of it.
    pub(crate) fn was_shown(&self, id: WindowId, when: Instant) -> bool {
        self.looks.is_empty() || self.shown_at(when).iter().any(|window| window.id == id)
    }

    /// Whether a window is a popup in which nothing was found, as the picture of what is dragged.
    pub(crate) fn is_empty_popup(&self, id: WindowId) -> bool {
        self.popups.get(&id).is_some_and(|popup| popup.elements.is_empty())
    }

    /// What lay at a point at a moment, apart from windows for which `is_passed` is true.
    pub(crate) fn at(
        &self,
        point: Point,
        when: Instant,
        is_passed: impl Fn(WindowId) -> bool,
    ) -> Then<'_, E> {
        let there = |window: &&Window| {
            let is_at_point = window.frame().is_some_and(|frame| frame.contains(point));
            is_at_point && !window.minimized && !is_passed(window.id)
        };
        let Some(window) = self.shown_at(when).iter().filter(there).min_by_key(|window| window.stacking)
        else {
            return Then::Unknown;
        };
        let elements = self.popups.get(&window.id).map_or(&[][..], |popup| &popup.elements);
        let at_point = elements.iter().filter(|(place, _)| place.contains(point));
        match at_point.min_by_key(|(place, _)| u64::from(place.width) * u64::from(place.height)) {
            Some((_, element)) => Then::Element(element),
            None => Then::Window(window.id),
        }
    }
}

impl<E> Popup<E> {
    const fn is_unread(&self) -> bool {
        self.gone.is_none() && !self.is_settled && self.readings < MOST_READINGS
    }
}

#[cfg(test)]
mod tests;
