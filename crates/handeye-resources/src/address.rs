//! URIs of resources, taken apart and put together.

use handeye_core::{Error, ErrorCode, Result, screen_text};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::fmt;

/// What every URI of an application begins with.
const PREFIX: &str = "handeye://app/";
/// The longest URI that is looked at, in bytes.
pub const MAX_BYTES: usize = 2_048;

/// The system's status.
pub const STATUS: &str = "handeye://system/status";
/// The running applications.
pub const APPS: &str = "handeye://apps";
/// The clipboard.
pub const CLIPBOARD: &str = "handeye://clipboard";
/// Begins a recording of the user when it is read.
pub const RECORDING_START: &str = "handeye://recording/start";
/// Ends it, and has its steps.
pub const RECORDING_STOP: &str = "handeye://recording/stop";
/// The elements of an application.
pub const TREE: &str = "handeye://app/{name}/tree";
/// A picture of an application.
pub const SCREENSHOT: &str = "handeye://app/{name}/screenshot";
/// What state an application is in.
pub const STATE: &str = "handeye://app/{name}/state";
/// What happened in an application.
pub const EVENTS: &str = "handeye://app/{name}/events";
/// The elements of a window.
pub const WINDOW_TREE: &str = "handeye://app/{name}/window/{index}/tree";

/// All characters but those that need no escape in a URI (RFC 3986, section 2.3): so a name has one spelling, whatever it holds.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Which resource is meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Address {
    /// `handeye://system/status`
    Status,
    /// `handeye://apps`
    Apps,
    /// `handeye://clipboard`
    Clipboard,
    /// `handeye://recording/start`
    RecordingStart,
    /// `handeye://recording/stop`
    RecordingStop,
    /// `handeye://app/{name}/…`
    App {
        /// What the application is called: a name, an alias, a process number, `frontmost`.
        name: String,
        /// What of it.
        view: View,
    },
}

/// What of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum View {
    /// Its elements.
    Tree,
    /// A picture of its topmost window.
    Screenshot,
    /// What state it is in.
    State,
    /// What happened in it.
    Events,
    /// The elements of one window, numbered from the topmost down.
    WindowTree(u32),
}

impl Address {
    /// The resource that a URI means. Characters that should have been percent-encoded are taken as they are.
    pub fn parse(uri: &str) -> Result<Self> {
        if uri.len() > MAX_BYTES {
            return Err(unknown(uri).with_next(format!("A URI has at most {MAX_BYTES} bytes.")));
        }
        match uri {
            STATUS => return Ok(Self::Status),
            APPS => return Ok(Self::Apps),
            CLIPBOARD => return Ok(Self::Clipboard),
            RECORDING_START => return Ok(Self::RecordingStart),
            RECORDING_STOP => return Ok(Self::RecordingStop),
            _ => {}
        }
        let path = uri.strip_prefix(PREFIX).filter(|path| !path.contains(['?', '#']));
        let (name, view) = path.and_then(|path| path.split_once('/')).ok_or_else(|| unknown(uri))?;
        let window = || view.strip_prefix("window/")?.strip_suffix("/tree");
        let view = match view {
            "tree" => View::Tree,
            "screenshot" => View::Screenshot,
            "state" => View::State,
            "events" => View::Events,
            _ => View::WindowTree(window().ok_or_else(|| unknown(uri))?.parse().map_err(|_| {
                unknown(uri).with_next("The index of a window is a number; 0 is the topmost window.")
            })?),
        };
        let name = percent_decode_str(name)
            .decode_utf8()
            .map_err(|_| unknown(uri).with_next("What is percent-encoded in it has to be UTF-8."))?;
        if name.trim().is_empty() {
            return Err(unknown(uri).with_next("Its name is empty."));
        }
        Ok(Self::App { name: name.into_owned(), view })
    }

    /// What of an application, by the name that the application is called.
    pub fn of(name: &str, view: View) -> Self {
        Self::App { name: name.to_owned(), view }
    }

    /// The application that it is about.
    pub fn application(&self) -> Option<&str> {
        match self {
            Self::App { name, .. } => Some(name),
            Self::Status | Self::Apps | Self::Clipboard | Self::RecordingStart | Self::RecordingStop => None,
        }
    }

    /// The same for every spelling of it.
    #[must_use]
    pub fn canonical(mut self) -> Self {
        if let Self::App { name, .. } = &mut self {
            *name = name.trim().to_lowercase();
        }
        self
    }

