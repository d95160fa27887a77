//! Ways around a question that were found on real applications, each as it was judged wrongly.

use super::deed::{Key, Manner, Stroke};
use super::{Assessment, Deed, Reason, assess};
use handeye_core::testing::{named, tree};
use handeye_core::{Modifier, Node, States, Tree};

/// How something was judged, without the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Judged {
    Harmless,
    Doubtful,
    Risky,
}
use Judged::{Doubtful, Harmless, Risky};

fn judged(tree: &Tree, deed: &Deed) -> Judged {
    match assess(tree, deed) {
        Assessment::Harmless => Harmless,
        Assessment::Doubtful(_) => Doubtful,
        Assessment::Risky(_) => Risky,
    }
}

fn clicked(tree: &Tree, name: &str) -> Judged {
    judged(tree, &Deed::press(named(tree, name)))
}

fn opened(tree: &Tree, name: &str) -> Judged {
    judged(tree, &Deed::open(named(tree, name)))
}

fn turned(tree: &Tree, name: &str) -> Judged {
    judged(tree, &Deed::Turn { over: Some(named(tree, name)) })
}

fn stroke(key: Key, modifiers: &[Modifier]) -> Stroke {
    Stroke { key, modifiers: modifiers.to_vec(), shown: "it".into() }
}

fn pressed(tree: &Tree, name: &str, key: Key, modifiers: &[Modifier]) -> Judged {
    judged(tree, &Deed::Keys { strokes: vec![stroke(key, modifiers)], holder: Some(named(tree, name)) })
}

const fn letter(letter: char) -> Key {
    Key::Character(Some(letter))
}

#[test]
fn an_open_menu_takes_the_keys_of_a_text_field() {
    let outline = "window \"W\"\n  menubar\n    menuitem \"Edit\"\n      menu \"Edit menu\"\n        menuitem \"Rename\"\n        \
                   menuitem \"Delete\"\n  textbox \"Name\" [focused]";
    let mut menu = tree(outline);
    let name = |menu: &Tree, key| pressed(menu, "Name", key, &[]);
    for key in [letter('d'), Key::Return, Key::Space, Key::Erase] {
        assert_eq!(name(&menu, key), Doubtful, "{key:?}: a menu is on view");
    }
    let item = named(&menu, "Delete");
    menu.update(item, |node| node.states.insert(States::SELECTED));
    for key in [letter('d'), Key::Return, Key::Space] {
        assert_eq!(name(&menu, key), Risky, "{key:?}: it is marked");
    }
    assert_eq!(name(&menu, Key::Escape), Harmless);
    for item in ["Rename", "Delete", "Edit menu"] {
        let id = named(&menu, item);
        menu.update(id, |node| node.states.remove(States::SHOWING));
    }
    assert_eq!(name(&menu, letter('d')), Harmless, "closed, it takes nothing");
    let page = tree(&format!("document \"Page\"\n  {}", outline.replace('\n', "\n  ")));
    assert_eq!(name(&page, letter('d')), Harmless, "the menu of a page is there all the time");
}

#[test]
fn the_open_list_of_a_combo_box_takes_the_keys_of_others() {
    let list = tree(
        "window \"W\"\n  combobox \"X\" [expanded]\n    listitem \"Rename\"\n    listitem \"Delete\"\n  textbox \"Name\"",
    );
    assert_eq!(pressed(&list, "Name", letter('d'), &[]), Doubtful);
    assert_eq!(pressed(&list, "X", Key::Return, &[]), Risky);
    assert_eq!(pressed(&list, "Delete", Key::Return, &[]), Risky);
}

