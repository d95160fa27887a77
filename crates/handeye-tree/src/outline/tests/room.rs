//! What an outline shows of lists and of trees that are larger than its budget.

use super::*;

#[test]
fn a_long_list_shows_its_visible_rows_and_the_count() {
    let rendered = outline_of(&tree(&long_list(500, 3)), &Options::default());
    insta::assert_snapshot!(rendered.text, @r#"
    - window "W" [ref=e1]
      - list "Files" [ref=e2]
        - listitem "file 0" [ref=e3]
        - listitem "file 1" [ref=e4]
        - listitem "file 2" [ref=e5]
        - … 697 more rows are hidden: ax_get_tree root_query=e2 include_invisible=true
    "#);
}

#[test]
fn many_visible_rows_are_cut_unless_the_list_was_asked_for() {
    let tree = tree(&long_list(100, 100));
    let whole = outline_of(&tree, &Options::default());
    assert!(whole.text.contains("… 40 more rows: ax_get_tree root_query=e2"), "{}", whole.text);
    assert_eq!(whole.omitted, 40);
    let list = render(&tree, Some(named(&tree, "Files")), &Options::default(), None);
    assert_eq!(list.shown, 101);
}

#[test]
fn the_budget_holds_and_says_what_is_missing() {
    let tree = tree(&long_list(60, 60));
    for budget in [150, 300, 500] {
        let rendered = outline_of(&tree, &Options { budget_tokens: budget, ..Options::default() });
        assert!(rendered.truncated);
        assert_eq!(rendered.shown + rendered.omitted, 62, "{}", rendered.text);
        assert!(estimate_tokens(&rendered.text) <= budget, "{}", rendered.text);
        assert!(rendered.text.contains("ax_get_tree root_query=e"), "{}", rendered.text);
    }
}

#[test]
fn the_budget_goes_to_upper_levels_to_what_can_be_acted_on_and_to_some_rows_of_each_list() {
    let mut text = String::from("window \"W\"\n");
    for list in ["First", "Second"] {
        writeln!(text, "  list \"{list}\"").expect("a string grows");
        for row in 0..30 {
            writeln!(text, "    listitem \"{list} {row}\"\n      text \"about it\"").expect("a string grows");
        }
    }
    text.push_str("  text \"A long explanation\"\n  button \"OK\"\n");
    text.push_str("  group \"More\"\n    text \"Deep words\"\n    button \"Deep\"\n");
    let tree = tree(&text);
    let rendered = outline_of(&tree, &Options { budget_tokens: 480, ..Options::default() });
    insta::assert_snapshot!(rendered.text, @r#"
    - window "W" [ref=e1]
      - list "First" [ref=e2]
        - listitem "First 0" [ref=e3] (+1 inside)
        - listitem "First 1" [ref=e4] (+1 inside)
        - listitem "First 2" [ref=e5] (+1 inside)
        - listitem "First 3" [ref=e6] (+1 inside)
        - listitem "First 4" [ref=e7] (+1 inside)
        - listitem "First 5" [ref=e8] (+1 inside)
        - listitem "First 6" [ref=e9] (+1 inside)
        - listitem "First 7" [ref=e10] (+1 inside)
        - … 22 more rows: ax_get_tree root_query=e2
      - list "Second" [ref=e20]
        - listitem "Second 0" [ref=e21] (+1 inside)
        - listitem "Second 1" [ref=e22] (+1 inside)
        - … 28 more rows: ax_get_tree root_query=e20
      - text "A long explanation"
      - button "OK" [ref=e23]
      - group "More" [ref=e24]
        - text "Deep words"
        - button "Deep" [ref=e25]
    … 110 more elements, over the budget of 480 tokens: ax_get_tree root_query=e20 shows a part
    "#);
    let small = outline_of(&tree, &Options { budget_tokens: 200, ..Options::default() });
    insta::assert_snapshot!(small.text, @r#"
    - window "W" [ref=e1] (+4 inside)
      - list "First" [ref=e2]
        - … 30 more rows: ax_get_tree root_query=e2
      - list "Second" [ref=e8]
        - … 30 more rows: ax_get_tree root_query=e8
      - button "OK" [ref=e9]
    … 124 more elements, over the budget of 200 tokens: ax_get_tree root_query=e8 shows a part
    "#);
}
