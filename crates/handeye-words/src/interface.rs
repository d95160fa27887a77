//! Words that say what a button, a field or a window is for. They are hints for recognising windows, and no decision about safety depends on
//! them. The words themselves are data, in `interface`.

use crate::folding::{comparable, label_of, words};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::HashSet;
use std::sync::LazyLock;

/// The lists of all languages, one file each.
const LANGUAGES: [&str; 21] = [
    include_str!("interface/ar.toml"),
    include_str!("interface/cs.toml"),
    include_str!("interface/da.toml"),
    include_str!("interface/de.toml"),
    include_str!("interface/en.toml"),
    include_str!("interface/es.toml"),
    include_str!("interface/fi.toml"),
    include_str!("interface/fr.toml"),
    include_str!("interface/he.toml"),
    include_str!("interface/it.toml"),
    include_str!("interface/ja.toml"),
    include_str!("interface/ko.toml"),
    include_str!("interface/nb.toml"),
    include_str!("interface/nl.toml"),
    include_str!("interface/pl.toml"),
    include_str!("interface/pt.toml"),
    include_str!("interface/ru.toml"),
    include_str!("interface/sv.toml"),
    include_str!("interface/tr.toml"),
    include_str!("interface/uk.toml"),
    include_str!("interface/zh.toml"),
];

/// One of the files, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    save: HashSet<String>,
    open: HashSet<String>,
    sign_in: HashSet<String>,
    sign_in_title: HashSet<String>,
    settings: HashSet<String>,
    error: HashSet<String>,
    search: HashSet<String>,
    address: HashSet<String>,
    loading: HashSet<String>,
}

/// Words and phrases that may be anywhere in a text.
#[derive(Default)]
struct Terms {
    /// Phrases, in words, by the first of them.
    by_first: FxHashMap<String, Vec<Vec<String>>>,
    /// Those in scripts that put no space between words.
    parts: Vec<String>,
}

#[derive(Default)]
struct Lexicon {
    save: HashSet<String>,
    open: HashSet<String>,
    sign_in: HashSet<String>,
    sign_in_title: Terms,
    settings: Terms,
    error: Terms,
    search: Terms,
    address: Terms,
    loading: Terms,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon::default();
    for file in LANGUAGES {
        // The files are part of the program; a test reads each.
        let language: Language = toml::from_str(file).expect("a list of words of this program");
        let labels = |list: &HashSet<String>| list.iter().map(|label| label_of(label)).collect::<Vec<_>>();
        lexicon.save.extend(labels(&language.save));
        lexicon.open.extend(labels(&language.open));
        lexicon.sign_in.extend(labels(&language.sign_in));
        lexicon.sign_in_title.extend(&language.sign_in_title);
        lexicon.settings.extend(&language.settings);
        lexicon.error.extend(&language.error);
        lexicon.search.extend(&language.search);
        lexicon.address.extend(&language.address);
        lexicon.loading.extend(&language.loading);
    }
    lexicon
});

impl Terms {
    fn extend(&mut self, terms: &HashSet<String>) {
        for term in terms {
            let folded = comparable(term);
            if folded.chars().any(runs_on) {
                self.parts.push(folded);
            } else if let [first, ..] = words(&folded).as_slice() {
                self.by_first.entry(first.clone()).or_default().push(words(&folded));
            }
        }
    }

    fn are_in(&self, text: &str) -> bool {
        let text = comparable(text).replace(['_', '&'], "");
        let words = words(&text);
        let starts = |at: usize| {
            let phrases = self.by_first.get(&words[at]).into_iter().flatten();
            phrases.into_iter().any(|phrase| words[at..].starts_with(phrase))
        };
        (0..words.len()).any(starts) || self.parts.iter().any(|part| text.contains(part))
    }

    fn begin(&self, text: &str) -> bool {
        let text = comparable(text);
        let words = words(&text);
        let phrases = words.first().and_then(|first| self.by_first.get(first)).into_iter().flatten();
        phrases.into_iter().any(|phrase| words.starts_with(phrase))
            || self.parts.iter().any(|part| text.contains(part))
    }
}

/// Whether a letter belongs to a script that puts no space between words.
const fn runs_on(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// A label without a mnemonic in brackets, as East Asian translations have it (`保存(S)`), and in the form of the lists.
fn label(text: &str) -> String {
    let is_mnemonic = |inner: &str| inner.trim_matches(['_', '&']).chars().count() == 1;
    let text = text.trim().trim_end_matches(['…', '.', ':']);
    for (open, close) in [('(', ')'), ('（', '）')] {
        if let Some((before, inner)) = text.strip_suffix(close).and_then(|text| text.rsplit_once(open))
            && is_mnemonic(inner)
        {
            return label_of(before);
        }
    }
    label_of(text)
}

/// Whether a button of this label writes the file of a file dialog.
pub fn saves(text: &str) -> bool {
    LEXICON.save.contains(&label(text))
}

/// Whether a button of this label takes the file of a file dialog.
pub fn opens(text: &str) -> bool {
    LEXICON.open.contains(&label(text))
}

/// Whether a button of this label sends a name and a password.
pub fn signs_in(text: &str) -> bool {
    LEXICON.sign_in.contains(&label(text))
}

/// Whether a title is that of a window that asks for a name and a password.
pub fn is_title_of_sign_in(text: &str) -> bool {
    LEXICON.sign_in_title.are_in(text)
}

/// Whether a title is that of a window in which things are set.
pub fn is_title_of_settings(text: &str) -> bool {
    LEXICON.settings.are_in(text)
}

/// Whether a text reports that something went wrong.
pub fn reports_error(text: &str) -> bool {
    LEXICON.error.are_in(text)
}

/// Whether the label of a field says that it searches.
pub fn searches(text: &str) -> bool {
    LEXICON.search.are_in(text)
}

/// Whether the label of a field says that it holds the address of a page.
pub fn is_address(text: &str) -> bool {
    LEXICON.address.are_in(text)
}

/// Whether a text begins by reporting that something is being loaded.
pub fn reports_loading(text: &str) -> bool {
    LEXICON.loading.begin(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_there() {
        let files = std::fs::read_dir("src/interface").expect("a folder").count() - 1;
        assert_eq!(files, LANGUAGES.len());
        for file in LANGUAGES {
            let language: Language = toml::from_str(file).expect("a list of words");
            for word in language.save.iter().chain(&language.error).chain(&language.settings) {
                assert_eq!(*word, word.to_lowercase());
            }
        }
    }

    #[test]
    fn labels_are_whole_and_terms_are_words() {
        for text in ["Save", "_Save", "Speichern", "&Enregistrer", "保存(_S)", "保存（S）", "Save As…"]
        {
            assert!(saves(text), "{text}");
        }
        assert!(!saves("Don't Save") && !saves("Nicht speichern") && !saves(""));
        assert!(opens("Öffnen") && opens("開く(O)") && signs_in("Se connecter") && signs_in("Log In"));
        assert!(
            reports_error("Le fichier est introuvable : erreur 2")
                && reports_error("ファイルを開けません: エラー")
        );
        assert!(reports_error("The connection failed.") && !reports_error("A terror film"));
        assert!(is_title_of_settings("Mousepad Preferences") && is_title_of_settings("環境設定"));
        assert!(!is_title_of_settings("Presets") && !is_title_of_settings("offsettings"));
        assert!(reports_loading("Loading…") && !reports_loading("Downloading and loading"));
    }
}
