//! What is to be delivered and how, and what was.

use super::place;
use crate::marks::Mark;
use crate::shots::{ShotId, Subject};
use handeye_call::outcome::{FileLink, Picture};
use handeye_core::{Frame, Result, Size};
use handeye_picture::Format;
use std::path::PathBuf;

/// A captured picture.
#[derive(Debug, Clone)]
pub struct Capture {
    /// Its pixels.
    pub frame: Frame,
    /// What it is of.
    pub subject: Subject,
    /// Screen pixels for one logical pixel, where it was taken.
    pub scale: f64,
}

/// Where the full-size file goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A new file in the folder for screenshots.
    Folder,
    /// This file. A picture that is there is replaced; anything else that is there is an error.
    File(PathBuf),
    /// A new file of that name; the name gets a number where there is one already.
    New(PathBuf),
    /// A temporary folder of its own, which is removed after [`Delivery::temporary_life`].
    Temporary,
    /// Nowhere: it is looked at and not kept.
    Nowhere,
}

/// Whether the picture itself is put into the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inline {
    /// As [`Delivery::responses`] says.
    #[default]
    Configured,
    /// As PNG, because the call asked for it; not where responses are [`Responses::Omit`].
    Png,
    /// Unscaled, as [`Order::format`] says: for a face that passes it on and shows it to no model.
    FullSize,
    /// Not.
    Never,
}

/// How one picture is to be delivered.
#[derive(Debug, Clone)]
pub struct Order {
    /// Where the full-size file goes.
    pub destination: Destination,
    /// How that file is encoded.
    pub format: Format,
    /// Whether the picture itself is put into the answer.
    pub inline: Inline,
    /// What is drawn on it.
    pub marks: Vec<Mark>,
}

impl Order {
    /// A PNG in the folder for screenshots, in the answer as it is configured.
    pub const fn configured() -> Self {
        Self {
            destination: Destination::Folder,
            format: Format::Png,
            inline: Inline::Configured,
            marks: Vec::new(),
        }
    }
}

/// A picture that was delivered.
#[derive(Debug)]
pub struct Delivered {
    /// The id of the picture as it was delivered: that in the answer if there is one, else the file.
    pub id: ShotId,
    /// Its size in its own pixels.
    pub size: Size,
    /// The full-size file, or why it could not be written; `None` for [`Destination::Nowhere`].
    pub saved: Option<Result<SavedFile>>,
    /// The id of the full-size file, where the picture in the answer has another size.
    pub file_id: Option<ShotId>,
    /// The picture that was delivered before, if this one has the same pixels because nothing was drawn in between.
    pub same_as: Option<ShotId>,
    /// The picture for the answer.
    pub picture: Option<Picture>,
}

impl Delivered {
    /// The saved file; an error if it could not be written.
    pub fn file(&mut self) -> Result<Option<SavedFile>> {
        self.saved.take().transpose()
    }

    /// The sentence that reports it (viewpoint-screenshots, decision 6); `what` is for example `screen`.
    pub fn sentence(&self, what: &str) -> String {
        let shown =
            self.saved.as_ref().and_then(|saved| saved.as_ref().ok()).and_then(|file| file.shown.as_ref());
        shown.map_or_else(
            || format!("Screenshot captured ({what})"),
            |path| format!("Screenshot saved to {path} ({what})"),
        )
    }
}

/// A picture on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedFile {
    /// Where it is, absolute.
    pub path: PathBuf,
    /// How an answer names it: relative to the working directory where it is below that. `None` where answers only confirm.
    pub shown: Option<String>,
    /// For example `image/png`.
    pub mime_type: &'static str,
    /// Its length.
    pub bytes: u64,
}
impl SavedFile {
    /// The link to it.
    pub fn link(&self) -> FileLink {
        FileLink {
            uri: place::uri(&self.path),
            name: self.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            mime_type: self.mime_type,
        }
    }
}
