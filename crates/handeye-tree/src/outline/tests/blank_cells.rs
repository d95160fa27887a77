//! Cells of GTK 3 without anything in them, in rows that have a name.

use super::*;

/// A table of three columns: an icon, a name and a number.
fn table_of(rows: &str) -> Tree {
    let headers = "    columnheader [hidden]\n".repeat(3);
    tree(&format!("window \"W\"\n  treegrid \"Fonts\" [action]\n{headers}{rows}"))
}

fn lines(tree: &Tree) -> String {
    outline_of(tree, &Options::default()).text.to_string()
}

const ICON: &str = "    cell [action] [picture]\n";
const EMPTY: &str = "    cell [action] [words]\n";

fn named_cell(name: &str) -> String {
    format!("    cell \"{name}\" [action] [words]\n")
}

#[test]
fn icons_and_empty_texts_in_a_row_with_a_name_are_counted() {
    let rows = [
        ICON.to_owned(),
        named_cell("All"),
        named_cell("32"),
        ICON.to_owned(),
        named_cell("System"),
        EMPTY.to_owned(),
        ICON.to_owned(),
        named_cell("User"),
        EMPTY.to_owned(),
    ];
    let tree = table_of(&rows.concat());
    insta::assert_snapshot!(lines(&tree), @r#"
    - window "W" [ref=e1]
      - treegrid "Fonts" [ref=e2]
        - cell "All" [ref=e3]
        - cell "32" [ref=e4]
        - cell "System" [ref=e5]
        - cell "User" [ref=e6]
        - … 5 empty cells: ax_get_tree root_query=e2
    "#);
    // The call that the line names does not leave them out again.
    let whole = render(&tree, Some(named(&tree, "Fonts")), &Options::default(), None);
    assert_eq!(whole.shown, 10, "{}", whole.text);
}

#[test]
fn a_row_without_any_name_keeps_its_lines() {
    let rows = [named_cell("a"), EMPTY.into(), EMPTY.into(), ICON.into(), EMPTY.into(), EMPTY.into()];
    assert!(!lines(&table_of(&rows.concat())).contains("empty cell"), "the second row may be a new one");
}

#[test]
fn what_says_more_than_the_name_beside_it_keeps_its_line() {
    let row = |cell: &str| lines(&table_of(&[cell, &named_cell("a"), &named_cell("b")].concat()));
    assert!(row(ICON).contains("1 empty cell"));
    for cell in [
        // A check box is neither a text nor a picture.
        "    cell [action]\n",
        "    cell [action] [picture] [expandable]\n",
        "    cell [action] [picture] [selected]\n",
        "    cell [action] [words] [focused]\n",
        "    cell [action] [words] [editable]\n",
        "    cell [action] [words]: \"text\"\n",
        "    cell [action] [picture] [description=Locked]\n",
        "    cell [action] [picture]\n      button \"Eject\"\n",
    ] {
        assert!(!row(cell).contains("empty cell"), "{cell}{}", row(cell));
    }
    let selected = "    cell \"a\" [action] [words] [selected]\n";
    let all = [selected, "    cell [action] [picture] [selected]\n", &named_cell("b")].concat();
    assert!(lines(&table_of(&all)).contains("1 empty cell"), "the row is selected, and its name says so");
}

#[test]
fn cells_of_a_table_without_headers_keep_their_lines() {
    let rows = [ICON, &named_cell("a"), &named_cell("b")].concat();
    let tree = tree(&format!("window \"W\"\n  table \"T\" [action]\n{rows}"));
    assert!(!lines(&tree).contains("empty cell"), "{}", lines(&tree));
}
