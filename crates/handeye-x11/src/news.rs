//! What the X server announces by itself: that windows came or went, that another one is active, that something was copied.
//!
//! A connection and a thread of their own, which begin with the first listener and end, at the next change, without one.

use super::fault::Outcome;
use super::x_session::XSession;
use handeye_core::platform::Changes;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use x11rb::protocol::Event;
use x11rb::protocol::xfixes::{ConnectionExt as _, SelectionEventMask};
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, PropertyNotifyEvent,
};

/// How long to wait before the server is tried again.
const RETRY: Duration = Duration::from_secs(2);
/// How often a quiet thread checks whether there is still a listener.
const QUIET: Duration = Duration::from_secs(60);

/// Changes of one display.
pub(super) struct News {
    display: Option<String>,
    publisher: Arc<Publisher>,
}

/// The listeners that are notified.
#[derive(Default)]
struct Publisher {
    windows: watch::Sender<u64>,
    clipboard: watch::Sender<u64>,
    is_running: Mutex<bool>,
}

impl News {
    /// Changes of `display`, or of the one that `$DISPLAY` names. Does not connect yet.
    pub(super) fn new(display: Option<String>) -> Self {
        Self { display, publisher: Arc::default() }
    }

    /// Wakes when windows come or go, or another one becomes the active one.
    pub(super) fn windows(&self) -> Changes {
        let changes = self.publisher.windows.subscribe();
        self.listen();
        changes
    }

    /// Wakes when something was copied.
    pub(super) fn clipboard(&self) -> Changes {
        let changes = self.publisher.clipboard.subscribe();
        self.listen();
        changes
    }

    /// Starts the thread if there is none.
    fn listen(&self) {
        let mut is_running = self.publisher.is_running.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_running {
            return;
        }
        let (publisher, display) = (Arc::clone(&self.publisher), self.display.clone());
        let started = std::thread::Builder::new()
            .name("x11-news".into())
            .spawn(move || publisher.run(display.as_deref()));
        match started {
            Ok(_) => *is_running = true,
            Err(error) => tracing::warn!(%error, "no thread for the events of the X server"),
        }
    }
}

impl Publisher {
    fn run(&self, display: Option<&str>) {
        while !self.is_over() {
            if let Err(fault) = self.follow(display) {
                tracing::debug!(?fault, "no events of the X server for a while");
                std::thread::sleep(RETRY);
            }
        }
    }

    /// Reports changes until there is no listener any more.
    fn follow(&self, display: Option<&str>) -> Outcome<()> {
        let session = XSession::open(display)?;
        let root = session.root();
        let managed =
            !session.numbers(root, session.atoms._NET_SUPPORTING_WM_CHECK, AtomEnum::WINDOW, 1)?.is_empty();
        let mut mask = EventMask::PROPERTY_CHANGE;
        if !managed {
            mask |= EventMask::SUBSTRUCTURE_NOTIFY;
        }
        session
            .connection
            .change_window_attributes(root, &ChangeWindowAttributesAux::new().event_mask(mask))?;
        if session.extensions.fixes {
            let owners = SelectionEventMask::SET_SELECTION_OWNER
                | SelectionEventMask::SELECTION_WINDOW_DESTROY
                | SelectionEventMask::SELECTION_CLIENT_CLOSE;
            session.connection.xfixes_select_selection_input(root, session.atoms.CLIPBOARD, owners)?;
        }
        session.sync()?;
        // The server does not announce what happened before.
        notify(&self.windows);
        notify(&self.clipboard);
        loop {
            match session.next_event(Instant::now() + QUIET)? {
                Some(Event::PropertyNotify(news)) if is_about_windows(&session, &news) => {
                    notify(&self.windows);
                }
                Some(Event::MapNotify(_) | Event::UnmapNotify(_) | Event::DestroyNotify(_)) => {
                    notify(&self.windows);
                }
                Some(Event::XfixesSelectionNotify(_)) => notify(&self.clipboard),
                Some(_) => continue,
                None => {}
            }
            if !self.has_listeners() {
                return Ok(());
            }
        }
    }

    fn has_listeners(&self) -> bool {
        self.windows.receiver_count() + self.clipboard.receiver_count() > 0
    }

    /// Whether the thread may end. Decided under the lock under which a listener looks for it.
    fn is_over(&self) -> bool {
        let mut is_running = self.is_running.lock().unwrap_or_else(PoisonError::into_inner);
        *is_running = self.has_listeners();
        !*is_running
    }
}

fn is_about_windows(session: &XSession, news: &PropertyNotifyEvent) -> bool {
    [session.atoms._NET_CLIENT_LIST, session.atoms._NET_ACTIVE_WINDOW].contains(&news.atom)
}

fn notify(changes: &watch::Sender<u64>) {
    changes.send_modify(|heard| *heard += 1);
}
