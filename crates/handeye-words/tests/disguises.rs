//! No disguise that leaves a label readable for a person hides what it says: every destructive word and phrase of all languages, each
//! changed in every way that an application could draw the same.

use handeye_words::consequences::is_destructive;
use serde::Deserialize;
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;

/// What a list of words has that is destructive by itself.
#[derive(Deserialize)]
struct Language {
    words: Vec<String>,
    phrases: Vec<String>,
    parts: Vec<String>,
}

/// All labels, by the name of their list.
fn labels() -> BTreeMap<String, Vec<String>> {
    let files =
        std::fs::read_dir("src/consequences").expect("the lists").map(|file| file.expect("a list").path());
    let lists = files.filter(|path| path.extension().is_some_and(|kind| kind == "toml"));
    lists
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a list");
            let Language { words, phrases, parts } = toml::from_str(&text).expect("a list of words");
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, words.into_iter().chain(phrases).chain(parts).collect())
        })
        .collect()
}

/// A way to write a label so that it looks the same.
type Disguise = (&'static str, fn(&str) -> String);

/// With a character that is not drawn after each one.
fn after_each(text: &str, ignorable: char) -> String {
    text.chars().flat_map(|c| [c, ignorable]).collect()
}

/// With letters of other scripts that are drawn the same.
fn homoglyphs(text: &str) -> String {
    let other = |c| match c {
        'a' => 'а',
        'c' => 'с',
        'e' => 'е',
        'i' => 'і',
        'j' => 'ј',
        'o' => 'о',
        'p' => 'р',
        's' => 'ѕ',
        'x' => 'х',
        'y' => 'у',
        'а' => 'a',
        'е' => 'e',
        'о' => 'o',
        'р' => 'p',
        'с' => 'c',
        'у' => 'y',
        'х' => 'x',
        'і' => 'i',
        other => other,
    };
    text.chars().map(other).collect()
}

/// With the wide letters of East Asian typography.
fn wide(text: &str) -> String {
    let wide =
        |c: char| if c.is_ascii_graphic() { char::from_u32(u32::from(c) + 0xfee0).unwrap_or(c) } else { c };
    text.chars().map(wide).collect()
}

/// With bold letters of mathematics.
fn bold(text: &str) -> String {
    let bold = |c: char| match c {
        'a'..='z' => char::from_u32(u32::from(c) - u32::from('a') + 0x1d41a).unwrap_or(c),
        'A'..='Z' => char::from_u32(u32::from(c) - u32::from('A') + 0x1d400).unwrap_or(c),
        other => other,
    };
    text.chars().map(bold).collect()
}

/// With the mark of a shortcut before its last letter.
fn mnemonic(text: &str, mark: char) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    characters.insert(characters.len().saturating_sub(1), mark);
    characters.into_iter().collect()
}

const DISGUISES: [Disguise; 20] = [
    ("as it is", str::to_owned),
    ("decomposed", |text| text.nfd().collect()),
    ("composed", |text| text.nfc().collect()),
    ("compatible and decomposed", |text| text.nfkd().collect()),
    ("soft hyphens", |text| after_each(text, '\u{ad}')),
    ("zero-width spaces", |text| after_each(text, '\u{200b}')),
    ("zero-width non-joiners", |text| after_each(text, '\u{200c}')),
    ("zero-width joiners", |text| after_each(text, '\u{200d}')),
    ("word joiners", |text| after_each(text, '\u{2060}')),
    ("byte order marks", |text| after_each(text, '\u{feff}')),
    ("grapheme joiners", |text| after_each(text, '\u{34f}')),
    ("variation selectors", |text| after_each(text, '\u{fe0f}')),
    ("tags", |text| after_each(text, '\u{e0061}')),
    ("isolates", |text| format!("\u{2068}{text}\u{2069}")),
    ("marks of direction", |text| after_each(text, '\u{200e}')),
    ("homoglyphs", homoglyphs),
    ("wide", wide),
    ("bold", bold),
    ("a mnemonic of GTK", |text| mnemonic(text, '_')),
    ("a mnemonic of Qt", |text| mnemonic(text, '&')),
];

#[test]
fn no_disguise_hides_what_a_label_says() {
    let mut hidden = Vec::new();
    for (language, labels) in labels() {
        for label in labels {
            for (name, disguise) in DISGUISES {
                let written = disguise(&label);
                let around = [format!("{written}…"), format!("({written})"), written];
                hidden.extend(
                    around
                        .iter()
                        .filter(|text| !is_destructive(text))
                        .map(|text| format!("{language}: {name}: {text:?} for {label:?}")),
                );
            }
        }
    }
    assert!(hidden.is_empty(), "{} are hidden:\n{}", hidden.len(), hidden.join("\n"));
}

#[test]
fn the_corpus_is_as_large_as_it_should_be() {
    let labels = labels();
    assert!(labels.len() >= 20, "languages: {:?}", labels.keys());
    let large = labels.iter().filter(|(_, labels)| labels.len() >= 10).count();
    assert!(large >= 12, "languages with ten labels and more: {large}");
}
