//! How large a logical pixel is on each monitor.
//!
//! X11 itself has only physical pixels. Desktops announce a scale, and programs draw by it: so it is
//! information about what is seen, and no coordinate depends on it. In this order:
//!
//! 1. `QT_SCREEN_SCALE_FACTORS` of the session (`eDP-1=2;HDMI-1=1`), the only scale by monitor that toolkits obey on
//!    X11; KDE Plasma sets it.
//! 2. `Xft.dpi` of the resource database, divided by 96: GNOME, Xfce, Cinnamon and MATE set it, and it holds for all.
//! 3. `Xft/DPI` or `Gdk/WindowScalingFactor` of XSETTINGS, where there is a settings daemon that leaves `Xft.dpi` out.
//!
//! The physical size of a monitor is not a scale: a 13" laptop of 166 dots per inch is commonly used at 1.

use super::fault::{Outcome, Vanished};
use super::x_session::XSession;
use std::collections::HashMap;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _};

/// The dots per inch at which one logical pixel is one physical pixel.
const BASE_DPI: f64 = 96.0;
/// Longest resource database and settings that are read, in units of four bytes.
const MAX_LENGTH: u32 = 16_384;

/// The scales of all monitors.
pub(super) struct Scales {
    by_name: HashMap<String, f64>,
    general: f64,
}

impl Scales {
    /// Reads them again, as the user may have changed them.
    pub(super) fn read(session: &XSession) -> Outcome<Self> {
        let factors = std::env::var("QT_SCREEN_SCALE_FACTORS").unwrap_or_default();
        let resources = session
            .connection
            .get_property(false, session.root(), AtomEnum::RESOURCE_MANAGER, AtomEnum::STRING, 0, MAX_LENGTH)?
            .reply()?;
        let general = match scale_of_resources(&String::from_utf8_lossy(&resources.value)) {
            Some(scale) => scale,
            None => settings(session)?.as_deref().and_then(scale_of_settings).unwrap_or(1.0),
        };
        Ok(Self { by_name: scales_by_name(&factors), general })
    }

    /// The scale of the monitor `name`.
    pub(super) fn of(&self, name: &str) -> f64 {
        self.by_name.get(name).copied().unwrap_or(self.general)
    }
}

/// A scale that a desktop may have; others are slips.
fn sensible(scale: f64) -> Option<f64> {
    (0.25..=10.0).contains(&scale).then_some(scale)
}

fn scales_by_name(factors: &str) -> HashMap<String, f64> {
    factors
        .split(';')
        .filter_map(|pair| {
            let (name, factor) = pair.split_once('=')?;
            Some((name.trim().to_owned(), sensible(factor.trim().parse().ok()?)?))
        })
        .collect()
}

fn scale_of_resources(resources: &str) -> Option<f64> {
    let value = resources.lines().find_map(|line| line.strip_prefix("Xft.dpi:"))?;
    sensible(value.trim().parse::<f64>().ok()? / BASE_DPI)
}

/// The settings of the desktop's settings daemon, if one runs.
fn settings(session: &XSession) -> Outcome<Option<Vec<u8>>> {
    let connection = &session.connection;
    let roots = &connection.setup().roots;
    let number = roots.iter().position(|screen| screen.root == session.root()).unwrap_or_default();
    let selection = connection.intern_atom(true, format!("_XSETTINGS_S{number}").as_bytes())?;
    let property = connection.intern_atom(true, b"_XSETTINGS_SETTINGS")?;
    let (selection, property) = (selection.reply()?.atom, property.reply()?.atom);
    if selection == x11rb::NONE || property == x11rb::NONE {
        return Ok(None);
    }
    let owner = connection.get_selection_owner(selection)?.reply()?.owner;
    if owner == x11rb::NONE {
        return Ok(None);
    }
    let read = connection.get_property(false, owner, property, AtomEnum::ANY, 0, MAX_LENGTH)?;
    Ok(read.reply().if_there()?.map(|reply| reply.value))
}

fn scale_of_settings(settings: &[u8]) -> Option<f64> {
    let numbers = Reader::new(settings)?.numbers();
    let dots = numbers.get("Xft/DPI").map(|dpi| f64::from(*dpi) / 1024.0 / BASE_DPI);
    let factor = numbers.get("Gdk/WindowScalingFactor").map(|factor| f64::from(*factor));
    dots.and_then(sensible).or_else(|| factor.and_then(sensible))
}

