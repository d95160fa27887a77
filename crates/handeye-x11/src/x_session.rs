//! One connection to an X server, with what is asked of it once and kept.

use super::capture_state::CaptureState;
use super::drawing_state::Drawings;
use super::fault::{Fault, Outcome, Vanished};
use super::guard::Guard;
use super::known_clients::KnownClients;
use super::seat_devices::SeatDevices;
use super::stream::PatientStream;
use handeye_core::{Button, Point};
use std::time::{Duration, Instant};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt, CreateWindowAux, EventMask, GetPropertyReply,
    Screen, Window, WindowClass,
};
use x11rb::protocol::{Event, composite, damage, randr, res, shape, shm, sync, xfixes, xinput, xkb, xtest};
use x11rb::reexports::x11rb_protocol::{parse_display::parse_display, xauth::get_auth};
use x11rb::rust_connection::{DefaultStream, RustConnection, Stream};
use x11rb::{COPY_DEPTH_FROM_PARENT, COPY_FROM_PARENT};

x11rb::atom_manager! {
    /// The names that windows and window managers talk by.
    pub(super) Atoms: AtomsCookie {
        CLIPBOARD,
        INCR,
        TARGETS,
        UTF8_STRING,
        WM_PROTOCOLS,
        WM_STATE,
        XdndSelection,
        _GTK_FRAME_EXTENTS,
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_CLIENT_LIST_STACKING,
        _NET_CURRENT_DESKTOP,
        _NET_SUPPORTING_WM_CHECK,
        _NET_WM_DESKTOP,
        _NET_WM_NAME,
        _NET_WM_PID,
        _NET_WM_PING,
        _NET_WM_STATE,
        _NET_WM_STATE_HIDDEN,
        _NET_WM_STATE_MODAL,
        _HANDEYE_CLIPPING,
        _HANDEYE_TIME,
    }
}

/// Which extensions the server has, in a version that is new enough.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Extensions {
    pub(super) composite: bool,
    pub(super) damage: bool,
    pub(super) monitors: bool,
    pub(super) client_ids: bool,
    pub(super) shared_memory: bool,
    pub(super) keyboard: bool,
    pub(super) shapes: bool,
    pub(super) test_input: bool,
    pub(super) fixes: bool,
    /// How long each device has been idle (SYNC 3.1).
    pub(super) counters: bool,
    /// Several pointers and keyboards (`XInput` 2.2).
    pub(super) several_seats: bool,
}

/// The device that `XTEST` and `XKB` call the core keyboard: the one that belongs to the pointer of the connection.
pub(super) const OWN_KEYBOARD: u16 = 0x100;

/// A connection to an X server. It is blocking, so it lives on a thread of its own.
pub(super) struct XSession {
    pub(super) connection: RustConnection<PatientStream>,
    pub(super) screen: Screen,
    pub(super) atoms: Atoms,
    pub(super) extensions: Extensions,
    /// What captures keep between them.
    pub(super) capture: CaptureState,
    /// In which windows it is noticed that something is drawn.
    pub(super) drawings: Drawings,
    /// Counts the pings that are sent to applications, from any number on.
    pub(super) pings_sent: u32,
    /// Notified of what is held.
    pub(super) guard: Guard,
    /// Where and by which button this client clicked last, and until when another click there would belong to that one.
    pub(super) last_click: Option<(Point, Button, Instant)>,
    /// The pointer and the keyboard of an agent that this connection presses with; without them it is the user's seat.
    pub(super) masters: Option<SeatDevices>,
    /// The window whose application was made to believe that it has the focus.
    pub(super) feigned: Option<Window>,
    /// The window that shows where its pointer is.
    pub(super) cursor: Option<Window>,
    /// Who else is connected, and since when that is known.
    pub(super) clients: KnownClients,
}

impl XSession {
    /// Connects to `display`, or to the one that `$DISPLAY` names.
    pub(super) fn open(display: Option<&str>) -> Outcome<Self> {
        let (connection, screen) = connect(display, PatientStream::new)?;
        Self::greet(connection, screen)
    }

    /// Creates a window that is never seen, to own something or for answers to be put on. The server announces `events` of it.
    pub(super) fn create_helper_window(&self, events: EventMask) -> Outcome<Window> {
        let window = self.connection.generate_id()?;
        self.connection.create_window(
            COPY_DEPTH_FROM_PARENT,
            window,
            self.root(),
            0,
            0,
            1,
            1,
            0,
            WindowClass::INPUT_ONLY,
            COPY_FROM_PARENT,
            &CreateWindowAux::new().event_mask(events),
        )?;
        Ok(window)
    }

    /// Has the server announce to this connection what becomes of the children of the root window, or no longer.
    pub(super) fn announce_root_children(&self, announced: bool) -> Outcome<()> {
        let mask = if announced { EventMask::SUBSTRUCTURE_NOTIFY } else { EventMask::NO_EVENT };
        let attributes = ChangeWindowAttributesAux::new().event_mask(mask);
        self.connection.change_window_attributes(self.root(), &attributes)?;
        Ok(())
    }

