//! The language of pages and help: words that docs/style.md rules out.

use regex::Regex;
use std::path::{Path, PathBuf};

mod support;

/// Phrases that no page may have, each with what is written instead.
const RULED_OUT: [(&str, &str); 8] = [
    (r"\b(tells?|told) of\b", "reports, announces, notifies"),
    (r"\bhears? of\b", "receives, is notified of"),
    (r"\banew\b", "again"),
    (r"\bwhoever\b", "anyone who, the caller"),
    (r"\bbear that\b", "handle"),
    (r"\bno tree\b.{0,10}\bknows\b", "not in the accessibility tree"),
    (r"\bof its own accord\b", "by itself"),
    (r"\blest\b|\bthereby\b|\bheed\b", "plain words"),
];

/// Pages that measurements or the code write; their words are those of error messages and test names.
const WRITTEN_BY_CODE: [&str; 3] = ["matrix.md", "toolkit-events.md", "harness.md"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<PathBuf> {
    let folders = ["docs", "docs/how-to", "docs/explanation"].map(|folder| repository().join(folder));
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder of pages"));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let own = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"]
        .map(|name| repository().join(name));
    let is_written = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // The page about style quotes what it rules out.
        path.extension().is_some_and(|extension| extension == "md")
            && name != "style.md"
            && !WRITTEN_BY_CODE.contains(&&*name)
    };
    paths.filter(is_written).chain(own).collect()
}

fn faults(place: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (phrase, instead) in RULED_OUT {
        let phrase = Regex::new(&format!("(?i){phrase}")).expect("a valid expression");
        for (number, line) in text.lines().enumerate() {
            if let Some(hit) = phrase.find(line) {
                found.push(format!("{place}:{}: \"{}\": {instead}", number + 1, hit.as_str()));
            }
        }
    }
    found
}

#[test]
fn pages_and_help_have_no_words_that_are_ruled_out() {
    let pages = pages();
    assert!(pages.len() > 25, "these are not all pages: {pages:?}");
    let mut found = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page");
        found.extend(faults(&page.display().to_string(), &text));
    }
    found.extend(faults("handeye --help", &support::stdout(&support::run(&["--help"]))));
    assert!(found.is_empty(), "see docs/style.md:\n{}", found.join("\n"));
}

#[test]
fn a_phrase_is_found_where_it_stands() {
    assert_eq!(faults("page", "fine\nFind what no tree tells of").len(), 1);
    assert!(faults("page", "The client is notified of changes.").is_empty());
}