    /// What its content is.
    pub const fn mime_type(&self) -> &'static str {
        match self {
            Self::App { view: View::Screenshot, .. } => "image/png",
            _ => "application/json",
        }
    }
}

/// Its URI.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, view) = match self {
            Self::Status => return f.write_str(STATUS),
            Self::Apps => return f.write_str(APPS),
            Self::Clipboard => return f.write_str(CLIPBOARD),
            Self::RecordingStart => return f.write_str(RECORDING_START),
            Self::RecordingStop => return f.write_str(RECORDING_STOP),
            Self::App { name, view } => (name.as_str(), view),
        };
        write!(f, "{PREFIX}{}/", utf8_percent_encode(name, RESERVED))?;
        match view {
            View::Tree => f.write_str("tree"),
            View::Screenshot => f.write_str("screenshot"),
            View::State => f.write_str("state"),
            View::Events => f.write_str("events"),
            View::WindowTree(index) => write!(f, "window/{index}/tree"),
        }
    }
}

/// The error of a URI that means nothing.
fn unknown(uri: &str) -> Error {
    /// How much of it is repeated, in characters.
    const SHOWN: usize = 200;
    let shown = screen_text::line(uri, SHOWN);
    Error::new(ErrorCode::InvalidParameter, format!("there is no resource '{shown}'")).with_found([
        STATUS,
        APPS,
        CLIPBOARD,
        RECORDING_START,
        RECORDING_STOP,
        TREE,
        SCREENSHOT,
        STATE,
        EVENTS,
        WINDOW_TREE,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(uri: &str) -> Option<Address> {
        Address::parse(uri).ok()
    }

    #[test]
    fn names_are_decoded_whatever_they_hold() {
        let named = |name: &str| Some(Address::of(name, View::State));
        for (uri, name) in [
            ("handeye://app/mousepad/state", "mousepad"),
            ("handeye://app/My%20Editor/state", "My Editor"),
            ("handeye://app/My Editor/state", "My Editor"),
            ("handeye://app/%C3%9Cbung%20%E6%BC%A2/state", "Übung 漢"),
            ("handeye://app/Übung/state", "Übung"),
            ("handeye://app/a%2Fb/state", "a/b"),
            ("handeye://app/gimp-2.10 (beta)+x,y'z/state", "gimp-2.10 (beta)+x,y'z"),
            ("handeye://app/100%25/state", "100%"),
            ("handeye://app/1234/state", "1234"),
        ] {
            assert_eq!(parsed(uri), named(name), "{uri}");
        }
        assert_eq!(
            parsed("handeye://app/a%2Fb/window/2/tree"),
            Some(Address::of("a/b", View::WindowTree(2)))
        );
    }

    #[test]
    fn what_means_nothing_is_reported() {
        for uri in [
            "",
            "handeye://",
            "handeye://app",
            "handeye://app//tree",
            "handeye://app/%20/tree",
            "handeye://app/x",
            "handeye://app/x/y/tree",
            "handeye://app/x/window/first/tree",
            "handeye://app/x/window/-1/tree",
            "handeye://app/x/window/99999999999/tree",
            "handeye://app/%FF%FE/tree",
            "handeye://app/x/tree?since=t3",
            "handeye://app/x/tree#top",
            "axterminator://apps",
            "file:///etc/passwd",
            "handeye://app/../../etc/passwd",
        ] {
            let error = Address::parse(uri).expect_err(uri);
            assert_eq!(error.code, ErrorCode::InvalidParameter, "{uri}");
            assert!(error.found.iter().any(|known| known == TREE));
        }
        assert!(Address::parse(&format!("handeye://app/{}/tree", "x".repeat(MAX_BYTES))).is_err());
    }

    proptest! {
        #[test]
        fn a_uri_leads_back_to_its_address(name in "\\PC{1,40}", index in 0u32..100) {
            prop_assume!(!name.trim().is_empty());
            for view in [View::Tree, View::Screenshot, View::State, View::Events, View::WindowTree(index)] {
                let address = Address::of(&name, view);
                prop_assert_eq!(parsed(&address.to_string()), Some(address));
            }
        }

        #[test]
        fn no_uri_makes_it_panic(uri in "(handeye://)?(app/)?\\PC{0,60}(/tree|/window/[0-9]{0,12}/tree)?") {
            if let Some(address) = parsed(&uri) {
                prop_assert_eq!(parsed(&address.to_string()), Some(address));
            }
        }
    }
}
