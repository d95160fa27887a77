//! Windows of one colour that the test itself owns, of any depth, form and border.

use super::bed::Bed;
use handeye_core::{Rect, WindowId};
use x11rb::connection::Connection;
use x11rb::protocol::composite::{ConnectionExt as _, Redirect};
use x11rb::protocol::shape::{ConnectionExt as _, SK, SO};
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ClipOrdering, Colormap, ColormapAlloc, ConfigureWindowAux,
    ConnectionExt as _, CreateWindowAux, EventMask, GrabMode, GrabStatus, PropMode, Rectangle, StackMode,
    Visualid, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// A client of the X server.
pub(crate) struct Painter {
    connection: RustConnection,
    root: Window,
}

/// What a window is like.
#[derive(Clone, Copy)]
pub(crate) struct Canvas {
    pub(crate) area: Rect,
    /// The value of its pixels.
    pub(crate) pixel: u32,
    /// Its depth; `None` is that of the screen.
    pub(crate) depth: Option<u8>,
    pub(crate) border: u16,
    /// Whether it bypasses the window manager, as menus do.
    pub(crate) popup: bool,
}

impl Canvas {
    pub(crate) const fn new(area: Rect, pixel: u32) -> Self {
        Self { area, pixel, depth: None, border: 0, popup: false }
    }
}

impl Painter {
    pub(crate) fn new(bed: &Bed) -> Self {
        let (connection, screen) = x11rb::connect(Some(&bed.display)).expect("the server lets it in");
        let root = connection.setup().roots[screen].root;
        Self { connection, root }
    }

    /// Shows a window; the server itself paints it.
    pub(crate) fn show(&self, canvas: Canvas) -> WindowId {
        let window = self.make(canvas);
        self.connection.map_window(window).expect("sent");
        self.sync();
        WindowId::issued(window.into())
    }

    /// Shows a window that says that it answers whether its application hangs, and never does.
    pub(crate) fn show_hanging(&self, canvas: Canvas) -> WindowId {
        let window = self.make(canvas);
        let [protocols, ping] = ["WM_PROTOCOLS", "_NET_WM_PING"].map(|name| {
            self.connection.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("named").atom
        });
        self.connection
            .change_property32(PropMode::REPLACE, window, protocols, AtomEnum::ATOM, &[ping])
            .expect("sent");
        self.connection.map_window(window).expect("sent");
        self.sync();
        WindowId::issued(window.into())
    }

    /// Covers the desktop and takes the user's pointer and keyboard, as a locked screen does.
    pub(crate) fn lock_screen(&self) {
        let cover = Canvas { popup: true, ..Canvas::new(Rect::new(0, 0, 800, 600), 0) };
        self.show(cover);
        let (root, mode) = (self.root, GrabMode::ASYNC);
        let none = x11rb::NONE;
        let pointer =
            self.connection.grab_pointer(false, root, EventMask::NO_EVENT, mode, mode, none, none, 0u32);
        let pointer = pointer.expect("sent").reply().expect("answered").status;
        let keyboard = self.connection.grab_keyboard(false, root, 0u32, mode, mode);
        let keyboard = keyboard.expect("sent").reply().expect("answered").status;
        assert_eq!((pointer, keyboard), (GrabStatus::SUCCESS, GrabStatus::SUCCESS));
    }

    fn make(&self, canvas: Canvas) -> Window {
        let Rect { x, y, width, height, .. } = canvas.area;
        let mut attributes = CreateWindowAux::new()
            .background_pixel(canvas.pixel)
            .border_pixel(0)
            .override_redirect(u32::from(canvas.popup));
        let (mut depth, mut visual) = (x11rb::COPY_DEPTH_FROM_PARENT, x11rb::COPY_FROM_PARENT);
        if let Some(wanted) = canvas.depth {
            (depth, visual) = (wanted, self.visual(wanted));
            attributes = attributes.colormap(self.colours(visual));
        }
        let window = self.connection.generate_id().expect("ids are left");
        self.connection
            .create_window(
                depth,
                window,
                self.root,
                x as i16,
                y as i16,
                width as u16,
                height as u16,
                canvas.border,
                WindowClass::INPUT_OUTPUT,
                visual,
                &attributes,
            )
            .expect("sent")
            .check()
            .expect("the window is made");
        window
    }

    fn visual(&self, depth: u8) -> Visualid {
        let screen = &self.connection.setup().roots[0];
        let depths = screen.allowed_depths.iter().find(|allowed| allowed.depth == depth);
        depths.and_then(|depth| depth.visuals.first()).expect("the server has the depth").visual_id
    }

    fn colours(&self, visual: Visualid) -> Colormap {
        let map = self.connection.generate_id().expect("ids are left");
        self.connection.create_colormap(ColormapAlloc::NONE, map, self.root, visual).expect("sent");
        map
    }

    /// Says that the application draws a shadow in the margins of the window.
    pub(crate) fn set_shadow(&self, window: WindowId, left_right_top_bottom: [u32; 4]) {
        let atom = self.connection.intern_atom(false, b"_GTK_FRAME_EXTENTS").expect("sent").reply();
        let atom = atom.expect("answered").atom;
        self.connection
            .change_property32(
                PropMode::REPLACE,
                window.number() as u32,
                atom,
                AtomEnum::CARDINAL,
                &left_right_top_bottom,
            )
            .expect("sent");
        self.sync();
    }

    /// Leaves only these parts of the window.
    pub(crate) fn shape(&self, window: WindowId, parts: &[Rect]) {
        let parts: Vec<Rectangle> = parts
            .iter()
            .map(|part| Rectangle {
                x: part.x as i16,
                y: part.y as i16,
                width: part.width as u16,
                height: part.height as u16,
            })
            .collect();
        self.connection
            .shape_rectangles(
                SO::SET,
                SK::BOUNDING,
                ClipOrdering::UNSORTED,
                window.number() as u32,
                0,
                0,
                &parts,
            )
            .expect("sent");
        self.sync();
    }

    pub(crate) fn place(&self, window: WindowId, area: Rect) {
        let change = ConfigureWindowAux::new()
            .x(area.x)
            .y(area.y)
            .width(area.width)
            .height(area.height)
            .stack_mode(StackMode::ABOVE);
        self.connection.configure_window(window.number() as u32, &change).expect("sent");
        self.sync();
    }

    /// Draws a part of a window again, which is given in its own coordinates.
    pub(crate) fn draw(&self, window: WindowId, part: Rect) {
        let Rect { x, y, width, height, .. } = part;
        self.connection
            .clear_area(false, window.number() as u32, x as i16, y as i16, width as u16, height as u16)
            .expect("sent");
        self.sync();
    }

    /// Draws a part of a window, which is given in its own coordinates, in this colour.
    pub(crate) fn fill(&self, window: WindowId, part: Rect, pixel: u32) {
        let background = ChangeWindowAttributesAux::new().background_pixel(pixel);
        self.connection.change_window_attributes(window.number() as u32, &background).expect("sent");
        self.draw(window, part);
    }

    /// Has the server keep the pixels of all windows apart, as a compositor does.
    pub(crate) fn redirect_all(&self) {
        self.connection
            .composite_redirect_subwindows(self.root, Redirect::AUTOMATIC)
            .expect("sent")
            .check()
            .expect("nobody else keeps them");
    }

    pub(crate) fn destroy(&self, window: WindowId) {
        self.connection.destroy_window(window.number() as u32).expect("sent");
        self.sync();
    }

    fn sync(&self) {
        self.connection.sync().expect("the server answers");
    }
}
