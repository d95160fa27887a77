//! Words by which an application says that something may be lost, spent or made public, in the languages that desktops speak.
//!
//! They are not proof, and do not expose an application that hides what it does. What is on the screen is data: a word can
//! make handeye ask a person, and none can keep it from asking. The words themselves are data too, in `consequences`.

use crate::folding::{comparable, label_of, readings, visible, words};
use serde::Deserialize;
use std::collections::HashSet;
use std::sync::LazyLock;
use unicode_normalization::char::is_combining_mark;

/// The lists of all languages, one file each, and of the signs that belong to none.
const LANGUAGES: [&str; 22] = [
    include_str!("consequences/ar.toml"),
    include_str!("consequences/cs.toml"),
    include_str!("consequences/da.toml"),
    include_str!("consequences/de.toml"),
    include_str!("consequences/en.toml"),
    include_str!("consequences/es.toml"),
    include_str!("consequences/fi.toml"),
    include_str!("consequences/fr.toml"),
    include_str!("consequences/he.toml"),
    include_str!("consequences/it.toml"),
    include_str!("consequences/ja.toml"),
    include_str!("consequences/ko.toml"),
    include_str!("consequences/nb.toml"),
    include_str!("consequences/nl.toml"),
    include_str!("consequences/pl.toml"),
    include_str!("consequences/pt.toml"),
    include_str!("consequences/ru.toml"),
    include_str!("consequences/sv.toml"),
    include_str!("consequences/symbols.toml"),
    include_str!("consequences/tr.toml"),
    include_str!("consequences/uk.toml"),
    include_str!("consequences/zh.toml"),
];

/// One of the files, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    words: Vec<String>,
    phrases: Vec<String>,
    parts: Vec<String>,
    affirmative: Vec<String>,
    no: Vec<String>,
    refusal: Vec<String>,
    save: Vec<String>,
    trash: Vec<String>,
    clipboard: Vec<String>,
}

/// The lists of all languages, in the form in which texts are compared.
#[derive(Default)]
struct Lexicon {
    words: HashSet<String>,
    phrases: Vec<Vec<String>>,
    parts: Vec<String>,
    affirmative: HashSet<String>,
    no: HashSet<String>,
    refusal: HashSet<String>,
    save: Vec<String>,
    trash: Vec<String>,
    clipboard: HashSet<String>,
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
        lexicon.refusal.extend(language.refusal.iter().map(|label| label_of(label)));
        lexicon.save.extend(language.save.iter().map(|word| comparable(word)));
        lexicon.trash.extend(language.trash.iter().map(|word| comparable(word)));
        lexicon.clipboard.extend(language.clipboard.iter().map(|label| label_of(label)));
    }
    lexicon
});

/// Whether the text says that something may be lost, spent or made public.
pub fn is_destructive(text: &str) -> bool {
    let lexicon = &*LEXICON;
    readings(text).iter().any(|text| {
        let words = words(text);
        words.iter().any(|word| lexicon.words.contains(word))
            || lexicon.phrases.iter().any(|phrase| words.windows(phrase.len()).any(|run| run == phrase))
            || lexicon.parts.iter().any(|part| text.contains(part))
            || is_spelled(&words)
    })
}

/// Whether such a word is there with something between its letters ("D e l e t e").
fn is_spelled(words: &[String]) -> bool {
    /// Shortest word that counts as part of a run of letters; a shorter one has to be the whole run.
    const CERTAIN: usize = 4;
    let lexicon = &*LEXICON;
    let is_letter = |word: &String| word.chars().filter(|c| !is_combining_mark(*c)).count() == 1;
    words.chunk_by(|one, next| is_letter(one) == is_letter(next)).any(|run| {
        if run.len() < 2 || !run.iter().all(is_letter) {
            return false;
        }
        let run = run.concat();
        let holds = |word: &String| run == *word || (word.chars().count() >= CERTAIN && run.contains(word));
        lexicon.words.iter().any(holds) || lexicon.parts.iter().any(|part| run.contains(part))
    })
}

/// Whether a label agrees to what its dialog asks.
pub fn is_affirmative(label: &str) -> bool {
    LEXICON.affirmative.contains(&label_of(label))
}

