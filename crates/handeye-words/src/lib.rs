//! What the words of user interfaces mean, in the languages that desktops speak. The words are data: a file per language in a folder per subject.
//!
//! [`consequences`]: something may be lost, spent or made public. [`interface`]: what a button, a field or a window is for.

pub mod consequences;
mod folding;
pub mod interface;
