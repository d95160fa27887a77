//! The field that was clicked last. An application that is busy reports late that it got the focus, at times after what is typed into it.

use crate::focus;
use crate::focus_history::{FocusHistory, Held};
use crate::sight::Seen;
use crate::target::Kind;
use handeye_core::{Button, ConnectedApp, Keystroke, NodeId};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How late an application reports that a click has given a field the focus. After that, what it reports counts.
const REPORTED_WITHIN: Duration = Duration::from_secs(3);
/// Keys that change or move in a text, whatever kind of field it is.
const IN_TEXT: &[&str] = &["backspace", "delete", "left", "right", "up", "down", "home", "end"];

/// A field that was clicked. It has the focus until something else is known to have got it, or the application has had the time to report it.
#[derive(Clone)]
pub(crate) struct ClickedField {
    seen: Seen,
    pressed: Instant,
    /// What had the focus at the press. A busy application reports that for some time after the click.
    before: Option<NodeId>,
}

impl ClickedField {
    /// The field that a click gave the focus to; `None` if the click was on no field. `pressed` is when the button went down.
    pub(crate) fn of(seen: &Seen, button: Button, pressed: Instant, history: &FocusHistory) -> Option<Self> {
        let is_field = matches!(seen.target.kind, Kind::Secret | Kind::Line | Kind::Lines);
        let before = || history.at(&seen.app, pressed).and_then(|held| held.holder);
        (is_field && button == Button::Left).then(|| Self { seen: seen.clone(), pressed, before: before() })
    }

    /// Whether the field keeps the focus after a key in it, as far as the key shows.
    pub(crate) fn keeps_focus_after(&self, stroke: &Keystroke) -> bool {
        let Keystroke::Chord(chord) = stroke else { return true };
        let is_line_break = chord.key == "return" && self.seen.target.kind == Kind::Lines;
        chord.modifiers.is_empty() && (is_line_break || IN_TEXT.contains(&chord.key.as_str()))
    }

    /// The field, for a key in `app` at `when`; `None` if the focus went on after the click, or is known by then. `around` is what may have had it at
    /// the key, the likeliest first.
    pub(crate) fn at_key(self, app: &Arc<dyn ConnectedApp>, when: Instant, around: &[Held]) -> Option<Seen> {
        let since = around.iter().filter(|held| held.since > self.pressed);
        let is_recent = when.saturating_duration_since(self.pressed) < REPORTED_WITHIN;
        let has_focus =
            is_recent && Arc::ptr_eq(app, &self.seen.app) && !has_gone_on(self.seen.node, self.before, since);
        has_focus.then_some(self.seen)
    }
}

/// Whether the focus went on from a field: to another one, or to another window. What is around the field may report it on the way there.
fn has_gone_on<'h>(field: NodeId, before: Option<NodeId>, mut since: impl Iterator<Item = &'h Held>) -> bool {
    let gone = since.find_map(|held| {
        let holder = held.holder?;
        if holder == field {
            return Some(false);
        }
        if Some(holder) == before {
            return None;
        }
        let window_of = |id| held.tree.window_of(id).map(|window| window.id);
        let is_elsewhere = window_of(holder) != window_of(field) || focus::is_field(&held.tree, holder);
        is_elsewhere.then_some(true)
    });
    gone.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::testing::{named, tree};

    #[test]
    fn a_field_keeps_the_focus_until_it_is_known_to_be_elsewhere() {
        let shown = "window \"Main\"\n  document \"Page\"\n    textbox \"Old\" [editable]\n    textbox \"Name\" [editable]\n    textbox \"Notes\" [editable]\nwindow \"Ask\"\n  button \"Yes\"";
        let shown = Arc::new(tree(shown));
        let [page, old, name, notes, yes] =
            ["Page", "Old", "Name", "Notes", "Yes"].map(|label| named(&shown, label));
        let goes_on = |holders: &[Option<NodeId>]| {
            let held = |holder: &_| Held { since: Instant::now(), holder: *holder, tree: Arc::clone(&shown) };
            let since: Vec<Held> = holders.iter().map(held).collect();
            has_gone_on(notes, Some(old), since.iter())
        };
        assert!(!goes_on(&[]), "reported late");
        assert!(!goes_on(&[Some(page)]) && !goes_on(&[None]), "on the way");
        assert!(!goes_on(&[Some(notes), Some(name)]), "the latest counts");
        assert!(goes_on(&[Some(name), Some(notes)]) && goes_on(&[None, Some(name)]), "another field");
        assert!(goes_on(&[Some(yes)]), "another window");
        assert!(!goes_on(&[Some(old), None]), "what had it before is reported once more");
    }
}
