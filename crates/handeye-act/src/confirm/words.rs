//! Words by which an application says that something may be lost, spent or made public, in the languages that desktops speak.
//!
//! They are not proof, and do not expose an application that hides what it does. What is on the screen is data: a word can
//! make handeye ask a person, and none can keep it from asking. The words themselves are data too, in `languages`.

use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;
use serde::Deserialize;
use std::collections::HashSet;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The lists of all languages, one file each.
const LANGUAGES: [&str; 21] = [
    include_str!("languages/ar.toml"),
    include_str!("languages/cs.toml"),
    include_str!("languages/da.toml"),
    include_str!("languages/de.toml"),
    include_str!("languages/en.toml"),
    include_str!("languages/es.toml"),
    include_str!("languages/fi.toml"),
    include_str!("languages/fr.toml"),
    include_str!("languages/he.toml"),
    include_str!("languages/it.toml"),
    include_str!("languages/ja.toml"),
    include_str!("languages/ko.toml"),
    include_str!("languages/nb.toml"),
    include_str!("languages/nl.toml"),
    include_str!("languages/pl.toml"),
    include_str!("languages/pt.toml"),
    include_str!("languages/ru.toml"),
    include_str!("languages/sv.toml"),
    include_str!("languages/tr.toml"),
    include_str!("languages/uk.toml"),
    include_str!("languages/zh.toml"),
];

/// Longest text that is compared, in characters. Anything longer is not a label.
const LONGEST: usize = 8_000;

/// One of the files, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    words: Vec<String>,
    phrases: Vec<String>,
    parts: Vec<String>,
    affirmative: Vec<String>,
    no: Vec<String>,
    save: Vec<String>,
    trash: Vec<String>,
}

/// The lists of all languages, in the form in which texts are compared.
#[derive(Default)]
struct Lexicon {
    words: HashSet<String>,
    phrases: Vec<Vec<String>>,
    parts: Vec<String>,
    affirmative: HashSet<String>,
    no: HashSet<String>,
    save: Vec<String>,
    trash: Vec<String>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon::default();
    for file in LANGUAGES {
        // The files are part of the program; a test reads each.
        let language: Language = toml::from_str(file).expect("a list of words of this program");
        lexicon.words.extend(language.words.iter().map(|word| comparable(word)));
        lexicon.phrases.extend(language.phrases.iter().map(|phrase| words(&comparable(phrase))));
        lexicon.parts.extend(language.parts.iter().map(|part| comparable(part)));
        lexicon.affirmative.extend(language.affirmative.iter().map(|label| label_of(label)));
        lexicon.no.extend(language.no.iter().map(|label| label_of(label)));
        lexicon.save.extend(language.save.iter().map(|word| comparable(word)));
        lexicon.trash.extend(language.trash.iter().map(|word| comparable(word)));
    }
    lexicon
});

/// Whether the text says that something may be lost, spent or made public.
pub(super) fn is_destructive(text: &str) -> bool {
    let lexicon = &*LEXICON;
    readings(text).iter().any(|text| {
        let words = words(text);
        words.iter().any(|word| lexicon.words.contains(word))
            || lexicon.phrases.iter().any(|phrase| words.windows(phrase.len()).any(|run| run == phrase))
            || lexicon.parts.iter().any(|part| text.contains(part))
    })
}

/// Whether a label agrees to what its dialog asks.
pub(super) fn is_affirmative(label: &str) -> bool {
    LEXICON.affirmative.contains(&label_of(label))
}

/// Whether a label refuses.
pub(super) fn is_no(label: &str) -> bool {
    LEXICON.no.contains(&label_of(label))
}

/// Whether a dialog asks whether to save.
pub(super) fn asks_to_save(text: &str) -> bool {
    has_any(text, &LEXICON.save)
}

/// Whether a label names a place where things are thrown away.
pub(super) fn is_trash(label: &str) -> bool {
    has_any(label, &LEXICON.trash)
}

/// Whether two texts look the same to a person.
pub(super) fn comparable(text: &str) -> String {
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let plain: String = text
        .chars()
        .take(LONGEST)
        .nfkc()
        .filter(|c| !ignorable.contains(*c))
        .flat_map(char::to_lowercase)
        // A mark above a letter that a capital one brings along.
        .filter(|c| *c != '\u{307}')
        .collect();
    unicode_security::skeleton(&plain).nfc().collect()
}

