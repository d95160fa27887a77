//! Looks that were returned before, so that a second one can be answered with what changed since.

use handeye_core::{ApplicationId, Error, ErrorCode, Numbers, Result, Tree};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// How many looks are kept. Their trees share what did not change.
const KEPT: usize = 32;

/// The looks that one caller was given last, over all applications.
#[derive(Default)]
pub struct Looks {
    numbers: Numbers,
    /// The oldest first.
    kept: Mutex<VecDeque<(u64, ApplicationId, Arc<Tree>)>>,
}

impl Looks {
    /// Those of another caller, who has none yet. No number of the one is ever a number of the other.
    #[must_use]
    pub fn of_another_caller(&self) -> Self {
        Self { numbers: self.numbers.clone(), kept: Mutex::default() }
    }

    /// Keeps what `application` showed and names it, for example `t3`. Numbers are never used twice.
    pub fn keep(&self, application: ApplicationId, tree: Arc<Tree>) -> String {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let number = self.numbers.next();
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back((number, application, tree));
        format!("t{number}")
    }

    /// What `application` showed at the look `name`.
    pub fn find(&self, name: &str, application: &ApplicationId) -> Result<Arc<Tree>> {
        let number = name.strip_prefix('t').and_then(|number| number.parse::<u64>().ok());
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let look = kept.iter().find(|(kept, of, _)| Some(*kept) == number && of == application);
        look.map(|(_, _, tree)| Arc::clone(tree)).ok_or_else(|| {
            Error::new(
                ErrorCode::UnknownReference,
                format!("'{name}' is not a look at this application, or one of more than {KEPT} looks ago"),
            )
            .with_next("Look again without since.")
        })
    }
}
