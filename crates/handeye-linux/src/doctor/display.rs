//! The X server, its window manager, and whether it takes synthetic input.

use super::{DEADLINE, Finding};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::randr::ConnectionExt as _;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, Window, WindowClass,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

type Fault = Box<dyn std::error::Error + Send + Sync>;

const POLL: Duration = Duration::from_millis(2);
const NO_DISPLAY_ADVICE: &str =
    "Set DISPLAY to the X display of the session, or use a private desktop: handeye desktop run -- COMMAND";
const NO_MANAGER_ADVICE: &str = "Start a window manager that speaks EWMH, for example openbox; without one, windows cannot be listed or activated.";
const NO_INPUT_ADVICE: &str =
    "Enable the server's XTEST extension; without it only background actions (the accessibility ones) work.";

/// Whether the X server can be reached, and what it shows.
pub(super) async fn server() -> Finding {
    if std::env::var_os("DISPLAY").is_none_or(|display| display.is_empty()) {
        let detail = if std::env::var_os("WAYLAND_DISPLAY").is_some() {
            "this is a Wayland session without an X server; handeye needs X11 or Xwayland"
        } else {
            "DISPLAY is not set"
        };
        return Finding::fail(detail, NO_DISPLAY_ADVICE);
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
            "{} {}, {}x{}, {} monitor{}: {}",
            String::from_utf8_lossy(&setup.vendor),
            setup.release_number,
            root.width_in_pixels,
            root.height_in_pixels,
            shown.len(),
            if shown.len() == 1 { "" } else { "s" },
            shown.join(", "),
        )))
    })
    .await
}

/// Whether a window manager has announced itself and answers a request.
pub(super) async fn window_manager() -> Finding {
    on_display(NO_DISPLAY_ADVICE, |connection, screen| {
        let root = connection.setup().roots[screen].root;
        let check = intern(connection, "_NET_SUPPORTING_WM_CHECK")?;
        let announced = window_property(connection, root, check)?;
        let Some(manager) = announced.filter(|window| {
            window_property(connection, *window, check).is_ok_and(|itself| itself == Some(*window))
        }) else {
            return Ok(Finding::fail("no EWMH window manager runs", NO_MANAGER_ADVICE));
        };
        let name = connection
            .get_property(false, manager, intern(connection, "_NET_WM_NAME")?, AtomEnum::ANY, 0, 64)?
            .reply()?;
        let name = String::from_utf8_lossy(&name.value).into_owned();
        if supports(connection, root, "_NET_REQUEST_FRAME_EXTENTS")? && !answers(connection, root)? {
            return Ok(Finding::fail(format!("{name} does not answer"), "It may be stopped; restart it."));
        }
        Ok(Finding::ok(name))
    })
    .await
}

/// Whether the server takes synthetic keys and clicks.
pub(super) async fn input() -> Finding {
    on_display(NO_DISPLAY_ADVICE, |connection, _| {
        match connection.xtest_get_version(2, 2).map_err(Fault::from).and_then(|cookie| Ok(cookie.reply()?)) {
            Ok(version) => {
                Ok(Finding::ok(format!("XTEST {}.{}", version.major_version, version.minor_version)))
            }
            Err(fault) => Ok(Finding::fail(format!("no XTEST extension: {fault}"), NO_INPUT_ADVICE)),
        }
    })
    .await
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
        Ok(Err(fault)) => Finding::fail(format!("the X server cannot be used: {fault}"), advice),
        Err(fault) => Finding::fail(format!("the probe broke off: {fault}"), advice),
    }
}

/// Asks the window manager for something that it answers without showing anything: the frame that a window would get.
fn answers(connection: &RustConnection, root: Window) -> Result<bool, Fault> {
    let window = connection.generate_id()?;
    let watched = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE).override_redirect(1);
    connection.create_window(0, window, root, 0, 0, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &watched)?;
    let request = intern(connection, "_NET_REQUEST_FRAME_EXTENTS")?;
    let extents = intern(connection, "_NET_FRAME_EXTENTS")?;
    let to_manager = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
    connection.send_event(
        false,
        root,
        to_manager,
        ClientMessageEvent::new(32, window, request, [0_u32; 5]),
    )?;
    connection.flush()?;
    let deadline = Instant::now() + DEADLINE / 2;
    while Instant::now() < deadline {
        match connection.poll_for_event()? {
            Some(Event::PropertyNotify(event)) if event.window == window && event.atom == extents => {
                return Ok(true);
            }
            Some(_) => {}
            None => std::thread::sleep(POLL),
        }
    }
    Ok(false)
}

fn supports(connection: &RustConnection, root: Window, hint: &str) -> Result<bool, Fault> {
    let (supported, hint) = (intern(connection, "_NET_SUPPORTED")?, intern(connection, hint)?);
    let list = connection.get_property(false, root, supported, AtomEnum::ATOM, 0, 1024)?.reply()?;
    Ok(list.value32().is_some_and(|mut atoms| atoms.any(|atom| atom == hint)))
}

fn window_property(
    connection: &RustConnection,
    window: Window,
    property: Atom,
) -> Result<Option<Window>, Fault> {
    let reply = connection.get_property(false, window, property, AtomEnum::WINDOW, 0, 1)?.reply()?;
    Ok(reply.value32().and_then(|mut windows| windows.next()))
}

fn intern(connection: &RustConnection, name: &str) -> Result<Atom, Fault> {
    Ok(connection.intern_atom(false, name.as_bytes())?.reply()?.atom)
}
