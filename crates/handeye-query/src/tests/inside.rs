//! Controls by the texts in them.

use super::*;
use handeye_core::{ApplicationId, SourceId};
use handeye_tree::outline::Options;
use handeye_tree::references::{References, Resolution};

const BOX: &str = r#"
window "W"
  tab [selected]
    text "Sunset"
  tab "NYC"
    text "Beach"
  button
    generic
      text "Sans Regular"
    text "12"
  button
    text "one"
    text "two"
    text "three"
    text "four"
"#;

#[test]
fn a_control_without_a_name_is_found_by_the_texts_in_it() {
    assert_eq!(find_in(BOX, "tab:Sunset"), ["tab [selected]"]);
    assert_eq!(find_in(BOX, "tab \"sunset\""), ["tab [selected]"]);
    assert_eq!(find_in(BOX, "button \"Sans Regular 12\""), ["button"]);
    for other in ["tab Beach", "tab Sun", "button \"one two three four\"", "checkbox Sunset"] {
        assert_eq!(find_in(BOX, other), Vec::<String>::new(), "{other}");
    }
    assert_eq!(find_in(BOX, "Sunset"), ["text \"Sunset\""], "the text itself, as before");
}

const ROWS: &str = r#"
window "W"
  treegrid
    cell [selected] [action]
      cell [picture] [action]
      cell "bin" [words] [action]
    cell [disabled]
      cell "a.ogg" [words]
      cell "4 KB" [words]
    cell
      cell "Wrap" [words]
      cell
  table
    cell "bin"
"#;

#[test]
fn a_cell_is_found_by_the_name_that_its_cells_make() {
    assert_eq!(find_in(ROWS, "cell \"a.ogg 4 KB\""), ["cell"]);
    assert_eq!(find_in(ROWS, "cell:A.OGG 4 kb"), ["cell"], "in any case");
    assert_eq!(find_in(ROWS, "a.ogg 4 KB"), ["cell"], "without its role");
    assert_eq!(
        find_in(ROWS, "cell \"bin\""),
        ["cell [selected]", "cell \"bin\""],
        "the whole cell, and another"
    );
    assert_eq!(find_in(ROWS, "cell \"bin\" [selected]"), ["cell [selected]"]);
    assert_eq!(find_in(ROWS, "cell \"4 KB\""), ["cell \"4 KB\""], "a part by its own name");
    assert_eq!(find_in(ROWS, "cell \"Wrap\""), ["cell \"Wrap\""], "beside a check box it has its own line");
    assert_eq!(find_in(ROWS, "button \"a.ogg 4 KB\""), Vec::<String>::new());
}

#[test]
fn what_an_outline_calls_a_cell_finds_that_cell() {
    let tree = tree(ROWS);
    let (references, app) = (References::new(), ApplicationId::new(SourceId::new("memory"), ":1.1"));
    let minter = references.minter(&app, &tree);
    let options = Options { elements: true, ..Options::default() };
    let rendered = outline::render(&tree, None, &options, Some(&minter));
    let cells = rendered.elements.iter().filter(|element| element.role == "cell");
    let named: Vec<(&str, &str)> =
        cells.filter_map(|cell| Some((cell.name.as_deref()?, cell.reference.as_deref()?))).collect();
    assert_eq!(named.len(), 4, "{}", rendered.text);
    for (name, reference) in named {
        let query = Query::parse(&format!("cell \"{name}\""), Strategy::Auto).expect("a query");
        let found = query.find(&tree, Search::default()).expect("a cheap query").nodes;
        let entry = references.lookup(reference).expect("it was issued");
        let Resolution::Alive(shown) = references.resolve(&entry, &tree) else { panic!("{name} is gone") };
        assert!(found.iter().any(|node| node.id == shown), "{name}: {}", rendered.text);
    }
}
