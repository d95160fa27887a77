//! Has the server keep the pixels of covered windows.
//!
//! A covered part of a window has no pixels in a plain X server. The Composite extension makes the server keep each
//! window's pixels apart ("redirect" it); a redirected window can be read whole, covered or not. A compositor
//! that runs has redirected all windows already, and so has a private desktop. Elsewhere this session does it, at the first window
//! that is covered, and holds it, as what was covered must first be painted by the applications.

use super::capture_state::Redirection;
use super::fault::{Fault, Outcome, Vanished};
use super::ping::{Pong, ping};
use super::shadow::with_border;
use super::window_geometry::WindowGeometry;
use super::x_session::XSession;
use super::{grab, monitors};
use handeye_core::Rect;
use std::collections::HashSet;
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::composite::{ConnectionExt as _, Redirect};
use x11rb::protocol::damage::{ConnectionExt as _, Damage, ReportLevel};
use x11rb::protocol::xproto::{ConnectionExt as _, MapState, Window, WindowClass};

/// How long an application may take to say that it knows of a demand to repaint.
const PING_PATIENCE: Duration = Duration::from_millis(700);
/// How long a window may take to paint itself.
const PAINT_PATIENCE: Duration = Duration::from_millis(400);
/// How long nothing must have been painted for a window to count as painted. Toolkits paint once a frame (16 ms),
/// large ones some frames later.
const PAINT_QUIET: Duration = Duration::from_millis(80);
/// The same for an application that cannot be asked whether it knows of the demand to paint.
const PAINT_QUIET_UNASKED: Duration = Duration::from_millis(200);

/// The windows on the screen, children of the root, from the lowest up.
pub(super) struct Stack {
    desktop: Rect,
    windows: Vec<(Window, Rect)>,
}

impl Stack {
    pub(super) fn read(session: &XSession) -> Outcome<Self> {
        let desktop = monitors::desktop(session)?;
        let children = session.connection.query_tree(session.root())?.reply()?.children;
        let cookies = children
            .into_iter()
            .map(|child| {
                let attributes = session.connection.get_window_attributes(child)?;
                Ok((child, attributes, session.connection.get_geometry(child)?))
            })
            .collect::<Outcome<Vec<_>>>()?;
        let mut windows = Vec::with_capacity(cookies.len());
        for (child, attributes, geometry) in cookies {
            let (attributes, geometry) = (attributes.reply().if_there()?, geometry.reply().if_there()?);
            if let (Some(attributes), Some(geometry)) = (attributes, geometry)
                && attributes.map_state == MapState::VIEWABLE
                && attributes.class == WindowClass::INPUT_OUTPUT
            {
                windows.push((child, with_border(&geometry)));
            }
        }
        Ok(Self { desktop, windows })
    }

    /// Whether the screen shows `area` of the window `top` as it is: nothing lies over it and all of it is on the desktop.
    pub(super) fn shows(&self, top: Window, area: Rect) -> bool {
        let mut above = self.windows.iter().rev().take_while(|(window, _)| *window != top);
        self.desktop.intersection(&area) == Some(area)
            && above.all(|(_, other)| other.intersection(&area).is_none())
    }

    /// Where a window on the screen is.
    pub(super) fn area_of(&self, top: Window) -> Option<Rect> {
        self.windows.iter().find(|(window, _)| *window == top).map(|(_, area)| *area)
    }

    fn without_some_pixels(&self) -> HashSet<Window> {
        let hidden = |(window, area): &&(Window, Rect)| !self.shows(*window, *area);
        self.windows.iter().filter(hidden).map(|(window, _)| *window).collect()
    }
}

/// Has the server keep the pixels of all windows from now on. Does nothing the second time.
pub(super) fn redirect_all(session: &mut XSession, stack: &Stack, client: Window) -> Outcome<()> {
    if session.capture.redirection.holds {
        return Ok(());
    }
    if !session.extensions.composite {
        return Err(grab::failed(format!(
            "window {client} is covered or partly off the screen, and this X server cannot keep such pixels"
        ))
        .with_next(
            "Uncover it, run the X server with the Composite extension, or capture the desktop instead.",
        )
        .into());
    }
    let redirected =
        session.connection.composite_redirect_subwindows(session.root(), Redirect::AUTOMATIC)?.check();
    redirected.map_err(|error| match Fault::from(error) {
        Fault::Rejected(_) => grab::failed("the X server has no room to keep the pixels of covered windows")
            .with_next("Close very large windows, or capture the desktop instead.")
            .into(),
        other => other,
    })?;
    session.capture.redirection = Redirection { holds: true, unpainted: stack.without_some_pixels() };
    Ok(())
}

/// Whether the server keeps the pixels of a child of the root apart, those that are covered too.
pub(super) fn has_pixels_of_its_own(session: &XSession, top: Window) -> Outcome<bool> {
    if !session.extensions.composite {
        return Ok(false);
    }
    let pixmap = session.connection.generate_id()?;
    let named = session.connection.composite_name_window_pixmap(top, pixmap)?.check().if_there()?;
    if named.is_some() {
        session.connection.free_pixmap(pixmap)?;
    }
    Ok(named.is_some())
}

/// Waits until the application has painted what had no pixels when this session redirected the window.
pub(super) fn wait_until_painted(session: &mut XSession, geometry: &WindowGeometry) -> Outcome<()> {
    if !session.capture.redirection.unpainted.contains(&geometry.top) {
        return Ok(());
    }
    let damage = watch(session, geometry.top)?;
    let painted = wait(session, geometry.client, damage.is_some());
    if let Some(damage) = damage {
        session.connection.damage_destroy(damage)?.check().if_there()?;
        session.drain_events()?;
    }
    painted?;
    session.capture.redirection.unpainted.remove(&geometry.top);
    Ok(())
}

/// Has the server report what is painted in a window; `None` where it cannot.
fn watch(session: &XSession, window: Window) -> Outcome<Option<Damage>> {
    if !session.extensions.damage {
        return Ok(None);
    }
    let damage = session.connection.generate_id()?;
    let created = session.connection.damage_create(damage, window, ReportLevel::DELTA_RECTANGLES)?;
    Ok(created.check().if_there()?.map(|()| damage))
}

/// Waits until the application knows of the demand to repaint and has then painted nothing new for a while.
fn wait(session: &mut XSession, client: Window, reported: bool) -> Outcome<()> {
    let pong = ping(session, client, PING_PATIENCE)?;
    if pong == Pong::Missed {
        // Without an answer the pixels would be those of the window that covers it: better none than wrong ones.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_screen_shows_what_is_not_covered_and_not_beyond_its_edge() {
        let stack = Stack {
            desktop: Rect::new(0, 0, 100, 100),
            windows: vec![
                (1, Rect::new(0, 0, 50, 50)),
                (2, Rect::new(40, 40, 20, 20)),
                (3, Rect::new(90, 0, 20, 20)),
            ],
        };
        assert!(!stack.shows(1, Rect::new(0, 0, 50, 50)));
        assert!(stack.shows(1, Rect::new(0, 0, 40, 50)));
        assert!(stack.shows(2, Rect::new(40, 40, 20, 20)));
        assert!(!stack.shows(3, Rect::new(90, 0, 20, 20)));
        assert_eq!(stack.without_some_pixels(), HashSet::from([1, 3]));
    }
}
