//! The monitors.

use super::fault::{Outcome, Vanished};
use super::scales::Scales;
use super::x_session::XSession;
use handeye_core::{Error, Monitor, Point, Rect};
use std::collections::HashSet;
use x11rb::protocol::randr::ConnectionExt as _;
use x11rb::protocol::xproto::ConnectionExt as _;

/// The monitors, the primary one first and the others from left to right, then from top to bottom; the whole desktop
/// as one where the server knows no monitors. Of mirrored monitors, which show the same, one represents all.
pub(super) fn list(session: &XSession) -> Outcome<Vec<Monitor>> {
    let scales = Scales::read(session)?;
    let monitors = session
        .extensions
        .monitors
        .then(|| session.connection.randr_get_monitors(session.root(), true))
        .transpose()?;
    let found = match monitors {
        Some(cookie) => cookie.reply().if_there()?.map(|reply| reply.monitors).unwrap_or_default(),
        None => Vec::new(),
    };
    let names = found
        .iter()
        .map(|monitor| Ok(session.connection.get_atom_name(monitor.name)?))
        .collect::<Outcome<Vec<_>>>()?;
    let mut monitors = Vec::with_capacity(found.len());
    for (monitor, name) in found.iter().zip(names) {
        let name = name.reply().if_there()?.map(|reply| reply.name).unwrap_or_default();
        let name = String::from_utf8_lossy(&name).into_owned();
        monitors.push(Monitor {
            area: Rect::new(monitor.x.into(), monitor.y.into(), monitor.width.into(), monitor.height.into()),
            primary: monitor.primary,
            scale: scales.of(&name),
            name,
        });
    }
    // A monitor without an area is off.
    monitors.retain(|monitor| !monitor.area.is_empty());
    if monitors.is_empty() {
        let name = "screen".to_owned();
        monitors.push(Monitor { area: desktop(session)?, primary: true, scale: scales.of(&name), name });
    }
    Ok(in_order(monitors))
}

fn in_order(mut monitors: Vec<Monitor>) -> Vec<Monitor> {
    monitors.sort_by(|one, other| {
        let key = |monitor: &Monitor| (!monitor.primary, monitor.area.x, monitor.area.y);
        key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
    });
    let mut seen = HashSet::new();
    monitors.retain(|monitor| seen.insert(monitor.area));
    for (place, monitor) in monitors.iter_mut().enumerate() {
        monitor.primary = place == 0;
    }
    monitors
}

/// The whole desktop, over all monitors. Asked each time, as it may be resized.
pub(super) fn desktop(session: &XSession) -> Outcome<Rect> {
    let root = session.connection.get_geometry(session.root())?.reply()?;
    Ok(Rect::new(0, 0, root.width.into(), root.height.into()))
}

/// Refuses a point that no monitor shows.
pub(super) fn require_on_a_monitor(session: &XSession, parameter: &str, point: Point) -> Outcome<()> {
    let monitors = list(session)?;
    if monitors.iter().any(|monitor| monitor.area.contains(point)) {
        return Ok(());
    }
    let why = format!("{},{} is on no monitor", point.x, point.y);
    Err(Error::invalid_parameter(parameter, why)
        .with_found(monitors.iter().map(|monitor| {
            let Rect { x, y, width, height, .. } = monitor.area;
            format!("monitor {} shows {width}x{height} pixels at {x},{y}", monitor.name)
        }))
        .with_next("Give a point that a monitor shows, in physical pixels of the desktop.")
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monitors_stand_in_reading_order_after_the_primary_one() {
        let monitor = |name: &str, x, y, primary| Monitor {
            name: name.into(),
            area: Rect::new(x, y, 100, 100),
            primary,
            scale: 1.0,
        };
        let ordered = |monitors| {
            let names = |monitor: Monitor| (monitor.name, monitor.primary);
            in_order(monitors).into_iter().map(names).collect::<Vec<_>>()
        };
        let all = vec![
            monitor("right", 200, 0, false),
            monitor("low", 0, 100, false),
            monitor("left", 0, 0, false),
            monitor("middle", 100, 0, true),
            monitor("mirror", 200, 0, false),
        ];
        let expected = [("middle", true), ("left", false), ("low", false), ("mirror", false)];
        assert_eq!(ordered(all), expected.map(|(name, primary)| (name.to_owned(), primary)));
        let without_primary = vec![monitor("b", 100, 0, false), monitor("a", 0, 0, false)];
        assert_eq!(ordered(without_primary), [("a".to_owned(), true), ("b".to_owned(), false)]);
    }
}
