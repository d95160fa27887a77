//! What the screen shows while it is captured.

use super::grabber::Grabber;
use crate::{Result, applications};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConnectionExt as _, CreateGCAux, CreateWindowAux, ImageFormat, Screen,
    SubwindowMode, WindowClass,
};
use x11rb::rust_connection::RustConnection;

/// How long an application may take until its window is stable.
const PATIENCE: Duration = Duration::from_mins(1);
/// Rows of a picture that are sent to the server at a time.
const ROWS_AT_A_TIME: usize = 8;
/// Pixels of a side of a [`Spot`].
const SPOT: u16 = 8;
/// What its two colours differ by.
const COLOURS: u32 = 0x00ff_ffff;
/// How long nothing must change for the screen to count as still.
const STILL: Duration = Duration::from_millis(400);

/// The application that represents flat user interfaces: a browser with a page of text, buttons and links. Nothing in it moves.
/// It ends with this value.
pub(super) struct Flat {
    child: Child,
    /// Its name on the accessibility bus.
    pub(super) app: &'static str,
    /// Its window.
    pub(super) window: String,
}

impl Flat {
    /// Starts it and makes its window as large as the screen.
    pub(super) fn show(size: (u16, u16), folder: &Path) -> Result<Self> {
        let (mut command, app) = applications::browser(folder)?;
        let mut flat = Self { child: command.spawn()?, app, window: String::new() };
        let begun = Instant::now();
        while flat.window.is_empty() {
            if begun.elapsed() > PATIENCE {
                return Err(format!("{app} shows no window").into());
            }
            let found =
                Command::new("xdotool").args(["search", "--onlyvisible", "--name", "Orders"]).output()?;
            String::from_utf8_lossy(&found.stdout)
                .lines()
                .next()
                .unwrap_or_default()
                .clone_into(&mut flat.window);
            std::thread::sleep(Duration::from_millis(50));
        }
        let (width, height) = (size.0.to_string(), size.1.to_string());
        let status = Command::new("xdotool")
            .args([
                "windowmove",
                &flat.window,
                "0",
                "0",
                "windowsize",
                "--sync",
                &flat.window,
                &width,
                &height,
            ])
            .status()?;
        if !status.success() {
            return Err("its window cannot be made larger".into());
        }
        wait_until_still()?;
        Ok(flat)
    }
}

impl Drop for Flat {
    fn drop(&mut self) {
        if self.child.kill().is_ok() && self.child.wait().is_err() {
            eprintln!("{} cannot be waited for", self.app);
        }
    }
}

/// A window of a few pixels in the corner of the screen, which goes with this value.
pub(super) struct Spot {
    connection: RustConnection,
    window: u32,
    colour: u32,
}

impl Spot {
    /// Shows it.
    pub(super) fn show() -> Result<Self> {
        let (connection, screen) = x11rb::connect(None)?;
        let root = connection.setup().roots[screen].root;
        let window = connection.generate_id()?;
        let look = CreateWindowAux::new().override_redirect(1).background_pixel(0);
        let (class, visual) = (WindowClass::INPUT_OUTPUT, x11rb::COPY_FROM_PARENT);
        connection.create_window(0, window, root, 0, 0, SPOT, SPOT, 0, class, visual, &look)?;
        connection.map_window(window)?.check()?;
        Ok(Self { connection, window, colour: 0 })
    }

    /// Draws it in the other one of its two colours, so that the screen is not as it was.
    pub(super) fn draw(&mut self) -> Result<()> {
        self.colour ^= COLOURS;
        let look = ChangeWindowAttributesAux::new().background_pixel(self.colour);
        self.connection.change_window_attributes(self.window, &look)?;
        Ok(self.connection.clear_area(false, self.window, 0, 0, 0, 0)?.check()?)
    }
}

/// A window over the whole screen that shows what the screen showed, and can draw all of it once more. It goes with this value.
pub(super) struct Copy {
    connection: RustConnection,
    window: u32,
}

impl Copy {
    /// Shows it.
    pub(super) fn show((width, height): (u16, u16)) -> Result<Self> {
        let with_windows = CreateGCAux::new().subwindow_mode(SubwindowMode::INCLUDE_INFERIORS);
        let (connection, window) =
            cover((width, height), &with_windows, |connection, root, pixmap, context| {
                connection.copy_area(root.root, pixmap, context, 0, 0, 0, 0, width, height)?;
                Ok(())
            })?;
        Ok(Self { connection, window })
    }

