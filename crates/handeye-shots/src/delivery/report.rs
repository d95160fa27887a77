//! Reports beside pictures: text that was written about them, as a file.

use super::settings::Delivery;
use super::write::save_new;
use handeye_core::{Error, ErrorCode, Permit, Result};
use std::path::Path;

/// Saves a report at a path that a caller named, for whom a file of the user may be written. It is always a new file: where there is one
/// already, the name gets a number. Returns the path as an answer shows it.
///
/// # Errors
/// [`ErrorCode::Io`] if the file cannot be written.
pub async fn save_report(_: &Permit, delivery: &Delivery, path: &Path, text: String) -> Result<String> {
    let (here, path) = (delivery.working_directory.clone(), path.to_owned());
    let work = move || {
        let saved = here.absolute(&path).and_then(|absolute| save_new(&absolute, text.as_bytes()));
        saved.map(|saved| here.shown(&saved)).map_err(|error| {
            Error::new(
                ErrorCode::Io,
                format!("the report could not be written to {}: {error}", path.display()),
            )
            .with_next("Name a new file in a folder that you may write to.")
        })
    };
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)?
}