    /// Asks what is asked once: atoms and extensions, in two round trips.
    fn greet(connection: RustConnection<PatientStream>, screen: usize) -> Outcome<Self> {
        for extension in [
            composite::X11_EXTENSION_NAME,
            damage::X11_EXTENSION_NAME,
            randr::X11_EXTENSION_NAME,
            res::X11_EXTENSION_NAME,
            shape::X11_EXTENSION_NAME,
            shm::X11_EXTENSION_NAME,
            sync::X11_EXTENSION_NAME,
            xfixes::X11_EXTENSION_NAME,
            xinput::X11_EXTENSION_NAME,
            xkb::X11_EXTENSION_NAME,
            xtest::X11_EXTENSION_NAME,
        ] {
            connection.prefetch_extension_information(extension)?;
        }
        let atoms = Atoms::new(&connection)?;
        let extensions = negotiate(&connection)?;
        let atoms = atoms.reply()?;
        let screen = connection.setup().roots[screen].clone();
        Ok(Self {
            connection,
            screen,
            atoms,
            extensions,
            capture: CaptureState::default(),
            drawings: Drawings::default(),
            // A client that has ended may have had the same number at the server, and left a ping unanswered.
            pings_sent: std::process::id(),
            guard: Guard::default(),
            last_click: None,
            masters: None,
            feigned: None,
            cursor: None,
            clients: KnownClients::default(),
        })
    }

    /// The root window.
    pub(super) fn root(&self) -> Window {
        self.screen.root
    }

    /// The bits of an id that number the resources of one client; the others number the client.
    pub(super) fn resource_mask(&self) -> u32 {
        self.connection.setup().resource_id_mask
    }

    /// The keyboard whose symbols applications know: the user's, whichever seat this connection presses with.
    pub(super) fn shared_keyboard(&self) -> u16 {
        self.masters.as_ref().map_or(OWN_KEYBOARD, |masters| masters.users_keyboard)
    }

    /// Sends what is buffered and waits until the server has done it all.
    pub(super) fn sync(&self) -> Outcome<()> {
        self.connection.get_input_focus()?.reply()?;
        Ok(())
    }

    /// A property of 32-bit items, at most `limit` of them; empty if the window or the property is not there.
    pub(super) fn numbers(
        &self,
        window: Window,
        property: Atom,
        kind: AtomEnum,
        limit: u32,
    ) -> Outcome<Vec<u32>> {
        let reply =
            self.connection.get_property(false, window, property, kind, 0, limit)?.reply().if_there()?;
        Ok(reply.as_ref().map(numbers_of).unwrap_or_default())
    }

    /// Throws away the events that came in between.
    pub(super) fn drain_events(&self) -> Outcome<()> {
        while self.connection.poll_for_event()?.is_some() {}
        Ok(())
    }

