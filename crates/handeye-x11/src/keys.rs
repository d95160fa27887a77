//! Names of keys, and the symbols (keysyms) by which X11 knows keys and characters.

use handeye_core::{Error, Result};
use xkeysym::Keysym;

/// Symbols of characters outside of Latin-1 are their code point plus this (X protocol, appendix A).
const UNICODE: u32 = 0x0100_0000;
/// How many names an error suggests.
const SUGGESTIONS: usize = 8;

/// What people call the keys that have no character.
const NAMED: &[(&str, Keysym)] = &[
    ("return", Keysym::Return),
    ("enter", Keysym::Return),
    ("escape", Keysym::Escape),
    ("esc", Keysym::Escape),
    ("tab", Keysym::Tab),
    ("space", Keysym::space),
    ("backspace", Keysym::BackSpace),
    ("delete", Keysym::Delete),
    ("del", Keysym::Delete),
    ("insert", Keysym::Insert),
    ("home", Keysym::Home),
    ("end", Keysym::End),
    ("page_up", Keysym::Page_Up),
    ("pageup", Keysym::Page_Up),
    ("page_down", Keysym::Page_Down),
    ("pagedown", Keysym::Page_Down),
    ("up", Keysym::Up),
    ("down", Keysym::Down),
    ("left", Keysym::Left),
    ("right", Keysym::Right),
    ("menu", Keysym::Menu),
    ("print", Keysym::Print),
    ("printscreen", Keysym::Print),
    ("pause", Keysym::Pause),
    ("caps_lock", Keysym::Caps_Lock),
    ("capslock", Keysym::Caps_Lock),
    ("num_lock", Keysym::Num_Lock),
    ("scroll_lock", Keysym::Scroll_Lock),
    ("help", Keysym::Help),
    ("ctrl", Keysym::Control_L),
    ("shift", Keysym::Shift_L),
    ("alt", Keysym::Alt_L),
    ("super", Keysym::Super_L),
];

/// Where the symbols with names are: characters and old alphabets, function and modifier keys, media keys.
const NAMED_SYMBOLS: [std::ops::RangeInclusive<u32>; 3] =
    [0x20..=0x20ff, 0xfd00..=0xffff, 0x1008_fe00..=0x1008_ffff];

/// The symbol of a key by its name: one character, `return`, `f5`, or an X11 name such as `XF86AudioMute`, in any case.
pub(super) fn symbol_of_key(name: &str) -> Result<u32> {
    let mut characters = name.chars();
    if let (Some(only), None) = (characters.next(), characters.next()) {
        return symbol_of_character(only).ok_or_else(|| unknown_key(name));
    }
    let wanted = name.to_lowercase();
    if let Some((_, symbol)) = NAMED.iter().find(|(known, _)| *known == wanted) {
        return Ok(symbol.raw());
    }
    if let Some(number) = wanted.strip_prefix('f').and_then(|digits| digits.parse::<u32>().ok())
        && (1..=35).contains(&number)
    {
        return Ok(Keysym::F1.raw() + number - 1);
    }
    symbol_by_x_name(name).ok_or_else(|| unknown_key(name))
}

/// The symbol of a character; `None` for control characters and code points that are not characters.
pub(super) fn symbol_of_character(character: char) -> Option<u32> {
    match character {
        '\n' => Some(Keysym::Return.raw()),
        '\t' => Some(Keysym::Tab.raw()),
        ' '..='~' | '\u{a0}'..='\u{ff}' => Some(character.into()),
        _ if character.is_control() => None,
        _ if is_no_character(character) => None,
        _ => Some(UNICODE + u32::from(character)),
    }
}

/// Whether a code point is for ever no character: the last two of each plane, and a block in the first one.
fn is_no_character(character: char) -> bool {
    u32::from(character) & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&character)
}

/// The character that a symbol enters by itself, if it does; none for dead keys, function keys and the keypad,
/// which does something else when Num Lock is off.
pub(super) fn character_of_symbol(symbol: u32) -> Option<char> {
    let symbol = Keysym::new(symbol);
    let keypad = symbol.is_keypad_key() || symbol.is_private_keypad_key();
    symbol.key_char().filter(|character| !keypad && !character.is_control())
}

