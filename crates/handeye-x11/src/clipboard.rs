//! Reads the clipboard: asks its owner, the application that copied something, for its formats and its content (ICCCM, section 2.4).
//!
//! Written here and not taken from a crate, because a read has to be bounded in time and size, and has to report the formats.

use super::fault::{Outcome, Vanished};
use super::windows::process_of;
use super::x_session::XSession;
use handeye_core::{ClipForm, Clipping, Error, ErrorCode};
use std::time::{Duration, Instant};
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, EventMask, GetPropertyReply, Property, Window,
};
use x11rb::{CURRENT_TIME, NONE};

/// How long the owner of the clipboard may take for one answer, or for one part of a long one.
const PATIENCE: Duration = Duration::from_millis(1_200);
/// How long an answer in many parts may take altogether.
const WHOLE: Duration = Duration::from_secs(2);
/// The longest part of one, in bytes.
const MAX_PART: usize = 16 * 1024 * 1024;
/// What password managers offer beside a password, so that no program keeps it.
const SECRET_HINT: &str = "x-kde-passwordManagerHint";
/// The list of files of GNOME's file managers.
pub(super) const GNOME_FILES: &str = "x-special/gnome-copied-files";

/// What the owner of the clipboard offers, and its content in one form.
pub(super) fn read(session: &mut XSession, form: ClipForm) -> Outcome<Clipping> {
    let owner = session.connection.get_selection_owner(session.atoms.CLIPBOARD)?.reply()?.owner;
    if owner == NONE {
        return Ok(Clipping::default());
    }
    let pid = process_of(session, owner)?;
    let window = session.create_helper_window(EventMask::PROPERTY_CHANGE)?;
    let clipping = Reader { session, window }.clipping(form).map(|clipping| Clipping { pid, ..clipping });
    // Nothing writes into it any more, also where an answer was longer than wanted.
    session.connection.destroy_window(window)?;
    session.sync()?;
    session.drain_events()?;
    clipping
}

/// Bytes and whether there were more.
struct Bytes {
    bytes: Vec<u8>,
    cut: bool,
}

struct Reader<'s> {
    session: &'s XSession,
    window: Window,
}

