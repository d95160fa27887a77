//! Each pattern and each state on a small window, in several languages, with windows that are nearly one.

use handeye_core::testing::{named, tree};
use handeye_core::{NodeId, Tree};
use handeye_insight::{Insight, Pattern, State, front};
use proptest::prelude::*;

fn look(tree: &Tree) -> Insight {
    Insight::of(tree, front(tree, &[]).expect("a window")).expect("it is in the tree")
}

fn pattern(outline: &str) -> Option<Pattern> {
    look(&tree(outline)).pattern()
}

fn state(outline: &str) -> State {
    look(&tree(outline)).state
}

const LOGIN: &str = "dialog \"Sign in\" [active]\n  text \"Name\"\n  textbox \"Name\" [editable]\n  text \"Password\"\n  textbox \"Password\" [editable] [protected]\n  button \"Cancel\"\n  button \"Sign in\" [default]\n";
const SAVE: &str = "file chooser \"Save As\" [active]\n  textbox \"Name\" [editable]\n  treegrid \"Files\"\n    columnheader \"Name\"\n    columnheader \"Size\"\n    cell \"a.txt\"\n  button \"Cancel\"\n  button \"Save\" [default]\n";
const ERROR: &str =
    "alertdialog \"Error\" [active]\n  text \"The disk is full.\"\n  button \"OK\" [default]\n";
const EDITOR: &str = "window \"notes.txt\" [active]\n  menubar \"\"\n    menu \"File\"\n  toolbar \"\"\n    button \"Save\"\n  textbox \"\" [editable] [multi_line]: \"one\"\n";
const PROGRESS: &str =
    "dialog \"Copying\" [active]\n  text \"a.txt\"\n  progressbar \"\": 40\n  button \"Cancel\"\n";

#[test]
fn login_forms() {
    assert_eq!(pattern(LOGIN), Some(Pattern::LoginForm));
    for title in ["Anmeldung", "Connexion", "ログイン", "Zzz"] {
        assert_eq!(
            pattern(&LOGIN.replace("Sign in", title).replace("Cancel", "Zz")),
            Some(Pattern::LoginForm),
            "{title}"
        );
    }
    // A new password is repeated, and a password among many settings is one of them.
    let repeated = LOGIN
        .replace("  button \"Cancel\"", "  textbox \"Repeat\" [editable] [protected]\n  button \"Cancel\"");
    assert_eq!(pattern(&repeated), Some(Pattern::Form));
    let settings = "dialog \"Network Settings\" [active]\n  checkbox \"Proxy\"\n  combobox \"Kind\"\n  textbox \"Host\" [editable]\n  textbox \"Password\" [editable] [protected]\n  button \"OK\"\n";
    assert_eq!(pattern(settings), Some(Pattern::SettingsPage));
}

#[test]
fn a_login_in_a_page_comes_before_the_browser_around_it() {
    let page = "window \"Shop\" [active]\n  toolbar \"\"\n    textbox \"Address\" [editable]: \"shop.example/login\"\n  document web \"Shop\"\n    textbox \"Search\" [editable]\n    form \"\"\n      textbox \"Mail\" [editable]\n      textbox \"Password\" [editable] [protected]\n      button \"Se connecter\"\n";
    let tree = tree(page);
    let found: Vec<Pattern> = look(&tree).patterns.iter().map(|found| found.pattern).collect();
    assert_eq!(found, [Pattern::LoginForm, Pattern::BrowserMain]);
}

#[test]
fn file_dialogs() {
    assert_eq!(pattern(SAVE), Some(Pattern::FileSaveDialog));
    assert_eq!(pattern(&SAVE.replace("\"Save\"", "\"保存(S)\"")), Some(Pattern::FileSaveDialog));
    // The structure decides where the words are not known.
    assert_eq!(pattern(&SAVE.replace("\"Save\"", "\"Zzz\"")), Some(Pattern::FileSaveDialog));
    assert_eq!(pattern(&SAVE.replace("\"Save\"", "\"Öffnen\"")), Some(Pattern::FileOpenDialog));
    let without_name = SAVE.replace("  textbox \"Name\" [editable]\n", "").replace("\"Save\"", "\"OK\"");
    assert_eq!(pattern(&without_name), Some(Pattern::FileOpenDialog));
    let qt = "dialog \"Open File\" [active]\n  combobox \"/home\"\n  tree \"Files\"\n    cell \"a.txt\"\n  textbox \"File name:\" [editable]\n  button \"Ouvrir\" [default]\n  button \"Annuler\"\n";
    assert_eq!(pattern(qt), Some(Pattern::FileOpenDialog));
}

