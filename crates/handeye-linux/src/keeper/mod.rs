//! A process beside this one that undoes what this one leaves behind when it ends, however it ends.
//!
//! ```text
//! handeye ──starts, when something is to be kept──▶ keeper (this very program, in a session of its own)
//!    │  a socket: what is held, and connections        ├─ has an X connection of its own, opened before the first press
//!    └─ its end says that handeye is gone              └─ has the connections on which actions were asked for
//! ```
//!
//! What is pressed on the seat, and spare keys that have other symbols, are released by it ([`Held`](handeye_x11::Held)). The
//! connections of actions stay open in it for as long as a dialog may block them (`lines`). It ends when it has nothing left
//! to keep and the process that it serves has ended.

mod channel;
mod client;
mod lines;
mod process;

pub use client::Keeper;
pub(crate) use client::PASSED_ON;
pub use process::keeper_main;

/// The first argument that makes the executable a keeper. It finds its socket at standard input.
pub const KEEPER_ARGUMENT: &str = "keeper";
