//! Where pictures go: the flags and variables of [`Delivery`].

use crate::settings::{IMAGE_RESPONSES, SCREENSHOT_DIR, SCREENSHOT_KEEP, SCREENSHOT_TTL};
use clap::{Arg, ArgMatches, value_parser};
use handeye_core::Result;
use handeye_shots::delivery::Delivery;
use std::path::PathBuf;

/// The flags of every command that makes pictures.
pub(crate) fn folder_arguments() -> [Arg; 2] {
    [
        // Unlike a variable, a flag may be a path that is not text.
        SCREENSHOT_DIR.argument_read_by("DIR", value_parser!(PathBuf)),
        SCREENSHOT_KEEP.argument("N|SIZE"),
    ]
}

/// The flag of the server alone: what an answer carries.
fn responses_argument() -> Arg {
    IMAGE_RESPONSES.argument("file|inline|omit")
}

/// The flags of a server.
pub(crate) fn delivery_arguments() -> Vec<Arg> {
    let [directory, keep] = folder_arguments();
    vec![directory, responses_argument(), keep]
}

/// How pictures are delivered: by the flags, else what is set without them, else the defaults.
pub fn delivery(matches: &ArgMatches) -> Result<Delivery> {
    let default = Delivery::default();
    Ok(Delivery {
        working_directory: default.working_directory,
        directory: SCREENSHOT_DIR.chosen(matches)?.unwrap_or(default.directory),
        // A shell gets the path whatever a server is configured to.
        responses: match matches.try_contains_id(IMAGE_RESPONSES.about.flag.unwrap_or_default()) {
            Ok(_) => IMAGE_RESPONSES.chosen(matches)?.unwrap_or(default.responses),
            Err(_) => default.responses,
        },
        keep: SCREENSHOT_KEEP.chosen(matches)?.unwrap_or(default.keep),
        temporary_life: SCREENSHOT_TTL.configured()?.unwrap_or(default.temporary_life),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;
    use handeye_shots::delivery::{Keep, Responses};

    fn matches(words: &[&str]) -> ArgMatches {
        Command::new("serve")
            .args(delivery_arguments())
            .try_get_matches_from(std::iter::once("serve").chain(words.iter().copied()))
            .expect("valid")
    }

    #[test]
    fn flags_are_read() {
        let words = ["--screenshot-dir", "a b", "--image-responses", "omit", "--screenshot-keep", "5 MB"];
        let given = matches(&words);
        let delivery = delivery(&given).expect("valid");
        assert_eq!(delivery.directory, PathBuf::from("a b"));
        assert_eq!((delivery.responses, delivery.keep), (Responses::Omit, Keep::Bytes(5_000_000)));
    }
}
