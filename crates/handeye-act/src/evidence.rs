//! What counts as evidence for which kind of action, and what is only reported.
//!
//! An action is proven by what such an action does, not by anything that changed meanwhile: a click moves the focus and closes an
//! open menu whether or not it did anything, and a drag that drops nothing selects what it began on.

use crate::closing::{OPEN, is_opener_closing, is_popup};
use crate::expected::Expected;
use crate::observation::Observation;
use crate::restless::place_of;
use handeye_core::{Abilities, Change, Field, Node, NodeId, Role, States, Tree};

/// What a change says about an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// It comes by itself.
    Noise,
    /// It goes with the action, but would have come without an effect as well.
    Reported,
    /// It is what such an action does.
    Evidence,
}

/// States of any element that change because something was done, and not because the pointer or the focus passes.
const EFFECT_STATES: States = States::CHECKED
    .union(States::MIXED)
    .union(States::EXPANDED)
    .union(States::ENABLED)
    .union(States::EDITABLE)
    .union(States::BUSY)
    .union(States::INVALID)
    .union(States::ICONIFIED);

/// What `change` says about the action that was observed.
pub fn grade(observation: &Observation, change: &Change) -> Grade {
    if observation.is_noise(change) {
        return Grade::Noise;
    }
    let is_evidence = is_such_an_effect(observation, change) && !is_loading(observation, change);
    let is_sure = place_of(change).is_none_or(|place| !observation.doubtful.contains(&place));
    if is_evidence && is_sure { Grade::Evidence } else { Grade::Reported }
}

impl Observation {
    /// Whether anything is different that does not go on by itself.
    pub fn is_change(&self) -> bool {
        self.ended
            || !self.windows.is_empty()
            || self.diff.changes.iter().any(|change| grade(self, change) > Grade::Noise)
    }

    /// Whether what such an action does was seen.
    pub fn shows_effect(&self) -> bool {
        self.ended || !self.windows.is_empty() || self.moved() || self.evidence().next().is_some()
    }

    /// The changes that are evidence of the action.
    pub fn evidence(&self) -> impl Iterator<Item = &Change> {
        self.diff.changes.iter().filter(|change| grade(self, change) == Grade::Evidence)
    }

    /// Whether nothing is different but what goes on by itself.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        let is_reported = |change: &&Change| grade(self, change) > Grade::Noise;
        self.windows == other.windows
            && self.diff.changes.iter().filter(is_reported).eq(other.diff.changes.iter().filter(is_reported))
    }
}

/// Whether the change is of a kind that such an action makes, wherever and whenever it happened.
pub fn is_such_an_effect(observation: &Observation, change: &Change) -> bool {
    match change {
        Change::Appeared(node) => match observation.expected {
            Expected::Proof => true,
            Expected::Hover => !is_scrolled(observation, node),
            _ => node.role != Role::ToolTip && !is_scrolled(observation, node),
        },
        Change::Disappeared(node) => disappearance_is_evidence(observation, node),
        Change::Changed { node, fields } => {
            fields.iter().any(|field| field_is_evidence(observation, node, field))
        }
    }
}

/// Whether it happened in what was busy before the action, or had come only just before it, and may fill in by itself: Firefox loads the
/// panel that a key has opened for seconds. It may nevertheless be the action's where the target or the focus is in there.
fn is_loading(observation: &Observation, change: &Change) -> bool {
    if observation.expected == Expected::Proof {
        return false;
    }
    let before = &observation.before;
    let (Change::Appeared(node) | Change::Disappeared(node) | Change::Changed { node, .. }) = change;
    let tree = if observation.after.contains(node.id) { &observation.after } else { before };
    let above = || std::iter::once(node.id).chain(tree.ancestors(node.id).map(|above| above.id));
    let was_busy = |id: &NodeId| before.get(*id).is_some_and(|node| node.states.contains(States::BUSY));
    // What has come is the outermost of the elements that are new.
    let come = above().filter(|id| before.contains(*id) && observation.restless.is_young(*id)).last();
    let here = observation.target.or_else(|| focused(before));
    let holds_target = |id: NodeId| {
        here.is_some_and(|here| here == id || before.ancestors(here).any(|above| above.id == id))
    };
    above().find(was_busy).into_iter().chain(come).any(|id| !holds_target(id))
}

