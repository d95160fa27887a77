//! A source of trees in memory: its applications are texts, and what is done to their elements is written down.

use async_trait::async_trait;
use handeye_core::platform::{AccessibilityStatus, Carrier, Performed, Source};
use handeye_core::testing::{application, named, tree};
use handeye_core::{
    Accessibility, AccessibilityCapabilities, Application, ApplicationId, ApplicationInput, Button, Changes,
    ConnectedApp, Consent, DetailKinds, Error, ErrorCode, Links, Mirror, NodeAction, NodeId, OnAgentSeat,
    Permit, Point, Result, Scope, SourceId, Support, Tree, Window, WindowId,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// An application in memory.
pub(crate) struct MemoryApp {
    application: Application,
    pub(crate) mirror: Mirror,
    alive: AtomicBool,
    /// What was done, each as the name of the element.
    pub(crate) done: Mutex<Vec<String>>,
    /// What is at every point, by name.
    pub(crate) hit: Mutex<Option<&'static str>>,
    /// How often it was asked to be true.
    pub(crate) refreshed: AtomicUsize,
    /// Whether it answers.
    pub(crate) silent: AtomicBool,
    /// Whether it takes input of its own.
    pub(crate) own_input: AtomicBool,
}

/// What each source needs.
const GRANT: Consent = Consent {
    name: "",
    without: "nothing is shown",
    obtain: || "Grant it.".into(),
    keep: "Grant it.",
    steps: "",
    probe: "grant",
};

/// Input of its own that says whose it is.
struct NoClicks(String);

#[async_trait]
impl ApplicationInput for NoClicks {
    fn clicks(&self) -> Support {
        Support::no(self.0.clone())
    }

    async fn click(&self, _: &Permit, _: NodeId, _: Button, _: u32) -> Result<()> {
        self.clicks().require("nothing is clicked")
    }
}

impl MemoryApp {
    pub(crate) fn new(source: &'static str, name: &str, pid: u32, outline: &str) -> Arc<Self> {
        let id = ApplicationId::new(SourceId::new(source), name);
        let mirror = Mirror::new();
        mirror.update(|held| *held = tree(outline));
        Arc::new(Self {
            application: Application { id, ..application(name, pid, name) },
            mirror,
            alive: AtomicBool::new(true),
            done: Mutex::default(),
            hit: Mutex::default(),
            refreshed: AtomicUsize::new(0),
            silent: AtomicBool::new(false),
            own_input: AtomicBool::new(false),
        })
    }

    pub(crate) fn end(&self) {
        self.alive.store(false, Ordering::SeqCst);
        self.mirror.note_events(1);
    }

    fn answer(&self) -> Result<Arc<Tree>> {
        if self.silent.load(Ordering::SeqCst) {
            return Err(Error::new(ErrorCode::AppNotResponding, "it does not answer"));
        }
        Ok(self.mirror.snapshot())
    }
}

#[async_trait]
impl ConnectedApp for MemoryApp {
    fn application(&self) -> &Application {
        &self.application
    }

    fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    fn is_alive(&self) -> bool {
        self.alive.load(Ordering::SeqCst)
    }

    fn reports_all_changes(&self) -> bool {
        true
    }

    fn on_agent_seat(&self) -> OnAgentSeat {
        OnAgentSeat::APART
    }

    fn only_shows(&self, _: NodeId, _: &NodeAction) -> bool {
        false
    }

    fn is_part_of_click(&self, _: NodeId, _: &NodeAction) -> bool {
        false
    }

    async fn refresh(&self, _: Scope) -> Result<Arc<Tree>> {
        self.refreshed.fetch_add(1, Ordering::SeqCst);
        self.answer()
    }

    async fn reread(&self, nodes: &[NodeId], _: DetailKinds) -> Result<Arc<Tree>> {
        let tree = self.answer()?;
        assert!(nodes.iter().all(|node| tree.contains(*node)), "asked for its own elements only");
        Ok(tree)
    }

    async fn window_of(&self, node: NodeId) -> Result<Option<Window>> {
        let tree = self.mirror.snapshot();
        let Some(window) = tree.window_of(node) else { return Ok(None) };
        Ok(Some(Window {
            id: WindowId::issued(u64::from(self.application.pid().unwrap_or_default())),
            title: window.name.to_string(),
            class: None,
            pid: self.application.pid(),
            place: Some(handeye_core::Place::bare(handeye_core::Rect::new(0, 0, 100, 100))),
            stacking: Some(0),
            minimized: false,
            active: true,
            modal: false,
            transient_for: None,
        }))
    }

    fn input(&self, node: NodeId) -> Option<Arc<dyn ApplicationInput>> {
        assert!(self.mirror.snapshot().contains(node), "asked for its own elements only");
        let own = self.own_input.load(Ordering::SeqCst);
        own.then(|| Arc::new(NoClicks(self.application.name.clone())) as Arc<dyn ApplicationInput>)
    }

    async fn attributes(&self, node: NodeId) -> Result<BTreeMap<String, String>> {
        let source = self.application.id.source().name();
        assert!(self.mirror.snapshot().contains(node));
        Ok(BTreeMap::from([("source".to_owned(), source.to_owned())]))
    }

    async fn links(&self, nodes: &[NodeId]) -> Result<HashMap<NodeId, Links>> {
        let tree = self.mirror.snapshot();
        Ok(nodes.iter().filter(|id| tree.contains(**id)).map(|id| (*id, Links::default())).collect())
    }

    async fn element_at(&self, _: Point, _: Option<WindowId>) -> Result<Option<NodeId>> {
        let hit = *self.hit.lock().expect("unpoisoned");
        Ok(hit.map(|name| named(&self.mirror.snapshot(), name)))
    }

    async fn selected_in(&self, _: NodeId) -> Result<Option<NodeId>> {
        Ok(None)
    }

    async fn read_text(&self, _: NodeId, _: u32, _: u32) -> Result<String> {
        Ok(String::new())
    }

    async fn perform(&self, _: &Permit, node: NodeId, _: &NodeAction) -> Result<Performed> {
        let tree = self.mirror.snapshot();
        let node = tree.get(node).ok_or_else(|| Error::new(ErrorCode::StaleReference, "not here"))?;
        self.done.lock().expect("unpoisoned").push(node.name.to_string());
        Ok(Performed::default())
    }
}

/// A source in memory.
pub(crate) struct MemorySource {
    name: &'static str,
    apps: Vec<Arc<MemoryApp>>,
    /// What it shows in the place of elements, by their names.
    pub(crate) grafts: Mutex<BTreeMap<&'static str, Arc<MemoryApp>>>,
    /// How often it was asked for a graft.
    pub(crate) asked: AtomicUsize,
    pub(crate) changes: watch::Sender<u64>,
    pub(crate) fails: AtomicBool,
    /// Whether its [`GRANT`] is missing.
    pub(crate) ungranted: AtomicBool,
}

impl MemorySource {
    pub(crate) fn new(name: &'static str, apps: impl IntoIterator<Item = Arc<MemoryApp>>) -> Arc<Self> {
        Arc::new(Self {
            name,
            apps: apps.into_iter().collect(),
            grafts: Mutex::default(),
            asked: AtomicUsize::new(0),
            changes: watch::Sender::new(0),
            fails: AtomicBool::new(false),
            ungranted: AtomicBool::new(false),
        })
    }

    /// Shows `app` in the place of elements called `carrier`.
    pub(crate) fn show(&self, carrier: &'static str, app: &Arc<MemoryApp>) {
        self.grafts.lock().expect("unpoisoned").insert(carrier, Arc::clone(app));
        self.changes.send_modify(|count| *count += 1);
    }
}

#[async_trait]
impl Accessibility for MemorySource {
    fn capabilities(&self) -> AccessibilityCapabilities {
        let is_granted = !self.ungranted.load(Ordering::SeqCst);
        let grant = Consent { name: self.name, ..GRANT };
        AccessibilityCapabilities { trees: if is_granted { Support::Yes } else { grant.missing() } }
    }

    fn consents(&self) -> Vec<Consent> {
        vec![Consent { name: self.name, ..GRANT }]
    }

    async fn status(&self) -> AccessibilityStatus {
        let fails = self.fails.load(Ordering::SeqCst);
        let suggestion = if fails { format!("Switch {} on.", self.name) } else { String::new() };
        AccessibilityStatus { enabled: !fails, suggestion }
    }

    async fn applications_within(&self, _: Duration) -> Result<Vec<Application>> {
        if self.fails.load(Ordering::SeqCst) {
            return Err(Error::new(ErrorCode::AccessibilityUnavailable, self.name));
        }
        Ok(self.apps.iter().map(|app| app.application.clone()).collect())
    }

    async fn connect(&self, application: &Application) -> Result<Arc<dyn ConnectedApp>> {
        let found = self.apps.iter().find(|app| app.application.id == application.id);
        let found = found.ok_or_else(|| Error::new(ErrorCode::AppGone, "it is not here"))?;
        let app: Arc<dyn ConnectedApp> = found.clone();
        Ok(app)
    }

    async fn on_agent_seat(&self, _: u32) -> Result<Option<OnAgentSeat>> {
        Ok(None)
    }

    fn changes(&self) -> Changes {
        self.changes.subscribe()
    }
}

#[async_trait]
impl Source for MemorySource {
    fn id(&self) -> SourceId {
        SourceId::new(self.name)
    }

    async fn graft(&self, carrier: &Carrier<'_>) -> Result<Option<Arc<dyn ConnectedApp>>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let grafts = self.grafts.lock().expect("unpoisoned");
        let found = grafts.get(&*carrier.node.name);
        Ok(found.map(|app| {
            let app: Arc<dyn ConnectedApp> = app.clone();
            app
        }))
    }
}
