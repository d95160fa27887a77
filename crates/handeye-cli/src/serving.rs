//! The flags of a server: what it offers, where its pictures go, what it asks before it is done.

use crate::settings::{
    CLIENT_PROFILE, CONFIRM, EXCLUDE_TOOLS, IMAGE_RESPONSES, READ_ONLY, SCREENSHOT_DIR, SCREENSHOT_KEEP,
    SECURITY_MODE, SHOW_CURSOR, TOOLS, TOOLSETS, given,
};
use crate::{asking, pictures};
use clap::{Arg, ArgMatches};
use handeye_core::Result;
use handeye_service::toolbox::{Selection, Toolbox, toolset_names};
use std::ffi::OsString;

/// The flags of a server.
pub fn server_arguments() -> Vec<Arg> {
    let mut arguments = pictures::delivery_arguments();
    arguments.extend([
        TOOLSETS.argument("NAMES").help(format!(
            "{}: {} [default: {}]",
            TOOLSETS.about.help,
            toolset_names().collect::<Vec<_>>().join(", "),
            TOOLSETS.about.default
        )),
        TOOLS.argument("NAMES"),
        EXCLUDE_TOOLS.argument("NAMES"),
        READ_ONLY.switch(),
        SHOW_CURSOR.switch(),
        SECURITY_MODE.argument("MODE"),
        CLIENT_PROFILE.argument("NAME"),
        asking::argument_of_confirm(),
    ]);
    arguments
}

/// The flags of a server that were given, to be passed on to another process.
pub fn given_server_flags(matches: &ArgMatches) -> Vec<OsString> {
    let settings = [
        &SCREENSHOT_DIR.about,
        &IMAGE_RESPONSES.about,
        &SCREENSHOT_KEEP.about,
        &TOOLSETS.about,
        &TOOLS.about,
        &EXCLUDE_TOOLS.about,
        &CLIENT_PROFILE.about,
        &CONFIRM.about,
        &SECURITY_MODE.about,
        &READ_ONLY.about,
        &SHOW_CURSOR.about,
    ];
    given(matches, &settings)
}

/// What the server offers: by the flags, else what is set without them, else the usual toolsets.
///
/// # Errors
/// A name that is none of a toolset or tool, with near ones; a choice that leaves nothing.
pub fn toolbox(matches: &ArgMatches) -> Result<Toolbox> {
    let read_only = READ_ONLY.is_on(matches)?;
    Toolbox::of(&Selection {
        toolsets: TOOLSETS.chosen(matches)?,
        tools: TOOLS.chosen(matches)?,
        exclude: EXCLUDE_TOOLS.chosen(matches)?.unwrap_or_default(),
        read_only,
    })
}

/// Whether it is shown where an agent acts: by the flag of a server, else what is set without it.
///
/// # Errors
/// What is set is neither true nor false.
pub fn shows_cursor(matches: Option<&ArgMatches>) -> Result<bool> {
    match matches {
        Some(matches) => SHOW_CURSOR.is_on(matches),
        None => Ok(SHOW_CURSOR.configured()?.unwrap_or(false)),
    }
}

/// The profile of the client: by the flag, else what is set without it, read by `parse`.
///
/// # Errors
/// What `parse` says of it.
pub fn client_profile<T>(matches: &ArgMatches, parse: impl Fn(&str) -> Result<T>) -> Result<Option<T>> {
    CLIENT_PROFILE.chosen(matches)?.map(|name| parse(&name)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;

    fn matches(words: &[&str]) -> ArgMatches {
        Command::new("serve")
            .args(server_arguments())
            .try_get_matches_from(std::iter::once("serve").chain(words.iter().copied()))
            .expect("valid")
    }

    #[test]
    fn flags_are_passed_on_as_they_were_given() {
        let words = [
            "--screenshot-dir",
            "a b",
            "--image-responses",
            "omit",
            "--screenshot-keep",
            "5 MB",
            "--toolsets",
            "find, action",
            "--exclude-tools",
            "ax_click",
            "--read-only",
            "--show-cursor",
        ];
        assert_eq!(given_server_flags(&matches(&words)), words);
        assert!(given_server_flags(&matches(&[])).is_empty());
    }

    #[test]
    fn flags_choose_the_tools() {
        let toolbox = toolbox(&matches(&["--toolsets", "find,action", "--exclude-tools", "ax_drag"]));
        let toolbox = toolbox.expect("sound");
        assert!(toolbox.has("ax_find") && toolbox.has("ax_click"));
        assert!(!toolbox.has("ax_drag") && !toolbox.has("ax_list_apps"));
        assert!(super::toolbox(&matches(&["--tools", ","])).is_err(), "nothing is left");
    }
}
