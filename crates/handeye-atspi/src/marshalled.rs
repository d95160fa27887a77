//! Values as D-Bus puts them into messages, read one after the other and borrowed from there (D-Bus specification, "Marshaling").

use zbus::zvariant::Endian;

/// Reads values in their order. Each method returns `None` where the bytes end or are not such a value; where the reader is then is not
/// specified. Alignment counts from the first of the bytes; what the padding contains does not matter.
#[derive(Debug, Clone)]
pub(super) struct Reader<'a> {
    endian: Endian,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// At the beginning of a message or of its body.
    pub(super) fn new(endian: Endian, bytes: &'a [u8]) -> Self {
        Self::after(0, endian, bytes)
    }

    /// Behind the first `read` bytes of a message.
    pub(super) fn after(read: usize, endian: Endian, bytes: &'a [u8]) -> Self {
        Self { endian, bytes, at: read }
    }

    /// How many bytes are read.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Whether all is read.
    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Skips all that is left.
    pub(super) fn end(&mut self) {
        self.at = self.bytes.len();
    }

    /// Skips the padding up to the next multiple of `to` bytes.
    pub(super) fn align(&mut self, to: usize) {
        self.at = self.at.next_multiple_of(to);
    }

    /// One byte.
    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    /// A number of 32 bits.
    pub(super) fn number(&mut self) -> Option<u32> {
        self.align(4);
        let found = number(self.endian, self.bytes, self.at)?;
        self.at += 4;
        Some(found)
    }

    /// A number of 32 bits with a sign.
    pub(super) fn signed(&mut self) -> Option<i32> {
        self.number().map(u32::cast_signed)
    }

    /// A text, or a path of an object.
    pub(super) fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.number()?).ok()?;
        self.terminated(length)
    }

    /// A text whose length has one byte: a signature.
    pub(super) fn short_text(&mut self) -> Option<&'a str> {
        let length = usize::from(self.byte()?);
        self.terminated(length).filter(|text| text.is_ascii())
    }

    /// The elements of an array, each of which begins at a multiple of `alignment` bytes. The reader continues after them.
    pub(super) fn array(&mut self, alignment: usize) -> Option<Self> {
        let length = usize::try_from(self.number()?).ok()?;
        self.align(alignment);
        let begin = self.at;
        self.take(length)?;
        Some(Self::after(begin, self.endian, &self.bytes[..self.at]))
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(length)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn terminated(&mut self, length: usize) -> Option<&'a str> {
        let text = std::str::from_utf8(self.take(length)?).ok()?;
        (self.byte()? == 0 && !text.contains('\0')).then_some(text)
    }
}

/// The number of 32 bits that begins at the byte `at`.
pub(super) fn number(endian: Endian, bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..)?.first_chunk::<4>()?;
    Some(match endian {
        Endian::Little => u32::from_le_bytes(*bytes),
        Endian::Big => u32::from_be_bytes(*bytes),
    })
}
