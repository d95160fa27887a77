//! What handeye logged while a command ran, kept for the answer of `--json-output`.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The newest entries of the log. Cheap to clone: all clones are one.
#[derive(Debug, Clone, Default)]
pub struct DebugLogs(Arc<Mutex<Entries>>);

tokio::task_local! {
    /// Where the entries of the running task go.
    static OF_THIS_TASK: DebugLogs;
}

#[derive(Debug, Default)]
struct Entries {
    newest: VecDeque<String>,
    left_out: usize,
}

impl DebugLogs {
    /// Most entries that are kept.
    pub const MOST: usize = 200;
    /// Longest entry, in characters.
    const LONGEST: usize = 1_000;

    /// Runs `work` in such a way that [`DebugLogs::of_this_task`] are these.
    pub(crate) async fn collect<F: Future>(&self, work: F) -> F::Output {
        OF_THIS_TASK.scope(self.clone(), work).await
    }

    /// Those of the call that runs in this task, in a process that runs several.
    pub fn of_this_task() -> Option<Self> {
        OF_THIS_TASK.try_with(Self::clone).ok()
    }

    /// Keeps an entry, cut to 1,000 characters; the oldest one of 200 makes room for it.
    pub fn add(&self, entry: &str) {
        let mut entries = self.entries();
        if entries.newest.len() == Self::MOST {
            entries.newest.pop_front();
            entries.left_out += 1;
        }
        entries.newest.push_back(match entry.char_indices().nth(Self::LONGEST) {
            Some((end, _)) => format!("{}…", &entry[..end]),
            None => entry.to_owned(),
        });
    }

    /// The entries in their order; the first one states how many older ones were left out.
    pub fn entries_so_far(&self) -> Vec<String> {
        let entries = self.entries();
        let left_out =
            (entries.left_out > 0).then(|| format!("… {} older entries left out", entries.left_out));
        left_out.into_iter().chain(entries.newest.iter().cloned()).collect()
    }

    /// A poisoned lock is taken over: an entry is added whole or not at all.
    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_entries_are_kept_and_the_others_counted() {
        let logs = DebugLogs::default();
        for number in 0..DebugLogs::MOST + 5 {
            logs.add(&format!("entry {number}"));
        }
        let kept = logs.entries_so_far();
        assert_eq!(kept.len(), DebugLogs::MOST + 1);
        assert_eq!(kept[0], "… 5 older entries left out");
        assert_eq!(kept[1], "entry 5");
        assert_eq!(kept[DebugLogs::MOST], "entry 204");
    }

    #[test]
    fn an_entry_is_cut_at_a_character() {
        let logs = DebugLogs::default();
        logs.add(&"é".repeat(5_000));
        assert_eq!(logs.entries_so_far()[0].chars().count(), DebugLogs::LONGEST + 1);
    }
}
