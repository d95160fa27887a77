//! Captures a window as it would look uncovered.

use super::fault::{Fault, Outcome, Vanished};
use super::grab;
use super::redirection::{Stack, has_pixels_of_its_own, redirect_all, wait_until_painted};
use super::screen_pixels::{Pixels, part_of_desktop};
use super::stamps::stamped;
use super::window_geometry::WindowGeometry;
use super::windows::is_minimized;
use super::x_session::XSession;
use handeye_core::platform::WindowPart;
use handeye_core::{Argument, Error, ErrorCode, Frame, Invocation, Rect, WindowId, text};
use std::sync::Arc;
use x11rb::connection::Connection;
use x11rb::protocol::composite::ConnectionExt as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, Pixmap, Window};

/// How often a window is captured that changes its size or place meanwhile.
const ATTEMPTS: usize = 3;
/// Windows of more pixels are not meant to be seen: three 8K monitors have 100 million.
const MOST_PIXELS: u64 = 128 * 1024 * 1024;

/// Captures a part of `window`, as it would look uncovered.
pub(super) fn capture(session: &mut XSession, window: WindowId, part: WindowPart) -> Outcome<Frame> {
    let Some(client) = u32::try_from(window.number()).ok().filter(|id| *id != x11rb::NONE) else {
        return Err(no_such_window(window).into());
    };
    for _ in 0..ATTEMPTS {
        let Some(before) = WindowGeometry::read(session, client)? else {
            return Err(no_such_window(window).into());
        };
        let area = capturable(session, &before, part)?;
        let picture = match picture(session, &before, area) {
            Ok(picture) => picture,
            // Something that was there a moment ago is gone, or smaller.
            Err(Fault::Rejected(error)) => {
                tracing::debug!(?error, "a window changed during its capture");
                None
            }
            Err(fault) => return Err(fault),
        };
        let after = WindowGeometry::read(session, client)?;
        if let (Some(picture), Some(after)) = (picture, after)
            && let Some(pixels) = picture.settled(&before, &after)
        {
            return Ok(after.mask(pixels).into());
        }
    }
    Err(grab::failed(format!("window {client} changed its size or place during each of {ATTEMPTS} captures"))
        .with_next("Wait until it stops changing, then try again.")
        .into())
}

/// Where the part is on the screen, or why it cannot be captured.
fn capturable(session: &XSession, geometry: &WindowGeometry, part: WindowPart) -> Outcome<Rect> {
    let client = geometry.client;
    if geometry.only_takes_input {
        return Err(grab::failed(format!("window {client} only takes input and is never drawn")).into());
    }
    if !geometry.shown {
        return Err(not_shown(session, client)?.into());
    }
    let Some(area) = geometry.of(part) else {
        return Err(without_pixels(client, "it is rolled up to its title").into());
    };
    if u64::from(area.width) * u64::from(area.height) > MOST_PIXELS {
        let Rect { width, height, .. } = area;
        return Err(grab::failed(format!(
            "window {client} has {width}x{height} pixels, too many for a picture"
        ))
        .with_next("Capture a region of the screen instead.")
        .into());
    }
    Ok(area)
}

/// A picture of a window, before it is known whether the window stayed as it was.
struct Picture {
    pixels: Pixels,
    /// Whether it was read from the screen, where another window may have moved to since.
    from_screen: bool,
}

impl Picture {
    /// The picture, where the window is now; `None` if the window changed too much for it to be true.
    fn settled(self, before: &WindowGeometry, after: &WindowGeometry) -> Option<Pixels> {
        let Self { pixels, from_screen } = self;
        let area = pixels.area.translated(after.outer.x - before.outer.x, after.outer.y - before.outer.y);
        let kept = if from_screen { before == after } else { after.looks_like(before) };
        kept.then_some(Pixels { area, ..pixels })
    }
}

/// Reads `area` of the window; `None` if it has changed meanwhile.
fn picture(session: &mut XSession, geometry: &WindowGeometry, area: Rect) -> Outcome<Option<Picture>> {
    wait_until_painted(session, geometry)?;
    if let Some(picture) = kept_picture(session, geometry, area)? {
        return Ok(Some(picture));
    }
    let stack = Stack::read(session)?;
    if stack.shows(geometry.top, area) {
        return part_of_desktop(session, area).map(|pixels| Some(Picture { pixels, from_screen: true }));
    }
    redirect_all(session, &stack, geometry.client)?;
    wait_until_painted(session, geometry)?;
    kept_picture(session, geometry, area)
}

/// Reads the pixels that the server keeps for a redirected window; `None` if it is not redirected, or gone or smaller.
fn kept_picture(session: &mut XSession, window: &WindowGeometry, area: Rect) -> Outcome<Option<Picture>> {
    if !has_pixels_of_its_own(session, window.top)? {
        return Ok(None);
    }
    let (rgb, stamp) = stamped(session, window.top, |session, _| kept_pixels(session, window, area))?;
    Ok(rgb.map(|rgb| {
        let pixels = Pixels { area, rgb: Arc::new(rgb), stamp, redrawn: None };
        Picture { pixels, from_screen: false }
    }))
}

/// The same as bytes, three for each pixel.
fn kept_pixels(session: &mut XSession, window: &WindowGeometry, area: Rect) -> Outcome<Option<Vec<u8>>> {
    // The name stays with the pixels of this moment, so each capture asks for a new one.
    let pixmap: Pixmap = session.connection.generate_id()?;
    let named = session.connection.composite_name_window_pixmap(window.top, pixmap)?;
    let geometry = session.connection.get_geometry(pixmap)?;
    let named = named.check().if_there()?;
    let geometry = geometry.reply().if_there()?;
    let (Some(()), Some(geometry)) = (named, geometry) else { return Ok(None) };
    let size = Rect::new(0, 0, geometry.width.into(), geometry.height.into());
    let part = area.translated(-window.outer.x, -window.outer.y);
    let rgb = match size.intersection(&part) {
        Some(inside) if inside == part => grab::rgb(session, pixmap, window.visual, part).map(Some),
        _ => Ok(None),
    };
    session.connection.free_pixmap(pixmap)?;
    rgb
}

fn no_such_window(window: WindowId) -> Error {
    Error::new(ErrorCode::WindowNotFound, format!("there is no window {}", window.number())).with_next(text![
        "List the windows (",
        Invocation::of("ax_list_windows"),
        "): it may have been closed."
    ])
}

/// Why a window that exists has no pixels.
fn not_shown(session: &XSession, client: Window) -> Outcome<Error> {
    let desktop = session.numbers(client, session.atoms._NET_WM_DESKTOP, AtomEnum::CARDINAL, 1)?;
    let current =
        session.numbers(session.root(), session.atoms._NET_CURRENT_DESKTOP, AtomEnum::CARDINAL, 1)?;
    let elsewhere = matches!((desktop.first(), current.first()), (Some(on), Some(shown)) if on != shown && *on != u32::MAX);
    let why = if elsewhere {
        "it is on another virtual desktop"
    } else if is_minimized(session, client)? {
        "it is minimized"
    } else {
        "its application has hidden it"
    };
    Ok(without_pixels(client, why))
}

fn without_pixels(client: Window, why: &str) -> Error {
    Error::new(ErrorCode::WindowMinimized, format!("window {client} has no pixels: {why}")).with_next(text![
        "Show it first, for example with `",
        Invocation::of("ax_click"),
        "` or `",
        Invocation::of("ax_key_press"),
        "` in `",
        Argument::new("mode", "focus"),
        "`, or read its tree, which needs no pixels."
    ])
}
