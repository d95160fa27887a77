//! What can be done: operations, the gate before them, queries, references, effects and outlines.
//! No operating system and no protocol: those are behind the traits of `handeye-core` and in the faces.

pub mod call;
pub mod engine;
pub mod operation;
pub mod parameters;
