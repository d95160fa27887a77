//! A desktop in memory.

use super::app::FakeApp;
use async_trait::async_trait;
use handeye_core::platform::{
    AccessibilityStatus, CaptureTarget, Changes, Clipboard, Diagnosis, Probe, Session,
};
use handeye_core::{
    Accessibility, AccessibilityCapabilities, ActiveWindow, Application, ApplicationId, ClipForm,
    ClipboardCapabilities, Clipping, ConnectedApp, Consent, Copied, Error, ErrorCode, Frame, Monitor,
    Notification, OnAgentSeat, OneSeat, Permit, Platform, ProcessIdentity, Rect, Result, Screen,
    ScreenCapabilities, Script, ScriptEnd, ScriptLanguage, ScriptOutput, ScriptRun, Scripts, Seat,
    SeatCapabilities, Seats, Secrets, Size, SourceId, Support, TreeAccess, Window, WindowId,
};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// What this desktop has to be granted.
pub const GRANT: Consent = Consent {
    name: "the grant",
    without: "no tree can be read",
    obtain: || "Grant it.".into(),
    keep: "Grant it for good.",
    steps: "1. Open the settings.\n2. Grant it.",
    probe: "grant",
};

/// A desktop in memory: what runs on it, and what was done with its pointer and keyboard.
pub struct FakeDesktop {
    apps: Mutex<Vec<Arc<FakeApp>>>,
    /// Applications that show no tree.
    pub treeless: Mutex<Vec<Application>>,
    /// How long the slowest application takes to say who it is.
    pub introduction: Mutex<Duration>,
    pub(super) active: Mutex<Option<WindowId>>,
    /// Its screens.
    pub monitors: Mutex<Vec<Monitor>>,
    /// Menus and other windows that no window manager knows of, from the topmost down.
    pub popups: Mutex<Vec<Window>>,
    /// Those of them that were closed again.
    pub dismissed: Mutex<Vec<WindowId>>,
    /// What its screen can do and knows.
    pub screen_can: Mutex<ScreenCapabilities>,
    /// What its clipboard can do.
    pub clipboard_can: Mutex<ClipboardCapabilities>,
    /// How many pixels a picture has for one unit of the screen, in each direction.
    pub density: AtomicU32,
    /// Whether its [`GRANT`] was not given, so that no tree can be read.
    pub ungranted: AtomicBool,
    /// What the user's seat can do and knows.
    pub seat_can: Mutex<SeatCapabilities>,
    /// How often the windows cannot be listed before they can.
    pub unlisted: AtomicUsize,
    /// How often somebody connected to an application.
    pub connects: AtomicUsize,
    /// How often pixels were asked for.
    pub captured: AtomicUsize,
    /// How often the clipboard was read.
    pub clipboard_reads: AtomicUsize,
    /// What the pointer and the keyboard did, in order.
    log: Mutex<Vec<String>>,
    clipping: Mutex<Clipping>,
    /// The scripts that were run.
    pub scripts: Mutex<Vec<Script>>,
    /// How each script ends.
    pub script_ends: Mutex<ScriptEnd>,
    /// What each script writes to its standard output.
    pub script_writes: Mutex<String>,
    /// Secrets, by the variables that hold them.
    pub variables: Mutex<HashMap<String, String>>,
    /// What was put on the clipboard last.
    pub written: Mutex<Option<Copied>>,
    arrivals: watch::Sender<u64>,
    windows_changed: watch::Sender<u64>,
    copied: watch::Sender<u64>,
    /// The watchers of the user.
    pub(super) watchers: Mutex<Vec<handeye_core::UserEventSender>>,
    /// What applications notified the user of.
    pub(super) notifications: Mutex<Vec<Notification>>,
    pub(super) notification_count: watch::Sender<u64>,
}

