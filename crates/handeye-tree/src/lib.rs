//! Texts about an accessibility tree: outlines for a model, references that outlive changes, differences between two looks, and elements
//! in a sentence. Pure: nothing here reaches an application.

pub mod describe;
pub mod difference;
mod escape;
pub mod line;
pub mod looks;
pub mod outline;
pub mod references;

pub use escape::quoted;
