//! What could be pressed in windows before the press. An application may have closed its dialog, or have replaced its menus, before it answers
//! what lies at the place of a press.

use crate::moments::innermost;
use handeye_core::{Point, Rect, WindowId};
use std::collections::HashMap;
use std::time::Instant;

/// Most windows whose elements are kept.
const MOST_WINDOWS: usize = 8;
/// How often a window is read until two readings are equal: a dialog is shown before all of its elements are.
const MOST_READINGS: u32 = 4;

/// The elements of windows, each with its place. `E` is an element.
pub(crate) struct Memory<E> {
    windows: HashMap<WindowId, Read<E>>,
}

struct Read<E> {
    elements: Vec<(Rect, E)>,
    when: Instant,
    readings: u32,
    is_settled: bool,
}

impl<E> Default for Memory<E> {
    fn default() -> Self {
        Self { windows: HashMap::new() }
    }
}

impl<E: PartialEq> Memory<E> {
    /// Whether a window has to be read: it was not since the last input, or not until nothing changed any more.
    pub(crate) fn is_due(&self, window: WindowId, last_input: Instant) -> bool {
        self.windows
            .get(&window)
            .is_none_or(|read| read.when < last_input || (!read.is_settled && read.readings < MOST_READINGS))
    }

    /// A window was read at a moment; `None` if it could not be.
    pub(crate) fn read(
        &mut self,
        window: WindowId,
        when: Instant,
        last_input: Instant,
        elements: Option<Vec<(Rect, E)>>,
    ) {
        let before = self.windows.remove(&window);
        let readings =
            before.as_ref().filter(|read| read.when >= last_input).map_or(0, |read| read.readings) + 1;
        let known = before.map(|read| read.elements).unwrap_or_default();
        // One that takes too long is not asked again until there was another input.
        let is_settled = elements.as_ref().is_none_or(|elements| *elements == known);
        let read = Read { elements: elements.unwrap_or(known), when, readings, is_settled };
        if self.windows.len() >= MOST_WINDOWS
            && let Some(oldest) = self.windows.iter().min_by_key(|(_, read)| read.when).map(|(id, _)| *id)
        {
            self.windows.remove(&oldest);
        }
        self.windows.insert(window, read);
    }

    /// The innermost element that lay at a point of a window.
    pub(crate) fn at(&self, window: WindowId, point: Point) -> Option<&E> {
        innermost(&self.windows.get(&window)?.elements, point)
    }

    /// The element that `is_it`, as it was read last.
    pub(crate) fn find(&self, is_it: impl Fn(&E) -> bool) -> Option<&E> {
        let all = self
            .windows
            .values()
            .flat_map(|read| read.elements.iter().map(move |(_, element)| (read.when, element)));
        all.filter(|(_, element)| is_it(element)).max_by_key(|(when, _)| *when).map(|(_, element)| element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const DIALOG: u64 = 1;

    fn place(x: i32) -> Rect {
        Rect::new(x, 10, 50, 20)
    }

    #[test]
    fn a_window_is_read_after_each_input_until_nothing_changes() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let dialog = WindowId::issued(DIALOG);
        let mut memory = Memory::default();
        assert!(memory.is_due(dialog, start));
        memory.read(dialog, at(10), start, Some(vec![(place(10), "OK")]));
        assert!(memory.is_due(dialog, start), "one reading says nothing of what follows");
        memory.read(dialog, at(20), start, Some(vec![(place(10), "OK")]));
        assert!(!memory.is_due(dialog, start));
        assert!(memory.is_due(dialog, at(30)), "there was another input");
        for number in 0..MOST_READINGS {
            assert!(memory.is_due(dialog, at(30)));
            let x = 100 * i32::try_from(number).unwrap();
            memory.read(dialog, at(40), at(30), Some(vec![(place(x), "OK")]));
        }
        assert!(!memory.is_due(dialog, at(30)), "it is read without end");
    }

    #[test]
    fn what_lay_at_a_point_stays_known_when_the_window_can_not_be_read_any_more() {
        let start = Instant::now();
        let dialog = WindowId::issued(DIALOG);
        let mut memory = Memory::default();
        memory.read(
            dialog,
            start,
            start,
            Some(vec![(Rect::new(0, 0, 500, 500), "Group"), (place(10), "OK")]),
        );
        memory.read(dialog, start, start, None);
        assert_eq!(memory.at(dialog, Point::new(20, 20)), Some(&"OK"));
        assert_eq!(memory.at(dialog, Point::new(300, 300)), Some(&"Group"));
        assert_eq!(memory.at(WindowId::issued(2), Point::new(20, 20)), None);
        assert_eq!(memory.find(|element| *element == "OK"), Some(&"OK"));
    }
}
