//! An application in memory.

use super::elements::{insert, node, put_text, usual};
use super::manners::{Manners, Reaction};
use super::own_input::OwnInput;
use async_trait::async_trait;
use handeye_core::platform::Performed;
use handeye_core::{
    Application, ApplicationId, ApplicationInput, ConnectedApp, DetailKinds, Error, ErrorCode, Links, Mirror,
    Node, NodeAction, NodeId, OnAgentSeat, Permit, Place, Point, ProcessIdentity, Rect, Result, Role, Scope,
    SourceId, States, Support, Tree, TreeAccess, Window, WindowId,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;
use tokio::time::sleep;

/// An application in memory. Elements do what their role suggests unless a [`Reaction`] says otherwise.
pub struct FakeApp {
    me: OnceLock<Weak<Self>>,
    application: Application,
    mirror: Mirror,
    truth: Mutex<Tree>,
    reactions: Mutex<HashMap<NodeId, Reaction>>,
    /// What labels elements, and which keys reach them.
    links: Mutex<HashMap<NodeId, Links>>,
    manners: Manners,
    /// An element that is gone when it is read again.
    leaving: Mutex<Option<NodeId>>,
    /// A field that is emptied and does not show any more when its text is read.
    closing: Mutex<Option<NodeId>>,
    hung: AtomicBool,
    ended: AtomicBool,
    /// What it says of clicks that go to it alone; `None` if it takes no input of its own.
    own_clicks: Mutex<Option<Support>>,
    /// Whether nobody knows where it is on the screen.
    pub(super) unplaced: AtomicBool,
    /// Its windows on the screen.
    pub windows: Mutex<Vec<Window>>,
    performed: AtomicUsize,
    rereads: AtomicUsize,
    /// The elements that were pressed, by whatever means.
    pressed: Mutex<Vec<NodeId>>,
    /// Whether a key deleted an item or closed the application.
    harmed: AtomicBool,
}

/// How long the platform waits for an application that does not answer.
const PLATFORM_DEADLINE: Duration = Duration::from_secs(3);

impl FakeApp {
    /// The window on the screen that shows an element.
    pub(super) fn shown_in(&self, node: NodeId) -> Option<Window> {
        let title = self.truth().window_of(node).map(|window| Arc::clone(&window.name))?;
        lock(&self.windows).iter().find(|candidate| *candidate.title == *title).cloned()
    }

    /// An application with one window of its name.
    pub fn new(name: &str, pid: u32, manners: Manners) -> Arc<Self> {
        let mut tree = Tree::new();
        let root = NodeId::mint();
        tree.insert(node(root, None, Role::Application, name));
        tree.set_root(root);
        let app = Arc::new(Self {
            me: OnceLock::new(),
            application: Application {
                id: ApplicationId::new(SourceId::new("memory"), format!(":1.{pid}")),
                name: name.to_owned(),
                process: Some(ProcessIdentity::unverified(pid)),
                bundle_id: Some(format!("org.example.{name}")),
                toolkit: Some("fake 1".to_owned()),
                tree: TreeAccess::Available,
            },
            mirror: Mirror::new(),
            truth: Mutex::new(tree),
            reactions: Mutex::default(),
            links: Mutex::default(),
            manners,
            leaving: Mutex::default(),
            closing: Mutex::default(),
            hung: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            own_clicks: Mutex::default(),
            unplaced: AtomicBool::new(false),
            windows: Mutex::default(),
            performed: AtomicUsize::new(0),
            rereads: AtomicUsize::new(0),
            pressed: Mutex::default(),
            harmed: AtomicBool::new(false),
        });
        app.me.set(Arc::downgrade(&app)).expect("set once");
        app
    }

    /// A well-behaved application with one window and these elements in it.
    pub fn simple<const N: usize>(
        name: &str,
        pid: u32,
        elements: [(Role, &str); N],
    ) -> (Arc<Self>, [NodeId; N]) {
        let app = Self::new(name, pid, Manners::Complete);
        let window = app.open_window(name);
        let ids = elements.map(|(role, label)| app.add(window, role, label));
        (app, ids)
    }

    /// Opens a window; it is in the tree and on the screen.
    pub fn open_window(&self, title: &str) -> NodeId {
        let root = self.truth().root().expect("a root");
        let id = self.add(root, Role::Window, title);
        let mut windows = lock(&self.windows);
        let place = windows.len();
        let number = u64::from(self.pid()) * 100 + place as u64;
        let area = Rect::new(100, 100, 400, 300);
        windows.push(Window {
            id: WindowId::issued(number),
            title: title.to_owned(),
            class: Some(self.application.name.clone()),
            pid: Some(self.pid()),
            place: Some(Place::bare(area)),
            stacking: Some(place),
            minimized: false,
            active: false,
            modal: false,
            transient_for: None,
        });
        id
    }

    /// Takes input of its own from now on, as a page of a browser does, with or without clicks.
    pub fn take_own_input(&self, clicks: Support) {
        *lock(&self.own_clicks) = Some(clicks);
    }

    /// Adds an element with what its role usually has.
    pub fn add(&self, parent: NodeId, role: Role, name: &str) -> NodeId {
        let id = NodeId::mint();
        self.change(|tree| insert(tree, id, parent, role, name));
        id
    }

    /// Changes an element of the application itself; the mirror is notified if the application announces changes.
    pub fn edit(&self, id: NodeId, change: impl FnOnce(&mut Node)) {
        self.change(|tree| tree.update(id, change));
    }

    /// Changes the tree of the application itself.
    pub fn change<R>(&self, change: impl FnOnce(&mut Tree) -> R) -> R {
        let (result, now) = {
            let mut truth = self.truth();
            let result = change(&mut truth);
            (result, truth.clone())
        };
        if self.manners == Manners::Complete {
            self.mirror.update(|tree| *tree = now);
            self.mirror.note_events(1);
        }
        result
    }

    /// Sets what labels an element and which keys reach it.
    pub fn link(&self, id: NodeId, links: Links) {
        lock(&self.links).insert(id, links);
    }

    /// Sets what an element does when it is made to do something.
    pub fn react(&self, id: NodeId, reaction: Reaction) {
        lock(&self.reactions).insert(id, reaction);
    }

    /// Stops answering, as a process does after SIGSTOP.
    pub fn hang(&self) {
        self.hung.store(true, Ordering::SeqCst);
    }

    /// Has an element go when it is read again for the first time.
    pub fn leave_when_read(&self, id: NodeId) {
        *lock(&self.leaving) = Some(id);
    }

    /// Has a field emptied and hidden when its text is read for the first time, as one of a panel that closes.
    pub fn close_when_read(&self, id: NodeId) {
        *lock(&self.closing) = Some(id);
    }

    /// Sends its mirror an event that changes nothing.
    pub fn mirror_hears(&self) {
        self.mirror.note_events(1);
    }

    /// Ends.
    pub fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        lock(&self.windows).clear();
    }

    /// The elements that were pressed, by whatever means.
    pub fn pressed(&self) -> Vec<NodeId> {
        lock(&self.pressed).clone()
    }

    /// Notes that a key deleted an item or closed the application.
    pub fn note_harm(&self) {
        self.harmed.store(true, Ordering::SeqCst);
    }

    /// Whether a key deleted an item or closed the application.
    pub fn is_harmed(&self) -> bool {
        self.harmed.load(Ordering::SeqCst)
    }

    /// How many actions were dispatched to it.
    pub fn performed(&self) -> usize {
        self.performed.load(Ordering::SeqCst)
    }

    /// How often elements were read again.
    pub fn rereads(&self) -> usize {
        self.rereads.load(Ordering::SeqCst)
    }

    /// Its process number.
    pub fn pid(&self) -> u32 {
        self.application.pid().expect("a fake has a pid")
    }

    /// An element as it is in the application itself.
    pub fn node(&self, id: NodeId) -> Option<Arc<Node>> {
        self.truth().get(id).cloned()
    }

    /// The element that has the focus in the application itself.
    pub fn focused(&self) -> Option<NodeId> {
        self.truth().nodes().find(|node| node.states.contains(States::FOCUSED)).map(|node| node.id)
    }

    /// Its elements as they really are, whatever its mirror holds.
    pub fn truth(&self) -> MutexGuard<'_, Tree> {
        lock(&self.truth)
    }

    /// The text of an element as it really is.
    pub fn text(&self, id: NodeId) -> String {
        self.node(id).and_then(|node| node.value_text()).unwrap_or_default()
    }

    /// Changes the text of an element, as a person would.
    pub fn set_text(&self, id: NodeId, text: &str) {
        self.edit(id, |node| put_text(node, text));
    }

    /// Does to an element of the application itself what its reaction, or else its role, says.
    pub fn act(&self, id: NodeId, action: &NodeAction) -> Result<bool> {
        if matches!(action, NodeAction::Invoke(_)) {
            lock(&self.pressed).push(id);
        }
        let reaction = lock(&self.reactions).get(&id).cloned();
        match reaction {
            Some(Reaction::Lie) => Ok(true),
            Some(Reaction::Reject) => {
                Err(Error::new(ErrorCode::ActionFailed, "the application rejected the action"))
            }
            Some(Reaction::Change(after, change)) => {
                let me = self.me.get().and_then(Weak::upgrade).expect("alive");
                tokio::spawn(async move {
                    sleep(after).await;
                    me.change(|tree| change(tree));
                });
                Ok(true)
            }
            Some(Reaction::ChangeAndHang(change)) => {
                self.change(|tree| change(tree));
                Ok(false)
            }
            None => {
                self.change(|tree| usual(tree, id, action));
                Ok(true)
            }
        }
    }

    async fn answer(&self) -> Result<()> {
        if self.ended.load(Ordering::SeqCst) {
            return Err(Error::new(ErrorCode::AppGone, "the application ended"));
        }
        if self.hung.load(Ordering::SeqCst) {
            sleep(PLATFORM_DEADLINE).await;
            return Err(Error::new(ErrorCode::AppNotResponding, "the application does not answer"));
        }
        // Every answer of another process takes a moment, in which other calls go on.
        tokio::task::yield_now().await;
        Ok(())
    }

    fn reload(&self) -> Arc<Tree> {
        let truth = self.truth().clone();
        let same = {
            let mirror = self.mirror.snapshot();
            mirror.len() == truth.len() && truth.nodes().all(|node| mirror.get(node.id) == Some(node))
        };
        if !same {
            self.mirror.update(|tree| *tree = truth);
        }
        self.mirror.snapshot()
    }
}

