//! Takes out of texts what is secret in them.

use crate::catalogue::{BY_POLICY, RANDOM, TYPED, is_kind};
use crate::mark;
use crate::random;
use crate::scan;
use crate::table::{PatternFault, RedactTable, compiled};
use crate::typed::Typed;
use handeye_core::SecretText;
use regex::Regex;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

/// How often a text is read again after something was taken out of it: what stood beside it may be a token by itself now.
const ROUNDS: usize = 4;
/// Deepest nesting of JSON that is followed; parsers allow 128.
const DEEPEST: usize = 256;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it is, in bytes.
    pub place: Range<usize>,
    /// What it is, as its mark names it.
    pub kind: Cow<'static, str>,
}

/// Takes out of texts what is secret in them. Cheap to clone: clones are one, so that a secret that one of them was given is known to all.
#[derive(Clone, Default)]
pub struct Redactor {
    state: Arc<RwLock<State>>,
}

#[derive(Clone)]
struct State {
    rules: Arc<Rules>,
    typed: Typed,
}

/// What the policy says about it.
struct Rules {
    patterns: Vec<Regex>,
    entropy: bool,
}

impl Default for State {
    fn default() -> Self {
        Self { rules: Arc::new(Rules { patterns: Vec::new(), entropy: true }), typed: Typed::default() }
    }
}

/// Never what was typed.
impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

impl Redactor {
    /// One that looks for what the policy names, besides tokens and keys.
    ///
    /// # Errors
    /// The pattern that is none, and why.
    pub fn new(table: &RedactTable) -> Result<Self, PatternFault> {
        let redactor = Self::default();
        redactor.configure(table)?;
        Ok(redactor)
    }

    /// Looks for what this policy names from now on. What was typed stays known.
    ///
    /// # Errors
    /// The pattern that is none, and why; then nothing is changed.
    pub fn configure(&self, table: &RedactTable) -> Result<(), PatternFault> {
        let rules = Rules { patterns: compiled(&table.patterns)?, entropy: table.entropy };
        self.state.write().unwrap_or_else(PoisonError::into_inner).rules = Arc::new(rules);
        Ok(())
    }

    /// Looks for this value from now on, as the secret of that name. One of fewer than 4 bytes is not looked for.
    pub fn remember(&self, name: &str, value: &SecretText) {
        let mut typed = self.state().typed;
        if typed.remember(name, value) {
            self.state.write().unwrap_or_else(PoisonError::into_inner).typed = typed;
        }
    }

