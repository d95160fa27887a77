//! What is at a point of the screen, and what has the focus, while a user works.

use crate::memory::Memory;
use crate::moments::{Moments, Then};
use crate::target::{self, Kind, Makes, Target};
use handeye_act::desk::Desk;
use handeye_act::naming::belongs;
use handeye_act::{controls_of_window, element_in, elements_of_popup};
use handeye_core::{
    Application, Changes, ConnectedApp, DetailKinds, ErrorCode, NodeId, Point, Rect, Result, Role, Tree,
    TreeAccess, Window, WindowId,
};
use handeye_shots::on_screen::topmost_at;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one look may take: the user does not wait for it.
pub(crate) const PATIENCE: Duration = Duration::from_millis(1500);
/// How long it may take to connect to an application.
const TO_CONNECT: Duration = Duration::from_secs(5);
/// How long it may take to connect to those that run.
const PREPARATION: Duration = Duration::from_secs(8);
/// Most applications that are connected in advance.
const IN_ADVANCE: usize = 16;
/// Most elements of a popup that are kept.
const MOST_IN_POPUP: usize = 100;
/// Most elements of a window that are kept, and how long one may take to be read.
const MOST_IN_WINDOW: usize = 150;
const TO_REMEMBER: Duration = Duration::from_millis(600);

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
    /// Something that takes no clicks; it can be dragged, or scrolled over.
    Passive(Box<Seen>),
    /// Something that no step can name.
    Nameless,
    /// An application that is not recorded, or nothing.
    Elsewhere,
}

/// An element of a popup, in the tree as it was while that was open. It gets its name when it is pressed, as most never are.
struct Spot {
    app: Arc<dyn ConnectedApp>,
    tree: Arc<Tree>,
    node: NodeId,
}

impl PartialEq for Spot {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl Spot {
    /// Whether the menu of this one opens the menu of another one, at however many removes.
    fn leads_to(&self, other: &Self) -> bool {
        let mut menus = other
            .tree
            .ancestors(other.node)
            .take_while(|above| matches!(above.role, Role::Menu | Role::MenuItem));
        menus.any(|above| above.id == self.node) && Arc::ptr_eq(&self.app, &other.app)
    }

    /// Whether a step can name it.
    fn has_name(&self) -> bool {
        self.target().is_some()
    }

    fn target(&self) -> Option<Target> {
        Target::of(&self.app.application().name, &self.tree, self.node)
    }

    fn beneath(&self) -> Beneath {
        match self.target() {
            Some(target) => {
                let target = target.of_application(self.app.as_ref(), &self.tree, self.node);
                Beneath::Element(Box::new(Seen { app: Arc::clone(&self.app), node: self.node, target }))
            }
            None => Beneath::Nameless,
        }
    }
}

/// Looks for a recording.
pub(crate) struct Sight {
    desk: Desk,
    /// The one application that is recorded, if not all are.
    only: Option<Arc<dyn ConnectedApp>>,
    known: Vec<Application>,
    /// What was shown, with the elements of popups.
    moments: Moments<Spot>,
    /// What could be pressed in windows before the last press.
    memory: Memory<Spot>,
}

impl Sight {
    pub(crate) fn new(desk: Desk, only: Option<Arc<dyn ConnectedApp>>) -> Self {
        let known = only.iter().map(|app| app.application().clone()).collect();
        Self { desk, only, known, moments: Moments::default(), memory: Memory::default() }
    }

    /// The same, connected to what runs as far as a bounded time allows, so that the first press need not wait for it.
    pub(crate) async fn prepared(mut self) -> Self {
        if tokio::time::timeout(PREPARATION, self.prepare()).await.is_err() {
            tracing::debug!("not every application is connected in advance");
        }
        self
    }

