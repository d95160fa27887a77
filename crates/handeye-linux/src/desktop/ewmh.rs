//! Whether a window manager is there: it has announced itself as EWMH asks for, and it answers.

use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;

/// Whatever can go wrong on a connection to an X server.
pub(crate) type Fault = Box<dyn std::error::Error + Send + Sync>;

const POLL: Duration = Duration::from_millis(2);
/// A window manager drops what it is asked between its announcement and its event loop, so it is asked again.
const ASK_AGAIN: Duration = Duration::from_millis(30);
const REQUEST: &str = "_NET_REQUEST_FRAME_EXTENTS";

/// The window by which a window manager has announced itself, if that window still exists.
pub(crate) fn announced(connection: &RustConnection, root: Window) -> Result<Option<Window>, Fault> {
    let check = intern(connection, "_NET_SUPPORTING_WM_CHECK")?;
    let of = |window| -> Result<Option<Window>, Fault> {
        let reply = connection.get_property(false, window, check, AtomEnum::WINDOW, 0, 1)?.reply()?;
        Ok(reply.value32().and_then(|mut windows| windows.next()))
    };
    // The announcement of one that has died stays on the root window, but its own window is gone.
    Ok(of(root)?.filter(|window| of(*window).is_ok_and(|itself| itself == Some(*window))))
}

/// Whether the window manager knows the request that [`answers`] makes.
pub(crate) fn can_answer(connection: &RustConnection, root: Window) -> Result<bool, Fault> {
    let (supported, hint) = (intern(connection, "_NET_SUPPORTED")?, intern(connection, REQUEST)?);
    let list = connection.get_property(false, root, supported, AtomEnum::ATOM, 0, 1024)?.reply()?;
    Ok(list.value32().is_some_and(|mut atoms| atoms.any(|atom| atom == hint)))
}

/// Asks the window manager for something that it answers without showing anything: the frame that a window would get.
pub(crate) fn answers(connection: &RustConnection, root: Window, patience: Duration) -> Result<bool, Fault> {
    let window = connection.generate_id()?;
    let watched = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE).override_redirect(1);
    connection.create_window(0, window, root, 0, 0, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &watched)?;
    let (request, extents) = (intern(connection, REQUEST)?, intern(connection, "_NET_FRAME_EXTENTS")?);
    let to_manager = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
    let deadline = Instant::now() + patience;
    let mut ask_at = Instant::now();
    while Instant::now() < deadline {
        if Instant::now() >= ask_at {
            let message = ClientMessageEvent::new(32, window, request, [0_u32; 5]);
            connection.send_event(false, root, to_manager, message)?;
            connection.flush()?;
            ask_at = Instant::now() + ASK_AGAIN;
        }
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

/// The number of a name.
pub(crate) fn intern(connection: &RustConnection, name: &str) -> Result<Atom, Fault> {
    Ok(connection.intern_atom(false, name.as_bytes())?.reply()?.atom)
}
