//! The accessible name of an element, and whether it means something.

use crate::view::View;
use handeye_core::{Node, Role};

/// The endings of files of pictures.
const PICTURE_FILES: [&str; 10] =
    [".png", ".jpg", ".jpeg", ".svg", ".gif", ".webp", ".ico", ".bmp", ".xpm", ".tiff"];

/// Whether assistive technology has something to call the element by. Where relations could decide and are not known, that is `None`.
pub(crate) fn has_name(view: &View<'_>, node: &Node) -> Option<bool> {
    if !node.name.trim().is_empty() || !node.description.trim().is_empty() {
        return Some(true);
    }
    if named_by_content(node.role) && view.below(node.id).any(|below| !below.node.label().trim().is_empty()) {
        return Some(true);
    }
    // A group of one control passes its name on; so does the label that a control is in.
    let links = view.links(node.id)?;
    Some(links.labelled_elsewhere || links.labelled_by.iter().any(|label| is_named(view, *label)))
}

fn is_named(view: &View<'_>, label: handeye_core::NodeId) -> bool {
    let Some(node) = view.tree().get(label) else { return true };
    !node.label().trim().is_empty()
        || node.value_text().is_some_and(|text| !text.trim().is_empty())
        || view.tree().descendants(label).skip(1).any(|below| !below.label().trim().is_empty())
}

/// Whether the name of such an element is made from what is in it.
const fn named_by_content(role: Role) -> bool {
    matches!(
        role,
        Role::Button
            | Role::ToggleButton
            | Role::Switch
            | Role::CheckBox
            | Role::RadioButton
            | Role::Link
            | Role::Tab
            | Role::MenuItem
            | Role::MenuItemCheckBox
            | Role::MenuItemRadio
    )
}

/// Why a name says nothing; `None` if it may say something.
pub(crate) fn says_nothing(name: &str) -> Option<&'static str> {
    let name = name.trim();
    if name.is_empty() {
        return None;
    }
    if is_picture_file(name) {
        return Some("is the name of a file");
    }
    let mut visible = name.chars().filter(|c| !c.is_whitespace());
    if visible.clone().all(is_glyph) {
        return Some("is a symbol of an icon font or a placeholder");
    }
    let only_marks = visible.all(|c| ".…-_·•|~#–—=".contains(c));
    // A single one may be a decimal point or a minus, as on a calculator.
    (only_marks && (name.chars().count() > 1 || name == "…")).then_some("is punctuation")
}

/// Whether a text is the name of a picture's file.
pub(crate) fn is_picture_file(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    !name.contains(char::is_whitespace)
        && PICTURE_FILES.iter().any(|ending| lower.len() > ending.len() && lower.ends_with(ending))
}

/// Characters that speech leaves out or spells as a number: private use, placeholders, controls.
const fn is_glyph(c: char) -> bool {
    matches!(c,
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}'
        | '\u{fffc}' | '\u{fffd}' | '\u{200b}'..='\u{200f}' | '\u{feff}'
        | '\u{25a0}'..='\u{25ff}' | '\u{2630}' | '\u{22ee}' | '\u{22ef}' | '\u{2715}' | '\u{2716}')
}

/// A label without the mark of a mnemonic that was meant for the toolkit; `None` if it has no such mark.
pub(crate) fn without_mark(name: &str) -> Option<String> {
    for mark in ['_', '&'] {
        let mut places = name.match_indices(mark).map(|(at, _)| at);
        let (Some(at), None) = (places.next(), places.next()) else { continue };
        let begins_word = name[..at].chars().next_back().is_none_or(char::is_whitespace);
        let before_letter = name[at + 1..].chars().next().is_some_and(char::is_alphanumeric);
        if begins_word && before_letter && !name.contains(['/', '.', '=']) {
            return Some(name.replacen(mark, "", 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_speech_cannot_say_means_nothing() {
        for bad in ["\u{f0c9}", "...", "…", "--", "icon_save.png", "\u{fffc}", "▶", "☰", "IMG.JPEG"] {
            assert!(says_nothing(bad).is_some(), "{bad}");
        }
        for good in
            ["", "+", "-", ".", "=", "×", "√", "Save", "C", "OK…", "1.5", "save as.png file", "( )", "."]
        {
            assert_eq!(says_nothing(good), None, "{good}");
        }
    }

    #[test]
    fn the_mark_of_a_mnemonic_is_found_only_where_it_begins_a_word() {
        assert_eq!(without_mark("_Save").as_deref(), Some("Save"));
        assert_eq!(without_mark("Save &as").as_deref(), Some("Save as"));
        for fine in ["Save", "my_file", "R&D", "Q & A", "__init__", "a_b_c", "_", "&", "_x.py"] {
            assert_eq!(without_mark(fine), None, "{fine}");
        }
    }
}