#[async_trait]
impl ConnectedApp for FakeApp {
    fn application(&self) -> &Application {
        &self.application
    }

    fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    fn is_alive(&self) -> bool {
        !self.ended.load(Ordering::SeqCst)
    }

    fn reports_all_changes(&self) -> bool {
        self.manners == Manners::Complete
    }

    fn on_agent_seat(&self) -> OnAgentSeat {
        OnAgentSeat::APART
    }

    fn only_shows(&self, _node: NodeId, _action: &NodeAction) -> bool {
        false
    }

    fn is_part_of_click(&self, _node: NodeId, _action: &NodeAction) -> bool {
        false
    }

    async fn refresh(&self, _scope: Scope) -> Result<Arc<Tree>> {
        self.answer().await?;
        Ok(self.reload())
    }

    async fn reread(&self, nodes: &[NodeId], _details: DetailKinds) -> Result<Arc<Tree>> {
        self.answer().await?;
        self.rereads.fetch_add(1, Ordering::SeqCst);
        if let Some(gone) = lock(&self.leaving).take_if(|id| nodes.contains(id)) {
            self.change(|tree| tree.remove_subtree(gone));
        }
        Ok(self.reload())
    }

    async fn window_of(&self, node: NodeId) -> Result<Option<Window>> {
        let mut found = self.shown_in(node);
        if let Some(window) = found.as_mut().filter(|_| self.unplaced.load(Ordering::SeqCst)) {
            (window.place, window.stacking) = (None, None);
        }
        Ok(found)
    }

