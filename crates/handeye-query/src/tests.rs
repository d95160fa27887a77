//! Queries against a small application.

mod beside;
mod inside;
mod large;
mod random;
mod xpath;

use super::Strategy;
use super::*;
use handeye_core::testing::{named, tree};
use handeye_core::{Role, States};
use handeye_tree::outline;
use proptest::prelude::*;
use std::fmt::Write as _;

const EDITOR: &str = r#"
window "Untitled - Editor" [active]
  menubar
    menuitem "File"
    menuitem "Edit"
  toolbar
    button "Save" [id=save-button]
      text "Save"
    button "Save As" [disabled]
    button "Close all" [description=Closes every document]
    togglebutton "Bold" [pressed]
  textbox "Document" [focused] [id=document]: "Dear reader"
  checkbox "Wrap lines" [checked]
  textbox "Password" [protected]: "hunter2"
  slider "Zoom": 50
dialog "Open"
  text "Name:"
  textbox "Name"
  list "Files"
    listitem "report.txt"
    listitem "Report.pdf" [selected]
    listitem "C:\foo"
  button "OK"
  button "Save" [hidden]
"#;

/// The lines of what `query` finds, and the way that it matched.
fn shown(node: &Node) -> String {
    outline::line(node, None).into()
}

fn find_with(query: &str, strategy: Strategy) -> (Vec<String>, &'static str) {
    let tree = tree(EDITOR);
    let query = Query::parse(query, strategy).unwrap_or_else(|error| panic!("{query}: {error}"));
    let matches = query.find(&tree, Search::default()).expect("a cheap query");
    (
        matches.nodes.iter().map(|node| outline::summary(node.role, node.label()).into()).collect(),
        matches.matched.as_str(),
    )
}

fn find(query: &str) -> (Vec<String>, &'static str) {
    find_with(query, Strategy::Auto)
}

#[track_caller]
fn assert_first(query: &str, line: &str, matched: &str) {
    let (lines, by) = find(query);
    assert_eq!((lines.first().map(String::as_str), by), (Some(line), matched), "{query}: {lines:?}");
}

