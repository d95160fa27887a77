//! What an action will hit, judged by what the application says about it.

use super::assessment::{Assessment, Risk};
use super::choice;
use super::deed::{Deed, Manner, Stroke};
use super::keys;
use super::labels::texts_inside;
use super::press::{NEAR, context, press};
use super::which::quoted;
use handeye_core::{Node, NodeId, Role, States, Tree};
use handeye_words::consequences as words;
use std::sync::Arc;

/// Judges what is about to be done.
pub fn assess(tree: &Tree, deed: &Deed) -> Assessment {
    match deed {
        Deed::Press { named, does, manner } => {
            let on = |id| known(tree, id, "click", |node| press(tree, node, *manner));
            if named == does { on(*named) } else { on(*named).or(on(*does)) }
        }
        Deed::Context { on } => known(tree, *on, "right click", |node| context(tree, node)),
        Deed::Turn { over } => match over.and_then(|id| tree.get(id)) {
            Some(node) => turn(tree, node),
            None => Assessment::Doubtful(Risk::unseen("turn the wheel over something unknown".into())),
        },
        Deed::Keys { strokes, holder } => keys::assess(tree, strokes, *holder),
        Deed::Drag { from, to, place } => drag(tree, *from, *to, place),
        Deed::Blind { deed, .. } => Assessment::Doubtful(Risk::unseen(deed.clone())),
        Deed::Hover { .. } | Deed::Harmless => Assessment::Harmless,
    }
}

/// The combo box whose options decide, which are not on view: they have to be in the tree when this is judged.
pub fn combo_box_of(tree: &Tree, deed: &Deed) -> Option<NodeId> {
    let node = match deed {
        Deed::Turn { over } => *over,
        Deed::Keys { strokes, holder } if strokes.iter().any(Stroke::chooses) => *holder,
        _ => None,
    };
    let chooser = choice::chooser(tree, tree.get(node?)?)?;
    (chooser.role == Role::ComboBox).then_some(chooser.id)
}

/// Judges an element, if it is still in the tree.
fn known(tree: &Tree, id: NodeId, how: &str, judge: impl Fn(&Arc<Node>) -> Assessment) -> Assessment {
    let gone =
        || Assessment::Doubtful(Risk::unseen(format!("{how} an element that is not in the tree any more")));
    tree.get(id).map_or_else(gone, judge)
}

/// The wheel: it scrolls, or changes what is chosen.
fn turn(tree: &Tree, over: &Arc<Node>) -> Assessment {
    let chooser = choice::chooser(tree, over)
        .filter(|chooser| !matches!(chooser.role, Role::RadioButton | Role::RadioGroup | Role::ToggleButton));
    chooser.map_or(Assessment::Harmless, |chooser| choice::worst(tree, chooser, "turn the wheel"))
}

/// The pointer pressed on one element and released on another.
fn drag(tree: &Tree, from: Option<NodeId>, to: Option<NodeId>, place: &str) -> Assessment {
    let unknown = || Assessment::Doubtful(Risk::unseen(format!("drag {place}")));
    let (Some(from), Some(to)) = (from.and_then(|id| tree.get(id)), to.and_then(|id| tree.get(id))) else {
        return unknown();
    };
    let is_same = from.id == to.id || in_one_button(tree, from, to);
    if let Some(risk) = drop_on(tree, to).filter(|_| !is_same) {
        return Assessment::Risky(risk);
    }
    let is_in = |inner: &Node, outer: &Node| {
        inner.id == outer.id || tree.ancestors(inner.id).any(|node| node.id == outer.id)
    };
    // Pressed and released on one element is a click; a menu chooses where the button is released.
    let is_click = is_in(from, to) || is_in(to, from) || is_same;
    let is_menu = |node: &Node| {
        matches!(node.role, Role::Menu | Role::MenuItem | Role::ComboBox)
            || node.states.contains(States::HAS_POPUP)
    };
    let press = |node| press(tree, node, Manner::Click);
    let clicked = if is_click { press(from).or(press(to)) } else { Assessment::Harmless };
    let chosen = if is_menu(from) || is_menu(to) { press(to) } else { Assessment::Harmless };
    let dropped = if is_same { Assessment::Harmless } else { unknown() };
    clicked.or(chosen).or(dropped)
}

/// A place where things are thrown away, or that says what it does to them: the element, what it holds, or what it is in.
fn drop_on(tree: &Tree, to: &Arc<Node>) -> Option<Risk> {
    let around = tree.ancestors(to.id).take(NEAR).take_while(|above| !above.role.is_window());
    let throws = |text: &&str| words::is_trash(text) || words::is_destructive(text);
    let (place, text) = std::iter::once(to)
        .chain(around)
        .find_map(|place| Some((place, texts_inside(tree, place).find(throws)?)))?;
    Some(Risk::of_words(format!("drop something on {}", quoted(text)), place))
}