/// What [`symbol_of_key`] knows a symbol by; `None` if that is nothing.
pub(super) fn name_of_symbol(symbol: u32) -> Option<String> {
    if let Some((name, _)) = NAMED.iter().find(|(_, known)| known.raw() == symbol) {
        return Some((*name).to_owned());
    }
    if let Some(number) = symbol.checked_sub(Keysym::F1.raw()).filter(|number| *number < 35) {
        return Some(format!("f{}", number + 1));
    }
    let keysym = Keysym::new(symbol);
    if let Some(character) = keysym.key_char().filter(|character| !character.is_control()) {
        return Some(character.to_string());
    }
    let (vendor, rest) = keysym.name()?.split_once("XK_")?;
    Some(format!("{vendor}{rest}"))
}

fn symbol_by_x_name(name: &str) -> Option<u32> {
    let symbols = || NAMED_SYMBOLS.into_iter().flatten();
    let exact = symbols().find(|raw| has_x_name(*raw, name, |known, given| known == given));
    exact.or_else(|| symbols().find(|raw| has_x_name(*raw, name, str::eq_ignore_ascii_case)))
}

/// Whether X11 calls a symbol `name`: what the headers call `XF86XK_AudioMute` is `XF86AudioMute` to people.
fn has_x_name(raw: u32, name: &str, same: impl Fn(&str, &str) -> bool) -> bool {
    let Some((vendor, rest)) = Keysym::new(raw).name().and_then(|known| known.split_once("XK_")) else {
        return false;
    };
    name.split_at_checked(vendor.len()).is_some_and(|(start, end)| same(vendor, start) && same(rest, end))
}

fn unknown_key(name: &str) -> Error {
    let shown: String = name.chars().take(40).flat_map(char::escape_debug).collect();
    let wanted = name.to_lowercase();
    let beginning: String = wanted.chars().take(3).collect();
    let near =
        |known: &str| known.starts_with(&beginning) || wanted.starts_with(known) || known.contains(&wanted);
    let mut names: Vec<&str> =
        NAMED.iter().map(|(known, _)| *known).filter(|known| near(known)).take(SUGGESTIONS).collect();
    if names.is_empty() {
        names = ["return", "escape", "tab", "backspace", "page_down", "up", "f1", "space"].into();
    }
    Error::invalid_parameter("key", format!("there is no key '{shown}'")).with_found(names).with_next(
        "Name a key by its character, by a name such as those found, by f1 to f35, or by its X11 name.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_answer_to_their_names() {
        assert_eq!(symbol_of_key("Return").ok(), Some(0xff0d));
        assert_eq!(symbol_of_key("page_up").ok(), Some(0xff55));
        assert_eq!(symbol_of_key("pagedown").ok(), Some(0xff56));
        assert_eq!(symbol_of_key("f35").ok(), Some(0xffe0));
        assert_eq!(symbol_of_key("xf86audiomute").ok(), Some(0x1008_ff12));
        assert_eq!(symbol_of_key("KP_Enter").ok(), Some(0xff8d));
        assert_eq!(symbol_of_key("é").ok(), Some(0xe9));
        assert_eq!(symbol_of_key("漢").ok(), Some(0x0100_6f22));
    }

    #[test]
    fn a_symbol_has_the_name_that_means_it() {
        for name in ["return", "f5", "s", "é", "XF86AudioMute", "page_up", "backspace"] {
            let symbol = symbol_of_key(name).expect(name);
            assert_eq!(name_of_symbol(symbol).as_deref(), Some(name));
        }
    }

    #[test]
    fn an_unknown_key_is_refused_with_near_names() {
        let error = symbol_of_key("pageupp").expect_err("no such key");
        assert!(error.found.iter().any(|name| name == "pageup"), "{error:?}");
        assert!(symbol_of_key("f36").is_err());
        assert!(symbol_of_key("").is_err());
        assert!(symbol_of_key("\u{7}").is_err());
    }

    proptest! {
        #[test]
        fn a_character_comes_back_from_its_symbol_in_its_own_case(character: char) {
            match symbol_of_character(character) {
                Some(symbol) if !matches!(character, '\n' | '\t') => {
                    prop_assert_eq!(character_of_symbol(symbol), Some(character));
                }
                Some(_) => {}
                None => prop_assert!(character.is_control() || is_no_character(character)),
            }
        }
    }
}
