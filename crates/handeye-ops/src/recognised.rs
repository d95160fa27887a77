//! What an application's window was recognised as, as an answer shows it.

use handeye_core::{NodeId, Tree, Window};
use handeye_insight::{Insight, Pattern, State, front};
use handeye_tree::references::Minter;
use serde::Serialize;

/// What the window in front was recognised as.
#[derive(Serialize)]
pub(crate) struct Recognised {
    detected_state: State,
    detected_pattern: Option<Pattern>,
    /// References of the elements that the pattern is based on.
    based_on: Vec<String>,
    suggestions: Vec<NextAction>,
}

/// A call that can come next.
#[derive(Serialize)]
struct NextAction {
    action: String,
    tool: &'static str,
    query: String,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
}

impl Recognised {
    /// What the window in front is, from the tree alone; `windows` are the application's, from the topmost down.
    pub(crate) fn of(tree: &Tree, windows: &[Window], minter: Option<&Minter<'_>>) -> Self {
        let insight = front(tree, windows).and_then(|front| Insight::of(tree, front));
        let Some(insight) = insight else {
            let detected_state = State::Idle;
            return Self {
                detected_state,
                detected_pattern: None,
                based_on: Vec::new(),
                suggestions: Vec::new(),
            };
        };
        let reference =
            |id: NodeId| minter.and_then(|minter| minter.mint(id)).map(|minted| minted.to_string());
        let suggestions = insight.suggestions.iter().map(|suggestion| NextAction {
            action: suggestion.action.clone(),
            tool: suggestion.tool,
            query: suggestion.query.clone(),
            reference: reference(suggestion.element),
        });
        let basis = insight.patterns.first().into_iter().flat_map(|strongest| &strongest.basis);
        Self {
            detected_state: insight.state,
            detected_pattern: insight.pattern(),
            based_on: basis.filter_map(|id| reference(*id)).collect(),
            suggestions: suggestions.collect(),
        }
    }

    /// The same as lines at the end of an outline.
    pub(crate) fn lines(&self) -> String {
        let pattern = self.detected_pattern.map_or("none", Pattern::as_str);
        let mut lines = format!("state: {}\npattern: {pattern}", self.detected_state.as_str());
        if !self.based_on.is_empty() {
            lines.push_str(&format!(" (based on {})", self.based_on.join(", ")));
        }
        for next in &self.suggestions {
            let target = next.reference.as_ref().unwrap_or(&next.query);
            lines.push_str(&format!("\nnext: {} ({} {target})", next.action, next.tool));
        }
        lines.push('\n');
        lines
    }
}
