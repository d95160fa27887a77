//! Encodes a picture and writes it: beside its place first, then renamed, so that no partial file is ever seen.

use super::{Delivery, Destination, Inline, Order, Responses, cannot_write};
use crate::operation::Picture;
use crate::picture::{self, Format, Limits};
use handeye_core::{Frame, Result, Size};
use std::path::{Path, PathBuf};

/// A picture on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedFile {
    /// Where it is, absolute.
    pub path: PathBuf,
    /// For example `image/png`.
    pub mime_type: &'static str,
    /// Its length.
    pub bytes: u64,
}

type Made = (Option<Result<SavedFile>>, Option<(Size, Picture)>);

/// Makes the file and the picture for the answer.
pub(super) fn make(delivery: &Delivery, frame: &Frame, order: &Order) -> Result<Made> {
    let place = match &order.destination {
        Destination::Nowhere => None,
        Destination::File(path) => Some(path.clone()),
        Destination::Folder => Some(delivery.directory.join(name(order.format))),
    };
    let saved = match place {
        Some(path) => {
            let file = picture::encode(frame, order.format)?;
            Some(save(&path, &file))
        }
        None => None,
    };
    let wanted = match (order.inline, delivery.responses) {
        (Inline::Never, _) | (_, Responses::Omit) | (Inline::Configured, Responses::File) => {
            return Ok((saved, None));
        }
        (wanted, _) => wanted,
    };
    let scaled = picture::fit(frame, Limits::INLINE)?;
    let shown = scaled.as_ref().unwrap_or(frame);
    let inline = if wanted == Inline::Png {
        picture::encode(shown, Format::Png)?
    } else {
        picture::encode_smallest(shown)?
    };
    Ok((saved, Some((Size::new(shown.area.width, shown.area.height), inline))))
}

/// `page-2026-01-13T15-30-45-123Z.png` (viewpoint-screenshots, decision 7).
fn name(format: Format) -> String {
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S-%3fZ").to_string();
    format!("page-{now}.{}", format.extension())
}

fn save(path: &Path, file: &Picture) -> Result<SavedFile> {
    let failed = |error: std::io::Error| cannot_write(path, &error);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, &file.bytes).map_err(failed)?;
    let path = std::path::absolute(path).map_err(failed)?;
    Ok(SavedFile { path, mime_type: file.mime_type, bytes: file.bytes.len() as u64 })
}
