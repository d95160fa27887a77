//! Which window of an application is in front.

use handeye_core::{Node, NodeId, Role, States, Tree, Window, screen_text};

/// The window in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Front {
    /// Its element.
    pub window: NodeId,
    /// Whether it has to be answered before the window below it can be used.
    pub is_dialog: bool,
}

/// The window in front: an open dialog before the active window, that before the others. `windows` are those of the application from the
/// topmost down, as far as a display lists them: GTK 4 reports in no other way that one of its windows is a dialog of another.
pub fn front(tree: &Tree, windows: &[Window]) -> Option<Front> {
    let shown = || tree.windows().filter(|window| window.is_showing());
    let blocks = shown().filter(|window| {
        window.states.contains(States::MODAL) || (is_dialog(window) && window.states.contains(States::ACTIVE))
    });
    let by_display = || {
        let title = &topmost_dialog(windows)?.title;
        shown().find(|window| screen_text::title(&window.name) == **title)
    };
    if let Some(dialog) = blocks.last().or_else(by_display) {
        return Some(Front { window: dialog.id, is_dialog: true });
    }
    let window = shown()
        .find(|window| window.states.contains(States::ACTIVE))
        .or_else(|| shown().filter(|window| is_dialog(window)).last())
        .or_else(|| shown().next())?;
    Some(Front { window: window.id, is_dialog: topmost_dialog(windows).is_some() || is_dialog(window) })
}

/// The topmost window, if it is above another one of the same application that it belongs to.
fn topmost_dialog(windows: &[Window]) -> Option<&Window> {
    windows.iter().find(|window| !window.minimized).filter(|window| {
        window.transient_for.is_some_and(|owner| windows.iter().any(|other| other.id == owner))
    })
}

pub(crate) fn is_dialog(window: &Node) -> bool {
    matches!(window.role, Role::Dialog | Role::Alert)
}
