//! Recording what a user does as the steps of a workflow, by element and not by pixel.
//!
//! [`begin`] follows pointer and keyboard: an element is looked up when it is pressed, and a field is read after keys went to it, so which
//! characters were typed is never known here. [`Script`] makes steps of that.

mod clicked_field;
mod focus;
mod focus_history;
mod memory;
mod moments;
pub mod naming;
mod recorded;
mod recorder;
mod recording;
pub mod script;
mod sight;
mod stroke;
pub mod target;

pub use recorded::{Recorded, Why};
pub use recorder::LONGEST;
pub use recording::{Recording, Running, begin};
pub use script::Script;
pub use target::{Kind, Target};
