//! What kind of window an application shows, what state it is in and what can be done next: judged from its accessibility tree alone, which is
//! read once, and never by asking the application. Structure and roles decide; words, in 21 languages, only distinguish what has the same structure.
//!
//! Everything here is a hint. Each detection has the elements that it is based on, and a window that fits nothing well has no pattern.

mod content;
mod dialogs;
mod facts;
mod fields;
mod files;
mod front;
mod pattern;
mod sign_in;
mod state;
mod suggestions;

pub use front::{Front, front};
pub use pattern::{Detection, Pattern};
pub use state::State;
pub use suggestions::{Suggestion, suggestions};

use facts::{Facts, Pages};
use handeye_core::Tree;

/// What was recognised in a window.
#[derive(Debug, Clone, PartialEq)]
pub struct Insight {
    /// What state the window shows.
    pub state: State,
    /// The patterns that fit it, the strongest first.
    pub patterns: Vec<Detection>,
    /// What can be done next in the strongest of them.
    pub suggestions: Vec<Suggestion>,
}

impl Insight {
    /// What the window in front shows; `None` if it is not in the tree. Of an application that does not answer, the state is [`State::Busy`]
    /// instead of this one.
    pub fn of(tree: &Tree, front: Front) -> Option<Self> {
        let mut facts = Facts::of(tree, front, Pages::Apart)?;
        if facts.page.is_some() && content::browser(&facts).is_none() {
            facts = Facts::of(tree, front, Pages::Within)?;
        }
        let patterns = detected(&facts);
        let suggestions = patterns.first().map(|strongest| suggestions(tree, strongest)).unwrap_or_default();
        Some(Self { state: state::of(&facts, &patterns), patterns, suggestions })
    }

    /// The strongest pattern.
    pub fn pattern(&self) -> Option<Pattern> {
        self.patterns.first().map(|strongest| strongest.pattern)
    }
}

fn detected(facts: &Facts<'_>) -> Vec<Detection> {
    // In the order of their strength: what blocks its user first, what a whole window is for next, what is only in it last.
    [
        sign_in::login_form(facts),
        files::file_dialog(facts),
        dialogs::error_alert(facts),
        dialogs::confirmation(facts),
        content::progress(facts),
        content::browser(facts),
        fields::settings_page(facts),
        content::text_editor(facts),
        content::search(facts),
        fields::form(facts),
        content::table(facts),
    ]
    .into_iter()
    .flatten()
    .collect()
}
