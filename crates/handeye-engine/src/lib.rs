//! What an operation is, and the engine that it runs on: a desktop, what is remembered between calls, and the settings, as one caller has them.
//! No operation is here, and nothing that decides whether one may run.

pub mod capture;
mod dialect;
mod engine;
mod inner_calls;
mod memory;
mod operation;
pub mod parameters;
mod toolset;

pub use capture::CaptureSettings;
pub use dialect::Dialect;
pub use engine::Engine;
pub use handeye_sight::visual::Fallback;
pub use inner_calls::{InnerCalls, InnerTool};
pub use memory::Memory;
pub use operation::{AnyOperation, Erased, JudgedAs, Meta, Operation, ParsedInput, Runnable};
pub use toolset::Toolset;
