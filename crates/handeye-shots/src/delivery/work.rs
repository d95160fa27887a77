//! The way of a picture: file, id, picture for the answer.

use super::holdings::Room;
use super::housekeeping::Housekeeping;
use super::made::Pixels;
use super::order::{Capture, Delivered, Destination, Order};
use super::settings::Delivery;
use super::write;
use crate::shots::{Seen, Shot, Shots};
use handeye_core::{Error, Permit, Result};
use handeye_picture as picture;
use std::sync::Arc;

/// Delivers a picture, with a `permit` to write files of the user unless it is kept nowhere, and with what was drawn on the screen when it was taken, from the topmost `windows` down. A file that cannot be written is
/// reported in [`Delivered::saved`]: the picture may still be useful. Older pictures of the same caller make `room` for it.
///
/// # Errors
/// If the picture cannot be encoded, or there is no permit for its file.
pub async fn deliver(
    permit: Option<&Permit>,
    delivery: Delivery,
    (shots, housekeeping, room): (&Shots, &Housekeeping, Room),
    capture: Capture,
    windows: Arc<[Seen]>,
    order: Order,
) -> Result<Delivered> {
    if permit.is_none() && order.destination != Destination::Nowhere {
        return Err(Error::internal("a picture was to be written without a permit"));
    }
    let full = capture.frame.size();
    let mut shot = Shot {
        subject: capture.subject,
        area: capture.frame.place(),
        size: full,
        scale: capture.scale,
        windows,
        file: None,
    };
    match &order.destination {
        Destination::Folder | Destination::Temporary => housekeeping.begin(&delivery).await,
        Destination::File(path) | Destination::New(path) => housekeeping.begin_beside(&delivery, path).await,
        Destination::Nowhere => {}
    }
    let janitor = match order.destination {
        Destination::Temporary => delivery.temporary_life.map(|_| housekeeping.janitor()),
        _ => None,
    };
    let pixels = Pixels::of(&capture.frame).filter(|_| order.marks.is_empty());
    let last = shots.made();
    let work = move || {
        let made = write::make(&delivery, &room, &last, &capture.frame, &order);
        // Here and not by the caller: a call that is cancelled meanwhile still leaves its folder.
        if let Some(janitor) = janitor {
            janitor.notify_one();
        }
        made
    };
    let (saved, inline) = picture::away(work).await?;
    if let Some(Ok(file)) = &saved {
        shot.file = Some(file.path.as_path().into());
    }
    let (size, file_id, id) = match &inline {
        Some(made) if made.0 != full => {
            let id = shots.remember(Shot { size: made.0, ..shot.clone() });
            (made.0, saved.as_ref().is_some_and(Result::is_ok).then(|| shots.remember(shot)), id)
        }
        _ => (full, None, shots.remember(shot)),
    };
    let same_as = shots.same_as(id, pixels);
    let picture = inline.map(|made| Arc::unwrap_or_clone(made.1).into());
    Ok(Delivered { id, size, saved, file_id, same_as, picture })
}
