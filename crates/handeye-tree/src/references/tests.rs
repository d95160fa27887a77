//! References over the life of their elements.

use super::*;
use handeye_core::SourceId;
use handeye_core::testing::{add_line, named, remove, tree};

fn app() -> ApplicationId {
    ApplicationId::new(SourceId::new("memory"), ":1.7")
}

fn entry_of(references: &References, tree: &Tree, name: &str) -> Entry {
    let reference = references.mint(&app(), tree, named(tree, name)).expect("the element is in the tree");
    references.lookup(&reference.to_string()).expect("it was just given out")
}

const ROWS: &str = r#"
window "Contacts"
  list "People"
    listitem "Ann"
      button "Delete"
    listitem "Bob"
      button "Delete"
  button "Save" [id=save]
dialog "Confirm"
  button "OK"
"#;

#[test]
fn an_element_keeps_its_number_and_numbers_are_never_reused() {
    let references = References::new();
    let tree = tree(ROWS);
    let save = references.mint(&app(), &tree, named(&tree, "Save")).expect("it is there");
    let ok = references.mint(&app(), &tree, named(&tree, "OK")).expect("it is there");
    assert_eq!((save.to_string(), ok.to_string()), ("e1".to_owned(), "e2".to_owned()));
    assert_eq!(references.mint(&app(), &tree, named(&tree, "Save")), Some(save));
    let other = handeye_core::testing::tree(ROWS);
    let next =
        references.mint(&ApplicationId::new(SourceId::new("memory"), ":1.8"), &other, named(&other, "Save"));
    assert_eq!(next.map(|reference| reference.to_string()).as_deref(), Some("e3"));
}

#[test]
fn an_element_that_was_made_anew_is_healed() {
    let references = References::new();
    let mut tree = tree(ROWS);
    let entry = entry_of(&references, &tree, "OK");
    assert_eq!(references.resolve(&entry, &tree), Resolution::Alive(entry.node));
    remove(&mut tree, entry.node);
    let dialog = named(&tree, "Confirm");
    let new = add_line(&mut tree, dialog, "button \"OK\"");
    let Resolution::Healed { node, how } = references.resolve(&entry, &tree) else {
        panic!("it can be told")
    };
    assert_eq!((node, how.as_str()), (new, "same role, name and path"));
    let again = references.lookup("e1").expect("it is known");
    assert_eq!(references.resolve(&again, &tree), Resolution::Alive(new));
    assert_eq!(
        references.mint(&app(), &tree, new).map(|reference| reference.to_string()).as_deref(),
        Some("e1")
    );
}

#[test]
fn a_whole_application_that_was_read_anew_is_healed() {
    let references = References::new();
    let entry = entry_of(&references, &tree(ROWS), "Save");
    let again = tree(&ROWS.replace("Contacts", "*Contacts"));
    let Resolution::Healed { node, .. } = references.resolve(&entry, &again) else {
        panic!("it can be told")
    };
    assert_eq!(node, named(&again, "Save"));
}

#[test]
fn the_neighbour_is_never_taken() {
    let references = References::new();
    let mut tree = tree(ROWS);
    let anns = entry_of(&references, &tree, "Delete");
    let ann = named(&tree, "Ann");
    remove(&mut tree, ann);
    assert!(
        matches!(references.resolve(&anns, &tree), Resolution::Gone { .. }),
        "Bob's button stood beside it"
    );

    // The same list without names to its rows, read again and one row shorter.
    let rows = |count: usize| {
        handeye_core::testing::tree(&format!(
            "window \"W\"\n  list \"L\"\n{}",
            "    listitem\n      button \"Delete\"\n".repeat(count)
        ))
    };
    let before = rows(2);
    let entry = entry_of(&references, &before, "Delete");
    assert!(
        matches!(references.resolve(&entry, &rows(1)), Resolution::Gone { .. }),
        "it may be the other one"
    );
}

