//! Stamps what is drawn in a window, by the Damage extension: pictures with the same stamp show the same.

use super::capture_state::Stamped;
use super::drawing_state::next_number;
use super::fault::{Outcome, Vanished};
use super::x_session::XSession;
use handeye_core::{Rect, Stamp};
use x11rb::connection::Connection as _;
use x11rb::protocol::damage::{ConnectionExt as _, ReportLevel};
use x11rb::protocol::xfixes::ConnectionExt as _;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat, Window};

/// How many windows keep a stamp, the root among them: those of which a picture was taken last.
const MOST: usize = 8;

/// Reads pixels of a window or of what is in it, and returns what was drawn there last. `None` stands for the latter where the server cannot report
/// it, and where something was drawn meanwhile: it may be in the pixels, in part too. `read` gets whether the server reports it.
pub(super) fn stamped<T>(
    session: &mut XSession,
    window: Window,
    read: impl FnOnce(&mut XSession, bool) -> Outcome<T>,
) -> Outcome<(T, Option<Stamp>)> {
    let before = current(session, window)?;
    let pixels = read(session, before.is_some())?;
    // What the server draws on the screen only when it is asked for its pixels may have come with these.
    let after = if before.is_some() { current(session, window)? } else { None };
    Ok((pixels, before.filter(|_| before == after)))
}

/// What was drawn last in a window, as far as the server has done what clients asked of it; `None` where the server cannot report it. Anything that is
/// drawn from now on has another stamp.
fn current(session: &mut XSession, window: Window) -> Outcome<Option<Stamp>> {
    if !session.extensions.damage || !session.extensions.fixes {
        return Ok(None);
    }
    let known = session.capture.stamps.iter().position(|stamped| stamped.window == window);
    let kept = match known.map(|position| session.capture.stamps.remove(position)) {
        Some(stamped) => updated(session, stamped)?,
        None => begin(session, window)?,
    };
    let Some(kept) = kept else { return Ok(None) };
    let stamp = kept.stamp;
    session.capture.stamps.push(kept);
    if session.capture.stamps.len() > MOST {
        let oldest = session.capture.stamps.remove(0);
        if oldest.window == session.root() {
            // Nobody adds up any more what is drawn there.
            session.capture.last_read = None;
        }
        session.connection.damage_destroy(oldest.damage)?.check().if_there()?;
        session.connection.xfixes_destroy_region(oldest.region)?;
    }
    Ok(Some(stamp))
}

/// Gives the window another stamp if anything was drawn in it; `None` if it is gone.
fn updated(session: &mut XSession, stamped: Stamped) -> Outcome<Option<Stamped>> {
    let Stamped { window, damage, region, .. } = stamped;
    let connection = &session.connection;
    if window == session.root() {
        // Where the server keeps the pixels of windows apart, it draws them on the screen when it is asked for any pixel of that.
        drop(connection.get_image(ImageFormat::Z_PIXMAP, window, 0, 0, 1, 1, 1)?);
    }
    let subtracted = connection.damage_subtract(damage, x11rb::NONE, region)?;
    let drawn = connection.xfixes_fetch_region(region)?.reply()?;
    let area = drawn.extents;
    // What the server announces is not waited for: the region has it all.
    session.drain_events()?;
    if subtracted.check().if_there()?.is_none() {
        session.connection.xfixes_destroy_region(region)?;
        return Ok(None);
    }
    if window == session.root()
        && let Some(last) = &mut session.capture.last_read
    {
        last.drawn.add(
            drawn
                .rectangles
                .iter()
                .map(|part| Rect::new(part.x.into(), part.y.into(), part.width.into(), part.height.into())),
        );
    }
    let is_drawn = area.width > 0 && area.height > 0;
    Ok(Some(if is_drawn { Stamped { stamp: Stamp::new(next_number()), ..stamped } } else { stamped }))
}

fn begin(session: &mut XSession, window: Window) -> Outcome<Option<Stamped>> {
    if window == session.root() {
        // What was drawn until now is not known.
        session.capture.last_read = None;
    }
    let connection = &session.connection;
    let (damage, region) = (connection.generate_id()?, connection.generate_id()?);
    if connection.damage_create(damage, window, ReportLevel::NON_EMPTY)?.check().if_there()?.is_none() {
        return Ok(None);
    }
    connection.xfixes_create_region(region, &[])?;
    // Windows are damaged as a whole when they begin to be watched.
    connection.damage_subtract(damage, x11rb::NONE, region)?;
    session.sync()?;
    session.drain_events()?;
    Ok(Some(Stamped { window, damage, region, stamp: Stamp::new(next_number()) }))
}
