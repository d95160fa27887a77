//! What a pointer and a keyboard do on the thread of their connection, each within its deadline.

use super::aim::Aim;
use super::drag::{MAX_DRAG, drag};
use super::fault::Outcome;
use super::hover::hover;
use super::over::put_over;
use super::worker::Worker;
use super::x_session::XSession;
use super::{pointer, typing};
use handeye_core::{Button, Chord, DragWay, Point, Result, WindowId};
use std::time::Duration;

/// How long a click, a key or a turn of the wheel may take, what they wait for included.
pub(super) const INPUT_DEADLINE: Duration = Duration::from_secs(10);
/// How much longer each character of a text may take: a batch of characters that are on no key takes 0.1 s.
const PER_CHARACTER: Duration = Duration::from_millis(20);

/// The pointer and the keyboard of one connection.
pub(super) struct Hands(pub(super) Worker);

impl Hands {
    pub(super) async fn hover(&self, at: Point, window: Option<WindowId>) -> Result<()> {
        self.0.call(INPUT_DEADLINE, move |session, caller| hover(session, at, window, caller)).await
    }

    pub(super) async fn click(
        &self,
        at: Point,
        button: Button,
        count: u32,
        window: Option<WindowId>,
    ) -> Result<()> {
        self.0
            .call(INPUT_DEADLINE, move |session, _| pointer::click(session, at, button, count, window))
            .await
    }

    pub(super) async fn drag(&self, way: DragWay, window: Option<WindowId>) -> Result<()> {
        let deadline = INPUT_DEADLINE + way.duration.min(MAX_DRAG);
        self.0.call(deadline, move |session, caller| drag(session, way, window, caller)).await
    }

    pub(super) async fn wheel(&self, at: Point, dx: i32, dy: i32, window: Option<WindowId>) -> Result<()> {
        self.0.call(INPUT_DEADLINE, move |session, _| pointer::wheel(session, at, dx, dy, window)).await
    }

    pub(super) async fn key(&self, chord: &Chord, window: Option<WindowId>) -> Result<()> {
        let chord = chord.clone();
        self.0
            .call(INPUT_DEADLINE, move |session, _| {
                bring_over(session, window)?;
                typing::press_chord(session, &chord, window)
            })
            .await
    }

    pub(super) async fn type_text(&self, text: &str, window: Option<WindowId>) -> Result<()> {
        let symbols = typing::symbols_of_text(text)?;
        let length = u32::try_from(symbols.len()).unwrap_or(u32::MAX);
        let deadline = INPUT_DEADLINE + PER_CHARACTER.saturating_mul(length);
        self.0
            .call(deadline, move |session, caller| {
                bring_over(session, window)?;
                typing::type_symbols(session, &symbols, window, caller)
            })
            .await
    }
}

/// Puts the pointer of an agent, by which its keys go, over the window that is meant.
fn bring_over(session: &mut XSession, window: Option<WindowId>) -> Outcome<()> {
    match window.filter(|_| session.masters.is_some()) {
        Some(window) => put_over(session, Aim::at(window)?),
        None => Ok(()),
    }
}
