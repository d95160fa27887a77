//! Differences of small applications.

use super::*;
use crate::references::References;
use handeye_core::testing::{add_line, named, remove, tree};
use handeye_core::{ApplicationId, Detail, SourceId, TextContent};

const EDITOR: &str = r#"
window "Untitled" [active]
  button "Save" [disabled]
  checkbox "Wrap"
  textbox "Document" [focused]: "a"
  textbox "Password" [protected]
  menu "File"
    menuitem "Quit"
  scrollbar
  button "Play"
    text "Play"
"#;

fn rendered(before: &Tree, after: &Tree, budget: usize) -> Rendered {
    let (references, app) = (References::new(), ApplicationId::new(SourceId::new("memory"), ":1.1"));
    let minter = references.minter(&app, after);
    render(&Diff::between(before, after), Trees { before, after }, Some(&minter), budget)
}

fn set_text(tree: &mut Tree, name: &str, text: &str) {
    let content = TextContent { shown: text.into(), total_chars: text.chars().count() as u32 };
    tree.update(named(tree, name), |node| node.details.text = Detail::Known(content));
}

fn flip(tree: &mut Tree, name: &str, states: States) {
    tree.update(named(tree, name), |node| node.states.toggle(states));
}

#[test]
fn each_kind_of_change_has_its_line() {
    let before = tree(EDITOR);
    let mut after = before.clone();
    flip(&mut after, "Save", States::ENABLED);
    flip(&mut after, "Wrap", States::CHECKED);
    flip(&mut after, "Document", States::FOCUSED);
    set_text(&mut after, "Document", "ab");
    flip(&mut after, "Password", States::FOCUSED);
    let menu = named(&after, "File");
    remove(&mut after, menu);
    let window = named(&after, "Untitled");
    let group = add_line(&mut after, window, "group");
    let dialog = add_line(&mut after, group, "dialog \"Save as\" [modal]");
    add_line(&mut after, dialog, "textbox \"Name\"");
    insta::assert_snapshot!(rendered(&before, &after, 500).text, @r#"
    ~ button "Save" [ref=e1]: enabled
    ~ checkbox "Wrap" [ref=e2]: checked
    ~ textbox "Document" [ref=e3]: value "a" -> "ab"
    + dialog "Save as" [ref=e4] [modal]
        - textbox "Name" [ref=e5]
    - menu "File"
    focus: e3 -> e6 textbox "Password"
    "#);
}

#[test]
fn an_unchanged_second_look_costs_next_to_nothing() {
    let tree = tree(EDITOR);
    let text =
        since(&Diff::between(&tree, &tree), Trees { before: &tree, after: &tree }, None, 500, "2 s ago");
    assert_eq!(text, "unchanged since 2 s ago");
    let tokenizer = tiktoken_rs::o200k_base().expect("the vocabulary is built in");
    assert!(tokenizer.encode_ordinary(&text).len() <= 20);
}

#[test]
fn a_label_that_follows_its_button_is_no_news() {
    let before = tree(EDITOR);
    let mut after = before.clone();
    let (button, root) = (named(&after, "Play"), after.root().expect("it has one"));
    let label = after.children(button).next().expect("its label").id;
    for id in [button, label] {
        after.update(id, |node| node.name = "Pause".into());
    }
    after.update(root, |node| node.states.toggle(States::ACTIVE));
    assert_eq!(rendered(&before, &after, 500).text, "~ button \"Pause\" [ref=e1]: was \"Play\"\n");
}

#[test]
fn the_budget_holds_and_the_rest_is_counted() {
    let before = tree(EDITOR);
    let mut after = before.clone();
    let window = named(&after, "Untitled");
    for number in 0..200 {
        add_line(&mut after, window, &format!("button \"Button {number}\""));
    }
    let rendered = rendered(&before, &after, 200);
    assert_eq!(rendered.shown + rendered.omitted, 200);
    assert!(rendered.omitted > 100);
    assert!(estimate_tokens(&rendered.text) <= 200, "{}", rendered.text);
    assert!(rendered.text.ends_with("more changes: ax_get_tree shows how it is now\n"));
}

#[test]
fn a_password_is_never_shown() {
    let mut before = tree(EDITOR);
    let mut after = before.clone();
    set_text(&mut before, "Password", "hunter1");
    set_text(&mut after, "Password", "hunter2");
    assert_eq!(rendered(&before, &after, 500).text, "~ textbox \"Password\" [ref=e1]: value [protected]\n");
}

#[test]
fn a_change_at_the_end_of_a_long_text_is_seen() {
    let mut before = tree(EDITOR);
    let mut after = before.clone();
    set_text(&mut before, "Document", &"word ".repeat(100));
    set_text(&mut after, "Document", &format!("{}end", "word ".repeat(100)));
    let text = rendered(&before, &after, 500).text;
    assert!(text.contains("word end\""), "{text}");
}

#[test]
fn what_is_gone_and_stands_inside_of_what_came_is_not_gone() {
    let before = tree("window \"Main\"\n  tree \"T\"\n    text \"food\"\n    text \"sports\"");
    let mut after = before.clone();
    for name in ["food", "sports"] {
        remove(&mut after, named(&before, name));
    }
    let group = add_line(&mut after, named(&before, "T"), "text \"JTree\"");
    add_line(&mut after, group, "text \"food\"");
    let mut diff = Diff::between(&before, &after);
    diff.match_recreated(&before, &after);
    let gone: Vec<&str> = diff
        .changes
        .iter()
        .filter_map(|change| match change {
            Change::Disappeared(node) => Some(&*node.name),
            _ => None,
        })
        .collect();
    assert_eq!(gone, ["sports"], "food stands in JTree now, and sports nowhere");
    assert!(diff.changes.iter().any(|change| matches!(change, Change::Appeared(node) if node.id == group)));
}

#[test]
fn an_object_that_was_exchanged_is_the_same_element() {
    let before = tree("window \"Main\"\n  table \"T\"\n    cell \"a\" [selected]\n    cell \"b\"");
    let mut after = before.clone();
    let table = named(&before, "T");
    for name in ["a", "b"] {
        remove(&mut after, named(&before, name));
    }
    let a = add_line(&mut after, table, "cell \"a\"");
    add_line(&mut after, table, "cell \"b\"");
    let mut diff = Diff::between(&before, &after);
    let recreated = diff.match_recreated(&before, &after);
    assert_eq!(recreated.len(), 2);
    let [Change::Changed { node, fields }] = diff.changes.as_slice() else { panic!("{:?}", diff.changes) };
    assert_eq!(node.id, a);
    assert_eq!(fields, &[Field::States { gained: States::empty(), lost: States::SELECTED }]);
}

const TAGGER: &str = r#"
window "Tagger"
  group "Undo"
    button "Undo" [disabled]
  treegrid
    cell [action]
      cell [action] [picture]
      cell "a.ogg" [action] [words]
      cell "4 KB" [action] [words]
  list "Fonts"
    listitem
      group
    listitem
      group
"#;

/// The only element of the role that has no name.
fn nameless(tree: &Tree, role: Role) -> Vec<NodeId> {
    let root = tree.root().expect("it has one");
    tree.descendants(root)
        .filter(|node| node.role == role && node.name.is_empty())
        .map(|node| node.id)
        .collect()
}

#[test]
fn a_cell_changes_as_one_line() {
    let before = tree(TAGGER);
    let mut after = before.clone();
    let (cell, name, size) =
        (nameless(&before, Role::Cell)[0], named(&before, "a.ogg"), named(&before, "4 KB"));
    for id in std::iter::once(cell).chain(before.children(cell).map(|part| part.id).collect::<Vec<_>>()) {
        after.update(id, |node| node.states |= States::SELECTED | States::FOCUSED);
    }
    let text = rendered(&before, &after, 500).text;
    assert_eq!(text, "~ cell \"a.ogg 4 KB\" [ref=e1]: selected\nfocus: e1 cell \"a.ogg 4 KB\"\n");

    let mut after = before.clone();
    after.update(name, |node| node.name = "b.ogg".into());
    after.update(size, |node| node.name = "5 KB".into());
    let text = rendered(&before, &after, 500).text;
    assert_eq!(text, "~ cell \"b.ogg 5 KB\" [ref=e1]: was \"a.ogg 4 KB\"\n");

    let mut after = before.clone();
    remove(&mut after, size);
    let text = rendered(&before, &after, 500).text;
    assert_eq!(text, "~ cell \"a.ogg\" [ref=e1]: was \"a.ogg 4 KB\"\n");
    assert_eq!(rendered(&after, &before, 500).text, "~ cell \"a.ogg 4 KB\" [ref=e1]: was \"a.ogg\"\n");
}

#[test]
fn what_comes_and_goes_has_the_line_of_an_outline() {
    let before = tree(TAGGER);
    let mut after = before.clone();
    let cell = nameless(&before, Role::Cell)[0];
    let frame = before.get(named(&before, "Undo")).map(|frame| frame.id).expect("a frame");
    remove(&mut after, cell);
    remove(&mut after, frame);
    assert_eq!(rendered(&before, &after, 500).text, "- button \"Undo\"\n- cell \"a.ogg 4 KB\"\n");
    let text = rendered(&after, &before, 500).text;
    assert_eq!(text, "+ button \"Undo\" [ref=e1] [disabled]\n+ cell \"a.ogg 4 KB\" [ref=e2]\n");
}

#[test]
fn a_frame_without_a_line_does_not_change() {
    let before = tree(TAGGER);
    let mut after = before.clone();
    let frame = named(&before, "Undo");
    let button = before.children(frame).next().expect("a button").id;
    for id in [frame, button] {
        after.update(id, |node| node.states.toggle(States::ENABLED));
    }
    assert_eq!(rendered(&before, &after, 500).text, "~ button \"Undo\" [ref=e1]: enabled\n");
}

#[test]
fn a_blank_row_is_no_difference_until_it_has_something_in_it() {
    let before = tree(TAGGER);
    let rows = nameless(&before, Role::ListItem);
    let mut after = before.clone();
    remove(&mut after, rows[0]);
    after.update(rows[1], |row| row.states.toggle(States::ENABLED));
    let list = named(&after, "Fonts");
    add_line(&mut after, list, "listitem");
    assert_eq!(rendered(&before, &after, 500).text, "");

    let place = before.children(rows[1]).next().expect("its place").id;
    let mut filled = before.clone();
    for word in ["text \"Aa\"", "text \"Cantarell\""] {
        add_line(&mut filled, place, word);
    }
    assert_eq!(rendered(&before, &filled, 500).text, "+ listitem \"Aa Cantarell\" [ref=e1]\n");
    assert_eq!(rendered(&filled, &before, 500).text, "- listitem \"Aa Cantarell\"\n");

    let mut list = before.clone();
    let window = named(&list, "Tagger");
    let names = add_line(&mut list, window, "list \"Names\"");
    for row in ["listitem", "listitem \"one\""] {
        add_line(&mut list, names, row);
    }
    let text = rendered(&before, &list, 500).text;
    assert!(text.starts_with("+ list \"Names\" [ref=e1]\n    - listitem \"one\""), "{text}");
    assert!(text.contains("… 1 blank row: ax_get_tree root_query=e1"), "{text}");
}

#[test]
fn a_picture_in_a_row_that_gets_the_focus_has_not_come() {
    let before = tree(
        "window \"W\"\n  treegrid \"T\" [action]\n    cell [action] [picture]\n    cell \"a\" [action] [words]\n    cell [action] [picture]\n    \
         cell \"b\" [action] [words] [focused]",
    );
    let icon = before.get(named(&before, "T")).expect("a table").children[0];
    let mut after = before.clone();
    flip(&mut after, "b", States::FOCUSED);
    after.update(icon, |cell| cell.states |= States::FOCUSED);
    insta::assert_snapshot!(rendered(&before, &after, 500).text, @"focus: e2 -> e1 cell");
    after.update(icon, |cell| cell.name = "Locked".into());
    insta::assert_snapshot!(rendered(&before, &after, 500).text, @r#"
    ~ cell "Locked" [ref=e1]: named
    focus: e2 -> e1 cell "Locked"
    "#);
}
