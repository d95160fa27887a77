//! The patterns (axterminator, section 10.1).

use handeye_core::NodeId;
use serde::Serialize;
use std::collections::HashSet;

/// A kind of window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Asks for a password, mostly with a name.
    LoginForm,
    /// Asks where to save a file.
    FileSaveDialog,
    /// Asks which file or folder to open.
    FileOpenDialog,
    /// Sets how something works.
    SettingsPage,
    /// Asks a question that one of a few buttons answers.
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
    /// A large text that can be edited.
    TextEditor,
    /// Shows how far something is.
    ProgressIndicator,
}

impl Pattern {
    /// Every pattern.
    pub const ALL: [Self; 12] = [
        Self::LoginForm,
        Self::FileSaveDialog,
        Self::FileOpenDialog,
        Self::SettingsPage,
        Self::ConfirmationDialog,
        Self::ErrorAlert,
        Self::SearchInterface,
        Self::TableView,
        Self::Form,
        Self::BrowserMain,
        Self::TextEditor,
        Self::ProgressIndicator,
    ];

    /// Its name in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LoginForm => "login_form",
            Self::FileSaveDialog => "file_save_dialog",
            Self::FileOpenDialog => "file_open_dialog",
            Self::SettingsPage => "settings_page",
            Self::ConfirmationDialog => "confirmation_dialog",
            Self::ErrorAlert => "error_alert",
            Self::SearchInterface => "search_interface",
            Self::TableView => "table_view",
            Self::Form => "form",
            Self::BrowserMain => "browser_main",
            Self::TextEditor => "text_editor",
            Self::ProgressIndicator => "progress_indicator",
        }
    }
}

/// A pattern that was recognised, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detection {
    /// What it is.
    pub pattern: Pattern,
    /// The elements that it is based on, the most significant first; at most [`Detection::MOST`].
    pub basis: Vec<NodeId>,
}

impl Detection {
    /// Most elements that a detection names.
    pub const MOST: usize = 6;

    /// Several signs of a pattern may be one element, which is named once.
    pub(crate) fn new(pattern: Pattern, basis: impl IntoIterator<Item = NodeId>) -> Self {
        let mut known = HashSet::new();
        Self { pattern, basis: basis.into_iter().filter(|id| known.insert(*id)).take(Self::MOST).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_that_is_several_signs_is_named_once() {
        let (window, message) = (NodeId::mint(), NodeId::mint());
        let detection = Detection::new(Pattern::ErrorAlert, [window, window, message]);
        assert_eq!(detection.basis, [window, message]);
    }
}
