//! The language of pages, help, messages and comments: words that docs/style.md rules out.

use regex::Regex;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

#[path = "language/passage.rs"]
mod passage;
#[path = "language/python.rs"]
mod python;
#[path = "language/rust.rs"]
mod rust;
mod support;

use passage::{Kind, Passage};

/// Phrases that no page, help text, message or comment may have, each with what is written instead.
const RULED_OUT: &[(&str, &str)] = &[
    (r"\b(tells?|told) of\b", "reports, announces, notifies, has"),
    (r"\b(tells?|told) (no|nothing)\b", "reports no"),
    (r"\bhears? (of|nothing)\b", "receives, is notified of"),
    (r"\b(is|are|be|was|were) not told\b", "is not reported, is not announced, is not notified"),
    (r"\banew\b", "again"),
    (r"\bwhoever\b", "anyone who, the caller"),
    (r"\b(bears? (that|this|it)|is borne|are borne)\b", "handles, supports"),
    (r"\b(what|where|which) no \w+ (tells?|shows?|knows?|sees?)\b", "what is not in …"),
    (r"\bno tree\b.{0,10}\b(knows|tells|shows)\b", "not in the accessibility tree"),
    (r"\bof its own accord\b", "by itself"),
    (
        r"\b(lest|thereby|heeds?|whence|whither|hither|wherein|whereby|whilst|amongst|albeit|ere|nay|henceforth)\b",
        "plain words",
    ),
    (r"\b(perchance|forthwith|yonder|behold|hearken|naught|unto|thereof|therein|seldom)\b", "plain words"),
    (r"\b(comes?|came|come) to (stand|rest|pass)\b", "is, stops, happens"),
    (r"\bin want of\b|\bfor want of\b", "without, because … is missing"),
    (r"\bmakes for\b", "goes to, helps"),
    (r"\bby the word of\b", "according to"),
    (r"\bof late\b", "recently"),
    (r"\ball the same\b", "nevertheless, anyway"),
    (r"\bwithout doubt\b", "unambiguously"),
    (r"\bso long ago\b", "too long ago"),
    (r"\bgiven out\b", "issued"),
    (r"\bto be had\b|\bcould not be had\b", "available, could not be read"),
    (r"\bput aside\b", "rotated, saved"),
    (r"\blends? (its|no|the) model\b", "offers its model"),
    (r"\btorn answers?\b", "incomplete answer"),
    (r"\banswers? to '", "matches"),
    (r"\bby another hand\b|\bas often as it was\b|\bnobody here\b", "plain words"),
    (r"\b(bring|brings) a (private )?desktop along\b", "use, start a private desktop"),
    (
        r"(^|\b(it|that|this|which|file|call)\b|['}]) is no (UTF-8|URL|JSON|JSON-RPC|IP|file|folder|picture|number|port|age|command|string|error|evidence|area)\b",
        "is not a …",
    ),
    (r"\b(the one who|he who|they who|those who) (asked|asks)\b", "the client, the caller"),
    (r"\bfault of (its|their|his) own\b", "an internal error"),
    (r"\bbelongs? into\b", "belongs in"),
    (r"\bin silence\b", "silently"),
];

/// Phrases that no comment may have besides: code does not speak.
const RULED_OUT_IN_COMMENTS: &[(&str, &str)] = &[
    (r"\b(tells?|told|telling|said)\b", "reports, returns, contains, shows, is documented to"),
    (r"\b(he|they|those|the one) who\b", "the caller, clients that"),
    (r"\b(hears?|heard|bears?)\b", "receives, has"),
    (r"\b(in truth|the word of|of (its|their|our) own making)\b", "in fact, according to, written here"),
    (r"\b(what|where|which) (nobody|no one) (tells?|shows?|knows?|sees?|said)\b", "what is not in …"),
];

