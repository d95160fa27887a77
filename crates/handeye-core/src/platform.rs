//! The traits that a platform fulfils. Everything above is written against these and nothing else.
//!
//! Every method here talks to something outside of this process, so every one of them ends within a deadline of its
//! own (a few seconds at most) even when the other side hangs, and reports that as
//! [`ErrorCode::AppNotResponding`](crate::ErrorCode::AppNotResponding) or
//! [`ErrorCode::DisplayUnavailable`](crate::ErrorCode::DisplayUnavailable).

use crate::seat::{ApplicationInput, Seats};
use crate::{
    AccessibilityCapabilities, Application, ApplicationId, ClipForm, ClipboardCapabilities, Clipping,
    Consent, Copied, DetailKinds, Frame, Mirror, Monitor, Node, NodeId, Notification, OnAgentSeat, Permit,
    Point, Rect, Result, ScreenCapabilities, Scripts, Secrets, SourceId, Tree, UserInput, Window, WindowId,
};
use async_trait::async_trait;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long an application may take to say who it is. One that hangs is listed nevertheless.
pub const INTRODUCTION: Duration = Duration::from_millis(400);

/// Counts the events of something. It shows that a look is worthwhile, not what changed; without events it does
/// not wake.
pub type Changes = watch::Receiver<u64>;

/// One platform: the desktop session that this process works on.
#[derive(Clone)]
pub struct Platform {
    /// Applications and their accessibility trees.
    pub accessibility: Arc<dyn Accessibility>,
    /// Monitors, windows and pixels.
    pub screen: Arc<dyn Screen>,
    /// Pointers and keyboards.
    pub seats: Seats,
    /// What was copied.
    pub clipboard: Arc<dyn Clipboard>,
    /// Programs in the language of the system's automation.
    pub scripts: Arc<dyn Scripts>,
    /// What the user does, for recordings.
    pub user_input: Arc<dyn UserInput>,
    /// What applications notify the user of.
    pub notifications: Arc<dyn Notifications>,
    /// Secrets that are typed by name.
    pub secrets: Arc<dyn Secrets>,
    /// What works here and what does not.
    pub diagnosis: Arc<dyn Diagnosis>,
}

/// Whether the accessibility service can be used by this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessibilityStatus {
    /// Whether trees can be read.
    pub enabled: bool,
    /// What is in the way, or what limits it; empty when nothing does.
    pub suggestion: String,
}

/// Applications and their accessibility trees.
#[async_trait]
pub trait Accessibility: Send + Sync {
    /// What it can do here, and why not the rest. Code that connects asks first; what the service cannot do is an error of the other
    /// methods nevertheless. That a service can do it does not mean that it runs: [`status`](Self::status).
    fn capabilities(&self) -> AccessibilityCapabilities;

    /// What has to be given from outside so that every application shows its tree.
    fn consents(&self) -> Vec<Consent>;

    /// Whether the accessibility service can be used. Never fails: a failure is the answer.
    async fn status(&self) -> AccessibilityStatus;

    /// [`applications_within`](Self::applications_within) the usual patience, [`INTRODUCTION`].
    async fn applications(&self) -> Result<Vec<Application>> {
        self.applications_within(INTRODUCTION).await
    }

    /// Connects to what every call needs, so that the first one does not have to. Starts no service, asks no application anything, and has none
    /// announce its changes: one that nobody looks at stays as it is. Never fails: what cannot be reached is an error of the first call.
    async fn prepare(&self) {}

    /// The running applications that have a window or a tree, each asked for its name and process only. They are asked side by
    /// side; one that does not answer within `patience` is listed with [`TreeAccess::Missing`](crate::TreeAccess::Missing).
    async fn applications_within(&self, patience: Duration) -> Result<Vec<Application>>;

    /// Connects to an application: loads its mirror and subscribes to its events. Connecting again returns
    /// the same connection. The connection heals itself when the accessibility bus restarts.
    async fn connect(&self, application: &Application) -> Result<Arc<dyn ConnectedApp>>;

    /// How the application of a process takes the input of a seat that is not the user's; `None` where it shows no tree. No rule hides that: it
    /// protects the user of a hidden application too.
    async fn on_agent_seat(&self, pid: u32) -> Result<Option<OnAgentSeat>>;

