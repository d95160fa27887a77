//! Which of its actions an element has for a click, and which for a double click.
//!
//! A click on an item of a list, a table or a view of icons selects it; opening it ("activate") is a double click's. GTK 3
//! offers no other action for such an item than the one that opens it.

use handeye_core::{Abilities, Node, NodeAction, Role, States};

/// Names of actions that do what a click does.
const CLICKS: &[&str] =
    &["click", "press", "toggle", "check", "uncheck", "select", "jump", "dodefault", "do default"];
/// Names of those that switch something that is part of an item: a check box in a row.
const SWITCHES: &[&str] = &["toggle", "check", "uncheck"];
/// What the names of actions contain that open an item.
const OPENS: &[&str] = &["double", "activate", "open"];

/// Names of actions that open a context menu, in lower case without separators: GTK, Qt, browsers.
const CONTEXT_MENUS: &[&str] = &[
    "menu",
    "menu.popup",
    "popup",
    "popupmenu",
    "showmenu",
    "showcontextmenu",
    "contextmenu",
    "opencontextmenu",
];

/// What a single click on the element does; `None` if it has nothing of the kind.
pub fn single(node: &Node) -> Option<NodeAction> {
    let is_selectable = node.states.contains(States::SELECTABLE);
    if is_item(node) && is_selectable && !has_click(node) {
        return Some(NodeAction::Select { extend: false });
    }
    if is_item(node)
        && let Some(switch) =
            named(node, |name| SWITCHES.iter().any(|known| name.eq_ignore_ascii_case(known)))
    {
        return Some(NodeAction::Invoke(Some(switch)));
    }
    if can_invoke(node) {
        return Some(NodeAction::Invoke(None));
    }
    is_selectable.then_some(NodeAction::Select { extend: false })
}

/// What a double click on the element does.
pub fn double(node: &Node) -> Option<NodeAction> {
    let names = if is_item(node) { OPENS } else { &OPENS[..1] };
    let opening = containing(node, names).map(|name| NodeAction::Invoke(Some(name)));
    // The icons of GTK 3 leave the name of the action out by which they open.
    let is_icon = node.role == Role::Image && is_item(node) && can_invoke(node) && !has_click(node);
    opening.or_else(|| is_icon.then_some(NodeAction::Invoke(None)))
}

/// What a right click on the element does.
pub fn right(node: &Node) -> Option<NodeAction> {
    containing(node, &["menu", "popup"]).map(|name| NodeAction::Invoke(Some(name)))
}

/// Whether an action makes the element do what a click on it only marks it for.
pub fn makes_act(node: &Node, action: &NodeAction) -> bool {
    match action {
        NodeAction::Invoke(Some(name)) => {
            let name = name.to_lowercase();
            let marks = CLICKS.contains(&&*name) && (is_item(node) || node.role == Role::Tab);
            !marks
        }
        NodeAction::Invoke(None) => !has_click(node) || !(is_item(node) || node.role == Role::Tab),
        _ => false,
    }
}

/// Whether this is what toolkits call the action that opens a context menu: exactly, as the name is the application's.
pub fn is_context_menu(name: &str) -> bool {
    let name = name.to_lowercase().replace([' ', '-', '_'], "");
    CONTEXT_MENUS.contains(&&*name)
}

/// Whether the element has an action of its own.
pub fn can_invoke(node: &Node) -> bool {
    node.abilities.contains(Abilities::ACTION)
        && node.details.actions.known().is_none_or(|actions| !actions.is_empty())
}

/// Whether a click selects the element rather than opening it.
fn is_item(node: &Node) -> bool {
    match node.role {
        Role::ListItem | Role::TreeItem | Role::Row | Role::Cell => true,
        // An icon in a text field is a button, one in a view of icons an item.
        Role::Image => node.states.contains(States::SELECTABLE),
        _ => false,
    }
}

/// Whether one of its actions may be a click: one that is called so, or has no name (browsers and LibreOffice leave it out; an
/// icon's is the one that opens it).
fn has_click(node: &Node) -> bool {
    let may_lack_name = node.role != Role::Image;
    let is_click = |name: &str| {
        (name.is_empty() && may_lack_name) || CLICKS.iter().any(|known| name.eq_ignore_ascii_case(known))
    };
    can_invoke(node)
        && match node.details.actions.known() {
            Some(actions) => actions.iter().any(|name| is_click(name)),
            None => may_lack_name,
        }
}

/// The first action whose name contains one of `parts`.
fn containing(node: &Node, parts: &[&str]) -> Option<String> {
    named(node, |name| parts.iter().any(|part| name.to_lowercase().contains(part)))
}

fn named(node: &Node, is_it: impl Fn(&str) -> bool) -> Option<String> {
    let actions = node.details.actions.known()?;
    actions.iter().find(|name| is_it(name)).map(ToString::to_string)
}
