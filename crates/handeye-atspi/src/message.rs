//! D-Bus messages as bytes: calls that are written, and heads of replies that are read (D-Bus specification, "Message Protocol").
//!
//! A tree takes thousands of calls that differ in a path alone, and zbus builds and takes apart any message.

use super::call_error::CallError;
use super::marshalled::{Reader, number};
use zbus::zvariant::Endian;

/// The part of a message whose length is the same in all.
pub(super) const FIXED: usize = 16;
/// Longest head of a reply that is looked at, in bytes. It has a number, a signature and up to three names.
pub(super) const MOST_HEAD: usize = 4 << 10;
/// Longest name on a bus, of an interface or of a member.
const MOST_NAME: usize = 255;

const METHOD_CALL: u8 = 1;
const METHOD_RETURN: u8 = 2;
const ERROR: u8 = 3;
const VERSION: u8 = 1;

/// What a field of a head contains.
mod field {
    pub(super) const PATH: u8 = 1;
    pub(super) const INTERFACE: u8 = 2;
    pub(super) const MEMBER: u8 = 3;
    pub(super) const ERROR_NAME: u8 = 4;
    pub(super) const REPLY_SERIAL: u8 = 5;
    pub(super) const DESTINATION: u8 = 6;
    pub(super) const SENDER: u8 = 7;
    pub(super) const SIGNATURE: u8 = 8;
}

/// A call of a method.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    /// Whom it is for, where it goes over a bus.
    pub(super) destination: Option<&'a str>,
    pub(super) path: &'a str,
    pub(super) interface: &'a str,
    pub(super) member: &'a str,
    /// Of the arguments, without parentheses; empty if there are none.
    pub(super) signature: &'a str,
}

impl Call<'_> {
    /// The message with this number and these arguments.
    ///
    /// # Errors
    /// [`CallError::NoSuchObject`] where a name or the path is none: an application can name objects as it likes, and a bus ends the connection
    /// of who sends such a message.
    pub(super) fn message(&self, serial: u32, arguments: &[u8]) -> Result<Vec<u8>, CallError> {
        let named = self.destination.is_none_or(is_bus_name) && is_path(self.path);
        let length = u32::try_from(arguments.len()).ok().filter(|_| named).ok_or(CallError::NoSuchObject)?;
        let mut message = Writer(Vec::with_capacity(256 + arguments.len()));
        message.0.extend([b'l', METHOD_CALL, 0, VERSION]);
        message.number(length);
        message.number(serial);
        message.number(0);
        message.text_field(field::PATH, b'o', self.path);
        message.text_field(field::INTERFACE, b's', self.interface);
        message.text_field(field::MEMBER, b's', self.member);
        if let Some(destination) = self.destination {
            message.text_field(field::DESTINATION, b's', destination);
        }
        if !self.signature.is_empty() {
            message.field(field::SIGNATURE, b'g');
            message.signature(self.signature);
        }
        // No longer than a path may be, and four names.
        let fields = u32::try_from(message.0.len() - FIXED).map_err(|_| CallError::NoSuchObject)?;
        message.0[FIXED - 4..FIXED].copy_from_slice(&fields.to_le_bytes());
        message.align(8);
        message.0.extend_from_slice(arguments);
        Ok(message.0)
    }
}

/// Two texts as arguments.
pub(super) fn two_texts(first: &str, second: &str) -> Vec<u8> {
    let mut arguments = Writer(Vec::with_capacity(16 + first.len() + second.len()));
    arguments.text(first);
    arguments.text(second);
    arguments.0
}

/// What is written, in the order of bytes of the `l` in front.
struct Writer(Vec<u8>);

impl Writer {
    fn align(&mut self, to: usize) {
        self.0.resize(self.0.len().next_multiple_of(to), 0);
    }

    fn number(&mut self, number: u32) {
        self.align(4);
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        // Texts are names and paths, which were looked at, and constants.
        self.number(text.len() as u32);
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(0);
    }

    fn signature(&mut self, signature: &str) {
        self.0.push(signature.len() as u8);
        self.0.extend_from_slice(signature.as_bytes());
        self.0.push(0);
    }

    fn field(&mut self, code: u8, kind: u8) {
        self.align(8);
        self.0.extend([code, 1, kind, 0]);
    }

    fn text_field(&mut self, code: u8, kind: u8, text: &str) {
        self.field(code, kind);
        self.text(text);
    }
}