#[test]
fn arrows_and_the_wheel_choose() {
    let outline = "window \"W\"\n  combobox \"X\"\n    listitem \"Rename\"\n    listitem \"Delete\"\n  combobox \"Y\"\n    listitem \"Small\"\n  \
                   spinbutton \"Count\"\n  slider \"Volume\"\n  tablist\n    tab \"One\"\n    tab \"Two\"\n  radiogroup\n    radio \"Keep all\"\n    \
                   radio \"Delete all\"\n  textbox \"Name\"\n  button \"Go\"\n  list \"Files\"\n    listitem \"a\"\n    listitem \"Delete everything\"\n  list \"Fonts\"\n    \
                   listitem \"Serif\"\n  canvas \"Game\"";
    let tree = tree(outline);
    for (name, judged) in [
        ("X", Risky),
        ("Y", Doubtful),
        ("Count", Doubtful),
        ("Volume", Doubtful),
        ("One", Doubtful),
        ("Keep all", Doubtful),
        ("a", Doubtful),
        ("Files", Doubtful),
        ("Game", Doubtful),
        ("Serif", Harmless),
        ("Name", Harmless),
        ("Go", Harmless),
    ] {
        assert_eq!(pressed(&tree, name, Key::Move, &[]), judged, "an arrow on {name}");
    }
    assert_eq!(pressed(&tree, "X", letter('d'), &[]), Risky, "a letter chooses what begins with it");
    assert_eq!(pressed(&tree, "Y", letter('s'), &[]), Doubtful);
    let wheel = [("X", Risky), ("Y", Doubtful), ("Count", Doubtful), ("Volume", Doubtful), ("One", Doubtful)];
    for (name, judged) in wheel {
        assert_eq!(turned(&tree, name), judged, "the wheel over {name}");
    }
    for name in ["Files", "a", "Name", "Go"] {
        assert_eq!(turned(&tree, name), Harmless, "the wheel over {name}");
    }
    assert_eq!(judged(&tree, &Deed::Turn { over: None }), Doubtful);
    let lost = Deed::Keys { strokes: vec![stroke(Key::Move, &[])], holder: None };
    assert_eq!(judged(&tree, &lost), Doubtful, "nothing shows what an arrow moves");
}

#[test]
fn a_modifier_makes_a_command_of_any_key() {
    let tree = tree("window \"W\"\n  textbox \"Name\"\n  button \"Go\"");
    for key in [Key::Tab, Key::Move, Key::Page, Key::Escape, Key::Modifier, Key::Space, Key::Return] {
        for modifier in [Modifier::Ctrl, Modifier::Alt, Modifier::Super] {
            assert_eq!(pressed(&tree, "Go", key, &[modifier]), Doubtful, "{modifier:?}+{key:?}");
        }
    }
    for key in [Key::Tab, Key::Escape, Key::Modifier] {
        assert_eq!(pressed(&tree, "Go", key, &[Modifier::Shift]), Harmless, "{key:?}");
    }
}

#[test]
fn only_editing_keys_are_harmless_in_a_text_field() {
    let tree = tree("window \"W\"\n  textbox \"Name\"");
    let on_name = |key, modifiers: &[Modifier]| pressed(&tree, "Name", key, modifiers);
    let (ctrl, shift, alt) = (Modifier::Ctrl, Modifier::Shift, Modifier::Alt);
    for key in ['a', 'c', 'x', 'v', 'z', 'y'] {
        assert_eq!(on_name(letter(key), &[ctrl]), Harmless, "{key}");
    }
    assert_eq!(on_name(letter('z'), &[ctrl, shift]), Harmless);
    assert_eq!(on_name(Key::Move, &[ctrl, shift]), Harmless);
    assert_eq!(on_name(Key::Erase, &[]), Harmless);
    assert_eq!(on_name(Key::Erase, &[shift]), Harmless);
    for (key, modifiers) in [
        (Key::Erase, &[ctrl][..]),
        (Key::Erase, &[alt]),
        (letter('x'), &[ctrl, shift]),
        (letter('X'), &[ctrl]),
        (letter('d'), &[ctrl]),
        (Key::Page, &[ctrl]),
        (Key::Move, &[alt]),
    ] {
        assert_eq!(on_name(key, modifiers), Doubtful, "{modifiers:?}+{key:?}");
    }
}

#[test]
fn keys_that_end_something_are_risky_wherever_they_go() {
    let tree = tree("window \"W\"\n  textbox \"Name\"");
    let (ctrl, alt) = (Modifier::Ctrl, Modifier::Alt);
    for (key, modifiers) in [
        (Key::System, &[][..]),
        (Key::Close, &[]),
        (Key::F4, &[alt]),
        (Key::F4, &[ctrl]),
        (letter('q'), &[ctrl]),
        (letter('w'), &[ctrl]),
        (Key::Erase, &[ctrl, alt]),
    ] {
        assert_eq!(pressed(&tree, "Name", key, modifiers), Risky, "{modifiers:?}+{key:?}");
    }
    let power = Deed::Keys { strokes: vec![stroke(Key::System, &[])], holder: None };
    assert_eq!(judged(&Tree::default(), &power), Risky);
}

#[test]
fn return_in_a_text_of_several_lines_may_send_it() {
    let tree = tree("window \"W\"\n  textbox \"Message\" [multi_line]");
    assert_eq!(pressed(&tree, "Message", Key::Return, &[]), Doubtful);
}