/// Pages that measurements or the code write; their words are those of error messages and test names.
const WRITTEN_BY_CODE: [&str; 3] = ["matrix.md", "toolkit-events.md", "harness.md"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<PathBuf> {
    let folders =
        ["docs", "docs/how-to", "docs/explanation", "docs/reference"].map(|folder| repository().join(folder));
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder of pages"));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let own = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "skills/handeye/SKILL.md"]
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

/// The files whose string literals a user may read: those of every crate that are compiled without tests.
fn sources() -> Vec<PathBuf> {
    let mut files = files_in("crates", "rs", &["tests", "fake", "benches", "examples"]);
    files.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.ends_with("tests.rs") && name != "testing.rs"
    });
    files
}

/// The files with this extension in a folder of the repository, without those in folders that are `skipped`.
fn files_in(folder: &str, extension: &str, skipped: &[&str]) -> Vec<PathBuf> {
    let mut folders = vec![repository().join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                // What tools have put there is not ours.
                let is_other = name.starts_with('.') || ["target", "node_modules"].contains(&&*name);
                if !is_other && !skipped.contains(&&*name) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files
}

/// The help of the program and of each of its subcommands, with the words that ask for it.
fn helps() -> Vec<(String, String)> {
    let mut asked = vec![Vec::<String>::new()];
    let mut helps = Vec::new();
    while let Some(words) = asked.pop() {
        let mut line: Vec<&str> = words.iter().map(String::as_str).collect();
        line.push("--help");
        let text = support::stdout(&support::run(&line));
        for name in subcommands(&text) {
            asked.push(words.iter().cloned().chain([name]).collect());
        }
        helps.push((format!("handeye {}", line.join(" ")), text));
    }
    helps
}

/// The names under the headings of subcommands: indented by two, followed by at least two spaces and a description.
fn subcommands(help: &str) -> Vec<String> {
    let name = Regex::new(r"^  ([a-z][a-z-]+)  +\S").expect("a valid expression");
    let options = help.find("\nOptions:").map_or(help, |at| &help[..at]);
    let arguments = options.find("\nArguments:").map_or(options, |at| &options[..at]);
    let names = arguments.lines().filter_map(|line| name.captures(line)).map(|found| found[1].to_owned());
    names.filter(|name| name != "help").collect()
}

fn faults(place: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (phrase, instead) in ruled_out() {
        for (number, line) in text.lines().enumerate() {
            if let Some(hit) = phrase.find(line) {
                found.push(format!("{place}:{}: \"{}\": {instead}", number + 1, hit.as_str()));
            }
        }
    }
    found
}

/// The faults of a comment or docstring, those across the end of a line too.
fn faults_of_comment(path: &Path, comment: &Passage) -> Vec<String> {
    let line = comment.text.replace('\n', " ");
    let mut found = Vec::new();
    for (phrase, instead) in ruled_out().iter().chain(ruled_out_in_comments()) {
        for hit in phrase.find_iter(&line) {
            let number = comment.line + comment.text[..hit.start()].matches('\n').count();
            found.push(format!("{}:{number}: \"{}\": {instead}", path.display(), hit.as_str()));
        }
    }
    found
}

/// The phrases of [`RULED_OUT`], compiled once.
fn ruled_out() -> &'static [(Regex, &'static str)] {
    static COMPILED: OnceLock<Vec<(Regex, &str)>> = OnceLock::new();
    COMPILED.get_or_init(|| compiled(RULED_OUT))
}

/// The phrases of [`RULED_OUT_IN_COMMENTS`], compiled once.
fn ruled_out_in_comments() -> &'static [(Regex, &'static str)] {
    static COMPILED: OnceLock<Vec<(Regex, &str)>> = OnceLock::new();
    COMPILED.get_or_init(|| compiled(RULED_OUT_IN_COMMENTS))
}

