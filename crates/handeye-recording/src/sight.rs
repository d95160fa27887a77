//! What is at a point of the screen, and what has the focus, while a user works.

use crate::target::{self, Kind, Target};
use handeye_act::desk::Desk;
use handeye_act::naming::belongs;
use handeye_act::{element_in, elements_of_popup};
use handeye_core::{
    Application, Changes, ConnectedApp, DetailKinds, NodeId, Point, Rect, Result, Scope, States, Tree,
    TreeAccess, Window, WindowId,
};
use handeye_locator::Survey;
use handeye_shots::on_screen::topmost_at;
use std::sync::Arc;
use std::time::Duration;

/// How long one look may take: the user does not wait for it.
const PATIENCE: Duration = Duration::from_millis(1500);
/// How long it may take to connect to an application.
const TO_CONNECT: Duration = Duration::from_secs(5);
/// Most applications that are connected in advance.
const IN_ADVANCE: usize = 16;
/// Most popups that are looked at in advance, and most elements of one.
const MOST_POPUPS: usize = 4;
const MOST_IN_POPUP: usize = 100;
/// How much of a text is read, in characters.
const READ: u32 = crate::script::MAX_TEXT as u32 + 1;

/// An element of an application, and how a step names it.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) app: Arc<dyn ConnectedApp>,
    pub(crate) node: NodeId,
    pub(crate) target: Target,
}

/// What is under a point.
pub(crate) enum Beneath {
    Element(Box<Seen>),
    /// Something that no step can name.
    Nameless,
    /// An application that is not recorded, or nothing.
    Elsewhere,
}

/// Looks for a recording.
pub(crate) struct Sight {
    desk: Desk,
    /// The one application that is recorded, if not all are.
    only: Option<Arc<dyn ConnectedApp>>,
    known: Vec<Application>,
    /// What was shown before the press that comes next, from the topmost down.
    before: Vec<Window>,
    /// What could be pressed in popups then: many close before the press in them can be looked at.
    in_popups: Vec<(WindowId, Rect, Seen)>,
}

impl Sight {
    pub(crate) fn new(desk: Desk, only: Option<Arc<dyn ConnectedApp>>) -> Self {
        let known = only.iter().map(|app| app.application().clone()).collect();
        Self { desk, only, known, before: Vec::new(), in_popups: Vec::new() }
    }

    /// Connects to what runs, so that the first press has not to wait for it.
    pub(crate) async fn prepare(&mut self) {
        if self.only.is_some() {
            return;
        }
        self.list().await;
        for application in self.known.iter().take(IN_ADVANCE) {
            if let Err(error) = self.connect(application).await {
                tracing::debug!(code = error.code.as_str(), "an application is not connected in advance");
            }
        }
    }

    async fn list(&mut self) {
        match self.desk.platform.accessibility.applications().await {
            Ok(mut running) => {
                running.retain(|application| application.tree == TreeAccess::Available);
                self.known = running;
            }
            Err(error) => tracing::debug!(code = error.code.as_str(), "applications are not listed"),
        }
    }

    async fn connect(&self, application: &Application) -> Result<Arc<dyn ConnectedApp>> {
        let connecting = self.desk.connect_application(application);
        tokio::time::timeout(TO_CONNECT, connecting).await.unwrap_or_else(|_| {
            Err(handeye_core::Error::new(handeye_core::ErrorCode::Timeout, "it does not answer"))
        })
    }

    /// The application of a window, if it is recorded and has a tree.
    async fn owner(&mut self, window: &Window) -> Option<Arc<dyn ConnectedApp>> {
        if !self.known.iter().any(|known| belongs(window, known)) && self.only.is_none() {
            self.list().await;
        }
        let application = self.known.iter().find(|known| belongs(window, known))?.clone();
        match &self.only {
            Some(only) => Some(Arc::clone(only)),
            None => self.connect(&application).await.ok(),
        }
    }

    /// What the pointer reaches at a point now.
    pub(crate) async fn beneath(&mut self, point: Point) -> Beneath {
        let looking = self.look_beneath(point);
        match tokio::time::timeout(PATIENCE + TO_CONNECT, looking).await {
            Ok(Ok(beneath)) => beneath,
            Ok(Err(error)) => {
                tracing::debug!(code = error.code.as_str(), "what was pressed is not known");
                Beneath::Nameless
            }
            Err(_) => Beneath::Nameless,
        }
    }

    async fn look_beneath(&mut self, point: Point) -> Result<Beneath> {
        let screen = Arc::clone(&self.desk.platform.screen);
        let shown = screen.shown().await?;
        if let Some(gone) = self.gone_at(&shown, point) {
            return Ok(gone);
        }
        let Some(window) = topmost_at(screen.as_ref(), &shown, point).await? else {
            return Ok(Beneath::Elsewhere);
        };
        let Some(app) = self.owner(window).await else { return Ok(Beneath::Elsewhere) };
        let Some(hit) = element_in(app.as_ref(), window, point).await? else {
            tracing::debug!("no element is known where the press was");
            return Ok(Beneath::Nameless);
        };
        Ok(match seen(&app, hit).await? {
            Some(seen) => Beneath::Element(Box::new(seen)),
            None => Beneath::Nameless,
        })
    }

