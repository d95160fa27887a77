//! The Linux desktop: applications by AT-SPI2, windows, pixels and input by X11, private desktops, and a diagnosis.

pub mod atspi;
pub mod desktop;
pub mod discovery;
pub mod doctor;
mod held;
mod keeper;
pub mod own_program;
pub mod session;
pub mod x11;

pub use keeper::{KEEPER_ARGUMENT, Keeper, keeper_main};

use handeye_core::Platform;
use handeye_desktop::Composer;
use std::sync::Arc;

/// The desktop session that the environment of this process names. Nothing is connected before the first call
/// needs it, and what is connected comes back by itself after the X server or the accessibility bus was restarted.
pub fn platform() -> Platform {
    let keeper = Arc::new(Keeper::new());
    let display = Arc::new(x11::X11Desktop::new(None, Arc::clone(&keeper)));
    let atspi = Arc::new(atspi::AtSpi::new(display.clone(), keeper));
    let accessibility = Arc::new(Composer::new(atspi, []));
    Platform {
        diagnosis: Arc::new(doctor::Doctor::new(accessibility.clone(), display.clone())),
        accessibility,
        screen: display.clone(),
        clipboard: display.clone(),
        input: display,
    }
}