/// Whether this is a name on a bus: `:1.7`, `org.a11y.atspi.Registry`.
fn is_bus_name(name: &str) -> bool {
    let (is_unique, elements) = match name.strip_prefix(':') {
        Some(elements) => (true, elements),
        None => (false, name),
    };
    let is_element = |element: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        !element.is_empty()
            && element.bytes().all(fits)
            && (is_unique || !element.starts_with(|first: char| first.is_ascii_digit()))
    };
    name.len() <= MOST_NAME && elements.contains('.') && elements.split('.').all(is_element)
}

/// Whether this is a path of an object, as D-Bus has it.
pub(super) fn is_path(path: &str) -> bool {
    /// Longer than that of any object; what is longer fills the outbox for nothing.
    const MOST_PATH: usize = 16 << 10;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_element = |element: &str| !element.is_empty() && element.bytes().all(fits);
    path == "/"
        || path.len() <= MOST_PATH
            && path.strip_prefix('/').is_some_and(|path| path.split('/').all(is_element))
}

/// The part of a message that contains how long it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) endian: Endian,
    kind: u8,
    /// Length of the fields without what fills them up.
    fields: usize,
    pub(super) body: usize,
}

impl Frame {
    /// Reads it from the beginning of a message; `None` where that is none.
    pub(super) fn read(bytes: &[u8; FIXED]) -> Option<Self> {
        let endian = match bytes[0] {
            b'l' => Endian::Little,
            b'B' => Endian::Big,
            _ => return None,
        };
        let number = |at: usize| number(endian, bytes, at).and_then(|number| usize::try_from(number).ok());
        Some(Self { endian, kind: bytes[1], body: number(4)?, fields: number(12)? })
    }

    /// Length of all before the body.
    pub(super) fn head(&self) -> usize {
        (FIXED + self.fields).next_multiple_of(8)
    }

    /// Length of all.
    pub(super) fn whole(&self) -> usize {
        self.head() + self.body
    }

    /// Whether this answers a call, as an answer or as an error.
    pub(super) fn is_reply(&self) -> bool {
        matches!(self.kind, METHOD_RETURN | ERROR)
    }

    /// Reads the fields of a reply, from all that is before its body. `None` where something else is there.
    pub(super) fn reply<'a>(&self, head: &'a [u8]) -> Option<Reply<'a>> {
        let mut reader = Reader::after(FIXED, self.endian, head.get(..FIXED + self.fields)?);
        let (mut serial, mut sender, mut signature, mut error) = (None, None, "", None);
        while !reader.is_at_end() {
            reader.align(8);
            let code = reader.byte()?;
            match (code, reader.short_text()?) {
                (field::REPLY_SERIAL, "u") => serial = Some(reader.number()?),
                (field::SENDER, "s") => sender = Some(reader.text()?),
                (field::ERROR_NAME, "s") => error = Some(reader.text()?),
                (field::SIGNATURE, "g") => signature = reader.short_text()?,
                (_, "s" | "o") => drop(reader.text()?),
                (_, "u") => drop(reader.number()?),
                (_, "g") => drop(reader.short_text()?),
                _ => return None,
            }
        }
        let error = match self.kind {
            ERROR => Some(error.unwrap_or_default()),
            _ => None,
        };
        Some(Reply { serial: serial?, sender, signature, error })
    }
}

/// What the head of a reply says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reply<'a> {
    /// The number of the call that it answers.
    pub(super) serial: u32,
    pub(super) sender: Option<&'a str>,
    /// Of its body.
    pub(super) signature: &'a str,
    /// The name of the error.
    pub(super) error: Option<&'a str>,
}

/// The text at the beginning of a body.
pub(super) fn first_text(endian: Endian, body: &[u8]) -> Option<&str> {
    Reader::new(endian, body).text()
}

