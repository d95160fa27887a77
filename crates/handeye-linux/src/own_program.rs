//! This very program: its file, and how it is started again. A process would pass on the files that it has inherited: `(flock 9; handeye tree) 9>lock` hands the lock to handeye, and what
//! outlives the command must not keep it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// `O_CLOEXEC`, as `/proc/PID/fdinfo` shows it.
const CLOSED_WITH_THE_PROGRAM: u32 = 0o2_000_000;
/// The shells that close files, each with the options for a script, and the highest number that it can name. Where its standard input is a
/// socket, Bash takes itself for one that `rshd` has started, and runs the user's `.bashrc` first; it runs `$BASH_ENV` anywhere.
const SHELLS: [(&[&str], u32); 2] =
    [(&["/bin/bash", "--norc", "-p", "-c"], u32::MAX), (&["/bin/sh", "-c"], 9)];

/// A command that runs this very program, called `name`, with nothing inherited but its standard streams.
///
/// A program can close files by number only in unsafe code, which this one has none of; so where there is something to close, a
/// shell does it and then becomes the program.
pub fn own_program(name: &str) -> Command {
    if let (Some((shell, script)), Ok(program)) = (shell_that_closes(), std::env::current_exe()) {
        let mut command = Command::new(shell[0]);
        command.args(&shell[1..]).arg(script).arg(program);
        return command;
    }
    // Even when the file was replaced since it was started.
    let mut command = Command::new("/proc/self/exe");
    command.arg0(name);
    command
}

/// The words of a command that runs another program with nothing inherited but its standard streams; its arguments follow.
pub(crate) fn words_of_closed(program: &OsStr) -> Vec<OsString> {
    let closing = shell_that_closes().into_iter().flat_map(|(shell, script)| {
        shell.iter().map(OsString::from).chain([script.into()]).collect::<Vec<_>>()
    });
    closing.chain([program.to_owned()]).collect()
}

/// The words of a shell and the script with which it becomes the program that follows, where there is something to close.
fn shell_that_closes() -> Option<(&'static [&'static str], String)> {
    let inherited = inherited();
    if inherited.is_empty() {
        return None;
    }
    let (shell, highest) = SHELLS.iter().find(|(shell, _)| Path::new(shell[0]).exists())?;
    let mut script = String::from("exec \"$0\" \"$@\"");
    for number in inherited.iter().filter(|number| *number <= highest) {
        script.push_str(&format!(" {number}>&-"));
    }
    Some((shell, script))
}

/// What the file system knows of the very file that runs, even if another one has its name by now.
///
/// # Errors
/// If there is neither a link to it nor a file of its name.
pub fn own_file() -> io::Result<Metadata> {
    // Without /proc, the name is all there is.
    fs::metadata("/proc/self/exe").or_else(|_| fs::metadata(std::env::current_exe()?))
}

/// The numbers of the files that a child inherits besides its standard streams.
fn inherited() -> Vec<u32> {
    let entries = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|number| *number > 2 && is_inherited(*number)).collect()
}

fn is_inherited(number: u32) -> bool {
    let Ok(about) = fs::read_to_string(format!("/proc/self/fdinfo/{number}")) else { return false };
    let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
    flags
        .and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok())
        .is_some_and(|flags| flags & CLOSED_WITH_THE_PROGRAM == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn only_what_a_child_would_get_is_inherited() {
        let file = fs::File::open("/dev/null").expect("opens");
        let number = u32::try_from(file.as_raw_fd()).expect("a number");
        assert!(!inherited().contains(&number));
        rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).expect("set");
        assert!(inherited().contains(&number));
    }
}
