//! The pointer over a place, and what the application shows for it.

use super::abandoned::Abandoned;
use super::fault::Outcome;
use super::pointer::go_to;
use super::pointing::warp;
use super::x_session::XSession;
use handeye_core::{Point, WindowId};
use std::time::{Duration, Instant};
use x11rb::protocol::Event;

/// How long a tooltip may take to appear: toolkits wait for 0.5 to 0.7 s.
const APPEARS: Duration = Duration::from_millis(1_200);
/// Time for an application to see one motion before the next: what comes at once is one to it.
const NOTICE: Duration = Duration::from_millis(30);
/// How long one wait lasts before it is looked whether the caller has left.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Moves the pointer to `at`, where that is in `window`, and waits for a popup to appear.
pub(super) fn hover(
    session: &mut XSession,
    at: Point,
    window: Option<WindowId>,
    caller: &dyn Abandoned,
) -> Outcome<()> {
    go_to(session, at, window)?;
    session.announce_root_children(true)?;
    let waited = stir(session, at).and_then(|()| await_tooltip(session, caller));
    session.announce_root_children(false)?;
    session.sync()?;
    session.drain_events()?;
    waited
}

/// Moves the pointer by a pixel and back: toolkits look at a motion, and it may have been there before.
fn stir(session: &XSession, at: Point) -> Outcome<()> {
    warp(session, Point::new(if at.x > 0 { at.x - 1 } else { at.x + 1 }, at.y))?;
    session.pause(NOTICE)?;
    warp(session, at)
}

fn await_tooltip(session: &XSession, caller: &dyn Abandoned) -> Outcome<()> {
    let until = Instant::now() + APPEARS;
    while Instant::now() < until && !caller.is_abandoned() {
        let look = until.min(Instant::now() + LOOK_AGAIN);
        if let Some(Event::MapNotify(mapped)) = session.next_event(look)?
            && mapped.override_redirect
        {
            return Ok(());
        }
    }
    Ok(())
}
