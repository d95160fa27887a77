//! What can be done next in a window of a pattern (axterminator, section 10.3). A caller decides whether it does.

use crate::pattern::{Detection, Pattern};
use handeye_core::{Node, NodeId, Role, States, Tree};
use handeye_words::{consequences, interface};
use std::sync::Arc;

/// Most suggestions for a window.
const MOST: usize = 4;
/// Most elements of a window that are looked at.
const LOOKED_AT: usize = 2_000;

/// A call that can come next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What it does, as a sentence without its end.
    pub action: String,
    /// The tool.
    pub tool: &'static str,
    /// The label of the element, as a query; empty for one without a label, which its reference finds.
    pub query: String,
    /// The element.
    pub element: NodeId,
}

/// What can be done next in a window of this pattern, which is in `tree`.
pub fn suggestions(tree: &Tree, detection: &Detection) -> Vec<Suggestion> {
    let basis: Vec<&Arc<Node>> = detection.basis.iter().filter_map(|id| tree.get(*id)).collect();
    let Some(window) = basis.first().and_then(|node| tree.window_of(node.id)) else { return Vec::new() };
    let shown = || tree.descendants(window.id).take(LOOKED_AT).filter(|node| node.is_showing());
    let buttons: Vec<&Arc<Node>> = shown()
        .filter(|node| {
            node.role == Role::Button && !node.is_disabled() && !consequences::is_mute(node.label())
        })
        .collect();
    let is_field =
        |node: &&&Arc<Node>| matches!(node.role, Role::TextBox | Role::SearchBox | Role::SpinButton);
    let fields: Vec<&Arc<Node>> = basis.iter().filter(is_field).copied().collect();
    let accepted = buttons.iter().copied().find(|button| detection.basis.contains(&button.id));
    let refused = buttons.iter().copied().find(|button| refuses(button.label()));
    let first = fields.first().copied();
    let mut found: Vec<Option<Suggestion>> = match detection.pattern {
        Pattern::LoginForm => {
            let (password, names): (Vec<_>, Vec<_>) =
                fields.iter().copied().partition(|field| is_password(field));
            vec![
                names.first().map(|name| typing("Type the user name", name)),
                password
                    .first()
                    .map(|password| typing("Type the password, if the user gave it for this", password)),
                accepted.map(|button| click("to sign in", button)),
                refused.map(|button| click("to leave without signing in", button)),
            ]
        }
        Pattern::FileSaveDialog => vec![
            first.map(|name| typing("Type a file name", name)),
            accepted.map(|button| click("to save", button)),
            refused.map(|button| click("to leave without saving", button)),
        ],
        Pattern::FileOpenDialog => vec![
            first.map(|name| typing("Type the path of a file", name)),
            accepted.map(|button| click("to take the selected file", button)),
            refused.map(|button| click("to leave without a file", button)),
        ],
        Pattern::ConfirmationDialog | Pattern::ErrorAlert => {
            let answers = buttons.iter().filter(|button| detection.basis.contains(&button.id));
            answers.map(|button| Some(click("to answer", button))).collect()
        }
        Pattern::ProgressIndicator => vec![
            basis.first().map(|bar| call("Wait until it is done", "ax_wait_idle", bar)),
            refused.map(|button| click("to stop it", button)),
        ],
        Pattern::BrowserMain => vec![
            first.map(|address| call("Set the address of another page", "ax_set_value", address)),
            basis.get(1).map(|page| call("Read the page", "ax_get_tree", page)),
        ],
        Pattern::SearchInterface => vec![
            first.map(|field| typing("Type what to search for", field)),
            basis.get(1).map(|results| call("Read the results", "ax_get_tree", results)),
        ],
        Pattern::TextEditor => vec![
            basis.first().map(|text| call("Read the text", "ax_get_value", text)),
            basis.first().map(|text| typing("Type into the text", text)),
        ],
        Pattern::TableView => vec![basis.first().map(|table| call("Read the rows", "ax_get_tree", table))],
        Pattern::Form | Pattern::SettingsPage => {
            let control = basis.iter().find(|node| !node.role.is_window());
            let agrees = buttons.iter().find(|button| button.states.contains(States::DEFAULT));
            vec![
                control.map(|control| changing(control)),
                agrees.map(|button| click("to accept", button)),
                refused.map(|button| click("to leave", button)),
            ]
        }
    };
    found.retain(Option::is_some);
    found.into_iter().flatten().take(MOST).collect()
}

fn is_password(node: &Node) -> bool {
    node.states.contains(States::PROTECTED) || &*node.native_role == "password text"
}

/// Whether a button leaves everything as it is. One that saves does not, although it loses nothing.
fn refuses(label: &str) -> bool {
    consequences::is_refusal(label) && !interface::saves(label)
}

fn changing(control: &Node) -> Suggestion {
    match control.role {
        Role::CheckBox | Role::Switch | Role::RadioButton => click("to switch it", control),
        Role::TextBox | Role::SearchBox => typing("Fill in the first field", control),
        _ => call("Set it", "ax_set_value", control),
    }
}

fn typing(action: &str, field: &Node) -> Suggestion {
    call(action, "ax_type", field)
}

fn click(purpose: &str, button: &Node) -> Suggestion {
    call(&format!("Click {} {purpose}", label(button)), "ax_click", button)
}

fn call(action: &str, tool: &'static str, element: &Node) -> Suggestion {
    Suggestion { action: action.to_owned(), tool, query: label(element), element: element.id }
}

/// The label of an element in one line, without what belongs to its drawing.
fn label(node: &Node) -> String {
    /// Most characters.
    const MOST: usize = 60;
    handeye_core::screen_text::line(node.label().trim(), MOST)
}
