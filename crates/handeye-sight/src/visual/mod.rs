//! Finding elements that are not in the accessibility tree, by sight: where in a picture of a window something is that was described in words.
//!
//! `chain` asks one after the other: the text in the picture (`text`), the configured AI provider, the client's own model
//! (`reply` says what models are asked and what they may answer). `searches` keeps a picture while the client's model looks at it.

mod chain;
mod eyes;
mod fallback;
mod reply;
mod searches;
mod sight;
mod text;
mod words;

pub use chain::{SearchIn, search};
pub use eyes::Eyes;
pub use fallback::{Effort, Fallback};
pub use searches::Searches;
pub use sight::{Attempt, Hit, Picture, Sought, Step, StepOutcome};

use std::time::Duration;

/// How long a search may take where a call was not made for one: models take their time.
pub const TIME: Duration = Duration::from_secs(180);
