//! Pixels of the screen: of what was read before, only what was drawn since is read again.

use super::capture_state::LastRead;
use super::drawn::Drawn;
use super::fault::Outcome;
use super::grab;
use super::stamps::stamped;
use super::x_session::XSession;
use handeye_core::{Frame, Rect, Redrawn, Stamp};
use std::sync::Arc;

/// Most bytes of a picture that is kept: those of a screen of 4K.
const MOST_KEPT: usize = 3840 * 2160 * 3;
/// Every so many pictures all of it is read, and compared with what would have been believed.
const CHECK_EVERY: u32 = 16;

/// The pixels of a part of the screen, one for each unit of it.
pub(super) struct Pixels {
    /// The part.
    pub(super) area: Rect,
    /// `area.width * area.height * 3` bytes.
    pub(super) rgb: Arc<Vec<u8>>,
    /// What was drawn last before they were read; `None` where that is not known, or they are not as the server has them.
    pub(super) stamp: Option<Stamp>,
    /// Where they may differ from pixels of this part that were read before; `None` where that is not known.
    pub(super) redrawn: Option<Redrawn>,
}

impl From<Pixels> for Frame {
    fn from(pixels: Pixels) -> Self {
        Self::sharing(pixels.area, pixels.rgb).taken_after(pixels.stamp).redrawn_in(pixels.redrawn)
    }
}

/// How much of what is there is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// What was drawn since the last time.
    Drawn,
    /// All, at once.
    All,
}

/// Captures a part of the desktop as it is seen, which has to lie on it.
pub(super) fn part_of_desktop(session: &mut XSession, area: Rect) -> Outcome<Pixels> {
    let (mut read, mut stamp) = read(session, area, Effort::Drawn)?;
    let is_disturbed =
        |session: &XSession| session.capture.last_read.as_ref().is_none_or(|last| last.drawn.touches(area));
    if read.is_of_parts && stamp.is_none() && is_disturbed(session) {
        // Parts of several moments make up what was never on the screen.
        (read, stamp) = self::read(session, area, Effort::All)?;
    }
    // What was drawn meanwhile is no contradiction.
    if read.is_contradicted && stamp.is_some() {
        tracing::warn!(
            "something was drawn on the screen that was not reported: all of it is read from now on"
        );
        session.capture.belief.is_lost = true;
    }
    if session.capture.belief.is_lost {
        session.capture.last_read = None;
        (read.redrawn, stamp) = (None, None);
    }
    if let (Some(last), Some(since)) = (&mut session.capture.last_read, stamp) {
        last.redrawn = Some(Redrawn { since, rows: Vec::new() });
    }
    Ok(Pixels { area, rgb: read.rgb, stamp, redrawn: read.redrawn })
}

/// What was read of an area.
struct Read {
    rgb: Arc<Vec<u8>>,
    redrawn: Option<Redrawn>,
    /// Whether its pixels are those of several moments.
    is_of_parts: bool,
    /// Whether it is something else than what was reported.
    is_contradicted: bool,
}

impl Read {
    fn all(rgb: Vec<u8>, redrawn: Option<Redrawn>) -> Self {
        Self { rgb: Arc::new(rgb), redrawn, is_of_parts: false, is_contradicted: false }
    }
}

fn read(session: &mut XSession, area: Rect, effort: Effort) -> Outcome<(Read, Option<Stamp>)> {
    let root = session.root();
    stamped(session, root, |session, is_reported| {
        let last = session.capture.last_read.take();
        let read = match last.filter(|last| is_reported && last.area == area) {
            Some(last) => update(session, last, effort)?,
            None => Read::all(whole(session, area)?, None),
        };
        if is_reported && read.rgb.len() <= MOST_KEPT {
            let (rgb, redrawn) = (Arc::clone(&read.rgb), read.redrawn.clone());
            // What is drawn from now on is added to this, and what was drawn while it was read.
            session.capture.last_read = Some(LastRead { area, rgb, redrawn, drawn: Drawn::default() });
        }
        Ok(read)
    })
}

/// The same area once more.
fn update(session: &mut XSession, last: LastRead, effort: Effort) -> Outcome<Read> {
    let LastRead { area, mut rgb, redrawn, drawn } = last;
    let Some(parts) = drawn.within(area) else { return whole(session, area).map(|rgb| Read::all(rgb, None)) };
    let rows = parts.iter().map(|part| part.y.abs_diff(area.y)..part.bottom().abs_diff(area.y));
    let redrawn = redrawn.map(|redrawn| redrawn.and(rows));
    if effort == Effort::All {
        return whole(session, area).map(|rgb| Read::all(rgb, redrawn));
    }
    if !parts.is_empty() {
        let drawable = (session.root(), session.screen.root_visual);
        grab::read_parts(session, drawable, area, &parts, Arc::make_mut(&mut rgb).as_mut_slice())?;
    }
    let belief = &mut session.capture.belief;
    // The first time soon: a server that reports nothing is found out by the second picture.
    let is_compared = belief.pictures.is_multiple_of(CHECK_EVERY);
    belief.pictures += 1;
    if !is_compared {
        return Ok(Read { rgb, redrawn, is_of_parts: true, is_contradicted: false });
    }
    let all = whole(session, area)?;
    let is_contradicted = all != *rgb;
    Ok(Read { is_contradicted, ..Read::all(all, redrawn.filter(|_| !is_contradicted)) })
}

fn whole(session: &mut XSession, area: Rect) -> Outcome<Vec<u8>> {
    let (root, visual) = (session.root(), session.screen.root_visual);
    grab::rgb(session, root, visual, area)
}
