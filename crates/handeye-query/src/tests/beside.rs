//! Fields by the texts before them, and items of menus.

use super::find_in;
use crate::{Query, Search, Strategy};
use handeye_core::Detail;
use handeye_core::testing::tree;
use handeye_core::{Extents, NodeId, Rect};
use handeye_tree::outline;

/// What a query finds where the elements of a form are at these places (left, top, width), in document order below the window.
fn in_form(outline: &str, places: &[(i32, i32, u32)], query: &str) -> Vec<String> {
    let mut tree = tree(outline);
    let root = tree.root().expect("an application");
    let ids: Vec<NodeId> = tree.descendants(root).skip(2).map(|node| node.id).collect();
    assert_eq!(ids.len(), places.len());
    for (id, (x, y, width)) in ids.into_iter().zip(places) {
        let area = Rect::new(*x, *y, *width, 20);
        tree.update(id, |node| node.details.extents = Detail::Known(Extents::OnScreen(area)));
    }
    let query = Query::parse(query, Strategy::Auto).expect("a query");
    let matches = query.find(&tree, Search::default()).expect("a cheap query");
    matches.nodes.iter().map(|node| outline::line(node, None).into()).collect()
}

#[test]
fn items_that_can_be_checked_are_items_of_a_menu() {
    let menu = "menu\n  menuitemradio \"Heading 1\"\n  menuitemcheckbox \"Ruler\"\n  menuitem \"Ruler\"";
    assert_eq!(find_in(menu, "menuitem \"Heading 1\""), ["menuitemradio \"Heading 1\""]);
    // One that is called so and is of the role that was asked for comes first.
    assert_eq!(find_in(menu, "menuitem Ruler")[0], "menuitem \"Ruler\"");
}

const DIALOG: &str = "dialog \"Find\"\n  text \"Search for:\"\n  combobox\n    textbox: \"what\"\n  text \"Columns:\"\n  \
                      spinbutton \"How many columns the table has\"\n  text \"Search with:\"\n  radiobutton \"Words\"\n  textbox: \"last\"";
const PLACES: [(i32, i32, u32); 8] = [
    (10, 10, 60),
    (80, 10, 200),
    (82, 10, 180),
    (10, 40, 60),
    (80, 40, 80),
    (10, 70, 60),
    (80, 70, 60),
    (150, 70, 100),
];

#[test]
fn a_field_without_a_name_is_found_by_the_text_before_it() {
    let find = |query: &str| in_form(DIALOG, &PLACES, query);
    assert_eq!(find("textbox \"Search for:\""), ["textbox: \"what\""]);
    assert_eq!(find("combobox search for"), ["combobox"]);
    assert_eq!(find("spinbutton \"Columns:\""), ["spinbutton \"How many columns the table has\""]);
    // The radio button is what the text belongs to.
    assert!(find("textbox \"Search with\"").is_empty());
    assert!(find("button \"Columns:\"").is_empty());
}

#[test]
fn the_order_of_the_tree_does_not_say_what_belongs_together() {
    let grid = "window\n  text \"Name:\"\n  text \"City:\"\n  textbox: \"name\"\n  textbox: \"city\"";
    let places = [(10, 10, 60), (10, 40, 60), (80, 10, 100), (80, 40, 100)];
    assert_eq!(in_form(grid, &places, "textbox Name"), ["textbox: \"name\""]);
    assert_eq!(in_form(grid, &places, "textbox City"), ["textbox: \"city\""]);
}

#[test]
fn of_two_fields_after_texts_of_one_name_none_is_taken() {
    let form = "window\n  text \"Name:\"\n  textbox\n  text \"Name:\"\n  textbox";
    let places = [(10, 10, 60), (80, 10, 100), (10, 40, 60), (80, 40, 100)];
    assert!(in_form(form, &places, "textbox Name").is_empty());
}
