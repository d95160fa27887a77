//! `handeye list apps|windows|status`: the command line of Peekaboo 1.1.2, section II.C.

use super::{Detail, Input, ItemType};
use clap::{Args, Subcommand};

/// The command line.
#[derive(Args)]
struct CommandLine {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// List the running applications (what `list` alone does)
    Apps,
    /// List the windows of an application
    Windows {
        /// Name (fuzzy), bundle id or PID:NUMBER
        #[arg(long)]
        app: String,
        /// What to list for each window besides its title
        #[arg(long, value_enum, value_delimiter = ',')]
        include_details: Vec<Detail>,
    },
    /// Show the server's name, version and AI providers
    Status,
}

impl From<CommandLine> for Input {
    fn from(line: CommandLine) -> Self {
        match line.what {
            None | Some(What::Apps) => {
                Self { item_type: Some(ItemType::RunningApplications), ..Self::default() }
            }
            Some(What::Windows { app, include_details }) => Self {
                item_type: Some(ItemType::ApplicationWindows),
                app: Some(app),
                include_window_details: Some(include_details),
            },
            Some(What::Status) => Self { item_type: Some(ItemType::ServerStatus), ..Self::default() },
        }
    }
}

crate::shared::read_from_command_line!(Input, CommandLine);

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command, FromArgMatches};

    fn parsed(words: &[&str]) -> Result<Input, clap::Error> {
        let command = Input::augment_args(Command::new("list"));
        Input::from_arg_matches(&command.try_get_matches_from(words)?)
    }

    #[test]
    fn peekaboo_1_1_2_ii_c_subcommands_and_options() {
        assert_eq!(parsed(&["list"]).expect("apps").item_type, Some(ItemType::RunningApplications));
        assert_eq!(parsed(&["list", "apps"]).expect("apps").item_type, Some(ItemType::RunningApplications));
        let words = ["list", "windows", "--app", "Safari", "--include-details", "off_screen,bounds,ids"];
        let input = parsed(&words).expect("windows");
        assert_eq!(input.item_type, Some(ItemType::ApplicationWindows));
        assert_eq!(input.app.as_deref(), Some("Safari"));
        let details = [Detail::OffScreen, Detail::Bounds, Detail::Ids];
        assert_eq!(input.include_window_details.as_deref(), Some(details.as_slice()));
        assert!(parsed(&["list", "windows"]).is_err(), "--app is required");
        assert!(parsed(&["list", "windows", "--app", "x", "--include-details", "size"]).is_err());
    }
}
