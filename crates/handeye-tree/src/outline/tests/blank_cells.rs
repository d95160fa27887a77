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
fn icons_beside_a_text_are_counted_and_empty_texts_are_listed() {
    let rows =
        [ICON, &named_cell("All"), &named_cell("32"), ICON, &named_cell("System"), EMPTY, ICON, EMPTY, EMPTY];
    let tree = table_of(&rows.concat());
    insta::assert_snapshot!(lines(&tree), @r#"
    - window "W" [ref=e1]
      - treegrid "Fonts" [ref=e2]
        - cell "All" [ref=e3]
        - cell "32" [ref=e4]
        - cell "System" [ref=e5]
        - cell [ref=e6]
        - cell [ref=e7]
        - cell [ref=e8]
        - … 3 pictures without a name: ax_get_tree root_query=e2
    "#);
    // The call that the line names does not leave them out again.
    let whole = render(&tree, Some(named(&tree, "Fonts")), &Options::default(), None);
    assert_eq!(whole.shown, 10, "{}", whole.text);
}

#[test]
fn what_says_more_than_the_text_beside_it_keeps_its_line() {
    let row = |cell: &str| lines(&table_of(&[cell, &named_cell("a"), &named_cell("b")].concat()));
    assert!(row(ICON).contains("1 picture without a name"));
    for cell in [
        // A check box is neither a text nor a picture.
        "    cell [action]\n",
        "    cell [action] [picture] [expandable]\n",
        "    cell [action] [picture] [selected]\n",
        "    cell [action] [picture] [focused]\n",
        "    cell [action] [picture] [checked]\n",
        "    cell \"Lock\" [action] [picture]\n",
        "    cell [action] [picture] [description=Locked]\n",
        "    cell [action] [picture]\n      button \"Eject\"\n",
    ] {
        assert!(!row(cell).contains("without a name"), "{cell}{}", row(cell));
    }
    let selected = "    cell \"a\" [action] [words] [selected]\n";
    let all = [selected, "    cell [action] [picture] [selected]\n", &named_cell("b")].concat();
    assert!(lines(&table_of(&all)).contains("1 picture"), "the row is selected, and its name says so");
    let alone = lines(&table_of(&ICON.repeat(6)));
    assert!(!alone.contains("without a name"), "pictures are all that there is: {alone}");
}

#[test]
fn headers_that_do_not_show_are_counted_where_others_do() {
    let table =
        |headers: &str| lines(&tree(&format!("window \"W\"\n  treegrid \"T\"\n{headers}    cell \"a\"\n")));
    assert!(!table("    columnheader \"A\" [hidden]\n    columnheader \"B\" [hidden]\n").contains("hidden"));
    assert!(
        table("    columnheader \"A\"\n    columnheader \"B\" [hidden]\n").contains("1 more rows are hidden")
    );
}
