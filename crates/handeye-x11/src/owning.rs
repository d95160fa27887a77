//! Owns the clipboard: keeps what was copied, and gives it to every application that pastes (ICCCM, sections 2.1 to 2.7).
//!
//! An X server keeps no content of a clipboard, only who has it. So a process has to live for as long as nothing else is copied;
//! [`CopyKeeper`] is the port to it, and [`own`] is what it does.

use super::activate::server_time;
use super::clipboard::GNOME_FILES;
use super::fault::{Fault, Outcome, Vanished};
use super::x_session::XSession;
use handeye_core::{Copied, Error, ErrorCode, Result};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, PropMode, Property,
    PropertyNotifyEvent, SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Timestamp,
    Window,
};
use x11rb::wrapper::ConnectionExt as _;
use x11rb::{CURRENT_TIME, NONE};

/// The longest content that is given as one property, and the length of the parts of a longer one, in bytes. Every server takes requests
/// of 256 KB.
const PART: usize = 128 * 1024;
/// How many applications can be given long contents at a time.
const MOST_TRANSFERS: usize = 32;
/// How many formats one request may ask for.
const MOST_OF_A_REQUEST: u32 = 128;
/// How long an application may take to fetch one part.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long to sleep where nothing has to be done: events end it.
const IDLE: Duration = Duration::from_secs(3_600);

/// Keeps what was copied for as long as nothing else is copied, also after the end of this process. Its method blocks, for a few seconds at
/// most, and is called on a thread that may.
pub trait CopyKeeper: fmt::Debug + Send + Sync {
    /// Puts something on the clipboard of `display`, or of the one of the environment. When this returns, it can be pasted.
    ///
    /// # Errors
    /// If that cannot be done; then the clipboard is as it was.
    fn keep(&self, display: Option<&str>, copied: &Copied) -> Result<()>;
}

/// Makes this process the owner of the clipboard and serves it until something else is copied or the server ends. `ready` is called as soon
/// as the content can be pasted.
///
/// # Errors
/// Why it could not become the owner.
pub fn own(display: Option<&str>, copied: &Copied, ready: impl FnOnce()) -> Result<(), String> {
    let mut is_owner = false;
    let served = serve(display, copied, || {
        is_owner = true;
        ready();
    });
    match served {
        // The server has ended, and the clipboard with it.
        Err(_) if is_owner => Ok(()),
        served => served.map_err(|fault| fault.into_error(display.unwrap_or_default(), None).message),
    }
}

fn serve(display: Option<&str>, copied: &Copied, ready: impl FnOnce()) -> Outcome<()> {
    let session = XSession::open(display)?;
    let window = session.create_helper_window(EventMask::NO_EVENT)?;
    let atoms = Atoms::of(&session)?;
    let contents = contents(&session, copied)?;
    let since = server_time(&session)?;
    session.connection.set_selection_owner(window, session.atoms.CLIPBOARD, since)?;
    if session.connection.get_selection_owner(session.atoms.CLIPBOARD)?.reply()?.owner != window {
        let message = "another application copied something at the same moment";
        return Err(Fault::Refused(Box::new(Error::new(ErrorCode::Refused, message))));
    }
    ready();
    Owner { session, window, atoms, since, contents, transfers: Vec::new() }.serve()
}

/// The targets by which the protocol itself works, beside those of the session.
#[derive(Clone, Copy)]
struct Atoms {
    multiple: Atom,
    pairs: Atom,
    timestamp: Atom,
    save: Atom,
    nothing: Atom,
}

impl Atoms {
    fn of(session: &XSession) -> Outcome<Self> {
        Ok(Self {
            multiple: intern(session, "MULTIPLE")?,
            pairs: intern(session, "ATOM_PAIR")?,
            timestamp: intern(session, "TIMESTAMP")?,
            save: intern(session, "SAVE_TARGETS")?,
            nothing: intern(session, "NULL")?,
        })
    }
}

fn intern(session: &XSession, name: &str) -> Outcome<Atom> {
    Ok(session.connection.intern_atom(false, name.as_bytes())?.reply()?.atom)
}

/// What is given for one target.
struct Content {
    target: Atom,
    kind: Atom,
    bytes: Arc<[u8]>,
}

