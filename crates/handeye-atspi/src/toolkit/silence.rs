//! What toolkits do not announce, beside what is read again in each look.

use super::{Toolkit, Trust};
use handeye_core::{Node, Role};

impl Toolkit {
    /// Whether an element of this role announces that its name changes. GTK 3 takes the names of tabs and buttons from the labels in
    /// them, and is silent where those are not their own but are in a box beside something else; it is silent, too, about the names of images
    /// and of headers of columns. Chromium is silent about a page that gets another name.
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
            Self::Gtk3 => takes_it_from_inside || matches!(role, Role::Image | Role::ColumnHeader),
            Self::Chromium => role == Role::Document,
            _ => false,
        };
        self.trust().contains(Trust::PROPERTIES) && !is_silent
    }

    /// Whether an element may have another description unannounced that matters: where it `is_in_doubt`, or is called by it. In Qt, what a button that shows
    /// but an icon is called by is its tooltip, as in "Play" that turns into "Pause".
    pub(in super::super) fn may_have_another_description(self, node: &Node, is_in_doubt: bool) -> bool {
        self == Self::Qt && !node.role.is_structural() && (is_in_doubt || node.name.is_empty())
    }

    /// Whether an element of this role may get another one unannounced: a field that hides its text from now on, and, where it `is_in_doubt`,
    /// a button or a group of Qt that can be checked from now on, and any element of Chromium, as a page may turn it into another thing.
    pub(in super::super) fn may_change_role(self, role: Role, is_in_doubt: bool) -> bool {
        let is_field = matches!(role, Role::TextBox | Role::SearchBox);
        let may_be_switched =
            matches!(role, Role::Button | Role::ToggleButton | Role::CheckBox | Role::Group);
        match self {
            Self::Chromium => is_in_doubt || is_field,
            Self::Qt => is_field || (is_in_doubt && may_be_switched),
            _ => false,
        }
    }

    /// Whether the description of an element is the number that it holds, so that another number is announced of both: that of a slider of GTK 3 is,
    /// as it is drawn beside it.
    pub(in super::super) fn describes_by_value(self, node: &Node) -> bool {
        self == Self::Gtk3 && node.role == Role::Slider && !node.description.is_empty()
    }

    /// Whether a bulk load has the true number of what is in a button, which is announced nowhere.
    pub(in super::super) fn counts_in_bulk_what_buttons_hold(self) -> bool {
        self == Self::Gtk4
    }

    /// Whether it announces less than is read again in each look: Chromium is silent about some texts, numbers and roles that a page changes, Qt about
    /// roles, descriptions and what is rearranged.
    pub(in super::super) fn is_silent_at_times(self) -> bool {
        matches!(self, Self::Chromium | Self::Qt)
    }
}
