//! What toolkits do not announce although their events are otherwise trusted.

use super::{Toolkit, Trust};
use handeye_core::Role;

impl Toolkit {
    /// Whether an element of this role announces that its name changes. GTK 3 takes the names of tabs and buttons from the labels in
    /// them, and is silent where those are not their own but are in a box beside something else. Chromium is silent about a page that
    /// gets another name.
    pub(in super::super) fn announces_name_of(self, role: Role) -> bool {
        let takes_it_from_inside = matches!(
            role,
            Role::Tab
                | Role::Button
                | Role::ToggleButton
                | Role::CheckBox
                | Role::RadioButton
                | Role::MenuItem
        );
        let is_silent = match self {
            Self::Gtk3 => takes_it_from_inside,
            Self::Chromium => role == Role::Document,
            _ => false,
        };
        self.trust().contains(Trust::PROPERTIES) && !is_silent
    }

    /// Whether an element of this role may get another one unannounced: a field that hides its text from now on, and in Chromium, where it
    /// `is_in_doubt`, any element, as a page may turn it into another thing.
    pub(in super::super) fn may_change_role(self, role: Role, is_in_doubt: bool) -> bool {
        let is_field = matches!(role, Role::TextBox | Role::SearchBox);
        match self {
            Self::Chromium => is_in_doubt || is_field,
            Self::Qt => is_field,
            _ => false,
        }
    }

    /// Whether it announces less than its events are trusted for: Chromium is silent about some texts, numbers and roles that a page changes.
    pub(in super::super) fn is_silent_at_times(self) -> bool {
        self == Self::Chromium
    }
}