    /// Draws all of it, as it is.
    pub(super) fn draw(&self) -> Result<()> {
        Ok(self.connection.clear_area(false, self.window, 0, 0, 0, 0)?.check()?)
    }
}

/// A window over the whole screen that shows what looks like a photograph to an encoder: soft forms at every scale, and the
/// noise of a sensor. The same one every time. It goes with this value.
pub(super) struct Photograph {
    _connection: RustConnection,
}

impl Photograph {
    /// Shows it.
    pub(super) fn show((width, height): (u16, u16)) -> Result<Self> {
        let pixels = photograph(width.into(), height.into());
        // A request of some rows at a time stays within what every server takes.
        let row = usize::from(width) * 4;
        let put = |connection: &RustConnection, root: &Screen, pixmap, context| -> Result<()> {
            for (index, rows) in pixels.chunks(row * ROWS_AT_A_TIME).enumerate() {
                let (top, count) = ((index * ROWS_AT_A_TIME) as i16, (rows.len() / row) as u16);
                let (format, depth) = (ImageFormat::Z_PIXMAP, root.root_depth);
                connection.put_image(format, pixmap, context, width, count, 0, top, 0, depth, rows)?;
            }
            Ok(())
        };
        let (connection, _) = cover((width, height), &CreateGCAux::new(), put)?;
        Ok(Self { _connection: connection })
    }
}

/// Shows a window over the whole screen with what `paint` puts into its background, once that is still. It goes with the connection.
fn cover(
    (width, height): (u16, u16),
    how: &CreateGCAux,
    paint: impl FnOnce(&RustConnection, &Screen, u32, u32) -> Result<()>,
) -> Result<(RustConnection, u32)> {
    let (connection, screen) = x11rb::connect(None)?;
    let root = &connection.setup().roots[screen];
    let (pixmap, window, context) =
        (connection.generate_id()?, connection.generate_id()?, connection.generate_id()?);
    connection.create_pixmap(root.root_depth, pixmap, root.root, width, height)?;
    connection.create_gc(context, pixmap, how)?;
    paint(&connection, root, pixmap, context)?;
    let look = CreateWindowAux::new().override_redirect(1).background_pixmap(pixmap);
    let (class, visual) = (WindowClass::INPUT_OUTPUT, x11rb::COPY_FROM_PARENT);
    connection.create_window(0, window, root.root, 0, 0, width, height, 0, class, visual, &look)?;
    connection.map_window(window)?.check()?;
    wait_until_still()?;
    Ok((connection, window))
}

/// Pixels as the X server takes them: blue, green, red and one byte of nothing.
fn photograph(width: usize, height: usize) -> Vec<u8> {
    let mut state = 7_u64;
    let mut noise = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Of two bytes, so that small values are more frequent.
        ((state >> 62) + (state >> 60 & 3)) as f32 - 3.0
    };
    let mut pixels = Vec::with_capacity(width * height * 4);
    for y in 0..height {
        for x in 0..width {
            let (x, y) = (x as f32 / 1920.0, y as f32 / 1920.0);
            // Waves of half the length and a bit more than half the height each, bent by the ones before.
            let (mut light, mut warmth, mut scale, mut height) = (0.0_f32, 0.0_f32, 5.0_f32, 46.0_f32);
            for octave in 0..7_u8 {
                let turn = f32::from(octave) * 1.9;
                let (along, across) = (x * turn.cos() + y * turn.sin(), y * turn.cos() - x * turn.sin());
                light += height * (along * scale + light * 0.04).sin() * (across * scale * 0.7 + turn).cos();
                warmth += height * (across * scale * 0.6 + warmth * 0.05).sin() * 0.5;
                (scale, height) = (scale * 2.1, height * 0.55);
            }
            for tint in [-14.0 - warmth, 0.0, 10.0 + warmth] {
                pixels.push((118.0 + light + tint + noise()).clamp(0.0, 255.0) as u8);
            }
            pixels.push(0);
        }
    }
    pixels
}

/// Waits until the pixels of the screen have stayed the same for a while.
fn wait_until_still() -> Result<()> {
    let mut grabber = Grabber::new()?;
    let begun = Instant::now();
    let mut last = grabber.pixels()?;
    let mut since = Instant::now();
    while since.elapsed() < STILL {
        if begun.elapsed() > PATIENCE {
            return Err("the screen does not come to rest".into());
        }
        std::thread::sleep(Duration::from_millis(40));
        let now = grabber.pixels()?;
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
    Ok(())
}
