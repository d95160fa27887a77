//! What arrows and the wheel choose: the option next to the one that is chosen now, whichever that is.

use super::assessment::{Assessment, Risk};
use super::deed::Manner;
use super::labels::texts_inside;
use super::press::press;
use handeye_core::{Node, Role, Tree};
use handeye_words::consequences as words;
use std::sync::Arc;

/// How far above an element what it chooses in may be: an entry of a list that opened, a field in a combo box.
const NEAR: usize = 3;
/// Most options that are judged.
const OPTIONS: usize = 2_000;

/// What arrows or the wheel change, if the element is such a thing or a part of one.
pub(super) fn chooser<'a>(tree: &'a Tree, node: &'a Arc<Node>) -> Option<&'a Arc<Node>> {
    let chooses = matches!(
        node.role,
        Role::ComboBox
            | Role::SpinButton
            | Role::Slider
            | Role::Tab
            | Role::TabList
            | Role::RadioButton
            | Role::RadioGroup
            | Role::ToggleButton
    );
    if chooses {
        return Some(node);
    }
    let mut around = tree.ancestors(node.id).take(NEAR).take_while(|above| !above.role.is_window());
    around.find(|above| matches!(above.role, Role::ComboBox | Role::SpinButton))
}

/// The worst option that can be reached in it; where none is risky it is doubtful which one will be chosen.
pub(super) fn worst(tree: &Tree, chooser: &Arc<Node>, how: &str) -> Assessment {
    let doubtful = Risk { hit: Some(chooser.id), ..Risk::unseen(format!("{how} on a {}", chooser.role)) };
    let risky =
        options(tree, chooser).into_iter().find_map(|option| match press(tree, option, Manner::Open) {
            Assessment::Risky(risk) => Some(risk),
            Assessment::Doubtful(_) | Assessment::Harmless => None,
        });
    match risky {
        Some(risk) => {
            let deed = risk.deed.replacen("click", &format!("{how}, which may choose"), 1);
            Assessment::Risky(Risk { deed, ..risk })
        }
        None => Assessment::Doubtful(doubtful),
    }
}

fn options<'a>(tree: &'a Tree, chooser: &'a Arc<Node>) -> Vec<&'a Arc<Node>> {
    match chooser.role {
        Role::ComboBox | Role::TabList | Role::RadioGroup => {
            tree.descendants(chooser.id).skip(1).take(OPTIONS).filter(|node| is_option(node)).collect()
        }
        _ => match chooser.parent {
            Some(parent) => {
                tree.children(parent).filter(|node| node.role == chooser.role).take(OPTIONS).collect()
            }
            None => vec![chooser],
        },
    }
}

const fn is_option(node: &Node) -> bool {
    matches!(
        node.role,
        Role::ListItem
            | Role::MenuItem
            | Role::MenuItemRadio
            | Role::MenuItemCheckBox
            | Role::TreeItem
            | Role::Row
            | Role::Cell
            | Role::Tab
            | Role::RadioButton
            | Role::Text
    )
}

/// What arrows mark in a list, a tree or a table; doubtful if the words of an item there are destructive.
pub(super) fn among_items(tree: &Tree, node: &Arc<Node>, how: &str) -> Assessment {
    let container = match node.role {
        Role::List | Role::ListBox | Role::Tree | Role::TreeGrid | Role::Table => Some(node.id),
        Role::ListItem | Role::TreeItem | Role::Row | Role::Cell => node.parent,
        _ => None,
    };
    let items = container.into_iter().flat_map(|container| tree.children(container)).take(OPTIONS);
    let risky = |item: &&Arc<Node>| texts_inside(tree, item).any(words::is_destructive);
    match items.filter(|node| node.is_showing()).find(risky) {
        Some(item) => Assessment::Doubtful(Risk {
            hit: Some(item.id),
            ..Risk::unseen(format!("{how} among items of a {}", node.role))
        }),
        None => Assessment::Harmless,
    }
}
