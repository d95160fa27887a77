//! Runs a command in a private desktop: `cargo run --example private-desktop xterm`.
//!
//! It also shows what a program that embeds private desktops owes them: it must be able to be their supervisor, the keeper of what is
//! pressed, and the owner of what is copied, and the
//! watcher of a script. The tests of
//! this crate use it as that.

use handeye_linux::desktop::{Options, SUPERVISOR_ARGUMENT, run, supervisor_main};
use handeye_linux::{
    COPIES_ARGUMENT, KEEPER_ARGUMENT, SCRIPTS_ARGUMENT, copies_main, keeper_main, scripts_main,
};
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|first| first == SUPERVISOR_ARGUMENT) {
        return supervisor_main(arguments.into_iter().skip(1));
    }
    if arguments.first().is_some_and(|first| first == KEEPER_ARGUMENT) {
        return keeper_main();
    }
    if arguments.first().is_some_and(|first| first == COPIES_ARGUMENT) {
        return copies_main();
    }
    if arguments.first().is_some_and(|first| first == SCRIPTS_ARGUMENT) {
        return scripts_main();
    }
    match run(&Options::default(), &arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("{error} {:?} {}", error.found, error.next.clone().unwrap_or_default());
            ExitCode::from(error.code.exit_code())
        }
    }
}
