//! Answers of an application, as several clients that ask it at the same time see them.

use super::bed::{Bed, PATIENCE, permit};
use handeye_core::{ErrorCode, Seat};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, InputFocus, PropMode,
    Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// A window with the keyboard, whose application answers pings when and as the test likes.
struct Answerer {
    connection: RustConnection,
    root: Window,
    protocols: u32,
    ping: u32,
}

impl Answerer {
    fn new(bed: &Bed) -> Self {
        let (connection, screen) = x11rb::connect(Some(&bed.display)).expect("the server lets it in");
        let root = connection.setup().roots[screen].root;
        let window = connection.generate_id().expect("an id");
        let (class, looks) = (WindowClass::INPUT_OUTPUT, CreateWindowAux::new());
        connection.create_window(0, window, root, 0, 0, 100, 100, 0, class, 0, &looks).expect("sent");
        let [protocols, ping] = ["WM_PROTOCOLS", "_NET_WM_PING"].map(|name| {
            connection.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("named").atom
        });
        connection
            .change_property32(PropMode::REPLACE, window, protocols, AtomEnum::ATOM, &[ping])
            .expect("sent");
        connection.map_window(window).expect("sent");
        let focused = connection.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME);
        focused.expect("sent").check().expect("it has the keyboard");
        Self { connection, root, protocols, ping }
    }

    /// The next ping.
    fn next(&self) -> ClientMessageEvent {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            match self.connection.poll_for_event().expect("connected") {
                Some(Event::ClientMessage(message))
                    if message.type_ == self.protocols && message.data.as_data32()[0] == self.ping =>
                {
                    return message;
                }
                Some(_) => {}
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        }
        panic!("nobody asks");
    }

    /// Answers a ping, as every toolkit does: the same message to the root window.
    fn answer(&self, ping: ClientMessageEvent) {
        let answer = ClientMessageEvent { window: self.root, ..ping };
        let mask = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
        self.connection.send_event(false, self.root, mask, answer).expect("sent");
        self.connection.flush().expect("sent");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_for_the_client_that_has_asked() {
    let bed = Bed::bare(&[]);
    let application = Answerer::new(&bed);
    let desktops = [bed.desktop(), bed.desktop()];
    let permit = permit();
    let typed = async {
        let [first, second] = &desktops;
        tokio::join!(first.type_text(&permit, "a", None), second.type_text(&permit, "a", None))
    };
    // Both have sent their keys; the application has only worked off those of one.
    let answered = tokio::task::spawn_blocking(move || {
        let [first, _second] = [application.next(), application.next()];
        application.answer(first);
        application
    });
    let ((first, second), application) = tokio::join!(typed, answered);
    drop(application.expect("it answered"));
    let failed: Vec<ErrorCode> =
        [first, second].into_iter().filter_map(Result::err).map(|e| e.code).collect();
    assert_eq!(failed, [ErrorCode::AppNotResponding]);
}