fn compiled(phrases: &[(&str, &'static str)]) -> Vec<(Regex, &'static str)> {
    let compile = |phrase: &str| Regex::new(&format!("(?i){phrase}")).expect("a valid expression");
    phrases.iter().map(|(phrase, instead)| (compile(phrase), *instead)).collect()
}

#[test]
fn pages_have_no_words_that_are_ruled_out() {
    let pages = pages();
    assert!(pages.len() > 25, "these are not all pages: {pages:?}");
    let mut found = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page");
        found.extend(faults(&page.display().to_string(), &text));
    }
    assert!(found.is_empty(), "see docs/style.md:\n{}", found.join("\n"));
}

#[test]
fn the_help_of_every_command_has_no_words_that_are_ruled_out() {
    let helps = helps();
    for name in ["click", "tree", "mcp install", "desktop run", "daemon status"] {
        let place = format!("handeye {name} --help");
        assert!(helps.iter().any(|(asked, _)| *asked == place), "no help of {name}: {}", helps.len());
    }
    let found: Vec<String> = helps.iter().flat_map(|(asked, text)| faults(asked, text)).collect();
    assert!(found.is_empty(), "see docs/style.md:\n{}", found.join("\n"));
}

#[test]
fn messages_have_no_words_that_are_ruled_out() {
    let sources = sources();
    assert!(sources.len() > 250, "these are not all sources: {}", sources.len());
    let mut found = Vec::new();
    let mut messages = 0;
    for source in sources {
        let text = std::fs::read_to_string(&source).expect("a source file");
        for literal in rust::passages(&text).into_iter().filter(|passage| passage.kind == Kind::Literal) {
            messages += usize::from(literal.text.contains(' '));
            let place = format!("{}:{}", source.display(), literal.line);
            found.extend(faults(&place, &literal.text));
        }
    }
    assert!(messages > 2000, "these are not all messages: {messages}");
    assert!(found.is_empty(), "see docs/style.md:\n{}", found.join("\n"));
}

#[test]
fn comments_have_no_words_that_are_ruled_out() {
    let folders = ["crates", "fuzz", "bench"];
    let rust: Vec<PathBuf> = folders.iter().flat_map(|folder| files_in(folder, "rs", &[])).collect();
    let python = files_in("tests", "py", &[]);
    assert!(rust.len() > 600 && python.len() > 180, "not all sources: {}, {}", rust.len(), python.len());
    let (mut found, mut comments) = (Vec::new(), 0);
    for path in rust.iter().chain(&python) {
        let text = std::fs::read_to_string(path).expect("a source file");
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        let passages = if is_rust { rust::passages(&text) } else { python::comments(&text) };
        for comment in passages.iter().filter(|passage| passage.kind == Kind::Comment) {
            comments += 1;
            found.extend(faults_of_comment(path, comment));
        }
    }
    assert!(comments > 9000, "these are not all comments: {comments}");
    assert!(found.is_empty(), "{} faults, see docs/style.md:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_phrase_is_found_where_it_stands() {
    for wrong in [
        "fine\nFind what no tree tells of",
        "x tells of no scroll bar",
        "Subscribe to hear of changes",
        "until it comes to stand",
        "for elements that are borne",
        "Whoever asks",
        "the file is no picture",
    ] {
        assert!(!faults("page", wrong).is_empty(), "{wrong}");
    }
    assert!(
        faults("page", "The client is notified of changes. There is no file. It tells where.").is_empty()
    );
}

#[test]
fn a_phrase_is_found_in_a_comment_across_the_end_of_a_line() {
    let of = |text: &str| Passage { kind: Kind::Comment, line: 7, text: text.to_owned() };
    let found = faults_of_comment(Path::new("a.rs"), &of("first\nif the file is\nno picture"));
    assert_eq!(found, ["a.rs:8: \"file is no picture\": is not a …"]);
    for wrong in ["Tells the client", "what was said", "for those who wait", "what nobody knows"] {
        assert!(!faults_of_comment(Path::new("a.rs"), &of(wrong)).is_empty(), "{wrong}");
    }
    assert!(
        faults_of_comment(Path::new("a.rs"), &of("Notifies the client; a foretold intellect")).is_empty()
    );
}

#[test]
fn subcommands_are_read_from_a_help_text() {
    let help = "Usage: x\n\nCommands:\n  run      Run it\n  mcp-it   Serve\n  help     Help\n\nOptions:\n  none  of these\n";
    assert_eq!(subcommands(help), ["run", "mcp-it"]);
}