#[test]
fn settings_pages() {
    let titled = "dialog \"Préférences\" [active]\n  checkbox \"Zz\"\n  button \"Fermer\"\n";
    assert_eq!(pattern(titled), Some(Pattern::SettingsPage));
    let untitled = "dialog \"Zz\" [active]\n  tablist \"\"\n    tab \"A\"\n    tab \"B\"\n  checkbox \"1\"\n  checkbox \"2\"\n  combobox \"3\"\n  spinbutton \"4\"\n  switch \"5\"\n  button \"Zzz\"\n";
    assert_eq!(pattern(untitled), Some(Pattern::SettingsPage));
}

#[test]
fn confirmations_and_errors() {
    let asks = "dialog \"\" [active] [modal]\n  text \"Zzz?\"\n  button \"Zz\"\n  button \"Zzz\" [default]\n";
    assert_eq!(pattern(asks), Some(Pattern::ConfirmationDialog));
    assert_eq!(pattern(ERROR), Some(Pattern::ErrorAlert));
    for text in
        ["Die Datei konnte nicht gelesen werden.", "Le fichier est invalide.", "ファイルを開けません: エラー"]
    {
        let alert = format!("dialog \"\" [active]\n  text \"{text}\"\n  button \"OK\"\n");
        assert_eq!(pattern(&alert), Some(Pattern::ErrorAlert), "{text}");
    }
    let about = "dialog \"About\" [active] [modal]\n  text \"Tides\"\n  text \"1.2\"\n  text \"Shows tides\"\n  text \"© Ada\"\n  button \"Credits\"\n  button \"Close\" [default]\n";
    assert_eq!(pattern(about), None);
    // News is not an error, and a dialog with a field is not only a question.
    assert_eq!(
        pattern("alertdialog \"Information\" [active]\n  text \"All copied.\"\n  button \"OK\"\n"),
        None
    );
    let field = "dialog \"Name\" [active]\n  text \"Name\"\n  textbox \"\" [editable]\n  button \"Cancel\"\n  button \"OK\"\n";
    assert_eq!(pattern(field), None);
}

#[test]
fn contents() {
    let browser = "window \"Tides\" [active]\n  toolbar \"\"\n    textbox \"Zz\" [editable]: \"https://example.org/tides\"\n  document web \"Tides\"\n    heading \"Tides\"\n";
    assert_eq!(pattern(browser), Some(Pattern::BrowserMain));
    let help = browser
        .replace("    textbox \"Zz\" [editable]: \"https://example.org/tides\"\n", "    button \"Back\"\n");
    assert_eq!(pattern(&help), None);
    // An application that is nothing but a page.
    let page = "window \"Chat\" [active]\n  document web \"Chat\"\n    textbox \"Name\" [editable]\n    textbox \"Street\" [editable]\n    button \"Zz\"\n";
    assert_eq!(pattern(page), Some(Pattern::Form));
    assert_eq!(pattern(EDITOR), Some(Pattern::TextEditor));
    assert_eq!(pattern(&EDITOR.replace("textbox \"\" [editable]", "textbox \"\"")), None);
    let table = "window \"Files\" [active]\n  menubar \"\"\n  treegrid \"\"\n    columnheader \"Name\"\n    columnheader \"Size\"\n    cell \"a\"\n    cell \"1\"\n";
    assert_eq!(pattern(table), Some(Pattern::TableView));
    assert_eq!(pattern(&table.replace("    cell \"a\"\n    cell \"1\"\n", "")), None);
    let search = "window \"Mail\" [active]\n  searchbox \"Zz\" [editable]: \"ada\"\n  list \"\"\n    listitem \"Ada\"\n";
    assert_eq!(pattern(search), Some(Pattern::SearchInterface));
    let form = "window \"Contact\" [active]\n  textbox \"Name\" [editable]\n  textbox \"Street\" [editable]\n  combobox \"Country\"\n  button \"Send\"\n";
    assert_eq!(pattern(form), Some(Pattern::Form));
    assert_eq!(pattern(PROGRESS), Some(Pattern::ProgressIndicator));
    assert_eq!(pattern(&PROGRESS.replace("40", "100")), None);
}

