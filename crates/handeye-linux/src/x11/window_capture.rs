//! Captures a window as it would look uncovered.
//!
//! A covered part of a window has no pixels in a plain X server. The Composite extension makes the server keep each
//! window's pixels apart ("redirect" it); a redirected window can be read whole, covered or not. A compositor
//! that runs has redirected all windows already. Where none runs, this session does it, at the first window
//! that is covered, and holds it, as freshly redirected windows must first be painted by their applications.

use super::capture::part_of_desktop;
use super::fault::{Outcome, Vanished};
use super::ping::{Pong, ping};
use super::session::Session;
use super::shared_memory::SharedMemory;
use super::windows::{is_minimized, toplevel_of};
use super::{grab, monitors};
use handeye_core::{Error, ErrorCode, Frame, Rect, WindowId};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::composite::{ConnectionExt as _, Redirect};
use x11rb::protocol::damage::{ConnectionExt as _, ReportLevel};
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, GetGeometryReply, GetWindowAttributesReply, MapState, Pixmap, Window,
    WindowClass,
};

/// How long an application may take to say that it knows of a demand to repaint.
const PING_PATIENCE: Duration = Duration::from_millis(700);
/// How long a window may take to paint itself for the first time.
const PAINT_PATIENCE: Duration = Duration::from_millis(400);
/// How long nothing must have been painted for a window to count as painted. Toolkits paint once a frame (16 ms),
/// large ones some frames later.
const PAINT_QUIET: Duration = Duration::from_millis(80);
/// The same for an application that cannot be asked whether it knows of the demand to paint.
const PAINT_QUIET_UNASKED: Duration = Duration::from_millis(200);

/// What captures keep between them.
#[derive(Default)]
pub(super) struct CaptureState {
    pub(super) memory: Option<SharedMemory>,
    /// Whether this session has redirected all windows.
    redirects: bool,
}

/// A top-level window on the screen: the child of the root.
struct Frontage {
    window: Window,
    attributes: GetWindowAttributesReply,
    /// On the screen, with its border.
    area: Rect,
}

/// Captures `window` with its decoration, as it would look uncovered.
pub(super) fn capture(session: &mut Session, window: WindowId) -> Outcome<Frame> {
    let Some(client) = u32::try_from(window.0).ok().filter(|id| *id != x11rb::NONE) else {
        return Err(no_such_window(window).into());
    };
    let Some(frontage) = frontage(session, client)? else {
        return Err(no_such_window(window).into());
    };
    if frontage.attributes.class == WindowClass::INPUT_ONLY {
        return Err(grab::failed(format!("window {client} only takes input and is never drawn")).into());
    }
    let client_state = session.connection.get_window_attributes(client)?.reply().if_there()?;
    let shown = frontage.attributes.map_state == MapState::VIEWABLE
        && client_state.is_some_and(|attributes| attributes.map_state == MapState::VIEWABLE);
    if !shown {
        return Err(not_shown(session, client)?.into());
    }
    if let Some(frame) = kept_pixels(session, &frontage)? {
        return Ok(frame);
    }
    if is_uncovered(session, &frontage)? {
        return part_of_desktop(session, frontage.area);
    }
    redirect_all(session, client, &frontage)?;
    kept_pixels(session, &frontage)?.ok_or_else(|| no_such_window(window).into())
}

fn no_such_window(window: WindowId) -> Error {
    Error::new(ErrorCode::WindowNotFound, format!("there is no window {}", window.0))
        .with_next("List the windows (ax_list_windows): it may have been closed.")
}

/// Why a window that exists has no pixels.
fn not_shown(session: &Session, client: Window) -> Outcome<Error> {
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
    Ok(Error::new(ErrorCode::WindowMinimized, format!("window {client} has no pixels: {why}"))
        .with_next("Bring it up first, for example with `ax_click` or `ax_key_press` in `mode: focus`, or read its tree, which needs no pixels."))
}

fn frontage(session: &Session, client: Window) -> Outcome<Option<Frontage>> {
    let Some(window) = toplevel_of(session, client)? else { return Ok(None) };
    let attributes = session.connection.get_window_attributes(window)?;
    let geometry = session.connection.get_geometry(window)?;
    let (Some(attributes), Some(geometry)) = (attributes.reply().if_there()?, geometry.reply().if_there()?)
    else {
        return Ok(None);
    };
    Ok(Some(Frontage { window, attributes, area: outer_area(&geometry) }))
}

fn outer_area(geometry: &GetGeometryReply) -> Rect {
    let borders = 2 * u32::from(geometry.border_width);
    let (width, height) = (u32::from(geometry.width), u32::from(geometry.height));
    Rect::new(geometry.x.into(), geometry.y.into(), width + borders, height + borders)
}

