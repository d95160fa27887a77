//! Pixels of the screen: of what was read before, only what was drawn since is read again.

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

/// What was read last.
pub(super) struct LastRead {
    area: Rect,
    rgb: Arc<Vec<u8>>,
    stamp: Option<Stamp>,
    /// What was drawn on the screen since then, or while it was read.
    pub(super) drawn: Drawn,
}

/// How far what the server reports as drawn is believed.
#[derive(Default)]
pub(super) struct Belief {
    /// Pictures of which only a part was read, since the last one of which all was.
    pictures: u32,
    /// Something was drawn that was not reported.
    is_lost: bool,
}

/// Captures a part of the desktop as it is seen, which has to lie on it.
pub(super) fn part_of_desktop(session: &mut XSession, area: Rect) -> Outcome<Pixels> {
    let root = session.root();
    let (read, stamp) = stamped(session, root, |session, is_reported| {
        let last = session.capture.last_read.take();
        let read = match last.filter(|last| is_reported && last.area == area) {
            Some(last) => update(session, last)?,
            None => Read::new(whole(session, area)?),
        };
        if is_reported && !session.capture.belief.is_lost && read.rgb.len() <= MOST_KEPT {
            let rgb = Arc::clone(&read.rgb);
            // What is drawn from now on is added to this, and what was drawn while it was read.
            session.capture.last_read = Some(LastRead { area, rgb, stamp: None, drawn: Drawn::default() });
        }
        Ok(read)
    })?;
    let Read { rgb, mut redrawn, is_contradicted } = read;
    // What was drawn meanwhile is no contradiction.
    if is_contradicted && stamp.is_some() {
        tracing::warn!(
            "something was drawn on the screen that was not reported: all of it is read from now on"
        );
        session.capture.belief.is_lost = true;
        session.capture.last_read = None;
        redrawn = None;
    }
    if let Some(last) = &mut session.capture.last_read {
        last.stamp = stamp;
    }
    Ok(Pixels { area, rgb, stamp, redrawn })
}

/// What was read of an area.
struct Read {
    rgb: Arc<Vec<u8>>,
    redrawn: Option<Redrawn>,
    /// Whether it is something else than what was reported.
    is_contradicted: bool,
}

impl Read {
    fn new(rgb: Vec<u8>) -> Self {
        Self { rgb: Arc::new(rgb), redrawn: None, is_contradicted: false }
    }
}

/// The same area once more: what was read of it last, with those parts read again in which something was drawn since.
fn update(session: &mut XSession, last: LastRead) -> Outcome<Read> {
    let LastRead { area, mut rgb, stamp, drawn } = last;
    let Some(parts) = drawn.within(area) else { return whole(session, area).map(Read::new) };
    if !parts.is_empty() {
        let drawable = (session.root(), session.screen.root_visual);
        grab::read_parts(session, drawable, area, &parts, Arc::make_mut(&mut rgb).as_mut_slice())?;
    }
    let rows = parts.iter().map(|part| part.y.abs_diff(area.y)..part.bottom().abs_diff(area.y)).collect();
    let redrawn = stamp.map(|since| Redrawn { since, rows });
    let belief = &mut session.capture.belief;
    belief.pictures = (belief.pictures + 1) % CHECK_EVERY;
    if belief.pictures > 0 {
        return Ok(Read { rgb, redrawn, is_contradicted: false });
    }
    let all = whole(session, area)?;
    let is_contradicted = all != *rgb;
    Ok(Read { rgb: Arc::new(all), redrawn: redrawn.filter(|_| !is_contradicted), is_contradicted })
}

fn whole(session: &mut XSession, area: Rect) -> Outcome<Vec<u8>> {
    let (root, visual) = (session.root(), session.screen.root_visual);
    grab::rgb(session, root, visual, area)
}
