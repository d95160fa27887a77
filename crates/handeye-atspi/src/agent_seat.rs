//! How applications take the input of a seat that is not the user's, as it was measured: GTK 3.24 and 4.8, Qt 5.15 and 6.4, Chromium, Firefox,
//! LibreOffice, Java 17.

use super::process::Libraries;
use super::toolkit::Toolkit;
use handeye_core::{Application, OnAgentSeat, Takes};
use std::path::Path;

/// Java activates its window at each press, and loses what the user types meanwhile.
const JAVA: OnAgentSeat = OnAgentSeat {
    refusal: Some("Java takes the focus of the desktop at each press, of whichever pointer"),
    ..OnAgentSeat::APART
};
/// Qt grabs the keyboard and each pointer of the server for a popup, and each pointer for a drag of data.
const QT: OnAgentSeat = OnAgentSeat {
    activates_itself: true,
    popups: Takes::UsersIfFree,
    drags: Takes::UsersIfFree,
    ..OnAgentSeat::APART
};
/// Chromium does too, at the press already and again where a drag starts, which does not start without. It takes the keys of the keyboard
/// alone that the server lists last.
const CHROMIUM: OnAgentSeat = OnAgentSeat { deafens: true, drags: Takes::Users, ..QT };
/// The popups of GTK 4 grab the first seat of the server, and close where that fails.
const GTK4: OnAgentSeat = OnAgentSeat { popups: Takes::Users, ..OnAgentSeat::APART };

/// An application that has introduced itself.
pub(super) fn of(toolkit: Toolkit, application: &Application) -> OnAgentSeat {
    match toolkit {
        Toolkit::Qt => QT,
        Toolkit::Chromium => CHROMIUM,
        Toolkit::Gtk4 => GTK4,
        Toolkit::Other if is_java(application) => JAVA,
        Toolkit::Gtk3 | Toolkit::LibreOffice | Toolkit::Gecko | Toolkit::WebKit | Toolkit::Other => {
            OnAgentSeat::APART
        }
    }
}

/// The application of a process, among those that run; by its libraries where it shows no tree. `None` if they say nothing of that.
pub(super) async fn of_process(pid: u32, running: &[Application]) -> Option<OnAgentSeat> {
    let found = running.iter().find(|application| application.pid() == Some(pid));
    if let Some(application) = found.filter(|application| application.toolkit.is_some()) {
        return Some(of(Toolkit::of(application), application));
    }
    match Libraries::of(pid).await {
        Libraries::Java => Some(JAVA),
        Libraries::Chromium => Some(CHROMIUM),
        Libraries::Qt | Libraries::Gtk2 | Libraries::Inaccessible | Libraries::Others => None,
    }
}

/// Whether an application is one of Java: by its accessibility bridge, or by what runs it.
fn is_java(application: &Application) -> bool {
    let bridge = application.toolkit.as_deref().is_some_and(|name| name.to_lowercase().starts_with("j2se"));
    let executable = application.process.as_ref().and_then(|process| process.executable.as_deref());
    bridge || executable.and_then(|path| Path::new(path).file_name()?.to_str()) == Some("java")
}
