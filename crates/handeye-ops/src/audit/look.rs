//! What is audited: the tree with its details, and one picture of each window.

use super::input::{Input, Scope as Extent};
use handeye_act::locate;
use handeye_audit::questions;
use handeye_call::call::Call;
use handeye_core::platform::{CaptureTarget, Links, WindowPart};
use handeye_core::{
    ConnectedApp, DetailKinds, Error, ErrorCode, Frame, NodeId, Place, Result, Scope, Support, Tree, Window,
    WindowId,
};
use handeye_engine::Engine;
use handeye_shots::scale_of;
use std::collections::HashMap;
use std::sync::Arc;

/// Most windows of one audit.
const MAX_WINDOWS: usize = 16;

/// What is audited.
pub(super) struct Look {
    pub(super) app: Arc<dyn ConnectedApp>,
    pub(super) tree: Arc<Tree>,
    pub(super) links: Arc<HashMap<NodeId, Links>>,
    pub(super) parts: Vec<Part>,
    /// Why there is no picture, where one is missing.
    pub(super) without_picture: Option<String>,
    /// How many windows are left out.
    pub(super) left_out: usize,
}

/// A window, or an element of one.
pub(super) struct Part {
    pub(super) root: NodeId,
    pub(super) window: Option<Window>,
    pub(super) frame: Option<Arc<Frame>>,
    /// Units of the screen for one logical pixel.
    pub(super) scale: f64,
}

impl Part {
    pub(super) fn place(&self) -> Option<Place> {
        self.window.as_ref().and_then(|window| window.place)
    }
}

impl Look {
    /// Reads the tree and takes a picture of each window.
    ///
    /// # Errors
    /// Those of finding the application and the element; [`ErrorCode::WindowNotFound`] where nothing is open.
    pub(super) async fn take(engine: &Engine, call: &Call, input: &Input) -> Result<Self> {
        let app = engine.desk.connect_or_ask(call, &input.app).await?;
        call.progress.note("Reading the elements");
        let mut roots = roots(engine, call, &app, input).await?;
        let left_out = roots.len().saturating_sub(MAX_WINDOWS);
        roots.truncate(MAX_WINDOWS);
        let details = DetailKinds::EXTENTS | DetailKinds::TEXT | DetailKinds::ACTIONS;
        let root = if let [only] = roots[..] { Some(only) } else { None };
        // The containers around an element say which part of it can be seen.
        let within = root.and_then(|root| app.mirror().snapshot().window_of(root).map(|window| window.id));
        let tree = app.refresh(Scope { root: within.or(root), hidden: false, details }).await?;
        let mut asked: Vec<NodeId> = roots.iter().flat_map(|root| questions(&tree, *root)).collect();
        asked.truncate(Links::MAX_ELEMENTS);
        let links = app.links(&asked).await?;
        let mut look =
            Self { app, tree, links: Arc::new(links), parts: Vec::new(), without_picture: None, left_out };
        look.picture(engine, call, &roots).await?;
        Ok(look)
    }

    /// Takes a picture of each window, once.
    async fn picture(&mut self, engine: &Engine, call: &Call, roots: &[NodeId]) -> Result<()> {
        let screen = engine.desk.platform.screen.as_ref();
        let captures = screen.capabilities().await?.captures;
        let monitors = screen.monitors().await?;
        let mut pictures: HashMap<WindowId, Arc<Frame>> = HashMap::new();
        for root in roots {
            let window = self.app.window_of(*root).await?;
            let known = window.as_ref().and_then(|window| pictures.get(&window.id).cloned());
            let frame = match (&window, &captures, known) {
                (_, _, Some(frame)) => Some(frame),
                (_, Support::No(missing), _) => {
                    self.without_picture = Some(missing.reason.to_string());
                    None
                }
                (None, ..) => None,
                (Some(window), ..) => {
                    call.progress.note("Taking a picture");
                    match screen.capture(CaptureTarget::Window(window.id, WindowPart::Content)).await {
                        Ok(frame) => Some(Arc::new(frame)),
                        // Everything else can be audited nevertheless.
                        Err(error) => {
                            self.without_picture = Some(error.message);
                            None
                        }
                    }
                }
            };
            if let (Some(window), Some(frame)) = (&window, &frame) {
                pictures.insert(window.id, Arc::clone(frame));
            }
            let content = window.as_ref().and_then(Window::content);
            let scale = scale_of(&monitors, content.as_ref());
            self.parts.push(Part { root: *root, window, frame, scale });
        }
        Ok(())
    }
}

/// Where the audit starts: an element, the topmost window, or every window.
async fn roots(
    engine: &Engine,
    call: &Call,
    app: &Arc<dyn ConnectedApp>,
    input: &Input,
) -> Result<Vec<NodeId>> {
    if let (Extent::Element, Some(query)) = (input.scope, &input.query) {
        let found = locate::one(engine.desk.handles(call), app, query, DetailKinds::empty()).await?;
        return Ok(vec![found.node.id]);
    }
    let tree = app.refresh(Scope::SHOWING).await?;
    let showing: Vec<NodeId> = tree
        .windows()
        .filter(|window| window.is_showing() && !window.children.is_empty())
        .map(|window| window.id)
        .collect();
    if showing.is_empty() {
        let message = format!("'{}' shows no window", app.application().name);
        return Err(Error::new(ErrorCode::WindowNotFound, message)
            .with_next("Open a window of it, or bring back the one that is minimized."));
    }
    if input.scope == Extent::Full {
        return Ok(showing);
    }
    Ok(vec![topmost(engine, app.as_ref(), &tree, &showing).await?])
}

/// The window on top, as far as the display server knows; else the one that is active.
async fn topmost(engine: &Engine, app: &dyn ConnectedApp, tree: &Tree, showing: &[NodeId]) -> Result<NodeId> {
    let mut of_screen = HashMap::new();
    for id in showing {
        if let Some(window) = app.window_of(*id).await? {
            of_screen.entry(window.id).or_insert(*id);
        }
    }
    let windows = engine.desk.windows_of(app.application()).await?;
    let top = windows.iter().filter(|window| !window.minimized).find_map(|window| of_screen.get(&window.id));
    let active = showing
        .iter()
        .find(|id| tree.get(**id).is_some_and(|node| node.states.contains(handeye_core::States::ACTIVE)));
    // There is at least one.
    top.or(active).or(showing.first()).copied().ok_or_else(|| Error::internal("no window to audit"))
}
