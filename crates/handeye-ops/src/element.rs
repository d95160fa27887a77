//! The element of the accessibility tree behind a place in a picture, where there is one.

use handeye_act::handles::Handles;
use handeye_act::locate::{self, Located};
use handeye_core::{ConnectedApp, DetailKinds, InPicture, Node, NodeId, Rect, Result};
use handeye_engine::Engine;
use handeye_sight::visual::Picture;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long the application may take to answer. What was seen is useful without it.
const PATIENCE: Duration = Duration::from_secs(4);
/// How many elements around the innermost one are looked at.
const DEPTH: usize = 6;
/// How much higher than what was seen an element may be, as a multiple and in pixels: a button is a little higher than its text, a
/// document that shows the text somewhere is much higher, and to click it is to click something else.
const HIGHER: (u32, u32) = (4, 16);

/// The element behind `area` of the picture, read again; `None` if the tree has none there, or the window has another size now.
///
/// # Errors
/// Those of the application's connection.
pub(crate) async fn under(
    engine: &Engine,
    handles: Handles<'_>,
    app: &Arc<dyn ConnectedApp>,
    picture: &Picture,
    area: Rect<InPicture>,
    details: DetailKinds,
) -> Result<Option<Located>> {
    match timeout(PATIENCE, find(engine, handles, app, picture, area, details)).await {
        Ok(found) => found,
        Err(_elapsed) => {
            tracing::debug!("the application does not report what is there");
            Ok(None)
        }
    }
}

async fn find(
    engine: &Engine,
    handles: Handles<'_>,
    app: &Arc<dyn ConnectedApp>,
    picture: &Picture,
    area: Rect<InPicture>,
    details: DetailKinds,
) -> Result<Option<Located>> {
    let Some(window) = &picture.window else { return Ok(None) };
    let shown = engine.desk.platform.screen.shown().await?;
    let Some(now) = shown.iter().find(|other| other.id == window.id) else { return Ok(None) };
    let (Some(then), Some(frame)) = (picture.frame.place(), now.frame()) else { return Ok(None) };
    if frame.size() != then.size() {
        return Ok(None);
    }
    let Some(area) = picture.frame.place_of(area) else { return Ok(None) };
    // The window may have been moved since.
    let area = area.translated(frame.x.saturating_sub(then.x), frame.y.saturating_sub(then.y));
    app.refresh(handeye_core::Scope::SHOWING).await?;
    let Some(hit) = app.element_at(area.center(), Some(window.id)).await? else { return Ok(None) };
    let tree = app.mirror().snapshot();
    let path: Vec<NodeId> =
        std::iter::once(hit).chain(tree.ancestors(hit).map(|node| node.id)).take(DEPTH).collect();
    let tree = app.reread(&path, DetailKinds::EXTENTS).await?;
    let mut inner = path.iter().filter_map(|id| tree.get(*id)).take_while(|node| !node.role.is_window());
    let candidates: Vec<&Arc<Node>> = inner.by_ref().filter(|node| fits(node, area)).collect();
    let acted_on = candidates.iter().find(|node| node.role.is_interactive());
    let named = candidates.iter().find(|node| !node.label().trim().is_empty());
    match acted_on.or(named) {
        Some(node) => locate::known(handles, app, node.id, details).await.map(Some),
        None => Ok(None),
    }
}

/// Whether an element is what was seen, and not something large that shows it.
fn fits(node: &Node, area: Rect) -> bool {
    let Some(extents) = node.details.extents.known() else { return false };
    let (times, more) = HIGHER;
    extents.contains(area.center())
        && extents.height <= area.height.saturating_mul(times).saturating_add(more)
}
