//! The format that a command line asks for, before it is parsed.

use crate::format::Format;
use crate::settings::FORMAT;
use clap::ValueEnum;

/// The format that the command line asks for, read without parsing it: for errors in the command line itself.
pub(crate) fn asked_format(arguments: impl IntoIterator<Item = impl AsRef<str>>) -> Format {
    let known = |name: &str| Format::from_str(name, false).ok();
    // A setting that is faulty is reported when the command line is parsed.
    let mut last = FORMAT.configured().ok().flatten();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_ref() {
            "--" => break,
            "--format" => last = arguments.next().and_then(|value| known(value.as_ref())).or(last),
            flag if flag.len() > "--json".len() && "--json-output".starts_with(flag) => {
                return Format::Envelope;
            }
            other => last = other.strip_prefix("--format=").and_then(known).or(last),
        }
    }
    last.unwrap_or_default()
}