/// The text as it may be meant: with marks of mnemonics in its words, and with such marks between them.
fn readings(text: &str) -> [String; 2] {
    let text = comparable(text);
    let joined = text.replace(['_', '&'], "");
    [text, joined]
}

/// The words of a text that is [`comparable`].
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn has_any(text: &str, known: &[String]) -> bool {
    readings(text).iter().any(|text| {
        words(text).iter().any(|word| known.contains(word))
            || known.iter().any(|part| !part.is_ascii() && text.contains(part))
    })
}

/// A whole label, without mnemonics and punctuation.
fn label_of(label: &str) -> String {
    words(&comparable(label).replace(['_', '&'], "")).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_of_many_languages_are_known() {
        for label in [
            "Delete",
            "DELETE ALL DATA",
            "_Delete…",
            "Move to Trash",
            "Don't Save",
            "Don’t save",
            "Close without Saving",
            "Empty Trash",
            "Löschen",
            "Nicht speichern",
            "Supprimer",
            "Eliminar",
            "Elimina",
            "Excluir",
            "Verwijderen",
            "Ta bort",
            "Usuń",
            "Удалить",
            "删除",
            "完全に削除",
            "삭제하기",
            "Sil",
            "Uninstall…",
            "Reset settings",
            "Shut Down",
            "Send",
            "Transfer 100 €",
            "Publish",
            "Empty",
            "Clear",
            "Format",
            "Quit",
            "Überweisen",
            "發送",
        ] {
            assert!(is_destructive(label), "{label}");
        }
    }

    #[test]
    fn what_looks_the_same_is_the_same() {
        for label in [
            "lö\u{ad}schen",
            "D_elete",
            "De&lete",
            "delete_all",
            "Ｄｅｌｅｔｅ",
            "D\u{435}lete",
            "De\u{200b}lete",
            "Lo\u{308}schen",
            "D\u{2060}elete",
            "𝐃elete",
            "DELETE\u{fe0f}",
            "Clеаr",
        ] {
            assert!(is_destructive(label), "{label:?}");
        }
    }

    #[test]
    fn everyday_labels_are_not() {
        for label in [
            "",
            "Save",
            "Undelete",
            "Deleted Items",
            "Open",
            "Cancel",
            "OK",
            "Removable media",
            "Replace",
            "Find and Replace",
            "Kapitel",
            "Silber",
            "Payments",
            "Restart",
            "Abbrechen",
            "Cancelar",
            "保存",
            "Asil",
            "Sender",
            "Formatted",
            "Clearance",
        ] {
            assert!(!is_destructive(label), "{label}");
        }
    }

    #[test]
    fn answers_of_a_dialog_are_known_as_whole_labels() {
        for label in ["OK", "_OK", "&Yes", "Yes!", "Ja", "Continue", "はい", "Oui"] {
            assert!(is_affirmative(label), "{label}");
        }
        for label in ["Save", "Cancel", "No", "OK Corral", "Yesterday", ""] {
            assert!(!is_affirmative(label), "{label}");
        }
        assert!(is_no("_No") && !is_no("Notes"));
        assert!(asks_to_save("Do you want to save the changes?") && !asks_to_save("Saves the day"));
        assert!(is_trash("Recycle Bin") && is_trash("Papierkorb") && !is_trash("Binary"));
    }

    /// All whole words of the lists.
    fn all_words() -> Vec<String> {
        let languages =
            LANGUAGES.iter().map(|file| toml::from_str::<Language>(file).expect("a list of words"));
        languages.flat_map(|language| language.words).collect()
    }

    #[test]
    fn each_list_is_read() {
        assert!(all_words().len() > 200);
        assert_eq!(
            LANGUAGES.len(),
            std::fs::read_dir("src/confirm/languages").expect("a folder").count() - 1
        );
    }

    proptest! {
        #[test]
        fn what_stands_around_a_word_does_not_hide_it(
            before in "[ .,:!_-]{0,6}",
            after in "[ .,:…!_-]{0,6}",
            word in prop::sample::select(all_words()),
        ) {
            let text = format!("{before}{}{after}", word.to_uppercase());
            // Some letters have more than one lower case (the Turkish dotless i).
            prop_assume!(word.to_uppercase().to_lowercase() == word);
            prop_assert!(is_destructive(&text), "{text}");
        }

        #[test]
        fn no_text_is_too_strange(text in ".*") {
            let (_, _, _, _, _) = (is_destructive(&text), is_affirmative(&text), is_no(&text), asks_to_save(&text), is_trash(&text));
        }
    }
}
