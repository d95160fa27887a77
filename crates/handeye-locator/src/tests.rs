//! Healing on small trees.

use super::*;
use handeye_core::Tree;
use handeye_core::testing::{named, tree};

fn print_of(tree: &Tree, name: &str) -> Fingerprint {
    Survey::new(tree).fingerprint(named(tree, name)).expect("it is in the tree")
}

fn healed(before: &str, name: &str, after: &Tree) -> Outcome {
    heal(&print_of(&tree(before), name), &Survey::new(after))
}

fn found(before: &str, name: &str, after: &str, new: &str) -> Strategy {
    let after = tree(after);
    match healed(before, name, &after) {
        Outcome::Found(healed) if healed.node == named(&after, new) => healed.strategy,
        other => panic!("{other:?}"),
    }
}

const EDITOR: &str = r#"
window "Untitled"
  toolbar "Main"
    button "New"
    button "Open"
    button "Save"
    button "Print"
    button "Find"
  list "Files"
    listitem "a.txt"
      button "Delete"
    listitem "b.txt"
      button "Delete"
"#;

#[test]
fn a_renamed_button_is_found_by_its_neighbours() {
    let strategy = found(EDITOR, "Save", &EDITOR.replace("Save", "Keep"), "Keep");
    assert!(matches!(strategy, Strategy::Xpath | Strategy::Semantic), "{strategy:?}");
    let more = EDITOR
        .replace("\"Save\"", "\"Keep\"")
        .replace("    button \"New\"", "    button \"Home\"\n    button \"New\"");
    assert_eq!(found(EDITOR, "Save", &more, "Keep"), Strategy::Semantic);
}

#[test]
fn a_moved_button_is_found_by_its_title() {
    let moved = EDITOR
        .replace("    button \"Save\"\n", "")
        .replace("\n  list \"", "\n  group \"Side\"\n    button \"Save\"\n  list \"");
    assert_eq!(found(EDITOR, "Save", &moved, "Save"), Strategy::TitleExact);
}

#[test]
fn what_is_gone_is_gone() {
    for name in ["New", "Open", "Save", "Print", "Find"] {
        let after = tree(&EDITOR.replace(&format!("    button \"{name}\"\n"), ""));
        assert!(matches!(healed(EDITOR, name, &after), Outcome::Gone(_)), "{name}");
    }
    let after = tree(&EDITOR.replace("    listitem \"a.txt\"\n      button \"Delete\"\n", ""));
    assert!(matches!(healed(EDITOR, "a.txt", &after), Outcome::Gone(_)));
    assert!(matches!(healed(EDITOR, "Delete", &after), Outcome::Gone(_)), "the button of b.txt");
}

#[test]
fn between_equals_nothing_is_guessed() {
    let before = "window \"W\"\n  button \"OK\"";
    let after = tree("window \"W\"\n  group\n    button \"OK\"\n  group\n    button \"OK\"");
    let Outcome::Ambiguous(both) = healed(before, "OK", &after) else { panic!("it guessed") };
    assert_eq!(both.len(), 2);
}

#[test]
fn a_button_of_another_dialog_is_another_one() {
    let before = "window \"W\"\ndialog \"Quit?\"\n  button \"OK\"\n  button \"Cancel\"";
    let after = tree("window \"W\"\ndialog \"Delete all?\"\n  button \"OK\"\n  button \"Cancel\"");
    assert!(matches!(healed(before, "OK", &after), Outcome::Gone(_)));
}

#[test]
fn another_language_has_the_same_structure_and_identifiers() {
    let german = EDITOR
        .replace("Main", "Haupt")
        .replace("New", "Neu")
        .replace("Open", "Öffnen")
        .replace("Save", "Sichern")
        .replace("Print", "Drucken")
        .replace("Find", "Suchen")
        .replace("Files", "Dateien")
        .replace("Delete", "Löschen");
    assert_eq!(found(EDITOR, "Save", &german, "Sichern"), Strategy::Xpath);
    let with =
        |text: &str, name: &str| text.replace(&format!("\"{name}\""), &format!("\"{name}\" [id=save]"));
    let moved = with(&german, "Sichern")
        .replace("  toolbar", "  toolbar \"Extra\"\n  toolbar")
        .replace("    button \"Neu\"\n", "");
    assert_eq!(found(&with(EDITOR, "Save"), "Save", &moved, "Sichern"), Strategy::Identifier);
}

#[test]
fn a_fingerprint_survives_a_file() {
    let before = tree(EDITOR);
    let survey = Survey::new(&before);
    for node in before.nodes() {
        let print = survey.fingerprint(node.id).expect("it is in the tree");
        let text = serde_json::to_string(&print).expect("JSON");
        assert_eq!(serde_json::from_str::<Fingerprint>(&text).expect("the same"), print, "{text}");
    }
    for bad in
        ["{}", "[]", r#"{"role":"x","at":[0,1]}"#, r#"{"role":"push button","at":[0,1],"beside":"xyz"}"#]
    {
        assert!(serde_json::from_str::<Fingerprint>(bad).is_err(), "{bad}");
    }
}

/// A tool bar of so many buttons beside a list of settings.
fn large(buttons: usize, settings: usize, renamed: bool) -> String {
    let mut outline = "window \"Sheet\"\n  toolbar \"Standard\"\n".to_owned();
    for number in 0..buttons {
        let name =
            if renamed && number == 20 { "Something else".to_owned() } else { format!("Command {number}") };
        outline.push_str(&format!("    button \"{name}\"\n"));
    }
    outline.push_str("  group \"Settings\"\n");
    for number in 0..settings {
        outline.push_str(&format!("    checkbox \"Setting {number}\"\n"));
    }
    outline
}

#[test]
fn a_button_of_a_long_tool_bar_is_found_where_it_stands() {
    let strategy = found(&large(40, 5, false), "Command 20", &large(40, 5, true), "Something else");
    assert_eq!(strategy, Strategy::Xpath);
}

#[test]
fn labels_are_still_there_in_a_tree_that_has_grown() {
    // A fingerprint keeps a sample of them, and the sample of a larger tree is another one.
    let (before, after) = (tree(&large(10, 400, false)), tree(&large(10, 2_000, false)));
    let survey = Survey::new(&after);
    let print = print_of(&before, "Command 3");
    assert!(survey.kept(&print.beside) > 0.99, "{}", survey.kept(&print.beside));
}
