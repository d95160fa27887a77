//! What an element holds: text, number or state.

use handeye_act::locate::Located;
use handeye_core::{ConnectedApp, Node, Result, Role, States};

/// What the element holds, at most `max_chars` of it, and how many characters of it were left out. A protected field holds nothing.
///
/// # Errors
/// Those of the application's connection.
pub(crate) async fn read(
    app: &dyn ConnectedApp,
    found: &Located,
    max_chars: u32,
) -> Result<(Option<String>, u32)> {
    let node = &found.node;
    if node.states.contains(States::PROTECTED) {
        return Ok((None, 0));
    }
    if let Some(text) = node.details.text.known().filter(|text| text.is_cut()) {
        let whole = app.read_text(node.id, 0, max_chars).await?;
        return Ok((Some(whole), text.total_chars.saturating_sub(max_chars)));
    }
    if let Some(value) = node.value_text() {
        return Ok((Some(value), 0));
    }
    if has_check(node) {
        let state = if node.states.contains(States::MIXED) {
            "mixed"
        } else if node.states.intersects(States::CHECKED | States::PRESSED) {
            "true"
        } else {
            "false"
        };
        return Ok((Some(state.to_owned()), 0));
    }
    // A closed list box shows its choice as its name; other elements hold the one of their children that is selected.
    let selected =
        found.tree.descendants(node.id).skip(1).find(|child| child.states.contains(States::SELECTED));
    Ok((selected.map(|child| child.label().to_owned()), 0))
}

/// Whether the element is on or off. GTK 3 does not report that what is off could be on, so its role says it.
fn has_check(node: &Node) -> bool {
    let by_role = matches!(
        node.role,
        Role::CheckBox
            | Role::RadioButton
            | Role::ToggleButton
            | Role::Switch
            | Role::MenuItemCheckBox
            | Role::MenuItemRadio
    );
    by_role || node.states.intersects(States::CHECKABLE | States::CHECKED | States::MIXED | States::PRESSED)
}
