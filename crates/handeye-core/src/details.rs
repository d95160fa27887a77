//! What of an element is read on demand, because it costs calls of its own.

use crate::Extents;
use bitflags::bitflags;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

bitflags! {
    /// Which details to read. Reading costs one call an element and kind, so ask for what is shown.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct DetailKinds: u8 {
        /// [`Details::extents`].
        const EXTENTS = 1 << 0;
        /// [`Details::value`].
        const VALUE = 1 << 1;
        /// [`Details::text`].
        const TEXT = 1 << 2;
        /// [`Details::actions`].
        const ACTIONS = 1 << 3;
        /// [`Details::identifier`].
        const IDENTIFIER = 1 << 4;
    }
}

/// A detail that is read on demand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Detail<T> {
    /// Not read yet, or changed according to an event.
    #[default]
    Unknown,
    /// Read: the element has none.
    Absent,
    /// Read.
    Known(T),
}

impl<T> Detail<T> {
    /// The value, if it was read and there is one.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unknown | Self::Absent => None,
        }
    }

    /// Whether it has to be read before it can be used.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}

impl<T> From<Option<T>> for Detail<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Self::Known)
    }
}

/// A number that an element holds, with its range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumericValue {
    /// The number now.
    pub current: f64,
    /// Smallest number it can hold.
    pub minimum: f64,
    /// Largest number it can hold.
    pub maximum: f64,
    /// Smallest step, or 0 when the toolkit does not say.
    pub step: f64,
}

/// Text that an element holds. Long text is cut to its first [`TextContent::MAX_CHARS`] characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextContent {
    /// The text, or its beginning.
    pub shown: Arc<str>,
    /// Length of the whole text in characters.
    pub total_chars: u32,
}

impl TextContent {
    /// How many characters of a text the mirror keeps.
    pub const MAX_CHARS: u32 = 4096;

    /// Whether `shown` is only the beginning.
    pub fn is_cut(&self) -> bool {
        (self.shown.chars().count() as u64) < u64::from(self.total_chars)
    }
}

/// What is read on demand, because it costs extra calls and changes often.
#[derive(Debug, Clone, PartialEq)]
pub struct Details {
    /// Where it is, on the screen or in its window, corrected for the toolkit's faults.
    pub extents: Detail<Extents>,
    /// Number that the element holds.
    pub value: Detail<NumericValue>,
    /// Text that the element holds. Never read for protected elements.
    pub text: Detail<TextContent>,
    /// Names of its actions, in the toolkit's order. Toolkits leave some unnamed.
    pub actions: Detail<Arc<[Arc<str>]>>,
    /// Identifier that its developer gave it.
    pub identifier: Detail<Arc<str>>,
}

impl Details {
    /// Those of an element of which nothing was read.
    const UNKNOWN: Self = Self {
        extents: Detail::Unknown,
        value: Detail::Unknown,
        text: Detail::Unknown,
        actions: Detail::Unknown,
        identifier: Detail::Unknown,
    };

    /// Forgets what may have changed.
    fn forget(&mut self, kinds: DetailKinds) {
        if kinds.contains(DetailKinds::EXTENTS) {
            self.extents = Detail::Unknown;
        }
        if kinds.contains(DetailKinds::VALUE) {
            self.value = Detail::Unknown;
        }
        if kinds.contains(DetailKinds::TEXT) {
            self.text = Detail::Unknown;
        }
        if kinds.contains(DetailKinds::ACTIONS) {
            self.actions = Detail::Unknown;
        }
        if kinds.contains(DetailKinds::IDENTIFIER) {
            self.identifier = Detail::Unknown;
        }
    }
}

impl Default for Details {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

/// The [`Details`] of an element, which take no room as long as nothing was read: a page has tens of thousands of elements, and those that do not
/// show are never asked. Copies of an element share them until one of them changes.
#[derive(Debug, Clone, Default)]
pub struct KeptDetails(Option<Arc<Details>>);

impl KeptDetails {
    /// Forgets what may have changed.
    pub fn forget(&mut self, kinds: DetailKinds) {
        if let Some(details) = self.0.as_mut().filter(|_| !kinds.is_empty()) {
            Arc::make_mut(details).forget(kinds);
        }
    }
}

impl Deref for KeptDetails {
    type Target = Details;

    fn deref(&self) -> &Details {
        static UNKNOWN: Details = Details::UNKNOWN;
        self.0.as_deref().unwrap_or(&UNKNOWN)
    }
}

impl DerefMut for KeptDetails {
    fn deref_mut(&mut self) -> &mut Details {
        Arc::make_mut(self.0.get_or_insert_default())
    }
}

impl From<Details> for KeptDetails {
    fn from(details: Details) -> Self {
        Self((details != Details::UNKNOWN).then(|| Arc::new(details)))
    }
}

impl PartialEq for KeptDetails {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_take_room_once_one_of_them_is_read() {
        let mut kept = KeptDetails::default();
        kept.forget(DetailKinds::all());
        assert!(kept.0.is_none() && kept.text.is_unknown());
        assert_eq!(KeptDetails::from(Details::default()), kept);
        kept.identifier = Detail::Known("ok".into());
        assert_eq!(kept.identifier.known().map(|id| &**id), Some("ok"));
        assert_ne!(kept, KeptDetails::default());
        kept.forget(DetailKinds::TEXT);
        assert!(kept.identifier.known().is_some());
        kept.forget(DetailKinds::IDENTIFIER);
        assert_eq!(kept, KeptDetails::default(), "it does not matter how nothing is kept");
    }
}
