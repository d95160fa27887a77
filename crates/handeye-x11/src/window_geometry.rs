//! Where a window and its parts are on the screen, and which of its pixels are its own.

use super::fault::{Outcome, Vanished};
use super::screen_pixels::Pixels;
use super::shadow::{Shadow, with_border};
use super::windows::toplevel_of;
use super::x_session::XSession;
use handeye_core::Rect;
use handeye_core::platform::WindowPart;
use std::sync::Arc;
use x11rb::protocol::shape::{ConnectionExt as _, SK};
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, GetGeometryReply, MapState, Rectangle, Visualid, Window, WindowClass,
};

/// A window and the child of the root that holds it: its frame, or itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WindowGeometry {
    pub(super) client: Window,
    pub(super) top: Window,
    pub(super) visual: Visualid,
    pub(super) only_takes_input: bool,
    /// Whether both are mapped.
    pub(super) shown: bool,
    /// The child of the root with its border, on the screen.
    pub(super) outer: Rect,
    /// The whole window with decoration and without a shadow of its own, on the screen.
    pub(super) whole: Rect,
    /// What the application shows, on the screen.
    pub(super) content: Rect,
    /// Where the child of the root has pixels of its own, on the screen, if that is not all of [`outer`](Self::outer).
    shape: Option<Vec<Rect>>,
}

impl WindowGeometry {
    /// Reads the place of `client`; `None` if it is gone.
    pub(super) fn read(session: &XSession, client: Window) -> Outcome<Option<Self>> {
        let Some(top) = toplevel_of(session, client)? else { return Ok(None) };
        let connection = &session.connection;
        let top_attributes = connection.get_window_attributes(top)?;
        let client_attributes = connection.get_window_attributes(client)?;
        let top_geometry = connection.get_geometry(top)?;
        let client_geometry = connection.get_geometry(client)?;
        let position = connection.translate_coordinates(client, session.root(), 0, 0)?;
        let extents = connection.get_property(
            false,
            client,
            session.atoms._GTK_FRAME_EXTENTS,
            AtomEnum::CARDINAL,
            0,
            Shadow::ITEMS,
        )?;
        let shape = session.extensions.shapes.then(|| connection.shape_query_extents(top)).transpose()?;
        let replies = (
            top_attributes.reply().if_there()?,
            client_attributes.reply().if_there()?,
            top_geometry.reply().if_there()?,
            client_geometry.reply().if_there()?,
            position.reply().if_there()?,
        );
        let shadow = Shadow::from_property(extents.reply().if_there()?.as_ref());
        let shaped = match shape {
            Some(cookie) => cookie.reply().if_there()?.is_some_and(|reply| reply.bounding_shaped),
            None => false,
        };
        let (Some(top_attributes), Some(client_attributes), Some(top_geometry), Some(size), Some(position)) =
            replies
        else {
            return Ok(None);
        };
        let outer = with_border(&top_geometry);
        let whole = shadow.cut_from(outer);
        let content = shadow.cut_from(Rect::new(
            position.dst_x.into(),
            position.dst_y.into(),
            size.width.into(),
            size.height.into(),
        ));
        let mapped = |state| state == MapState::VIEWABLE;
        Ok(Some(Self {
            client,
            top,
            visual: top_attributes.visual,
            only_takes_input: top_attributes.class == WindowClass::INPUT_ONLY,
            shown: mapped(top_attributes.map_state) && mapped(client_attributes.map_state),
            outer,
            whole,
            content,
            shape: if shaped { read_shape(session, top, &top_geometry)? } else { None },
        }))
    }

    /// The rectangle of a part of it on the screen, or `None` where the part has no pixels, as in a window that
    /// is rolled up to its title.
    pub(super) fn of(&self, part: WindowPart) -> Option<Rect> {
        match part {
            WindowPart::Whole => self.whole,
            WindowPart::Content => self.content,
        }
        .intersection(&self.outer)
    }

    /// Whether it has the same size, form and decoration as `other`, wherever both are.
    pub(super) fn looks_like(&self, other: &Self) -> bool {
        let moved_here = other.moved(self.outer.x - other.outer.x, self.outer.y - other.outer.y);
        *self == moved_here
    }