    /// The next event, or `None` when none came before `until`.
    pub(super) fn next_event(&self, until: Instant) -> Outcome<Option<Event>> {
        self.connection.flush()?;
        loop {
            if let Some(event) = self.connection.poll_for_event()? {
                return Ok(Some(event));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.connection.stream().wait_readable(left)? {
                return Ok(None);
            }
        }
    }

    /// Waits, for an application that needs time and says nothing when it has had it.
    pub(super) fn pause(&self, duration: Duration) -> Outcome<()> {
        self.connection.flush()?;
        std::thread::sleep(duration);
        Ok(())
    }
}

/// The highest number of a display: its port is 6,000 more.
const HIGHEST_DISPLAY: u16 = u16::MAX - 6_000;

/// Connects to `display`, or to the one that `$DISPLAY` names, by the stream that `wrap` makes of a socket.
pub(super) fn connect<S: Stream>(
    display: Option<&str>,
    wrap: impl Fn(DefaultStream) -> S,
) -> Outcome<(RustConnection<S>, usize)> {
    let from_environment = std::env::var("DISPLAY").ok().filter(|name| !name.is_empty());
    let Some(name) = display.map(str::to_owned).or(from_environment) else {
        return Err(Fault::NoDisplay);
    };
    let address = parse_display(Some(&name)).map_err(|error| Fault::Lost(error.to_string()))?;
    // The crate adds the number to a port without a look at the sum.
    if address.display > HIGHEST_DISPLAY {
        return Err(Fault::Lost(format!("displays have numbers up to {HIGHEST_DISPLAY}")));
    }
    let mut failure = Fault::Lost("its name cannot be resolved".into());
    for instruction in address.connect_instruction() {
        let (stream, (family, peer)) = match DefaultStream::connect(&instruction) {
            Ok(connected) => connected,
            Err(error) => {
                failure = error.into();
                continue;
            }
        };
        let (protocol, cookie) = match get_auth(family, &peer, address.display) {
            Ok(Some(entry)) => entry,
            Ok(None) => (Vec::new(), Vec::new()),
            Err(error) => {
                tracing::debug!(%error, "no X authority; connecting without");
                (Vec::new(), Vec::new())
            }
        };
        let screen = usize::from(address.screen);
        let connection =
            RustConnection::connect_to_stream_with_auth_info(wrap(stream), screen, protocol, cookie)?;
        return Ok((connection, screen));
    }
    Err(failure)
}

/// Asks each extension for its version, which also announces to the server that this client speaks it.
fn negotiate(connection: &RustConnection<PatientStream>) -> Outcome<Extensions> {
    use composite::ConnectionExt as _;
    use damage::ConnectionExt as _;
    use randr::ConnectionExt as _;
    use res::ConnectionExt as _;
    use shape::ConnectionExt as _;
    use shm::ConnectionExt as _;
    use sync::ConnectionExt as _;
    use xfixes::ConnectionExt as _;
    use xinput::ConnectionExt as _;
    use xkb::ConnectionExt as _;
    use xtest::ConnectionExt as _;

    let has = |name| connection.extension_information(name).map(|information| information.is_some());
    let composite =
        has(composite::X11_EXTENSION_NAME)?.then(|| connection.composite_query_version(0, 4)).transpose()?;
    let damage =
        has(damage::X11_EXTENSION_NAME)?.then(|| connection.damage_query_version(1, 1)).transpose()?;
    let monitors =
        has(randr::X11_EXTENSION_NAME)?.then(|| connection.randr_query_version(1, 5)).transpose()?;
    let client_ids = has(res::X11_EXTENSION_NAME)?.then(|| connection.res_query_version(1, 2)).transpose()?;
    let shapes = has(shape::X11_EXTENSION_NAME)?.then(|| connection.shape_query_version()).transpose()?;
    let memory = has(shm::X11_EXTENSION_NAME)?.then(|| connection.shm_query_version()).transpose()?;
    let keyboard = has(xkb::X11_EXTENSION_NAME)?.then(|| connection.xkb_use_extension(1, 0)).transpose()?;
    let test = has(xtest::X11_EXTENSION_NAME)?.then(|| connection.xtest_get_version(2, 2)).transpose()?;
    let fixes =
        has(xfixes::X11_EXTENSION_NAME)?.then(|| connection.xfixes_query_version(2, 0)).transpose()?;

    let inputs =
        has(xinput::X11_EXTENSION_NAME)?.then(|| connection.xinput_xi_query_version(2, 2)).transpose()?;

    let counters = has(sync::X11_EXTENSION_NAME)?.then(|| connection.sync_initialize(3, 1)).transpose()?;

    let mut extensions = Extensions::default();
    if let Some(cookie) = composite {
        let reply = cookie.reply().if_there()?;
        extensions.composite = reply.is_some_and(|v| (v.major_version, v.minor_version) >= (0, 2));
    }
    if let Some(cookie) = damage {
        extensions.damage = cookie.reply().if_there()?.is_some();
    }
    if let Some(cookie) = monitors {
        let reply = cookie.reply().if_there()?;
        extensions.monitors = reply.is_some_and(|v| (v.major_version, v.minor_version) >= (1, 5));
    }
    if let Some(cookie) = client_ids {
        let reply = cookie.reply().if_there()?;
        extensions.client_ids = reply.is_some_and(|v| (v.server_major, v.server_minor) >= (1, 2));
    }
    if let Some(cookie) = shapes {
        let reply = cookie.reply().if_there()?;
        // Shapes of what takes input came with 1.1.
        extensions.shapes = reply.is_some_and(|v| (v.major_version, v.minor_version) >= (1, 1));
    }
    if let Some(cookie) = memory {
        let reply = cookie.reply().if_there()?;
        extensions.shared_memory = reply.is_some_and(|v| (v.major_version, v.minor_version) >= (1, 2));
    }
    if let Some(cookie) = keyboard {
        extensions.keyboard = cookie.reply().if_there()?.is_some_and(|reply| reply.supported);
    }
    if let Some(cookie) = fixes {
        extensions.fixes = cookie.reply().if_there()?.is_some();
    }
    if let Some(cookie) = inputs {
        let reply = cookie.reply().if_there()?;
        extensions.several_seats = reply.is_some_and(|v| (v.major_version, v.minor_version) >= (2, 2));
    }
    if let Some(cookie) = counters {
        extensions.counters = cookie.reply().if_there()?.is_some();
    }
    if let Some(cookie) = test {
        extensions.test_input = cookie.reply().if_there()?.is_some();
    }
    Ok(extensions)
}

/// The items of a property of 32-bit items; empty if it is of another kind.
pub(super) fn numbers_of(reply: &GetPropertyReply) -> Vec<u32> {
    reply.value32().map(Iterator::collect).unwrap_or_default()
}
