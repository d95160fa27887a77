//! A desktop in memory.

use super::app::FakeApp;
use super::keys;
use async_trait::async_trait;
use handeye_core::platform::{
    AccessibilityStatus, CaptureTarget, Changes, Clipboard, Clipping, Diagnosis, Dismissal, Probe,
};
use handeye_core::window::SeatState;
use handeye_core::{
    Accessibility, Application, Button, Chord, ConnectedApp, Error, ErrorCode, Frame, Input, KeySymbol,
    Monitor, NodeAction, Permit, Platform, Point, ProcessIdentity, Rect, Result, Screen, TreeAccess, Window,
    WindowId,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// How long one key takes.
const KEY_TIME: Duration = Duration::from_millis(5);

/// A desktop in memory: what runs on it, and what was done with its pointer and keyboard.
pub struct FakeDesktop {
    apps: Mutex<Vec<Arc<FakeApp>>>,
    /// Applications that show no tree.
    pub treeless: Mutex<Vec<Application>>,
    /// How long the slowest application takes to say who it is.
    pub introduction: Mutex<Duration>,
    active: Mutex<Option<WindowId>>,
    /// Its screens.
    pub monitors: Mutex<Vec<Monitor>>,
    /// Menus and other windows that no window manager knows of, from the topmost down.
    pub popups: Mutex<Vec<Window>>,
    /// Those of them that were closed again.
    pub dismissed: Mutex<Vec<WindowId>>,
    /// How often the windows cannot be listed before they can.
    pub unlisted: AtomicUsize,
    /// How often somebody connected to an application.
    pub connects: AtomicUsize,
    /// What the pointer and the keyboard did, in order.
    log: Mutex<Vec<String>>,
    clipping: Mutex<Clipping>,
    arrivals: watch::Sender<u64>,
    windows_changed: watch::Sender<u64>,
    copied: watch::Sender<u64>,
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
            unlisted: AtomicUsize::default(),
            connects: AtomicUsize::default(),
            log: Mutex::default(),
            clipping: Mutex::default(),
            arrivals: watch::Sender::default(),
            windows_changed: watch::Sender::default(),
            copied: watch::Sender::default(),
        })
    }

    /// The desktop as a platform.
    pub fn platform(self: &Arc<Self>) -> Platform {
        Platform {
            accessibility: Arc::clone(self) as Arc<dyn Accessibility>,
            screen: Arc::clone(self) as Arc<dyn Screen>,
            input: Arc::clone(self) as Arc<dyn Input>,
            clipboard: Arc::clone(self) as Arc<dyn Clipboard>,
            diagnosis: Arc::clone(self) as Arc<dyn Diagnosis>,
        }
    }

    /// What the pointer and the keyboard did, in order; a background action leaves it empty.
    pub fn seat_log(&self) -> Vec<String> {
        lock(&self.log).clone()
    }

    /// Adds an application that has a window but no tree.
    pub fn add_treeless(&self, name: &str, pid: u32) {
        lock(&self.treeless).push(Application {
            id: None,
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

    /// Tells that an application came or ended.
    pub fn announce_arrivals(&self) {
        self.arrivals.send_modify(|heard| *heard += 1);
    }

    /// Copies.
    pub fn copy(&self, clipping: Clipping) {
        *lock(&self.clipping) = clipping;
        self.copied.send_modify(|heard| *heard += 1);
    }

    fn apps(&self) -> Vec<Arc<FakeApp>> {
        lock(&self.apps).clone()
    }

    fn note(&self, what: String) {
        lock(&self.log).push(what);
    }

    /// As on a real screen, a click reaches what is on top.
    async fn check_reach(&self, at: Point, window: Option<WindowId>) -> Result<()> {
        let shown = self.shown().await?;
        let top = shown.iter().find(|shown| shown.frame.contains(at));
        let own = |top: &Window| {
            Some(top.id) == window || lock(&self.popups).iter().any(|popup| popup.id == top.id)
        };
        match top {
            Some(top) if window.is_some() && !own(top) => {
                Err(Error::new(ErrorCode::Refused, "another window is at this point"))
            }
            _ => Ok(()),
        }
    }

    fn active_app(&self) -> Option<Arc<FakeApp>> {
        let active = (*lock(&self.active))?;
        self.apps().into_iter().find(|app| lock(&app.windows).iter().any(|window| window.id == active))
    }
}

/// A monitor that shows `area`.
pub fn monitor(area: Rect, scale: f64) -> Monitor {
    Monitor { name: format!("FAKE{}", area.x), area, primary: area.x == 0, scale }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl Accessibility for FakeDesktop {
    async fn status(&self) -> AccessibilityStatus {
        AccessibilityStatus { enabled: true, suggestion: String::new() }
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

    fn changes(&self) -> Changes {
        self.arrivals.subscribe()
    }
}

#[async_trait]
impl Screen for FakeDesktop {
    async fn monitors(&self) -> Result<Vec<Monitor>> {
        Ok(lock(&self.monitors).clone())
    }

    async fn windows(&self) -> Result<Vec<Window>> {
        let left = |left: usize| left.checked_sub(1);
        if self.unlisted.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left).is_ok() {
            return Err(Error::new(ErrorCode::DisplayUnavailable, "the display server does not answer"));
        }
        let active = *lock(&self.active);
        let apps = self.apps();
        let all = apps.iter().flat_map(|app| lock(&app.windows).clone());
        let mut windows: Vec<Window> =
            all.map(|window| Window { active: Some(window.id) == active, ..window }).collect();
        windows.sort_by_key(|window| !window.active);
        for (place, window) in windows.iter_mut().enumerate() {
            window.stacking = place;
        }
        Ok(windows)
    }

    async fn shown(&self) -> Result<Vec<Window>> {
        let windows = self.windows().await?.into_iter().filter(|window| !window.minimized);
        let mut shown: Vec<Window> = lock(&self.popups).iter().cloned().chain(windows).collect();
        for (place, window) in shown.iter_mut().enumerate() {
            window.stacking = place;
        }
        Ok(shown)
    }

    async fn seat(&self) -> Result<SeatState> {
        let stacking = self.windows().await?.iter().map(|window| window.id).collect();
        Ok(SeatState { active_window: *lock(&self.active), pointer: Point::new(0, 0), stacking })
    }

    async fn capture(&self, target: CaptureTarget) -> Result<Frame> {
        let area = match target {
            CaptureTarget::Desktop => Rect::new(0, 0, 64, 48),
            CaptureTarget::Region(area) => area,
            CaptureTarget::Window(id, _) => {
                let windows = self.windows().await?;
                windows
                    .iter()
                    .find(|window| window.id == id)
                    .map(|window| window.frame)
                    .ok_or_else(|| Error::new(ErrorCode::WindowNotFound, "no such window"))?
            }
        };
        Ok(Frame::new(area, vec![127; area.width as usize * area.height as usize * 3]))
    }

    async fn activate(&self, _: &Permit, window: WindowId) -> Result<()> {
        *lock(&self.active) = Some(window);
        self.note("activate".to_owned());
        self.windows_changed.send_modify(|heard| *heard += 1);
        Ok(())
    }

    async fn dismiss(&self, _: &Permit, popup: WindowId) -> Result<Dismissal> {
        let mut popups = lock(&self.popups);
        let Some(open) = popups.iter().find(|open| open.id == popup) else { return Ok(Dismissal::Free) };
        if popups.iter().any(|other| other.pid != open.pid) {
            return Ok(Dismissal::Unsure);
        }
        popups.retain(|open| open.id != popup);
        drop(popups);
        lock(&self.dismissed).push(popup);
        Ok(Dismissal::Pressed)
    }

    fn changes(&self) -> Changes {
        self.windows_changed.subscribe()
    }
}

#[async_trait]
impl Input for FakeDesktop {
    async fn move_pointer(&self, _: &Permit, to: Point) -> Result<()> {
        self.note(format!("move {},{}", to.x, to.y));
        Ok(())
    }

    async fn click(
        &self,
        _: &Permit,
        at: Point,
        button: Button,
        count: u32,
        window: Option<WindowId>,
    ) -> Result<()> {
        self.check_reach(at, window).await?;
        self.note(format!("click {button:?} x{count} at {},{}", at.x, at.y));
        if let Some(app) = self.active_app()
            && let Some(hit) = app.element_at(at, None).await?
        {
            app.act(hit, &NodeAction::Focus)?;
            // Another button opens a menu for it, at most.
            if button == Button::Left {
                app.act(hit, &NodeAction::Invoke(None))?;
            }
        }
        Ok(())
    }

    async fn drag(
        &self,
        _: &Permit,
        from: Point,
        to: Point,
        duration_ms: u64,
        _: Option<WindowId>,
    ) -> Result<()> {
        self.note(format!("drag {},{} to {},{} in {duration_ms}", from.x, from.y, to.x, to.y));
        if let Some(app) = self.active_app()
            && let Some(hit) = app.element_at(from, None).await?
            && app.element_at(to, None).await? == Some(hit)
        {
            app.act(hit, &NodeAction::Invoke(None))?;
        }
        Ok(())
    }

    async fn wheel(&self, _: &Permit, at: Point, dx: i32, dy: i32, _: Option<WindowId>) -> Result<()> {
        self.note(format!("wheel {dx},{dy} at {},{}", at.x, at.y));
        Ok(())
    }

    fn key_symbol(&self, chord: &Chord) -> Result<KeySymbol> {
        let mut characters = chord.key.chars();
        let symbol = match (chord.key.as_str(), characters.next(), characters.next()) {
            ("return" | "\n", ..) => 0xff0d,
            ("kp_enter", ..) => 0xff8d,
            ("space", ..) => 0x20,
            ("tab", ..) => 0xff09,
            ("delete", ..) => 0xffff,
            ("f4", ..) => 0xffc1,
            ("f5", ..) => 0xffc2,
            (_, Some(only), None) => only.into(),
            _ => return Err(Error::invalid_parameter("key", "there is no such key")),
        };
        Ok(KeySymbol(symbol))
    }

    async fn key(&self, _: &Permit, chord: &Chord, _: Option<WindowId>) -> Result<()> {
        self.note(format!("key {:?} {}", chord.modifiers, chord.key));
        if let Some(app) = self.active_app() {
            keys::press(&app, chord);
        }
        Ok(())
    }

    async fn type_text(&self, _: &Permit, text: &str, window: Option<WindowId>) -> Result<()> {
        self.note(format!("type {} characters", text.chars().count()));
        for character in text.chars() {
            tokio::time::sleep(KEY_TIME).await;
            if window.is_some() && *lock(&self.active) != window {
                return Err(Error::new(ErrorCode::ActionFailed, "another window took the focus"));
            }
            if let Some(app) = self.active_app() {
                keys::press(&app, &Chord::plain(character));
            }
        }
        Ok(())
    }
}

#[async_trait]
impl Diagnosis for FakeDesktop {
    async fn probe(&self) -> Vec<Probe> {
        Vec::new()
    }

    fn system(&self) -> String {
        "Fake 1, in memory".to_owned()
    }
}

#[async_trait]
impl Clipboard for FakeDesktop {
    async fn read(&self, _: &Permit) -> Result<Clipping> {
        Ok(lock(&self.clipping).clone())
    }

    fn changes(&self) -> Changes {
        self.copied.subscribe()
    }
}