    fn moved(&self, dx: i32, dy: i32) -> Self {
        let translated = |rects: &Vec<Rect>| rects.iter().map(|rect| rect.translated(dx, dy)).collect();
        Self {
            outer: self.outer.translated(dx, dy),
            whole: self.whole.translated(dx, dy),
            content: self.content.translated(dx, dy),
            shape: self.shape.as_ref().map(translated),
            ..self.clone()
        }
    }

    /// Blackens the pixels that are not the window's own. What the server has there is left over from another window.
    pub(super) fn mask(&self, pixels: Pixels) -> Pixels {
        let Some(shape) = &self.shape else { return pixels };
        let mut rgb = vec![0; pixels.rgb.len()];
        let row = pixels.area.width as usize * 3;
        for part in shape.iter().filter_map(|rect| rect.intersection(&pixels.area)) {
            let left = part.x.abs_diff(pixels.area.x) as usize * 3;
            let right = left + part.width as usize * 3;
            let top = part.y.abs_diff(pixels.area.y) as usize;
            for start in (top..top + part.height as usize).map(|line| line * row) {
                rgb[start + left..start + right].copy_from_slice(&pixels.rgb[start + left..start + right]);
            }
        }
        Pixels { area: pixels.area, rgb: Arc::new(rgb), stamp: None, redrawn: None }
    }
}

fn read_shape(session: &XSession, top: Window, geometry: &GetGeometryReply) -> Outcome<Option<Vec<Rect>>> {
    let reply = session.connection.shape_get_rectangles(top, SK::BOUNDING)?.reply().if_there()?;
    // They are counted from the corner inside of the border.
    let border = i32::from(geometry.border_width);
    let (x, y) = (i32::from(geometry.x) + border, i32::from(geometry.y) + border);
    let on_screen = |rect: &Rectangle| {
        Rect::new(rect.x.into(), rect.y.into(), rect.width.into(), rect.height.into()).translated(x, y)
    };
    Ok(reply.map(|reply| reply.rectangles.iter().map(on_screen).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(outer: Rect, shape: Option<Vec<Rect>>) -> WindowGeometry {
        WindowGeometry {
            client: 2,
            top: 1,
            visual: 3,
            only_takes_input: false,
            shown: true,
            outer,
            whole: outer,
            content: outer,
            shape,
        }
    }

    #[test]
    fn a_shadow_is_cut_off_on_each_side() {
        let shadow = Shadow { left: 1, right: 2, top: 3, bottom: 4 };
        assert_eq!(shadow.cut_from(Rect::new(10, 10, 100, 100)), Rect::new(11, 13, 97, 93));
        // Nonsense cuts off nothing.
        assert_eq!(shadow.cut_from(Rect::new(10, 10, 3, 100)), Rect::new(10, 10, 3, 100));
        let huge = Shadow { left: u32::MAX, right: u32::MAX, ..shadow };
        assert_eq!(huge.cut_from(Rect::new(0, 0, 9, 9)), Rect::new(0, 0, 9, 9));
    }

    #[test]
    fn a_place_is_distinguished_from_another_form_and_not_from_another_position() {
        let here = geometry(Rect::new(10, 20, 5, 5), Some(vec![Rect::new(10, 20, 2, 2)]));
        assert!(here.looks_like(&geometry(Rect::new(0, 0, 5, 5), Some(vec![Rect::new(0, 0, 2, 2)]))));
        assert!(!here.looks_like(&geometry(Rect::new(10, 20, 5, 5), None)));
        assert!(!here.looks_like(&geometry(Rect::new(10, 20, 6, 5), Some(vec![Rect::new(10, 20, 2, 2)]))));
    }

    #[test]
    fn pixels_outside_of_the_shape_are_black() {
        let shape = vec![Rect::new(11, 10, 1, 1), Rect::new(0, 11, 11, 9)];
        let pixels =
            Pixels { area: Rect::new(10, 10, 2, 2), rgb: Arc::new(vec![7; 12]), stamp: None, redrawn: None };
        let masked = geometry(Rect::new(10, 10, 2, 2), Some(shape)).mask(pixels);
        assert_eq!(*masked.rgb, [0, 0, 0, 7, 7, 7, 7, 7, 7, 0, 0, 0]);
    }
}