/// Whether a label refuses.
pub fn is_no(label: &str) -> bool {
    LEXICON.no.contains(&label_of(label))
}

/// Whether a label clearly does nothing of what its dialog asks: it refuses, goes back, saves or explains.
pub fn is_refusal(label: &str) -> bool {
    let whole = label_of(label);
    LEXICON.refusal.contains(&whole) || LEXICON.no.contains(&whole) || has_any(label, &LEXICON.save)
}

/// Whether a text says nothing that can be read: it is empty, or a sign.
pub fn is_mute(text: &str) -> bool {
    !visible(text).chars().any(char::is_alphanumeric)
}

/// Whether a dialog asks whether to save.
pub fn asks_to_save(text: &str) -> bool {
    has_any(text, &LEXICON.save)
}

/// Whether a label names a place where things are thrown away.
pub fn is_trash(label: &str) -> bool {
    has_any(label, &LEXICON.trash)
}

/// Whether a label begins as that of what copies, cuts or pastes.
pub fn uses_clipboard(label: &str) -> bool {
    readings(label).iter().any(|label| {
        let words = words(&label.replace(['_', '&'], ""));
        (1..=words.len()).any(|end| LEXICON.clipboard.contains(&words[..end].join(" ")))
    })
}

fn has_any(text: &str, known: &[String]) -> bool {
    readings(text).iter().any(|text| {
        words(text).iter().any(|word| known.contains(word))
            || known.iter().any(|part| !part.is_ascii() && text.contains(part))
    })
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
    fn what_copies_and_pastes_is_known_by_the_beginning_of_its_label() {
        for label in [
            "Copy",
            "_Copy",
            "C&ut",
            "Paste…",
            "Copy Link Address",
            "Kopieren",
            "Aus_schneiden",
            "Coller",
            "Copiar",
            "Вставить",
            "コピー(C)",
            "粘贴(_P)",
            "붙여넣기",
            "הדבק",
            "C\u{ad}opy",
            "C\u{43e}py",
        ] {
            assert!(uses_clipboard(label), "{label}");
        }
        for label in ["", "Photocopy", "Hard copy", "Cutlery", "Save a copy", "Copyright", "Open"] {
            assert!(!uses_clipboard(label), "{label}");
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
            "DeleteAll",
            "PDFDelete",
            "trashFiles",
            "Delete2",
            "D_eleteAll",
            "D e l e t e",
            "D.e.l.e.t.e a.l.l",
            "p a y",
            "删 除",
            "🗑",
            "🗑\u{fe0f}",
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
            "UnDeletedItems",
            "A B C",
            "×",
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
        for label in [
            "Cancel",
            "_Cancel",
            "Keep",
            "Go back",
            "Close",
            "Help",
            "No",
            "Abbrechen",
            "Annuler",
            "キャンセル",
            "取消",
            "Save",
            "Save As…",
        ] {
            assert!(is_refusal(label), "{label}");
        }
        for label in ["Sure", "OK", "Yes", "Do it now", "", "\u{200b}", "Close everything"] {
            assert!(!is_refusal(label), "{label}");
        }
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
        assert_eq!(LANGUAGES.len(), std::fs::read_dir("src/consequences").expect("a folder").count() - 1);
    }

    #[test]
    fn no_label_agrees_and_refuses() {
        let lexicon = &*LEXICON;
        let both: Vec<&String> = lexicon
            .affirmative
            .iter()
            .filter(|label| lexicon.refusal.contains(*label) || lexicon.no.contains(*label))
            .collect();
        assert!(both.is_empty(), "{both:?}");
        for refusal in &lexicon.refusal {
            assert!(!is_destructive(refusal), "{refusal}");
        }
    }

    #[test]
    fn a_sign_says_nothing() {
        for text in ["", " ", "×", "\u{e872}", "\u{200b}", "🗑", "…"] {
            assert!(is_mute(text), "{text:?}");
        }
        assert!(!is_mute("x") && !is_mute("7") && !is_mute("削"));
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
            let (_, _, _, _) = (is_destructive(&text), is_affirmative(&text), is_no(&text), asks_to_save(&text));
            let (_, _, _) = (is_trash(&text), is_refusal(&text), is_mute(&text));
        }
    }
}
