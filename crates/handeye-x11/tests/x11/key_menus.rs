//! An application that opens a menu at each key, and a user whose key comes at the worst moment.

use super::agent_seat::{scene, seats, wait_until_rested};
use super::bed::{Bed, permit};
use handeye_core::{AgentSeats as _, Button, Seat as _};
use std::thread;
use std::time::Duration;
use x11rb::CURRENT_TIME;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, GrabMode, GrabStatus,
    KEY_PRESS_EVENT, KEY_RELEASE_EVENT, PropMode, Window, WindowClass,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// The key of the letter A, on every layout of a PC.
const KEY: u8 = 38;
const TITLE: &str = "menus";
/// How long the application works at a key before it opens the menu. A client that asked could have taken the keyboard long since.
const WORKS: Duration = Duration::from_millis(20);

/// Takes the keyboard at each key, as menus do, and lets it go. The user's keys are the application's own: one is pressed whenever it has just
/// answered a ping, which is after the client that asked knows that it has no key left to work off.
struct KeyMenus {
    connection: RustConnection,
    root: Window,
    /// Answers so far. After each third one no key is pressed, so that a client that asks again and again finds a quiet moment too.
    answers: usize,
    menus: Vec<GrabStatus>,
}

impl KeyMenus {
    fn new(bed: &Bed) -> Self {
        let (connection, screen) = x11rb::connect(Some(&bed.display)).expect("the server lets it in");
        let root = connection.setup().roots[screen].root;
        let window = connection.generate_id().expect("ids are left");
        let attributes =
            CreateWindowAux::new().event_mask(EventMask::KEY_PRESS | EventMask::STRUCTURE_NOTIFY);
        let (depth, visual) = (x11rb::COPY_DEPTH_FROM_PARENT, x11rb::COPY_FROM_PARENT);
        let class = WindowClass::INPUT_OUTPUT;
        connection
            .create_window(depth, window, root, 0, 0, 120, 90, 0, class, visual, &attributes)
            .expect("sent");
        let [protocols, ping] = ["WM_PROTOCOLS", "_NET_WM_PING"].map(|name| {
            connection.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("named").atom
        });
        let (mode, name) = (PropMode::REPLACE, AtomEnum::WM_NAME);
        connection.change_property32(mode, window, protocols, AtomEnum::ATOM, &[ping]).expect("sent");
        connection.change_property8(mode, window, name, AtomEnum::STRING, TITLE.as_bytes()).expect("sent");
        connection.map_window(window).expect("sent");
        connection.sync().expect("the server answers");
        Self { connection, root, answers: 0, menus: Vec::new() }
    }

    /// Goes on until its window is destroyed; returns whether each menu opened.
    fn run(mut self) -> Vec<GrabStatus> {
        loop {
            match self.connection.wait_for_event().expect("the server lives") {
                Event::ClientMessage(ping) => self.answer(ping),
                Event::KeyPress(_) => self.open_menu(),
                Event::DestroyNotify(_) => return self.menus,
                _ => {}
            }
        }
    }

    fn answer(&mut self, ping: ClientMessageEvent) {
        let answer = ClientMessageEvent { window: self.root, ..ping };
        let listeners = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
        self.connection.send_event(false, self.root, listeners, answer).expect("sent");
        self.answers += 1;
        if !self.answers.is_multiple_of(3) {
            for kind in [KEY_PRESS_EVENT, KEY_RELEASE_EVENT] {
                self.connection.xtest_fake_input(kind, KEY, 0, x11rb::NONE, 0, 0, 0).expect("sent");
            }
        }
        self.connection.flush().expect("sent");
    }

    fn open_menu(&mut self) {
        thread::sleep(WORKS);
        let mode = GrabMode::ASYNC;
        let taken = self.connection.grab_keyboard(true, self.root, CURRENT_TIME, mode, mode).expect("sent");
        self.menus.push(taken.reply().expect("answered").status);
        self.connection.ungrab_keyboard(CURRENT_TIME).expect("sent");
        self.connection.flush().expect("sent");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_menu_of_the_user_opens_though_its_key_comes_when_input_is_about_to_wait() {
    const REMOVALS: usize = 5;
    let bed = Bed::managed();
    let scene = scene(&bed).await;
    let application = KeyMenus::new(&bed);
    let application = thread::spawn(move || application.run());
    let desktop = bed.desktop();
    let window = bed.window(&desktop, TITLE).await.id;
    let seat = seats(&bed).seat();
    desktop.activate(&permit(), window).await.expect("it becomes active");
    for _ in 0..REMOVALS {
        seat.click(&permit(), scene.middle(), Button::Left, 1, Some(scene.window.id)).await.expect("clicked");
        // The keyboard of the user waits while the seat is removed.
        wait_until_rested(&bed, seat.as_ref());
    }
    super::painter::Painter::new(&bed).destroy(window);
    let menus = application.join().expect("it ends with its window");
    assert!(menus.len() >= REMOVALS, "a key for each removal at least: {menus:?}");
    assert!(menus.iter().all(|status| *status == GrabStatus::SUCCESS), "{menus:?}");
}