/// The signature at the beginning of a body that is a variant, and where its value begins, before what fills up.
pub(super) fn variant(body: &[u8]) -> Option<(&str, usize)> {
    // A signature has no order of bytes.
    let mut reader = Reader::new(Endian::Little, body);
    let signature = reader.short_text()?;
    Some((signature, reader.position()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use zbus::names::BusName;
    use zbus::zvariant::ObjectPath;
    use zbus::{Message, message::Type};

    fn as_zbus_reads(bytes: Vec<u8>) -> Message {
        use zbus::connection::socket::ReadHalf;
        #[derive(Debug)]
        struct Bytes(Vec<u8>);
        #[async_trait::async_trait]
        impl ReadHalf for Bytes {
            async fn recvmsg(
                &mut self,
                buffer: &mut [u8],
            ) -> std::io::Result<(usize, Vec<std::os::fd::OwnedFd>)> {
                let length = buffer.len().min(self.0.len());
                buffer[..length].copy_from_slice(&self.0[..length]);
                self.0.drain(..length);
                Ok((length, Vec::new()))
            }
        }
        let mut source = Bytes(bytes);
        let read = async { source.receive_message(1, &mut Vec::new(), &mut Vec::new()).await };
        futures_util::FutureExt::now_or_never(read).expect("all is there").expect("a message")
    }

    proptest! {
        #[test]
        fn zbus_reads_what_is_written(
            serial in 1_u32..,
            element in "[A-Za-z0-9_]{1,40}",
            destination in proptest::option::of(":1\\.[0-9]{1,5}"),
            first in "[a-zA-Z.]{0,30}",
            second in "[^\x00]{0,30}",
        ) {
            let path = format!("/org/a11y/{element}");
            let call = Call {
                destination: destination.as_deref(),
                path: &path,
                interface: "org.freedesktop.DBus.Properties",
                member: "Get",
                signature: "ss",
            };
            let message = as_zbus_reads(call.message(serial, &two_texts(&first, &second)).expect("names"));
            let header = message.header();
            prop_assert_eq!(header.message_type(), Type::MethodCall);
            prop_assert_eq!(header.primary().serial_num().get(), serial);
            let to = header.destination().map(ToString::to_string);
            let read = (header.path(), header.interface(), header.member());
            let read = (read.0.expect("a path"), read.1.expect("an interface"), read.2.expect("a member"));
            prop_assert_eq!((read.0.as_str(), read.1.as_str()), (path.as_str(), call.interface));
            prop_assert_eq!((read.2.as_str(), to), (call.member, destination.clone()));
            let body = message.body();
            let read: (String, String) = body.deserialize().expect("two texts");
            prop_assert_eq!(read, (first, second));
        }

        #[test]
        fn replies_of_zbus_are_read(text in "[^\x00]{0,50}", is_error: bool) {
            let call = Message::method_call("/a", "Get").and_then(|call| call.destination(":1.7")?.build(&()));
            let call = call.expect("a call");
            let header = call.header();
            let reply = if is_error {
                Message::error(&header, "org.a.Failed").and_then(|reply| reply.build(&text.as_str()))
            } else {
                Message::method_return(&header).and_then(|reply| reply.sender(":1.7")?.build(&(text.as_str(), 7_u32)))
            };
            let reply = reply.expect("a reply");
            let bytes = reply.data().bytes();
            let frame = Frame::read(bytes.first_chunk().expect("a message")).expect("a frame");
            prop_assert!(frame.is_reply());
            prop_assert_eq!(frame.whole(), bytes.len());
            let (head, body) = bytes.split_at(frame.head());
            let expected = Reply {
                serial: call.primary_header().serial_num().get(),
                sender: (!is_error).then_some(":1.7"),
                signature: if is_error { "s" } else { "su" },
                error: is_error.then_some("org.a.Failed"),
            };
            prop_assert_eq!(frame.reply(head), Some(expected));
            prop_assert_eq!(first_text(frame.endian, body), Some(text.as_str()));
        }

        #[test]
        fn whatever_comes_is_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some(frame) = bytes.first_chunk().and_then(Frame::read) {
                frame.reply(&bytes);
            }
            first_text(Endian::Big, &bytes);
            variant(&bytes);
        }

        #[test]
        fn names_and_paths_are_those_of_zbus(text in "[:/.a1_-]{0,12}|.{0,12}") {
            prop_assert_eq!(is_bus_name(&text), BusName::try_from(text.as_str()).is_ok(), "{}", text);
            prop_assert_eq!(is_path(&text), ObjectPath::try_from(text.as_str()).is_ok(), "{}", text);
        }
    }

    #[test]
    fn what_is_no_name_is_not_sent() {
        let call =
            Call { destination: Some(":1.7"), path: "/a", interface: "a.b", member: "C", signature: "" };
        assert!(call.message(1, &[]).is_ok());
        for destination in ["", "7", ":", "a..b", "a b.c", ":1.7\n"] {
            let call = Call { destination: Some(destination), ..call };
            assert!(matches!(call.message(1, &[]), Err(CallError::NoSuchObject)), "{destination}");
        }
        for path in ["", "a", "//", "/a/", "/ä", "/a b"] {
            assert!(matches!(Call { path, ..call }.message(1, &[]), Err(CallError::NoSuchObject)), "{path}");
        }
    }
}
