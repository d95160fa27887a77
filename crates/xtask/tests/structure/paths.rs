//! The paths in a file of Rust, wherever they are: in `use`, in code, and in the arguments of macros.

use crate::methods::Methods;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Paths, and the names that a module gives to others.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    /// The paths that begin with `crate`, `self` or `super`, and those of a `use`.
    pub(crate) used: Vec<Vec<String>>,
    /// What `pub use` passes on: the name under which, and the path.
    pub(crate) passed_on: Vec<(String, Vec<String>)>,
    /// The modules that are declared, and those of them that are in this very file.
    pub(crate) modules: Vec<(String, bool)>,
    /// The methods that are defined and called.
    pub(crate) methods: Methods,
}

impl Paths {
    /// Reads a file. `#[cfg(test)]` items are left out.
    pub(crate) fn of(text: &str) -> Self {
        let tokens: TokenStream = text.parse().expect("Rust");
        let tokens = without_tests(tokens);
        let mut paths = Self { methods: Methods::of(&tokens), ..Self::default() };
        paths.scan(&tokens);
        paths
    }

    fn scan(&mut self, tokens: &[TokenTree]) {
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Ident(word) if *word == "use" => {
                    let is_passed_on = at > 0 && is_public(&tokens[..at]);
                    let mut found = Vec::new();
                    at = tree(tokens, at + 1, &[], &mut found);
                    for (name, path) in found {
                        if is_passed_on {
                            self.passed_on.push((name, path));
                        } else {
                            self.used.push(path);
                        }
                    }
                }
                TokenTree::Ident(word) if *word == "mod" => {
                    if let (Some(TokenTree::Ident(name)), Some(next)) =
                        (tokens.get(at + 1), tokens.get(at + 2))
                    {
                        self.modules.push((name.to_string(), matches!(next, TokenTree::Group(_))));
                    }
                    at += 1;
                }
                TokenTree::Ident(word)
                    if (*word == "crate" || *word == "self" || *word == "super")
                        && is_joined(tokens, at + 1) =>
                {
                    let mut path = Vec::new();
                    while let Some(TokenTree::Ident(part)) = tokens.get(at) {
                        path.push(part.to_string());
                        at += 1;
                        if !is_joined(tokens, at) {
                            break;
                        }
                        at += 2;
                    }
                    self.used.push(path);
                }
                TokenTree::Group(group) => {
                    self.scan(&group.stream().into_iter().collect::<Vec<_>>());
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }
}

/// Whether `::` begins at `at`.
fn is_joined(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon =
        |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    is_colon(tokens.get(at)) && is_colon(tokens.get(at + 1))
}

/// Whether the tokens end with `pub` or `pub(…)`.
fn is_public(before: &[TokenTree]) -> bool {
    match before {
        [.., TokenTree::Ident(word)] => *word == "pub",
        [.., TokenTree::Ident(word), TokenTree::Group(group)] => {
            *word == "pub" && group.delimiter() == Delimiter::Parenthesis
        }
        _ => false,
    }
}

/// Reads one tree of a `use` and returns where it ends; `found` gets each name with its path.
fn tree(
    tokens: &[TokenTree],
    mut at: usize,
    begun: &[String],
    found: &mut Vec<(String, Vec<String>)>,
) -> usize {
    let mut path = begun.to_vec();
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(word)) if *word == "as" => {
                let name = tokens.get(at + 1).map(ToString::to_string).unwrap_or_default();
                found.push((name, path));
                return at + 2;
            }
            Some(TokenTree::Ident(word)) => path.push(word.to_string()),
            Some(TokenTree::Group(group)) => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                let mut next = 0;
                while next < inside.len() {
                    next = tree(&inside, next, &path, found) + 1;
                }
                return at + 1;
            }
            Some(TokenTree::Punct(punct)) if punct.as_char() == ':' => {}
            Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => {
                found.push(("*".to_owned(), path));
                return at + 1;
            }
            _ => {
                if path.last().is_some_and(|last| last == "self") {
                    path.pop();
                }
                if let Some(name) = path.last().cloned() {
                    found.push((name, path));
                }
                return at;
            }
        }
        at += 1;
    }
}

/// The tokens without the items below `#[cfg(test)]` and the like.
fn without_tests(tokens: TokenStream) -> Vec<TokenTree> {
    let mut kept: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_mark = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
        let is_test = matches!(tokens.peek(), Some(TokenTree::Group(group)) if is_of_tests(&group.stream()));
        if !(is_mark && is_test) {
            kept.push(token);
            continue;
        }
        // To the end of the item: a body in braces, or a semicolon.
        for skipped in tokens.by_ref().skip(1) {
            match skipped {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => break,
                TokenTree::Punct(punct) if punct.as_char() == ';' => break,
                _ => {}
            }
        }
    }
    kept
}

fn is_of_tests(attribute: &TokenStream) -> bool {
    let text = attribute.to_string().replace(' ', "");
    text.starts_with("cfg(")
        && (text.contains("(test") || text.contains("(doctest") || text.contains(",test"))
}

#[test]
fn paths_are_found_wherever_they_stand() {
    let paths = Paths::of(
        "use crate::a::{self, b::{C, D as E}};\npub(crate) use x::Y;\nfn f() { matches!(z, super::m::Kind::One) }\n\
         #[cfg(test)]\nmod tests { use crate::hidden::It; }\nmod inner { use super::q; }",
    );
    let joined: Vec<String> = paths.used.iter().map(|path| path.join("::")).collect();
    assert_eq!(joined, ["crate::a", "crate::a::b::C", "crate::a::b::D", "super::m::Kind::One", "super::q"]);
    assert_eq!(paths.passed_on, [("Y".to_owned(), vec!["x".to_owned(), "Y".to_owned()])]);
    assert_eq!(paths.modules, [("inner".to_owned(), true)]);
}