/// The element with the focus.
fn focused(tree: &Tree) -> Option<NodeId> {
    tree.nodes().find(|node| node.states.contains(States::FOCUSED)).map(|node| node.id)
}

/// Whether it shows the effect that something is gone. Menus and popups go whatever was clicked, and a click that closes one may do
/// nothing else.
fn disappearance_is_evidence(observation: &Observation, gone: &Node) -> bool {
    match observation.expected {
        Expected::Proof => true,
        Expected::Key(key) if key.closes => true,
        _ => gone.role != Role::ToolTip && !is_popup(observation, gone) && !is_scrolled(observation, gone),
    }
}

/// Whether an element only came into view or left it, as what is around the target does where a click scrolls. In a page that goes for
/// everything that was there before; elsewhere, where a closed page of a notebook is out of view too, for items while a scroll bar moves.
fn is_scrolled(observation: &Observation, node: &Node) -> bool {
    let may_scroll = match observation.expected {
        Expected::Proof | Expected::Wheel => true,
        Expected::Key(key) => key.moves,
        Expected::Press | Expected::Focus | Expected::Drag | Expected::Hover => false,
    };
    if may_scroll {
        return false;
    }
    let (before, after) = (&observation.before, &observation.after);
    let is_out_of_view = |tree: &Tree| {
        tree.get(node.id).is_some_and(|node| node.states.contains(States::VISIBLE) && !node.is_showing())
    };
    let is_in_both = before.contains(node.id) && after.contains(node.id);
    if !is_in_both || !(is_out_of_view(before) || is_out_of_view(after)) {
        return false;
    }
    let is_in_page = || after.ancestors(node.id).any(|above| above.role == Role::Document);
    let moves_bar = |change: &Change| {
        matches!(change, Change::Changed { node, fields }
            if node.role == Role::ScrollBar && fields.iter().any(|field| matches!(field, Field::Value { .. })))
    };
    let is_item = matches!(node.role, Role::ListItem | Role::TreeItem | Role::Row | Role::Cell);
    is_in_page() || (is_item && observation.diff.changes.iter().any(moves_bar))
}

fn field_is_evidence(observation: &Observation, node: &Node, field: &Field) -> bool {
    let is_own = is_related(observation, node.id);
    match (observation.expected, field) {
        (Expected::Wheel, Field::Value { .. }) => is_own || node.role == Role::ScrollBar,
        (Expected::Wheel, Field::Name { .. }) => is_own,
        (Expected::Wheel, Field::States { .. }) => false,
        // A view may follow the focus, or the pointer that drags.
        (Expected::Press | Expected::Focus | Expected::Drag | Expected::Hover, Field::Value { .. }) => {
            is_own || node.role != Role::ScrollBar
        }
        // Chromium adds to the name of a page's tab what memory it uses, when it likes. A new title shows in the window's as well.
        (Expected::Press | Expected::Focus | Expected::Hover, Field::Name { .. }) => {
            is_own || node.role != Role::Tab
        }
        (Expected::Proof, _) | (_, Field::Name { .. } | Field::Value { .. }) => true,
        (Expected::Drag, Field::States { gained, lost }) => {
            (*gained | *lost).intersects(States::CHECKED | States::EXPANDED)
        }
        (Expected::Key(key), Field::States { gained, lost }) => {
            let moved = if key.moves { States::SELECTED | States::FOCUSED } else { States::empty() };
            (*gained | *lost).intersects(EFFECT_STATES | States::PRESSED | moved)
        }
        // An item of a menu is highlighted, and shows its submenu.
        (Expected::Hover, Field::States { gained, .. }) => {
            gained.intersects(States::EXPANDED)
                || (is_own && gained.intersects(States::SELECTED | States::FOCUSED))
        }
        (Expected::Press, Field::States { gained, lost }) => {
            press_is_evidence(observation, node, is_own, *gained, *lost)
        }
        (Expected::Focus, Field::States { gained, lost }) => {
            (is_own && gained.contains(States::FOCUSED))
                || press_is_evidence(observation, node, is_own, *gained, *lost)
        }
    }
}