#[test]
fn in_a_dialog_that_destroys_only_a_refusal_is_harmless() {
    let ask = |text: &str, more: &str| {
        tree(&format!(
            "dialog \"Question\"\n  text \"{text}\"\n  button \"Sure\"\n  button \"OK\"\n  button \"Cancel\"\n  button \"Keep\"\n  \
             button \"Zurück\"{more}"
        ))
    };
    let all = ask("Delete all photos?", "");
    assert_eq!(clicked(&all, "Sure"), Risky);
    for refusal in ["Cancel", "Keep", "Zurück"] {
        assert_eq!(clicked(&all, refusal), Harmless, "{refusal}");
    }
    assert_eq!(clicked(&ask("Rename all photos?", ""), "Sure"), Harmless);
    let settings = ask("Format", "\n  combobox \"Paper\"");
    assert_eq!((clicked(&settings, "Sure"), clicked(&settings, "OK")), (Doubtful, Risky), "many controls");
}

#[test]
fn a_long_dialog_is_read_to_its_end() {
    let filler = "Lorem ipsum dolor sit amet. ".repeat(100);
    let lines = |count: usize| format!("\n  text \"{filler}\"").repeat(count);
    let dialog = |lines: String| {
        tree(&format!("dialog \"Question\"{lines}\n  text \"All photos will be deleted.\"\n  button \"OK\""))
    };
    let numbered: Vec<String> = (0..2_000).map(|line| format!("\n  text \"Line {line}\"")).collect();
    for long in [dialog(lines(1)), dialog(numbered.concat())] {
        assert_eq!(clicked(&long, "OK"), Risky);
        let Assessment::Risky(risk) = assess(&long, &Deed::press(named(&long, "OK"))) else {
            panic!("risky")
        };
        assert_eq!(risk.reason, Reason::Dialog);
        let shown: String = risk.dialog.unwrap_or_default().chars().take(300).collect();
        assert!(shown.contains("be deleted"), "{shown}");
    }
    let cut = "x".repeat(Node::MAX_NAME_BYTES - 1);
    let cut = tree(&format!("dialog \"Question\"\n  text \"{cut}\"\n  button \"OK\"\n  button \"Cancel\""));
    assert_eq!(clicked(&cut, "OK"), Doubtful, "nobody knows how its text ends");
    assert_eq!(clicked(&cut, "Cancel"), Harmless);
}

#[test]
fn destructive_words_count_for_every_role() {
    let tree = tree(
        "window \"Delete window\"\n  listitem \"Delete item\"\n  tab \"Delete tab\"\n  heading \"Delete heading\"\n  treeitem \"Delete branch\"\n  \
         textbox \"Delete field\"\n  combobox \"Delete box\"\n  listitem \"Nameless\"\n  row \"\"\n    cell \"\"\n      text \"Delete account\"\n  \
         listitem \"Refresh\"\n  document \"How to delete\"\n    text \"Chapter\"",
    );
    for name in ["Delete item", "Delete tab", "Delete heading", "Delete branch"] {
        assert_eq!(clicked(&tree, name), Doubtful, "{name} is marked");
        assert_eq!(opened(&tree, name), Risky, "{name} is opened");
    }
    for name in ["Delete field", "Delete box"] {
        assert_eq!((clicked(&tree, name), opened(&tree, name)), (Doubtful, Doubtful), "{name}");
    }
    for name in ["Refresh", "Chapter", "Delete window"] {
        assert_eq!((clicked(&tree, name), opened(&tree, name)), (Harmless, Harmless), "{name}");
    }
    assert_eq!(pressed(&tree, "Delete item", Key::Return, &[]), Risky);
    assert_eq!(pressed(&tree, "Refresh", Key::Return, &[]), Harmless);
    let row = tree.nodes().find(|node| node.role == handeye_core::Role::Row).expect("a row").id;
    let on_row = |manner| judged(&tree, &Deed::Press { named: row, does: row, manner });
    assert_eq!((on_row(Manner::Click), on_row(Manner::Open)), (Doubtful, Risky), "its texts are its words");
}

#[test]
fn a_cell_is_judged_by_the_name_that_its_cells_make() {
    let part = |name: &str| format!("\n      cell \"{name}\" [words]");
    for parts in 1..=8 {
        let words = format!("{}{}", part("Delete account"), part("now").repeat(parts - 1));
        let tree = tree(&format!("window \"W\"\n  table\n    cell{words}"));
        let cell = tree
            .nodes()
            .find(|node| node.role == handeye_core::Role::Cell && node.name.is_empty())
            .expect("a cell");
        let name = handeye_core::name_from_cells(&tree, cell).expect("the parts are one line");
        let press = |manner| Deed::Press { named: cell.id, does: cell.id, manner };
        assert_eq!(press(Manner::Click).in_words(&tree), format!("click cell \"{name}\""));
        let on_cell = |manner| judged(&tree, &press(manner));
        assert_eq!((on_cell(Manner::Click), on_cell(Manner::Open)), (Doubtful, Risky), "{parts} parts");
    }
}