#[test]
fn auto_takes_the_most_exact_way() {
    assert_first("save-button", r#"button "Save""#, "identifier");
    assert_first("Save", r#"button "Save""#, "title_exact");
    assert_first("save as", r#"button "Save As""#, "title_exact");
    assert_first("wrap", r#"checkbox "Wrap lines""#, "title_contains");
    assert_first("docum", r#"textbox "Document""#, "title_contains");
    assert_first("every document", r#"button "Close all""#, "semantic");
    assert_first("dear", r#"textbox "Document""#, "semantic");
    assert_first("slider", r#"slider "Zoom""#, "role");
    assert_first("check box", r#"checkbox "Wrap lines""#, "role");
    assert_first("AXSlider", r#"slider "Zoom""#, "role");
}

/// The lines of what `query` finds in an application of its own.
fn find_in(outline: &str, query: &str) -> Vec<String> {
    let tree = tree(outline);
    let query = Query::parse(query, Strategy::Auto).expect(query);
    let matches = query.find(&tree, Search::default()).expect("a cheap query");
    matches.nodes.iter().map(|node| outline::line(node, None).into()).collect()
}

#[test]
fn what_lies_behind_a_modal_dialog_comes_after_it() {
    let books = "window \"Books\"\n  button \"Add\": \"behind\"\ndialog \"Accounts\" [modal]\n  group\n    button \"Add\"";
    let first = |outline: &str| find_in(outline, "button Add").swap_remove(0);
    assert_eq!(first(books), "button \"Add\"");
    assert_eq!(first(&books.replace(" [modal]", "")), "button \"Add\": \"behind\"");
    assert_eq!(first(&books.replace("[modal]", "[modal] [hidden]")), "button \"Add\": \"behind\"");
}

#[test]
fn the_name_of_a_role_means_what_shows_before_a_hidden_item_that_mentions_it() {
    let notes = "window \"Notes\"\n  menuitem \"Show the Dialog\" [hidden]\ndialog \"Properties\"";
    assert_eq!(find_in(notes, "dialog"), ["dialog \"Properties\""]);
    assert_eq!(find_in("window \"Notes\"\n  menuitem \"Show the Dialog\" [hidden]", "dialog").len(), 1);
}

#[test]
fn an_item_that_holds_others_is_a_menu_too() {
    let qt = "window \"Viewer\"\n  menubar\n    menuitem \"Help\"\n      menuitem \"About Help\" [hidden]";
    assert_eq!(find_in(qt, "menu Help >> About"), ["menuitem \"About Help\" [hidden]"]);
    assert_eq!(find_in(qt, "menu \"About Help\""), Vec::<String>::new());
}

#[test]
fn a_role_with_a_title_is_written_in_many_ways() {
    for query in [
        "button Save",
        r#"button "Save""#,
        "button 'Save'",
        "button:Save",
        "push button Save",
        "AXButton Save",
        "role:button Save",
        "role:button AND title:Save",
        r#"role="push button" title="Save""#,
        r#"- button "Save" [disabled]"#,
    ] {
        let (lines, _) = find(query);
        if query.contains("disabled") {
            assert!(lines.is_empty(), "Save is enabled, {query} found {lines:?}");
        } else {
            assert_eq!(lines.first().map(String::as_str), Some(r#"button "Save""#), "{query}");
        }
    }
    assert_eq!(find("button Save").1, "role_title");
}

#[test]
fn a_pasted_line_carries_its_reference() {
    for line in [
        r#"button "Save" [ref=e40] [disabled]"#,
        r#"- textbox "Document" [ref=e40] [focused]: "hello""#,
        r#"    - textbox "Password" [ref=e40]: [protected]"#,
        "[ref=e40]",
        "ref=e40",
        "e40",
    ] {
        let query = Query::parse(line, Strategy::Auto).expect(line);
        assert_eq!(query.reference(), Some("e40"), "{line}");
    }
    assert_eq!(Query::parse("e40", Strategy::Exact).expect("a title").reference(), None);
}

#[test]
fn the_line_of_every_element_finds_it_again() {
    let tree = tree(EDITOR);
    for node in tree.nodes().filter(|node| Some(node.id) != tree.root() && !node.label().is_empty()) {
        let line = outline::line(node, None);
        let matches = Query::parse(&line, Strategy::Auto)
            .expect(&line)
            .find(&tree, Search::default())
            .expect("a cheap query");
        assert!(matches.nodes.iter().any(|found| found.id == node.id), "{line}");
    }
}

#[test]
fn a_name_that_was_cut_off_finds_its_element() {
    let long = "x".repeat(300);
    let tree = tree(&format!("window \"W\"\n  button \"{long}\""));
    let line = outline::line(tree.get(named(&tree, &long)).expect("it is there"), None);
    assert!(line.contains("…(+180 chars)"));
    let matches =
        Query::parse(&line, Strategy::Auto).expect("a line").find(&tree, Search::default()).expect("cheap");
    assert_eq!(matches.total, 1);
}

#[test]
fn expressions_combine() {
    assert_first("role:button AND NOT enabled:true", r#"button "Save As""#, "compound");
    assert_first("role:button enabled:false", r#"button "Save As""#, "compound");
    assert_first("role:listitem state:selected", r#"listitem "Report.pdf""#, "compound");
    assert_first("(title:Zoom OR title:Bold) AND role:slider", r#"slider "Zoom""#, "compound");
    assert_first("value:reader", r#"textbox "Document""#, "compound");
    assert_first("focused:true", r#"textbox "Document""#, "compound");
    assert_first("checkbox [checked]", r#"checkbox "Wrap lines""#, "compound");
    assert_first("title~=\"lines\"", r#"checkbox "Wrap lines""#, "title_contains");
    assert_first("title=/^close/i", r#"button "Close all""#, "regex");
    assert_first("identifier:document", r#"textbox "Document""#, "identifier");
    assert_first("value:50", r#"slider "Zoom""#, "compound");
    assert_first("title:Save As enabled:false", r#"button "Save As""#, "compound");
    assert!(find("title!=Save role:button").0.iter().all(|line| line != r#"button "Save""#));
}

#[test]
fn an_element_is_found_inside_of_another_one() {
    assert_first("dialog >> textbox", r#"textbox "Name""#, "compound");
    assert_first(r#"dialog "Open" >> list >> listitem #2"#, r#"listitem "Report.pdf""#, "compound");
    assert_first("listitem nth:3", r#"listitem "C:\\foo""#, "role");
    assert_first("button #2", r#"button "Save As""#, "role");
    assert!(find(r#"dialog >> textbox "Document""#).0.is_empty());
}

#[test]
fn what_looks_like_syntax_may_be_a_title() {
    for title in [
        "C:\\foo",
        "Name:",
        "Don't",
        "5\" disk",
        "Really? (y/n)",
        "a > b",
        "[draft]",
        "#1",
        "/etc/hosts",
        "x AND",
        "-",
    ] {
        let mut tree = tree("window \"W\"");
        let window = named(&tree, "W");
        let id = handeye_core::testing::add_line(&mut tree, window, "button \"B\"");
        tree.update(id, |node| node.name = title.into());
        let Ok(query) = Query::parse(title, Strategy::Auto) else {
            assert_eq!(title, "x AND", "only an operator without its operand is malformed");
            continue;
        };
        let matches = query.find(&tree, Search::default()).expect("cheap");
        assert_eq!(matches.nodes.first().map(|node| node.id), Some(id), "{title}");
    }
}

#[test]
fn strategies_are_strict() {
    assert_eq!(find_with("save", Strategy::Exact).0, Vec::<String>::new());
    assert_eq!(find_with("Save", Strategy::Exact).1, "title_exact");
    assert_eq!(find_with("AVE A", Strategy::Contains).0, [r#"button "Save As""#]);
    assert_eq!(find_with("^Report", Strategy::Regex).0, [r#"listitem "Report.pdf""#]);
    assert_eq!(find_with("reader$", Strategy::Regex).0, [r#"textbox "Document""#]);
    for name in ["AXTextField", "text field", "TextArea", "textbox"] {
        assert_eq!(find_with(name, Strategy::Role).0.len(), 3, "{name}");
    }
    assert!(Query::parse("Browser", Strategy::Role).is_err(), "a title, although macOS has an AXBrowser");
    assert_eq!(find_with("save", Strategy::Identifier), (vec![r#"button "Save""#.to_owned()], "identifier"));
    assert_eq!(find_with("//slider", Strategy::Xpath), (vec![r#"slider "Zoom""#.to_owned()], "xpath"));
}

#[test]
fn what_is_showing_and_actionable_comes_first() {
    let tree = tree(EDITOR);
    let matches =
        Query::parse("Save", Strategy::Auto).expect("a title").find(&tree, Search::default()).expect("cheap");
    assert_eq!(matches.total, 3);
    assert_eq!(matches.equally_good, 1);
    assert_eq!(matches.nodes[0].role, Role::Button);
    assert!(!matches.nodes[2].is_showing());
    let showing = Search { showing_only: true, limit: 1, ..Search::default() };
    let matches = Query::parse("Save", Strategy::Auto).expect("a title").find(&tree, showing).expect("cheap");
    assert_eq!((matches.nodes.len(), matches.total), (1, 2));
}

#[test]
fn a_scope_limits_the_search() {
    let tree = tree(EDITOR);
    let dialog = Search { root: Some(named(&tree, "Open")), ..Search::default() };
    let query = Query::parse("textbox", Strategy::Auto).expect("a role");
    assert_eq!(query.find(&tree, dialog).expect("cheap").total, 1);
}

#[test]
fn a_password_cannot_be_guessed() {
    for query in
        ["hunter2", "value:hunter2", "//textbox[@value='hunter2']", "text:hunter2", "//*[text()='hunter2']"]
    {
        assert!(find(query).0.is_empty(), "{query}");
    }
    assert!(find_with("hunter2", Strategy::Regex).0.is_empty());
}

#[test]
fn details_that_are_needed_are_reported() {
    let needs = |query: &str| Query::parse(query, Strategy::Auto).expect(query).needs();
    assert_eq!(needs("Save"), DetailKinds::empty());
    assert_eq!(needs("identifier:x"), DetailKinds::IDENTIFIER);
    assert_eq!(needs("button AND value:x"), DetailKinds::TEXT | DetailKinds::VALUE);
    assert_eq!(needs("//button[@id='x']"), DetailKinds::IDENTIFIER);
}

#[test]
fn a_malformed_query_shows_where_and_what_would_work() {
    let message = |query: &str| {
        let error = Query::parse(query, Strategy::Auto).expect_err(query);
        assert_eq!(error.code, ErrorCode::InvalidQuery);
        assert!(error.next.is_some(), "{query}");
        error.message
    };
    insta::assert_snapshot!(message("role:button AND (title:Save"), @r"
    the query cannot be parsed at character 17: this '(' is never closed
      role:button AND (title:Save
                      ^
    ");
    insta::assert_snapshot!(message("role:buton"), @r"
    the query cannot be parsed at character 6: no role is called 'buton'
      role:buton
           ^
    ");
    insta::assert_snapshot!(message("//button[@nam='x']"), @r"
    the query cannot be parsed at character 11: there is no attribute 'nam'
      //button[@nam='x']
                ^
    ");
    for query in
        ["", "   ", "title=/(/", "role:button AND", "//", "//button[", "//buton", "state:shiny", "a >> "]
    {
        message(query);
    }
    assert!(Query::parse(&"x".repeat(MAX_QUERY_BYTES + 1), Strategy::Auto).is_err());
    assert!(Query::parse(&format!("role:button {}", "(".repeat(2000)), Strategy::Auto).is_err());
    assert!(Query::parse(&format!("//*{}", "[(".repeat(1000)), Strategy::Auto).is_err());
    assert!(Query::parse("(", Strategy::Regex).is_err());
    assert!(Query::parse("(a{1000}){1000}", Strategy::Regex).is_err());
}

#[test]
fn near_misses_help() {
    let tree = tree(EDITOR);
    assert_eq!(near_misses(&tree, "Svae", 2, shown), [r#"button "Save""#, r#"text "Save""#]);
    let query = Query::parse("button Wrap linse", Strategy::Auto).expect("role and title");
    assert_eq!(query.near_misses(&tree, 1, shown), [r#"checkbox "Wrap lines" [checked]"#]);
    for name in ["searchbox", "role:searchbox", "search field"] {
        let query = Query::parse(name, Strategy::Auto).expect("a role");
        let near = query.near_misses(&tree, 1, shown);
        assert_eq!(near, [r#"textbox "Document" [focused]: "Dear reader""#], "{name}");
    }
}

#[test]
fn a_cyclic_tree_ends() {
    let mut tree = tree(EDITOR);
    let (window, list) = (named(&tree, "Untitled - Editor"), named(&tree, "Files"));
    tree.update(list, |list| list.children.push(window));
    for query in
        ["Save", "dialog >> button OK", "//button", "//listitem/ancestor::*", "//*/following::button"]
    {
        Query::parse(query, Strategy::Auto).expect(query).find(&tree, Search::default()).expect("cheap");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_query_panics(text in ".{0,60}") {
        let tree = tree("window \"W\"\n  button \"Save\"");
        for strategy in [Strategy::Auto, Strategy::Regex, Strategy::Xpath, Strategy::Role] {
            if let Ok(query) = Query::parse(&text, strategy) {
                let _found = query.find(&tree, Search::default());
                let _near = query.near_misses(&tree, 3, shown);
            }
        }
    }

    #[test]
    fn no_mixture_of_syntax_panics(parts in proptest::collection::vec(prop_oneof![
        Just("role:"), Just("title="), Just("title~="), Just("button"), Just("\"Save\""), Just("AND"), Just("OR"), Just("NOT"),
        Just("("), Just(")"), Just(">>"), Just("#2"), Just("[ref=e3]"), Just("[disabled]"), Just(": "), Just("/x/i"), Just("é"),
        Just("//"), Just("/"), Just("@name"), Just("["), Just("]"), Just("*"), Just("last()"), Just("contains("), Just(","),
        Just("'x'"), Just(".."), Just("ancestor::"), Just("="), Just("|"), Just("1"), Just("-"), Just("enabled:true"), Just("\\"),
    ], 0..14), spaced: bool) {
        let text = parts.join(if spaced { " " } else { "" });
        let tree = tree("window \"W\"\n  button \"Save\"\n  list \"L\"\n    listitem \"a\" [selected]");
        for strategy in [Strategy::Auto, Strategy::Xpath] {
            match Query::parse(&text, strategy) {
                Ok(query) => { let _found = query.find(&tree, Search::default()); }
                Err(error) => prop_assert_eq!(error.code, ErrorCode::InvalidQuery),
            }
        }
    }

    #[test]
    fn a_title_finds_its_element_whatever_it_is(title in "[ -~é漢]{1,30}") {
        prop_assume!(!title.trim().is_empty());
        let mut tree = tree("window \"W\"\n  button \"B\"");
        let id = named(&tree, "B");
        tree.update(id, |node| node.name = title.as_str().into());
        let line = outline::line(tree.get(id).expect("it is there"), None);
        let query = Query::parse(&line, Strategy::Auto);
        prop_assert!(query.is_ok(), "{} does not parse", line);
        let found = query.expect("checked").find(&tree, Search::default()).expect("cheap");
        prop_assert!(found.nodes.iter().any(|node| node.id == id), "{}", line);
        let exact = Query::parse(&title, Strategy::Exact).expect("any title").find(&tree, Search::default()).expect("cheap");
        prop_assert_eq!(exact.nodes.first().map(|node| node.id), Some(id));
    }
}

#[test]
fn states_have_the_names_that_outlines_print() {
    let mut node = (**tree("window \"W\"\n  treeitem \"T\"")
        .nodes()
        .find(|node| node.role == Role::TreeItem)
        .expect("it is there"))
    .clone();
    node.states = States::all();
    for tag in outline::line(&node, None).split('[').skip(1).filter_map(|tag| tag.split(']').next()) {
        assert!(
            Query::parse(&format!("treeitem [{tag}]"), Strategy::Auto).expect(tag).reference().is_none(),
            "[{tag}] can be pasted back"
        );
    }
}

#[test]
fn a_label_that_is_the_whole_query_is_whole_whatever_its_words_may_mean() {
    let query = |text| Query::parse(text, Strategy::Auto).expect(text);
    assert!(query("link button").is_whole("Link button"));
    assert!(query("role:button Save").is_whole("Save"));
    assert!(!query("Save").is_whole("Save As"));
}

#[test]
fn a_description_is_searched_by_whole_words_and_after_every_name() {
    let tree = tree(
        r#"
window "Editor"
  button "Redo" [description=Redo the action that was undone]
  button "Donate"
  button "" [description=Show what was done]
"#,
    );
    let find = |query: &str| -> Vec<String> {
        let query = Query::parse(query, Strategy::Auto).expect("a query");
        let found = query.find(&tree, Search::default()).expect("a cheap query");
        found.nodes.iter().map(|node| node.label().to_owned()).collect()
    };
    assert_eq!(find("button Don"), ["Donate"]);
    assert_eq!(find("button undone"), ["Redo"]);
    assert_eq!(find("button done"), ["Show what was done"]);
    assert_eq!(find("button undo"), [""; 0]);
    assert_eq!(find("the action"), ["Redo"]);
}
