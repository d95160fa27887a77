//! What a private desktop should look like, and the environment that programs in it get.

use super::isolation::Isolation;
use super::layout::{MonitorOption, PlannedMonitor, place};
use handeye_core::{Error, Result, Size};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What a private desktop should look like.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Size of its screen, in pixels, where it has one monitor.
    pub size: Size,
    /// Its monitors, the primary one first; empty is one of [`size`](Self::size).
    pub monitors: Vec<MonitorOption>,
    /// Physical pixels for one logical pixel, 0.5 to 4.
    pub scale: f64,
    /// A name of its own; `None` takes the first free `desktop-N`.
    pub name: Option<String>,
    /// What its programs have of this machine, where they run in a sandbox; `None` for one without.
    pub isolation: Option<Isolation>,
    /// The program that supervises it, called as `PROGRAM desktop-supervisor …` and expected to call
    /// [`supervisor_main`](super::supervisor_main); `None` is the running executable itself.
    pub supervisor: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            size: Size { width: 1920, height: 1080 },
            monitors: Vec::new(),
            scale: 1.0,
            name: None,
            isolation: None,
            supervisor: None,
        }
    }
}

/// The largest side that X's 16-bit coordinates allow.
const LARGEST_SIDE: u32 = 32_767;
/// A frame buffer beyond this many pixels is a slip of the finger.
const MOST_PIXELS: u64 = 64 * 1024 * 1024;

impl Options {
    /// What the supervisor is to build, or which option cannot be fulfilled.
    pub(super) fn plan(&self, name: String, detached: bool) -> Result<Plan> {
        check_scale("scale", self.scale)?;
        let (size, monitors) = if self.monitors.is_empty() {
            check_size("size", self.size)?;
            (self.size, Vec::new())
        } else {
            for monitor in &self.monitors {
                check_size("monitor", monitor.size)?;
                check_scale("monitor", monitor.scale.unwrap_or(1.0))?;
            }
            let placed = place(&self.monitors, self.scale)?;
            check_size("monitor", placed.0)?;
            placed
        };
        let isolation = self.isolation.clone();
        let (width, height) = (size.width, size.height);
        Ok(Plan { name, width, height, scale: self.scale, monitors, isolation, detached })
    }
}

fn check_size(option: &str, Size { width, height }: Size) -> Result<()> {
    if width == 0 || height == 0 || width > LARGEST_SIDE || height > LARGEST_SIDE {
        return Err(Error::invalid_parameter(option, format!("{width}x{height} is out of range"))
            .with_next(format!("Each side is 1 to {LARGEST_SIDE} pixels, for example 1920x1080.")));
    }
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(Error::invalid_parameter(option, format!("{width}x{height} needs too much memory"))
            .with_next(format!("Width times height is at most {MOST_PIXELS} pixels.")));
    }
    Ok(())
}

fn check_scale(option: &str, scale: f64) -> Result<()> {
    if (0.5..=4.0).contains(&scale) {
        return Ok(());
    }
    Err(Error::invalid_parameter(option, format!("scale {scale} is out of range"))
        .with_next("The scale is 0.5 to 4, for example 2 for a HiDPI screen."))
}

/// Names become folder names and parts of socket paths, which are short.
pub(super) fn check_name(name: &str) -> Result<()> {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if plain && (1..=24).contains(&name.len()) {
        return Ok(());
    }
    Err(Error::invalid_parameter("name", format!("'{name}' is not a valid name for a desktop"))
        .with_next("Use 1 to 24 letters, digits, '-' and '_'."))
}

/// What the supervisor has to build.
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
    /// Empty where the whole screen is one monitor.
    pub(super) monitors: Vec<PlannedMonitor>,
    /// What its programs have of this machine, where they run in a sandbox.
    pub(super) isolation: Option<Isolation>,
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
    ISOLATED_VARIABLE,
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

/// The variable that is set for what works in an isolated desktop: what it starts belongs inside, whatever became of the desktop.
pub(super) const ISOLATED_VARIABLE: &str = "HANDEYE_DESKTOP_ISOLATED";

/// The variable that the supervisor gives to what it starts itself, and to nothing else: what carries it is
/// a part of the desktop and may be ended with it. (A user's shell that has only joined the desktop may not.)
pub(super) const MEMBER_VARIABLE: &str = "HANDEYE_DESKTOP_MEMBER";

