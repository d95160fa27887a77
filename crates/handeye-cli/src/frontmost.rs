//! A reference says which application it is of, so a command that has one needs no `--app`.

use clap::ArgMatches;
use clap::parser::ValueSource;
use handeye_act::desk::Desk;
use handeye_core::{Error, ErrorCode, Invocation, Result, text};
use std::ffi::OsString;

/// The arguments that name an element.
const QUERIES: [&str; 4] = ["query", "root_query", "from_query", "to_query"];

/// The application of the first reference among the arguments of a command, as `--app` has it. `None` where an application is
/// named, no reference is known, or the command is about no application.
///
/// # Errors
/// [`ErrorCode::AppGone`] if the application of that reference has ended.
pub(crate) fn application_of_reference(arguments: &ArgMatches, desk: &Desk) -> Result<Option<String>> {
    let known = references(arguments).find_map(|reference| {
        let entry = desk.own.references.lookup(reference).ok()?;
        Some((reference, entry))
    });
    let Some((reference, entry)) = known else { return Ok(None) };
    let Some(connection) = desk.memory.connection_to(&entry.app) else { return Ok(None) };
    if !connection.is_alive() {
        return Err(Error::new(ErrorCode::AppGone, format!("the application of {reference} has ended"))
            .with_next(text![
                "Look at another one: ",
                Invocation::of("ax_list_apps"),
                ", then ",
                Invocation::of("ax_get_tree"),
                "."
            ]));
    }
    Ok(connection.application().pid().map(|pid| pid.to_string()))
}

/// Why a command that names no application finds none, where that is for a reference that is not known.
pub(crate) fn unknown_reference(arguments: &ArgMatches, desk: &Desk) -> Option<Error> {
    references(arguments).find_map(|reference| desk.own.references.lookup(reference).err())
}

/// The references among the arguments of a command that could name an application and does not.
fn references(arguments: &ArgMatches) -> impl Iterator<Item = &String> {
    let has_application = arguments.try_get_one::<String>("app").is_ok();
    let is_named = || arguments.value_source("app") == Some(ValueSource::CommandLine);
    let queries: &[&str] = if has_application && !is_named() { &QUERIES } else { &[] };
    let given = queries.iter().filter_map(|id| arguments.try_get_one::<String>(id).ok().flatten());
    given.filter(|query| is_reference(query))
}

fn is_reference(value: &str) -> bool {
    value
        .strip_prefix('e')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The words of a command line with `--app` right behind the subcommand.
pub(crate) fn with_application(
    mut words: Vec<OsString>,
    subcommand: &str,
    application: &str,
) -> Vec<OsString> {
    if let Some(at) = words.iter().position(|word| word == subcommand) {
        words.insert(at + 1, format!("--app={application}").into());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_application_stands_behind_the_subcommand() {
        let words = ["--timeout", "5", "click", "e12", "--", "x"].map(OsString::from).to_vec();
        assert_eq!(
            with_application(words, "click", "77"),
            ["--timeout", "5", "click", "--app=77", "e12", "--", "x"].map(OsString::from)
        );
    }
}
