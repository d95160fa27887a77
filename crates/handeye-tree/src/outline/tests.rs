//! Outlines of small applications, and what they cost.

use super::*;
use crate::references::References;
use handeye_core::testing::{add_line, named, remove, tree};
use handeye_core::{ApplicationId, Node, Owner, ProcessIdentity, Role, SourceId, States};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::sync::Arc;

mod blank_cells;
mod merge;
mod room;

fn outline_of(tree: &Tree, options: &Options) -> Rendered {
    let (references, app) = (References::new(), ApplicationId::new(SourceId::new("memory"), ":1.1"));
    let minter = references.minter(&app, tree);
    render(tree, None, options, Some(&minter))
}

fn long_list(rows: usize, hidden_from: usize) -> String {
    let mut text = String::from("window \"W\"\n  list \"Files\" [count=700]\n");
    for row in 0..rows {
        let hidden = if row >= hidden_from { " [hidden]" } else { "" };
        writeln!(text, "    listitem \"file {row}\"{hidden}").expect("a string grows");
    }
    text
}

const EDITOR: &str = r#"
window "Untitled - Editor" [active]
  group
    generic
      menubar
        menuitem "File"
          menu
            menuitem "Quit" [hidden]
      toolbar
        button "Save" [disabled]
          img
          text "Save"
        separator
        togglebutton "Bold" [pressed]
    text "Name"
    textbox "Name" [focused]: "report"
    text "Ready"
    textbox "Password" [protected]: "hunter2"
    scrollbar
      button "Up"
    slider "Zoom": 50.000000001
    img
    img "Logo"
  group "Options"
    checkbox "Wrap" [checked]
    checkbox "Beep" [mixed]
"#;

