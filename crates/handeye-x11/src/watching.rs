//! What the user does with pointer and keyboard, by the RECORD extension: as the devices report it, for every window, and with a sign on the
//! screen.
//!
//! Which character a key types is looked up only as far as is needed to know that it types one.

use super::consents;
use super::fault::{Outcome, unreachable_display};
use super::keys::name_of_symbol;
use super::sign::Sign;
use super::stream::PatientStream;
use super::x_session::connect;
use handeye_core::{Button, Chord, Error, Keystroke, Modifier, Point, Result, UserAction, UserEventSender};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, IoSlice};
use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::mpsc;
use std::time::Duration;
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::record::{self, ConnectionExt as _, Range, Range8};
use x11rb::protocol::xproto::{self, ConnectionExt as _, GetKeyboardMappingReply, KeyButMask};
use x11rb::rust_connection::{DefaultStream, PollMode, RustConnection, Stream};
use x11rb::utils::RawFdContainer;
use x11rb::x11_utils::TryParse;

/// How often the thread looks whether anybody listens still.
const LOOK: Duration = Duration::from_millis(200);
/// How long it may take until the server records.
const BEGIN: Duration = Duration::from_secs(4);
/// The replies of a context: the first one, and those with events.
const START_OF_DATA: u8 = 4;
const FROM_SERVER: u8 = 0;

/// The socket that events come by. It waits for as long as somebody listens and the sign is shown, and then fails: nothing is read without
/// a sign.
struct WatchedStream {
    socket: DefaultStream,
    listener: UserEventSender,
    sign: Rc<Sign>,
}

impl Stream for WatchedStream {
    fn poll(&self, mode: PollMode) -> io::Result<()> {
        let mut wanted = PollFlags::empty();
        wanted.set(PollFlags::IN, mode.readable());
        wanted.set(PollFlags::OUT, mode.writable());
        let patience = Timespec::try_from(LOOK).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        while !self.listener.is_closed() {
            self.sign.tend().map_err(|fault| io::Error::other(format!("{fault:?}")))?;
            let mut sockets = [
                PollFd::from_borrowed_fd(self.socket.as_fd(), wanted),
                PollFd::from_borrowed_fd(self.sign.as_fd(), PollFlags::IN),
            ];
            match poll(&mut sockets, Some(&patience)) {
                Ok(_) if !sockets[0].revents().is_empty() => return Ok(()),
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::Error::new(io::ErrorKind::Interrupted, "nobody listens any more"))
    }

    fn read(&self, buffer: &mut [u8], files: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.socket.read(buffer, files)
    }

    fn write(&self, buffer: &[u8], files: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.socket.write(buffer, files)
    }

    fn write_vectored(&self, buffers: &[IoSlice<'_>], files: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.socket.write_vectored(buffers, files)
    }
}

/// Begins to report to `listener`, on a thread that ends when nobody listens any more. Returns when the server records and the sign is shown.
/// Blocks.
///
/// # Errors
/// `ErrorCode::DisplayUnavailable`; `ErrorCode::Refused` where the server has no RECORD or no SHAPE extension.
pub(super) fn begin(display: Option<&str>, listener: UserEventSender) -> Result<()> {
    let shown = display.map_or_else(|| std::env::var("DISPLAY").unwrap_or_default(), str::to_owned);
    let (begun, is_begun) = mpsc::sync_channel(1);
    let owned = display.map(str::to_owned);
    std::thread::Builder::new()
        .name("x11-watching".into())
        .spawn(move || {
            let ended = follow(owned.as_deref(), &listener, &begun);
            match ended {
                Ok(()) => tracing::debug!("the server records no more"),
                // The caller waits still, or knows that it records: then the end of the events reports it.
                Err(fault) => {
                    if begun.try_send(Err(fault)).is_err() {
                        tracing::debug!("the user is watched no more");
                    }
                }
            }
        })
        .map_err(|error| Error::internal(format!("no thread: {error}")))?;
    match is_begun.recv_timeout(BEGIN) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(fault)) => Err(fault.into_error(&shown, None)),
        Err(_) => Err(unreachable_display(&shown, "it does not begin to record", None)),
    }
}

