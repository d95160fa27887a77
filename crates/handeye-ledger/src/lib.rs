//! The audit log of actions: `audit.jsonl`, a file that is only appended to, shared by several processes.
//!
//! Each line is one record of JSON. Two chains of SHA-256 hold the records together: that of the process that wrote them (`prev`), and that
//! of the lines of the file (`above`), which goes on over a rotation. [`verify`](fn@verify) finds the first place where one is broken.
//!
//! [`Log`] writes and blocks; [`Recorder`] has a thread that does so, and is what the engine records with.

mod fault;
mod files;
mod follow;
mod line;
mod log;
mod place;
mod read;
mod recorder;
mod since;
mod tail;
mod verify;

pub use fault::{Fault, Result};
pub use follow::Follower;
pub use line::Chained;
pub use log::{Log, Settings};
pub use place::check;
pub use read::{Filter, Record, read};
pub use recorder::Recorder;
pub use since::since;
pub use verify::{Broken, Report, Unfinished, verify};
