//! AT-SPI's numbers and names, in handeye's words.

use atspi::State;
use handeye_core::{Abilities, Role, States};
use std::sync::{Arc, LazyLock};

/// AT-SPI's states and what they mean to us. `Sensitive` stands for enabled: toolkits disagree about
/// `Enabled` (GTK 4 and Chromium leave it out), and all of them drop `Sensitive` from what is greyed out.
const STATES: &[(State, States)] = &[
    (State::Active, States::ACTIVE),
    (State::Busy, States::BUSY),
    (State::Checked, States::CHECKED),
    (State::Defunct, States::DEFUNCT),
    (State::Editable, States::EDITABLE),
    (State::Expandable, States::EXPANDABLE),
    (State::Expanded, States::EXPANDED),
    (State::Focusable, States::FOCUSABLE),
    (State::Focused, States::FOCUSED),
    (State::Iconified, States::ICONIFIED),
    (State::Modal, States::MODAL),
    (State::MultiLine, States::MULTI_LINE),
    (State::Multiselectable, States::MULTI_SELECTABLE),
    (State::Pressed, States::PRESSED),
    (State::Selectable, States::SELECTABLE),
    (State::Selected, States::SELECTED),
    (State::Sensitive, States::ENABLED),
    (State::Showing, States::SHOWING),
    (State::Vertical, States::VERTICAL),
    (State::Visible, States::VISIBLE),
    (State::ManagesDescendants, States::MANAGES_DESCENDANTS),
    (State::Indeterminate, States::MIXED),
    (State::Required, States::REQUIRED),
    (State::InvalidEntry, States::INVALID),
    (State::IsDefault, States::DEFAULT),
    (State::Visited, States::VISITED),
    (State::Checkable, States::CHECKABLE),
    (State::HasPopup, States::HAS_POPUP),
    (State::ReadOnly, States::READ_ONLY),
];

/// The state that an `object:state-changed` event calls `name`. Older bridges use underscores.
pub(super) fn state_from_name(name: &str) -> Option<States> {
    let is_called = |known: &str| {
        known.len() == name.len()
            && known.bytes().zip(name.bytes()).all(|(a, b)| a == b || (a == b'-' && b == b'_'))
    };
    STATES.iter().find(|(known, _)| is_called(known.to_static_str())).map(|(_, state)| *state)
}

/// The states of a `GetState` answer: two 32-bit words, the low one first.
pub(super) fn states_from_words(words: &[u32]) -> States {
    let bits =
        u64::from(words.first().copied().unwrap_or(0)) | u64::from(words.get(1).copied().unwrap_or(0)) << 32;
    // Not by `StateSet::from_bits`, which rejects all of them if one is of a newer AT-SPI.
    STATES
        .iter()
        .filter(|(known, _)| bits & *known as u64 != 0)
        .fold(States::empty(), |all, (_, state)| all | *state)
}

/// The abilities that a list of interface names stands for.
pub(super) fn abilities_from_interfaces<S: AsRef<str>>(interfaces: &[S]) -> Abilities {
    interfaces.iter().fold(Abilities::empty(), |all, name| all | ability_of(name.as_ref()))
}

/// The ability that the name of an interface stands for, if any. Toolkits write it with or without the `org.a11y.atspi.` prefix.
pub(super) fn ability_of(interface: &str) -> Abilities {
    match interface.strip_prefix("org.a11y.atspi.").unwrap_or(interface) {
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
}

/// A role number as our role, its AT-SPI name, and the state that the name implies.
pub(super) fn role_from_number(number: u32) -> (Role, Arc<str>, States) {
    /// More than AT-SPI has, by their numbers; the last one is unknown.
    static ROLES: LazyLock<Vec<(Role, Arc<str>, States)>> = LazyLock::new(|| (0..256).map(look_up).collect());
    let known = ROLES.get(number as usize).or(ROLES.last());
    known.cloned().unwrap_or_else(|| look_up(number))
}

fn look_up(number: u32) -> (Role, Arc<str>, States) {
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

    /// AT-SPI's own numbers (`atspi-constants.h`), which the words of `GetState` count by.
    #[test]
    fn states_have_the_numbers_of_the_standard() {
        for (number, state) in [
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
        ] {
            let words = if number < 32 { [1 << number, 0] } else { [0, 1 << (number - 32)] };
            assert_eq!(states_from_words(&words), state, "{number}");
        }
        assert_eq!(
            states_from_words(&[u32::MAX, u32::MAX]).iter().count(),
            STATES.len(),
            "newer states are passed over"
        );
    }

    #[test]
    fn every_state_is_understood_in_events() {
        for (known, state) in STATES {
            let name = known.to_static_str();
            assert_eq!(state_from_name(name), Some(*state));
            assert_eq!(state_from_name(&name.replace('-', "_")), Some(*state));
        }
        assert_eq!(state_from_name("enabled"), None, "toolkits disagree about it");
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
