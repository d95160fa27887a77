//! What is drawn over what: the managed windows together with the menus, tooltips and other popups that bypass the
//! window manager, in the order of the server.

use super::fault::{Outcome, Vanished};
use super::windows::{MAX_WINDOWS, describe, list, toplevels};
use super::x_session::XSession;
use handeye_core::WindowId;
use std::collections::HashMap;
use x11rb::protocol::shape::{ConnectionExt as _, SK};
use x11rb::protocol::xproto::{ConnectionExt as _, MapState, Window, WindowClass};

/// Everything that is drawn and takes clicks, from the topmost down.
pub(super) fn shown(session: &XSession) -> Outcome<Vec<handeye_core::Window>> {
    let on_view = on_view(session)?;
    let popups: Vec<Window> =
        on_view.iter().filter(|child| child.is_popup).map(|child| child.window).collect();
    let mut windows = list(session)?;
    // A window manager may show for a moment how a window folds up (Openbox does).
    windows.retain(|window| !window.minimized);
    let managed: Vec<Window> =
        windows.iter().filter_map(|window| u32::try_from(window.id.number()).ok()).collect();
    let tops = toplevels(session, &managed)?;
    windows.extend(describe(session, &popups)?);

    let places: HashMap<Window, usize> =
        on_view.iter().enumerate().map(|(place, child)| (child.window, place)).collect();
    // What has no place is not drawn: it was minimized, is on another virtual desktop, or vanished meanwhile.
    let mut drawn: Vec<(usize, handeye_core::Window)> = windows
        .into_iter()
        .filter_map(|window| {
            let id = u32::try_from(window.id.number()).ok()?;
            let place = places.get(tops.get(&id).unwrap_or(&id))?;
            Some((*place, window))
        })
        .collect();
    drawn.sort_by_key(|(place, _)| *place);
    Ok(drawn
        .into_iter()
        .enumerate()
        .map(|(stacking, (_, window))| handeye_core::Window { stacking: Some(stacking), ..window })
        .collect())
}

/// The menus, tooltips and other popups that take clicks, from the topmost down.
pub(super) fn popups(session: &XSession) -> Outcome<Vec<handeye_core::Window>> {
    let popups: Vec<Window> =
        on_view(session)?.iter().filter(|child| child.is_popup).map(|child| child.window).collect();
    describe(session, &popups)
}

/// Whether a window bypasses the window manager, as menus do.
pub(super) fn is_popup(session: &XSession, window: WindowId) -> Outcome<bool> {
    let Ok(window) = u32::try_from(window.number()) else { return Ok(false) };
    let attributes = session.connection.get_window_attributes(window)?.reply().if_there()?;
    Ok(attributes.is_some_and(|attributes| attributes.override_redirect))
}

/// A mapped child of the root.
struct Child {
    window: Window,
    /// It bypasses the window manager.
    is_popup: bool,
}

/// The mapped children of the root, topmost first, without popups that let every click through (drag icons, overlays).
fn on_view(session: &XSession) -> Outcome<Vec<Child>> {
    let children = session.connection.query_tree(session.root())?.reply()?.children;
    let attributes = children
        .iter()
        .rev()
        .take(MAX_WINDOWS as usize)
        .map(|child| Ok((*child, session.connection.get_window_attributes(*child)?)))
        .collect::<Outcome<Vec<_>>>()?;
    let mut on_view = Vec::new();
    for (window, cookie) in attributes {
        let Some(attributes) = cookie.reply().if_there()? else { continue };
        if attributes.map_state == MapState::VIEWABLE && attributes.class == WindowClass::INPUT_OUTPUT {
            on_view.push(Child { window, is_popup: attributes.override_redirect });
        }
    }
    let shapes = on_view
        .iter()
        .map(|child| {
            (session.extensions.shapes && child.is_popup)
                .then(|| session.connection.shape_get_rectangles(child.window, SK::INPUT))
                .transpose()
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut takes_clicks = Vec::with_capacity(on_view.len());
    for (child, shape) in on_view.into_iter().zip(shapes) {
        let shape = shape.map(|cookie| cookie.reply().if_there()).transpose()?.flatten();
        if shape.is_none_or(|shape| !shape.rectangles.is_empty()) {
            takes_clicks.push(child);
        }
    }
    Ok(takes_clicks)
}
