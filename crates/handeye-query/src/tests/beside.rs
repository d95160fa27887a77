//! Fields by the texts before them, and items of menus.

use super::find_in;

#[test]
fn items_that_can_be_checked_are_items_of_a_menu() {
    let menu = "menu\n  menuitemradio \"Heading 1\"\n  menuitemcheckbox \"Ruler\"\n  menuitem \"Ruler\"";
    assert_eq!(find_in(menu, "menuitem \"Heading 1\""), ["menuitemradio \"Heading 1\""]);
    // One that is called so and is of the role that was asked for comes first.
    assert_eq!(find_in(menu, "menuitem Ruler")[0], "menuitem \"Ruler\"");
}

#[test]
fn a_field_without_a_name_is_found_by_the_text_before_it() {
    let dialog = "dialog \"Find\"\n  text \"Search for:\"\n  combobox\n    textbox [id=what]\n  text \"Name:\"\n  textbox [id=name]\n  \
                  textbox [id=other]\n  text \"Columns:\"\n  spinbutton \"How many columns the table has\"\n  text \"Search with:\"\n  \
                  radiobutton \"Words\"\n  textbox [id=last]";
    assert_eq!(find_in(dialog, "textbox \"Search for:\""), ["textbox"]);
    assert_eq!(find_in(dialog, "combobox search for").len(), 1);
    assert_eq!(find_in(dialog, "textbox Name").len(), 1);
    assert_eq!(find_in(dialog, "spinbutton \"Columns:\""), ["spinbutton \"How many columns the table has\""]);
    // The radio button is what the text belongs to.
    assert!(find_in(dialog, "textbox \"Search with\"").is_empty());
    assert!(find_in(dialog, "button \"Name:\"").is_empty());
}

#[test]
fn of_two_fields_after_texts_of_one_name_none_is_taken() {
    let form = "window\n  text \"Name:\"\n  textbox\n  text \"Name:\"\n  textbox";
    assert!(find_in(form, "textbox Name").is_empty());
}