    async fn attributes(&self, node: NodeId) -> Result<BTreeMap<String, String>> {
        self.answer().await?;
        let node = self.node(node).ok_or_else(stale)?;
        Ok(BTreeMap::from([
            ("name".to_owned(), node.name.to_string()),
            ("toolkit".to_owned(), "fake".to_owned()),
        ]))
    }

    async fn links(&self, nodes: &[NodeId]) -> Result<HashMap<NodeId, Links>> {
        self.answer().await?;
        let known = nodes.iter().filter(|id| self.node(**id).is_some());
        Ok(known.map(|id| (*id, lock(&self.links).get(id).cloned().unwrap_or_default())).collect())
    }

    async fn selected_in(&self, _container: NodeId) -> Result<Option<NodeId>> {
        self.answer().await?;
        Ok(None)
    }

    async fn element_at(&self, point: Point, within: Option<WindowId>) -> Result<Option<NodeId>> {
        self.answer().await?;
        let truth = self.truth();
        let mut start = truth.root().expect("a root");
        if let Some(within) = within {
            let windows = lock(&self.windows);
            let title = windows.iter().find(|window| window.id == within).map(|window| &window.title);
            let Some(window) =
                truth.windows().find(|window| Some(&*window.name) == title.map(String::as_str))
            else {
                return Ok(None);
            };
            start = window.id;
        }
        let place = |node: &Node| {
            let title = truth.window_of(node.id).map(|window| &*window.name)?;
            let windows = lock(&self.windows);
            windows
                .iter()
                .find(|window| window.title == title)?
                .place
                .filter(|_| !self.unplaced.load(Ordering::SeqCst))
        };
        let on_screen = |node: &Node| node.details.extents.known()?.on_screen(place(node));
        let inside = |node: &&Arc<Node>| on_screen(node).is_some_and(|area| area.contains(point));
        Ok(truth.descendants(start).filter(inside).last().map(|node| node.id))
    }