/// Reports until nobody listens any more, the sign is taken away or the server ends.
fn follow(
    display: Option<&str>,
    listener: &UserEventSender,
    begun: &mpsc::SyncSender<Outcome<()>>,
) -> Outcome<()> {
    let sign = Rc::new(Sign::show(display)?);
    let control = &sign.session().connection;
    let wrap = |socket| WatchedStream { socket, listener: listener.clone(), sign: Rc::clone(&sign) };
    let (data, _) = connect(display, wrap)?;
    if control.extension_information(record::X11_EXTENSION_NAME)?.is_none() {
        consents::RECORD.missing().require("nothing can be recorded")?;
    }
    control.record_query_version(1, 13)?.reply()?;
    let context = control.generate_id()?;
    let ranges = [Range {
        device_events: Range8 { first: xproto::KEY_PRESS_EVENT, last: xproto::BUTTON_RELEASE_EVENT },
        ..Range::default()
    }];
    control.record_create_context(context, 0, &[record::CS::ALL_CLIENTS.into()], &ranges)?.check()?;
    let layout = Layout::read(control)?;
    for reply in data.record_enable_context(context)? {
        let reply = reply?;
        match reply.category {
            START_OF_DATA if begun.try_send(Ok(())).is_err() => return Ok(()),
            FROM_SERVER if !reply.client_swapped => report(&reply.data, &layout, listener),
            _ => {}
        }
    }
    Ok(())
}

/// Reports the events of one reply.
fn report(mut data: &[u8], layout: &Layout, listener: &UserEventSender) {
    while let Some(kind) = data.first() {
        let rest = match *kind & 0x7f {
            xproto::KEY_PRESS_EVENT => xproto::KeyPressEvent::try_parse(data).map(|(event, rest)| {
                if let Some(stroke) = layout.stroke(event.detail, event.state) {
                    listener.send(UserAction::Key(stroke));
                }
                rest
            }),
            xproto::BUTTON_PRESS_EVENT | xproto::BUTTON_RELEASE_EVENT => {
                xproto::ButtonPressEvent::try_parse(data).map(|(event, rest)| {
                    let at = Point::new(event.root_x.into(), event.root_y.into());
                    if let Some(action) =
                        pressed(event.detail, at, *kind & 0x7f == xproto::BUTTON_PRESS_EVENT)
                    {
                        listener.send(action);
                    }
                    rest
                })
            }
            _ => match data.get(32..) {
                Some(rest) => Ok(rest),
                None => return,
            },
        };
        match rest {
            Ok(rest) => data = rest,
            Err(_) => return,
        }
    }
}

/// What a button does. The wheel is four buttons.
fn pressed(button: u8, at: Point, down: bool) -> Option<UserAction> {
    let act = |button| if down { UserAction::Press(button, at) } else { UserAction::Release(button, at) };
    let wheel = |dx, dy| down.then_some(UserAction::Wheel { dx, dy, at });
    match button {
        1 => Some(act(Button::Left)),
        2 => Some(act(Button::Middle)),
        3 => Some(act(Button::Right)),
        4 => wheel(0, -1),
        5 => wheel(0, 1),
        6 => wheel(-1, 0),
        7 => wheel(1, 0),
        _ => None,
    }
}

/// Which symbols are on which key, as it was when the recording began.
struct Layout {
    first: u8,
    symbols: GetKeyboardMappingReply,
}

/// A symbol as far as a recording needs it.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Character,
    Modifier,
    Named(String),
}

impl Layout {
    fn read(connection: &RustConnection<PatientStream>) -> Outcome<Self> {
        let setup = connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let symbols = connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
        Ok(Self { first, symbols })
    }

    fn symbol(&self, key: u8, column: usize) -> Option<u32> {
        let row = usize::from(key.checked_sub(self.first)?);
        let width = usize::from(self.symbols.keysyms_per_keycode);
        self.symbols
            .keysyms
            .get(row * width + column)
            .copied()
            .filter(|symbol| column < width && *symbol != 0)
    }

    /// What a key does in a state of the modifiers; `None` for a modifier by itself.
    fn stroke(&self, key: u8, state: KeyButMask) -> Option<Keystroke> {
        let group = usize::from(u16::from(state) >> 13 & 1);
        let plain = self.symbol(key, group * 2).or_else(|| self.symbol(key, 0))?;
        let is_shifted = state.contains(KeyButMask::SHIFT);
        let shown = if is_shifted { self.symbol(key, group * 2 + 1).unwrap_or(plain) } else { plain };
        let mut modifiers: Vec<Modifier> = [
            (KeyButMask::CONTROL, Modifier::Ctrl),
            (KeyButMask::MOD1, Modifier::Alt),
            (KeyButMask::MOD4, Modifier::Super),
        ]
        .into_iter()
        .filter_map(|(mask, modifier)| state.contains(mask).then_some(modifier))
        .collect();
        let has_number_lock = state.contains(KeyButMask::MOD2);
        let kind = kind(shown, has_number_lock);
        if kind == Kind::Modifier {
            return None;
        }
        if kind == Kind::Character && modifiers.is_empty() {
            return Some(if shown == 0x20 { Keystroke::Space } else { Keystroke::Character });
        }
        if is_shifted && (kind != Kind::Character || shown != plain) {
            modifiers.push(Modifier::Shift);
        }
        let name = match kind {
            Kind::Named(name) => name,
            _ => name_of_symbol(plain)?,
        };
        Some(Keystroke::Chord(Chord { modifiers, key: name }))
    }
}

