//! What an X server and its session have to provide, and how that is had.

use handeye_core::{Argument, Consent, text};

/// The extensions by which keys and clicks are sent.
pub(super) const SYNTHETIC_INPUT: Consent = Consent {
    name: "XTEST or XKB",
    without: "this X server accepts no synthetic input",
    obtain: || {
        let background = Argument::new("mode", "background");
        text![
            "Start the X server with its XTEST and XKEYBOARD extensions, or use ",
            background,
            ", which needs neither."
        ]
        .into()
    },
    keep: "Enable the server's XTEST extension; without it only background actions (the accessibility ones) work.",
    steps: "",
    probe: "input",
};

/// What lists windows and brings one forward.
pub(super) const WINDOW_MANAGER: Consent = Consent {
    name: "an EWMH window manager",
    without: "windows cannot be listed or activated",
    obtain: || "Start a window manager that speaks EWMH, for example openbox.".into(),
    keep: "Start a window manager that speaks EWMH, for example openbox; without one, windows cannot be listed or activated.",
    steps: "",
    probe: "window_manager",
};

/// The extension by which the input of the user can be watched.
pub(super) const RECORD: Consent = Consent {
    name: "the RECORD extension",
    without: "what the user does cannot be recorded",
    obtain: || "Start the X server with its RECORD extension.".into(),
    keep: "Enable the server's RECORD extension; without it nothing can be recorded.",
    steps: "",
    probe: "input",
};

/// The extension by which the sign of a recording lets clicks through.
pub(super) const SHAPE: Consent = Consent {
    name: "the SHAPE extension, version 1.1",
    without: "a recording cannot show that it runs, and what the user does cannot be recorded",
    obtain: || "Start an X server with the SHAPE extension of version 1.1 or newer.".into(),
    keep: "Use an X server with the SHAPE extension of version 1.1 or newer; without it nothing can be recorded.",
    steps: "",
    probe: "input",
};