/// Reads the pixels that the server keeps for a redirected window; `None` if it is not redirected or has gone.
fn kept_pixels(session: &mut Session, frontage: &Frontage) -> Outcome<Option<Frame>> {
    if !session.extensions.composite {
        return Ok(None);
    }
    // The name stays with the pixels of this moment, so each capture asks for a new one.
    let pixmap: Pixmap = session.connection.generate_id()?;
    let named = session.connection.composite_name_window_pixmap(frontage.window, pixmap)?;
    let geometry = session.connection.get_geometry(pixmap)?;
    let named = named.check().if_there()?;
    let geometry = geometry.reply().if_there()?;
    let (Some(()), Some(geometry)) = (named, geometry) else { return Ok(None) };
    let size = Rect::new(0, 0, geometry.width.into(), geometry.height.into());
    let rgb = grab::rgb(session, pixmap, frontage.attributes.visual, size);
    session.connection.free_pixmap(pixmap)?;
    let area = Rect { width: size.width, height: size.height, ..frontage.area };
    Ok(Some(Frame { area, rgb: rgb? }))
}

/// Whether no other window lies over this one and all of it is on the desktop, so that the screen shows it as it is.
fn is_uncovered(session: &Session, frontage: &Frontage) -> Outcome<bool> {
    let desktop = monitors::desktop(session)?;
    if desktop.intersection(&frontage.area) != Some(frontage.area) {
        return Ok(false);
    }
    let children = session.connection.query_tree(session.root())?.reply()?.children;
    let above = children.iter().rev().take_while(|child| **child != frontage.window);
    let cookies = above
        .map(|child| {
            Ok((session.connection.get_window_attributes(*child)?, session.connection.get_geometry(*child)?))
        })
        .collect::<Outcome<Vec<_>>>()?;
    for (attributes, geometry) in cookies {
        let (attributes, geometry) = (attributes.reply().if_there()?, geometry.reply().if_there()?);
        if let (Some(attributes), Some(geometry)) = (attributes, geometry)
            && attributes.map_state == MapState::VIEWABLE
            && attributes.class == WindowClass::INPUT_OUTPUT
            && outer_area(&geometry).intersection(&frontage.area).is_some()
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Has the server keep the pixels of all windows from now on, and waits until the one that is wanted
/// has been painted by its application.
fn redirect_all(session: &mut Session, client: Window, frontage: &Frontage) -> Outcome<()> {
    if session.capture.redirects {
        return Ok(());
    }
    if !session.extensions.composite {
        return Err(grab::failed(format!(
            "window {client} is covered and this X server cannot keep covered pixels"
        ))
        .with_next("Run the X server with the Composite extension, or capture the desktop instead.")
        .into());
    }
    let damage = session.extensions.damage.then(|| session.connection.generate_id()).transpose()?;
    if let Some(damage) = damage {
        session
            .connection
            .damage_create(damage, frontage.window, ReportLevel::DELTA_RECTANGLES)?
            .check()
            .if_there()?;
    }
    session.connection.composite_redirect_subwindows(session.root(), Redirect::AUTOMATIC)?.check()?;
    session.capture.redirects = true;
    let painted = wait_until_painted(session, client, damage.is_some());
    if let Some(damage) = damage {
        session.connection.damage_destroy(damage)?.check().if_there()?;
    }
    painted
}

/// Waits until the application knows of the demand to repaint and has then painted nothing new for a while.
fn wait_until_painted(session: &mut Session, client: Window, reported: bool) -> Outcome<()> {
    let pong = ping(session, client, PING_PATIENCE)?;
    if pong == Pong::Missed {
        // Without an answer the pixels would be those of the window that covers it: better none than wrong ones.
        session.capture.redirects = false;
        session
            .connection
            .composite_unredirect_subwindows(session.root(), Redirect::AUTOMATIC)?
            .check()
            .if_there()?;
        return Err(grab::failed(format!(
            "window {client} is covered, and its application does not repaint it"
        ))
        .with_next("The application seems to be stopped or busy: wait, or capture the desktop instead.")
        .into());
    }
    if !reported {
        return session.pause(PAINT_PATIENCE);
    }
    let quiet_time = if pong == Pong::Came { PAINT_QUIET } else { PAINT_QUIET_UNASKED };
    let until = Instant::now() + PAINT_PATIENCE;
    loop {
        let quiet = (Instant::now() + quiet_time).min(until);
        match session.next_event(quiet)? {
            Some(Event::DamageNotify(_)) if Instant::now() < until => {}
            Some(Event::DamageNotify(_)) | None => return Ok(()),
            Some(_) => {}
        }
    }
}