/// What a symbol is.
fn kind(symbol: u32, has_number_lock: bool) -> Kind {
    match symbol {
        0xffe1..=0xffee | 0xfe01..=0xfe13 | 0xff7f | 0xff7e | 0xff14 => Kind::Modifier,
        // The keypad, whose keys are digits while the number lock is on.
        0xff95..=0xff9f if has_number_lock => Kind::Character,
        0xffaa..=0xffaf | 0xffb0..=0xffb9 | 0xffbd => Kind::Character,
        0xff8d => Kind::Named("return".to_owned()),
        0xfe20 => Kind::Named("tab".to_owned()),
        0xff95 => Kind::Named("home".to_owned()),
        0xff96 => Kind::Named("left".to_owned()),
        0xff97 => Kind::Named("up".to_owned()),
        0xff98 => Kind::Named("right".to_owned()),
        0xff99 => Kind::Named("down".to_owned()),
        0xff9a => Kind::Named("page_up".to_owned()),
        0xff9b => Kind::Named("page_down".to_owned()),
        0xff9c => Kind::Named("end".to_owned()),
        0xff9e => Kind::Named("insert".to_owned()),
        0xff9f => Kind::Named("delete".to_owned()),
        0xff00..=0xffff | 0x1008_fe00..=0x1008_ffff => {
            name_of_symbol(symbol).map_or(Kind::Modifier, Kind::Named)
        }
        // Letters, and those that are combined with the next one.
        _ => Kind::Character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A keyboard with `s`/`S` on key 8, Return on 9, Control on 10, the 7 of the keypad on 11 and the space bar on 12.
    fn layout() -> Layout {
        let keysyms = vec![
            0x73, 0x53, 0x73, 0x53, 0xff0d, 0, 0, 0, 0xffe3, 0, 0, 0, 0xff95, 0xffb7, 0, 0, 0x20, 0, 0, 0,
        ];
        let symbols = GetKeyboardMappingReply { keysyms_per_keycode: 4, sequence: 0, keysyms };
        Layout { first: 8, symbols }
    }

    #[test]
    fn which_character_was_typed_is_not_reported() {
        let layout = layout();
        let stroke = |key, state: u16| layout.stroke(key, KeyButMask::from(state));
        assert_eq!(stroke(8, 0), Some(Keystroke::Character));
        assert_eq!(stroke(8, 1), Some(Keystroke::Character));
        assert_eq!(stroke(12, 0), Some(Keystroke::Space));
        assert_eq!(stroke(11, 0x10), Some(Keystroke::Character));
        assert_eq!(stroke(10, 0), None);
        assert_eq!(stroke(200, 0), None);
    }

    #[test]
    fn shortcuts_and_keys_with_names_are() {
        let layout = layout();
        let chord = |key, state: u16| match layout.stroke(key, KeyButMask::from(state)) {
            Some(Keystroke::Chord(chord)) => chord,
            other => panic!("{other:?}"),
        };
        assert_eq!(chord(8, 4), Chord::parse("ctrl+s").expect("a chord"));
        assert_eq!(chord(8, 5), Chord::parse("ctrl+shift+s").expect("a chord"));
        assert_eq!(chord(9, 8), Chord::parse("alt+return").expect("a chord"));
        assert_eq!(chord(9, 0), Chord::plain("return"));
        assert_eq!(chord(11, 0), Chord::plain("home"));
    }

    #[test]
    fn a_turn_of_the_wheel_is_no_click() {
        let at = Point::new(3, 4);
        assert_eq!(pressed(5, at, true), Some(UserAction::Wheel { dx: 0, dy: 1, at }));
        assert_eq!(pressed(5, at, false), None);
        assert_eq!(pressed(3, at, false), Some(UserAction::Release(Button::Right, at)));
        assert_eq!(pressed(9, at, true), None);
    }
}
