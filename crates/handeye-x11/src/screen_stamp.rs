//! Stamps what is drawn on the screen, by the Damage extension: pictures with the same stamp show the same.

use super::capture_state::DrawnOnScreen;
use super::drawing_state::next_number;
use super::fault::Outcome;
use super::x_session::XSession;
use handeye_core::Stamp;
use x11rb::connection::Connection as _;
use x11rb::protocol::damage::{ConnectionExt as _, ReportLevel};
use x11rb::protocol::xfixes::ConnectionExt as _;

/// What was drawn last on the screen, as far as the server has done what clients asked of it; `None` where the server cannot report it. Anything
/// that is drawn from now on has another stamp.
pub(super) fn current(session: &mut XSession) -> Outcome<Option<Stamp>> {
    if !session.extensions.damage || !session.extensions.fixes {
        return Ok(None);
    }
    let Some(drawn) = &mut session.capture.drawn else {
        let drawn = begin(session)?;
        let stamp = drawn.stamp;
        session.capture.drawn = Some(drawn);
        return Ok(Some(stamp));
    };
    session.connection.damage_subtract(drawn.damage, x11rb::NONE, drawn.region)?;
    let area = session.connection.xfixes_fetch_region(drawn.region)?.reply()?.extents;
    if area.width > 0 && area.height > 0 {
        drawn.stamp = Stamp::new(next_number());
    }
    let stamp = drawn.stamp;
    // What the server announces is not waited for: the region has it all.
    session.drain_events()?;
    Ok(Some(stamp))
}

fn begin(session: &XSession) -> Outcome<DrawnOnScreen> {
    let connection = &session.connection;
    let (damage, region) = (connection.generate_id()?, connection.generate_id()?);
    connection.damage_create(damage, session.root(), ReportLevel::NON_EMPTY)?;
    connection.xfixes_create_region(region, &[])?;
    // Windows are damaged as a whole when they begin to be watched.
    connection.damage_subtract(damage, x11rb::NONE, region)?;
    session.sync()?;
    Ok(DrawnOnScreen { damage, region, stamp: Stamp::new(next_number()) })
}
