//! Self-healing locators: recognizes an element again after its application changed.
//!
//! A [`Fingerprint`] is what an element was, made from a [`Survey`] of its tree. [`heal`] finds the element of a fingerprint in another survey, by
//! seven strategies, and answers with the strategy and a confidence, or with the candidates between which it does not decide.
//!
//! Nothing here waits or reads anything. Both sides are plain trees, so that a fingerprint can be written into a file (it is `serde`) and
//! healed by another process.

mod agreement;
mod fingerprint;
mod heal;
mod likeness;
mod role_kind;
mod survey;

#[cfg(test)]
mod tests;

pub use fingerprint::Fingerprint;
pub use heal::{ACT, Healed, Outcome, Strategy, heal, heal_among};
pub use survey::Survey;