impl Reader<'_> {
    fn clipping(&self, form: ClipForm) -> Outcome<Clipping> {
        let formats = self.formats()?;
        if formats.iter().any(|(_, name)| name == SECRET_HINT) {
            return Ok(Clipping { formats: names(formats), secret: true, ..Clipping::default() });
        }
        let content = match form {
            ClipForm::Text => self.text(&formats)?,
            ClipForm::Html => self.html(&formats)?,
            ClipForm::Png => self.png(&formats)?,
            ClipForm::Files => self.files(&formats)?,
        };
        Ok(Clipping { formats: names(formats), ..content })
    }

    fn text(&self, formats: &[(Atom, String)]) -> Outcome<Clipping> {
        let unicode =
            offered(formats, "UTF8_STRING").or_else(|| offered(formats, "text/plain;charset=utf-8"));
        // An owner that lists nothing may be an old one that only does not know the question.
        let unicode = unicode.or(formats.is_empty().then_some(self.session.atoms.UTF8_STRING));
        let text = match (unicode, offered(formats, "STRING")) {
            (Some(target), _) => self.convert(target, Clipping::MAX_BYTES)?.map(|found| (found, true)),
            (None, Some(target)) => self.convert(target, Clipping::MAX_BYTES)?.map(|found| (found, false)),
            (None, None) => None,
        };
        Ok(text.map_or_else(Clipping::default, |(found, is_unicode)| Clipping {
            text: Some(if is_unicode { from_utf8(&found) } else { from_latin1(&found.bytes) }),
            cut: found.cut,
            ..Clipping::default()
        }))
    }

    fn html(&self, formats: &[(Atom, String)]) -> Outcome<Clipping> {
        let Some(target) = offered(formats, "text/html") else { return Ok(Clipping::default()) };
        let found = self.convert(target, Clipping::MAX_BYTES)?;
        Ok(found.map_or_else(Clipping::default, |found| Clipping {
            text: Some(from_html(&found)),
            cut: found.cut,
            ..Clipping::default()
        }))
    }

    fn png(&self, formats: &[(Atom, String)]) -> Outcome<Clipping> {
        let Some(target) = offered(formats, "image/png") else { return Ok(Clipping::default()) };
        let found = self.convert(target, Clipping::MAX_PICTURE)?;
        Ok(found.map_or_else(Clipping::default, |found| Clipping {
            cut: found.cut,
            // A part of a PNG file is not one.
            png: (!found.cut).then_some(found.bytes),
            ..Clipping::default()
        }))
    }

    fn files(&self, formats: &[(Atom, String)]) -> Outcome<Clipping> {
        let list = offered(formats, "text/uri-list").or_else(|| offered(formats, GNOME_FILES));
        let Some(target) = list else { return Ok(Clipping::default()) };
        let found = self.convert(target, Clipping::MAX_BYTES)?;
        Ok(found.map_or_else(Clipping::default, |found| {
            let mut files = uris(&from_utf8(&found));
            if found.cut {
                // Its last line may be a part of one.
                files.pop();
            }
            let cut = found.cut || files.len() > Clipping::MAX_FILES;
            files.truncate(Clipping::MAX_FILES);
            Clipping { files, cut, ..Clipping::default() }
        }))
    }

    /// The formats on offer, without those by which the protocol itself works.
    fn formats(&self) -> Outcome<Vec<(Atom, String)>> {
        let most = Clipping::MAX_FORMATS * size_of::<Atom>();
        let Some(targets) = self.convert(self.session.atoms.TARGETS, most)? else { return Ok(Vec::new()) };
        let atoms = targets
            .bytes
            .chunks_exact(4)
            .filter_map(|bytes| Some(u32::from_ne_bytes(bytes.try_into().ok()?)));
        let cookies = atoms
            .filter(|atom| *atom != NONE)
            .map(|atom| Ok((atom, self.session.connection.get_atom_name(atom)?)))
            .collect::<Outcome<Vec<_>>>()?;
        let mut formats = Vec::new();
        for (atom, cookie) in cookies {
            let Some(reply) = cookie.reply().if_there()? else { continue };
            let name = String::from_utf8_lossy(&reply.name).into_owned();
            if !["TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "DELETE"].contains(&name.as_str()) {
                formats.push((atom, name));
            }
        }
        Ok(formats)
    }

    /// The clipboard in the format `target`, at most `most` bytes of it; `None` if its owner does not give that.
    fn convert(&self, target: Atom, most: usize) -> Outcome<Option<Bytes>> {
        let (connection, atoms) = (&self.session.connection, &self.session.atoms);
        let place = atoms._HANDEYE_CLIPPING;
        connection.convert_selection(self.window, atoms.CLIPBOARD, target, place, CURRENT_TIME)?;
        let until = Instant::now() + PATIENCE;
        loop {
            match self.session.next_event(until)? {
                Some(Event::SelectionNotify(answer))
                    if answer.requestor == self.window && answer.target == target =>
                {
                    if answer.property == NONE {
                        return Ok(None);
                    }
                    break;
                }
                Some(_) => {}
                None => return Err(silent_owner().into()),
            }
        }
        let Some(first) = self.take(most)? else { return Ok(None) };
        if first.type_ == atoms.INCR {
            return self.in_parts(most).map(Some);
        }
        Ok(Some(Bytes { cut: first.bytes_after > 0, bytes: first.value }))
    }

    /// What was put on the window; it is taken away, which says that more may be put there.
    fn take(&self, most: usize) -> Outcome<Option<GetPropertyReply>> {
        let words = u32::try_from(most.div_ceil(4)).unwrap_or(u32::MAX);
        let place = self.session.atoms._HANDEYE_CLIPPING;
        let request =
            self.session.connection.get_property(true, self.window, place, AtomEnum::ANY, 0, words)?;
        request.reply().if_there()
    }

    /// An answer that comes in parts, of which the last is empty. It is taken to its end, also where it is longer than wanted:
    /// owners as simple as xclip wait for the reader that began, and serve no other client meanwhile.
    fn in_parts(&self, most: usize) -> Outcome<Bytes> {
        let mut bytes = Vec::new();
        let mut cut = false;
        let end = Instant::now() + WHOLE;
        let mut until = Instant::now() + PATIENCE;
        loop {
            match self.session.next_event(until.min(end))? {
                Some(Event::PropertyNotify(news))
                    if news.window == self.window
                        && news.atom == self.session.atoms._HANDEYE_CLIPPING
                        && news.state == Property::NEW_VALUE =>
                {
                    let Some(part) = self.take(MAX_PART)? else { break };
                    if part.value.is_empty() {
                        break;
                    }
                    let wanted = part.value.len().min(most - bytes.len());
                    bytes.extend_from_slice(&part.value[..wanted]);
                    cut |= wanted < part.value.len() || part.bytes_after > 0;
                    if part.bytes_after > 0 {
                        break;
                    }
                    until = Instant::now() + PATIENCE;
                }
                Some(_) => {}
                // What there is so far is as much as was wanted.
                None if cut => break,
                None => return Err(silent_owner().into()),
            }
        }
        Ok(Bytes { bytes, cut })
    }
}

