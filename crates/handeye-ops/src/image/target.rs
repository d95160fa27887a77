//! What is captured: the grammar of `app_target` (Peekaboo 1.1.2, section I.C, tool 1).

use handeye_act::targets::FRONTMOST;
use handeye_core::{Error, ErrorCode, Result};
use std::fmt;
use std::str::FromStr;

const SCREEN: &str = "screen:";
const TITLE: &str = ":WINDOW_TITLE:";
const INDEX: &str = ":WINDOW_INDEX:";

/// What is captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Every screen, each by itself.
    AllScreens,
    /// The screen of that number.
    Screen(u32),
    /// All windows of the application whose window is active.
    Frontmost,
    /// All windows of an application.
    Application(String),
    /// The window of an application that has this title.
    WindowTitle {
        /// The application.
        app: String,
        /// The title, or a part of it.
        title: String,
    },
    /// The window of an application that has this number in its list of windows.
    WindowIndex {
        /// The application.
        app: String,
        /// 0 is the topmost.
        index: u32,
    },
}

impl Target {
    /// Whether it is one of the screens, or all of them.
    pub(super) const fn is_screen(&self) -> bool {
        matches!(self, Self::AllScreens | Self::Screen(_))
    }

    /// The application that it names.
    pub(super) fn application(&self) -> Option<&str> {
        match self {
            Self::AllScreens | Self::Screen(_) => None,
            Self::Frontmost => Some(FRONTMOST),
            Self::Application(app) | Self::WindowTitle { app, .. } | Self::WindowIndex { app, .. } => {
                Some(app)
            }
        }
    }
}

/// Names and titles may hold colons: what is before the first `:WINDOW_TITLE:` or `:WINDOW_INDEX:` is the application, all
/// that follows it is the title or the number.
impl FromStr for Target {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(Self::AllScreens);
        }
        if text.eq_ignore_ascii_case(FRONTMOST) {
            return Ok(Self::Frontmost);
        }
        if let Some((prefix, index)) = text.split_at_checked(SCREEN.len())
            && prefix.eq_ignore_ascii_case(SCREEN)
        {
            return number(index).map(Self::Screen);
        }
        let (app, window) = match (text.find(TITLE), text.find(INDEX)) {
            (Some(title), index) if index.is_none_or(|index| title < index) => {
                (&text[..title], Window::Title(&text[title + TITLE.len()..]))
            }
            (_, Some(index)) => (&text[..index], Window::Index(&text[index + INDEX.len()..])),
            _ => return Ok(Self::Application(text.to_owned())),
        };
        let app = app.trim().to_owned();
        if app.is_empty() {
            return Err(bad("names no application before the window"));
        }
        match window {
            Window::Title(title) if title.trim().is_empty() => Err(bad("has no title after WINDOW_TITLE:")),
            Window::Title(title) => Ok(Self::WindowTitle { app, title: title.trim().to_owned() }),
            Window::Index(index) => number(index).map(|index| Self::WindowIndex { app, index }),
        }
    }
}

enum Window<'a> {
    Title(&'a str),
    Index(&'a str),
}

/// `frontmost` and the like in the spelling of the specification.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllScreens => Ok(()),
            Self::Screen(index) => write!(f, "{SCREEN}{index}"),
            Self::Frontmost => f.write_str(FRONTMOST),
            Self::Application(app) => f.write_str(app),
            Self::WindowTitle { app, title } => write!(f, "{app}{TITLE}{title}"),
            Self::WindowIndex { app, index } => write!(f, "{app}{INDEX}{index}"),
        }
    }
}

fn number(text: &str) -> Result<u32> {
    let text = text.trim();
    // A sign is not a digit: "+1" is as wrong as "-1".
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits).ok_or_else(|| bad("needs a number from 0 after the last colon"))
}

fn bad(why: &str) -> Error {
    Error::new(ErrorCode::InvalidParameter, format!("parameter 'app_target' {why}")).with_next(FORMS)
}

