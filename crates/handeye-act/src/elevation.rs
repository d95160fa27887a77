//! Prompts for an administrator's rights: programs that ask for them in the user's session, and the dialogs in which shells do so by
//! themselves (axterminator, section 12, scenario 6).
//!
//! Whatever is done there may give rights that handeye and its caller do not have. So a person is asked, with no regard to who gets the rights. A
//! program can take the name of such a prompt, and is then asked about too; one that hides that it is a prompt is not recognized.

use crate::confirm::{Deed, refuses};
use handeye_core::{ConnectedApp, Owner, ProcessIdentity, States, Tree, Window, screen_text};
use std::path::Path;
use std::sync::Arc;

/// What is in the name of such a program.
const PARTS: [&str; 4] = ["polkit", "policykit", "askpass", "pkexec"];
/// The names of others.
const NAMES: [&str; 9] =
    ["gksu", "gksudo", "kdesu", "kdesudo", "lxsudo", "lxqt-sudo", "beesu", "ktsuss", "xdg-su"];
/// Programs that ask for rights among many other things, in a dialog with a field for a password.
const SHELLS: [&str; 4] = ["gnome-shell", "cinnamon", "plasmashell", "budgie-wm"];
/// Most elements that are read for what a prompt says.
const ELEMENTS: usize = 2_000;
/// Longest text of a prompt that a question shows, in characters.
const SHOWN: usize = 300;

/// A prompt in which something is about to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prompt {
    /// What it says, without what is typed into it; empty where that is not known.
    pub(crate) text: String,
}

impl Prompt {
    /// The prompt that a deed acts in; `None` if it is none, or if the deed does nothing but refuse.
    pub(crate) fn of_application(app: &Arc<dyn ConnectedApp>, deed: &Deed) -> Option<Self> {
        let application = app.application();
        let tree = app.mirror().snapshot();
        let names = [Some(&*application.name), application.bundle_id.as_deref()];
        let owners: Vec<Arc<Owner>> =
            deed.hits().into_iter().filter_map(|hit| tree.get(hit)?.owner.clone()).collect();
        let is_prompt = is_one_of(names, application.process.as_ref(), asks_for_rights)
            || owners
                .iter()
                .any(|owner| is_one_of([Some(&*owner.name), None], owner.process.as_ref(), asks_for_rights))
            || (is_one_of(names, application.process.as_ref(), |name| SHELLS.contains(&name))
                && has_field_for_password(&tree));
        (is_prompt && !refuses(&tree, deed)).then(|| Self { text: said(&tree) })
    }

    /// The prompt whose window a deed acts in; its application shows no tree, or is not known.
    pub(crate) fn of_window(window: Option<&Window>) -> Option<Self> {
        let class = window?.class.as_deref();
        is_one_of([class, None], None, asks_for_rights).then(|| Self { text: String::new() })
    }
}

/// Whether one of the names, or that of the executable, is one that `known` knows.
fn is_one_of(
    names: [Option<&str>; 2],
    process: Option<&ProcessIdentity>,
    known: impl Fn(&str) -> bool,
) -> bool {
    let executable =
        process.and_then(|process| Path::new(process.executable.as_deref()?).file_name()?.to_str());
    names.into_iter().flatten().chain(executable).any(|name| known(&name.to_lowercase()))
}

/// Whether a program of this name, in small letters, asks for an administrator's rights.
fn asks_for_rights(name: &str) -> bool {
    PARTS.iter().any(|part| name.contains(part)) || NAMES.contains(&name)
}

fn has_field_for_password(tree: &Tree) -> bool {
    tree.nodes().any(|node| node.states.contains(States::PROTECTED) && node.is_showing())
}

/// What is on view of an application, without its fields and controls.
fn said(tree: &Tree) -> String {
    let everything = tree.root().into_iter().flat_map(|root| tree.descendants(root));
    let labels = everything
        .take(ELEMENTS)
        .filter(|node| {
            node.is_showing() && !node.role.is_interactive() && !node.states.contains(States::PROTECTED)
        })
        .map(|node| node.name.trim())
        .filter(|name| !name.is_empty());
    let mut known: Vec<&str> = Vec::new();
    for label in labels {
        if !known.contains(&label) {
            known.push(label);
        }
    }
    screen_text::line(&known.join(". "), SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_known_by_name_and_by_executable() {
        let named = |name: &str, executable: &str| {
            let process =
                ProcessIdentity { executable: Some(executable.into()), ..ProcessIdentity::unverified(7) };
            is_one_of([Some(name), None], Some(&process), asks_for_rights)
        };
        for executable in [
            "/usr/lib/policykit-1-gnome/polkit-gnome-authentication-agent-1",
            "/usr/lib/x86_64-linux-gnu/libexec/polkit-kde-authentication-agent-1",
            "/usr/bin/lxpolkit",
            "/usr/bin/lxqt-policykit-agent",
            "/usr/bin/gksu",
            "/usr/bin/ssh-askpass",
        ] {
            assert!(named("Anything", executable), "{executable}");
        }
        assert!(named("PolicyKit1-KDE", "/usr/bin/other") && named("Kdesudo", "/usr/bin/other"));
        for (name, executable) in [("Files", "/usr/bin/thunar"), ("gksu notes", "/usr/bin/mousepad")] {
            assert!(!named(name, executable), "{name}");
        }
    }
}
