//! A picture of one element: the part of its window that shows it.

use crate::marked::inside_containers;
use handeye_act::locate;
use handeye_act::named;
use handeye_call::call::Call;
use handeye_core::platform::{CaptureTarget, WindowPart};
use handeye_core::{
    ConnectedApp, DetailKinds, Error, ErrorCode, Extents, Frame, InWindow, Node, NodeId, OnScreen, Place,
    Rect, Result, Role, Screen, Tree, Units, Window,
};
use handeye_engine::Engine;
use handeye_shots::on_screen::{capture, check_captures};
use std::sync::Arc;

/// The element that a picture is taken of.
pub(crate) struct Pictured {
    /// The window that shows it.
    pub(crate) window: Window,
    /// The part of it that its containers show.
    pub(crate) part: Extents,
    /// Its role and name, as an answer calls it.
    pub(crate) name: String,
    query: String,
}

/// Finds the element that `query` means in the application called `app`, and where its window shows it.
///
/// # Errors
/// As [`locate::one`]; [`ErrorCode::ElementAmbiguous`] if different elements match equally well; [`ErrorCode::ElementNotFound`] if nothing of
/// it is on view.
pub(crate) async fn find(engine: &Engine, call: &Call, app: &str, query: &str) -> Result<Pictured> {
    check_captures(engine.desk.platform.screen.as_ref()).await?;
    let app = engine.desk.connect_or_ask(call, app).await?;
    let found = locate::one(engine.desk.handles(call), &app, query, DetailKinds::EXTENTS).await?;
    found.check_unambiguous(query)?;
    let id = found.node.id;
    let path: Vec<NodeId> =
        std::iter::once(id).chain(found.tree.ancestors(id).map(|above| above.id)).collect();
    let tree = app.reread(&path, DetailKinds::EXTENTS).await?;
    let window = home(engine, &app, &tree, &found.node).await?;
    let showing = tree.get(id).is_some_and(|node| node.is_showing());
    let part = shown_part(&tree, id, window.place).filter(|_| showing).ok_or_else(|| not_on_view(query))?;
    Ok(Pictured { window, part, name: named(&found), query: query.to_owned() })
}

impl Pictured {
    /// Captures it, also where other windows cover its window.
    ///
    /// # Errors
    /// As [`capture`]; [`ErrorCode::ElementNotFound`] if the picture of the window has no pixel of it.
    pub(crate) async fn capture(&self, screen: &dyn Screen) -> Result<Frame> {
        let target = CaptureTarget::Window(self.window.id, WindowPart::Whole);
        let frame = capture(screen, target).await?;
        let place = self.window.place;
        let on_screen = || frame.pixels_of(Extents::OnScreen(self.part.on_screen(place)?));
        let pixels = frame.pixels_of(self.part).or_else(on_screen);
        pixels.and_then(|pixels| frame.part(pixels)).ok_or_else(|| not_on_view(&self.query))
    }
}

/// The window that shows the element. An open menu has one of its own, which the tree does not know.
async fn home(engine: &Engine, app: &Arc<dyn ConnectedApp>, tree: &Tree, node: &Node) -> Result<Window> {
    let window = engine.desk.window_for(app.as_ref(), Some(node.id)).await?;
    let in_menu = tree.ancestors(node.id).any(|above| above.role == Role::Menu);
    let area = tree.get(node.id).and_then(|node| node.details.extents.known()?.on_screen(window.place));
    let Some(area) = area.filter(|_| in_menu) else { return Ok(window) };
    let shown = engine.desk.platform.screen.shown().await?;
    let popup = shown.into_iter().find(|shown| {
        shown.pid == window.pid && shown.frame().is_some_and(|frame| frame.contains(area.center()))
    });
    Ok(popup.unwrap_or(window))
}

/// The part of an element that its containers show, in the space in which its source places it.
fn shown_part(tree: &Tree, id: NodeId, place: Option<Place>) -> Option<Extents> {
    fn part<S: Units>(tree: &Tree, id: NodeId, place: Option<Place>) -> Option<Extents> {
        let of = |node: &Node| -> Option<Rect<S>> { S::of(*node.details.extents.known()?, place) };
        inside_containers(tree, id, of).map(Extents::from)
    }
    match tree.get(id)?.details.extents.known()? {
        Extents::OnScreen(_) => part::<OnScreen>(tree, id, place),
        Extents::InWindow(_) => part::<InWindow>(tree, id, place),
    }
}

fn not_on_view(query: &str) -> Error {
    Error::new(ErrorCode::ElementNotFound, format!("'{query}' has no pixel on view in its window"))
        .with_next("Scroll it into view, or capture the window without 'query'.")
}