/// Every form, for errors.
pub(super) const FORMS: &str = "Forms: '' (all screens), 'screen:0', 'frontmost', 'App', \
    'App:WINDOW_TITLE:Title', 'App:WINDOW_INDEX:0'.";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Target {
        text.parse().expect("a target")
    }

    fn title(app: &str, title: &str) -> Target {
        Target::WindowTitle { app: app.into(), title: title.into() }
    }

    #[test]
    fn peekaboo_1_1_2_i_c_every_form_of_app_target() {
        assert_eq!(parsed(""), Target::AllScreens);
        assert_eq!(parsed("  "), Target::AllScreens);
        assert_eq!(parsed("screen:0"), Target::Screen(0));
        assert_eq!(parsed("Screen:12"), Target::Screen(12));
        assert_eq!(parsed("frontmost"), Target::Frontmost);
        assert_eq!(parsed("Safari"), Target::Application("Safari".into()));
        assert_eq!(parsed("Safari:WINDOW_TITLE:Apple"), title("Safari", "Apple"));
        assert_eq!(parsed("Safari:WINDOW_INDEX:3"), Target::WindowIndex { app: "Safari".into(), index: 3 });
    }

    #[test]
    fn names_and_titles_may_hold_colons() {
        assert_eq!(parsed("PID:42"), Target::Application("PID:42".into()));
        assert_eq!(parsed("Mail: Inbox"), Target::Application("Mail: Inbox".into()));
        assert_eq!(parsed("PID:42:WINDOW_TITLE:a:b: c"), title("PID:42", "a:b: c"));
        assert_eq!(parsed("App:WINDOW_TITLE::WINDOW_INDEX:1"), title("App", ":WINDOW_INDEX:1"));
        assert_eq!(parsed("screens"), Target::Application("screens".into()));
    }

    #[test]
    fn what_cannot_be_meant_is_reported_with_every_form() {
        for text in [
            "screen:",
            "screen:one",
            "screen:-1",
            "screen:+1",
            "screen:99999999999",
            "App:WINDOW_INDEX:",
            "App:WINDOW_INDEX:-1",
            "App:WINDOW_INDEX:1.5",
            "App:WINDOW_TITLE: ",
            ":WINDOW_TITLE:x",
            " :WINDOW_INDEX:0",
        ] {
            let error = text.parse::<Target>().expect_err(text);
            assert_eq!(error.code, ErrorCode::InvalidParameter, "{text}");
            assert!(error.next.is_some_and(|next| next.contains("screen:0")), "{text}");
        }
    }

    /// A name as it is kept: trimmed, and none of the words that have a meaning of their own.
    fn names() -> impl Strategy<Value = String> {
        "\\PC{1,24}".prop_map(|name| name.trim().to_owned()).prop_filter("an application's name", |name| {
            let lower = name.to_lowercase();
            !name.is_empty() && lower != FRONTMOST && !lower.starts_with(SCREEN) && !name.contains(":WINDOW_")
        })
    }

    fn titles() -> impl Strategy<Value = String> {
        prop_oneof!["\\PC{1,40}", Just("a:WINDOW_TITLE:b".to_owned()), Just(":WINDOW_INDEX:0".to_owned())]
            .prop_map(|title| title.trim().to_owned())
            .prop_filter("a title", |title| !title.is_empty())
    }

    fn targets() -> impl Strategy<Value = Target> {
        prop_oneof![
            Just(Target::AllScreens),
            any::<u32>().prop_map(Target::Screen),
            Just(Target::Frontmost),
            names().prop_map(Target::Application),
            (names(), titles()).prop_map(|(app, title)| Target::WindowTitle { app, title }),
            (names(), any::<u32>()).prop_map(|(app, index)| Target::WindowIndex { app, index }),
        ]
    }

    proptest! {
        #[test]
        fn a_target_is_read_as_it_was_written(target in targets()) {
            prop_assert_eq!(target.to_string().parse::<Target>().expect("a target"), target);
        }

        #[test]
        fn any_text_is_a_target_or_an_error(text in "(\\PC|:WINDOW_TITLE:|:WINDOW_INDEX:|screen:|PID:|[0-9])*") {
            if let Ok(target) = text.parse::<Target>() {
                prop_assert_eq!(target.to_string().parse::<Target>().expect("a target"), target);
            }
        }
    }
}
