//! The words of the query language: roles, fields and states, with every spelling that is understood.

use super::grade::{EXACT, Grade, SAME};
use handeye_core::{Node, Role, States};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// The roles that a name means, prepared once so that no names are compared while searching.
///
/// Vocabularies disagree: `text` is a label in ARIA, an input field in AT-SPI. Both are meant, but the ARIA
/// one, which outlines print, is the better match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RoleSet {
    by_aria: u128,
    by_any: u128,
}

const _: () = assert!(Role::ALL.len() <= 128, "a RoleSet holds one bit a role");

impl RoleSet {
    /// The roles that answer to `name` (ARIA, AT-SPI or macOS); `None` if there is none.
    pub(super) fn named(name: &str) -> Option<Self> {
        static BY_NAME: LazyLock<FxHashMap<String, RoleSet>> = LazyLock::new(RoleSet::by_name);
        (name.len() <= LONGEST_ROLE_BYTES).then(|| BY_NAME.get(&Role::squeeze(name)).copied()).flatten()
    }

    /// The roles of every name. Each name is looked at once: comparing each with those of every role takes longer than the first search.
    fn by_name() -> FxHashMap<String, Self> {
        let mut sets: FxHashMap<String, Self> = FxHashMap::default();
        for role in Role::ALL.iter().copied() {
            for name in role.asked_names() {
                sets.entry(Role::squeeze(name)).or_default().by_any |= bit(role);
            }
            sets.entry(Role::squeeze(role.aria())).or_default().by_aria |= bit(role);
        }
        sets
    }

    /// How well the role of the element answers to the name. An item that holds others is a menu: Qt calls those of a menu bar so.
    pub(super) fn grade(self, node: &Node) -> Option<Grade> {
        let role = node.role;
        let is_menu =
            || role == Role::MenuItem && node.child_count > 0 && self.by_aria & bit(Role::Menu) != 0;
        if self.by_aria & bit(role) != 0 {
            Some(EXACT)
        } else {
            (self.by_any & bit(role) != 0 || is_menu()).then_some(SAME)
        }
    }

    /// Whether the role is one of those that the name means in the first place.
    pub(super) fn names(self, role: Role) -> bool {
        let roles = if self.by_aria == 0 { self.by_any } else { self.by_aria };
        roles & bit(role) != 0
    }
}

fn bit(role: Role) -> u128 {
    1 << (role as u32)
}

/// Longest text that is looked up as the name of a role, in bytes.
const LONGEST_ROLE_BYTES: usize = 48;

/// Most words that a role's name has ("table column header", "description list item").
const LONGEST_ROLE: usize = 3;

/// The longest beginning of `words` that names a role, and how many words it takes.
pub(super) fn leading_role(words: &[&str]) -> Option<(RoleSet, usize)> {
    (1..=words.len().min(LONGEST_ROLE))
        .rev()
        .find_map(|count| RoleSet::named(&words[..count].join(" ")).map(|roles| (roles, count)))
}

/// What an expression can ask about an element besides its role and its states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// Its label: the name, or the description of an element without a name.
    Title,
    /// What it holds.
    Value,
    /// The identifier that its developer gave it.
    Identifier,
    /// Its longer explanation.
    Description,
    /// Its label or what it holds.
    Text,
}

/// The part before the colon of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// `role:`
    Role,
    /// `title:`, `value:` and the like.
    Field(Field),
    /// `state:`
    State,
    /// `enabled:` and the like.
    Flag(Condition),
    /// `nth:`
    Nth,
}

impl Key {
    /// The key of that name, in any case.
    pub(super) fn named(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        Some(match lower.as_str() {
            "role" | "type" => Self::Role,
            "title" | "name" | "label" => Self::Field(Field::Title),
            "value" => Self::Field(Field::Value),
            "identifier" | "id" => Self::Field(Field::Identifier),
            "description" | "help" | "placeholder" | "tooltip" => Self::Field(Field::Description),
            "text" => Self::Field(Field::Text),
            "state" => Self::State,
            "nth" => Self::Nth,
            _ => Self::Flag(Condition::named(&lower)?),
        })
    }
}

/// A state that must, or must not, be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Condition {
    state: States,
    wanted: bool,
}

impl Condition {
    /// Every spelling, its state, and whether the word means that the state is set.
    const NAMES: &'static [(&'static str, States, bool)] = &[
        ("active", States::ACTIVE, true),
        ("busy", States::BUSY, true),
        ("checked", States::CHECKED, true),
        ("unchecked", States::CHECKED, false),
        ("collapsed", States::EXPANDED, false),
        ("default", States::DEFAULT, true),
        ("disabled", States::ENABLED, false),
        ("editable", States::EDITABLE, true),
        ("enabled", States::ENABLED, true),
        ("expanded", States::EXPANDED, true),
        ("focusable", States::FOCUSABLE, true),
        ("focused", States::FOCUSED, true),
        ("haspopup", States::HAS_POPUP, true),
        ("hidden", States::SHOWING, false),
        ("invalid", States::INVALID, true),
        ("minimized", States::ICONIFIED, true),
        ("mixed", States::MIXED, true),
        ("modal", States::MODAL, true),
        ("multiline", States::MULTI_LINE, true),
        ("password", States::PROTECTED, true),
        ("protected", States::PROTECTED, true),
        ("pressed", States::PRESSED, true),
        ("readonly", States::READ_ONLY, true),
        ("required", States::REQUIRED, true),
        ("selected", States::SELECTED, true),
        ("showing", States::SHOWING, true),
        ("visible", States::SHOWING, true),
        ("visited", States::VISITED, true),
    ];

    /// The condition of that name, in lower case.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(known, ..)| *known == name)
            .map(|(_, state, wanted)| Self { state: *state, wanted: *wanted })
    }

    /// Every name that [`Condition::named`] knows.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().map(|(name, ..)| *name)
    }

    /// The opposite.
    pub(super) fn negated(self) -> Self {
        Self { wanted: !self.wanted, ..self }
    }

    /// Whether the element fulfils it.
    pub(super) fn holds(self, node: &Node) -> bool {
        let is_so =
            if self.state == States::ENABLED { node.is_enabled() } else { node.states.contains(self.state) };
        is_so == self.wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_every_role_that_answers_to_it() {
        for name in Role::ALL.iter().flat_map(|role| role.names()) {
            let roles = RoleSet::named(name).expect("the name of a role");
            for role in Role::ALL.iter().copied() {
                assert_eq!(roles.by_any & bit(role) != 0, role.answers_to(name), "{name}: {role}");
                let is_aria = Role::squeeze(role.aria()) == Role::squeeze(name);
                assert_eq!(roles.by_aria & bit(role) != 0, is_aria, "{name}: {role}");
            }
        }
        assert_eq!(RoleSet::named("no such role"), None);
    }
}
