//! The X server, its window manager, and whether it takes synthetic input.

use super::{DEADLINE, Finding, discovered};
use crate::desktop::ewmh::{self, Fault};
use crate::discovery;
use handeye_core::{AgentSeats, ErrorCode};
use x11rb::connection::Connection;
use x11rb::protocol::randr::ConnectionExt as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

const NO_DISPLAY_ADVICE: &str =
    "Set DISPLAY to the X display of the session, or use a private desktop: handeye desktop run -- COMMAND";

/// Whether the X server can be reached, and what it shows.
pub(super) async fn server() -> Finding {
    if std::env::var_os("DISPLAY").is_none_or(|display| display.is_empty()) {
        if std::env::var_os("WAYLAND_DISPLAY").is_some() {
            let detail = "this is a Wayland session without an X server; handeye needs X11 or Xwayland";
            return Finding::fail(detail, NO_DISPLAY_ADVICE);
        }
        let problem = discovery::display_problem().map(Finding::from);
        return problem.unwrap_or_else(|| Finding::fail("DISPLAY is not set", NO_DISPLAY_ADVICE));
    }
    on_display(NO_DISPLAY_ADVICE, |connection, screen| {
        let setup = connection.setup();
        let root = &setup.roots[screen];
        let monitors = connection.randr_get_monitors(root.root, true)?.reply()?.monitors;
        let shown: Vec<String> = monitors
            .iter()
            .map(|monitor| format!("{}x{}+{}+{}", monitor.width, monitor.height, monitor.x, monitor.y))
            .collect();
        Ok(Finding::ok(format!(
            "{} {}, {}x{}, {} monitor{}: {}{}",
            String::from_utf8_lossy(&setup.vendor),
            setup.release_number,
            root.width_in_pixels,
            root.height_in_pixels,
            shown.len(),
            if shown.len() == 1 { "" } else { "s" },
            shown.join(", "),
            discovered(&["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"]),
        )))
    })
    .await
}

/// Whether a window manager has announced itself and answers a request. `advice` is how to get one.
pub(super) async fn window_manager(advice: &'static str) -> Finding {
    on_display(NO_DISPLAY_ADVICE, move |connection, screen| {
        let root = connection.setup().roots[screen].root;
        let Some(manager) = ewmh::announced(connection, root)? else {
            return Ok(Finding::fail("no EWMH window manager runs", advice));
        };
        let name = connection
            .get_property(false, manager, ewmh::intern(connection, "_NET_WM_NAME")?, AtomEnum::ANY, 0, 64)?
            .reply()?;
        let name = String::from_utf8_lossy(&name.value).into_owned();
        if ewmh::can_answer(connection, root)? && !ewmh::answers(connection, root, DEADLINE / 2)? {
            return Ok(Finding::fail(format!("{name} does not answer"), "It may be stopped; restart it."));
        }
        Ok(Finding::ok(name))
    })
    .await
}

/// Whether the server takes synthetic keys and clicks. `advice` is how to make it.
pub(super) async fn input(advice: &'static str) -> Finding {
    on_display(NO_DISPLAY_ADVICE, move |connection, _| {
        match connection.xtest_get_version(2, 2).map_err(Fault::from).and_then(|cookie| Ok(cookie.reply()?)) {
            Ok(version) => {
                Ok(Finding::ok(format!("XTEST {}.{}", version.major_version, version.minor_version)))
            }
            Err(fault) => Ok(Finding::fail(format!("no XTEST extension: {fault}"), advice)),
        }
    })
    .await
}

/// Whether an agent can have a pointer and a keyboard of its own.
pub(super) async fn agent_seat(seats: &dyn AgentSeats) -> Finding {
    match seats.check().await {
        Ok(found) => Finding::ok(found),
        Err(error) if error.code == ErrorCode::DisplayUnavailable => error.into(),
        Err(error) => Finding::warn(
            error.message,
            "In the background only the actions work that applications offer: clicks on most elements, text, values. \
             Double and right clicks, keys, drags and the wheel need mode focus, or a private desktop.",
        ),
    }
}

/// Runs a probe on a connection and a thread of its own, as a server that hangs blocks both.
async fn on_display(
    advice: &'static str,
    probe: impl FnOnce(&RustConnection, usize) -> Result<Finding, Fault> + Send + 'static,
) -> Finding {
    let work = move || -> Result<Finding, Fault> {
        let (connection, screen) = RustConnection::connect(None)?;
        probe(&connection, screen)
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(finding)) => finding,
        Ok(Err(fault)) => {
            let why = std::iter::once(fault.to_string())
                .chain(discovery::rejected())
                .collect::<Vec<_>>()
                .join("; ");
            Finding::fail(format!("the X server cannot be used: {why}"), advice)
        }
        Err(fault) => Finding::fail(format!("the probe broke off: {fault}"), advice),
    }
}
