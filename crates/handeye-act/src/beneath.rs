//! What the pointer reaches at a point of the screen: the judgement of a press depends on that, and not on what was named.

use super::actor::Actor;
use super::option_list::list_of;
use super::placing::Places;
use crate::naming::belongs;
use handeye_core::{ConnectedApp, DetailKinds, Node, NodeId, Point, Rect, Result, Role, Scope, Tree, Window};
use handeye_shots::on_screen::topmost_at;
use std::cmp::Reverse;
use std::sync::Arc;

/// What lies at a point of the screen.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Beneath {
    /// An element of the application, in this window of it.
    Element(NodeId, Window),
    /// A window of the application, of which nothing is known but that it is there.
    Window(Window),
    /// A window of another application.
    Foreign(Window),
    /// The bare desktop.
    Desktop,
}

impl Beneath {
    /// The element there, where one is known.
    pub(super) const fn element(&self) -> Option<NodeId> {
        match self {
            Self::Element(id, _) => Some(*id),
            Self::Window(_) | Self::Foreign(_) | Self::Desktop => None,
        }
    }

    /// The window there.
    pub(super) const fn window(&self) -> Option<&Window> {
        match self {
            Self::Element(_, window) | Self::Window(window) | Self::Foreign(window) => Some(window),
            Self::Desktop => None,
        }
    }
}

impl Actor<'_> {
    /// What the pointer reaches at `point` now. Menus and other popups count, of whichever application they are.
    ///
    /// # Errors
    /// As [`topmost_at`], [`ConnectedApp::element_at`] and [`ConnectedApp::refresh`].
    pub(super) async fn beneath(&self, point: Point) -> Result<Beneath> {
        let screen = self.desk.platform.screen.as_ref();
        let shown = screen.shown().await?;
        self.beneath_of(&shown, point).await
    }

    /// What the pointer would reach at `point` if no other application had a window there: once its own window has come forward.
    ///
    /// # Errors
    /// As [`beneath`](Self::beneath).
    pub(super) async fn beneath_in_front(&self, point: Point) -> Result<Beneath> {
        let mut shown = self.desk.platform.screen.shown().await?;
        shown.retain(|window| belongs(window, self.app.application()));
        self.beneath_of(&shown, point).await
    }

    async fn beneath_of(&self, shown: &[Window], point: Point) -> Result<Beneath> {
        let screen = self.desk.platform.screen.as_ref();
        let Some(top) = topmost_at(screen, shown, point).await? else { return Ok(Beneath::Desktop) };
        if !belongs(top, self.app.application()) {
            return Ok(Beneath::Foreign(top.clone()));
        }
        Ok(match element_in(self.app.as_ref(), top, point).await? {
            Some(hit) => Beneath::Element(hit, top.clone()),
            None => Beneath::Window(top.clone()),
        })
    }
}

/// The innermost element at a point of a window of the application. `None` where it is nothing smaller than a window or a page: what such a one
/// does at a point is not known.
pub async fn element_in(app: &dyn ConnectedApp, window: &Window, point: Point) -> Result<Option<NodeId>> {
    let hit = match app.element_at(point, Some(window.id)).await? {
        Some(hit) => innermost(app, hit, point).await?,
        None => return in_popup(app, window, point).await,
    };
    let tree = app.mirror().snapshot();
    let says_nothing = tree.get(hit).is_none_or(|node| node.role.is_window() || node.role == Role::Document);
    Ok((!says_nothing).then_some(hit))
}

/// The innermost element at a point, where the toolkit's own hit test ends at a container (a page of `WebKitGTK`), or what it ends at is not in the
/// mirror yet (a page that has just come): then the places decide.
async fn innermost(app: &dyn ConnectedApp, hit: NodeId, point: Point) -> Result<NodeId> {
    let tree = app.mirror().snapshot();
    if tree.get(hit).is_none_or(|node| node.role.is_interactive()) {
        return Ok(hit);
    }
    let scope = Scope { root: Some(hit), details: DetailKinds::EXTENTS, ..Scope::SHOWING };
    let tree = app.refresh(scope).await?;
    let places = Places::of(app, &tree).await?;
    let at_point = tree.descendants(hit).filter_map(|node| {
        let extents = places.on_screen(&tree, node)?;
        (node.is_showing() && extents.contains(point)).then_some((extents, node.id))
    });
    Ok(smallest(at_point).unwrap_or(hit))
}