#[test]
fn a_sign_is_no_name() {
    let tree = tree(
        "window \"W\"\n  button \"×\"\n  button \"\u{e872}\"\n  button \"\u{200b}\"\n  button \"🗑\"\n  link \"…\"\n  group \"outer\"\n    img \"?\"\n  \
         text \"✕\"\n  button \"x\"\n  listitem \"—\"",
    );
    for name in ["×", "\u{e872}", "\u{200b}", "…", "✕", "—"] {
        assert_eq!(clicked(&tree, name), Doubtful, "{name:?}");
    }
    assert_eq!(clicked(&tree, "🗑"), Risky);
    assert_eq!(clicked(&tree, "x"), Harmless);
    let bare = handeye_core::testing::tree(
        "window \"W\"\n  img \"\"\n  group \"\"\n  group \"\"\n    text \"Chapter\"",
    );
    let role = |role| {
        bare.nodes().find(|node| node.role == role && node.children.is_empty()).expect("an element").id
    };
    assert_eq!(judged(&bare, &Deed::press(role(handeye_core::Role::Image))), Doubtful);
    assert_eq!(judged(&bare, &Deed::press(role(handeye_core::Role::Group))), Doubtful, "it draws itself");
}

#[test]
fn what_a_button_shows_counts_beside_its_name() {
    let tree = tree(
        "window \"W\"\n  button \"Item 7\"\n    text \"Delete\"\n  button \"Item 8\"\n    text \"Open\"",
    );
    assert_eq!((clicked(&tree, "Item 7"), clicked(&tree, "Item 8")), (Risky, Harmless));
}

#[test]
fn what_is_dropped_somewhere_else_may_be_lost() {
    let tree = tree(
        "window \"W\"\n  listitem \"report.txt\"\n  listitem \"Documents\"\n  group \"\"\n    text \"Drop here to delete\"\n    img \"box\"\n  \
         list \"Trash\"\n    listitem \"old.txt\"\n  button \"DeleteAll\"",
    );
    let drag = |from: &str, to: &str| {
        let end = |name: &str| Some(named(&tree, name));
        judged(&tree, &Deed::Drag { from: end(from), to: end(to), place: String::new() })
    };
    for to in ["Drop here to delete", "box", "Trash", "old.txt", "DeleteAll"] {
        assert_eq!(drag("report.txt", to), Risky, "{to}");
    }
    assert_eq!(drag("report.txt", "Documents"), Doubtful);
    assert_eq!(drag("report.txt", "report.txt"), Harmless);
}

#[test]
fn the_context_button_opens_a_menu_at_most_where_it_is_known() {
    let tree = tree(
        "window \"W\"\n  menu \"Edit\"\n    menuitem \"Delete\"\n  canvas \"\"\n  button \"Delete all\"\n  listitem \"a.txt\"\n  button \"Go\"",
    );
    let context = |name: &str| judged(&tree, &Deed::Context { on: named(&tree, name) });
    assert_eq!(context("Delete"), Risky, "it chooses an item of a menu that is open");
    assert_eq!(context("Delete all"), Doubtful);
    assert_eq!((context("a.txt"), context("Go")), (Harmless, Harmless));
    let canvas = tree.nodes().find(|node| node.role == handeye_core::Role::Canvas).expect("a canvas").id;
    assert_eq!(judged(&tree, &Deed::Context { on: canvas }), Doubtful);
}

#[test]
fn a_window_that_draws_itself_may_do_anything() {
    let tree = tree("window \"\"\nwindow \"W\"\n  button \"Go\"");
    let judge = |place: usize| {
        let window = tree.windows().nth(place).expect("a window").id;
        judged(&tree, &Deed::press(window))
    };
    assert_eq!((judge(0), judge(1)), (Doubtful, Harmless));
}

#[test]
fn what_is_gone_is_unknown() {
    let other = tree("window \"W\"\n  button \"Go\"");
    let gone = named(&other, "Go");
    assert_eq!(judged(&Tree::default(), &Deed::press(gone)), Doubtful);
    assert_eq!(judged(&Tree::default(), &Deed::Context { on: gone }), Doubtful);
}
