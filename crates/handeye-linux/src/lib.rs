//! The Linux desktop: applications by AT-SPI2, windows, pixels and input by X11, private desktops, and a diagnosis.

pub mod atspi;
pub mod desktop;
pub mod doctor;
pub mod session;
pub mod x11;

use handeye_core::Platform;
use std::sync::Arc;

/// The desktop session that the environment of this process names. Nothing is connected before the first call
/// needs it, and what is connected comes back by itself after the X server or the accessibility bus was restarted.
pub fn platform() -> Platform {
    let display = Arc::new(x11::X11Desktop::new(None));
    let accessibility = Arc::new(atspi::AtSpi::new(display.clone()));
    Platform {
        diagnosis: Arc::new(doctor::Doctor::new(accessibility.clone(), display.clone())),
        accessibility,
        screen: display.clone(),
        clipboard: display.clone(),
        input: display,
    }
}