impl FakeDesktop {
    /// A desktop on which these applications run.
    pub fn with(apps: impl IntoIterator<Item = Arc<FakeApp>>) -> Arc<Self> {
        Arc::new(Self {
            apps: Mutex::new(apps.into_iter().collect()),
            treeless: Mutex::default(),
            introduction: Mutex::default(),
            active: Mutex::default(),
            monitors: Mutex::new(vec![monitor(Rect::new(0, 0, 1920, 1080), 1.0)]),
            popups: Mutex::default(),
            dismissed: Mutex::default(),
            screen_can: Mutex::new(ScreenCapabilities::ALL),
            clipboard_can: Mutex::new(ClipboardCapabilities::ALL),
            density: AtomicU32::new(1),
            ungranted: AtomicBool::new(false),
            seat_can: Mutex::new(SeatCapabilities::ALL),
            unlisted: AtomicUsize::default(),
            connects: AtomicUsize::default(),
            captured: AtomicUsize::default(),
            clipboard_reads: AtomicUsize::default(),
            log: Mutex::default(),
            clipping: Mutex::default(),
            scripts: Mutex::default(),
            script_ends: Mutex::new(ScriptEnd::Exited(0)),
            script_writes: Mutex::new("done\n".to_owned()),
            variables: Mutex::default(),
            written: Mutex::default(),
            arrivals: watch::Sender::default(),
            windows_changed: watch::Sender::default(),
            copied: watch::Sender::default(),
            watchers: Mutex::default(),
            notifications: Mutex::default(),
            notification_count: watch::Sender::default(),
        })
    }

    /// The desktop as a platform.
    pub fn platform(self: &Arc<Self>) -> Platform {
        Platform {
            accessibility: Arc::clone(self) as Arc<dyn Accessibility>,
            screen: Arc::clone(self) as Arc<dyn Screen>,
            seats: Seats {
                user: Arc::clone(self) as Arc<dyn Seat>,
                agents: Arc::new(OneSeat::because("this desktop has one pointer and one keyboard")),
            },
            clipboard: Arc::clone(self) as Arc<dyn Clipboard>,
            scripts: Arc::clone(self) as Arc<dyn Scripts>,
            user_input: Arc::clone(self) as Arc<dyn handeye_core::UserInput>,
            diagnosis: Arc::clone(self) as Arc<dyn Diagnosis>,
            notifications: Arc::clone(self) as Arc<dyn handeye_core::Notifications>,
            secrets: Arc::clone(self) as Arc<dyn Secrets>,
        }
    }

    /// What the pointer and the keyboard did, in order; a background action leaves it empty.
    pub fn seat_log(&self) -> Vec<String> {
        lock(&self.log).clone()
    }

    /// Adds an application that has a window but no tree.
    pub fn add_treeless(&self, name: &str, pid: u32) {
        lock(&self.treeless).push(Application {
            id: ApplicationId::new(SourceId::new("memory"), format!("process {pid}")),
            name: name.to_owned(),
            process: Some(ProcessIdentity::unverified(pid)),
            bundle_id: None,
            toolkit: None,
            tree: TreeAccess::Missing {
                reason: "it was started without".to_owned(),
                advice: "Start it with.".into(),
            },
        });
    }

    /// Starts another application.
    pub fn start(&self, app: Arc<FakeApp>) {
        lock(&self.apps).push(app);
        self.announce_arrivals();
    }

    /// Announces that an application came or ended.
    pub fn announce_arrivals(&self) {
        self.arrivals.send_modify(|heard| *heard += 1);
    }

    /// Copies.
    pub fn copy(&self, clipping: Clipping) {
        *lock(&self.clipping) = clipping;
        self.copied.send_modify(|heard| *heard += 1);
    }

    /// Knows from now on what a client of Wayland knows: its windows and their pixels, but not where they are, which lies over which, which is
    /// the active one, and where the pointer is. `reason` is why.
    pub fn know_windows_alone(&self, reason: &'static str) {
        self.forget(reason);
        self.apps().iter().for_each(|app| app.forget_places());
    }

    /// As [`know_windows_alone`](Self::know_windows_alone), on which applications report where the elements that they have now are in their windows.
    pub fn know_places_in_windows(&self, reason: &'static str) {
        self.forget(reason);
        for app in self.apps() {
            app.place_in_windows();
            app.forget_windows();
        }
    }

    fn forget(&self, reason: &'static str) {
        let no = || Support::no(reason);
        *lock(&self.screen_can) =
            ScreenCapabilities { places: no(), stacking: no(), ..ScreenCapabilities::ALL };
        *lock(&self.seat_can) = SeatCapabilities { active_window: no(), ..SeatCapabilities::ALL };
    }