    /// What was pressed, where that may be gone by now: an item of a popup, or a window that closed at the press or the release.
    fn gone_at(&self, shown: &[Window], point: Point) -> Option<Beneath> {
        let there =
            |window: &&Window| !window.minimized && window.frame().is_some_and(|frame| frame.contains(point));
        let before = self.before.iter().filter(there).min_by_key(|window| window.stacking)?;
        let at_point =
            self.in_popups.iter().filter(|(window, place, _)| *window == before.id && place.contains(point));
        let smallest = at_point.min_by_key(|(_, place, _)| u64::from(place.width) * u64::from(place.height));
        if let Some((_, _, seen)) = smallest {
            return Some(Beneath::Element(Box::new(seen.clone())));
        }
        (!shown.iter().any(|window| window.id == before.id)).then_some(Beneath::Nameless)
    }

    /// Looks at what can be pressed next, as far as it may be gone before the press can be looked at.
    pub(crate) async fn look_ahead(&mut self) {
        let looking = self.remember();
        match tokio::time::timeout(PATIENCE, looking).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(code = error.code.as_str(), "what is shown is not known"),
            Err(_) => tracing::debug!("what is shown is not known in time"),
        }
    }

    async fn remember(&mut self) -> Result<()> {
        let screen = Arc::clone(&self.desk.platform.screen);
        let shown = screen.shown().await?;
        let managed = screen.windows().await?;
        let is_popup = |window: &&Window| !managed.iter().any(|other| other.id == window.id);
        let popups: Vec<Window> = shown.iter().filter(is_popup).take(MOST_POPUPS).cloned().collect();
        self.before = shown;
        let is_known = |popup: &Window| self.in_popups.iter().any(|(window, ..)| *window == popup.id);
        if popups.iter().all(is_known) && !popups.is_empty() {
            return Ok(());
        }
        self.in_popups.clear();
        for popup in popups {
            let Some(app) = self.owner(&popup).await else { continue };
            let name = app.application().name.clone();
            let within = elements_of_popup(app.as_ref(), &popup).await?;
            let tree = app.mirror().snapshot();
            let survey = Survey::new(&tree);
            for (place, node) in within.into_iter().take(MOST_IN_POPUP) {
                if let Some(target) = Target::in_survey(&name, &tree, &survey, node) {
                    self.in_popups.push((popup.id, place, Seen { app: Arc::clone(&app), node, target }));
                }
            }
        }
        Ok(())
    }

    /// Wakes when windows come or go.
    pub(crate) fn changes(&self) -> Changes {
        self.desk.platform.screen.changes()
    }

    /// The windows that are listed.
    pub(crate) async fn windows(&self) -> Vec<Window> {
        let listing = self.desk.platform.screen.windows();
        match tokio::time::timeout(PATIENCE, listing).await {
            Ok(Ok(windows)) => windows,
            _ => Vec::new(),
        }
    }

    /// The application whose window is the active one.
    pub(crate) async fn active(&mut self, windows: &[Window]) -> Option<Arc<dyn ConnectedApp>> {
        let active = windows.iter().find(|window| window.active)?;
        self.owner(active).await
    }

    /// How the application of a window is called, if it is recorded.
    pub(crate) fn owner_name(&self, window: &Window) -> Option<&str> {
        self.known.iter().find(|known| belongs(window, known)).map(|known| known.name.as_str())
    }
}

/// An element with its name.
async fn seen(app: &Arc<dyn ConnectedApp>, hit: NodeId) -> Result<Option<Seen>> {
    let tree = app.mirror().snapshot();
    let hit = target::worth(&tree, hit).unwrap_or(hit);
    let tree = app.reread(&[hit], DetailKinds::VALUE | DetailKinds::IDENTIFIER).await?;
    let target = Target::of(&app.application().name, &tree, hit);
    if target.is_none() {
        let role = tree.get(hit).map(|node| node.role.aria());
        tracing::debug!(role, "no step can name what was pressed");
    }
    Ok(target.map(|target| Seen { app: Arc::clone(app), node: hit, target }))
}

/// The element of an application that has the focus.
pub(crate) async fn focused(app: &Arc<dyn ConnectedApp>) -> Option<Seen> {
    let looking = async {
        let tree = app.refresh(Scope::SHOWING).await.ok()?;
        let holder = focus_holder(&tree)?;
        seen(app, holder).await.ok()?
    };
    tokio::time::timeout(PATIENCE, looking).await.ok()?
}

fn focus_holder(tree: &Tree) -> Option<NodeId> {
    let holders = tree.nodes().filter(|node| node.states.contains(States::FOCUSED) && !node.role.is_window());
    let holder = holders.max_by_key(|node| {
        let in_active = tree.window_of(node.id).is_some_and(|window| window.states.contains(States::ACTIVE));
        (in_active, node.children.is_empty())
    });
    holder.map(|node| node.id)
}

/// What an element holds now, as a step would set it; never what a protected field holds.
pub(crate) async fn held(seen: &Seen) -> Option<String> {
    let reading = async {
        match seen.target.kind {
            Kind::Line | Kind::Lines => {
                let tree = seen.app.reread(&[seen.node], DetailKinds::empty()).await.ok()?;
                // It may hide by now what is typed.
                if tree.get(seen.node)?.states.contains(States::PROTECTED) {
                    return None;
                }
                seen.app.read_text(seen.node, 0, READ).await.ok()
            }
            Kind::Switch | Kind::Number => {
                let tree = seen.app.reread(&[seen.node], DetailKinds::VALUE).await.ok()?;
                target::held(seen.target.kind, tree.get(seen.node)?)
            }
            Kind::Secret | Kind::List | Kind::Opener | Kind::Other => None,
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.ok()?
}