/// Whether these states show the effect of a click.
fn press_is_evidence(
    observation: &Observation,
    node: &Node,
    is_own: bool,
    gained: States,
    lost: States,
) -> bool {
    let mut effect_states = EFFECT_STATES;
    // A button that is still down when the wait is over stays down.
    if is_own || node.role == Role::ToggleButton {
        effect_states |= States::PRESSED;
    }
    // In a menu, selected means under the pointer.
    let is_choice =
        !matches!(node.role, Role::Menu | Role::MenuItem | Role::MenuItemCheckBox | Role::MenuItemRadio);
    if is_own && is_choice {
        effect_states |= States::SELECTED;
    }
    if !is_own && is_opener_closing(observation, node, gained, lost) {
        effect_states -= OPEN;
    }
    (gained | lost).intersects(effect_states)
        || (is_own && gained.contains(States::FOCUSED) && is_chosen_by_focus(observation, node))
}

/// Whether a click is meant to give the focus to such an element: it takes text, or it is one of several of which one is chosen.
fn is_chosen_by_focus(observation: &Observation, node: &Node) -> bool {
    // Firefox offers to edit the text of every element; only those that say so take any.
    let takes_text =
        node.abilities.contains(Abilities::EDITABLE_TEXT) && node.states.contains(States::EDITABLE);
    Some(node.id) == observation.target && (takes_text || node.states.contains(States::SELECTABLE))
}

/// Whether an element is the target, inside of it, or around it (below the window).
fn is_related(observation: &Observation, id: NodeId) -> bool {
    let Some(target) = observation.target else { return false };
    let holds = |tree: &Tree, inner: NodeId, outer: NodeId| {
        tree.ancestors(inner).take_while(|node| !node.role.is_window()).any(|node| node.id == outer)
    };
    let after = &observation.after;
    id == target || holds(after, id, target) || holds(after, target, id)
}

