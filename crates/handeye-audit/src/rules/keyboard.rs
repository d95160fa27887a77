//! Keyboard: controls that only the pointer reaches.

use crate::findings::Findings;
use crate::rule::KEYBOARD;
use crate::view::{Element, View};
use handeye_core::{Node, Rect, Role, States};

/// Within how many logical pixels from the top of a window the buttons of its title bar are.
const TITLE_BAR: f64 = 60.0;
/// How large they are at most.
const TITLE_BUTTON: f64 = 48.0;

/// Whether a control of that role needs the focus by itself. Items of menus, tab lists and the like are reached by arrows; a combo box of
/// GTK 3 takes the keyboard by a button in it that is not in the tree.
pub(super) const fn is_judged(node: &Node) -> bool {
    matches!(
        node.role,
        Role::Button
            | Role::ToggleButton
            | Role::Switch
            | Role::CheckBox
            | Role::RadioButton
            | Role::TextBox
            | Role::SearchBox
            | Role::Link
            | Role::Slider
            | Role::SpinButton
    )
}

/// What the rule knows of the whole window.
pub(super) struct Judge {
    /// Whether the toolkit reports what can be focused.
    reported: bool,
}

impl Judge {
    pub(super) fn new(view: &View<'_>) -> Self {
        let window = view.tree().window_of(view.subject.root).map_or(view.subject.root, |window| window.id);
        let reported = view.tree().descendants(window).any(|node| node.states.contains(States::FOCUSABLE));
        Self { reported }
    }

    pub(super) fn check(&self, view: &View<'_>, element: &Element<'_>, findings: &mut Findings) {
        let node = element.node;
        if !self.reported || !is_judged(node) || !element.is_operable() || element.seen.is_none() {
            return;
        }
        if node.states.contains(States::FOCUSABLE) {
            findings.checked(&KEYBOARD);
            return;
        }
        if view.composite(node).is_some() || has_other_way(view, node) || is_of_title_bar(view, element) {
            return;
        }
        let Some(links) = view.links(node.id) else { return };
        findings.checked(&KEYBOARD);
        if links.keys.is_empty() && !names_key(&node.name) && !names_key(&node.description) {
            findings.fail(
                &KEYBOARD,
                element,
                format!("the {} cannot take the keyboard focus and has no shortcut", node.role.aria()),
                "Let it take the focus, or give it a shortcut that is shown.",
            );
        }
    }
}

/// Whether a name ends with a shortcut: `Whole Word (F6)`, `Save (Ctrl+S)`. Qt does not report the shortcuts of buttons.
fn names_key(name: &str) -> bool {
    let Some((_, key)) = name.trim().strip_suffix(')').and_then(|name| name.rsplit_once('(')) else {
        return false;
    };
    let is_function = |key: &str| key.strip_prefix('F').is_some_and(|number| number.parse::<u8>().is_ok());
    key.split('+').any(|part| is_function(part) || matches!(part, "Ctrl" | "Alt" | "Meta" | "Shift" | "Esc"))
}

/// Whether something around or in a control takes the keyboard for it.
fn has_other_way(view: &View<'_>, node: &Node) -> bool {
    let moves = |role: Role| {
        matches!(
            role,
            Role::Menu
                | Role::MenuBar
                | Role::ToolBar
                | Role::List
                | Role::ListBox
                | Role::ListItem
                | Role::Table
                | Role::Tree
                | Role::TreeGrid
                | Role::TreeItem
                | Role::Row
                | Role::Cell
                | Role::ColumnHeader
                | Role::TabList
                | Role::RadioGroup
        )
    };
    view.tree().ancestors(node.id).any(|above| moves(above.role))
        || view.below(node.id).any(|below| below.node.states.contains(States::FOCUSABLE))
}

/// Whether it is a button by which a window is closed or minimized, which applications that draw their own title bar have in their tree. The
/// window manager has keys for them.
fn is_of_title_bar(view: &View<'_>, element: &Element<'_>) -> bool {
    let node = element.node;
    let Some(window) = view.tree().window_of(node.id).filter(|_| node.role == Role::Button) else {
        return false;
    };
    let around =
        view.subject.place.map(|place| place.content).or_else(|| {
            window.details.extents.known().and_then(|extents| extents.on_screen(view.subject.place))
        });
    let (Some(around), Some(own)) = (around, element.area) else { return false };
    let is_small = view.logical(own.width.max(own.height)) <= TITLE_BUTTON;
    let is_high = view.logical(own.bottom().saturating_sub(around.y).unsigned_abs()) <= TITLE_BAR;
    is_small && is_high && reaches_edge(view, own, around)
}

/// Whether nothing but other small buttons that cannot be focused lies between it and the left or the right edge of its window.
fn reaches_edge(view: &View<'_>, own: Rect, around: Rect) -> bool {
    let row = view.elements.iter().filter_map(|other| {
        let area = other.area?;
        let in_row = area.y < own.bottom() && own.y < area.bottom();
        let is_thing = is_judged(other.node) || other.node.role == Role::Text;
        (in_row && is_thing).then_some((area, other.node))
    });
    let (mut left, mut right) = (true, true);
    for (area, node) in row {
        let is_like_it = node.role == Role::Button
            && !node.states.contains(States::FOCUSABLE)
            && view.logical(area.width) <= TITLE_BUTTON;
        if !is_like_it {
            left &= area.x >= own.right();
            right &= area.right() <= own.x;
        }
    }
    let near = |gap: i32| view.logical(gap.max(0).unsigned_abs()) <= 4.0 * TITLE_BUTTON;
    (left && near(own.x.saturating_sub(around.x)))
        || (right && near(around.right().saturating_sub(own.right())))
}