/// The format of that name, if it is on offer.
fn offered(formats: &[(Atom, String)], wanted: &str) -> Option<Atom> {
    formats.iter().find(|(_, name)| name.eq_ignore_ascii_case(wanted)).map(|(atom, _)| *atom)
}

/// The URIs in a list of them (RFC 2483), or in that of GNOME's file managers, which begins with what is to be done with them.
fn uris(list: &str) -> Vec<String> {
    let lines = list.lines().map(|line| line.trim_matches(['\0', ' ']));
    let is_uri = |line: &&str| !line.is_empty() && !line.starts_with('#') && line.contains(':');
    lines.filter(is_uri).map(str::to_owned).collect()
}

fn names(formats: Vec<(Atom, String)>) -> Vec<String> {
    formats.into_iter().map(|(_, name)| name).collect()
}

/// Text that may have been cut in the middle of a character.
fn from_utf8(found: &Bytes) -> String {
    match std::str::from_utf8(&found.bytes) {
        Err(error) if found.cut && error.error_len().is_none() => {
            String::from_utf8_lossy(&found.bytes[..error.valid_up_to()]).into_owned()
        }
        _ => String::from_utf8_lossy(&found.bytes).into_owned(),
    }
}

/// HTML, which some browsers give in UTF-16, and then say so by its first character.
fn from_html(found: &Bytes) -> String {
    let units = |of: fn([u8; 2]) -> u16| {
        let pairs = found.bytes[2..].chunks_exact(2);
        let units: Vec<u16> = pairs.filter_map(|pair| Some(of(pair.try_into().ok()?))).collect();
        String::from_utf16_lossy(&units)
    };
    match found.bytes.as_slice() {
        [0xff, 0xfe, ..] => units(u16::from_le_bytes),
        [0xfe, 0xff, ..] => units(u16::from_be_bytes),
        _ => from_utf8(found),
    }
}

fn from_latin1(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

fn silent_owner() -> Error {
    Error::new(ErrorCode::AppNotResponding, "the application that copied something does not provide it")
        .with_next("It hangs or is busy: try again later, or copy again.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_cut_ends_with_a_whole_character() {
        let cut = |bytes: &[u8], cut| from_utf8(&Bytes { bytes: bytes.to_vec(), cut });
        assert_eq!(cut("añ".as_bytes(), false), "añ");
        assert_eq!(cut(&"añ".as_bytes()[..2], true), "a");
        assert_eq!(cut(b"a\xffb", true), "a\u{fffd}b");
        assert_eq!(from_latin1(b"a\xf1"), "añ");
    }

    #[test]
    fn html_is_read_in_the_encoding_that_it_is_in() {
        let html = |bytes: &[u8]| from_html(&Bytes { bytes: bytes.to_vec(), cut: false });
        assert_eq!(html("<b>ñ</b>".as_bytes()), "<b>ñ</b>");
        assert_eq!(html(b"\xff\xfe<\0b\0>\0\xf1\0"), "<b>ñ");
        assert_eq!(html(b"\xfe\xff\0<\0b"), "<b");
        assert_eq!(html(b"\xff\xfe"), "");
    }

    #[test]
    fn files_are_the_uris_of_either_list() {
        assert_eq!(uris("# a comment\r\nfile:///a%20b\r\nfile:///c\r\n"), ["file:///a%20b", "file:///c"]);
        assert_eq!(uris("cut\nfile:///a\nfile:///b\0"), ["file:///a", "file:///b"]);
        assert!(uris("").is_empty());
    }
}
