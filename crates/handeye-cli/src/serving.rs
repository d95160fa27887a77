//! The flags of a server: what it offers, where its pictures go, what it asks before it is done.

use crate::settings::{
    CLIENT_PROFILE, CONFIRM, EXCLUDE_TOOLS, IMAGE_RESPONSES, READ_ONLY, SCREENSHOT_DIR, SCREENSHOT_KEEP,
    Setting, TOOLS, TOOLSETS, list, switch,
};
use crate::{asking, pictures};
use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches};
use handeye_core::Result;
use handeye_service::toolbox::{Selection, Toolbox, toolset_names};
use std::ffi::OsString;

/// The flags of a server.
pub fn server_arguments() -> Vec<Arg> {
    let mut arguments = pictures::delivery_arguments();
    arguments.extend([
        names(&TOOLSETS, "NAMES").help(format!(
            "{}: {} [default: {}]",
            TOOLSETS.help,
            toolset_names().collect::<Vec<_>>().join(", "),
            TOOLSETS.default
        )),
        names(&TOOLS, "NAMES"),
        names(&EXCLUDE_TOOLS, "NAMES"),
        switch_argument(&READ_ONLY),
        names(&CLIENT_PROFILE, "NAME"),
        asking::argument_of_confirm(),
    ]);
    arguments
}

fn names(setting: &Setting, value: &'static str) -> Arg {
    pictures::argument(setting, value, ValueParser::string())
}

/// A flag without a value. Its variable is read later.
fn switch_argument(setting: &Setting) -> Arg {
    let name = setting.flag.unwrap_or(setting.variable);
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(setting.help)
}

/// The flags of a server that were given, to be passed on to another process.
pub fn given_server_flags(matches: &ArgMatches) -> Vec<OsString> {
    let settings = [
        &SCREENSHOT_DIR,
        &IMAGE_RESPONSES,
        &SCREENSHOT_KEEP,
        &TOOLSETS,
        &TOOLS,
        &EXCLUDE_TOOLS,
        &CLIENT_PROFILE,
        &CONFIRM,
    ];
    let mut given = pictures::given(matches, &settings);
    given.extend(read_only_given(matches).map(|flag| format!("--{flag}").into()));
    given
}

/// The flag for tools that only look, if it was given.
fn read_only_given(matches: &ArgMatches) -> Option<&'static str> {
    READ_ONLY.flag.filter(|flag| matches.try_get_one(flag).ok().flatten() == Some(&true))
}

/// What the server offers: by the flags, else what is set without them, else the usual toolsets.
///
/// # Errors
/// A name that is none of a toolset or tool, with near ones; a choice that leaves nothing.
pub fn toolbox(matches: &ArgMatches) -> Result<Toolbox> {
    let chosen = |setting: &Setting| {
        let flag = setting.flag.and_then(|flag| matches.try_get_one::<String>(flag).ok().flatten().cloned());
        flag.or_else(|| setting.value()).map(|text| list(&text))
    };
    let read_only = read_only_given(matches).is_some() || READ_ONLY.parsed(switch)?.unwrap_or(false);
    Toolbox::of(&Selection {
        toolsets: chosen(&TOOLSETS),
        tools: chosen(&TOOLS),
        exclude: chosen(&EXCLUDE_TOOLS).unwrap_or_default(),
        read_only,
    })
}

/// The profile of the client: by the flag, else what is set without it, read by `parse`.
///
/// # Errors
/// What `parse` says of it.
pub fn client_profile<T>(matches: &ArgMatches, parse: impl Fn(&str) -> Result<T>) -> Result<Option<T>> {
    let flag = CLIENT_PROFILE.flag.and_then(|flag| matches.try_get_one::<String>(flag).ok().flatten());
    flag.cloned().or_else(|| CLIENT_PROFILE.value()).map(|name| parse(&name)).transpose()
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
