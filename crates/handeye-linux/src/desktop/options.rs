//! What a private desktop should look like, and the environment that programs in it get.

use handeye_core::{Error, Result, Size};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a private desktop should look like.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Size of its screen, in pixels.
    pub size: Size,
    /// Physical pixels for one logical pixel, 0.5 to 4.
    pub scale: f64,
    /// A name of its own; `None` takes the first free `desktop-N`.
    pub name: Option<String>,
    /// The program that supervises it, called as `PROGRAM desktop-supervisor …` and expected to call
    /// [`supervisor_main`](super::supervisor_main); `None` is the running executable itself.
    pub supervisor: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self { size: Size { width: 1920, height: 1080 }, scale: 1.0, name: None, supervisor: None }
    }
}

/// The largest side that X's 16-bit coordinates allow.
const LARGEST_SIDE: u32 = 32_767;
/// A frame buffer beyond this many pixels is a slip of the finger.
const MOST_PIXELS: u64 = 64 * 1024 * 1024;

impl Options {
    /// Tells which option cannot be fulfilled.
    pub(super) fn check(&self) -> Result<()> {
        let Size { width, height } = self.size;
        if width == 0 || height == 0 || width > LARGEST_SIDE || height > LARGEST_SIDE {
            return Err(Error::invalid_parameter("size", format!("{width}x{height} is out of range"))
                .with_next(format!("Each side is 1 to {LARGEST_SIDE} pixels, for example 1920x1080.")));
        }
        if u64::from(width) * u64::from(height) > MOST_PIXELS {
            return Err(Error::invalid_parameter("size", format!("{width}x{height} needs too much memory"))
                .with_next(format!("Width times height is at most {MOST_PIXELS} pixels.")));
        }
        if !(0.5..=4.0).contains(&self.scale) {
            return Err(Error::invalid_parameter("scale", format!("{} is out of range", self.scale))
                .with_next("The scale is 0.5 to 4, for example 2 for a HiDPI screen."));
        }
        self.name.as_deref().map_or(Ok(()), check_name)
    }
}

/// Names become folder names and parts of socket paths, which are short.
pub(super) fn check_name(name: &str) -> Result<()> {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if plain && (1..=24).contains(&name.len()) {
        return Ok(());
    }
    Err(Error::invalid_parameter("name", format!("'{name}' cannot name a desktop"))
        .with_next("Use 1 to 24 letters, digits, '-' and '_'."))
}

/// What the supervisor is told to build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The desktop's name.
    pub(super) name: String,
    /// Pixels.
    pub(super) width: u32,
    /// Pixels.
    pub(super) height: u32,
    /// Physical pixels for one logical pixel.
    pub(super) scale: f64,
    /// Whether it outlives the process that asked for it.
    pub(super) detached: bool,
}

/// Variables of the surrounding session that would lead a program out of the private desktop or distort it.
pub const REMOVED_VARIABLES: &[&str] = &[
    "AT_SPI_BUS_ADDRESS",
    "DBUS_STARTER_ADDRESS",
    "DBUS_STARTER_BUS_TYPE",
    "DESKTOP_STARTUP_ID",
    "GDK_DPI_SCALE",
    "GDK_SCALE",
    "GTK_IM_MODULE",
    "QT_FONT_DPI",
    "QT_IM_MODULE",
    "QT_SCALE_FACTOR",
    "QT_SCREEN_SCALE_FACTORS",
    "SESSION_MANAGER",
    "WAYLAND_DISPLAY",
    "WAYLAND_SOCKET",
    "XDG_CURRENT_DESKTOP",
    "XDG_SESSION_ID",
    "XMODIFIERS",
];

/// The variable that names the folder of the desktop that a program works in.
pub(super) const FOLDER_VARIABLE: &str = "HANDEYE_DESKTOP";

/// The variable that the supervisor gives to what it starts itself, and to nothing else: what carries it is
/// a part of the desktop and may be ended with it. (A user's shell that has only joined the desktop may not.)
pub(super) const MEMBER_VARIABLE: &str = "HANDEYE_DESKTOP_MEMBER";

/// The variables that make a program a part of the desktop in `folder`.
pub(super) fn environment(
    plan: &Plan,
    folder: &Path,
    runtime: &Path,
    display: u32,
) -> BTreeMap<String, String> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut variables: BTreeMap<String, String> = [
        ("DISPLAY", format!(":{display}")),
        ("XAUTHORITY", text(&folder.join("Xauthority"))),
        ("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={}", text(&runtime.join("bus")))),
        ("XDG_RUNTIME_DIR", text(runtime)),
        (FOLDER_VARIABLE, text(folder)),
        ("XDG_SESSION_TYPE", "x11".into()),
        ("GDK_BACKEND", "x11".into()),
        ("QT_QPA_PLATFORM", "xcb".into()),
        ("LIBGL_ALWAYS_SOFTWARE", "1".into()),
        // Under a software GL renderer an animating GTK 4 window never comes to register its tree.
        ("GSK_RENDERER", "cairo".into()),
        // Settings written in the desktop must not reach the user's own.
        ("GSETTINGS_BACKEND", "memory".into()),
        ("GVFS_DISABLE_FUSE", "1".into()),
        ("NO_AT_BRIDGE", "0".into()),
        ("QT_ACCESSIBILITY", "1".into()),
        ("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1".into()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    variables.extend(scaling(plan.scale).into_iter().map(|(name, value)| (name.to_owned(), value)));
    variables
}

/// GTK scales by whole numbers and takes the rest from the dots per inch, which already hold the full
/// scale: so its own factor is divided out again. Qt takes one factor and must not add the dots per inch.
fn scaling(scale: f64) -> Vec<(&'static str, String)> {
    if (scale - 1.0).abs() < f64::EPSILON {
        return Vec::new();
    }
    let whole = scale.floor().max(1.0);
    vec![
        ("GDK_SCALE", format!("{whole}")),
        ("GDK_DPI_SCALE", format!("{}", 1.0 / whole)),
        ("QT_SCALE_FACTOR", format!("{scale}")),
        ("QT_FONT_DPI", "96".into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::ErrorCode;

    #[test]
    fn options_out_of_range_are_named() {
        let with =
            |width, height, scale| Options { size: Size { width, height }, scale, ..Options::default() };
        assert_eq!(Options::default().check(), Ok(()));
        for bad in
            [with(0, 600, 1.0), with(40_000, 600, 1.0), with(30_000, 30_000, 1.0), with(800, 600, f64::NAN)]
        {
            assert_eq!(bad.check().map_err(|error| error.code), Err(ErrorCode::InvalidParameter), "{bad:?}");
        }
        for bad in ["", "a/b", "..", "a b", "0123456789012345678901234"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_scale_is_told_once_to_each_toolkit() {
        assert!(scaling(1.0).is_empty());
        assert!(scaling(2.0).contains(&("GDK_DPI_SCALE", "0.5".into())));
        assert!(scaling(1.5).contains(&("GDK_SCALE", "1".into())));
        assert!(scaling(1.5).contains(&("QT_SCALE_FACTOR", "1.5".into())));
    }
}