/// What [`MEMBER_VARIABLE`] is in the desktop of `folder`: the path, and the folder's own number, because a container may have a
/// desktop of the same path whose processes are seen from here.
pub(super) fn member_mark(folder: &Path) -> OsString {
    let mut mark = folder.as_os_str().to_owned();
    if let Ok(found) = folder.metadata() {
        mark.push(format!(" {}:{}", found.dev(), found.ino()));
    }
    mark
}

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
    variables.extend(scaling(plan).into_iter().map(|(name, value)| (name.to_owned(), value)));
    variables
}

/// GTK scales by whole numbers and takes the rest from the dots per inch, which already hold the full
/// scale: so its own factor is divided out again. Qt takes one factor and must not add the dots per inch. Of the
/// toolkits, only Qt scales by monitor on X11; it gets them by name, as from KDE.
fn scaling(plan: &Plan) -> Vec<(&'static str, String)> {
    let mut variables = Vec::new();
    let is_scaled = |scale: f64| (scale - 1.0).abs() >= f64::EPSILON;
    if is_scaled(plan.scale) {
        let whole = plan.scale.floor().max(1.0);
        variables.push(("GDK_SCALE", format!("{whole}")));
        variables.push(("GDK_DPI_SCALE", format!("{}", 1.0 / whole)));
        variables.push(("QT_FONT_DPI", "96".into()));
    }
    if plan.monitors.iter().any(|monitor| is_scaled(monitor.scale)) {
        let factor = |monitor: &PlannedMonitor| format!("{}={}", monitor.name, monitor.scale);
        let factors: Vec<String> = plan.monitors.iter().map(factor).collect();
        variables.push(("QT_SCREEN_SCALE_FACTORS", factors.join(";")));
    } else if is_scaled(plan.scale) && plan.monitors.is_empty() {
        variables.push(("QT_SCALE_FACTOR", format!("{}", plan.scale)));
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::ErrorCode;

    fn planned(options: &Options) -> Result<Plan> {
        options.plan("test".into(), false)
    }

    #[test]
    fn options_out_of_range_are_named() {
        let with =
            |width, height, scale| Options { size: Size { width, height }, scale, ..Options::default() };
        let monitor =
            |scale| MonitorOption { size: Size { width: 20_000, height: 20 }, position: None, scale };
        let several = |monitors| Options { monitors, ..Options::default() };
        assert!(planned(&Options::default()).is_ok() && planned(&several(vec![monitor(None)])).is_ok());
        for bad in [
            with(0, 600, 1.0),
            with(40_000, 600, 1.0),
            with(30_000, 30_000, 1.0),
            with(800, 600, f64::NAN),
            several(vec![monitor(Some(9.0))]),
            several(vec![monitor(None); 2]),
            several(vec![monitor(None); 17]),
        ] {
            let code = planned(&bad).map_err(|error| error.code);
            assert_eq!(code, Err(ErrorCode::InvalidParameter), "{bad:?}");
        }
        for bad in ["", "a/b", "..", "a b", "0123456789012345678901234"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_scale_is_passed_once_to_each_toolkit() {
        let scaled = |scale| {
            scaling(&planned(&Options { scale, ..Options::default() }).expect("a scale that is possible"))
        };
        assert!(scaled(1.0).is_empty());
        assert!(scaled(2.0).contains(&("GDK_DPI_SCALE", "0.5".into())));
        assert!(scaled(1.5).contains(&("GDK_SCALE", "1".into())));
        assert!(scaled(1.5).contains(&("QT_SCALE_FACTOR", "1.5".into())));
    }

    #[test]
    fn scales_of_monitors_are_passed_by_name() {
        let monitor = |scale| MonitorOption { size: Size { width: 800, height: 600 }, position: None, scale };
        let monitors = vec![monitor(None), monitor(Some(1.5))];
        let variables = scaling(&planned(&Options { monitors, ..Options::default() }).expect("possible"));
        assert_eq!(variables, [("QT_SCREEN_SCALE_FACTORS", "monitor-1=1;monitor-2=1.5".into())]);
    }
}
