//! Looks that were returned before, so that a second one can be answered with what changed since.

use handeye_core::{ApplicationId, Error, ErrorCode, Result, Tree};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// How many looks are kept. Their trees share what did not change.
const KEPT: usize = 32;

/// The looks that were returned last, over all applications and clients.
#[derive(Default)]
pub struct Looks(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    last: u64,
    looks: VecDeque<(u64, ApplicationId, Arc<Tree>)>,
}

impl Looks {
    /// Keeps what `application` showed and names it, for example `t3`. Numbers are never used twice.
    pub fn keep(&self, application: ApplicationId, tree: Arc<Tree>) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.last += 1;
        let number = kept.last;
        if kept.looks.len() == KEPT {
            kept.looks.pop_front();
        }
        kept.looks.push_back((number, application, tree));
        format!("t{number}")
    }

    /// What `application` showed at the look `name`.
    pub fn find(&self, name: &str, application: &ApplicationId) -> Result<Arc<Tree>> {
        let number = name.strip_prefix('t').and_then(|number| number.parse::<u64>().ok());
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let look = kept.looks.iter().find(|(kept, of, _)| Some(*kept) == number && of == application);
        look.map(|(_, _, tree)| Arc::clone(tree)).ok_or_else(|| {
            Error::new(
                ErrorCode::UnknownReference,
                format!("'{name}' is not a look at this application, or one of more than {KEPT} looks ago"),
            )
            .with_next("Look again without since.")
        })
    }
}
