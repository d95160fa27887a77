//! Kinds of roles that are recognized in different ways.

use handeye_core::Role;

/// Whether an element of this role shows data: a row, a cell, a document's tab, a text. Its name is what it is, so that one of another name in its
/// place is another element.
pub(crate) const fn is_data(role: Role) -> bool {
    matches!(
        role,
        Role::ListItem
            | Role::TreeItem
            | Role::Row
            | Role::Cell
            | Role::RowHeader
            | Role::Tab
            | Role::Text
            | Role::Paragraph
            | Role::Heading
            | Role::Link
            | Role::Article
            | Role::Notification
            | Role::Window
            | Role::Dialog
            | Role::Alert
            | Role::Document
    )
}

/// Whether elements of this role are the records of a list: what is inside of one belongs to it.
pub(crate) const fn is_record(role: Role) -> bool {
    matches!(role, Role::ListItem | Role::TreeItem | Role::Row | Role::Cell | Role::Article)
}

/// Whether what is inside of such an element is another thing when the name of this one differs: an "OK" of another dialog.
pub(crate) const fn is_frame(role: Role) -> bool {
    matches!(role, Role::Dialog | Role::Alert | Role::Document)
}

/// Whether two roles can be those of one element: toolkits and versions disagree about buttons.
pub(crate) fn are_alike(ours: Role, theirs: Role) -> bool {
    let is_button = |role| matches!(role, Role::Button | Role::ToggleButton);
    let is_entry = |role| matches!(role, Role::TextBox | Role::SearchBox);
    ours == theirs || (is_button(ours) && is_button(theirs)) || (is_entry(ours) && is_entry(theirs))
}
