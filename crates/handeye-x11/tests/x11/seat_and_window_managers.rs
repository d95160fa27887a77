//! What a window manager sees of the seat of an agent, and which one gets none to see.

use super::agent_seat::{pointers, scene, seats, wait_until_rested};
use super::bed::{Bed, permit};
use handeye_core::{AgentSeats, Button, ErrorCode};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, EventMask, WindowClass};
use x11rb::wrapper::ConnectionExt as _;

/// Windows at the edges of the desktop, of one pixel: some window managers have such, and take whatever enters for the user's pointer.
struct Edges {
    connection: x11rb::rust_connection::RustConnection,
}

impl Edges {
    fn new(bed: &Bed) -> Self {
        let (connection, screen) = x11rb::connect(Some(&bed.display)).expect("the server answers");
        let screen = &connection.setup().roots[screen];
        let (root, width, height) = (screen.root, screen.width_in_pixels, screen.height_in_pixels);
        let (right, bottom) = (width.cast_signed() - 1, height.cast_signed() - 1);
        for (x, y, width, height) in
            [(0, 0, width, 1), (0, 0, 1, height), (right, 0, 1, height), (0, bottom, width, 1)]
        {
            let window = connection.generate_id().expect("a number");
            let watched = CreateWindowAux::new().event_mask(EventMask::ENTER_WINDOW).override_redirect(1);
            connection
                .create_window(0, window, root, x, y, width, height, 0, WindowClass::INPUT_ONLY, 0, &watched)
                .expect("sent");
            connection.map_window(window).expect("sent");
        }
        connection.sync().expect("they are there");
        Self { connection }
    }

    fn entered(&self) -> Vec<Event> {
        self.connection.sync().expect("the server answers");
        std::iter::from_fn(|| self.connection.poll_for_event().expect("the server answers")).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_that_rests_enters_no_edge_of_the_desktop() {
    let bed = Bed::managed();
    let scene = scene(&bed).await;
    let edges = Edges::new(&bed);
    let seat = seats(&bed).seat();
    seat.click(&permit(), scene.middle(), Button::Left, 1, Some(scene.window.id)).await.expect("clicked");
    wait_until_rested(&bed, seat.as_ref());
    seats(&bed).check().await.expect("the doctor's probe");
    let entered = edges.entered();
    assert!(entered.is_empty(), "{entered:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn there_is_no_seat_where_the_window_manager_does_not_survive_its_end() {
    let bed = Bed::managed();
    let scene = scene(&bed).await;
    let seat = seats(&bed).seat();
    for name in ["Mutter (Muffin)", "GNOME Shell"] {
        bed.rename_manager(name);
        let clicked = seat.click(&permit(), scene.middle(), Button::Left, 1, Some(scene.window.id)).await;
        let refusal = clicked.expect_err("it is refused");
        assert_eq!(refusal.code, ErrorCode::Refused, "{}", refusal.message);
        assert!(refusal.message.contains("mutter"), "{}", refusal.message);
        assert_eq!(pointers(&bed), Vec::<String>::new());
    }
    bed.rename_manager("Openbox");
    seat.click(&permit(), scene.middle(), Button::Left, 1, Some(scene.window.id)).await.expect("clicked");
    wait_until_rested(&bed, seat.as_ref());
}
