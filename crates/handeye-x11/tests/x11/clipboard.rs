//! The clipboard, between this crate and other clients of the X server.

use super::bed::{Bed, PATIENCE, keeper, permit};
use handeye_core::platform::Clipboard;
use handeye_core::{ClipForm, Clipping, Copied, Error, Result};
use handeye_x11::{CopyKeeper, X11Desktop, own};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, CreateWindowAux, EventMask, PropMode,
    Property, SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;
use x11rb::{COPY_DEPTH_FROM_PARENT, COPY_FROM_PARENT, CURRENT_TIME, NONE};

/// Keeps what is copied in threads of the test, and reports when one ends.
#[derive(Debug)]
struct Threads(mpsc::Sender<std::result::Result<(), String>>);

impl CopyKeeper for Threads {
    fn keep(&self, display: Option<&str>, copied: &Copied) -> Result<()> {
        let (ready, is_ready) = mpsc::channel();
        let (display, copied, ended) = (display.map(str::to_owned), copied.clone(), self.0.clone());
        thread::spawn(move || {
            let owned = own(display.as_deref(), &copied, || ready.send(()).expect("the test waits"));
            ended.send(owned)
        });
        is_ready.recv_timeout(PATIENCE).map_err(Error::internal)
    }
}

type Ends = Receiver<std::result::Result<(), String>>;

fn desktop(bed: &Bed) -> (X11Desktop, Ends) {
    let (ended, ends) = mpsc::channel();
    let desktop = X11Desktop::new(Some(bed.display.clone()), keeper());
    (desktop.with_copies_kept_by(Arc::new(Threads(ended))), ends)
}

/// Another client of the server.
struct Peer {
    connection: RustConnection,
    window: Window,
}

impl Peer {
    fn on(bed: &Bed) -> Self {
        let (connection, screen) = RustConnection::connect(Some(&bed.display)).expect("connected");
        let window = connection.generate_id().expect("an id");
        let root = connection.setup().roots[screen].root;
        let listening = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        connection
            .create_window(
                COPY_DEPTH_FROM_PARENT,
                window,
                root,
                0,
                0,
                1,
                1,
                0,
                WindowClass::INPUT_ONLY,
                COPY_FROM_PARENT,
                &listening,
            )
            .expect("sent");
        Self { connection, window }
    }

    fn atom(&self, name: &str) -> Atom {
        self.connection.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("an atom").atom
    }

    /// Asks for the clipboard; returns the property of the answer.
    fn convert(&self, target: &str, place: Atom) -> Atom {
        let (clipboard, target) = (self.atom("CLIPBOARD"), self.atom(target));
        let request = self.connection.convert_selection(self.window, clipboard, target, place, CURRENT_TIME);
        request.expect("sent").check().expect("asked");
        loop {
            if let Event::SelectionNotify(answer) = self.connection.wait_for_event().expect("an event") {
                return answer.property;
            }
        }
    }

    fn bytes(&self, place: Atom) -> Vec<u8> {
        let request = self.connection.get_property(false, self.window, place, AtomEnum::ANY, 0, 4_096);
        request.expect("sent").reply().expect("read").value
    }

    fn own_clipboard(&self) {
        let clipboard = self.atom("CLIPBOARD");
        let request = self.connection.set_selection_owner(self.window, clipboard, CURRENT_TIME);
        request.expect("sent").check().expect("owned");
    }

    fn answer(&self, request: &SelectionRequestEvent) {
        let notify = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: request.property,
        };
        self.connection.send_event(false, request.requestor, EventMask::NO_EVENT, notify).expect("sent");
        self.connection.flush().expect("sent");
    }
}

#[tokio::test]
async fn what_was_copied_is_given_until_another_client_copies() {
    let bed = Bed::bare(&[]);
    let (desktop, ends) = desktop(&bed);
    assert_eq!(desktop.read(&permit(), ClipForm::Text).await.expect("read"), Clipping::default());
    let picture: Vec<u8> = (0..5_000_000_u32).map(|number| (number % 251) as u8).collect();
    let copied = Copied {
        html: Some("<i>ñ</i>".into()),
        png: Some(picture.clone()),
        files: vec!["file:///a".into(), "file:///b".into()],
        ..Copied::text("ñ")
    };
    desktop.write(&permit(), copied).await.expect("copied");
    let read = async |form| desktop.read(&permit(), form).await.expect("read");
    assert_eq!(read(ClipForm::Text).await.text.as_deref(), Some("ñ"));
    assert_eq!(read(ClipForm::Html).await.text.as_deref(), Some("<i>ñ</i>"));
    assert!(read(ClipForm::Png).await.png == Some(picture), "in parts, whole");
    assert_eq!(read(ClipForm::Files).await.files, ["file:///a", "file:///b"]);
    desktop.write(&permit(), Copied::text("second")).await.expect("copied");
    assert_eq!(ends.recv_timeout(PATIENCE), Ok(Ok(())), "the first owner ends");
    assert_eq!(read(ClipForm::Text).await.text.as_deref(), Some("second"));
    Peer::on(&bed).own_clipboard();
    assert_eq!(ends.recv_timeout(PATIENCE), Ok(Ok(())), "the second owner ends");
}

