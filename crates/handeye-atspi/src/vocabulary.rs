//! AT-SPI's numbers and names, in handeye's words.

use handeye_core::{Abilities, Role, States};
use std::sync::Arc;

/// AT-SPI state numbers and what they mean to us. `SENSITIVE` stands for enabled: toolkits disagree about
/// `ENABLED` (GTK 4 and Chromium leave it out), and all of them drop `SENSITIVE` from what is greyed out.
const STATES: &[(u32, States)] = &[
    (1, States::ACTIVE),
    (3, States::BUSY),
    (4, States::CHECKED),
    (6, States::DEFUNCT),
    (7, States::EDITABLE),
    (9, States::EXPANDABLE),
    (10, States::EXPANDED),
    (11, States::FOCUSABLE),
    (12, States::FOCUSED),
    (15, States::ICONIFIED),
    (16, States::MODAL),
    (17, States::MULTI_LINE),
    (18, States::MULTI_SELECTABLE),
    (20, States::PRESSED),
    (22, States::SELECTABLE),
    (23, States::SELECTED),
    (24, States::ENABLED),
    (25, States::SHOWING),
    (29, States::VERTICAL),
    (30, States::VISIBLE),
    (31, States::MANAGES_DESCENDANTS),
    (32, States::MIXED),
    (33, States::REQUIRED),
    (36, States::INVALID),
    (39, States::DEFAULT),
    (40, States::VISITED),
    (41, States::CHECKABLE),
    (42, States::HAS_POPUP),
    (43, States::READ_ONLY),
];

/// Names that `object:state-changed` events give to the states above.
const STATE_NAMES: &[(&str, States)] = &[
    ("active", States::ACTIVE),
    ("busy", States::BUSY),
    ("checked", States::CHECKED),
    ("defunct", States::DEFUNCT),
    ("editable", States::EDITABLE),
    ("expandable", States::EXPANDABLE),
    ("expanded", States::EXPANDED),
    ("focusable", States::FOCUSABLE),
    ("focused", States::FOCUSED),
    ("iconified", States::ICONIFIED),
    ("modal", States::MODAL),
    ("pressed", States::PRESSED),
    ("selectable", States::SELECTABLE),
    ("selected", States::SELECTED),
    ("sensitive", States::ENABLED),
    ("showing", States::SHOWING),
    ("visible", States::VISIBLE),
    ("indeterminate", States::MIXED),
    ("required", States::REQUIRED),
    ("invalid-entry", States::INVALID),
    ("is-default", States::DEFAULT),
    ("visited", States::VISITED),
    ("checkable", States::CHECKABLE),
    ("has-popup", States::HAS_POPUP),
    ("read-only", States::READ_ONLY),
];

/// The state that an event calls `name`. Older bridges use underscores.
pub(super) fn state_from_name(name: &str) -> Option<States> {
    STATE_NAMES
        .iter()
        .find(|(known, _)| {
            known.len() == name.len()
                && known.bytes().zip(name.bytes()).all(|(a, b)| a == b || (a == b'-' && b == b'_'))
        })
        .map(|(_, state)| *state)
}

/// The states of a `GetState` answer: two 32-bit words, the low one first.
pub(super) fn states_from_words(words: &[u32]) -> States {
    let bits =
        u64::from(words.first().copied().unwrap_or(0)) | u64::from(words.get(1).copied().unwrap_or(0)) << 32;
    STATES
        .iter()
        .filter(|(number, _)| bits & (1 << number) != 0)
        .fold(States::empty(), |all, (_, state)| all | *state)
}

/// The abilities that a list of interface names stands for. Toolkits write them with or without the `org.a11y.atspi.` prefix.
pub(super) fn abilities_from_interfaces<S: AsRef<str>>(interfaces: &[S]) -> Abilities {
    interfaces.iter().fold(Abilities::empty(), |all, name| {
        let name = name.as_ref();
        all | match name.strip_prefix("org.a11y.atspi.").unwrap_or(name) {
            "Action" => Abilities::ACTION,
            "Component" => Abilities::COMPONENT,
            "Text" => Abilities::TEXT,
            "EditableText" => Abilities::EDITABLE_TEXT,
            "Value" => Abilities::VALUE,
            "Selection" => Abilities::SELECTION,
            "Table" => Abilities::TABLE,
            "TableCell" => Abilities::TABLE_CELL,
            "Document" => Abilities::DOCUMENT,
            "Image" => Abilities::IMAGE,
            "Hypertext" => Abilities::HYPERTEXT,
            "Collection" => Abilities::COLLECTION,
            _ => Abilities::empty(),
        }
    })
}

/// A role number as our role, its AT-SPI name, and the state that the name implies.
pub(super) fn role_from_number(number: u32) -> (Role, Arc<str>, States) {
    let Ok(role) = atspi::Role::try_from(number) else {
        return (Role::Generic, Arc::from("unknown"), States::empty());
    };
    let name = role.name();
    let implied = match role {
        atspi::Role::PasswordText => States::PROTECTED,
        _ => States::empty(),
    };
    (Role::from_atspi_name(name), Arc::from(name), implied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_name_is_one_that_the_core_knows() {
        let unknown: Vec<_> = (0..200)
            .filter_map(|number| atspi::Role::try_from(number).ok())
            .map(|role| role.name())
            .filter(|name| !Role::ALL.iter().any(|role| role.atspi_names().contains(name)))
            .collect();
        assert!(unknown.is_empty(), "AT-SPI roles that no role of ours answers to: {unknown:?}");
    }

    #[test]
    fn state_words_are_read_low_word_first() {
        assert_eq!(
            states_from_words(&[1 << 25 | 1 << 30, 1 << 0]),
            States::SHOWING | States::VISIBLE | States::MIXED
        );
        assert_eq!(states_from_words(&[]), States::empty());
        assert_eq!(state_from_name("has_popup"), Some(States::HAS_POPUP));
    }
}
