//! What is tidied without being asked for: what a process that crashed has left, once in the life of each process, and
//! temporary folders when their time is over.

use super::{Delivery, draft, folder, temporary};
use std::collections::HashSet;
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
    begun: OnceCell<()>,
    /// The folders of named files that were tidied.
    tidied: Mutex<HashSet<PathBuf>>,
    janitor: OnceLock<()>,
    new_folder: Arc<Notify>,
}

impl Housekeeping {
    /// Removes what other processes have left: drafts of pictures whose makers are dead, temporary folders whose time is
    /// over. Does so once, whoever asks first; others wait for it.
    pub async fn begin(&self, delivery: &Delivery) {
        let tidy = || async {
            let directory = folder::directory(delivery);
            let tidied = tokio::task::spawn_blocking(move || {
                if let Ok(directory) = directory {
                    draft::remove_abandoned(&directory);
                }
                temporary::remove_expired();
            });
            if let Err(error) = tidied.await {
                tracing::warn!(%error, "what earlier processes left could not be tidied");
            }
        };
        self.begun.get_or_init(tidy).await;
    }

    /// Removes drafts whose makers are dead from the folder of a file that somebody named; once for each folder.
    pub(super) async fn begin_beside(&self, file: &Path) {
        let Some(folder) = std::path::absolute(file).ok().and_then(|file| file.parent().map(Path::to_owned))
        else {
            return;
        };
        {
            let mut tidied = self.tidied.lock().unwrap_or_else(PoisonError::into_inner);
            if tidied.len() >= MOST_FOLDERS {
                tidied.clear();
            }
            if !tidied.insert(folder.clone()) {
                return;
            }
        }
        if let Err(error) = tokio::task::spawn_blocking(move || draft::remove_abandoned(&folder)).await {
            tracing::warn!(%error, "what earlier processes left could not be tidied");
        }
    }

    /// Whom to notify of a new temporary folder, once it is there: it is then removed after `life`, as long as this process
    /// lives.
    pub(super) fn janitor(&self, life: Duration) -> Arc<Notify> {
        let new_folder = Arc::clone(&self.new_folder);
        self.janitor.get_or_init(|| {
            tokio::spawn(remove_when_expired(new_folder, life));
        });
        Arc::clone(&self.new_folder)
    }
}

/// Sleeps until the next temporary folder's time is over, removes it, and so on.
async fn remove_when_expired(new_folder: Arc<Notify>, life: Duration) {
    let after = |left: Duration| Instant::now() + left.clamp(LEAST_PAUSE, LONGEST_PAUSE);
    let mut due: Option<Instant> = None;
    loop {
        tokio::select! {
            () = new_folder.notified() => due = Some(due.map_or(after(life), |due| due.min(after(life)))),
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                let next = tokio::task::spawn_blocking(temporary::remove_expired).await.unwrap_or_default();
                due = next.map(after);
            }
        }
    }
}
