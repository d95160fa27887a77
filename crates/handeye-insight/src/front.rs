//! Which window of an application is in front.

use handeye_core::{Node, NodeId, Role, States, Tree, Window, screen_text};
use std::sync::Arc;

/// Most elements of a window among which the focus is looked for.
const MOST: usize = 4_000;

/// The window in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Front {
    /// Its element.
    pub window: NodeId,
    /// Whether it has to be answered before the window below it can be used.
    pub is_dialog: bool,
}

/// The window in front: an open dialog before the active window, that before the one with the focus, that before the others. A dialog that is drawn
/// within a window is in front of it as long as it has the focus. `windows` are those of the application from the topmost down, as far as a display
/// lists them: GTK 4 reports in no other way that one of its windows is a dialog of another.
pub fn front(tree: &Tree, windows: &[Window]) -> Option<Front> {
    let front = top_level(tree, windows)?;
    let within = (!front.is_dialog).then(|| dialog_within(tree, front.window)).flatten();
    Some(within.map_or(front, |window| Front { window, is_dialog: true }))
}

fn top_level(tree: &Tree, windows: &[Window]) -> Option<Front> {
    let shown = || tree.windows().filter(|window| window.is_showing());
    let blocks = shown().filter(|window| {
        window.states.contains(States::MODAL) || (is_dialog(window) && window.states.contains(States::ACTIVE))
    });
    let by_display = || {
        let title = &topmost_dialog(windows)?.title;
        let fitting = || shown().filter(|window| screen_text::title(&window.name) == **title);
        // Windows without a title of their own all have that of their application.
        fitting().filter(|window| is_dialog(window)).last().or_else(|| fitting().last())
    };
    if let Some(dialog) = blocks.last().or_else(by_display) {
        return Some(Front { window: dialog.id, is_dialog: true });
    }
    let is_above = topmost_dialog(windows).is_some();
    if let Some(window) = shown()
        .find(|window| window.states.contains(States::ACTIVE))
        .or_else(|| shown().filter(|window| is_dialog(window)).last())
    {
        return Some(Front { window: window.id, is_dialog: is_above || is_dialog(window) });
    }
    // GTK 4 does not always say which of its windows is active. A titled one that was opened after the first, and in which something has the focus, is
    // its dialog; Chromium keeps windows without a title for what it shows within others.
    let is_opened = |window: &&&Arc<Node>| !window.name.is_empty() && has_focus(tree, window.id);
    let opened = shown().skip(1).filter(|window| is_opened(&window)).last();
    let window = opened.or_else(|| shown().next())?;
    Some(Front { window: window.id, is_dialog: is_above || opened.is_some() })
}

/// The innermost dialog with the focus that is drawn within a window, as KDE's pages of settings and the dialogs of web pages are.
fn dialog_within(tree: &Tree, window: NodeId) -> Option<NodeId> {
    let focused = parts(tree, window).filter(|part| part.states.contains(States::FOCUSED)).last()?;
    if focused.role == Role::Dialog && focused.id != window {
        return Some(focused.id);
    }
    let around = tree.ancestors(focused.id).take_while(|around| around.id != window);
    let mut dialogs = around.filter(|around| around.role == Role::Dialog && around.is_showing());
    dialogs.next().map(|dialog| dialog.id)
}

fn has_focus(tree: &Tree, window: NodeId) -> bool {
    parts(tree, window).any(|part| part.states.contains(States::FOCUSED))
}

/// What a window shows, as much of it as is looked at.
fn parts(tree: &Tree, window: NodeId) -> impl Iterator<Item = &Arc<Node>> {
    tree.descendants(window).take(MOST).filter(|part| part.is_showing())
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

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::WindowId;
    use handeye_core::testing::tree;

    fn window(number: u64, title: &str, transient_for: Option<u64>) -> Window {
        Window {
            id: WindowId::issued(number),
            title: title.into(),
            class: None,
            pid: None,
            place: None,
            stacking: None,
            minimized: false,
            active: false,
            modal: false,
            transient_for: transient_for.map(WindowId::issued),
        }
    }

    #[test]
    fn a_dialog_that_is_called_as_its_window_is_the_one_in_front() {
        let tree = tree("window \"KCalc\"\n  button \"7\"\ndialog \"KCalc\"\n  button \"OK\"");
        let windows = [window(2, "KCalc", Some(1)), window(1, "KCalc", None)];
        let front = front(&tree, &windows).expect("a window is in front");
        assert_eq!(tree.get(front.window).map(|node| node.role), Some(Role::Dialog));
        assert!(front.is_dialog);
    }
}
