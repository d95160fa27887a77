//! What state an application is in, as a look shows it.

use super::app_snapshot::AppSnapshot;
use handeye_core::{ConnectedApp, Node, NodeId, Role, States, Tree, Window, screen_text};
use handeye_insight::{Insight, Pattern, State};
use handeye_tree::references::Minter;
use serde::Serialize;
use std::sync::Arc;

/// Most windows that are listed.
const MAX_WINDOWS: usize = 30;
/// Most menus that are listed.
const MAX_MENUS: usize = 30;
/// Most characters of a title.
const MAX_TITLE: usize = 200;

/// What state an application is in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct UiState {
    app: String,
    pid: Option<u32>,
    windows: Vec<ShownWindow>,
    focused_element: Option<Element>,
    detected_state: State,
    detected_pattern: Option<Pattern>,
    /// References of the elements that the pattern is based on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    based_on: Vec<String>,
    /// Weaker patterns that fit the window too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_patterns: Vec<Pattern>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<NextAction>,
    menu_bar: Vec<String>,
}

/// A window of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct ShownWindow {
    title: String,
    focused: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<[i32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    minimized: bool,
}

/// An element of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Element {
    role: Role,
    title: String,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
}

/// A call that can come next.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct NextAction {
    action: String,
    tool: &'static str,
    query: String,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
}

/// The state that a look shows.
pub(super) fn of(
    app: &Arc<dyn ConnectedApp>,
    snapshot: &AppSnapshot,
    minter: Option<&Minter<'_>>,
) -> UiState {
    let front = snapshot.front().map(|front| front.window);
    let insight = snapshot.insight();
    let patterns = insight.as_ref().map(|insight| &*insight.patterns).unwrap_or_default();
    let reference = |id: NodeId| minter.and_then(|minter| minter.mint(id)).map(|minted| minted.to_string());
    UiState {
        app: app.application().name.clone(),
        pid: app.application().pid(),
        windows: windows(snapshot),
        focused_element: focused(&snapshot.tree, front).map(|node| Element {
            role: node.role,
            title: bounded(node.label()),
            reference: reference(node.id),
        }),
        detected_state: snapshot.state(insight.as_ref()),
        detected_pattern: patterns.first().map(|strongest| strongest.pattern),
        based_on: patterns
            .first()
            .into_iter()
            .flat_map(|found| &found.basis)
            .filter_map(|id| reference(*id))
            .collect(),
        other_patterns: patterns.iter().skip(1).map(|found| found.pattern).collect(),
        suggestions: insight.iter().flat_map(|insight| next_actions(insight, &reference)).collect(),
        menu_bar: menu_bar(&snapshot.tree, front),
    }
}

fn next_actions(insight: &Insight, reference: &dyn Fn(NodeId) -> Option<String>) -> Vec<NextAction> {
    let next = insight.suggestions.iter().map(|suggestion| NextAction {
        action: suggestion.action.clone(),
        tool: suggestion.tool,
        query: suggestion.query.clone(),
        reference: reference(suggestion.element),
    });
    next.collect()
}

fn windows(snapshot: &AppSnapshot) -> Vec<ShownWindow> {
    if snapshot.windows.is_empty() {
        // No display lists the windows: the titles are still known.
        let windows = snapshot.tree.windows().filter(|window| window.is_showing()).take(MAX_WINDOWS);
        return windows
            .map(|window| ShownWindow {
                title: bounded(&window.name),
                focused: window.states.contains(States::ACTIVE),
                position: None,
                size: None,
                minimized: false,
            })
            .collect();
    }
    let shown = |window: &Window| ShownWindow {
        title: bounded(&window.title),
        focused: window.active,
        position: window.frame().map(|frame| [frame.x, frame.y]),
        size: window.frame().map(|frame| [frame.width, frame.height]),
        minimized: window.minimized,
    };
    snapshot.windows.iter().take(MAX_WINDOWS).map(shown).collect()
}

/// The element with the focus: in the front window if it is there.
fn focused(tree: &Tree, front: Option<NodeId>) -> Option<&Arc<Node>> {
    let in_window = |window: NodeId| {
        // The innermost: some toolkits say that everything around it has the focus as well.
        let has_focus = |node: &&Arc<Node>| node.states.contains(States::FOCUSED) && node.is_showing();
        tree.descendants(window).filter(has_focus).last()
    };
    front.and_then(in_window).or_else(|| tree.windows().find_map(|window| in_window(window.id)))
}

fn menu_bar(tree: &Tree, front: Option<NodeId>) -> Vec<String> {
    let windows = front.into_iter().chain(tree.windows().map(|window| window.id));
    let bars = windows.filter_map(|window| {
        tree.descendants(window).find(|node| node.role == Role::MenuBar && node.is_showing())
    });
    let Some(bar) = bars.into_iter().next() else { return Vec::new() };
    tree.children(bar.id)
        .map(|menu| bounded(menu.label()))
        .filter(|label| !label.is_empty())
        .take(MAX_MENUS)
        .collect()
}

fn bounded(title: &str) -> String {
    screen_text::line(title.trim(), MAX_TITLE)
}
