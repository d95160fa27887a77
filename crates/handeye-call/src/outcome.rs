//! What an operation answers: text for a reader, fields for a program, pictures for the eye.

use handeye_core::Error;
use handeye_core::vision::EncodedPicture;
use serde_json::Value;
use std::fmt;

/// A picture in an answer.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// For example `image/png`.
    pub mime_type: &'static str,
    /// The encoded file.
    pub bytes: Vec<u8>,
    /// What it shows, as fields for a program.
    pub about: Option<Value>,
}

/// Without the bytes: no log may hold what is on a screen.
impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes", self.mime_type, self.bytes.len())
    }
}

impl From<EncodedPicture> for Picture {
    fn from(encoded: EncodedPicture) -> Self {
        Self { mime_type: encoded.mime_type, bytes: encoded.bytes, about: None }
    }
}

/// A file that an answer points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLink {
    /// `file://…`
    pub uri: String,
    /// The file's name.
    pub name: String,
    /// For example `image/png`.
    pub mime_type: &'static str,
}

/// What an operation answers: text for a reader, fields for a program, pictures for the eye.
/// The same large thing never stands in two of them.
#[derive(Debug, Clone)]
pub struct Outcome<T> {
    /// An outline or a sentence.
    pub text: String,
    /// The fields of the output schema.
    pub fields: T,
    /// Pictures.
    pub pictures: Vec<Picture>,
    /// More sentences, each by itself: warnings, how it was done.
    pub notes: Vec<String>,
    /// Files that the answer points to.
    pub links: Vec<FileLink>,
    /// Why a part of what was asked failed: then the answer is one of a failed call, although it carries results.
    pub failure: Option<Error>,
}

impl<T> Outcome<T> {
    /// An answer of text and fields.
    pub fn new(text: impl Into<String>, fields: T) -> Self {
        Self {
            text: text.into(),
            fields,
            pictures: Vec::new(),
            notes: Vec::new(),
            links: Vec::new(),
            failure: None,
        }
    }
}

/// An [`Outcome`] whose fields are JSON.
pub type Answer = Outcome<Value>;
