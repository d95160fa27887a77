//! Outlines of applications and their windows, within the budget of an answer.

use super::app_snapshot::AppSnapshot;
use handeye_call::budget::MAX_TOKENS;
use handeye_core::{ConnectedApp, Error, ErrorCode, Invocation, NodeId, Result, Window, screen_text, text};
use handeye_tree::outline::{self, Options, Rendered, estimate_tokens};
use handeye_tree::references::Minter;
use serde_json::Value;
use std::sync::Arc;

/// How many windows an error lists.
const LISTED: usize = 12;
/// Tokens for everything but the outline.
const FRAME_TOKENS: usize = 200;

/// The element of the window with this number, as the display counts: from the topmost down. Without a display, the
/// order is that of the application.
pub(super) async fn window(
    app: &Arc<dyn ConnectedApp>,
    snapshot: &AppSnapshot,
    index: u32,
) -> Result<NodeId> {
    let roots: Vec<NodeId> = snapshot.tree.windows().map(|window| window.id).collect();
    let index = index as usize;
    if snapshot.windows.is_empty() {
        return roots.get(index).copied().ok_or_else(|| no_window(app, snapshot, index));
    }
    let wanted: &Window = snapshot.windows.get(index).ok_or_else(|| no_window(app, snapshot, index))?;
    for root in &roots {
        if app.window_of(*root).await?.is_some_and(|window| window.id == wanted.id) {
            return Ok(*root);
        }
    }
    // Where titles are not known, each is empty and equal to every other.
    let by_title = snapshot
        .tree
        .windows()
        .find(|window| !wanted.title.is_empty() && screen_text::title(&window.name) == wanted.title);
    by_title.map(|window| window.id).ok_or_else(|| {
        let message =
            format!("window {index} of '{}' is on the screen but shows no elements", app.application().name);
        Error::new(ErrorCode::WindowNotFound, message)
            .with_next(text![Invocation::of("ax_screenshot"), " shows it."])
    })
}

fn no_window(app: &Arc<dyn ConnectedApp>, snapshot: &AppSnapshot, index: usize) -> Error {
    let name = &app.application().name;
    let titles = snapshot.windows.iter().take(LISTED).enumerate();
    Error::new(ErrorCode::WindowNotFound, format!("'{name}' has no window {index}"))
        .with_found(titles.map(|(index, window)| format!("{index}: {}", outline::quoted(&window.title, 80))))
        .with_next(text!["0 is the topmost window, as ", Invocation::of("ax_list_windows"), " counts."])
}

/// The outline within the budget of an answer: as a string of JSON it costs more than as a text.
pub(super) fn fitting(snapshot: &AppSnapshot, root: Option<NodeId>, minter: Option<&Minter<'_>>) -> Rendered {
    let most = MAX_TOKENS - FRAME_TOKENS;
    let mut options = Options { budget_tokens: most, ..Options::default() };
    loop {
        let rendered = outline::render(&snapshot.tree, root, &options, minter);
        let cost = estimate_tokens(&Value::from(rendered.text.as_str()).to_string());
        if cost <= most || options.budget_tokens < FRAME_TOKENS {
            return rendered;
        }
        // In proportion, and a little less.
        options.budget_tokens = options.budget_tokens * most / cost * 19 / 20;
    }
}
