//! Where something was drawn.

use handeye_core::Rect;

/// Most parts that are kept apart. Each is read by itself.
const MOST_PARTS: usize = 16;

/// Where something was drawn on a screen, in its coordinates. Nowhere at first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Drawn(Vec<Rect>);

impl Drawn {
    /// Something was drawn in these parts too. Where that makes too many of them, all that is between them counts.
    pub(super) fn add(&mut self, more: impl IntoIterator<Item = Rect>) {
        self.0.extend(more);
        if self.0.len() > MOST_PARTS {
            self.0 = vec![Rect::around(self.0.iter().copied())];
        }
    }

    /// Whether any of it lies in an area.
    pub(super) fn touches(&self, area: Rect) -> bool {
        self.0.iter().any(|part| part.intersection(&area).is_some())
    }

    /// What of it lies in an area; `None` where reading all of the area is as fast.
    pub(super) fn within(&self, area: Rect) -> Option<Vec<Rect>> {
        let parts: Vec<Rect> = self.0.iter().filter_map(|part| part.intersection(&area)).collect();
        let pixels = |rect: &Rect| u64::from(rect.width) * u64::from(rect.height);
        let drawn: u64 = parts.iter().map(pixels).sum();
        (drawn <= pixels(&area) / 2).then_some(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect::new(100, 100, 20, 10);

    #[test]
    fn what_lies_in_an_area_is_read_by_parts_as_long_as_it_is_little() {
        let mut drawn = Drawn::default();
        assert_eq!((drawn.within(AREA), drawn.touches(AREA)), (Some(Vec::new()), false));
        drawn.add([Rect::new(0, 0, 50, 50), Rect::new(90, 95, 12, 6)]);
        assert_eq!((drawn.within(AREA), drawn.touches(AREA)), (Some(vec![Rect::new(100, 100, 2, 1)]), true));
        drawn.add([Rect::new(100, 105, 20, 5)]);
        assert_eq!(drawn.within(AREA), None);
    }

    #[test]
    fn many_parts_become_one_that_has_them_all() {
        let mut drawn = Drawn::default();
        drawn.add((0..MOST_PARTS as i32).map(|x| Rect::new(x, 0, 1, 1)));
        assert_eq!(drawn.0.len(), MOST_PARTS);
        drawn.add([Rect::new(5, 7, 1, 1)]);
        assert_eq!(drawn.0, [Rect::new(0, 0, MOST_PARTS as u32, 8)]);
    }
}
