//! One line of an outline.

use crate::escape::{quoted, quoted_beyond};
use handeye_core::{Node, Part, Role, States, Text};

/// Longest name that a line shows, in characters.
pub(crate) const MAX_NAME_CHARS: usize = 120;
/// Longest value that a line shows, in characters.
pub(crate) const MAX_VALUE_CHARS: usize = 200;

/// An element as an outline shows it, without indentation and bullet: `button "Save" [ref=e40] [disabled]`.
pub fn line(node: &Node, reference: Option<&str>) -> Text {
    let mut out = Text::default();
    let marks = Marks { focused: node.states.contains(States::FOCUSED), owner: true };
    push_line(&mut out, node, node.label(), reference, marks);
    out
}

/// Role and name only: `button "Save"`.
pub fn summary(role: Role, name: &str) -> Text {
    let mut out = Text::default();
    push_summary(&mut out, role, name);
    out
}

fn push_summary(out: &mut Text, role: Role, name: &str) {
    out.push_part(role.aria(), Part::Role);
    let name = name.trim();
    if !name.is_empty() {
        out.push_str(" ");
        out.push_str(&quoted(name, MAX_NAME_CHARS));
    }
}

/// What a line contains about an element that depends on the elements around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Marks {
    /// The focus is on it and not on something in it.
    pub(crate) focused: bool,
    /// The owner has to be named, if that is another process.
    pub(crate) owner: bool,
}

/// Appends the line of an element, with the name that it has there.
pub(crate) fn push_line(out: &mut Text, node: &Node, name: &str, reference: Option<&str>, marks: Marks) {
    push_summary(out, node.role, name);
    let start = out.len();
    if let Some(reference) = reference {
        out.push_str(" [ref=");
        out.push_str(reference);
        out.push_str("]");
    }
    if let Some(owner) = node.owner.as_ref().filter(|_| marks.owner) {
        out.push_str(&format!(" [of {owner}]"));
    }
    for tag in tags(node, marks.focused) {
        out.push_str(" [");
        out.push_str(tag);
        out.push_str("]");
    }
    out.mark(start, Part::Marks);
    push_value(out, node);
}

fn push_value(out: &mut Text, node: &Node) {
    if node.states.contains(States::PROTECTED) {
        out.push_str(": [protected]");
        return;
    }
    let Some(value) = shown_value(node) else { return };
    out.push_str(": ");
    if node.details.text.known().is_none() {
        out.push_str(&value);
        return;
    }
    out.push_str(&quoted_beyond(&value, MAX_VALUE_CHARS, text_beyond(node)));
}

/// How many characters of its text are not known.
pub(crate) fn text_beyond(node: &Node) -> usize {
    let text = node.details.text.known();
    text.map_or(0, |text| (text.total_chars as usize).saturating_sub(text.shown.chars().count()))
}

/// What the element holds, if that says more than its label does.
pub(crate) fn shown_value(node: &Node) -> Option<String> {
    if node.states.contains(States::PROTECTED) {
        return None;
    }
    let value = match (&node.details.text.known(), &node.details.value.known()) {
        (Some(text), _) => text.shown.to_string(),
        (None, Some(number)) if holds_a_number(node.role) => short_number(number.current),
        _ => return None,
    };
    (!value.trim().is_empty() && value.trim() != node.label().trim()).then_some(value)
}

/// Whether a person would see the number: a toolkit gives one to buttons and windows too.
const fn holds_a_number(role: Role) -> bool {
    matches!(role, Role::Slider | Role::SpinButton | Role::ProgressBar | Role::LevelBar | Role::ScrollBar)
}

/// A number without the noise of binary fractions.
fn short_number(number: f64) -> String {
    let rounded = (number * 1e4).round() / 1e4;
    if rounded.is_finite() { rounded.to_string() } else { number.to_string() }
}

/// The states that a person would notice, as tags.
pub(crate) fn tags(node: &Node, focused: bool) -> impl Iterator<Item = &'static str> {
    let states = node.states;
    let is = move |state: States| states.contains(state);
    let is_window = node.role.is_window();
    let can_expand =
        matches!(node.role, Role::TreeItem | Role::Row | Role::Cell | Role::Button | Role::ToggleButton);
    let can_select = !matches!(node.role, Role::Menu | Role::MenuItem);
    [
        (is_window && is(States::ACTIVE), "active"),
        (focused && !is_window, "focused"),
        (is(States::MODAL), "modal"),
        (is(States::ICONIFIED), "minimized"),
        (is(States::CHECKED) && !is(States::MIXED) && node.role != Role::ToggleButton, "checked"),
        (is(States::MIXED), "checked=mixed"),
        (is(States::PRESSED) || (node.role == Role::ToggleButton && is(States::CHECKED)), "pressed"),
        (is(States::SELECTED) && can_select, "selected"),
        (is(States::EXPANDED), "expanded"),
        (can_expand && is(States::EXPANDABLE) && !is(States::EXPANDED), "collapsed"),
        (node.is_disabled(), "disabled"),
        (is(States::READ_ONLY) && matches!(node.role, Role::TextBox | Role::SearchBox), "readonly"),
        (is(States::REQUIRED), "required"),
        (is(States::INVALID), "invalid"),
        (is(States::BUSY), "busy"),
        (!is(States::SHOWING), "hidden"),
    ]
    .into_iter()
    .filter_map(|(holds, tag)| holds.then_some(tag))
}
