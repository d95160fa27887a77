//! What kind of page a window shows, judged by its elements alone (axterminator, section 10.1). It is a hint and no more: a
//! window that fits nothing well has no pattern.

use handeye_core::{Node, NodeId, Role, States, Tree};
use serde::Serialize;
use std::sync::Arc;

/// Most elements of a window that are looked at.
const MOST: usize = 3_000;

/// A kind of page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Pattern {
    /// Asks for a name and a password.
    LoginForm,
    /// Asks where to save a file.
    FileSaveDialog,
    /// Asks which file to open.
    FileOpenDialog,
    /// Lets one set things.
    SettingsPage,
    /// Asks yes or no.
    ConfirmationDialog,
    /// Reports an error, to be dismissed.
    ErrorAlert,
    /// A search field with its results.
    SearchInterface,
    /// Rows and columns.
    TableView,
    /// Fields to fill in.
    Form,
    /// A browser with a page.
    BrowserMain,
    /// A large text.
    TextEditor,
    /// Shows how far something is.
    ProgressIndicator,
}

/// The kind of page that a window shows.
pub(super) fn detect(tree: &Tree, window: NodeId) -> Option<Pattern> {
    let root = tree.get(window)?;
    let parts = Parts::of(tree, window);
    let is_dialog = matches!(root.role, Role::Dialog | Role::Alert) || root.states.contains(States::MODAL);
    let is_chooser = *root.native_role == *"file chooser" || (is_dialog && parts.lists > 0);
    let says = |words: &[&str]| parts.buttons.iter().any(|button| words.contains(&button.as_str()));
    let is_settings = ["settings", "preferences", "options", "configure"]
        .iter()
        .any(|word| root.name.to_lowercase().contains(word));
    if parts.passwords > 0 && says(&["sign in", "log in", "login", "log on", "unlock", "connect", "continue"])
    {
        return Some(Pattern::LoginForm);
    }
    if is_chooser && says(&["cancel"]) {
        if says(&["save", "save as", "export"]) {
            return Some(Pattern::FileSaveDialog);
        }
        if says(&["open", "select", "choose", "import"]) {
            return Some(Pattern::FileOpenDialog);
        }
    }
    if is_dialog && parts.controls() == 0 && parts.lists == 0 {
        let is_answer =
            says(&["ok", "cancel", "yes", "no", "save", "discard", "don't save", "close without saving"]);
        match parts.buttons.len() {
            1 if root.role == Role::Alert || parts.reports_error => return Some(Pattern::ErrorAlert),
            2..=3 if is_answer => return Some(Pattern::ConfirmationDialog),
            _ => {}
        }
    }
    if parts.pages > 0 && parts.address_bar {
        return Some(Pattern::BrowserMain);
    }
    if is_settings && parts.controls() > 0 || parts.toggles + parts.choices >= 6 && parts.fields <= 2 {
        return Some(Pattern::SettingsPage);
    }
    if parts.search_fields > 0 && parts.lists > 0 {
        return Some(Pattern::SearchInterface);
    }
    if parts.large_texts > 0 && parts.tables == 0 && parts.fields <= 2 {
        return Some(Pattern::TextEditor);
    }
    if parts.tables > 0 {
        return Some(Pattern::TableView);
    }
    if parts.fields >= 2 && parts.controls() >= 3 {
        return Some(Pattern::Form);
    }
    (parts.bars > 0).then_some(Pattern::ProgressIndicator)
}

/// Whether a window shows that its application works on something.
pub(super) fn is_loading(tree: &Tree, window: NodeId) -> bool {
    shown(tree, window).any(|node| match node.role {
        Role::ProgressBar => node
            .details
            .value
            .known()
            .is_none_or(|value| value.minimum < value.current && value.current < value.maximum),
        Role::Text | Role::StatusBar => {
            let label = node.label().trim();
            label.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("loading")) && label.len() < 40
        }
        _ => node.states.contains(States::BUSY),
    })
}

/// Whether the status bar of a window reports an error.
pub(super) fn status_reports_error(tree: &Tree, window: NodeId) -> bool {
    shown(tree, window)
        .filter(|node| node.role == Role::StatusBar)
        .flat_map(|bar| std::iter::once(bar).chain(tree.children(bar.id)))
        .any(|node| reports_error(node.label()))
}

fn reports_error(text: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic())
        .any(|word| ["error", "failed", "failure"].iter().any(|known| word.eq_ignore_ascii_case(known)))
}

fn shown(tree: &Tree, window: NodeId) -> impl Iterator<Item = &Arc<Node>> {
    tree.descendants(window).take(MOST).filter(|node| node.is_showing())
}

/// How many of what a window shows.
#[derive(Default)]
struct Parts {
    /// Labels of its push buttons, in lower case.
    buttons: Vec<String>,
    passwords: usize,
    fields: usize,
    search_fields: usize,
    large_texts: usize,
    toggles: usize,
    choices: usize,
    lists: usize,
    tables: usize,
    pages: usize,
    bars: usize,
    address_bar: bool,
    reports_error: bool,
}

impl Parts {
    fn of(tree: &Tree, window: NodeId) -> Self {
        let mut parts = Self::default();
        for node in shown(tree, window) {
            parts.count(node);
        }
        parts
    }

    fn count(&mut self, node: &Node) {
        let label = || node.label().trim().trim_end_matches('…').replace('_', "").to_lowercase();
        match node.role {
            Role::Button => {
                let label = label();
                // Buttons without words are those of the frame and of scroll bars.
                if !label.is_empty() && !["close", "minimize", "maximize"].contains(&label.as_str()) {
                    self.buttons.push(label);
                }
            }
            Role::TextBox if node.states.contains(States::PROTECTED) => self.passwords += 1,
            Role::TextBox if node.states.contains(States::MULTI_LINE) => self.large_texts += 1,
            Role::TextBox => {
                self.fields += 1;
                self.address_bar |= ["address", "url", "location"].iter().any(|word| label().contains(word));
            }
            Role::SearchBox => self.search_fields += 1,
            Role::SpinButton => self.fields += 1,
            Role::CheckBox | Role::Switch | Role::RadioButton => self.toggles += 1,
            Role::ComboBox | Role::Slider => self.choices += 1,
            Role::List | Role::ListBox => self.lists += 1,
            Role::Table | Role::Tree | Role::TreeGrid => {
                self.lists += 1;
                self.tables += 1;
            }
            Role::Document if *node.native_role == *"document web" => self.pages += 1,
            Role::Document => self.large_texts += 1,
            Role::ProgressBar => self.bars += 1,
            Role::Text | Role::Heading => self.reports_error |= reports_error(node.label()),
            _ => {}
        }
    }

    /// What can be filled in or set.
    fn controls(&self) -> usize {
        self.passwords + self.fields + self.search_fields + self.toggles + self.choices + self.large_texts
    }
}
