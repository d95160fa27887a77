//! An accessibility audit of a desktop window: its tree and a picture of it in, issues with WCAG criteria out.
//!
//! Everything here computes; nothing asks an application or a screen. [`questions`] lists the elements whose labels and keys decide
//! something, [`audit`] judges, [`Report`] is the result, and [`markdown`] and [`sarif`] write it.
//!
//! - `rule`: the rules with their criteria, and which of them a standard requires
//! - `view`: a window as the rules see it
//! - `naming`: the accessible name of an element, and whether it means something
//! - `rules/`: one file for each kind of rule
//! - `contrast/`: colours measured from pixels
//! - `findings`, `report`: what was checked and what failed, the score

mod contrast;
mod findings;
mod issue;
pub mod markdown;
mod naming;
mod report;
mod rule;
mod rules;
pub mod sarif;
mod view;

pub use contrast::ratio;
pub use issue::Issue;
pub use report::{Report, Unmeasured};
pub use rule::{Level, RULES, Rule, Severity, Standard};
pub use rules::{Stage, audit, questions};
pub use view::Subject;
