//! `handeye image`: the command line of Peekaboo 1.1.2, section II.B (and `--mode frontmost` of 1.0.0-beta.17).

use super::capture_focus::CaptureFocus;
use super::target::Target;
use super::{FileFormat, Input};
use clap::{Args, ValueEnum};
use handeye_act::targets::FRONTMOST;
use handeye_core::{Argument, Error, Parameter, Result, text};
use std::path::PathBuf;

/// The command line.
#[derive(Args)]
struct CommandLine {
    /// Application: name (fuzzy), bundle id or PID:NUMBER
    #[arg(long)]
    app: Option<String>,
    /// Where to save: a file, or a folder for files with generated names
    #[arg(long)]
    path: Option<PathBuf>,
    /// What to capture [default: window with --app, else screen]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "screen|window|multi|frontmost")]
    mode: Option<Mode>,
    /// Title of the window, or a part of it
    #[arg(long, value_name = "TITLE")]
    window_title: Option<String>,
    /// Number of the window; 0 is the topmost
    #[arg(long, value_name = "NUMBER")]
    window_index: Option<u32>,
    /// Number of the screen, from 0; without it every screen is captured
    #[arg(long, value_name = "NUMBER")]
    screen_index: Option<u32>,
    /// Format of the file [default: by the extension of --path, else png]; json or quiet set how the answer is printed
    // The name is that of a global flag whose values are taken here too, as one shadows the other.
    #[arg(
        long,
        id = "format",
        value_name = "png|jpg",
        value_parser = ["png", "jpg", "data", "text", "json", "quiet"],
        hide_possible_values = true
    )]
    format: Option<String>,
    /// Capture as it is, or bring the window to the front first
    #[arg(long, value_enum, default_value_t)]
    capture_focus: CaptureFocus,
    /// Draw the references of what can be acted on, and list them
    #[arg(long)]
    annotate: bool,
    /// Ask an AI model this about each picture
    #[arg(long)]
    question: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    Screen,
    Window,
    Multi,
    Frontmost,
}

impl CommandLine {
    /// What the flags mean together.
    fn target(&self) -> Result<Target> {
        let by_default = if self.app.is_some() { Mode::Window } else { Mode::Screen };
        let mode = self.mode.unwrap_or(by_default);
        let app = self.app.clone();
        let windows = mode == Mode::Window;
        for (given, argument, fits) in [
            (self.app.is_some(), "app", matches!(mode, Mode::Window | Mode::Multi)),
            (self.window_title.is_some(), "window_title", windows && self.window_index.is_none()),
            (self.window_index.is_some(), "window_index", windows),
            (self.screen_index.is_some(), "screen_index", mode == Mode::Screen),
        ] {
            if given && !fits {
                return Err(bad(argument, "does not go with the other ones"));
            }
        }
        match (mode, app) {
            (Mode::Screen, _) => Ok(self.screen_index.map_or(Target::AllScreens, Target::Screen)),
            (Mode::Multi, None) => Ok(Target::AllScreens),
            (Mode::Multi, Some(app)) => Ok(Target::Application(app)),
            (Mode::Frontmost, _) => Ok(Target::WindowIndex { app: FRONTMOST.to_owned(), index: 0 }),
            (Mode::Window, None) => Err(bad("app", "is required for a window")),
            (Mode::Window, Some(app)) => Ok(match &self.window_title {
                Some(title) => Target::WindowTitle { app, title: title.clone() },
                None => Target::WindowIndex { app, index: self.window_index.unwrap_or(0) },
            }),
        }
    }
}

/// The face spells the arguments.
fn bad(argument: &str, why: &str) -> Error {
    Error::invalid_parameter(argument, why).with_next(text![
        Argument::new("mode", "screen"),
        " takes ",
        Parameter::named("screen_index"),
        "; window takes ",
        Parameter::named("app"),
        " and ",
        Parameter::named("window_title"),
        " or ",
        Parameter::named("window_index"),
        "; multi takes ",
        Parameter::named("app"),
        "."
    ])
}

impl From<CommandLine> for Input {
    fn from(line: CommandLine) -> Self {
        let format = match line.format.as_deref() {
            Some("png") => Some(FileFormat::Png),
            Some("jpg") => Some(FileFormat::Jpg),
            Some("data") => Some(FileFormat::Data),
            // The value is one of the global flag of that name.
            _ => None,
        };
        Self {
            app_target: line.target(),
            path: line.path,
            question: line.question,
            format,
            capture_focus: line.capture_focus,
            annotate: line.annotate,
        }
    }
}

crate::shared::read_from_command_line!(Input, CommandLine);

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command, FromArgMatches};
    use handeye_core::ErrorCode;

    fn parsed(words: &str) -> Input {
        let command = Input::augment_args(Command::new("image"));
        let matches = command.try_get_matches_from(format!("image {words}").split_whitespace());
        Input::from_arg_matches(&matches.expect("known flags")).expect("values of the right type")
    }

    fn target(words: &str) -> Result<Target> {
        parsed(words).app_target
    }

    #[test]
    fn peekaboo_1_1_2_ii_b_flags_name_the_target() {
        let window = |index| Target::WindowIndex { app: "Safari".into(), index };
        let titled = Target::WindowTitle { app: "Safari".into(), title: "Apple".into() };
        for (words, expected) in [
            ("", Target::AllScreens),
            ("--mode screen", Target::AllScreens),
            ("--mode screen --screen-index 1", Target::Screen(1)),
            ("--screen-index 1", Target::Screen(1)),
            ("--app Safari", window(0)),
            ("--app Safari --mode window --window-index 2", window(2)),
            ("--app Safari --window-title Apple", titled),
            ("--app Safari --mode multi", Target::Application("Safari".into())),
            ("--mode multi", Target::AllScreens),
            ("--mode frontmost", Target::WindowIndex { app: "frontmost".into(), index: 0 }),
        ] {
            assert_eq!(target(words), Ok(expected), "{words}");
        }
    }

    #[test]
    fn flags_that_do_not_go_together_are_refused() {
        for words in [
            "--mode window",
            "--mode screen --app Safari",
            "--mode multi --app Safari --window-index 1",
            "--app Safari --screen-index 1",
            "--app Safari --window-title Apple --window-index 1",
            "--window-title Apple",
        ] {
            assert_eq!(target(words).expect_err(words).code, ErrorCode::InvalidParameter);
        }
    }

    #[test]
    fn the_format_of_the_file_and_of_the_answer_share_a_flag() {
        assert_eq!(parsed("--format jpg").format, Some(FileFormat::Jpg));
        assert_eq!(parsed("--format json").format, None);
        assert_eq!(parsed("").format, None);
    }
}
