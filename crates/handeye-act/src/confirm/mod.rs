//! Asking a person before something may be destroyed.
//!
//! What counts is what will be hit, not what the caller called it: the element is judged after it was found, by its own words and by
//! what its dialog asks, and before anything is done to it. No parameter of a tool confirms anything; only a person's reply does.

mod assessment;
mod choice;
mod deed;
mod dialog;
mod judge;
mod keys;
mod labels;
mod popup;
mod press;
mod refusal;
mod setting;
mod which;

#[cfg(test)]
mod tests;

pub use assessment::{Assessment, Reason, Risk};
pub use deed::{Deed, Manner, Stroke};
pub use judge::{assess, combo_box_of};
pub(crate) use refusal::refuses;
pub use setting::Confirm;
