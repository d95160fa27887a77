//! How an element is, beside how it should be.

use super::expected::Assertions;
use crate::element_value;
use handeye_act::locate::Located;
use handeye_core::{ConnectedApp, DetailKinds, Error, Result, Scope, States, Text, Tree, screen_text};
use handeye_tree::outline;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// Most characters of an element's text that are read and compared.
const MAX_CHARS: u32 = 200_000;
/// Most characters of a text in an answer.
const SHOWN: usize = 400;
/// What stands for the text of a protected field.
const PROTECTED: &str = "(protected)";

/// A property that is not as it should be.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Failure {
    property: &'static str,
    expected: Value,
    /// What it is; null if it is not known.
    actual: Value,
}

impl Failure {
    fn new(property: &'static str, expected: impl Into<Value>, actual: impl Into<Value>) -> Self {
        Self { property, expected: expected.into(), actual: actual.into() }
    }
}

/// An element that was looked at.
pub(super) struct Judged {
    /// The element, if there is one.
    pub(super) found: Option<Located>,
    /// What is not as it should be.
    pub(super) failures: Vec<Failure>,
    /// What else the caller should know.
    pub(super) notes: Vec<Text>,
    /// Why there is none.
    miss: Option<Error>,
}

impl Judged {
    /// No element is there.
    pub(super) fn missing(assertions: &Assertions, miss: Error) -> Self {
        let failures = match assertions.exists {
            Some(false) => Vec::new(),
            Some(true) | None => vec![Failure::new("exists", true, false)],
        };
        Self { found: None, failures, notes: Vec::new(), miss: Some(miss) }
    }

    /// The result in words.
    pub(super) fn sentence(&self, waited_ms: Option<u64>) -> Text {
        let after = waited_ms.map_or_else(String::new, |waited| format!(" after {waited} ms"));
        let mut text = Text::from(if self.failures.is_empty() {
            format!("Passed{after}: ")
        } else {
            format!("Failed{after}: ")
        });
        match (&self.found, &self.miss) {
            (Some(found), _) => text.push(outline::line(&found.node, found.shown_reference()).as_str()),
            (None, Some(miss)) if self.failures.is_empty() => text.push(miss.message.as_str()),
            (None, Some(miss)) => text.push(near(miss)),
            (None, None) => {}
        }
        for Failure { property, expected, actual } in &self.failures {
            let line = format!("{property}: expected {expected}, is {actual}");
            text.push_str(&format!("\n{}", screen_text::line(&line, 3 * SHOWN)));
        }
        text
    }
}

/// Compares the element with what is asserted.
pub(super) async fn judge(
    app: &Arc<dyn ConnectedApp>,
    found: Located,
    assertions: &Assertions,
) -> Result<Judged> {
    let node = &found.node;
    let (mut failures, mut notes) = (Vec::new(), Vec::new());
    let states = [
        ("exists", assertions.exists, true),
        ("enabled", assertions.enabled, !node.is_disabled()),
        ("focused", assertions.focused, node.states.contains(States::FOCUSED)),
        ("visible", assertions.visible, node.is_showing()),
    ];
    for (property, expected, actual) in states {
        if let Some(expected) = expected.filter(|expected| *expected != actual) {
            failures.push(Failure::new(property, expected, actual));
        }
    }
    if let Some(title) = assertions.title.as_ref().filter(|title| title.as_str() != node.label()) {
        failures.push(Failure::new("title", shown(title), shown(node.label())));
    }
    if let Some(role) = assertions.role.as_ref().filter(|role| !node.role.answers_to(role)) {
        failures.push(Failure::new("role", role.as_str(), node.role.to_string()));
    }
    if assertions.value.is_some() || assertions.contains_text.is_some() {
        texts(app, &found, assertions, &mut failures, &mut notes).await?;
    }
    notes.extend(found.healed.clone().map(Text::from));
    Ok(Judged { found: Some(found), failures, notes, miss: None })
}

/// Compares what the element holds and shows.
async fn texts(
    app: &Arc<dyn ConnectedApp>,
    found: &Located,
    assertions: &Assertions,
    failures: &mut Vec<Failure>,
    notes: &mut Vec<Text>,
) -> Result<()> {
    let is_protected = found.node.states.contains(States::PROTECTED);
    let (value, left_out) = element_value::read(app.as_ref(), found, MAX_CHARS).await?;
    if left_out > 0 {
        notes.push(format!("Only the first {MAX_CHARS} characters of the text were compared.").into());
    }
    if let Some(expected) = &assertions.value {
        if is_protected {
            failures.push(Failure::new("value", PROTECTED, PROTECTED));
        } else if left_out > 0 || value.as_ref() != Some(expected) {
            let actual = value.as_deref().map_or(Value::Null, |value| shown(value).into());
            failures.push(Failure::new("value", shown(expected), actual));
        }
    }
    let Some(wanted) = &assertions.contains_text else { return Ok(()) };
    let own = [found.node.label(), value.as_deref().unwrap_or_default()];
    if own.iter().any(|text| text.contains(wanted.as_str())) {
        return Ok(());
    }
    let details = DetailKinds::VALUE | DetailKinds::TEXT;
    let inner = if found.node.child_count > 0 {
        let tree = app.refresh(Scope { details, ..Scope::SHOWING }).await?;
        inner_texts(&tree, found)
    } else {
        Vec::new()
    };
    if inner.iter().any(|text| text.contains(wanted.as_str())) {
        return Ok(());
    }
    if is_protected {
        failures.push(Failure::new("contains_text", PROTECTED, PROTECTED));
        return Ok(());
    }
    let seen: Vec<&str> =
        own.into_iter().chain(inner.iter().map(String::as_str)).filter(|text| !text.is_empty()).collect();
    failures.push(Failure::new("contains_text", shown(wanted), shown(&seen.join(" | "))));
    Ok(())
}

/// The titles and values of what is shown in an element, but nothing of protected fields.
fn inner_texts(tree: &Tree, found: &Located) -> Vec<String> {
    let shown = tree.descendants(found.node.id).skip(1).filter(|node| node.is_showing());
    let texts = shown.flat_map(|node| {
        let value = (!node.states.contains(States::PROTECTED)).then(|| node.value_text()).flatten();
        [Some(node.label().to_owned()), value]
    });
    texts.flatten().filter(|text| !text.is_empty()).collect()
}

/// A text as an answer has it: cut after [`SHOWN`] characters.
fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The sentence of a miss: what comes near.
fn near(error: &Error) -> Text {
    let mut text = Text::from(error.message.clone());
    for line in &error.found {
        text.push_str(&format!("\n- {line}"));
    }
    text
}
