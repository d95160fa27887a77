//! The methods of a crate: which `impl` has them, and which are called where the type is known.
//!
//! The type is known behind `self`, `Self::` and `Type::`, and of a parameter that is a `Type` or a reference to one.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeMap;

/// What a file has of methods.
#[derive(Debug, Default)]
pub(crate) struct Methods {
    /// Type and name of the methods of `impl Type`. Those of a trait are not here: callers depend on the trait.
    pub(crate) defined: Vec<(String, String)>,
    /// Type and name of the methods that are called. What is not the name of a method of this crate leads nowhere.
    pub(crate) called: Vec<(String, String)>,
}

impl Methods {
    /// Reads what a file has, without its `#[cfg(test)]` items.
    pub(crate) fn of(tokens: &[TokenTree]) -> Self {
        let mut methods = Self::default();
        methods.items(tokens);
        methods
    }

    /// Reads items: those of a file, or of a module that is written inside of it.
    fn items(&mut self, tokens: &[TokenTree]) {
        let mut begin = 0;
        for (at, token) in tokens.iter().enumerate() {
            let body = match token {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
                TokenTree::Punct(punct) if punct.as_char() == ';' => None,
                _ => continue,
            };
            let item = &tokens[begin..=at];
            begin = at + 1;
            let word = |wanted: &str| {
                item.iter().position(|token| matches!(token, TokenTree::Ident(word) if *word == wanted))
            };
            match body {
                Some(body) if word("mod").is_some_and(|at| at < 3) => self.items(&listed(body)),
                Some(body) => match word("impl").filter(|_| word("fn").is_none()) {
                    Some(place) => self.implementation(&item[place + 1..item.len() - 1], &listed(body)),
                    None => self.calls(item, None, &mut BTreeMap::new()),
                },
                None => self.calls(item, None, &mut BTreeMap::new()),
            }
        }
    }

    fn implementation(&mut self, head: &[TokenTree], body: &[TokenTree]) {
        let (owner, of_trait) = owner(head);
        let Some(owner) = owner else { return };
        if !of_trait {
            let names = body.windows(2).filter_map(|pair| match pair {
                [TokenTree::Ident(word), TokenTree::Ident(name)] if *word == "fn" => Some(name.to_string()),
                _ => None,
            });
            self.defined.extend(names.map(|name| (owner.clone(), name)));
        }
        self.calls(body, Some(&owner), &mut BTreeMap::new());
    }

    /// The calls in these tokens; `own` is the type of `self`, and `known` has the types of parameters.
    fn calls(&mut self, tokens: &[TokenTree], own: Option<&String>, known: &mut BTreeMap<String, String>) {
        for at in 0..tokens.len() {
            match &tokens[at..] {
                [TokenTree::Ident(word), TokenTree::Ident(_), rest @ ..] if *word == "fn" => {
                    known.clear();
                    let parameters = rest.iter().find_map(|token| match token {
                        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                            Some(listed(group.stream()))
                        }
                        _ => None,
                    });
                    known.extend(parameters.iter().flat_map(|parameters| typed(parameters)));
                }
                [TokenTree::Ident(on), TokenTree::Punct(dot), TokenTree::Ident(name), ..]
                    if dot.as_char() == '.' && !is_dot(tokens[..at].last()) =>
                {
                    let on = on.to_string();
                    let owner = if on == "self" { own } else { known.get(&on) };
                    self.called.extend(owner.map(|owner| (owner.clone(), name.to_string())));
                }
                [
                    TokenTree::Ident(on),
                    TokenTree::Punct(colon),
                    TokenTree::Punct(second),
                    TokenTree::Ident(name),
                    ..,
                ] if colon.as_char() == ':' && second.as_char() == ':' => {
                    let on = on.to_string();
                    let owner = if on == "Self" { own.cloned() } else { Some(on) };
                    self.called.extend(owner.map(|owner| (owner, name.to_string())));
                }
                [TokenTree::Group(group), ..] => self.calls(&listed(group.stream()), own, known),
                _ => {}
            }
        }
    }
}

fn listed(stream: TokenStream) -> Vec<TokenTree> {
    stream.into_iter().collect()
}

fn is_dot(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == '.')
}

/// The type behind `impl`, and whether a trait is implemented for it.
fn owner(head: &[TokenTree]) -> (Option<String>, bool) {
    let mut depth = 0_usize;
    let mut owner = None;
    let mut of_trait = false;
    for (at, token) in head.iter().enumerate() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            // Not the end of an arrow.
            TokenTree::Punct(punct) if punct.as_char() == '>' && !is_arrow(head, at) => {
                depth = depth.saturating_sub(1);
            }
            TokenTree::Ident(word) if depth == 0 && *word == "where" => break,
            TokenTree::Ident(word) if depth == 0 && *word == "for" => of_trait = true,
            TokenTree::Ident(word) if depth == 0 => owner = Some(word.to_string()),
            _ => {}
        }
    }
    (owner, of_trait)
}

fn is_arrow(tokens: &[TokenTree], at: usize) -> bool {
    matches!(at.checked_sub(1).map(|before| &tokens[before]), Some(TokenTree::Punct(punct)) if punct.as_char() == '-')
}

/// The parameters whose type is a name or a reference to one.
fn typed(parameters: &[TokenTree]) -> Vec<(String, String)> {
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let parameters = parameters.split(is_comma).filter_map(|parameter| match parameter {
        [TokenTree::Ident(name), TokenTree::Punct(colon), kind @ ..] if colon.as_char() == ':' => {
            let words = kind.iter().filter(|token| match token {
                TokenTree::Ident(word) => *word != "mut",
                TokenTree::Punct(punct) => !matches!(punct.as_char(), '&' | '\''),
                _ => true,
            });
            match words.collect::<Vec<_>>().as_slice() {
                [TokenTree::Ident(kind)] => Some((name.to_string(), kind.to_string())),
                _ => None,
            }
        }
        _ => None,
    });
    parameters.collect()
}

#[test]
fn methods_are_found_with_the_type_that_has_them() {
    let text = "struct A; impl A { fn one(&self, b: &mut B) { b.two(self.x.y(), vec![self.three()]); Self::four(); C::five() } }\n\
                impl<T: Fn() -> u8> D<T> for A { fn six(&self) { self.one() } }\nfn free(a: &A) -> impl Iterator { a.one(); other.one() }\n\
                mod inner { impl B { fn two(&self) {} } }";
    let methods = Methods::of(&listed(text.parse().expect("Rust")));
    let joined = |pairs: &[(String, String)]| -> Vec<String> {
        pairs.iter().map(|(owner, name)| format!("{owner}.{name}")).collect()
    };
    assert_eq!(joined(&methods.defined), ["A.one", "B.two"]);
    assert_eq!(joined(&methods.called), ["B.two", "A.x", "A.three", "A.four", "C.five", "A.one", "A.one"]);
}