    /// Wakes when an application may have come to the accessibility service or left it. Silent until the service was used.
    fn changes(&self) -> Changes;
}

/// A source of accessibility trees: one of the parts of which a desktop is composed.
#[async_trait]
pub trait Source: Accessibility {
    /// Its name, which the ids of its applications contain.
    fn id(&self) -> SourceId;

    /// What it shows in the place of an element of another source's application: the page of a browser, a plug in its socket. `None` if
    /// nothing. Must be cheap, as it is asked for every element that may stand for something.
    ///
    /// Its elements are on the screen or in the window that shows the carrier, as everybody's, and their ids are minted as everybody's.
    async fn graft(&self, carrier: &Carrier<'_>) -> Result<Option<Arc<dyn ConnectedApp>>>;
}

/// An element in whose place another source may show something.
#[derive(Debug, Clone, Copy)]
pub struct Carrier<'a> {
    /// The application whose element it is.
    pub application: &'a Application,
    /// The tree that it is in.
    pub tree: &'a Tree,
    /// The element.
    pub node: &'a Node,
}

/// What a refresh has to make true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// The element at which to start, `None` for the whole application.
    pub root: Option<NodeId>,
    /// Whether to load what is not showing too.
    pub hidden: bool,
    /// Details to have read for each element that is showing in the scope.
    pub details: DetailKinds,
}

impl Scope {
    /// What is showing in the whole application, without details.
    pub const SHOWING: Self = Self { root: None, hidden: false, details: DetailKinds::empty() };
}

/// Something that an element can be made to do without keyboard, pointer or focus.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeAction {
    /// Runs one of its actions: the one of that name, or its default one (click, press, jump, toggle).
    Invoke(Option<String>),
    /// Gives it the keyboard focus inside its window.
    Focus,
    /// Replaces its text.
    SetText(String),
    /// Inserts text at the caret, or at the end where there is no caret.
    InsertText(String),
    /// Sets its number.
    SetValue(f64),
    /// Selects it in its container, in addition to or instead of what is selected.
    Select {
        /// Whether what was selected stays selected.
        extend: bool,
    },
    /// Takes it out of the selection of its container.
    Deselect,
    /// Scrolls its containers until it can be seen.
    ScrollIntoView,
}

/// What the platform did with an accepted action.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Performed {
    /// The call that was used, for the record, for example `Action.DoAction(click)`.
    pub by: String,
    /// Whether the application itself reported that it did it. Not evidence: some report that and do nothing, and some report a failure
    /// after they have done it. Where a port knows that a failure does not mean that nothing was done, it is this and no error.
    pub acknowledged: bool,
    /// For how long the application draws the element as pressed before it does anything.
    pub pressed_for: Duration,
}

/// An application that is connected: its mirror, and what can be done with its elements.
///
/// An element that is gone gives [`ErrorCode::StaleReference`](crate::ErrorCode::StaleReference); an application
/// that is gone [`ErrorCode::AppGone`](crate::ErrorCode::AppGone).
#[async_trait]
pub trait ConnectedApp: Send + Sync {
    /// Who it is.
    fn application(&self) -> &Application;

    /// Its mirror. It is only as true as the application's events; [`refresh`](Self::refresh) makes it true.
    fn mirror(&self) -> &Mirror;

    /// Whether the application still runs and its connection stands.
    fn is_alive(&self) -> bool;

    /// Whether its toolkit announces every change. Where it does not, a watcher of all changes has to look now and then.
    fn reports_all_changes(&self) -> bool;

    /// Whether the application is known to accept this action and to show its result at most: what works behind the element (the script of a
    /// page) is not notified, and goes on with what it had. Reading back does not always reveal that.
    fn only_shows(&self, node: NodeId, action: &NodeAction) -> bool;

    /// Whether this action, which stands for a click on the element, is known to do a part of what the click would do.
    fn is_part_of_click(&self, node: NodeId, action: &NodeAction) -> bool;

    /// How it takes the input of a seat that is not the user's.
    fn on_agent_seat(&self) -> OnAgentSeat;

    /// Makes the mirror true for `scope` at the least cost that the toolkit's events allow (none where they are
    /// complete and nothing changed) and returns the tree.
    async fn refresh(&self, scope: Scope) -> Result<Arc<Tree>>;

