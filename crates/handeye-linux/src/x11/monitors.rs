//! The monitors.

use super::fault::{Outcome, Vanished};
use super::session::Session;
use handeye_core::{Error, Monitor, Point, Rect};
use x11rb::protocol::randr::ConnectionExt as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _};

/// The resolution at which one logical pixel is one physical pixel.
const BASE_DPI: f64 = 96.0;

/// The monitors, the primary one first; the whole desktop as one where the server knows no monitors.
///
/// X11 has one scale for all monitors, if any: `Xft.dpi` of the resource database (which desktops set and toolkits
/// obey) divided by 96, else 1.
pub(super) fn list(session: &Session) -> Outcome<Vec<Monitor>> {
    let resources = session.connection.get_property(
        false,
        session.root(),
        AtomEnum::RESOURCE_MANAGER,
        AtomEnum::STRING,
        0,
        16_384,
    )?;
    let monitors = session
        .extensions
        .monitors
        .then(|| session.connection.randr_get_monitors(session.root(), true))
        .transpose()?;
    let scale = scale_of(&String::from_utf8_lossy(&resources.reply()?.value));
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
        monitors.push(Monitor {
            name: String::from_utf8_lossy(&name).into_owned(),
            area: Rect::new(monitor.x.into(), monitor.y.into(), monitor.width.into(), monitor.height.into()),
            primary: monitor.primary,
            scale,
        });
    }
    monitors.retain(|monitor| !monitor.area.is_empty());
    if monitors.is_empty() {
        monitors.push(Monitor { name: "screen".into(), area: desktop(session)?, primary: true, scale });
    }
    if !monitors.iter().any(|monitor| monitor.primary) {
        monitors[0].primary = true;
    }
    monitors.sort_by_key(|monitor| !monitor.primary);
    Ok(monitors)
}

/// The whole desktop, over all monitors. Asked each time, as it may be resized.
pub(super) fn desktop(session: &Session) -> Outcome<Rect> {
    let root = session.connection.get_geometry(session.root())?.reply()?;
    Ok(Rect::new(0, 0, root.width.into(), root.height.into()))
}

/// Refuses a point that no monitor shows.
pub(super) fn require_on_a_monitor(session: &Session, parameter: &str, point: Point) -> Outcome<()> {
    let monitors = list(session)?;
    if monitors.iter().any(|monitor| monitor.area.contains(point)) {
        return Ok(());
    }
    let why = format!("{},{} is on no monitor", point.x, point.y);
    Err(Error::invalid_parameter(parameter, why)
        .with_found(monitors.iter().map(|monitor| {
            let Rect { x, y, width, height } = monitor.area;
            format!("monitor {} shows {width}x{height} pixels at {x},{y}", monitor.name)
        }))
        .with_next("Give a point that a monitor shows, in physical pixels of the desktop.")
        .into())
}

fn scale_of(resources: &str) -> f64 {
    resources
        .lines()
        .find_map(|line| line.strip_prefix("Xft.dpi:"))
        .and_then(|value| value.trim().parse::<f64>().ok())
        .filter(|dpi| (24.0..=960.0).contains(dpi))
        .map_or(1.0, |dpi| dpi / BASE_DPI)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_taken_from_the_resource_database() {
        let doubled = scale_of("Xcursor.size:\t24\nXft.dpi:\t192\n");
        assert!((doubled - 2.0).abs() < f64::EPSILON);
        for odd in ["", "Xft.dpi: many", "Xft.dpi: 0", "*Xft.dpi: 192"] {
            assert!((scale_of(odd) - 1.0).abs() < f64::EPSILON, "{odd}");
        }
    }
}
