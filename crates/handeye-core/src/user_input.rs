//! What the user does with pointer and keyboard, for a recording.
//!
//! A port reports that a character was typed, and never which one: what was typed is read from the field that holds it. So no password, and
//! nothing else that somebody types, passes through handeye as keys.

use crate::{Button, Chord, Consent, Permit, Point, Result, Support};
use async_trait::async_trait;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;
use tokio::sync::mpsc;

/// Most events that wait for their reader; those beyond are counted and lost.
pub const MAX_WAITING: usize = 1024;

/// A key that was pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keystroke {
    /// One that types a character, whichever.
    Character,
    /// The space bar, which types a space or presses a button.
    Space,
    /// One that changes or moves in a text (`backspace`, `left`), a key with a name, or a shortcut (`ctrl+s`).
    Chord(Chord),
}

/// What the user did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserAction {
    /// A button went down.
    Press(Button, Point),
    /// A button came up.
    Release(Button, Point),
    /// The wheel was turned by one notch; positive `dy` is down, positive `dx` right.
    Wheel {
        /// To the right.
        dx: i32,
        /// Down.
        dy: i32,
        /// Where the pointer was.
        at: Point,
    },
    /// A key went down.
    Key(Keystroke),
}

/// What the user did, and when that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserEvent {
    /// When it was seen.
    pub at: Instant,
    /// What was done.
    pub action: UserAction,
}

/// What the user does from now on. The port stops to watch when this is dropped, and this ends when the port cannot watch any more.
#[derive(Debug)]
pub struct UserEvents {
    events: mpsc::Receiver<UserEvent>,
    lost: Arc<AtomicU32>,
}

/// The end of [`UserEvents`] that a port has.
#[derive(Debug, Clone)]
pub struct UserEventSender {
    events: mpsc::Sender<UserEvent>,
    lost: Arc<AtomicU32>,
}

impl UserEvents {
    /// Both ends.
    pub fn channel() -> (UserEventSender, Self) {
        let (sender, events) = mpsc::channel(MAX_WAITING);
        let lost = Arc::new(AtomicU32::new(0));
        (UserEventSender { events: sender, lost: Arc::clone(&lost) }, Self { events, lost })
    }

    /// The next event; `None` when the port watches no more.
    pub async fn next(&mut self) -> Option<UserEvent> {
        self.events.recv().await
    }

    /// The next event, if it is there already.
    pub fn ready(&mut self) -> Option<UserEvent> {
        self.events.try_recv().ok()
    }

    /// How many events were lost because nobody read them in time.
    pub fn lost(&self) -> u32 {
        self.lost.load(Ordering::Relaxed)
    }
}

impl UserEventSender {
    /// Sends an event, without waiting.
    pub fn send(&self, action: UserAction) {
        if let Err(mpsc::error::TrySendError::Full(_)) =
            self.events.try_send(UserEvent { at: Instant::now(), action })
        {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether nobody reads any more.
    pub fn is_closed(&self) -> bool {
        self.events.is_closed()
    }
}

/// Watches what the user does.
#[async_trait]
pub trait UserInput: Send + Sync {
    /// Whether it can, and why not.
    fn watching(&self) -> Support;

    /// What has to be given from outside so that it can.
    fn consents(&self) -> Vec<Consent>;

    /// Begins to watch.
    async fn watch(&self, permit: &Permit) -> Result<UserEvents>;
}