/// What was copied, as each of the targets by which applications ask for it.
fn contents(session: &XSession, copied: &Copied) -> Outcome<Vec<Content>> {
    let mut contents = Vec::new();
    // By the type `None`, the target itself.
    let mut add = |target: &str, kind: Option<&str>, bytes: &Arc<[u8]>| -> Outcome<()> {
        let target = intern(session, target)?;
        let kind = kind.map_or(Ok(target), |kind| intern(session, kind))?;
        contents.push(Content { target, kind, bytes: Arc::clone(bytes) });
        Ok(())
    };
    if !copied.files.is_empty() {
        let list = copied.files.join("\r\n") + "\r\n";
        add("text/uri-list", None, &list.into_bytes().into())?;
        add(GNOME_FILES, None, &format!("copy\n{}", copied.files.join("\n")).into_bytes().into())?;
    }
    if let Some(png) = &copied.png {
        add("image/png", None, &png.as_slice().into())?;
    }
    if let Some(html) = &copied.html {
        add("text/html", None, &html.as_bytes().into())?;
    }
    if let Some(text) = &copied.text {
        let unicode: Arc<[u8]> = text.as_bytes().into();
        for target in ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain"] {
            add(target, None, &unicode)?;
        }
        add("TEXT", Some("UTF8_STRING"), &unicode)?;
        // Latin 1, where it has every character.
        let latin: Option<Vec<u8>> = text.chars().map(|character| u8::try_from(character).ok()).collect();
        if let Some(latin) = latin {
            add("STRING", None, &latin.into())?;
        }
    }
    Ok(contents)
}

/// A long content on its way to an application, which takes each part away before the next (ICCCM, section 2.7.2).
struct Transfer {
    requestor: Window,
    property: Atom,
    kind: Atom,
    bytes: Arc<[u8]>,
    given: usize,
    until: Instant,
}

struct Owner {
    session: XSession,
    window: Window,
    atoms: Atoms,
    since: Timestamp,
    contents: Vec<Content>,
    transfers: Vec<Transfer>,
}

impl Owner {
    fn serve(mut self) -> Outcome<()> {
        let mut is_owner = true;
        // An application that began to paste gets all of it, also when something else was copied meanwhile.
        while is_owner || !self.transfers.is_empty() {
            let now = Instant::now();
            self.transfers.retain(|transfer| transfer.until > now);
            let until = self.transfers.iter().map(|transfer| transfer.until).min().unwrap_or(now + IDLE);
            match self.session.next_event(until)? {
                Some(Event::SelectionRequest(request)) => self.answer(&request)?,
                Some(Event::PropertyNotify(news)) if news.state == Property::DELETE => self.go_on(&news)?,
                Some(Event::DestroyNotify(gone)) => {
                    self.transfers.retain(|transfer| transfer.requestor != gone.window);
                }
                Some(Event::SelectionClear(lost)) if lost.selection == self.session.atoms.CLIPBOARD => {
                    is_owner = false;
                }
                // Among these are errors about windows of applications that have ended.
                Some(_) | None => {}
            }
        }
        Ok(())
    }

