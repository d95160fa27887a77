//! The X11 display server: monitors, windows and pixels; keyboard and pointer.

mod abandoned;
mod activate;
mod agent_cursor;
mod agent_seat;
mod aim;
mod capture;
mod capture_state;
mod caretaker;
mod claims;
mod clipboard;
mod consents;
mod dismissal;
mod drag;
mod drag_start;
mod drawing;
mod drawing_state;
mod drawing_watch;
mod drawings;
mod drawn;
mod entry;
mod fault;
mod feigning;
mod grab;
mod guard;
mod hands;
mod held;
mod held_up;
mod hover;
mod idle_clients;
mod keyboard;
mod keys;
mod known_clients;
mod masters;
mod monitors;
mod news;
mod over;
mod owning;
mod ping;
mod pixels;
mod pointer;
mod pointing;
mod popup_click;
mod quiet_drop;
mod redirection;
mod removal;
mod scales;
mod screen_pixels;
mod seat_devices;
mod shadow;
mod shared_memory;
mod shield;
mod sign;
mod stack;
mod stamps;
mod stream;
mod typing;
mod undo;
mod user_activity;
mod users_turn;
mod watching;
mod window_capture;
mod window_geometry;
mod windows;
mod worker;
mod x_session;

pub use agent_seat::X11AgentSeats;
pub use caretaker::{ApparentState, Caretaker};
pub use held::{Held, SeatKeeper};
pub use owning::{CopyKeeper, own};

use async_trait::async_trait;
use drawing_watch::DrawnWindows;
use handeye_core::platform::{CaptureTarget, Changes, Clipboard, DrawingWatch, Screen};
use handeye_core::{
    Button, Chord, ClipForm, ClipboardCapabilities, Clipping, Consent, Copied, Dismissal, DragWay, Error,
    Frame, KeySymbol, Monitor, Permit, Point, Result, ScreenCapabilities, Seat, SeatCapabilities, SeatState,
    Support, UserEvents, UserInput, Window, WindowId,
};
use hands::Hands;
use news::News;
use std::sync::Arc;
use std::time::Duration;
use worker::{Role, Worker};

/// How long a question to the X server may take, the connection included.
const DEADLINE: Duration = Duration::from_secs(2);
/// How long a capture may take: a covered window may have to be painted by its application first.
const CAPTURE_DEADLINE: Duration = Duration::from_secs(4);
/// How long reading the clipboard may take, the wait for earlier reads included.
const CLIPBOARD_DEADLINE: Duration = Duration::from_secs(5);

/// A desktop on an X server. Connects at the first call, and again after the server went away.
///
/// Looking and acting use a connection each, so that a long text being typed holds up no screenshot.
pub struct X11Desktop {
    eyes: Worker,
    hands: Hands,
    /// Waits for the application that copied something; nothing else has to wait with it.
    pockets: Worker,
    drawn: DrawnWindows,
    news: News,
    display: Option<String>,
    copies: Option<Arc<dyn CopyKeeper>>,
}

impl X11Desktop {
    /// The desktop on `display` (such as `:0`), or on the one that `$DISPLAY` names at the time of the first call.
    /// Does not connect yet, so it cannot fail. `keeper` is notified of what is held.
    pub fn new(display: Option<String>, keeper: Arc<dyn SeatKeeper>) -> Self {
        Self {
            eyes: Worker::new(display.clone(), "x11-eyes", Role::Looks),
            hands: Hands(Worker::new(display.clone(), "x11-hands", Role::User(keeper))),
            pockets: Worker::new(display.clone(), "x11-pockets", Role::Looks),
            drawn: DrawnWindows::new(Worker::new(display.clone(), "x11-drawn", Role::Notices)),
            news: News::new(display.clone()),
            display,
            copies: None,
        }
    }

    /// The same with a keeper of what is copied, without which nothing can be.
    #[must_use]
    pub fn with_copies_kept_by(self, copies: Arc<dyn CopyKeeper>) -> Self {
        Self { copies: Some(copies), ..self }
    }

    /// The same, where the environment names no display and a search found none that can be used: `not_found` is what a call reports
    /// then. Where a display is named and cannot be reached, the error lists what `not_found` lists.
    #[must_use]
    pub fn without_session(self, not_found: Option<Error>) -> Self {
        Self {
            eyes: self.eyes.without_session(not_found.clone()),
            hands: Hands(self.hands.0.without_session(not_found.clone())),
            pockets: self.pockets.without_session(not_found),
            ..self
        }
    }
}

#[async_trait]
impl Screen for X11Desktop {
    /// A client of an X server may ask it for everything.
    async fn capabilities(&self) -> Result<ScreenCapabilities> {
        Ok(ScreenCapabilities::ALL)
    }

    fn consents(&self) -> Vec<Consent> {
        vec![consents::WINDOW_MANAGER]
    }

    async fn monitors(&self) -> Result<Vec<Monitor>> {
        self.eyes.call(DEADLINE, |session, _| monitors::list(session)).await
    }