#[tokio::test]
async fn the_questions_of_the_protocol_are_answered() {
    let bed = Bed::bare(&[]);
    let (desktop, _ends) = desktop(&bed);
    desktop.write(&permit(), Copied::text("日")).await.expect("copied");
    let peer = Peer::on(&bed);
    let (place, one, two, three) =
        (peer.atom("PLACE"), peer.atom("ONE"), peer.atom("TWO"), peer.atom("THREE"));
    assert_eq!(peer.convert("UTF8_STRING", place), place);
    assert_eq!(peer.bytes(place), "日".as_bytes());
    assert_eq!(peer.convert("TIMESTAMP", place), place);
    assert_eq!(peer.bytes(place).len(), 4);
    assert_eq!(peer.convert("SAVE_TARGETS", place), place);
    for absent in ["STRING", "image/png", "text/html", "NONSENSE"] {
        assert_eq!(peer.convert(absent, place), NONE, "{absent}");
    }
    let pairs = [peer.atom("TARGETS"), one, peer.atom("NONSENSE"), two, peer.atom("UTF8_STRING"), three];
    let kind = peer.atom("ATOM_PAIR");
    peer.connection.change_property32(PropMode::REPLACE, peer.window, place, kind, &pairs).expect("sent");
    assert_eq!(peer.convert("MULTIPLE", place), place);
    assert_eq!(peer.bytes(three), "日".as_bytes());
    assert!(peer.bytes(one).len() >= 4 * 4 && peer.bytes(two).is_empty());
    let answered: Vec<u8> =
        [pairs[0], one, pairs[2], NONE, pairs[4], three].into_iter().flat_map(u32::to_ne_bytes).collect();
    assert_eq!(peer.bytes(place), answered);
    // No property is one that an old client names.
    assert_eq!(peer.convert("UTF8_STRING", NONE), peer.atom("UTF8_STRING"));
}

#[tokio::test]
async fn an_answer_without_an_end_is_given_up_with_what_there_is() {
    let bed = Bed::bare(&[]);
    let peer = Peer::on(&bed);
    peer.own_clipboard();
    thread::spawn(move || endless(&peer));
    let (desktop, _ends) = desktop(&bed);
    let began = Instant::now();
    let clipping = desktop.read(&permit(), ClipForm::Text).await.expect("a beginning");
    assert!(clipping.cut && clipping.text.is_some_and(|text| text.len() == Clipping::MAX_BYTES));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    desktop.write(&permit(), Copied::text("after")).await.expect("copied");
    let clipping = desktop.read(&permit(), ClipForm::Text).await.expect("read");
    assert_eq!(clipping.text.as_deref(), Some("after"));
}

/// An owner that gives one part after the other, for as long as somebody takes them.
fn endless(peer: &Peer) {
    let (targets, text, incremental) = (peer.atom("TARGETS"), peer.atom("UTF8_STRING"), peer.atom("INCR"));
    let mut place = None;
    while let Ok(event) = peer.connection.wait_for_event() {
        match event {
            Event::SelectionRequest(request) if request.target == targets => {
                let kind = AtomEnum::ATOM;
                let to = (request.requestor, request.property);
                let put = peer.connection.change_property32(PropMode::REPLACE, to.0, to.1, kind, &[text]);
                put.expect("sent");
                peer.answer(&request);
            }
            Event::SelectionRequest(request) => {
                let listening = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
                peer.connection.change_window_attributes(request.requestor, &listening).expect("sent");
                let (window, property) = (request.requestor, request.property);
                let put =
                    peer.connection.change_property32(PropMode::REPLACE, window, property, incremental, &[1]);
                put.expect("sent");
                place = Some((window, property));
                peer.answer(&request);
            }
            Event::PropertyNotify(taken)
                if place == Some((taken.window, taken.atom)) && taken.state == Property::DELETE =>
            {
                let part = vec![b'x'; 60_000];
                let put = peer.connection.change_property8(
                    PropMode::REPLACE,
                    taken.window,
                    taken.atom,
                    text,
                    &part,
                );
                put.expect("sent");
                peer.connection.flush().expect("sent");
            }
            _ => {}
        }
    }
}