    fn answer(&mut self, request: &SelectionRequestEvent) -> Outcome<()> {
        // Old clients name no property.
        let property = if request.property == NONE { request.target } else { request.property };
        let was_given = request.owner == self.window
            && request.selection == self.session.atoms.CLIPBOARD
            && (request.time == CURRENT_TIME || !is_before(request.time, self.since))
            && if request.target == self.atoms.multiple {
                self.give_several(request.requestor, property)?
            } else {
                self.give(request.requestor, request.target, property)?
            };
        let notify = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: if was_given { property } else { NONE },
        };
        self.session.connection.send_event(false, request.requestor, EventMask::NO_EVENT, notify)?;
        Ok(())
    }

    /// Puts what was asked for on the window of the application that pastes; says whether there is such a thing.
    fn give(&mut self, requestor: Window, target: Atom, property: Atom) -> Outcome<bool> {
        let connection = &self.session.connection;
        let put32 = |kind: Atom, values: &[u32]| {
            connection.change_property32(PropMode::REPLACE, requestor, property, kind, values)
        };
        if target == self.session.atoms.TARGETS {
            let Atoms { multiple, timestamp, save, .. } = self.atoms;
            let mut targets = vec![target, multiple, timestamp, save];
            targets.extend(self.contents.iter().map(|content| content.target));
            put32(AtomEnum::ATOM.into(), &targets)?;
        } else if target == self.atoms.timestamp {
            put32(AtomEnum::INTEGER.into(), &[self.since])?;
        } else if target == self.atoms.save {
            // There is nothing to be saved: this process lives on.
            put32(self.atoms.nothing, &[])?;
        } else {
            let Some(content) = self.contents.iter().find(|content| content.target == target) else {
                return Ok(false);
            };
            let (kind, bytes) = (content.kind, Arc::clone(&content.bytes));
            if bytes.len() > PART {
                return self.begin(Transfer {
                    requestor,
                    property,
                    kind,
                    bytes,
                    given: 0,
                    until: Instant::now() + PATIENCE,
                });
            }
            connection.change_property8(PropMode::REPLACE, requestor, property, kind, &bytes)?;
        }
        Ok(true)
    }

    /// Gives each of the targets that the property lists in the property that stands beside it; those that are not there are marked.
    fn give_several(&mut self, requestor: Window, property: Atom) -> Outcome<bool> {
        let request = self.session.connection.get_property(
            false,
            requestor,
            property,
            self.atoms.pairs,
            0,
            MOST_OF_A_REQUEST * 2,
        )?;
        let Some(listed) = request.reply().if_there()? else { return Ok(false) };
        let mut pairs: Vec<u32> = listed.value32().map(Iterator::collect).unwrap_or_default();
        for pair in pairs.chunks_exact_mut(2) {
            if pair[0] == self.atoms.multiple || !self.give(requestor, pair[0], pair[1])? {
                pair[1] = NONE;
            }
        }
        let connection = &self.session.connection;
        connection.change_property32(PropMode::REPLACE, requestor, property, self.atoms.pairs, &pairs)?;
        Ok(!pairs.is_empty())
    }

    fn begin(&mut self, transfer: Transfer) -> Outcome<bool> {
        let Transfer { requestor, property, .. } = transfer;
        self.transfers.retain(|other| (other.requestor, other.property) != (requestor, property));
        if self.transfers.len() >= MOST_TRANSFERS {
            return Ok(false);
        }
        let events = EventMask::PROPERTY_CHANGE | EventMask::STRUCTURE_NOTIFY;
        let listening = ChangeWindowAttributesAux::new().event_mask(events);
        let connection = &self.session.connection;
        connection.change_window_attributes(requestor, &listening)?;
        let length = u32::try_from(transfer.bytes.len()).unwrap_or(u32::MAX);
        let incremental = self.session.atoms.INCR;
        connection.change_property32(PropMode::REPLACE, requestor, property, incremental, &[length])?;
        self.transfers.push(transfer);
        Ok(true)
    }

    /// Gives the next part, after the one before was taken away; the last one is empty.
    fn go_on(&mut self, taken: &PropertyNotifyEvent) -> Outcome<()> {
        let of_it =
            |transfer: &Transfer| (transfer.requestor, transfer.property) == (taken.window, taken.atom);
        let Some(index) = self.transfers.iter().position(of_it) else { return Ok(()) };
        let transfer = &mut self.transfers[index];
        let end = transfer.bytes.len().min(transfer.given + PART);
        let part = &transfer.bytes[transfer.given..end];
        let is_last = part.is_empty();
        let Transfer { requestor, property, kind, .. } = *transfer;
        self.session.connection.change_property8(PropMode::REPLACE, requestor, property, kind, part)?;
        transfer.given = end;
        transfer.until = Instant::now() + PATIENCE;
        if is_last {
            self.transfers.swap_remove(index);
        }
        Ok(())
    }
}

/// Whether one time of the server is before another one. They begin again after 49 days.
const fn is_before(time: Timestamp, other: Timestamp) -> bool {
    time.wrapping_sub(other) > u32::MAX / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_compared_across_their_end() {
        assert!(is_before(1, 2) && !is_before(2, 2) && !is_before(3, 2));
        assert!(is_before(u32::MAX - 1, 5) && !is_before(5, u32::MAX - 1));
    }
}