/// The element of a menu or another popup at a point.
async fn in_popup(app: &dyn ConnectedApp, popup: &Window, point: Point) -> Result<Option<NodeId>> {
    let within = elements_of_popup(app, popup).await?;
    Ok(smallest(within.into_iter().filter(|(extents, _)| extents.contains(point))))
}

/// The elements of a menu or another popup, each with its place. Toolkits find them by their places only: they are below the element that
/// opened the popup or below the main window (a panel of Firefox), not below a window of its own.
pub async fn elements_of_popup(app: &dyn ConnectedApp, popup: &Window) -> Result<Vec<(Rect, NodeId)>> {
    let tree = app.refresh(Scope { details: DetailKinds::EXTENTS, ..Scope::SHOWING }).await?;
    let places = Places::of(app, &tree).await?;
    let within = tree.nodes().filter_map(|node| {
        let extents = shown_part(&tree, &places, node)?;
        let fits = extents.intersection(&popup.frame()?) == Some(extents);
        (node.is_showing() && fits && is_in_popup(&tree, &places, node, popup)).then_some((extents, node.id))
    });
    Ok(within.collect())
}

/// The elements of a window that take clicks, each with its place, and the tree that they are of; `most` of them at most. Cells and rows are
/// left out: there may be thousands of them.
///
/// # Errors
/// As [`ConnectedApp::refresh`], [`ConnectedApp::window_of`] and [`ConnectedApp::reread`].
pub async fn controls_of_window(
    app: &dyn ConnectedApp,
    window: &Window,
    most: usize,
) -> Result<(Arc<Tree>, Vec<(Rect, NodeId)>)> {
    let tree = app.refresh(Scope::SHOWING).await?;
    let mut root = None;
    for node in tree.windows() {
        if app.window_of(node.id).await?.is_some_and(|shown| shown.id == window.id) {
            root = Some(node.id);
        }
    }
    let Some(root) = root else { return Ok((tree, Vec::new())) };
    let takes_clicks = |node: &&Arc<Node>| {
        let is_row = matches!(node.role, Role::Cell | Role::TreeItem | Role::ListItem | Role::ScrollBar);
        node.is_showing() && !is_row && (node.role.is_interactive() || node.role == Role::Menu)
    };
    let controls: Vec<NodeId> =
        tree.descendants(root).filter(takes_clicks).map(|node| node.id).take(most).collect();
    let tree = app.reread(&controls, DetailKinds::EXTENTS).await?;
    let places = Places::of(app, &tree).await?;
    let on_view = controls.into_iter().filter_map(|id| {
        let node = tree.get(id).filter(|node| node.is_showing())?;
        let place = places.on_screen(&tree, node)?;
        (place.width > 0 && place.height > 0).then_some((place, id))
    });
    let on_view = on_view.collect();
    Ok((tree, on_view))
}

fn is_in_popup(tree: &Tree, places: &Places, node: &Node, popup: &Window) -> bool {
    // What takes clicks itself may lie beneath a popup of just its size, as the picture of a row that is dragged.
    let fills = |above: &Node| {
        !above.role.is_interactive()
            && places.on_screen(tree, above).is_some_and(|own| Some(own) == popup.content())
    };
    let fills_nearly = |list: &Node| {
        let own = places.on_screen(tree, list).zip(popup.frame());
        own.is_some_and(|(own, frame)| own.intersection(&frame) == Some(own) && 2 * area(own) >= area(frame))
    };
    tree.ancestors(node.id).any(|above| above.role == Role::Menu || fills(above))
        || list_of(tree, node.id).is_some_and(fills_nearly)
        // A menu is no item of itself, and may be there before its items are.
        || (node.role.is_window() && fills(node))
}

/// The place of an element of a popup on the screen. An option of Qt (5.15) may be wider than the list of its combo box.
fn shown_part(tree: &Tree, places: &Places, node: &Node) -> Option<Rect> {
    let extents = places.on_screen(tree, node)?;
    match list_of(tree, node.id) {
        Some(list) => extents.intersection(&places.on_screen(tree, list)?),
        None => Some(extents),
    }
}

/// The innermost of several elements that cover one point: the smallest; between equals the later one, which is the child.
fn smallest(elements: impl Iterator<Item = (Rect, NodeId)>) -> Option<NodeId> {
    elements.min_by_key(|(extents, id)| (area(*extents), Reverse(*id))).map(|(_, id)| id)
}

/// In pixels.
fn area(extents: Rect) -> u64 {
    u64::from(extents.width) * u64::from(extents.height)
}