    fn apps(&self) -> Vec<Arc<FakeApp>> {
        lock(&self.apps).clone()
    }

    /// The windows of all applications, as they really are.
    fn all_windows(&self) -> Vec<Window> {
        self.apps().iter().flat_map(|app| lock(&app.windows).clone()).collect()
    }

    /// Makes a window the active one.
    pub(super) fn make_active(&self, window: WindowId) {
        *lock(&self.active) = Some(window);
        self.windows_changed.send_modify(|heard| *heard += 1);
    }

    pub(super) fn note(&self, what: String) {
        lock(&self.log).push(what);
    }

    /// The active window, as far as the seat knows it.
    pub(super) fn known_active(&self) -> ActiveWindow {
        let is_known = lock(&self.seat_can).active_window.is_there();
        if is_known { (*lock(&self.active)).into() } else { ActiveWindow::Unknown }
    }

    pub(super) fn active_app(&self) -> Option<Arc<FakeApp>> {
        let active = (*lock(&self.active))?;
        self.apps().into_iter().find(|app| lock(&app.windows).iter().any(|window| window.id == active))
    }
}

/// A picture of this size, all grey.
fn grey(size: Size) -> Vec<u8> {
    vec![127; size.width as usize * size.height as usize * 3]
}

/// A monitor that shows `area`.
pub fn monitor(area: Rect, scale: f64) -> Monitor {
    Monitor { name: format!("FAKE{}", area.x), area, primary: area.x == 0, scale }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl Accessibility for FakeDesktop {
    fn capabilities(&self) -> AccessibilityCapabilities {
        let is_granted = !self.ungranted.load(Ordering::SeqCst);
        AccessibilityCapabilities { trees: if is_granted { Support::Yes } else { GRANT.missing() } }
    }

    fn consents(&self) -> Vec<Consent> {
        vec![GRANT]
    }

    async fn status(&self) -> AccessibilityStatus {
        let enabled = !self.ungranted.load(Ordering::SeqCst);
        let suggestion = if enabled { String::new() } else { GRANT.without.to_owned() };
        AccessibilityStatus { enabled, suggestion }
    }

    async fn applications_within(&self, patience: Duration) -> Result<Vec<Application>> {
        let apps = self.apps();
        let longest = *lock(&self.introduction);
        if !longest.is_zero() {
            tokio::time::sleep(longest.min(patience)).await;
        }
        let alive = apps.iter().filter(|app| app.is_alive()).map(|app| app.application().clone());
        Ok(alive.chain(lock(&self.treeless).iter().cloned()).collect())
    }

    async fn connect(&self, application: &Application) -> Result<Arc<dyn ConnectedApp>> {
        self.connects.fetch_add(1, Ordering::SeqCst);
        if let TreeAccess::Missing { reason, advice } = &application.tree {
            let message = format!("'{}' shows no accessibility tree: {reason}", application.name);
            return Err(Error::new(ErrorCode::AppNotAccessible, message).with_next(advice.clone()));
        }
        let app = self.apps().into_iter().find(|app| app.application().pid() == application.pid());
        app.map(|app| app as Arc<dyn ConnectedApp>)
            .ok_or_else(|| Error::new(ErrorCode::AppGone, "no such application"))
    }

    async fn on_agent_seat(&self, _: u32) -> Result<Option<OnAgentSeat>> {
        Ok(None)
    }

    fn changes(&self) -> Changes {
        self.arrivals.subscribe()
    }
}

#[async_trait]
impl Screen for FakeDesktop {
    fn consents(&self) -> Vec<Consent> {
        Vec::new()
    }

    async fn capabilities(&self) -> Result<ScreenCapabilities> {
        Ok(lock(&self.screen_can).clone())
    }

    async fn monitors(&self) -> Result<Vec<Monitor>> {
        Ok(lock(&self.monitors).clone())
    }

    async fn windows(&self) -> Result<Vec<Window>> {
        let left = |left: usize| left.checked_sub(1);
        if self.unlisted.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left).is_ok() {
            return Err(Error::new(ErrorCode::DisplayUnavailable, "the display server does not answer"));
        }
        let knows = lock(&self.screen_can).clone();
        let active = self.known_active().window();
        let mut windows = self.all_windows();
        for window in &mut windows {
            window.active = Some(window.id) == active;
            window.place = window.place.filter(|_| knows.places.is_there());
            if !knows.titles.is_there() {
                window.title.clear();
            }
        }
        windows.sort_by_key(|window| !window.active);
        for (place, window) in windows.iter_mut().enumerate() {
            window.stacking = knows.stacking.is_there().then_some(place);
        }
        Ok(windows)
    }

    async fn shown(&self) -> Result<Vec<Window>> {
        let windows = self.windows().await?.into_iter().filter(|window| !window.minimized);
        if !lock(&self.screen_can).stacking.is_there() {
            return Ok(windows.collect());
        }
        let mut shown: Vec<Window> = lock(&self.popups).iter().cloned().chain(windows).collect();
        for (place, window) in shown.iter_mut().enumerate() {
            window.stacking = Some(place);
        }
        Ok(shown)
    }

    async fn capture(&self, target: CaptureTarget) -> Result<Frame> {
        self.captured.fetch_add(1, Ordering::SeqCst);
        let density = self.density.load(Ordering::SeqCst);
        let pixels = |area: Rect| Size::new(area.width * density, area.height * density);
        let area = match target {
            CaptureTarget::Desktop => Rect::new(0, 0, 64, 48),
            CaptureTarget::Region(area) => area,
            CaptureTarget::Window(id, _) => {
                let windows = self.all_windows();
                let place = windows.iter().find(|window| window.id == id).and_then(|window| window.place);
                let place = place.ok_or_else(|| Error::new(ErrorCode::WindowNotFound, "no such window"))?;
                if !lock(&self.screen_can).places.is_there() {
                    let size = pixels(place.frame);
                    return Ok(Frame::of_window(place.in_window(place.frame), size, grey(size)));
                }
                place.frame
            }
        };
        Ok(Frame::scaled(area, pixels(area), grey(pixels(area))))
    }

    fn changes(&self) -> Changes {
        self.windows_changed.subscribe()
    }
}

