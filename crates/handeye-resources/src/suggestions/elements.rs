//! The names in a tree that are worth suggesting, in the order of the document.

use handeye_core::{Abilities, Node, NodeId, Role, States, Tree, screen_text};

/// Most elements that are looked at.
const MOST_ELEMENTS: usize = 20_000;
/// Longest label that is suggested, in characters: a longer one is a text, and no name.
const MAX_CHARS: usize = 80;

/// Regions of the active window by which a part can be named: their labels, or else their roles.
pub(super) fn regions(tree: &Tree) -> Vec<String> {
    let window = tree.windows().find(|window| window.states.contains(States::ACTIVE));
    let root = window.map(|window| window.id).or(tree.root());
    let region = |node: &Node| {
        let landmark = matches!(
            node.role,
            Role::ToolBar
                | Role::MenuBar
                | Role::StatusBar
                | Role::TabList
                | Role::Table
                | Role::Tree
                | Role::TreeGrid
                | Role::List
                | Role::ListBox
                | Role::Document
                | Role::Form
                | Role::Dialog
                | Role::Calendar
                | Role::Canvas
        );
        let named = matches!(node.role, Role::Region | Role::Group | Role::Article);
        match label(node) {
            Some(label) if landmark || named => Some(label.to_owned()),
            None if landmark => Some(node.role.aria().to_owned()),
            _ => None,
        }
    };
    showing(tree, root).filter_map(region).collect()
}

/// Elements that a person would call by their name: those that can be acted on first.
pub(super) fn elements(tree: &Tree) -> Vec<String> {
    let named = |node: &'_ Node| Some((can_act(node), label(node)?.to_owned()));
    let (acting, other): (Vec<_>, Vec<_>) =
        showing(tree, tree.root()).filter_map(named).partition(|(acts, _)| *acts);
    acting.into_iter().chain(other).map(|(_, label)| label).collect()
}

/// What leads somewhere: menus and their entries by their way (`File > Open`), tabs, links, entries of lists and trees.
pub(super) fn ways(tree: &Tree) -> Vec<String> {
    let leads = |node: &Node| {
        let label = label(node)?;
        match node.role {
            Role::Menu | Role::MenuItem => {
                let mut way: Vec<&str> = tree
                    .ancestors(node.id)
                    .take_while(|parent| parent.role != Role::MenuBar)
                    .filter(|parent| parent.role == Role::Menu || parent.role == Role::MenuItem)
                    .filter_map(|parent| self::label(parent))
                    .collect();
                way.reverse();
                // Some toolkits have a menu of the same name below the entry that opens it.
                way.push(label);
                way.dedup();
                Some(way.join(" > "))
            }
            Role::Tab | Role::Link | Role::ListItem | Role::TreeItem => Some(label.to_owned()),
            _ => None,
        }
    };
    // The entries of a closed menu are not showing.
    walk(tree, tree.root(), |_| true).filter_map(leads).collect()
}

fn can_act(node: &Node) -> bool {
    node.abilities.intersects(Abilities::ACTION | Abilities::EDITABLE_TEXT | Abilities::VALUE)
}

/// The label of an element that has one of a sensible length.
fn label(node: &Node) -> Option<&str> {
    let label = node.label().trim();
    let sensible =
        !label.is_empty() && !label.contains(screen_text::is_forging) && label.chars().count() <= MAX_CHARS;
    sensible.then_some(label)
}

fn showing(tree: &Tree, root: Option<NodeId>) -> impl Iterator<Item = &Node> {
    let top = tree.root();
    walk(tree, root, move |node| node.is_showing() || Some(node.id) == top)
        .filter(move |node| Some(node.id) != top)
}

/// The elements from `root` down, in the order of the document; what is below one that `enter` rejects is left out with it.
fn walk(tree: &Tree, root: Option<NodeId>, enter: impl Fn(&Node) -> bool) -> impl Iterator<Item = &Node> {
    let mut open: Vec<NodeId> = root.into_iter().collect();
    let all = std::iter::from_fn(move || {
        loop {
            let node = tree.get(open.pop()?)?;
            if enter(node) {
                open.extend(node.children.iter().rev().filter(|child| tree.contains(**child)));
                return Some(&**node);
            }
        }
    });
    all.take(MOST_ELEMENTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::testing::tree;

    const EDITOR: &str = "
window \"notes\" [active]
  menubar
    menu \"File\"
      menuitem \"Open\" [hidden]
      menuitem \"Recent\" [hidden]
        menuitem \"a.txt\" [hidden]
  toolbar
    button \"Save\"
  group \"Sidebar\"
    tree \"Places\"
      treeitem \"Home\"
  text \"Line 1\"
window \"other\"
  toolbar \"Drawing\"
";

    #[test]
    fn regions_are_those_of_the_active_window() {
        assert_eq!(regions(&tree(EDITOR)), ["menubar", "toolbar", "Sidebar", "Places"]);
        assert_eq!(regions(&tree("window \"x\"\n  toolbar \"Drawing\"")), ["Drawing"]);
        assert!(regions(&Tree::new()).is_empty());
    }

    #[test]
    fn elements_are_what_shows() {
        let found = elements(&tree(EDITOR));
        for shown in ["Save", "Sidebar", "Line 1", "Drawing"] {
            assert!(found.iter().any(|name| name == shown), "{shown} in {found:?}");
        }
        assert!(!found.iter().any(|name| name == "Open"), "{found:?}");
    }

    #[test]
    fn ways_name_their_menus() {
        assert_eq!(
            ways(&tree(EDITOR)),
            ["File", "File > Open", "File > Recent", "File > Recent > a.txt", "Home"]
        );
    }

    #[test]
    fn a_text_is_no_name() {
        let long = format!("window \"w\"\n  button \"{}\"", "x".repeat(81));
        assert_eq!(elements(&tree(&long)), ["w"]);
    }
}
