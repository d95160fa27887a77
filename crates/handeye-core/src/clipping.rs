//! What is on a clipboard, and what is put there.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A form in which something is read from a clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClipForm {
    /// Plain text.
    #[default]
    Text,
    /// HTML source.
    Html,
    /// A picture as a PNG file.
    Png,
    /// The URIs of files.
    Files,
}

/// What was copied, in the one form that was asked for.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Clipping {
    /// The text or the HTML source, or its first [`Clipping::MAX_BYTES`]; `None` if there is none, or it is [`secret`](Self::secret).
    pub text: Option<String>,
    /// The picture, a PNG file; `None` too if it is larger than [`Clipping::MAX_PICTURE`], then it is [`cut`](Self::cut).
    pub png: Option<Vec<u8>>,
    /// The URIs of the files, at most [`Clipping::MAX_FILES`].
    pub files: Vec<String>,
    /// Whether there is more than that.
    pub cut: bool,
    /// The formats in which it can be had, by the names that its owner gives them; empty if nothing was copied.
    pub formats: Vec<String>,
    /// Whether its owner says that it is a password. Nothing of it is read then.
    pub secret: bool,
    /// The process that copied it, where the system reports that.
    pub pid: Option<u32>,
}

impl Clipping {
    /// How much text is read or written, in bytes.
    pub const MAX_BYTES: usize = 1024 * 1024;
    /// How large a picture can be that is read or written, in bytes of its file.
    pub const MAX_PICTURE: usize = 32 * 1024 * 1024;
    /// How many files are read or written.
    pub const MAX_FILES: usize = 1_000;
    /// How many formats are named.
    pub const MAX_FORMATS: usize = 64;
}

/// Without the content: no log may hold what somebody copied.
impl fmt::Debug for Clipping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text.as_ref().map_or(0, String::len);
        let bytes = text + self.png.as_ref().map_or(0, Vec::len);
        write!(f, "{bytes} bytes and {} files in {} formats", self.files.len(), self.formats.len())
    }
}

/// What is put on a clipboard: the same thing in all the forms in which it can be pasted.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Copied {
    /// Plain text.
    pub text: Option<String>,
    /// HTML source.
    pub html: Option<String>,
    /// A picture, a PNG file. Not part of the serialized form, as it has none that is not much larger.
    #[serde(skip)]
    pub png: Option<Vec<u8>>,
    /// The URIs of files.
    pub files: Vec<String>,
}

impl Copied {
    /// Text alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// Whether there is nothing to be put there. An empty text is something.
    pub const fn is_empty(&self) -> bool {
        self.text.is_none() && self.html.is_none() && self.png.is_none() && self.files.is_empty()
    }
}

/// Without the content: no log may hold what somebody copied.
impl fmt::Debug for Copied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = |text: &Option<String>| text.as_ref().map(String::len);
        f.debug_struct("Copied")
            .field("text_bytes", &length(&self.text))
            .field("html_bytes", &length(&self.html))
            .field("png_bytes", &self.png.as_ref().map(Vec::len))
            .field("files", &self.files.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_content_is_logged() {
        let copied = Copied { files: vec!["file:///secret".into()], ..Copied::text("secret") };
        let clipping = Clipping { text: Some("secret".into()), ..Clipping::default() };
        assert!(!format!("{copied:?} {clipping:?}").contains("secret"));
        assert!(Copied::default().is_empty() && !Copied::text("").is_empty());
    }
}
