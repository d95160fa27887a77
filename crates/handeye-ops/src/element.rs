//! The element of the accessibility tree behind a place in a picture, where there is one.

use handeye_act::handles::Handles;
use handeye_act::locate::{self, Located};
use handeye_core::{
    ConnectedApp, DetailKinds, Extents, InPicture, InWindow, Node, NodeId, Place, Point, Rect, Result, Scope,
    Units, WindowId,
};
use handeye_engine::Engine;
use handeye_sight::visual::Picture;
use std::cmp::Reverse;
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

/// The element behind `area` of the picture, read again; `None` if the tree has none there, or the window has another size now. Where the
/// window has no place on the screen, the places of elements in their window decide.
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
    let Some(seen) = picture.frame.shown_by(area) else { return Ok(None) };
    let (seen, hit) = match seen {
        Extents::OnScreen(area) => {
            let (Some(then), Some(frame)) = (picture.frame.place(), now.frame()) else { return Ok(None) };
            if frame.size() != then.size() {
                return Ok(None);
            }
            // The window may have been moved since.
            let area = area.translated(frame.x.saturating_sub(then.x), frame.y.saturating_sub(then.y));
            app.refresh(Scope::SHOWING).await?;
            (Extents::OnScreen(area), app.element_at(area.center(), Some(window.id)).await?)
        }
        Extents::InWindow(area) => (seen, innermost(app.as_ref(), window.id, area.center()).await?),
    };
    let Some(hit) = hit else { return Ok(None) };
    let tree = app.mirror().snapshot();
    let path: Vec<NodeId> =
        std::iter::once(hit).chain(tree.ancestors(hit).map(|node| node.id)).take(DEPTH).collect();
    let tree = app.reread(&path, DetailKinds::EXTENTS).await?;
    let mut inner = path.iter().filter_map(|id| tree.get(*id)).take_while(|node| !node.role.is_window());
    let candidates: Vec<&Arc<Node>> = inner.by_ref().filter(|node| fits(node, seen, now.place)).collect();
    let acted_on = candidates.iter().find(|node| node.role.is_interactive());
    let named = candidates.iter().find(|node| !node.label().trim().is_empty());
    match acted_on.or(named) {
        Some(node) => locate::known(handles, app, node.id, details).await.map(Some),
        None => Ok(None),
    }
}

/// The innermost element of a window at a point of it, by what its source reports of places.
async fn innermost(
    app: &dyn ConnectedApp,
    window: WindowId,
    point: Point<InWindow>,
) -> Result<Option<NodeId>> {
    let tree = app.refresh(Scope { details: DetailKinds::EXTENTS, ..Scope::SHOWING }).await?;
    for top in tree.windows() {
        if app.window_of(top.id).await?.map(|window| window.id) != Some(window) {
            continue;
        }
        let at_point = tree.descendants(top.id).filter(|node| {
            let area = node.details.extents.known().and_then(|extents| InWindow::of(*extents, None));
            node.is_showing() && area.is_some_and(|area| area.contains(point))
        });
        // The smallest is the innermost; between equals the later one, which is the child.
        let size = |node: &&Arc<Node>| node.details.extents.known().map_or(0, Extents::area);
        return Ok(at_point.min_by_key(|node| (size(node), Reverse(node.id))).map(|node| node.id));
    }
    Ok(None)
}

/// Whether an element is what was seen, and not something large that shows it. `place` is that of the window, where it is known.
fn fits(node: &Node, seen: Extents, place: Option<Place>) -> bool {
    fn fits<S: Units>(extents: Extents, seen: Rect<S>, place: Option<Place>) -> bool {
        let (times, more) = HIGHER;
        S::of(extents, place).is_some_and(|extents| {
            extents.contains(seen.center())
                && extents.height <= seen.height.saturating_mul(times).saturating_add(more)
        })
    }
    node.details.extents.known().is_some_and(|extents| match seen {
        Extents::OnScreen(seen) => fits(*extents, seen, place),
        Extents::InWindow(seen) => fits(*extents, seen, place),
    })
}
