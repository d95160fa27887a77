//! Workflows: steps that are calls, values that go from one step to the next, and their files.
//!
//! Everything here is pure. What runs a workflow is the operation `ax_workflow`.

pub mod definition;
pub mod file;
pub mod junit;
pub mod place;
mod progress;
pub mod report;
pub mod template;
pub mod writing;
mod yaml;

pub use definition::{Awaited, Condition, Flow, OnFail, Step};
pub use place::Place;
pub use progress::{Progress, Suspended};
pub use report::{Report, StepReport, StepState};