    async fn windows(&self) -> Result<Vec<Window>> {
        self.eyes.call(DEADLINE, |session, _| windows::list(session)).await
    }

    async fn shown(&self) -> Result<Vec<Window>> {
        self.eyes.call(DEADLINE, |session, _| stack::shown(session)).await
    }

    async fn capture(&self, target: CaptureTarget) -> Result<Frame> {
        self.eyes.call(CAPTURE_DEADLINE, move |session, _| capture::capture(session, target)).await
    }

    fn changes(&self) -> Changes {
        self.news.windows()
    }
}

#[async_trait]
impl DrawingWatch for X11Desktop {
    async fn prepare(&self) -> Result<()> {
        self.drawn.prepare().await
    }

    async fn last_drawn(&self, process: u32) -> Result<Option<u64>> {
        self.drawn.last_drawn(process).await
    }
}

#[async_trait]
impl Clipboard for X11Desktop {
    /// Every client may ask the one that copied something. What is copied needs a process that keeps it.
    fn capabilities(&self) -> ClipboardCapabilities {
        let writing = match self.copies {
            Some(_) => Support::Yes,
            None => Support::no("no process keeps what is copied"),
        };
        ClipboardCapabilities { writing, ..ClipboardCapabilities::ALL }
    }

    fn consents(&self) -> Vec<Consent> {
        Vec::new()
    }

    async fn read(&self, _: &Permit, form: ClipForm) -> Result<Clipping> {
        self.pockets.call(CLIPBOARD_DEADLINE, move |session, _| clipboard::read(session, form)).await
    }

    async fn write(&self, _: &Permit, copied: Copied) -> Result<()> {
        let Some(keeper) = self.copies.clone() else {
            return Clipboard::capabilities(self).writing.require("nothing can be copied");
        };
        let display = self.display.clone();
        tokio::task::spawn_blocking(move || keeper.keep(display.as_deref(), &copied))
            .await
            .map_err(|error| Error::internal(format!("the thread that copies ended early: {error}")))?
    }

    fn changes(&self) -> Changes {
        self.news.clipboard()
    }
}

#[async_trait]
impl UserInput for X11Desktop {
    /// A server without its RECORD or SHAPE extension refuses by itself.
    fn watching(&self) -> Support {
        Support::Yes
    }

    fn consents(&self) -> Vec<Consent> {
        vec![consents::RECORD, consents::SHAPE]
    }

    async fn watch(&self, _: &Permit) -> Result<UserEvents> {
        let (sender, events) = UserEvents::channel();
        let display = self.display.clone();
        let begun = tokio::task::spawn_blocking(move || watching::begin(display.as_deref(), sender));
        begun.await.map_err(Error::internal)??;
        Ok(events)
    }
}

#[async_trait]
impl Seat for X11Desktop {
    /// A server without its XTEST or XKB extension refuses each press by itself, and without a window manager a window is activated by
    /// requests to the server.
    fn capabilities(&self) -> SeatCapabilities {
        SeatCapabilities::ALL
    }

    fn consents(&self) -> Vec<Consent> {
        vec![consents::SYNTHETIC_INPUT]
    }

    async fn state(&self) -> Result<SeatState> {
        self.eyes.call(DEADLINE, |session, _| windows::seat(session)).await
    }

    async fn was_chosen(&self, window: WindowId) -> Result<bool> {
        self.eyes.call(DEADLINE, move |session, _| user_activity::was_chosen(session, window)).await
    }

    async fn activate(&self, _: &Permit, window: WindowId) -> Result<()> {
        self.eyes.call(DEADLINE, move |session, _| activate::activate(session, window)).await
    }

    async fn dismiss(&self, _: &Permit, popup: WindowId) -> Result<Dismissal> {
        self.eyes.call(DEADLINE, move |session, _| dismissal::dismiss(session, popup)).await
    }

    async fn hover(&self, _: &Permit, at: Point, window: Option<WindowId>) -> Result<()> {
        self.hands.hover(at, window).await
    }

    async fn click(
        &self,
        _: &Permit,
        at: Point,
        button: Button,
        count: u32,
        window: Option<WindowId>,
    ) -> Result<()> {
        self.hands.click(at, button, count, window).await
    }

    async fn drag(&self, _: &Permit, way: DragWay, window: Option<WindowId>) -> Result<()> {
        self.hands.drag(way, window).await
    }

    async fn wheel(&self, _: &Permit, at: Point, dx: i32, dy: i32, window: Option<WindowId>) -> Result<()> {
        self.hands.wheel(at, dx, dy, window).await
    }

    fn key_symbol(&self, chord: &Chord) -> Result<KeySymbol> {
        typing::symbol_of_chord(chord).map(KeySymbol)
    }

    async fn key(&self, _: &Permit, chord: &Chord, window: Option<WindowId>) -> Result<()> {
        self.hands.key(chord, window).await
    }

    async fn type_text(&self, _: &Permit, text: &str, window: Option<WindowId>) -> Result<()> {
        self.hands.type_text(text, window).await
    }
}
