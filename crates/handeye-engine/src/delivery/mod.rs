//! Delivery: how every picture reaches the one who asked for it. Written once, used by all tools that make pictures.
//!
//! A picture is saved at full size, gets an id (`s7`) under which its pixels can be clicked, and is put into the
//! answer, scaled to what a model takes, where that is configured or asked for.

mod clean;
mod draft;
mod fault;
mod folder;
mod housekeeping;
mod name;
mod place;
mod settings;
mod temporary;
mod write;

pub use clean::{Cleaned, Trace, clean};
pub(crate) use fault::cannot_write;
pub use housekeeping::Housekeeping;
pub use settings::{Delivery, Keep, Responses};
pub use write::SavedFile;

use crate::engine::Engine;
use crate::marks::Mark;
use crate::outcome::Picture;
use crate::picture::{self, Format};
use handeye_core::{Frame, Result, Size};
use handeye_shots::{Seen, Shot, ShotId, Subject};
use std::path::PathBuf;
use std::sync::Arc;

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
    /// The picture for the answer.
    pub picture: Option<Picture>,
}

impl Engine {
    /// Delivers a picture. A file that cannot be written is told in [`Delivered::saved`]: the picture may still be of use.
    pub async fn deliver(&self, capture: Capture, order: Order) -> Result<Delivered> {
        let windows = Seen::all(&self.desk.platform.screen.shown().await?);
        self.deliver_seen(capture, windows, order).await
    }

    /// The same for a picture that was taken a while ago, with what was drawn then.
    pub async fn deliver_seen(
        &self,
        capture: Capture,
        windows: Arc<[Seen]>,
        order: Order,
    ) -> Result<Delivered> {
        let full = Size::new(capture.frame.area.width, capture.frame.area.height);
        let shot = Shot {
            subject: capture.subject,
            area: capture.frame.area,
            size: full,
            scale: capture.scale,
            windows,
        };
        let delivery = self.delivery.clone();
        match &order.destination {
            Destination::Folder | Destination::Temporary => self.memory.housekeeping.begin(&delivery).await,
            Destination::File(path) | Destination::New(path) => {
                self.memory.housekeeping.begin_beside(&delivery, path).await;
            }
            Destination::Nowhere => {}
        }
        let janitor = match order.destination {
            Destination::Temporary => delivery.temporary_life.map(|_| self.memory.housekeeping.janitor()),
            _ => None,
        };
        let work = move || {
            let made = write::make(&delivery, &capture.frame, &order);
            // Here and not by the caller: a call that is cancelled meanwhile leaves its folder all the same.
            if let Some(janitor) = janitor {
                janitor.notify_one();
            }
            made
        };
        let (saved, inline) = picture::away(work).await?;
        let (size, file_id, id) = match &inline {
            Some((size, _)) if *size != full => {
                let id = self.memory.shots.remember(Shot { size: *size, ..shot.clone() });
                (
                    *size,
                    saved.as_ref().is_some_and(Result::is_ok).then(|| self.memory.shots.remember(shot)),
                    id,
                )
            }
            _ => (full, None, self.memory.shots.remember(shot)),
        };
        Ok(Delivered { id, size, saved, file_id, picture: inline.map(|(_, picture)| picture.into()) })
    }
}

impl Delivered {
    /// The saved file; an error if it could not be written.
    pub fn file(&mut self) -> Result<Option<SavedFile>> {
        self.saved.take().transpose()
    }

    /// The sentence that tells of it (viewpoint-screenshots, decision 6); `what` is for example `screen`.
    pub fn sentence(&self, what: &str) -> String {
        let shown =
            self.saved.as_ref().and_then(|saved| saved.as_ref().ok()).and_then(|file| file.shown.as_ref());
        shown.map_or_else(
            || format!("Screenshot captured ({what})"),
            |path| format!("Screenshot saved to {path} ({what})"),
        )
    }
}