/// Reads the format of the XSETTINGS specification.
struct Reader<'a> {
    rest: &'a [u8],
    big_endian: bool,
}

impl<'a> Reader<'a> {
    fn new(settings: &'a [u8]) -> Option<Self> {
        let (order, _) = settings.split_first()?;
        // Byte order, three unused bytes, the serial number.
        Some(Self { rest: settings.get(8..)?, big_endian: *order == 1 })
    }

    /// The settings that are numbers; what follows a fault in the data is left out.
    fn numbers(mut self) -> HashMap<&'a str, i32> {
        let mut numbers = HashMap::new();
        let count = self.word().unwrap_or_default();
        for _ in 0..count {
            match self.setting() {
                Some((name, Some(number))) => {
                    numbers.insert(name, number);
                }
                Some(_) => {}
                None => break,
            }
        }
        numbers
    }

    fn setting(&mut self) -> Option<(&'a str, Option<i32>)> {
        let kind = *self.take(2)?.first()?;
        let name_length = self.half()?;
        let name = std::str::from_utf8(self.padded(name_length.into())?).ok()?;
        self.take(4)?;
        let number = match kind {
            0 => Some(self.word()?.cast_signed()),
            1 => {
                let length = self.word()?;
                self.padded(usize::try_from(length).ok()?)?;
                None
            }
            2 => self.take(8).map(|_| None)?,
            _ => return None,
        };
        Some((name, number))
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn padded(&mut self, length: usize) -> Option<&'a [u8]> {
        self.take(length.checked_next_multiple_of(4)?)?.get(..length)
    }

    fn half(&mut self) -> Option<u16> {
        let bytes = self.take(2)?.try_into().ok()?;
        Some(if self.big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    }

    fn word(&mut self) -> Option<u32> {
        let bytes = self.take(4)?.try_into().ok()?;
        Some(if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_scale_is_taken_from_the_resource_database() {
        assert_eq!(scale_of_resources("Xcursor.size:\t24\nXft.dpi:\t192\n"), Some(2.0));
        for odd in ["", "Xft.dpi: many", "Xft.dpi: 0", "*Xft.dpi: 192"] {
            assert_eq!(scale_of_resources(odd), None, "{odd}");
        }
    }

    #[test]
    fn monitors_have_scales_by_name() {
        let scales = Scales { by_name: scales_by_name("eDP-1=2;HDMI-1=1.5;DP-2=x;DP-3=900;"), general: 1.25 };
        let found = ["eDP-1", "HDMI-1", "DP-2", "DP-3", "other"].map(|name| scales.of(name).to_string());
        assert_eq!(found, ["2", "1.5", "1.25", "1.25", "1.25"]);
    }

    /// Settings in the byte order of this machine or the other one.
    fn encoded(numbers: &[(&str, i32)], big_endian: bool) -> Vec<u8> {
        let word = |value: u32| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
        let half = |value: u16| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
        let mut bytes = vec![u8::from(big_endian), 0, 0, 0];
        bytes.extend(word(7));
        bytes.extend(word(numbers.len() as u32 + 1));
        let name = |bytes: &mut Vec<u8>, kind: u8, name: &str| {
            bytes.extend([kind, 0]);
            bytes.extend(half(name.len() as u16));
            bytes.extend(name.as_bytes());
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes.extend(word(1));
        };
        name(&mut bytes, 1, "Net/ThemeName");
        bytes.extend(word(7));
        bytes.extend(b"Adwaita\0");
        for (key, value) in numbers {
            name(&mut bytes, 0, key);
            bytes.extend(word(value.cast_unsigned()));
        }
        bytes
    }

    #[test]
    fn the_settings_daemon_is_asked_where_the_database_says_nothing() {
        for big_endian in [false, true] {
            let scale = |numbers| scale_of_settings(&encoded(numbers, big_endian));
            assert_eq!(scale(&[("Gdk/WindowScalingFactor", 2)]), Some(2.0));
            assert_eq!(scale(&[("Gdk/WindowScalingFactor", 1), ("Xft/DPI", 147_456)]), Some(1.5));
            assert_eq!(scale(&[("Xft/DPI", -1)]), None);
            assert_eq!(scale(&[]), None);
        }
    }

    proptest! {
        #[test]
        fn no_settings_are_too_odd_to_read(bytes: Vec<u8>) {
            let scale = scale_of_settings(&bytes);
            prop_assert!(scale.is_none_or(|scale| (0.25..=10.0).contains(&scale)));
        }
    }
}
