//! Controls by the texts in them.

use super::find_in;

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
