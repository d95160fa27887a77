//! What is tidied without being asked for: what a process that crashed has left, once in the life of each process, and
//! temporary folders when their time is over.

use super::settings::Delivery;
use super::{draft, folder, place, temporary};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, OnceCell};
use tokio::time::{Instant, sleep_until};

/// Least time between two looks at the temporary folder.
const LEAST_PAUSE: Duration = Duration::from_millis(50);
/// Longest time between two looks, while there is a folder whose time will come.
const LONGEST_PAUSE: Duration = Duration::from_secs(86_400);
/// How many folders are remembered as tidied.
const MOST_FOLDERS: usize = 64;

/// Tidies. Shared by all calls.
#[derive(Debug, Default)]
pub struct Housekeeping {
    /// The folders that were tidied, or are just now.
    tidied: Mutex<HashMap<PathBuf, Arc<OnceCell<()>>>>,
    begun: OnceCell<()>,
    janitor: OnceLock<()>,
    new_folder: Arc<Notify>,
}

impl Housekeeping {
    /// Removes what other processes have left: drafts of pictures whose makers are dead, from the folder for screenshots, and
    /// temporary folders whose time is over. Does so once for each folder, at the first call; others wait for it.
    pub async fn begin(&self, delivery: &Delivery) {
        if let Ok(directory) = folder::directory(delivery) {
            self.tidy(directory, place::refuse_foreign).await;
        }
        let expired = || {
            temporary::remove_expired();
        };
        self.begun.get_or_init(|| blocking(expired)).await;
    }

    /// Removes drafts whose makers are dead from the folder of a file that a caller named; once for each folder.
    pub(super) async fn begin_beside(&self, delivery: &Delivery, file: &Path) {
        let file = delivery.working_directory.absolute(file).ok();
        if let Some(folder) = file.as_deref().and_then(Path::parent) {
            self.tidy(folder.to_owned(), place::refuse_planted_links).await;
        }
    }

    /// Tidies a folder unless `refuse` fails for it; a caller that writes there gets that error.
    async fn tidy(&self, folder: PathBuf, refuse: fn(&Path) -> io::Result<()>) {
        let once = {
            let mut tidied = self.tidied.lock().unwrap_or_else(PoisonError::into_inner);
            if tidied.len() >= MOST_FOLDERS {
                tidied.clear();
            }
            Arc::clone(tidied.entry(folder.clone()).or_default())
        };
        let abandoned = move || {
            if refuse(&folder).is_ok() {
                draft::remove_abandoned(&folder);
            }
        };
        once.get_or_init(|| blocking(abandoned)).await;
    }

    /// The receiver that is notified of a new temporary folder, once it is there: it is then removed when its time is over, as long as this
    /// process lives.
    pub(super) fn janitor(&self) -> Arc<Notify> {
        let new_folder = Arc::clone(&self.new_folder);
        self.janitor.get_or_init(|| {
            tokio::spawn(remove_when_expired(new_folder));
        });
        Arc::clone(&self.new_folder)
    }
}

async fn blocking(work: impl FnOnce() + Send + 'static) {
    if let Err(error) = tokio::task::spawn_blocking(work).await {
        tracing::warn!(%error, "what earlier processes left could not be tidied");
    }
}

/// Sleeps until the next temporary folder's time is over, removes it, and so on.
async fn remove_when_expired(new_folder: Arc<Notify>) {
    let mut due: Option<Instant> = None;
    loop {
        tokio::select! {
            () = new_folder.notified() => {}
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {}
        }
        let next = tokio::task::spawn_blocking(temporary::remove_expired).await.unwrap_or_default();
        due = next.map(|left| Instant::now() + left.clamp(LEAST_PAUSE, LONGEST_PAUSE));
    }
}
