//! The words of a description around the text that it means. The words themselves are data, in `languages`.

use serde::Deserialize;
use std::collections::HashSet;
use std::sync::LazyLock;

/// The lists of all languages, one file each.
const LANGUAGES: [&str; 1] = [include_str!("languages/en.toml")];

/// The lists of a language, and those of all of them.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lexicon {
    articles: HashSet<String>,
    around: HashSet<String>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon::default();
    for file in LANGUAGES {
        // The files are part of the program; a test reads each.
        let language: Lexicon = toml::from_str(file).expect("a list of words of this program");
        lexicon.articles.extend(language.articles);
        lexicon.around.extend(language.around);
    }
    lexicon
});

/// Whether the word, in lower case, begins a description.
pub(super) fn is_article(word: &str) -> bool {
    LEXICON.articles.contains(word)
}

/// Whether the word, in lower case, only says what kind of thing is described, or is an article.
pub(super) fn is_around(word: &str) -> bool {
    LEXICON.around.contains(word) || is_article(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_and_in_the_form_of_descriptions() {
        for file in LANGUAGES {
            let Lexicon { articles, around } = toml::from_str(file).expect("a list of words");
            assert!(!around.is_empty(), "{file}");
            for word in articles.union(&around) {
                assert!(word.chars().all(char::is_alphanumeric) && *word == word.to_lowercase(), "{word}");
            }
        }
        assert!(is_article("the") && is_around("the") && is_around("button") && !is_around("save"));
    }
}