    /// Reads the given elements again, in one burst: states, name, child count and the asked details. Elements that are gone
    /// are taken out of the mirror. Use it to verify a hit before it is returned or acted on.
    async fn reread(&self, nodes: &[NodeId], details: DetailKinds) -> Result<Arc<Tree>>;

    /// The display server's window that shows this element, where that is known.
    async fn window_of(&self, node: NodeId) -> Result<Option<Window>>;

    /// Everything that the toolkit says about an element, by the toolkit's own names; long values are cut.
    async fn attributes(&self, node: NodeId) -> Result<BTreeMap<String, String>>;

    /// What labels these elements and which keys reach them, all asked in one burst. An element that does not answer, or is gone, is
    /// absent: nothing is known of it. At most [`Links::MAX_ELEMENTS`] are asked.
    async fn links(&self, nodes: &[NodeId]) -> Result<HashMap<NodeId, Links>>;

    /// The innermost element at a point of the screen, as the application sees it (another window may cover it): of its
    /// window `within`, or else of any window of it that is there.
    async fn element_at(&self, point: Point, within: Option<WindowId>) -> Result<Option<NodeId>>;

    /// What an element itself says to be selected in it, the first one where there are several. `None`: nothing, or it does not say.
    async fn selected_in(&self, container: NodeId) -> Result<Option<NodeId>>;

    /// The whole text of an element from `start` (in characters), at most `max_chars` of it.
    async fn read_text(&self, node: NodeId, start: u32, max_chars: u32) -> Result<String>;

    /// Makes an element do something in the background. Returns when the application has answered, which
    /// is not evidence that anything happened.
    async fn perform(&self, permit: &Permit, node: NodeId, action: &NodeAction) -> Result<Performed>;

    /// Input that reaches this element of the application and nothing else; `None` where its source has no such input.
    fn input(&self, node: NodeId) -> Option<Arc<dyn ApplicationInput>>;
}

/// How an element is connected with what labels it and with the keyboard. Relations and key bindings are in no mirror: they are asked for
/// where they decide something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Links {
    /// The elements of the tree that label it.
    pub labelled_by: Vec<NodeId>,
    /// Whether something labels it that is not in the tree: hidden, or not loaded.
    pub labelled_elsewhere: bool,
    /// Its mnemonics and shortcuts, as its toolkit writes them: `<Alt>s`, `Ctrl+S`.
    pub keys: Vec<Arc<str>>,
    /// The names of its actions, which browsers report by another call than the one that lists actions.
    pub actions: Vec<Arc<str>>,
}

impl Links {
    /// Most elements that one call asks for.
    pub const MAX_ELEMENTS: usize = 1500;
}

/// The id under which references to elements of this application are kept.
pub fn application_id(app: &dyn ConnectedApp) -> ApplicationId {
    app.application().id.clone()
}

/// What to capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureTarget {
    /// The whole desktop, over all monitors.
    Desktop,
    /// A part of the desktop as it is seen, in screen pixels. Parts outside of it are cut off.
    Region(Rect),
    /// A window as it would look uncovered, even when others cover it.
    Window(WindowId, WindowPart),
}

/// How much of a window belongs in a picture of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowPart {
    /// The whole window with the window manager's decoration; [`Window::frame`] is its area.
    Whole,
    /// What the application shows, without decoration and without a shadow that it draws itself.
    Content,
}

/// Monitors, windows and pixels.
#[async_trait]
pub trait Screen: Send + Sync {
    /// What it can do and knows here, and why not the rest. What it does not know is absent from what the other methods return; code that
    /// captures asks first.
    async fn capabilities(&self) -> Result<ScreenCapabilities>;

    /// What has to be given from outside so that it works fully.
    fn consents(&self) -> Vec<Consent>;

    /// The monitors, the primary one first and the others from left to right, then from top to bottom. Each shows
    /// another part of the desktop: of mirrored ones, one is listed.
    async fn monitors(&self) -> Result<Vec<Monitor>>;

    /// The top-level windows, from the topmost down where that is known.
    async fn windows(&self) -> Result<Vec<Window>>;

    /// Everything that is drawn now, from the topmost down: those of [`windows`](Self::windows) that can be seen, and menus,
    /// tooltips and other popups, which no window manager lists. The topmost one at a point is what a click there reaches. Where the stacking is
    /// not known, that is what [`windows`](Self::windows) lists and is not minimized.
    async fn shown(&self) -> Result<Vec<Window>>;

