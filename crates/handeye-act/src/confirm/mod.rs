//! Asking a person before something may be destroyed.
//!
//! What counts is what will be hit, not what the caller called it: the element is judged after it was found, by its own words and by
//! what its dialog asks, and before anything is done to it. No parameter of a tool confirms anything; only a person's reply does.

mod assessment;
mod deed;
mod judge;
mod keys;
mod press;
mod setting;
mod which;
mod words;

pub use assessment::{Assessment, Reason, Risk};
pub use deed::{Deed, Key, Stroke};
pub use judge::assess;
pub use setting::Confirm;