#[test]
fn an_outline_folds_what_carries_nothing() {
    let rendered = outline_of(&tree(EDITOR), &Options::default());
    insta::assert_snapshot!(rendered.text, @r#"
    - window "Untitled - Editor" [ref=e1] [active]
      - menuitem "File" [ref=e2]
      - button "Save" [ref=e3] [disabled]
      - button "Bold" [ref=e4] [pressed]
      - textbox "Name" [ref=e5] [focused]: "report"
      - text "Ready"
      - textbox "Password" [ref=e6]: [protected]
      - slider "Zoom" [ref=e7]: 50
      - img "Logo"
      - group "Options" [ref=e8]
        - checkbox "Wrap" [ref=e9] [checked]
        - checkbox "Beep" [ref=e10] [checked=mixed]
    "#);
    assert_eq!((rendered.omitted, rendered.truncated), (0, false));
}

#[test]
fn a_control_without_a_name_has_that_of_the_texts_in_it() {
    let text = r#"
window "W"
  button
    generic
      text "Nick"
  tab [selected]
    text "NYC"
  button
    text "Sans Regular"
    text "12"
  button
    text "Choose"
    img "Folder"
  button "Named"
    text "Another"
  listitem
    text "a"
    text "b"
    text "c"
    text "d"
  group
    text "Alone"
"#;
    let rendered = outline_of(&tree(text), &Options::default());
    insta::assert_snapshot!(rendered.text, @r#"
    - window "W" [ref=e1]
      - button "Nick" [ref=e2]
      - tab "NYC" [ref=e3] [selected]
      - button "Sans Regular 12" [ref=e4]
      - button [ref=e5]
        - text "Choose"
        - img "Folder"
      - button "Named" [ref=e6]
        - text "Another"
      - listitem [ref=e7]
        - text "a"
        - text "b"
        - text "c"
        - text "d"
      - text "Alone"
    "#);
}

#[test]
fn the_button_of_a_list_is_shown_where_it_is_not_all_of_it() {
    let text = r#"
window "W"
  combobox "Size"
    button
  combobox [disabled]
    button [disabled]
  combobox
    button [disabled]
  combobox
    textbox
    button
  combobox
    button "Open"
  combobox
"#;
    let rendered = outline_of(&tree(text), &Options::default());
    insta::assert_snapshot!(rendered.text, @r#"
    - window "W" [ref=e1]
      - combobox "Size" [ref=e2]
      - combobox [ref=e3] [disabled]
      - combobox [ref=e4]
        - button [ref=e5] [disabled]
      - combobox [ref=e6]
        - textbox [ref=e7]
        - button [ref=e8]
      - combobox [ref=e9]
        - button "Open" [ref=e10]
      - combobox [ref=e11]
    "#);
}

#[test]
fn a_compact_outline_has_roles_and_names_only() {
    let rendered = outline_of(&tree(EDITOR), &Options { compact: true, ..Options::default() });
    insta::assert_snapshot!(rendered.text, @r#"
    - window "Untitled - Editor"
      - menuitem "File"
      - button "Save"
      - button "Bold"
      - textbox "Name"
      - text "Ready"
      - textbox "Password"
      - slider "Zoom"
      - img "Logo"
      - group "Options"
        - checkbox "Wrap"
        - checkbox "Beep"
    "#);
}

#[test]
fn a_depth_is_reported_where_it_cuts() {
    let rendered = outline_of(&tree(EDITOR), &Options { max_depth: Some(1), ..Options::default() });
    insta::assert_snapshot!(rendered.text, @r#"
    - window "Untitled - Editor" [ref=e1] [active] (+11 inside)
    … 11 elements are deeper than max_depth: raise it, or ax_get_tree root_query=e1
    "#);
}

#[test]
fn hidden_elements_are_marked_when_they_are_asked_for() {
    let rendered = outline_of(&tree(EDITOR), &Options { include_hidden: true, ..Options::default() });
    assert!(rendered.text.contains("menuitem \"Quit\" [ref=e3] [hidden]"), "{}", rendered.text);
}

#[test]
fn secrets_and_fakes_stay_out() {
    let mut tree = tree("window \"W\"\n  textbox \"Password\" [protected]: \"hunter2\"\n  button \"B\"");
    let button = named(&tree, "B");
    tree.update(button, |node| node.name = "x\"\n- button \"Pay\" [ref=e1]\u{202e}\u{2028}!".into());
    let rendered = outline_of(&tree, &Options::default());
    assert!(!rendered.text.contains("hunter2"));
    assert_eq!(rendered.text.lines().count(), 3, "{}", rendered.text);
    assert!(rendered.text.contains(r#""x\"\n- button \"Pay\" [ref=e1]\u202e\u2028!""#), "{}", rendered.text);
}

#[test]
fn a_hostile_tree_ends() {
    let mut deep = String::new();
    for level in 0..3_000 {
        writeln!(deep, "{}group \"level {level}\"", " ".repeat(level)).expect("a string grows");
    }
    let mut tree = tree(&deep);
    let (first, last) = (named(&tree, "level 0"), named(&tree, "level 2999"));
    tree.update(last, |node| node.children.push(first));
    let rendered = outline_of(&tree, &Options::default());
    assert!(rendered.truncated);
    assert_eq!(rendered.shown + rendered.omitted, 3_000);
}

#[test]
fn long_texts_are_cut_and_counted() {
    let mut tree = tree("window \"W\"\n  textbox \"D\": \"x\"");
    let text = handeye_core::TextContent { shown: "a".repeat(4096).into(), total_chars: 10_000 };
    let field = named(&tree, "D");
    tree.update(field, |node| node.details.text = handeye_core::Detail::Known(text));
    let rendered = outline_of(&tree, &Options::default());
    assert!(rendered.text.contains("…(+9800 chars)\""), "{}", rendered.text);
}

#[test]
fn the_estimate_is_hardly_ever_too_low() {
    let samples = [
        String::from(outline_of(&tree(EDITOR), &Options::default()).text),
        outline_of(&tree(&long_list(500, 40)), &Options::default()).text.into(),
        "- button \"Einstellungen öffnen\" [ref=e120] [disabled]\n- textbox \"Schriftgröße\" [ref=e121]: \"12\"\n".repeat(8),
        "- menuitem \"ファイル\" [ref=e5]\n- button \"保存して閉じる\" [ref=e6]\n- text \"未保存の変更があります\"\n".repeat(8),
        "- button \"Сохранить как\" [ref=e7]\n- checkbox \"Перенос строк\" [ref=e8] [checked]\n".repeat(8),
        "- menuitem \"文件\" [ref=e5]\n- button \"另存为\" [ref=e6]\n- text \"有未保存的更改，请先保存\"\n".repeat(8),
        "- menuitem \"파일\" [ref=e5]\n- button \"다른 이름으로 저장\" [ref=e6]\n".repeat(8),
        "- button \"احفظ باسم\" [ref=e6]\n- button \"שמירה בשם\" [ref=e7]\n- button \"ไฟล์ใหม่\" [ref=e8]\n".repeat(8),
        "- button \"😀 Smile 🎉\" [ref=e6]\n- button \"👩‍💻\" [ref=e7]\n".repeat(8),
        "The quick brown fox jumps over the lazy dog, and internationalization is extraordinarily underestimated.\n".repeat(4),
        "{\"found\":true,\"strategy\":\"title_exact\",\"position\":[1024,768],\"element_ref\":\"e12\"}".repeat(8),
        "~ textbox \"Document\" [ref=e31]: value \"a\" -> \"ab\"\nfocus: e3 -> e9 textbox \"Name\"\n".repeat(8),
        "https://example.org/a/b?c=d&e=f#g 3.14159 0xDEADBEEF /usr/share/doc/libgtk-3-0/README.md".repeat(4),
    ];
    let tokenizer = tiktoken_rs::o200k_base().expect("the vocabulary is built in");
    for sample in samples {
        let real = tokenizer.encode_ordinary(&sample).len();
        let estimate = estimate_tokens(&sample);
        println!(
            "{real:>6} {estimate:>6} {:.2} {}",
            estimate as f64 / real as f64,
            sample.lines().next().unwrap_or("")
        );
        assert!(estimate as f64 >= real as f64 * 0.95, "{estimate} for {real}: {sample}");
        assert!(estimate as f64 <= real as f64 * 1.8, "{estimate} for {real}: {sample}");
    }
}

#[test]
fn a_window_of_260_elements_costs_1300_tokens_at_most() {
    // What gtk3-widget-factory shows; its other 160 elements are wrappers that are folded away.
    let rendered = outline_of(&tree(include_str!("widget-factory.txt")), &Options::default());
    let tokens =
        tiktoken_rs::o200k_base().expect("the vocabulary is built in").encode_ordinary(&rendered.text).len();
    println!("{tokens} tokens, estimated {}", estimate_tokens(&rendered.text));
    assert!(rendered.shown > 90);
    assert!(tokens <= 1_300, "{tokens} tokens:\n{}", rendered.text);
}

proptest! {
    #[test]
    fn screen_text_stays_on_its_line(name in ".*", value in "(?s).*") {
        let mut tree = tree("window \"W\"\n  textbox \"D\": \"x\"");
        let field = named(&tree, "D");
        tree.update(field, |node| {
            node.name = name.as_str().into();
            node.details.text = handeye_core::Detail::Known(handeye_core::TextContent {
                total_chars: value.chars().count() as u32,
                shown: value.as_str().into(),
            });
        });
        let rendered = outline_of(&tree, &Options::default());
        prop_assert_eq!(rendered.text.lines().count(), 2);
        prop_assert!(rendered.text.chars().all(|c| c == '\n' || !c.is_control()));
    }
}

#[test]
fn what_is_too_much_to_load_is_counted() {
    let text = "window \"W\"\n  group [count=200000]\n    button \"First\"\n    button \"Second\"";
    let rendered = outline_of(&tree(text), &Options::default());
    insta::assert_snapshot!(rendered.text, @r#"
    - window "W" [ref=e1]
      - group [ref=e2]
        - button "First" [ref=e3]
        - button "Second" [ref=e4]
        - … 199998 more rows are not loaded: ax_scroll query=e2
    "#);
    assert_eq!(rendered.omitted, 199_998);
}

/// `text`, with one element changed.
fn changed(text: &str, name: &str, change: impl FnOnce(&mut Node)) -> Tree {
    let mut tree = tree(text);
    let id = named(&tree, name);
    tree.update(id, change);
    tree
}

#[test]
fn the_owner_is_reported_where_it_changes() {
    let owner = Arc::new(Owner { name: "page".into(), process: Some(ProcessIdentity::unverified(42)) });
    let mut tree =
        changed("window \"W\"\n  group \"Page\"\n    button \"Delete\"\n  button \"Mine\"", "Page", |node| {
            node.owner = Some(Arc::clone(&owner));
        });
    let inside = named(&tree, "Delete");
    tree.update(inside, |node| node.owner = Some(owner));
    let rendered = outline_of(&tree, &Options::default());
    insta::assert_snapshot!(rendered.text, @r#"
    - window "W" [ref=e1]
      - group "Page" [ref=e2] [of page (process 42)]
        - button "Delete" [ref=e3]
      - button "Mine" [ref=e4]
    "#);
    let part = render(&tree, Some(inside), &Options::default(), None);
    assert!(part.text.contains("[of page (process 42)]"), "{}", part.text);
}

#[test]
fn what_is_left_out_as_another_processs_is_counted() {
    let tree = changed("window \"W\"\n  group \"Claims\"", "Claims", |node| node.strangers = 2);
    let rendered = outline_of(&tree, &Options::default());
    assert!(rendered.text.contains("… 2 elements of other processes are left out"), "{}", rendered.text);
    assert_eq!(rendered.omitted, 2);
}

#[test]
fn a_page_that_is_not_all_there_says_so() {
    let tree = changed("window \"W\"\n  document \"Page\"", "Page", |node| node.states |= States::BUSY);
    let rendered = outline_of(&tree, &Options::default());
    assert!(rendered.incomplete && rendered.text.contains("call ax_get_tree again"), "{}", rendered.text);
}

#[test]
fn a_place_whose_page_went_away_waits_for_the_next_one_for_a_moment() {
    let browser = "window \"W\"\n  group\n    document\n  button \"Reload\"";
    let swapped = |outline: &str| {
        let mut tree = tree(outline);
        let page = tree.nodes().find(|node| node.role == Role::Document).map(|node| (node.id, node.parent));
        let (page, place) = page.expect("a page");
        remove(&mut tree, page);
        (tree, place.expect("a place"))
    };
    let (mut waiting, place) = swapped(browser);
    let rendered = outline_of(&waiting, &Options::default());
    assert!(rendered.incomplete && rendered.text.contains("nothing of the page is"), "{}", rendered.text);

    add_line(&mut waiting, place, "group");
    assert!(outline_of(&waiting, &Options::default()).incomplete, "an empty container is no page");

    add_line(&mut waiting, place, "document \"Page\"");
    let rendered = outline_of(&waiting, &Options::default());
    assert!(!rendered.incomplete && rendered.text.contains("document \"Page\""), "{}", rendered.text);

    // Lists of a browser's own parts are pages in windows without a title.
    let (own_part, _) = swapped(&browser.replace("\"W\"", ""));
    assert!(!outline_of(&own_part, &Options::default()).incomplete);
}

#[test]
fn a_minimized_window_says_what_helps() {
    let minimize = |node: &mut Node| node.states |= States::ICONIFIED;
    // What of it is still listed may be a part: a browser hides its page first.
    for outline in ["window \"W\"", "window \"W\"\n  button \"B\""] {
        let rendered = outline_of(&changed(outline, "W", minimize), &Options::default());
        assert!(
            rendered.text.contains("ax_get_tree root_query=e1 include_invisible=true"),
            "{}",
            rendered.text
        );
    }
}

#[test]
fn only_the_innermost_says_that_it_is_focused_and_no_tab_that_it_is_disabled() {
    let rendered = outline_of(
        &tree(
            "window \"W\"\n  tablist \"T\" [focused]\n    tab \"One\" [focused]\n    tab \"Two\" [disabled]",
        ),
        &Options::default(),
    );
    assert_eq!(rendered.text.matches("[focused]").count(), 1, "{}", rendered.text);
    assert!(rendered.text.contains("tab \"One\" [ref=e3] [focused]"), "{}", rendered.text);
    assert!(!rendered.text.contains("[disabled]"), "{}", rendered.text);
}