    async fn prepare(&mut self) {
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

    /// What the pointer reached at a point at a moment that is just over.
    pub(crate) async fn beneath(&mut self, point: Point, when: Instant) -> Beneath {
        self.beneath_in_time(point, when, false).await
    }

    /// As [`beneath`](Self::beneath), for the end of a drag: below the picture of what is dragged.
    pub(crate) async fn beneath_drag(&mut self, point: Point, when: Instant) -> Beneath {
        self.beneath_in_time(point, when, true).await
    }

    async fn beneath_in_time(&mut self, point: Point, when: Instant, is_drag: bool) -> Beneath {
        let looking = self.look_beneath(point, when, is_drag);
        let found = match tokio::time::timeout(PATIENCE + TO_CONNECT, looking).await {
            Ok(Ok(beneath)) => beneath,
            Ok(Err(error)) => {
                tracing::debug!(code = error.code.as_str(), "what was pressed is not known");
                Beneath::Nameless
            }
            Err(_) => Beneath::Nameless,
        };
        match found {
            Beneath::Nameless => self.remembered(point, when).unwrap_or(Beneath::Nameless),
            Beneath::Element(seen) => Beneath::Element(Box::new(self.as_before(*seen))),
            other => other,
        }
    }

    /// What lay at a point before the press.
    fn remembered(&self, point: Point, when: Instant) -> Option<Beneath> {
        let Then::Window(window) = self.moments.at(point, when, |_| false) else { return None };
        let spot = self.memory.at(window, point)?;
        match spot.beneath() {
            Beneath::Element(seen) => Some(Beneath::Element(Box::new(self.as_before(*seen)))),
            _ => None,
        }
    }

    /// The same, with what is known of it from before the press.
    fn as_before(&self, mut seen: Seen) -> Seen {
        let before = self.memory.find(|spot| spot.node == seen.node);
        if seen.target.kind == Kind::Opener
            && before.is_some_and(|spot| !target::has_items(&spot.tree, spot.node))
        {
            seen.target.makes = Makes::Items;
        }
        seen
    }

    /// Reads what can be pressed in the active window, unless that is known.
    pub(crate) async fn remember(&mut self, windows: &[Window], last_input: Instant) {
        let Some(active) = windows.iter().find(|window| window.active) else { return };
        if !self.memory.is_due(active.id, last_input) {
            return;
        }
        let when = Instant::now();
        let reading = async {
            let app = self.owner(active).await?;
            match controls_of_window(app.as_ref(), active, MOST_IN_WINDOW).await {
                Ok((tree, placed)) => {
                    let spot = |node| Spot { app: Arc::clone(&app), tree: Arc::clone(&tree), node };
                    Some(placed.into_iter().map(|(place, node)| (place, spot(node))).collect())
                }
                Err(error) => {
                    tracing::debug!(code = error.code.as_str(), "what is in a window is not known");
                    None
                }
            }
        };
        let elements = tokio::time::timeout(TO_REMEMBER, reading).await.unwrap_or_else(|_| {
            tracing::debug!("what is in a window is not known in time");
            None
        });
        self.memory.read(active.id, when, last_input, elements);
    }

    /// Whether the active window is to be read.
    pub(crate) fn has_to_remember(&self, active: Option<WindowId>, last_input: Instant) -> bool {
        active.is_some_and(|active| self.memory.is_due(active, last_input))
    }

    async fn look_beneath(&mut self, point: Point, when: Instant, is_drag: bool) -> Result<Beneath> {
        let screen = Arc::clone(&self.desk.platform.screen);
        let is_passed = |id| is_drag && self.moments.is_popup_without(id, Spot::has_name);
        let then = match self.moments.at(point, when, is_passed) {
            Then::Element(spot) => return Ok(spot.beneath()),
            Then::Window(window) => Some(window),
            Then::Unknown => None,
        };
        let mut shown = screen.shown().await?;
        if then.is_some_and(|then| !shown.iter().any(|window| window.id == then)) {
            tracing::debug!("the window of the press is gone");
            return Ok(Beneath::Nameless);
        }
        // What has opened since, as a context menu at the pointer, was not pressed.
        shown.retain(|window| self.moments.was_shown(window.id, when) && !is_passed(window.id));
        let Some(window) = topmost_at(screen.as_ref(), &shown, point).await? else {
            return Ok(Beneath::Elsewhere);
        };
        let Some(app) = self.owner(window).await else { return Ok(Beneath::Elsewhere) };
        let Some(hit) = element_in(app.as_ref(), window, point).await? else {
            tracing::debug!("no element is known where the press was");
            return Ok(Beneath::Nameless);
        };
        if let Some(seen) = seen(&app, hit).await? {
            return Ok(Beneath::Element(Box::new(seen)));
        }
        let target = Target::any(&app.application().name, &app.mirror().snapshot(), hit);
        Ok(target
            .map_or(Beneath::Nameless, |target| Beneath::Passive(Box::new(Seen { app, node: hit, target }))))
    }

    /// A choice was made: the popup at this point goes.
    pub(crate) fn released(&mut self, point: Point, when: Instant) {
        self.moments.released(point, when, Spot::leads_to);
    }

    /// Whether something has opened that is not looked at enough, or may be gone before the next press.
    pub(crate) fn has_more_to_look_at(&self) -> bool {
        self.moments.has_unread() || self.moments.has_open(Instant::now())
    }

    /// Looks at what can be pressed next, as far as it may be gone before the press can be looked at.
    pub(crate) async fn look_ahead(&mut self) {
        match tokio::time::timeout(PATIENCE, self.look_at_windows()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(code = error.code.as_str(), "what is shown is not known"),
            Err(_) => tracing::debug!("what is shown is not known in time"),
        }
        for popup in self.moments.unread() {
            let read = match tokio::time::timeout(PATIENCE, self.read_popup(&popup)).await {
                Ok(Ok(spots)) => spots,
                Ok(Err(error)) => {
                    tracing::debug!(code = error.code.as_str(), "what is in a popup is not known");
                    None
                }
                Err(_) => {
                    tracing::debug!("what is in a popup is not known in time");
                    None
                }
            };
            self.moments.read(popup.id, read);
        }
    }

    async fn look_at_windows(&mut self) -> Result<()> {
        let screen = Arc::clone(&self.desk.platform.screen);
        let at = Instant::now();
        let shown = screen.shown().await?;
        let managed = screen.windows().await?;
        self.moments.saw(at, shown, |window| !managed.iter().any(|other| other.id == window.id));
        Ok(())
    }

    /// What can be pressed in a popup, if it is of an application that is recorded.
    async fn read_popup(&mut self, popup: &Window) -> Result<Option<Vec<(Rect, Spot)>>> {
        let Some(app) = self.owner(popup).await else { return Ok(None) };
        let within = elements_of_popup(app.as_ref(), popup).await?;
        let tree = app.mirror().snapshot();
        let spot = |node| Spot { app: Arc::clone(&app), tree: Arc::clone(&tree), node };
        Ok(Some(within.into_iter().take(MOST_IN_POPUP).map(|(place, node)| (place, spot(node))).collect()))
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
pub(crate) async fn seen(app: &Arc<dyn ConnectedApp>, hit: NodeId) -> Result<Option<Seen>> {
    let tree = app.mirror().snapshot();
    let hit = target::worth(&tree, hit).unwrap_or(hit);
    let tree = match app.reread(&[hit], DetailKinds::VALUE | DetailKinds::IDENTIFIER).await {
        // The press has taken it away, as one that sends a form: it is called as it was.
        Err(error) if error.code == ErrorCode::StaleReference => tree,
        reread => reread?,
    };
    let target = Target::of(&app.application().name, &tree, hit);
    if target.is_none() {
        let role = tree.get(hit).map(|node| node.role.aria());
        tracing::debug!(role, "no step can name what was pressed");
    }
    Ok(target.map(|target| {
        let target = target.of_application(app.as_ref(), &tree, hit);
        Seen { app: Arc::clone(app), node: hit, target }
    }))
}