#[test]
fn states() {
    assert_eq!(state(EDITOR), State::Idle);
    assert_eq!(state(LOGIN), State::AuthRequired);
    assert_eq!(state(ERROR), State::Error);
    assert_eq!(state(SAVE), State::ModalDialog);
    assert_eq!(state(PROGRESS), State::Loading);
    assert_eq!(state(&format!("{EDITOR}  progressbar \"\": 40\n")), State::Loading);
    assert_eq!(state(&format!("{EDITOR}  progressbar \"\": 100\n")), State::Idle);
    assert_eq!(
        state(&format!("{EDITOR}  progressbar \"CPU\": 40\n  progressbar \"Memory\": 20\n")),
        State::Idle
    );
    assert_eq!(state(&format!("{EDITOR}  status \"\"\n    text \"Wird geladen …\"\n")), State::Loading);
    assert_eq!(state(&format!("{EDITOR}  group \"\" [busy]\n")), State::Loading);
    assert_eq!(state(&format!("{EDITOR}  status \"\"\n    text \"Échec de la connexion\"\n")), State::Error);
}

#[test]
fn suggestions_name_the_elements_they_are_based_on() {
    let tree = tree(SAVE);
    let insight = look(&tree);
    let shown: Vec<(&str, &str, NodeId)> =
        insight.suggestions.iter().map(|next| (next.tool, next.query.as_str(), next.element)).collect();
    assert_eq!(
        shown,
        [
            ("ax_type", "Name", named(&tree, "Name")),
            ("ax_click", "Save", named(&tree, "Save")),
            ("ax_click", "Cancel", named(&tree, "Cancel")),
        ]
    );
    for outline in [LOGIN, SAVE, ERROR, EDITOR, PROGRESS] {
        let tree = self::tree(outline);
        let insight = look(&tree);
        assert!(!insight.suggestions.is_empty(), "{outline}");
        let named = insight.patterns.iter().flat_map(|found| &found.basis);
        assert!(
            named.chain(insight.suggestions.iter().map(|next| &next.element)).all(|id| tree.contains(*id))
        );
    }
}

#[test]
fn the_window_in_front_decides() {
    let both = format!("{EDITOR}{ERROR}");
    assert_eq!(pattern(&both.replace("notes.txt\" [active]", "notes.txt\"")), Some(Pattern::ErrorAlert));
    let closed = both.replace("\"Error\" [active]", "\"Error\" [hidden]");
    assert_eq!(pattern(&closed), Some(Pattern::TextEditor));
    assert_eq!(front(&Tree::new(), &[]), None);
}

#[test]
fn a_dialog_within_a_window_is_in_front_while_it_has_the_focus() {
    let dialog = "  dialog \"\"\n    tablist \"\"\n      tab \"A\"\n      tab \"B\"\n      tab \"C\"\n    checkbox \"1\"\n    checkbox \"2\" [focused]\n    combobox \"3\"\n    button \"Close\"\n";
    let both = format!("{EDITOR}{dialog}");
    assert_eq!(pattern(&both), Some(Pattern::SettingsPage));
    assert_eq!(pattern(&both.replace(" [focused]", "")), Some(Pattern::TextEditor));
    // GTK 4 calls none of the two active.
    let opened = "group \"Preferences\"\n  list \"\"\n    listitem \"Wrap\"\n      switch \"Wrap\" [focused]\n  button \"Close\"\n";
    let both = format!("{}{opened}", EDITOR.replace(" [active]", ""));
    assert_eq!(pattern(&both), Some(Pattern::SettingsPage));
    assert_eq!(pattern(&both.replace(" [focused]", "")), Some(Pattern::TextEditor));
}