/// Why nothing that was seen is evidence; `None` if nothing was seen.
pub fn why_not(observation: &Observation) -> Option<&'static str> {
    let reported: Vec<&Change> = observation
        .diff
        .changes
        .iter()
        .filter(|change| grade(observation, change) == Grade::Reported)
        .collect();
    if observation.diff.is_empty() {
        return None;
    }
    if reported.is_empty() {
        return Some(
            "nothing observable changed except what changes by itself (a clock, a progress bar, a list that is rebuilt)",
        );
    }
    let is_doubtful =
        |change: &&&Change| place_of(change).is_some_and(|place| observation.doubtful.contains(&place));
    if reported.iter().any(|change| is_doubtful(&change)) {
        return Some(if observation.may_be_late {
            "what changed elsewhere came late, and may be the effect of the previous action, which showed none"
        } else {
            "what changed elsewhere may have changed by itself; nothing else shows an effect"
        });
    }
    if reported.iter().any(|change| is_loading(observation, change)) {
        return Some(
            "what changed was still loading, or had only just appeared; nothing else shows an effect",
        );
    }
    let closed = reported.iter().any(|change| {
        match change {
        Change::Disappeared(_) => true,
        Change::Changed { node, fields } => fields.iter().any(|field| {
            matches!(field, Field::States { gained, lost } if is_opener_closing(observation, node, *gained, *lost))
        }),
        Change::Appeared(_) => false,
    }
    });
    Some(match observation.expected {
        Expected::Press | Expected::Focus if closed => {
            "a menu or popup closed, as it does for any click; nothing else shows an effect"
        }
        Expected::Drag => {
            "the focus, the selection or the view changed, as with any drag; nothing shows that something was dropped"
        }
        Expected::Wheel => "nothing that scrolls has moved",
        _ => "only the focus, the selection or the view changed, which shows no effect",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expected::KeyEffect;
    use crate::observation::WindowChanges;
    use crate::restless::Restless;
    use handeye_core::testing::{add_line, named, tree};
    use handeye_core::{Chord, Diff};
    use std::sync::Arc;
    use std::time::Duration;

    fn observed(before: Tree, after: Tree, expected: Expected, target: Option<NodeId>) -> Observation {
        Observation {
            diff: Diff::between(&before, &after),
            before: Arc::new(before),
            after: Arc::new(after),
            windows: WindowChanges::default(),
            target,
            expected,
            restless: Arc::default(),
            doubtful: Arc::default(),
            may_be_late: false,
            ended: false,
            unresponsive: false,
        }
    }

    fn grade_of_only(observation: &Observation) -> Grade {
        let [change] = &observation.diff.changes[..] else { panic!("{:?}", observation.diff) };
        grade(observation, change)
    }

    /// What a key shows while an entry of a list in a page comes into view.
    fn grade_of_entry_in_view(key: &str) -> Grade {
        let page = "window \"Main\"\n  document \"Page\"\n    list\n      listitem \"Entry\"";
        let mut before = tree(page);
        let entry = named(&before, "Entry");
        before.update(entry, |node| node.states -= States::SHOWING);
        let mut after = before.clone();
        after.update(entry, |node| node.states |= States::SHOWING);
        let expected = Expected::Key(KeyEffect::of(&Chord::parse(key).expect("a chord")));
        grade_of_only(&observed(before, after, expected, None))
    }

    #[test]
    fn what_comes_into_view_is_the_effect_of_a_key_that_moves_and_of_no_other() {
        assert_eq!(grade_of_entry_in_view("Page_Down"), Grade::Evidence);
        assert_eq!(grade_of_entry_in_view("F9"), Grade::Reported);
    }

    const TOOLS: &str = "window \"Main\"\n  button \"Go\"\n  document \"Tools\"\n    button \"Inspect\"";

    #[test]
    fn what_was_busy_fills_in_by_itself_unless_the_target_is_in_it() {
        for (target, shown) in [("Go", Grade::Reported), ("Inspect", Grade::Evidence)] {
            let mut before = tree(TOOLS);
            let tools = named(&before, "Tools");
            before.update(tools, |node| node.states |= States::BUSY);
            let mut after = before.clone();
            add_line(&mut after, tools, "button \"Storage\"");
            let target = Some(named(&before, target));
            assert_eq!(grade_of_only(&observed(before, after, Expected::Press, target)), shown);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_has_just_come_fills_in_by_itself_unless_the_target_is_in_it() {
        let mut before = tree("window \"Main\"\n  button \"Go\"");
        let mut restless = Restless::default();
        restless.mark();
        let window = named(&before, "Main");
        let tools = add_line(&mut before, window, "document \"Tools\"");
        add_line(&mut before, tools, "button \"Inspect\"");
        restless.mark();
        let grade = |target: &str| {
            let mut after = before.clone();
            add_line(&mut after, tools, "button \"Storage\"");
            let mut observation =
                observed(before.clone(), after, Expected::Press, Some(named(&before, target)));
            observation.restless = Arc::new(restless.clone());
            grade_of_only(&observation)
        };
        assert_eq!(grade("Go"), Grade::Reported);
        assert_eq!(grade("Inspect"), Grade::Evidence);
        tokio::time::advance(Duration::from_secs(4)).await;
        assert_eq!(grade("Go"), Grade::Evidence, "it has been there for some time");
    }

    /// What a click on `Go` shows where another element has lost a state, without and with something open before.
    fn grades_of_loss(line: &str, state: States) -> [(Grade, Option<&'static str>); 2] {
        ["", "\n  menu\n    menuitem \"Sort\""].map(|open| {
            let mut before = tree(&format!("window \"Main\"\n  button \"Go\"\n  {line} \"Other\"{open}"));
            let other = named(&before, "Other");
            before.update(other, |node| node.states |= state);
            let mut after = before.clone();
            after.update(other, |node| node.states -= state);
            let target = named(&before, "Go");
            let observation = observed(before, after, Expected::Press, Some(target));
            (grade_of_only(&observation), why_not(&observation))
        })
    }

    #[test]
    fn a_click_beside_an_open_popover_closes_it_whatever_else_it_does() {
        for (line, state) in
            [("button", States::EXPANDED), ("togglebutton", States::EXPANDED), ("combobox", States::EXPANDED)]
        {
            for (grade, why) in grades_of_loss(line, state) {
                assert_eq!(grade, Grade::Reported, "{line}");
                assert!(why.is_some_and(|why| why.contains("closed")), "{line}: {why:?}");
            }
        }
        for (line, state) in [("treeitem", States::EXPANDED), ("checkbox", States::CHECKED)] {
            assert!(grades_of_loss(line, state).iter().all(|(grade, _)| *grade == Grade::Evidence), "{line}");
        }
    }

    #[test]
    fn a_toggle_button_that_comes_up_is_an_effect_unless_something_was_open() {
        for state in [States::CHECKED, States::PRESSED] {
            let [alone, (with_popover, why)] = grades_of_loss("togglebutton", state);
            assert_eq!(alone.0, Grade::Evidence, "one that is released by another button");
            assert_eq!(with_popover, Grade::Reported, "the button of a popover in GTK 3");
            assert!(why.is_some_and(|why| why.contains("closed")), "{why:?}");
        }
    }
}
