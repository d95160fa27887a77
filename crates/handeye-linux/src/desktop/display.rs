//! What the supervisor does as a client of the private X server.

use super::ewmh::{self, Fault};
use super::layout::PlannedMonitor;
use super::options::Plan;
use super::xauthority;
use handeye_core::{Error, ErrorCode, Result};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use x11rb::connection::{Connection, RequestConnection as _};
use x11rb::protocol::composite::{self, ConnectionExt as _, Redirect};
use x11rb::protocol::randr::{ConnectionExt as _, MonitorInfo};
use x11rb::protocol::xproto::{AtomEnum, CloseDown, ConnectionExt as _, PropMode, Window};
use x11rb::rust_connection::{DefaultStream, RustConnection};
use x11rb::wrapper::ConnectionExt as _;

const POLL: Duration = Duration::from_millis(2);
/// A window manager that takes longer than this does not come.
const WINDOW_MANAGER_DEADLINE: Duration = Duration::from_secs(10);

/// A connection on which the screen is set up.
pub(super) struct Setup {
    connection: RustConnection,
}

/// Where the server listens.
pub(super) fn socket(display: u32) -> PathBuf {
    PathBuf::from(format!("/tmp/.X11-unix/X{display}"))
}

impl Setup {
    /// Connects, and stores the dots per inch that belong to the scale, and the monitors, before any program asks for
    /// them. Has the server keep the pixels of covered windows.
    pub(super) async fn open(display: u32, authority: &Path, plan: &Plan) -> Result<Self> {
        let cookie = xauthority::read_cookie(authority)?;
        let (scale, monitors) = (plan.scale, plan.monitors.clone());
        blocking(move || {
            keep_covered_pixels(&connect(display, cookie.clone())?)?;
            let connection = connect(display, cookie)?;
            let resources = format!("Xft.dpi:\t{}\n", (96.0 * scale).round());
            let root = connection.setup().roots[0].root;
            connection
                .change_property8(
                    PropMode::REPLACE,
                    root,
                    AtomEnum::RESOURCE_MANAGER,
                    AtomEnum::STRING,
                    resources.as_bytes(),
                )?
                .check()?;
            set_monitors(&connection, root, &monitors)?;
            Ok(Self { connection })
        })
        .await
    }

    /// Returns when a window manager has announced itself as EWMH asks for, and answers.
    pub(super) async fn wait_for_window_manager(self) -> Result<()> {
        blocking(move || {
            let connection = &self.connection;
            let root = connection.setup().roots[0].root;
            let deadline = Instant::now() + WINDOW_MANAGER_DEADLINE;
            while Instant::now() < deadline {
                if ewmh::announced(connection, root)?.is_some() {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if !ewmh::can_answer(connection, root)? || ewmh::answers(connection, root, left)? {
                        return Ok(());
                    }
                }
                std::thread::sleep(POLL);
            }
            Err("the window manager did not announce itself or does not answer".into())
        })
        .await
    }
}

/// Has the server keep the pixels of covered windows, as a compositor does, for as long as it runs: a covered window can be captured and what is
/// drawn in it noticed without asking its application.
///
/// A server without the Composite extension is left as it is.
fn keep_covered_pixels(connection: &RustConnection) -> Result<(), Fault> {
    if connection.extension_information(composite::X11_EXTENSION_NAME)?.is_none() {
        return Ok(());
    }
    connection.composite_query_version(0, 4)?.reply()?;
    let root = connection.setup().roots[0].root;
    connection.composite_redirect_subwindows(root, Redirect::AUTOMATIC)?.check()?;
    // The server undoes this when the connection ends, unless it retains what the connection made.
    connection.set_close_down_mode(CloseDown::RETAIN_TEMPORARY)?.check()?;
    Ok(())
}

/// Divides the screen into the monitors, the first one being the primary one.
fn set_monitors(connection: &RustConnection, root: Window, monitors: &[PlannedMonitor]) -> Result<(), Fault> {
    if monitors.is_empty() {
        return Ok(());
    }
    connection.randr_query_version(1, 5)?.reply()?;
    // The server's own monitor, which is the whole screen, gives way to the first one that takes its output.
    let mut outputs = connection.randr_get_screen_resources_current(root)?.reply()?.outputs;
    for (index, monitor) in monitors.iter().enumerate() {
        let (width_in_millimeters, height_in_millimeters) = monitor.millimetres();
        let information = MonitorInfo {
            name: connection.intern_atom(false, monitor.name.as_bytes())?.reply()?.atom,
            primary: index == 0,
            automatic: false,
            x: i16::try_from(monitor.area.x)?,
            y: i16::try_from(monitor.area.y)?,
            width: u16::try_from(monitor.area.width)?,
            height: u16::try_from(monitor.area.height)?,
            width_in_millimeters,
            height_in_millimeters,
            outputs: std::mem::take(&mut outputs),
        };
        connection.randr_set_monitor(root, information)?.check()?;
    }
    Ok(())
}

fn connect(display: u32, cookie: Vec<u8>) -> Result<RustConnection, Fault> {
    let stream = UnixStream::connect(socket(display))?;
    let (stream, _) = DefaultStream::from_unix_stream(stream)?;
    Ok(RustConnection::connect_to_stream_with_auth_info(stream, 0, xauthority::METHOD.to_vec(), cookie)?)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Fault> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)?.map_err(|fault| {
        Error::new(
            ErrorCode::DisplayUnavailable,
            format!("the private desktop's screen cannot be set up: {fault}"),
        )
    })
}