    async fn read_text(&self, node: NodeId, start: u32, max_chars: u32) -> Result<String> {
        self.answer().await?;
        if let Some(closing) = lock(&self.closing).take_if(|id| *id == node) {
            self.set_text(closing, "");
            self.edit(closing, |node| node.states.remove(States::SHOWING));
        }
        Ok(self.text(node).chars().skip(start as usize).take(max_chars as usize).collect())
    }

    async fn perform(&self, _: &Permit, node: NodeId, action: &NodeAction) -> Result<Performed> {
        self.answer().await?;
        self.performed.fetch_add(1, Ordering::SeqCst);
        if self.node(node).is_none() {
            return Err(stale());
        }
        if !self.act(node, action)? {
            sleep(PLATFORM_DEADLINE).await;
            return Err(Error::new(ErrorCode::AppNotResponding, "the application does not answer"));
        }
        Ok(Performed { by: "Fake.Do".to_owned(), acknowledged: true, ..Performed::default() })
    }

    fn input(&self, _node: NodeId) -> Option<Arc<dyn ApplicationInput>> {
        let clicks = lock(&self.own_clicks).clone()?;
        let app = self.me.get().and_then(Weak::upgrade)?;
        let press = Box::new(move |node| app.act(node, &NodeAction::Invoke(None)));
        Some(Arc::new(OwnInput { press, clicks }))
    }
}

fn stale() -> Error {
    Error::new(ErrorCode::StaleReference, "the element is gone")
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