#[async_trait]
impl Diagnosis for FakeDesktop {
    async fn probe(&self) -> Vec<Probe> {
        Vec::new()
    }

    fn session(&self) -> Session {
        Session { system: "Fake 1".to_owned(), machine: "in memory", display: None }
    }
}

#[async_trait]
impl Clipboard for FakeDesktop {
    fn capabilities(&self) -> ClipboardCapabilities {
        lock(&self.clipboard_can).clone()
    }

    fn consents(&self) -> Vec<Consent> {
        vec![GRANT]
    }

    async fn read(&self, _: &Permit, form: ClipForm) -> Result<Clipping> {
        self.clipboard_reads.fetch_add(1, Ordering::SeqCst);
        let all = lock(&self.clipping).clone();
        let rest = Clipping {
            formats: all.formats,
            cut: all.cut,
            secret: all.secret,
            pid: all.pid,
            ..Clipping::default()
        };
        Ok(match form {
            ClipForm::Text | ClipForm::Html => Clipping { text: all.text, ..rest },
            ClipForm::Png => Clipping { png: all.png, ..rest },
            ClipForm::Files => Clipping { files: all.files, ..rest },
        })
    }

    async fn write(&self, _: &Permit, copied: Copied) -> Result<()> {
        *lock(&self.written) = Some(copied);
        self.copied.send_modify(|heard| *heard += 1);
        Ok(())
    }

    fn changes(&self) -> Changes {
        self.copied.subscribe()
    }
}

#[async_trait]
impl Scripts for FakeDesktop {
    fn language(&self, language: ScriptLanguage) -> Support {
        match language {
            ScriptLanguage::Shell => Support::Yes,
            ScriptLanguage::AppleScript | ScriptLanguage::Jxa => Support::no("the fake desktop has a shell"),
        }
    }

    fn home(&self) -> Result<PathBuf> {
        Ok(PathBuf::from("/"))
    }

    async fn run(&self, _: &Permit, script: Script) -> Result<ScriptRun> {
        let took = script.deadline;
        lock(&self.scripts).push(script);
        Ok(ScriptRun {
            end: *lock(&self.script_ends),
            stdout: ScriptOutput { bytes: lock(&self.script_writes).clone().into_bytes(), left_out: 0 },
            stderr: ScriptOutput::default(),
            left_running: 0,
            took,
        })
    }
}