#[test]
fn a_button_of_another_dialog_is_another_button() {
    let references = References::new();
    let entry = entry_of(&references, &tree(ROWS), "OK");
    let other = tree("window \"Contacts\"\ndialog \"Delete everything?\"\n  button \"OK\"");
    let Resolution::Gone { candidates } = references.resolve(&entry, &other) else {
        panic!("it is another one")
    };
    assert_eq!(candidates, [r#"button "OK""#]);
    let error = References::stale(&entry, candidates);
    assert_eq!(error.code, ErrorCode::StaleReference);
    assert!(error.message.contains(r#"button "OK""#));
}

#[test]
fn between_equals_nothing_is_guessed() {
    let references = References::new();
    let entry = entry_of(&references, &tree(ROWS), "OK");
    let two = tree("window \"Contacts\"\ndialog \"Confirm\"\n  button \"OK\"\n  button \"OK\"");
    assert!(matches!(references.resolve(&entry, &two), Resolution::Gone { .. }));
}

#[test]
fn an_identifier_distinguishes_twins() {
    let references = References::new();
    let twins = |ids: [&str; 2]| {
        let [a, b] = ids;
        tree(&format!("window \"W\"\n  button \"Go\" [id={a}]\n  button \"Go\" [id={b}]"))
    };
    let before = twins(["left", "right"]);
    let entry = entry_of(&references, &before, "Go");
    let after = twins(["right", "left"]);
    let Resolution::Healed { node, how } = references.resolve(&entry, &after) else {
        panic!("it can be told")
    };
    assert_eq!(how, "same role, name and identifier");
    assert_eq!(
        after.get(node).and_then(|node| node.details.identifier.known()).map(|id| &**id),
        Some("left")
    );
}

#[test]
fn an_element_without_a_name_is_not_healed() {
    let references = References::new();
    let nameless = "window \"W\"\n  textbox";
    let before = tree(nameless);
    let field = before.nodes().find(|node| node.role == Role::TextBox).expect("it is there").id;
    let reference = references.mint(&app(), &before, field).expect("it is there").to_string();
    let entry = references.lookup(&reference).expect("it is known");
    assert!(matches!(references.resolve(&entry, &tree(nameless)), Resolution::Gone { .. }));
}

#[test]
fn what_was_never_given_out_is_unknown() {
    let references = References::new();
    for text in ["e0", "e1", "e01", "e99999999999999999999999", "e", "12", "", "e-1", "e1e1", "\u{202e}"] {
        let error = references.lookup(text).expect_err(text);
        assert_eq!(error.code, ErrorCode::UnknownReference, "{text}");
        assert!(error.next.is_some());
    }
}

#[test]
fn the_oldest_are_forgotten_and_reported_so() {
    let references = References::with_capacity(2);
    let tree = tree(ROWS);
    for name in ["Save", "OK", "People"] {
        references.mint(&app(), &tree, named(&tree, name));
    }
    let error = references.lookup("e1").expect_err("it is the oldest");
    assert!(error.message.contains("no longer kept"), "{error}");
    assert!(references.lookup("e3").is_ok());
    let again = references.mint(&app(), &tree, named(&tree, "Save"));
    assert_eq!(
        again.map(|reference| reference.to_string()).as_deref(),
        Some("e4"),
        "a number is never reused"
    );
}

#[test]
fn references_are_shared_by_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&References::new());
}

#[test]
fn a_reference_is_small() {
    // What all references of a look share comes to it once: a place for each container, and one list of marks.
    let bytes = size_of::<Entry>() + size_of::<Fingerprint>();
    assert!(bytes <= 460, "{bytes} bytes besides the ancestors' names, which the tree has too");
}

#[test]
fn a_renamed_button_that_was_built_again_is_healed_and_its_neighbour_is_not() {
    let references = References::new();
    let bar =
        "window \"W\"\n  toolbar \"Main\"\n    button \"Open\"\n    button \"Save\"\n    button \"Print\"";
    let entry = entry_of(&references, &tree(bar), "Save");
    let after = tree(&bar.replace("Save", "Keep"));
    let Resolution::Healed { node, how } = references.resolve(&entry, &after) else { panic!("not healed") };
    assert_eq!(node, named(&after, "Keep"));
    assert!(how.contains("confidence 0."), "{how}");

    let references = References::new();
    let mut tree = tree(bar);
    let entry = entry_of(&references, &tree, "Save");
    remove(&mut tree, entry.node);
    assert!(matches!(references.resolve(&entry, &tree), Resolution::Gone { .. }));
}