/// Whether two elements are parts of the same button.
fn in_one_button(tree: &Tree, one: &Node, other: &Node) -> bool {
    let button = |node: &Node| {
        let around = tree.ancestors(node.id).take(NEAR).find(|above| above.role.is_interactive());
        if node.role.is_interactive() { Some(node.id) } else { around.map(|node| node.id) }
    };
    button(one).is_some_and(|id| button(other) == Some(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confirm::assessment::Reason;
    use crate::confirm::deed::Key;
    use handeye_core::Modifier;
    use handeye_core::testing::{named, tree};

    /// What is done to an element.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Gesture {
        Press,
        Return,
        Delete,
        Drop,
    }

    fn stroke(key: Key, modifiers: &[Modifier]) -> Stroke {
        Stroke { key, modifiers: modifiers.to_vec(), shown: "it".into() }
    }

    fn keys(tree: &Tree, holder: Option<NodeId>, strokes: Vec<Stroke>) -> Assessment {
        assess(tree, &Deed::Keys { strokes, holder })
    }

    fn judged(outline: &str, name: &str, gesture: Gesture) -> Option<Reason> {
        let tree = tree(outline);
        let id = named(&tree, name);
        let assessed = match gesture {
            Gesture::Press => assess(&tree, &Deed::press(id)),
            Gesture::Return => keys(&tree, Some(id), vec![stroke(Key::Return, &[])]),
            Gesture::Delete => keys(&tree, Some(id), vec![stroke(Key::Erase, &[])]),
            Gesture::Drop => {
                let from = tree.root().expect("an application");
                assess(&tree, &Deed::Drag { from: Some(from), to: Some(id), place: String::new() })
            }
        };
        match assessed {
            Assessment::Risky(risk) => Some(risk.reason),
            Assessment::Doubtful(_) | Assessment::Harmless => None,
        }
    }

    #[test]
    fn its_own_words_decide() {
        let outline = "window \"Settings\"\n  button \"Delete All Data\"\n  button \"Save\"\n  button \"X\" [description=Löschen]\n  \
                       menu \"Edit\"\n    menuitem \"Delete\"\n  listitem \"Delete me.txt\"\n  checkbox \"Delete after import\"\n  \
                       link \"Deleted Items\"\n  group\n    text \"Remove\"";
        let press = |name: &str| judged(outline, name, Gesture::Press);
        assert_eq!(press("Delete All Data"), Some(Reason::Words));
        assert_eq!(press("X"), Some(Reason::Words));
        assert_eq!(press("Delete"), Some(Reason::Words));
        assert_eq!(
            press("Remove"),
            Some(Reason::Words),
            "a label may be all that an application tells of a button"
        );
        for harmless in ["Save", "Delete me.txt", "Delete after import", "Deleted Items", "Settings"] {
            assert_eq!(press(harmless), None, "{harmless}");
        }
    }

    #[test]
    fn a_click_on_what_is_inside_of_a_button_means_the_button() {
        let outline = "window \"W\"\n  button \"Delete\"\n    img \"bin\"\n  button \"\"\n    text \"Erase\"\n    img \"face\"";
        assert_eq!(judged(outline, "bin", Gesture::Press), Some(Reason::Words));
        assert_eq!(
            judged(outline, "face", Gesture::Press),
            Some(Reason::Words),
            "a button without a name is what it holds"
        );
    }

    #[test]
    fn what_a_dialog_asks_decides_about_its_yes() {
        let outline = "dialog \"Question\"\n  text \"Delete all photos? This cannot be undone.\"\n  button \"OK\"\n  button \"Cancel\"\n  \
                       button \"Save\"\nwindow \"Main\"\n  text \"Delete all photos?\"\n  button \"Yes\"";
        assert_eq!(judged(outline, "OK", Gesture::Press), Some(Reason::Dialog));
        assert_eq!(judged(outline, "OK", Gesture::Return), Some(Reason::Dialog));
        assert_eq!(judged(outline, "Cancel", Gesture::Press), None);
        assert_eq!(judged(outline, "Save", Gesture::Press), None);
        assert_eq!(judged(outline, "Yes", Gesture::Press), None, "a main window holds all kinds of text");
    }

    #[test]
    fn no_to_saving_is_yes_to_losing() {
        let outline = "alertdialog \"Editor\"\n  text \"Save changes to letter.txt?\"\n  button \"Yes\"\n  button \"No\"";
        assert_eq!(judged(outline, "No", Gesture::Press), Some(Reason::Dialog));
        assert_eq!(judged(outline, "Yes", Gesture::Press), None);
    }

    #[test]
    fn return_means_the_default_button_of_a_dialog() {
        let outline = "dialog \"Rename\"\n  textbox \"Name\"\n  button \"OK\"\n\
                       dialog \"Erase\"\n  text \"The disk will be erased.\"\n  checkbox \"Quick\"\n  button \"Erase disk\"";
        assert_eq!(judged(outline, "Name", Gesture::Return), None);
        assert_eq!(judged(outline, "Quick", Gesture::Return), Some(Reason::Dialog));
        assert_eq!(judged(outline, "Quick", Gesture::Press), None);
    }

    #[test]
    fn the_delete_key_is_for_items_and_not_for_text() {
        let outline = "window \"Files\"\n  list \"Folder\"\n    listitem \"a.txt\"\n  textbox \"Path\"\n  button \"Go\"";
        assert_eq!(judged(outline, "a.txt", Gesture::Delete), Some(Reason::Words));
        assert_eq!(judged(outline, "Path", Gesture::Delete), None);
        assert_eq!(judged(outline, "Go", Gesture::Delete), None);
    }

    #[test]
    fn the_trash_takes_what_is_dropped_on_it() {
        let outline = "window \"Desktop\"\n  listitem \"Trash\"\n  listitem \"Documents\"";
        assert_eq!(judged(outline, "Trash", Gesture::Drop), Some(Reason::Words));
        assert_eq!(judged(outline, "Documents", Gesture::Drop), None);
        assert_eq!(judged(outline, "Trash", Gesture::Press), None);
    }

    const KEYS: &str = "window \"Main\"\n  button \"Delete\"\n  button \"Refresh\"\n  textbox \"Name\"\n  checkbox \"Erase on exit\"\n  \
                        switch \"Wipe now\"";

    #[test]
    fn what_keys_do_depends_on_the_focus() {
        let tree = tree(KEYS);
        let at = |name: &str, strokes| keys(&tree, Some(named(&tree, name)), strokes);
        let risky = |assessed: &Assessment| matches!(assessed, Assessment::Risky(_));
        let doubtful = |assessed: &Assessment| matches!(assessed, Assessment::Doubtful(_));
        assert!(risky(&at("Delete", Stroke::typing(" "))));
        assert!(risky(&at("Wipe now", Stroke::typing(" "))));
        assert!(doubtful(&at("Erase on exit", Stroke::typing(" "))), "it is set, and acts later");
        assert_eq!(at("Refresh", Stroke::typing(" ")), Assessment::Harmless);
        assert_eq!(at("Name", Stroke::typing("a b")), Assessment::Harmless);
        assert!(risky(&at("Name", Stroke::typing("a\t "))), "the tab may have moved to anything");
        assert!(doubtful(&at("Name", Stroke::typing("a\n"))), "what the field does with it is not known");
        assert!(risky(&at("Refresh", vec![stroke(Key::Character(Some('d')), &[Modifier::Alt])])));
        assert!(doubtful(&at("Refresh", vec![stroke(Key::Character(Some('d')), &[Modifier::Ctrl])])));
        assert!(risky(&at("Name", vec![stroke(Key::F4, &[Modifier::Alt])])));
        assert_eq!(
            at("Name", vec![stroke(Key::Character(Some('c')), &[Modifier::Ctrl])]),
            Assessment::Harmless
        );
        assert!(
            doubtful(&keys(&Tree::default(), None, Stroke::typing("d"))),
            "nothing tells what has the focus"
        );
    }

    #[test]
    fn a_drag_from_a_button_to_itself_is_a_click() {
        let tree =
            tree("window \"Main\"\n  button \"Delete\"\n    img \"bin\"\n  listitem \"a\"\n  listitem \"b\"");
        let drag = |from: &str, to: &str| {
            let end = |name: &str| Some(named(&tree, name));
            assess(&tree, &Deed::Drag { from: end(from), to: end(to), place: String::new() })
        };
        for (from, to) in [("Delete", "Delete"), ("bin", "Delete"), ("bin", "bin")] {
            assert!(matches!(drag(from, to), Assessment::Risky(_)), "{from} to {to}");
        }
        let doubtful = |assessed: Assessment| matches!(assessed, Assessment::Doubtful(_));
        assert!(doubtful(drag("a", "b")), "what b does with it is not known");
        assert!(doubtful(drag("Delete", "b")), "released elsewhere, a button does nothing, but b may");
        assert_eq!(drag("a", "a"), Assessment::Harmless);
    }

    #[test]
    fn a_menu_that_only_opens_does_nothing_yet() {
        let tree = tree(
            "window \"Main\"\n  menu \"Format\"\n    menuitem \"Clear\"\n  menuitem \"Quit\"\n    menuitem \"Really\"",
        );
        let press = |name: &str| assess(&tree, &Deed::press(named(&tree, name)));
        assert_eq!(press("Format"), Assessment::Harmless);
        assert_eq!(press("Quit"), Assessment::Harmless, "it has a menu of its own");
        assert!(matches!(press("Clear"), Assessment::Risky(_)));
    }
}
