//! Elements that a click would open a menu of. An open menu takes the keyboard of the whole desktop; its items can be listed and
//! clicked without.

use crate::shared::ClickType;
use handeye_act::locate::Located;
use handeye_act::{Actor, is_option, named, refused};
use handeye_core::application_id;
use handeye_core::{
    DetailKinds, Error, Invocation, Node, NodeAction, NodeId, Result, Role, Scope, States, Tree, Window, text,
};
use handeye_tree::describe::{describe, quote};
use handeye_tree::outline;
use std::sync::Arc;

/// How many items a refusal lists.
const LISTED: usize = 40;

/// Whether a click on the element opens a menu of it, as far as its role and its content show.
pub(super) async fn is_opener(actor: &Actor<'_>, node: &Node) -> Result<bool> {
    match node.role {
        Role::Menu | Role::ComboBox => Ok(true),
        Role::MenuItem if node.states.contains(States::HAS_POPUP) || is_in_menu_bar(actor, node.id) => {
            Ok(true)
        }
        // What is in a closed menu is hidden, and not loaded until it is asked for.
        Role::MenuItem if node.child_count > 0 => {
            let tree = actor.app.refresh(inside(node.id)).await?;
            Ok(tree.children(node.id).any(|child| matches!(child.role, Role::Menu | Role::MenuItem)))
        }
        _ => Ok(false),
    }
}

/// Whether the element is an item of a menu bar: GTK 4 lists no menu in it while that is closed.
fn is_in_menu_bar(actor: &Actor<'_>, id: NodeId) -> bool {
    let tree = actor.app.mirror().snapshot();
    tree.ancestors(id).next().is_some_and(|above| above.role == Role::MenuBar)
}

/// Everything in an element.
const fn inside(element: NodeId) -> Scope {
    Scope { root: Some(element), hidden: true, details: DetailKinds::empty() }
}

/// Whether the element is an item that closes its menu when it is clicked.
pub(super) const fn is_item(role: Role) -> bool {
    matches!(role, Role::MenuItem | Role::MenuItemCheckBox | Role::MenuItemRadio)
}

/// The refusal to open a menu while the user is in `user`: it lists what the menu holds, and the call that needs no open menu.
pub(super) async fn refusal(
    actor: &Actor<'_>,
    target: &Located,
    opener: NodeId,
    click: ClickType,
    user: &Window,
) -> Result<Error> {
    if click == ClickType::Right {
        let why = format!(
            "the menu of {} would take the keyboard from window \"{}\"",
            named(target),
            quote(&user.title)
        );
        let call = Invocation::of("ax_click").with("query", &*target.handle).with("click_type", "right");
        let next = text![call.with("mode", "focus"), " opens it."];
        return Ok(refused("the click", &why, next));
    }
    let tree = actor.app.refresh(inside(opener)).await?;
    let items = items(&tree, opener);
    let id = application_id(actor.app.as_ref());
    let minter = actor.handles().minter(&id, &tree);
    let mint = |item: &Node| Some(minter.as_ref()?.mint(item.id)?.to_string());
    let open = || Invocation::of("ax_click").with("query", &*target.handle).with("mode", "focus");
    let lines: Vec<String> =
        items.iter().take(LISTED).map(|item| outline::line(item, mint(item).as_deref()).into()).collect();
    let first = items.iter().find(|item| item.states.contains(States::ENABLED)).or_else(|| items.first());
    let is_combo = tree.get(opener).is_some_and(|node| node.role == Role::ComboBox);
    let next = match first {
        Some(item) if is_combo && takes_no_value(actor, item.id) => {
            text![open(), " opens it."]
        }
        Some(item) if is_combo => text![
            Invocation::of("ax_set_value").with("query", &*target.handle).with("value", quote(item.label())),
            " chooses without opening it; ",
            open(),
            " opens it."
        ],
        Some(item) => {
            let query = mint(item)
                .unwrap_or_else(|| format!("{} >> {} {}", target.handle, item.role, quote(item.label())));
            text![
                "Click the item itself, no menu has to be open for that: ",
                Invocation::of("ax_click").with("query", query),
                "."
            ]
        }
        None => text!["It shows no items while it is closed; ", open(), " opens it."],
    };
    let menu = tree.get(opener).map_or_else(|| named(target), |node| describe(node));
    let why =
        format!("{menu} opens a menu, which would take the keyboard from window \"{}\"", quote(&user.title));
    let mut error = refused("the click", &why, next).with_found(lines);
    if items.len() > LISTED {
        error.message.push_str(&format!("; of its {} items the first {LISTED} are listed", items.len()));
    }
    Ok(error)
}

/// The items of a menu, without those of its submenus.
fn items(tree: &Tree, menu: NodeId) -> Vec<Arc<Node>> {
    let mut found = Vec::new();
    collect(tree, menu, &mut found);
    found
}

fn collect(tree: &Tree, above: NodeId, found: &mut Vec<Arc<Node>>) {
    for child in tree.children(above) {
        let is_submenu = child.role == Role::Menu && !child.label().is_empty();
        if (is_option(child.role) && !child.label().is_empty()) || is_submenu {
            found.push(Arc::clone(child));
        } else if !is_option(child.role) {
            collect(tree, child.id, found);
        }
    }
}

/// Whether a combo box cannot be set to one of its options without opening its list.
fn takes_no_value(actor: &Actor<'_>, option: NodeId) -> bool {
    [NodeAction::Select { extend: false }, NodeAction::Invoke(None)]
        .iter()
        .any(|action| actor.app.only_shows(option, action))
}
