//! What an operation answers: text for a reader, fields for a program, pictures for the eye.

use handeye_core::vision::EncodedPicture;
use handeye_core::{Error, ErrorCode, Text};
use handeye_tree::outline::Element;
use serde::{Deserialize, Serialize};
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
/// No two of them contain the same large thing.
#[derive(Debug, Clone)]
pub struct Outcome<T> {
    /// An outline or sentences.
    pub text: Text,
    /// The same for a program, where the fields have no room for it.
    pub outline: Option<Outline>,
    /// The fields of the output schema.
    pub fields: T,
    /// Pictures.
    pub pictures: Vec<Picture>,
    /// More sentences, each by itself: warnings, how it was done.
    pub notes: Vec<Text>,
    /// Files that the answer points to.
    pub links: Vec<FileLink>,
    /// Why a part of what was asked failed: then the answer is one of a failed call, although it carries results.
    pub failure: Option<Error>,
    /// Whether the answer is a yes or a no, for who asks for nothing else.
    pub verdict: Verdict,
    /// The fields as a table, for people at a terminal.
    pub table: Option<Table>,
}

/// What a program reads instead of the lines of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outline {
    /// The elements, in the order of their lines.
    Elements(Vec<Element>),
    /// What changed, a line each.
    Changes(Vec<Text>),
}

/// Whether an answer says yes or no. A no is not an error: what was asked was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// What was asked holds, or was no question.
    #[default]
    Yes,
    /// It does not; a command ends as with this error.
    No(ErrorCode),
}

impl Verdict {
    /// Yes if that holds, else the no that means what this error means.
    pub const fn of(holds: bool, no: ErrorCode) -> Self {
        if holds { Self::Yes } else { Self::No(no) }
    }
}

/// Rows for people: what a program reads from the fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The heads of its columns.
    pub head: Vec<String>,
    /// Its rows, with a cell for each column.
    pub rows: Vec<Vec<String>>,
}

impl<T> Outcome<T> {
    /// The same answer with other fields.
    pub fn with_fields<F>(self, fields: F) -> Outcome<F> {
        let Self { text, outline, fields: _, pictures, notes, links, failure, verdict, table } = self;
        Outcome { text, outline, fields, pictures, notes, links, failure, verdict, table }
    }

    /// An answer of text and fields.
    pub fn new(text: impl Into<Text>, fields: T) -> Self {
        Self {
            text: text.into(),
            outline: None,
            fields,
            pictures: Vec::new(),
            notes: Vec::new(),
            links: Vec::new(),
            failure: None,
            verdict: Verdict::Yes,
            table: None,
        }
    }
}

/// An [`Outcome`] whose fields are JSON.
pub type Answer = Outcome<Value>;