    /// Captures pixels. A minimized window gives [`ErrorCode::WindowMinimized`](crate::ErrorCode::WindowMinimized).
    async fn capture(&self, target: CaptureTarget) -> Result<Frame>;

    /// Wakes when a window may have come or gone, or another one become the active one.
    fn changes(&self) -> Changes;
}

/// Notices whether applications draw.
#[async_trait]
pub trait DrawingWatch: Send + Sync {
    /// Connects to what it takes, before anybody asks. Watches nothing yet.
    async fn prepare(&self) -> Result<()>;

    /// The number of the last thing that was drawn or rearranged in the windows of a process. Two equal ones mean that nothing was in between, but
    /// that the mark where text is typed may have blinked. `None` where not all that is drawn can be noticed.
    async fn last_drawn(&self, process: u32) -> Result<Option<u64>>;
}

/// The clipboard of the desktop session.
#[async_trait]
pub trait Clipboard: Send + Sync {
    /// What it can do here, and why not the rest. Code that reads or writes asks first.
    fn capabilities(&self) -> ClipboardCapabilities;

    /// What has to be given from outside so that it works fully.
    fn consents(&self) -> Vec<Consent>;

    /// What is on it, in one form, and the names of all formats. The application that copied it is asked, and a silent one gives
    /// [`ErrorCode::AppNotResponding`](crate::ErrorCode::AppNotResponding).
    async fn read(&self, permit: &Permit, form: ClipForm) -> Result<Clipping>;

    /// Puts something on it, in the place of what was there. It stays until something else is copied or the session ends, also when this process
    /// ends before.
    async fn write(&self, permit: &Permit, copied: Copied) -> Result<()>;

    /// Wakes when something was copied.
    fn changes(&self) -> Changes;
}

/// The notifications of the desktop session.
#[async_trait]
pub trait Notifications: Send + Sync {
    /// Begins to look, and goes on until the process ends. Does nothing where it has begun.
    ///
    /// # Errors
    /// [`ErrorCode::NotSupported`](crate::ErrorCode::NotSupported) where the session does not let this process look.
    async fn begin(&self) -> Result<()>;

    /// The number of the last one that was seen, 0 before the first.
    fn latest(&self) -> u64;

    /// Those that were seen after the one with this number, the oldest first: at most
    /// [`KEPT_NOTIFICATIONS`](crate::notification::KEPT_NOTIFICATIONS).
    ///
    /// # Errors
    /// Where it cannot be decided which of them may be seen.
    async fn seen_after(&self, number: u64) -> Result<Vec<Notification>>;

    /// Wakes when another one was seen.
    fn changes(&self) -> Changes;
}

/// How a probe ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProbeStatus {
    /// It works.
    Ok,
    /// It works with limits.
    Warn,
    /// It does not work.
    Fail,
    /// It could not be tried because of another failure.
    Skip,
}

/// One line of a diagnosis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Probe {
    /// What was tried, for example `capture`.
    pub name: String,
    /// How it ended.
    pub status: ProbeStatus,
    /// What was seen.
    pub detail: String,
    /// What to do about it, where something is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// How long the probe took.
    pub elapsed_ms: u64,
}

/// What works here and what does not.
#[async_trait]
pub trait Diagnosis: Send + Sync {
    /// Tries everything that handeye needs, in parallel, within half a second altogether.
    async fn probe(&self) -> Vec<Probe>;

    /// The facts about the session that no other port knows.
    fn session(&self) -> Session;
}

/// What a desktop session runs on. Monitors, windows and the state of seats are not here: their ports know them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The operating system with its version: `Debian GNU/Linux 12 (bookworm)`.
    pub system: String,
    /// The architecture of the machine: `x86_64`.
    pub machine: &'static str,
    /// The display server, and which one: `X11 display :0`. `None` where there is none.
    pub display: Option<String>,
}

/// For people: `Debian GNU/Linux 12 (bookworm), x86_64, X11 display :0`.
impl fmt::Display for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let display = self.display.as_deref().unwrap_or("no display");
        write!(f, "{}, {}, {display}", self.system, self.machine)
    }
}