#[test]
fn what_a_list_or_a_text_is_for() {
    let asks = "dialog \"Unsaved\" [active]\n  text \"Save these?\"\n  tree \"\"\n    columnheader \"Name\"\n    columnheader \"Place\"\n    cell \"a\"\n    cell \"b\"\n  button \"Save\"\n  button \"Zzz\"\n  button \"Cancel\"\n";
    assert_eq!(pattern(asks), Some(Pattern::ConfirmationDialog));
    assert_eq!(pattern(&asks.replace("\"Save\"", "\"OK\"")), Some(Pattern::TableView));
    let alert = "alertdialog \"Error\" [active]\n  text \"Zz\"\n  textbox \"\" [multi_line]: \"no such file\"\n  button \"Close\"\n";
    assert_eq!(pattern(alert), Some(Pattern::ErrorAlert));
    let console = "window \"Sums\" [active]\n  menubar \"\"\n  textbox \"\" [multi_line]: \"1 + 1 = 2\"\n  textbox \"\" [editable] [multi_line]: \"3\"\n";
    assert_eq!(pattern(console), None);
    let search = "dialog \"Find Files\" [active]\n  tablist \"\"\n    tab \"A\"\n    tab \"B\"\n    tab \"C\"\n  textbox \"Name\" [editable]: \"*\"\n  checkbox \"1\"\n  checkbox \"2\"\n  checkbox \"3\"\n  tree \"\"\n    cell \"a\"\n  button \"Close\"\n";
    assert_eq!(pattern(search), Some(Pattern::SearchInterface));
    let places = "dialog \"Zz\" [active]\n  table \"Places\"\n    cell \"Home\"\n  table \"Files\"\n    columnheader \"Name\"\n    columnheader \"Size\"\n  button \"Open\"\n  button \"Cancel\"\n";
    assert_eq!(pattern(places), Some(Pattern::FileOpenDialog));
    let sums = "window \"Sums\" [active]\n  menubar \"\"\n  textbox \"Check\" [editable]\n  textbox \"MD5\"\n  button \"Sum\"\n";
    assert_eq!(pattern(sums), Some(Pattern::Form));
}

fn outlines() -> impl Strategy<Value = String> {
    let roles = [
        "dialog",
        "window",
        "file chooser",
        "button",
        "textbox",
        "checkbox",
        "treegrid",
        "cell",
        "columnheader",
        "document web",
        "document text",
        "toolbar",
        "status",
        "progressbar",
        "text",
        "list",
        "combobox",
        "group",
        "tab",
    ];
    let states = [
        "",
        " [protected]",
        " [editable] [multi_line]",
        " [hidden]",
        " [modal]",
        " [busy]",
        " [focused]",
        " [default]",
    ];
    let line = (
        0..6usize,
        prop::sample::select(roles.to_vec()),
        "[a-zA-ZöЖ漢 .…&_]{0,12}",
        prop::sample::select(states.to_vec()),
    );
    prop::collection::vec(line, 1..60).prop_map(|lines| {
        let lines = lines
            .into_iter()
            .map(|(depth, role, name, states)| format!("{}{role} \"{name}\"{states}\n", "  ".repeat(depth)));
        lines.collect()
    })
}

proptest! {
    #[test]
    fn no_tree_is_too_strange(outline in outlines()) {
        let tree = tree(&outline);
        for window in tree.nodes().map(|node| node.id) {
            for is_dialog in [false, true] {
                let insight = Insight::of(&tree, handeye_insight::Front { window, is_dialog }).expect("it is in the tree");
                let named = insight.patterns.iter().flat_map(|found| &found.basis);
                prop_assert!(named.chain(insight.suggestions.iter().map(|next| &next.element)).all(|id| tree.contains(*id)));
                prop_assert!(insight.suggestions.len() <= 4);
            }
        }
    }
}

#[test]
fn a_tree_in_a_circle_and_a_huge_one_end() {
    let mut circle = tree("window \"W\" [active]\n  group \"\"\n    button \"B\"\n");
    let window = named(&circle, "W");
    circle.update(named(&circle, "B"), |node| node.children.push(window));
    assert_eq!(look(&circle).pattern(), None);
    let rows = "    checkbox \"Row\"\n".repeat(40_000);
    let huge = tree(&format!("dialog \"Settings\" [active]\n  group \"\"\n{rows}"));
    let begun = std::time::Instant::now();
    assert_eq!(look(&huge).pattern(), Some(Pattern::SettingsPage));
    // What is looked at is bounded; the time is generous for a busy machine.
    assert!(begun.elapsed() < std::time::Duration::from_secs(1), "{:?}", begun.elapsed());
}
