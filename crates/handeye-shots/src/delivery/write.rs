//! Encodes a picture, saves it, and makes the one for the answer.

use super::draft::Draft;
use super::fault::cannot_write;
use super::holdings::Room;
use super::made::{self, Encoded};
use super::order::{Destination, Inline, Order, SavedFile};
use super::place::{self, FILE_MODE, Target};
use super::settings::{Delivery, Responses};
use super::{folder, temporary};
use crate::marks::{self, Mark};
use handeye_core::vision::EncodedPicture;
use handeye_core::{Error, Frame, Result};
use handeye_picture::{self as picture, Format, Formats, Limits, Successive};
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// How many files there can be that differ by their number alone.
const MOST_OF_A_NAME: u32 = 10_000;
/// How often a file is looked at that others make, replace or remove at the same moment.
const ATTEMPTS: usize = 5;

type Made = (Option<Result<SavedFile>>, Option<Encoded>);

/// Makes the file and the picture for the answer, unless those that were `made` last show the same.
pub(super) fn make(
    delivery: &Delivery,
    room: &Room,
    last: &made::Made,
    frame: &Frame,
    order: &Order,
) -> Result<Made> {
    let marked = (!order.marks.is_empty()).then(|| drawn(frame.clone(), &order.marks));
    let work = Work { delivery, last, frame, whole: marked.as_ref().unwrap_or(frame), order };
    let file = match order.destination {
        Destination::Nowhere => None,
        _ => Some(work.whole()?),
    };
    let saved = file.as_ref().map(|file| save(delivery, room, &file.1, order));
    Ok((saved, work.inline(file)?))
}

/// The picture with its marks.
fn drawn(mut frame: Frame, marks: &[Mark]) -> Frame {
    marks::draw(&mut frame, marks);
    frame
}

/// What one picture is made of.
struct Work<'a> {
    delivery: &'a Delivery,
    last: &'a made::Made,
    frame: &'a Frame,
    /// `frame` with its marks.
    whole: &'a Frame,
    order: &'a Order,
}

impl Work<'_> {
    /// The picture at its full size.
    fn whole(&self) -> Result<Encoded> {
        self.last.whole(self.whole, Formats::Only(self.order.format))
    }

    /// The picture for the answer. `file` is the encoded full-size one, if there is one.
    fn inline(&self, file: Option<Encoded>) -> Result<Option<Encoded>> {
        let formats = match (self.order.inline, self.delivery.responses) {
            (Inline::FullSize, _) => return file.map_or_else(|| self.whole(), Ok).map(Some),
            (Inline::Never, _) | (_, Responses::Omit) | (Inline::Configured, Responses::File) => {
                return Ok(None);
            }
            (Inline::Png, _) => Formats::Only(Format::Png),
            (Inline::Configured, Responses::Inline) => Formats::Smallest,
        };
        let marks = &self.order.marks;
        let scaled = if marks.is_empty() {
            self.last.inline(self.frame, formats)?
        } else if let Some(scaled) = picture::fit(self.frame, Limits::INLINE)? {
            // Marks are drawn again at the size in which the picture is seen, so that they can be read there.
            let scaled = drawn(scaled, marks);
            Some((scaled.size(), Successive::encode(&scaled, formats, None)?.picture))
        } else {
            None
        };
        scaled.map_or_else(|| self.unscaled(formats, file), Ok).map(Some)
    }

    /// The picture for an answer that takes it at its full size.
    fn unscaled(&self, formats: Formats, file: Option<Encoded>) -> Result<Encoded> {
        let Some(png) = file.filter(|_| self.order.format == Format::Png) else {
            return self.last.whole(self.whole, formats);
        };
        if formats == Formats::Only(Format::Png) {
            return Ok(png);
        }
        let jpeg = self.last.whole(self.whole, Formats::Only(Format::Jpeg))?;
        Ok(if jpeg.1.bytes.len() < png.1.bytes.len() { jpeg } else { png })
    }
}

fn save(delivery: &Delivery, room: &Room, file: &EncodedPicture, order: &Order) -> Result<SavedFile> {
    let named = match &order.destination {
        Destination::File(path) | Destination::New(path) => {
            let absolute = delivery.working_directory.absolute(path);
            Some(absolute.map_err(|error| cannot_write(path, &error))?)
        }
        _ => None,
    };
    let bytes = &*file.bytes;
    let path = room.hold(bytes.len() as u64, named.as_deref(), || match (&order.destination, &named) {
        (Destination::File(path), Some(absolute)) => {
            save_at(absolute, bytes).map_err(|error| cannot_write(path, &error))
        }
        (Destination::New(path), Some(absolute)) => {
            save_new(absolute, bytes).map_err(|error| cannot_write(path, &error))
        }
        (Destination::Temporary, _) => temporary::save(delivery, bytes, order.format),
        (Destination::Folder, _) => folder::save(delivery, bytes, order.format),
        (Destination::File(_) | Destination::New(_) | Destination::Nowhere, _) => {
            Err(Error::internal("a picture that is not kept was to be saved"))
        }
    })?;
    let is_reported = delivery.responses != Responses::Omit || order.destination != Destination::Folder;
    let shown = is_reported.then(|| delivery.working_directory.shown(&path));
    Ok(SavedFile { path, shown, mime_type: file.mime_type, bytes: file.bytes.len() as u64 })
}

/// Saves at an absolute path that a caller named: as a new file, or in place of a picture. Returns the path; folders that
/// are missing are made.
fn save_at(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let folder = folder_of(path);
    for _ in 0..ATTEMPTS {
        let saved = match place::target(path)? {
            Target::New => {
                place::make_folder(folder)?;
                Draft::write(folder, bytes, FILE_MODE)?.name_if_free(path)?
            }
            Target::Picture(old) => Draft::write(folder, bytes, FILE_MODE)?
                .with_permissions(place::permissions(&old)?)?
                .take_place_of(&old, path)?,
            Target::Device(mut device) => device.write_all(bytes).map(|()| true)?,
        };
        if saved {
            return Ok(path.to_owned());
        }
    }
    Err(io::Error::new(ErrorKind::Interrupted, "another process writes it at the same time"))
}

/// Saves at an absolute path that is not there yet; folders that are missing are made. Where it is there, the name gets a
/// number. Returns the path.
pub(super) fn save_new(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let folder = folder_of(path);
    place::refuse_planted_links(folder)?;
    place::make_folder(folder)?;
    let names = (1..=MOST_OF_A_NAME).map(|number| numbered(path, number));
    let name = Draft::write(folder, bytes, FILE_MODE)?
        .name_first_free(folder, names)?
        .ok_or_else(|| io::Error::other("too many files have that name already"))?;
    Ok(folder.join(name))
}

/// The name of a file, with a number from 2 on: `a.png`, `a-2.png`.
fn numbered(path: &Path, number: u32) -> OsString {
    if number == 1 {
        return path.file_name().unwrap_or_default().to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    name
}

/// The folder of an absolute path.
fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or_else(|| Path::new("/"))
}
