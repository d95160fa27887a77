//! The Linux desktop, assembled: trees by AT-SPI2, windows, pixels and input by X11, what releases and keeps things when this process
//! ends; finding the session, private desktops, and a diagnosis.

mod copies;
pub mod desktop;
pub mod discovery;
pub mod doctor;
mod keeper;
mod notifications;
pub mod own_program;
mod scripts;
mod secrets;
pub mod session;

pub use copies::{COPIES_ARGUMENT, Copies, copies_main};
pub use keeper::{KEEPER_ARGUMENT, Keeper, keeper_main};
pub use scripts::{SCRIPTS_ARGUMENT, Shell, scripts_main};

use desktop::Surrounding;
use handeye_atspi::AtSpi;
use handeye_core::{Platform, Rules, Seats};
use handeye_desktop::Composer;
use handeye_x11::{X11AgentSeats, X11Desktop};
use notifications::SessionNotifications;
use std::sync::Arc;

/// The desktop session that the environment of this process names. Nothing is connected before the first call needs it, or
/// [`prepare`](handeye_core::Accessibility::prepare) is called, and what is connected comes back by itself after the X server or the accessibility
/// bus was restarted.
///
/// Elements of processes that `rules` deny are in no tree, whatever they are shown in. Where agents act is shown on request, and never on a
/// private desktop.
pub fn platform(rules: &Arc<dyn Rules>, shows_cursor: bool) -> Platform {
    let keeper = Arc::new(Keeper::new());
    let display = X11Desktop::new(None, keeper.clone())
        .with_copies_kept_by(Arc::new(Copies::new()))
        .without_session(discovery::display_problem());
    let display = Arc::new(display);
    let agents = X11AgentSeats::new(None, keeper.clone())
        .showing_cursors(shows_cursor && Surrounding::of_this_process().is_none())
        .without_session(discovery::display_problem());
    let atspi = AtSpi::new(display.clone(), keeper)
        .noticing(display.clone())
        .admitting(Arc::clone(rules))
        .without_session(discovery::bus_problem());
    let accessibility = Arc::new(Composer::new(Arc::new(atspi), []).admitting(Arc::clone(rules)));
    let seats = Seats { user: display.clone(), agents: Arc::new(agents) };
    Platform {
        diagnosis: Arc::new(doctor::Doctor::new(
            accessibility.clone(),
            display.clone(),
            seats.clone(),
            display.clone(),
        )),
        accessibility,
        screen: display.clone(),
        clipboard: display.clone(),
        user_input: display,
        seats,
        scripts: Arc::new(Shell::new()),
        notifications: Arc::new(SessionNotifications::new()),
        secrets: Arc::new(secrets::OwnSecrets),
    }
}
