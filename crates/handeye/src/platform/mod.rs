//! The operating system that this binary is built for. No other file of it asks which one that is, and none but those below names a
//! platform crate: each system has a module here, with the same functions.
//!
//! Everything that works on a desktop runs within `beside_the_system`, its runtime included. A system whose libraries want the first thread
//! of the process (the run loop of `AppKit`) keeps that thread there and gives the work another one.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod unsupported;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use unsupported as system;

pub(crate) use system::{
    PRIVATE_DESKTOP_OPTIONS, beside_the_system, commands, desktop, find_session, is_command, own_file,
    own_process, part_of_this_program, private_desktop_options, program_of_desktop, run_command,
    run_in_private_desktop, session,
};
