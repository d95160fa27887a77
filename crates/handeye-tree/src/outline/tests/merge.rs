//! Elements without a line, because another line says what they say.

use super::*;
use handeye_core::Detail;
use handeye_core::{Abilities, TextContent};

/// What GTK 3 has for rows with a picture, and for tools.
const TAGGER: &str = r#"
window "Tagger"
  toolbar
    group [description=First file]
      button "First File" [disabled]
    group [description=Undo for file]
      button "Undo"
    group "Find"
      generic
        togglebutton "Find…"
  treegrid
    cell [action] [expandable] [focused]
      cell [action] [picture] [expandable]
      cell "bin" [action] [words] [expandable] [focused]: "bin"
    cell [action] [selected]
      cell [action] [picture] [selected]
      cell "a.ogg" [action] [words] [selected]
      cell "4 KB" [action] [words] [selected]
"#;

#[test]
fn a_row_of_cells_and_a_tool_in_a_frame_are_one_line_each() {
    let rendered = outline_of(&tree(TAGGER), &Options::default());
    insta::assert_snapshot!(rendered.text, @r#"
    - window "Tagger" [ref=e1]
      - button "First File" [ref=e2] [disabled]
      - group "Undo for file" [ref=e3]
        - button "Undo" [ref=e4]
      - button "Find…" [ref=e5]
      - treegrid [ref=e6]
        - cell "bin" [ref=e7] [focused] [collapsed]
        - cell "a.ogg 4 KB" [ref=e8] [selected]
    "#);
    assert_eq!((rendered.shown, rendered.omitted), (8, 0));
    let compact = outline_of(&tree(TAGGER), &Options { compact: true, ..Options::default() });
    assert!(compact.text.contains("\n    - cell \"bin\"\n    - cell \"a.ogg 4 KB\""), "{}", compact.text);
}

#[test]
fn what_is_asked_for_by_itself_shows_its_parts() {
    let tree = tree(TAGGER);
    let part = named(&tree, "bin");
    let cell = tree.get(part).and_then(|part| part.parent).expect("its cell");
    let frame = tree.get(named(&tree, "First File")).and_then(|button| button.parent).expect("its frame");
    for (root, lines) in [(cell, 3), (part, 1), (frame, 2)] {
        assert_eq!(render(&tree, Some(root), &Options::default(), None).shown, lines);
    }
    let all = render(&tree, None, &Options { include_hidden: true, ..Options::default() }, None);
    assert!(all.text.contains("group \"First file\"") && all.text.contains("cell \"4 KB\""), "{}", all.text);
}

/// How many lines the row has that `changed` has changed, of a picture, a text and one more part.
fn lines_of_row(part: &str, change: impl FnOnce(&mut Tree)) -> usize {
    let text = format!(
        "window \"W\"\n  table \"T\"\n    cell [action]\n      cell [picture]\n      cell \"word\" [words]\n      {part}\n"
    );
    let mut tree = tree(&text);
    change(&mut tree);
    outline_of(&tree, &Options::default()).shown - 2
}

#[test]
fn only_plain_cells_are_merged() {
    for plain in ["cell [picture] [action]", "cell [words]", "cell \"b\" [words] [action]: \"b\""] {
        assert_eq!(lines_of_row(plain, |_| {}), 1, "{plain}");
    }
    for more in [
        // A check box without a mark has neither text nor picture, nor a state for it in GTK 3.
        "cell [action]",
        "cell [words] [checkable]",
        "cell \"Done\" [words] [checked]",
        "cell \"Done\"",
        "cell \"A star\" [picture]",
        "cell [picture] [description=A star]",
        "cell [words] [editable]",
        "cell \"b\" [words] [editable]",
        "cell \"b\" [words]: \"other\"",
        "cell [words]: \"value\"",
        "cell [words]: 5",
        "cell \"b\" [words] [selected]",
        "cell \"b\" [words] [focused]",
        "cell \"b\" [words] [has_popup]",
        "cell \"b\" [words] [count=3]",
        "button \"b\" [words]",
        "img \"A star\"",
        "progressbar: 5",
    ] {
        assert_eq!(lines_of_row(more, |_| {}), 4, "{more}");
    }
    let last = |tree: &Tree| tree.nodes().max_by_key(|node| node.id).map(|node| node.id).expect("a part");
    for ability in [Abilities::VALUE, Abilities::EDITABLE_TEXT, Abilities::SELECTION] {
        let lines = lines_of_row("cell [words]", |tree| {
            let part = last(tree);
            tree.update(part, |part| part.abilities |= ability);
        });
        assert_eq!(lines, 4, "{ability:?}");
    }
}

#[test]
fn an_action_that_the_cell_around_has_not_is_a_parts_own() {
    let lines = |cell: &str| {
        let text = format!("window \"W\"\n  table\n    {cell}\n      cell \"a\" [words] [action]");
        outline_of(&tree(&text), &Options::default()).shown - 2
    };
    assert_eq!((lines("cell"), lines("cell [action]")), (2, 1));
}

#[test]
fn a_name_has_eight_parts_and_120_characters_at_most() {
    let lines = |parts: usize, characters: usize| {
        let part = format!("\n      cell \"{}\" [words]", "x".repeat(characters));
        let text = format!("window \"W\"\n  table\n    cell{}", part.repeat(parts));
        outline_of(&tree(&text), &Options::default()).shown - 2
    };
    assert_eq!((lines(8, 2), lines(9, 2)), (1, 10));
    assert_eq!((lines(1, 120), lines(1, 121)), (1, 2));
}

#[test]
fn a_cell_with_a_name_a_value_or_elements_of_others_keeps_its_parts() {
    for cell in ["cell \"Row\"", "cell [description=Row]", "cell: \"value\"", "cell [count=9]"] {
        let text = format!("window \"W\"\n  table\n    {cell}\n      cell \"a\" [words]");
        assert_eq!(outline_of(&tree(&text), &Options::default()).shown, 4, "{cell}");
    }
    let row = "window \"W\"\n  table\n    cell\n      cell \"a\" [words]";
    let stranger = changed(row, "a", |part| part.strangers = 1);
    let rendered = outline_of(&stranger, &Options::default());
    assert!(rendered.text.contains("1 element of another process"), "{}", rendered.text);
    let owner = Arc::new(Owner { name: "page".into(), process: Some(ProcessIdentity::unverified(42)) });
    let foreign = changed(row, "a", |part| part.owner = Some(owner));
    let rendered = outline_of(&foreign, &Options::default());
    assert!(rendered.text.contains("cell \"a\" [ref=e4] [of page (process 42)]"), "{}", rendered.text);
}

/// Whether an outline has a line for the frame of the role and tags around the button.
fn shows_frame(frame: &str, inside: &str, change: impl FnOnce(&mut Node)) -> bool {
    let mut tree = tree(&format!("window \"W\"\n  {frame}\n    {inside}\n"));
    let window = tree.windows().next().expect("a window").id;
    let id = tree.children(window).next().expect("a frame").id;
    tree.update(id, change);
    outline_of(&tree, &Options::default()).shown == 3
}

#[test]
fn only_a_frame_that_says_and_can_do_nothing_is_dropped() {
    let button = "button \"Save\" [description=Saves the file]";
    for frame in [
        "group \"Save\"",
        "generic \"save…\"",
        "group [description=Save]",
        "group \"Save\" [description=Saves the file]",
    ] {
        assert!(!shows_frame(frame, button, |_| {}), "{frame}");
    }
    for frame in [
        "group \"File\"",
        "group [description=Saves the file]",
        "group \"Save\" [description=Saves all files]",
        "group \"Save\": \"value\"",
        "group \"Save\" [editable]",
        "group \"Save\" [focused]",
        "group \"Save\" [focusable]",
        "group \"Save\" [action]",
        "group \"Save\" [busy]",
        "group \"Save\" [expanded]",
        "group \"Save\" [count=2]",
        "list \"Save\"",
        "form \"Save\"",
    ] {
        assert!(shows_frame(frame, button, |_| {}), "{frame}");
    }
    assert!(shows_frame("group \"Save\"", "checkbox \"Save\"", |_| {}));
    assert!(shows_frame("group \"Save\"", button, |frame| frame.strangers = 1));
    let owner = Arc::new(Owner { name: "plug".into(), process: None });
    assert!(shows_frame("group \"Save\"", button, |frame| frame.owner = Some(owner)));
    let two = "window \"W\"\n  group \"Save\"\n    button \"Save\"\n    button \"Save\"";
    assert_eq!(outline_of(&tree(two), &Options::default()).shown, 4);
    let text = "window \"W\"\n  group \"Save\"\n    button \"Save\"\n    text \"Save now\"";
    assert_eq!(outline_of(&tree(text), &Options::default()).shown, 4);
}

#[test]
fn what_is_in_the_button_of_a_dropped_frame_stays_below_it() {
    let text = "window \"W\"\n  group \"Open\"\n    generic\n      button \"Open\"\n        menu \"Recent\"\n  button \"Next\"";
    let rendered = outline_of(&tree(text), &Options { max_depth: Some(2), ..Options::default() });
    insta::assert_snapshot!(rendered.text, @r#"
    - window "W" [ref=e1]
      - button "Open" [ref=e2] (+1 inside)
      - button "Next" [ref=e3]
    … 1 elements are deeper than max_depth: raise it, or ax_get_tree root_query=e2
    "#);
}

#[test]
fn rows_with_nothing_in_them_are_counted_and_take_no_room_of_others() {
    let mut text = String::from("window \"W\"\n  list \"Fonts\" [action]\n");
    for _ in 0..70 {
        text.push_str("    listitem [action] [focusable]\n      group [action]\n        text \"\" [action]\n        text [hidden]\n");
    }
    for row in 0..59 {
        writeln!(text, "    listitem \"Font {row}\"").expect("a string grows");
    }
    text.push_str("    listitem\n      text \"Last\"\n");
    let tree = tree(&text);
    let rendered = outline_of(&tree, &Options::default());
    assert_eq!((rendered.shown, rendered.omitted), (62, 0), "{}", rendered.text);
    assert!(rendered.text.contains("listitem \"Last\""), "{}", rendered.text);
    let note = "    - … 70 blank rows: ax_get_tree root_query=e2\n";
    assert!(rendered.text.ends_with(note), "{}", rendered.text);

    // The call that the line names does not hide them again.
    let list = render(&tree, Some(named(&tree, "Fonts")), &Options::default(), None);
    assert_eq!(list.shown, 131);
    let hidden = outline_of(&tree, &Options { include_hidden: true, ..Options::default() });
    assert!(!hidden.text.contains("blank"), "{}", hidden.text);
}

#[test]
fn a_row_whose_words_are_out_of_view_is_hidden() {
    let row = "    listitem [focusable]\n      group\n        text \"Aa\" [hidden]\n";
    let tree =
        tree(&format!("window \"W\"\n  list \"Fonts\"\n    listitem \"Cantarell\"\n{}", row.repeat(3)));
    let note = "… 3 more rows are hidden: ax_get_tree root_query=";
    let list = named(&tree, "Fonts");
    for root in [None, Some(list)] {
        let rendered = render(&tree, root, &Options::default(), None);
        assert!(rendered.text.contains(note), "{}", rendered.text);
        assert!(!rendered.text.contains("blank"), "{}", rendered.text);
    }
    // The call of that line shows them.
    let all = render(&tree, Some(list), &Options { include_hidden: true, ..Options::default() }, None);
    assert_eq!(all.text.matches("text \"Aa\" [hidden]").count(), 3, "{}", all.text);
}

#[test]
fn one_blank_row_is_one_and_a_program_gets_the_count() {
    let options = Options { elements: true, ..Options::default() };
    let rendered =
        outline_of(&tree("window \"W\"\n  tree \"T\"\n    treeitem\n    treeitem \"a\""), &options);
    assert!(rendered.text.contains("… 1 blank row: ax_get_tree root_query=e2"), "{}", rendered.text);
    let list = rendered.elements.iter().find(|element| element.role == "tree").expect("the list");
    assert_eq!(list.notes.len(), 1);
}

#[test]
fn only_rows_of_lists_with_nothing_to_see_or_do_are_blank() {
    let shown = |list: &str, row: &str, inside: &str| {
        let inside = if inside.is_empty() { String::new() } else { format!("\n      {inside}") };
        let text = format!("window \"W\"\n  {list}\n    {row}{inside}");
        let rendered = outline_of(&tree(&text), &Options::default());
        !rendered.text.contains("blank row")
    };
    for (list, row) in [
        ("list", "listitem"),
        ("listbox", "listitem"),
        ("tree", "treeitem"),
        ("list", "row"),
        ("listbox", "row"),
    ] {
        assert!(!shown(list, row, "group"), "{row} of {list}");
    }
    // An icon, an empty field and a check box without a mark look like nothing too.
    for (table, part) in
        [("table", "cell"), ("treegrid", "cell"), ("table", "row"), ("treegrid", "row"), ("list", "cell")]
    {
        assert!(shown(table, part, "group"), "{part} of {table}");
    }
    for tag in [
        "checkable",
        "editable",
        "action",
        "focused",
        "selected",
        "expandable",
        "protected",
        "picture",
        "words",
        "description=x",
        "count=4",
    ] {
        assert!(shown("list", &format!("listitem [{tag}]"), "group"), "{tag}");
        assert!(shown("list", "listitem", &format!("group [{tag}]")), "{tag} inside");
    }
    for row in ["listitem \"a\"", "listitem: \"text\"", "listitem: 5"] {
        assert!(shown("list", row, ""), "{row}");
    }
    for inside in ["img", "button", "checkbox", "textbox", "text \"a\"", "canvas", "text: \"a\""] {
        assert!(shown("list", "listitem", inside), "{inside}");
    }
    let stranger = changed("window \"W\"\n  list \"L\"\n    listitem [id=r]", "L", |_| {});
    let row = stranger.nodes().find(|node| node.role == Role::ListItem).map(|row| row.id).expect("a row");
    let mut stranger = stranger.clone();
    stranger.update(row, |row| row.strangers = 1);
    assert!(outline_of(&stranger, &Options::default()).text.contains("1 element of another process"));
}

#[test]
fn empty_cells_of_a_sheet_are_counted() {
    let mut sheet = tree(
        "window \"W\"\n  table \"Sheet\" [count=2000]\n    cell \"A1\" [words] [editable]: \"Total\"\n    cell \"B1\" [words] [editable]\n    \
         cell \"C1\" [words] [editable] [focused]\n    cell \"Note\" [words]\n    cell \"AB12\" [words]\n    cell \"Z9\" [words]",
    );
    let lines = |tree: &Tree| outline_of(tree, &Options::default()).text.to_string();
    assert!(!lines(&sheet).contains("empty"), "nobody has read what they contain: {}", lines(&sheet));
    for name in ["B1", "C1", "Note", "AB12"] {
        let cell = named(&sheet, name);
        let nothing = TextContent { shown: "".into(), total_chars: 0 };
        sheet.update(cell, |cell| cell.details.text = Detail::Known(nothing));
    }
    let text = lines(&sheet);
    for (name, is_listed) in
        [("A1", true), ("B1", false), ("C1", true), ("Note", true), ("AB12", false), ("Z9", true)]
    {
        assert_eq!(text.contains(&format!("cell \"{name}\"")), is_listed, "{name}: {text}");
    }
    assert!(text.contains("… 2 empty cells: ax_get_tree root_query="), "{text}");
    let list = named(&sheet, "Sheet");
    sheet.update(list, |list| list.child_count = 6);
    assert!(!lines(&sheet).contains("empty cell"), "a table of a program is no sheet");
}
