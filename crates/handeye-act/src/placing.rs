//! Where elements are on the screen, whatever space their source places them in.

use handeye_core::{ConnectedApp, Extents, Node, NodeId, Place, Rect, Result, Tree};
use std::collections::HashMap;

/// Where an element is on the screen; `None` if it has no place, or nobody knows where its window is.
///
/// # Errors
/// Those of [`ConnectedApp::window_of`], which is asked only where the source knows the element's place in its window alone.
pub async fn on_screen(app: &dyn ConnectedApp, node: &Node) -> Result<Option<Rect>> {
    let place = match node.details.extents.known() {
        None => return Ok(None),
        Some(Extents::OnScreen(_)) => None,
        Some(Extents::InWindow(_)) => app.window_of(node.id).await?.and_then(|window| window.place),
    };
    Ok(node.details.extents.known().and_then(|extents| extents.on_screen(place)))
}

/// Where the windows of an application are that have elements placed in them.
#[derive(Debug, Default)]
pub(crate) struct Places(HashMap<NodeId, Place>);

impl Places {
    /// Those that the elements of `tree` need.
    pub(crate) async fn of(app: &dyn ConnectedApp, tree: &Tree) -> Result<Self> {
        let mut places = HashMap::new();
        for window in tree.windows() {
            let in_window = |node: &Node| matches!(node.details.extents.known(), Some(Extents::InWindow(_)));
            if tree.descendants(window.id).any(|node| in_window(node))
                && let Some(place) = app.window_of(window.id).await?.and_then(|window| window.place)
            {
                places.insert(window.id, place);
            }
        }
        Ok(Self(places))
    }

    /// Where an element is on the screen, as far as that is known.
    pub(crate) fn on_screen(&self, tree: &Tree, node: &Node) -> Option<Rect> {
        let window = tree.window_of(node.id).map(|window| window.id);
        node.details.extents.known()?.on_screen(window.and_then(|window| self.0.get(&window)).copied())
    }
}