    /// The same for a while, with these values too. What this one remembers later is unknown to it.
    #[must_use]
    pub fn knowing<'a>(&self, kind: &str, values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut state = self.state();
        for value in values {
            state.typed.remember(kind, &SecretText::new(value));
        }
        Self { state: Arc::new(RwLock::new(state)) }
    }

    /// A poisoned lock is taken over: every change is one assignment.
    fn state(&self) -> State {
        self.state.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The text without what is secret in it, as itself where nothing is. Linear in its length; doing it again changes nothing.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let state = self.state();
        let found = state.found(text);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = without(text, &found);
        for _ in 1..ROUNDS {
            let found = state.found(&out);
            if found.is_empty() {
                break;
            }
            out = without(&out, &found);
        }
        Cow::Owned(out)
    }

    /// Whether something in it is secret.
    pub fn is_secret(&self, text: &str) -> bool {
        !self.state().found(text).is_empty()
    }

    /// What is secret in a text: in order, none touching another.
    pub fn found(&self, text: &str) -> Vec<Found> {
        self.state().found(text)
    }

    /// Takes what is secret out of all strings of a JSON value, the names of its fields among them. Whether there was anything.
    pub fn json(&self, value: &mut Value) -> bool {
        self.json_within(value, DEEPEST)
    }

    fn json_within(&self, value: &mut Value, deepest: usize) -> bool {
        if deepest == 0 {
            *value = Value::Null;
            return true;
        }
        match value {
            Value::String(text) => match self.text(text) {
                Cow::Borrowed(_) => false,
                Cow::Owned(without) => {
                    *text = without;
                    true
                }
            },
            Value::Array(items) => {
                items.iter_mut().fold(false, |any, item| self.json_within(item, deepest - 1) | any)
            }
            Value::Object(fields) => {
                let mut any = false;
                for item in fields.values_mut() {
                    any |= self.json_within(item, deepest - 1);
                }
                if fields.keys().any(|name| self.is_secret(name)) {
                    any = true;
                    let renamed = std::mem::take(fields).into_iter();
                    *fields = renamed
                        .map(|(name, item)| (self.text(&name).into_owned(), item))
                        .collect::<Map<_, _>>();
                }
                any
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Takes what is secret out of a text that may be JSON, so that it is JSON afterwards too. `None` if nothing is.
    pub fn text_or_json(&self, text: &str) -> Option<String> {
        let Cow::Owned(plain) = self.text(text) else { return None };
        if text.starts_with(['{', '['])
            && let Ok(mut value) = serde_json::from_str::<Value>(text)
        {
            self.json(&mut value);
            let written = if text.contains('\n') {
                serde_json::to_string_pretty(&value)
            } else {
                serde_json::to_string(&value)
            };
            if let Ok(written) = written {
                return Some(written);
            }
        }
        Some(plain)
    }
}

impl State {
    fn found(&self, text: &str) -> Vec<Found> {
        // No token is shorter, and most texts are.
        if text.len() < crate::typed::SHORTEST {
            return Vec::new();
        }
        let is_known = |name: &str| {
            is_kind(name) || name.strip_prefix(TYPED).is_some_and(|name| self.typed.is_name(name))
        };
        let marks = if text.contains(mark::BEGIN) { mark::places(text, is_known) } else { Vec::new() };
        let mut found = Vec::new();
        self.typed.places(text, |place, name| {
            found.push(Found { place, kind: Cow::Owned(format!("{TYPED}{name}")) });
        });
        for pattern in &self.rules.patterns {
            let places = pattern.find_iter(text).filter(|place| !place.is_empty());
            found.extend(places.map(|place| Found { place: place.range(), kind: BY_POLICY.into() }));
        }
        scan::places(text, |place, kind| found.push(Found { place, kind: kind.into() }));
        let mut found = joined(found, &marks);
        if self.rules.entropy {
            let mut words = Vec::new();
            let mut start = 0;
            let ends =
                found.iter().map(|found| found.place.clone()).chain(std::iter::once(text.len()..text.len()));
            for taken in ends {
                random::words(&text[start..taken.start], |word| {
                    let place = start + word.start..start + word.end;
                    words.push(Found { place, kind: RANDOM.into() });
                });
                start = taken.end;
            }
            if !words.is_empty() {
                found.extend(words);
                found = joined(found, &marks);
            }
        }
        found
    }
}

/// The places in order; what overlaps is one, of the kind that was found first. Nothing is taken out of a mark.
fn joined(mut found: Vec<Found>, marks: &[Range<usize>]) -> Vec<Found> {
    let overlaps = |one: &Range<usize>, other: &Range<usize>| one.start < other.end && other.start < one.end;
    if !marks.is_empty() {
        found = found.into_iter().flat_map(|found| outside(found, marks)).collect();
    }
    // Stable: of those that begin together the one that was found first comes first.
    found.sort_by_key(|found| found.place.start);
    let mut all: Vec<Found> = Vec::with_capacity(found.len());
    for one in found {
        match all.last_mut() {
            Some(last) if overlaps(&last.place, &one.place) => {
                last.place.end = last.place.end.max(one.place.end);
            }
            _ => all.push(one),
        }
    }
    all
}

/// The parts of what was found that are in no mark.
fn outside(found: Found, marks: &[Range<usize>]) -> Vec<Found> {
    let mut parts = Vec::new();
    let mut start = found.place.start;
    let from = marks.partition_point(|mark| mark.end <= start);
    for mark in marks[from..].iter().take_while(|mark| mark.start < found.place.end) {
        if start < mark.start {
            parts.push(Found { place: start..mark.start, kind: found.kind.clone() });
        }
        start = mark.end;
    }
    if start < found.place.end {
        parts.push(Found { place: start..found.place.end, kind: found.kind });
    }
    parts
}

/// A text with marks in the place of what was found.
fn without(text: &str, found: &[Found]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for Found { place, kind } in found {
        out.push_str(&text[at..place.start]);
        out.push_str(&mark::mark(kind));
        at = place.end;
    }
    out.push_str(&text[at..]);
    out
}
