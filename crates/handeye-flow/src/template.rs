//! Values of earlier steps in the parameters of later ones: `{{step_1.value}}`, `{{var.title}}`.
//!
//! Nothing but fields can be named, and a value is put in once and never parsed again: text that an application shows cannot
//! become a placeholder, and in a query it stays a text (it is quoted there).

use crate::place::Place;
use serde_json::Value;
use std::fmt;

/// How the placeholder of a secret goes on after its braces.
const SECRET: &str = "secret:";
/// Longest value that is put into a text, in bytes.
const MAX_VALUE: usize = 400_000;

/// What a placeholder names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A field of the answer of a step.
    Step {
        /// The step, from 1 on.
        number: usize,
        /// The way to the field: names and places in lists.
        path: Vec<String>,
    },
    /// A variable of the workflow.
    Variable(String),
}

/// As it is written between the braces.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step { number, path } => write!(f, "step_{number}.{}", path.join(".")),
            Self::Variable(name) => write!(f, "var.{name}"),
        }
    }
}

impl Source {
    fn parse(text: &str) -> Option<Self> {
        let is_name = |name: &&str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
        };
        let mut parts = text.trim().split('.');
        let head = parts.next()?;
        let path: Vec<String> = parts.clone().filter(is_name).map(str::to_owned).collect();
        if path.is_empty() || path.len() != parts.count() {
            return None;
        }
        if head == "var" {
            return <[String; 1]>::try_from(path).ok().map(|[name]| Self::Variable(name));
        }
        let number = head.strip_prefix("step_")?;
        let is_number = number.len() <= 6 && number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|_| is_number)?;
        Some(Self::Step { number, path })
    }

    /// Whether it names a field that holds a reference, which a query takes as it is.
    fn is_reference(&self) -> bool {
        matches!(self, Self::Step { path, .. } if path.last().is_some_and(|field| field == "element_ref"))
    }
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A text as it is meant.
    Literal(String),
    /// A value is put in here.
    Placeholder(Source),
}

/// Cuts a text at its placeholders. `{{{{` stands for `{{`.
///
/// # Errors
/// What is no placeholder, as a sentence.
pub fn parse(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        literal.push_str(&rest[..start]);
        let after = &rest[start + 2..];
        if let Some(after) = after.strip_prefix("{{") {
            literal.push_str("{{");
            rest = after;
            continue;
        }
        // A secret is put in where it is typed, and nowhere before.
        if let Some(end) = after.strip_prefix(SECRET).and_then(|name| name.find("}}")) {
            let end = start + 2 + SECRET.len() + end + 2;
            literal.push_str(&rest[start..end]);
            rest = &rest[end..];
            continue;
        }
        let source = after.find("}}").and_then(|end| Some((Source::parse(&after[..end])?, end)));
        let Some((source, end)) = source else {
            let shown = handeye_core::screen_text::line(after, 40);
            return Err(format!(
                "'{{{{{shown}' is not a placeholder: write {{{{step_N.field}}}} or {{{{var.NAME}}}}, and {{{{{{{{ for the braces themselves"
            ));
        };
        if !literal.is_empty() {
            pieces.push(Piece::Literal(std::mem::take(&mut literal)));
        }
        pieces.push(Piece::Placeholder(source));
        rest = &after[end + 2..];
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        pieces.push(Piece::Literal(literal));
    }
    Ok(pieces)
}

/// Everything that the texts in a value name.
///
/// # Errors
/// Why a text cannot be read, as a sentence.
pub fn sources(value: &Value) -> Result<Vec<Source>, String> {
    Ok(match value {
        Value::String(text) => parse(text)?
            .into_iter()
            .filter_map(|piece| match piece {
                Piece::Placeholder(source) => Some(source),
                Piece::Literal(_) => None,
            })
            .collect(),
        Value::Array(values) => flatten(values.iter())?,
        Value::Object(fields) => flatten(fields.values())?,
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    })
}

fn flatten<'a>(values: impl Iterator<Item = &'a Value>) -> Result<Vec<Source>, String> {
    let mut all = Vec::new();
    for value in values {
        all.extend(sources(value)?);
    }
    Ok(all)
}

/// Puts values in the place of placeholders. `known` returns the value of a source, `place` how a value at the top is used.
///
/// # Errors
/// Why a value is not there or cannot be put in, as a sentence.
pub fn fill<'v>(
    value: &Value,
    place: Place,
    known: &dyn Fn(&Source) -> Result<&'v Value, String>,
) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => filled(text, place, known)?,
        Value::Array(values) => {
            let values = values.iter().map(|value| fill(value, Place::Anything, known));
            Value::Array(values.collect::<Result<_, _>>()?)
        }
        Value::Object(fields) => {
            let fields =
                fields.iter().map(|(name, value)| Ok((name.clone(), fill(value, Place::Anything, known)?)));
            Value::Object(fields.collect::<Result<_, String>>()?)
        }
        other => other.clone(),
    })
}

fn filled<'v>(
    text: &str,
    place: Place,
    known: &dyn Fn(&Source) -> Result<&'v Value, String>,
) -> Result<Value, String> {
    let pieces = parse(text)?;
    let known = &|source: &Source| {
        let value = known(source)?;
        let names_secret = value.as_str().is_some_and(|text| text.contains("{{secret:"));
        // Nothing that an application shows makes a step type a secret.
        if names_secret {
            return Err(format!("{{{{{source}}}}} holds '{{{{secret:', which only a step itself may name"));
        }
        Ok(value)
    };
    if let [Piece::Placeholder(source)] = &pieces[..] {
        let value = known(source)?;
        match place {
            Place::Anything => return Ok(value.clone()),
            Place::Text => return as_text(source, value).map(Value::String),
            Place::Query if source.is_reference() => {
                let text = as_text(source, value)?;
                if handeye_core::reference::digits(&text).is_some() {
                    return Ok(Value::String(text));
                }
            }
            Place::Query => {}
        }
    }
    let mut writer = place.writer(text);
    for piece in &pieces {
        match piece {
            Piece::Literal(literal) => writer.literal(literal),
            Piece::Placeholder(source) => {
                let value = as_text(source, known(source)?)?;
                writer.value(&value).map_err(|why| format!("{{{{{source}}}}} {why}"))?;
            }
        }
    }
    Ok(Value::String(writer.written()))
}

/// A value as it is put into a text.
fn as_text(source: &Source, value: &Value) -> Result<String, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            return Err(format!("{{{{{source}}}}} is not a text, a number or true or false"));
        }
    };
    if text.len() > MAX_VALUE {
        return Err(format!("{{{{{source}}}}} has {} bytes; at most {MAX_VALUE} are put in", text.len()));
    }
    Ok(text)
}

/// The field at the end of a path.
///
/// # Errors
/// Which part is missing, and what is there instead.
pub fn field<'v>(source: &Source, answer: &'v Value) -> Result<&'v Value, String> {
    let Source::Step { path, number } = source else { return Ok(answer) };
    let mut value = answer;
    for name in path {
        let next = match value {
            Value::Object(fields) => fields.get(name),
            Value::Array(values) => name.parse::<usize>().ok().and_then(|index| values.get(index)),
            _ => None,
        };
        value = next.ok_or_else(|| {
            let name = handeye_core::screen_text::line(name, 40);
            format!("step {number} answered no field '{name}'{}", what_is_there(value))
        })?;
    }
    Ok(value)
}

fn what_is_there(value: &Value) -> String {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let names: Vec<&str> = fields.keys().take(20).map(String::as_str).collect();
            format!("; there is {}", names.join(", "))
        }
        Value::Array(values) => format!("; there is a list of {}", values.len()),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn filled(text: &str, place: Place, value: impl Into<Value>) -> Result<Value, String> {
        let value = value.into();
        fill(&json!(text), place, &|_| Ok(&value))
    }

    #[test]
    fn placeholders_name_fields_and_nothing_else() {
        let named =
            sources(&json!({"a": ["{{step_2.effect.status}} {{ var.title }}"], "b": 3})).expect("they parse");
        let shown: Vec<String> = named.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["step_2.effect.status", "var.title"]);
        assert_eq!(sources(&json!("{{{{ x }} and }}")).expect("literal braces"), []);
        for wrong in [
            "{{",
            "{{}}",
            "{{step_1}}",
            "{{step_x.a}}",
            "{{step_1.a b}}",
            "{{step_1..a}}",
            "{{var.a.b}}",
            "{{env.HOME}}",
            "{{step_1.a + 1}}",
        ] {
            assert!(sources(&json!(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_value_keeps_its_type_unless_a_text_is_wanted() {
        assert_eq!(filled("{{step_1.n}}", Place::Anything, json!(3)), Ok(json!(3)));
        assert_eq!(filled("{{step_1.n}}", Place::Text, json!(3)), Ok(json!("3")));
        assert_eq!(filled("n={{step_1.n}}", Place::Anything, json!(3)), Ok(json!("n=3")));
        assert!(filled("{{step_1.n}}", Place::Text, json!([1])).is_err());
        assert_eq!(filled("{{{{x}} {{step_1.n}}", Place::Text, json!("v")), Ok(json!("{{x}} v")));
    }

    #[test]
    fn a_value_is_never_parsed_again() {
        let hostile = json!("{{step_1.secret}}");
        assert_eq!(filled("{{step_1.n}}!", Place::Text, hostile), Ok(json!("{{step_1.secret}}!")));
    }

    #[test]
    fn a_reference_goes_into_a_query_as_it_is_and_only_from_its_field() {
        assert_eq!(filled("{{step_1.element_ref}}", Place::Query, json!("e12")), Ok(json!("e12")));
        assert_eq!(
            filled("{{step_1.element_ref}}", Place::Query, json!("//button")),
            Ok(json!("\"//button\""))
        );
        assert_eq!(filled("{{step_1.value}}", Place::Query, json!("e12")), Ok(json!("\"e12\"")));
    }

    #[test]
    fn a_missing_field_is_an_error_that_lists_those_that_are_there() {
        let answer = json!({"windows": [{"title": "A"}], "count": 1});
        let at = |path: &[&str]| Source::Step {
            number: 1,
            path: path.iter().map(|&part| part.to_owned()).collect(),
        };
        assert_eq!(field(&at(&["windows", "0", "title"]), &answer), Ok(&json!("A")));
        let missing = field(&at(&["titel"]), &answer).expect_err("missing");
        assert!(missing.contains("'titel'") && missing.contains("windows"), "{missing}");
        assert!(field(&at(&["windows", "7"]), &answer).expect_err("too few").contains("a list of 1"));
    }

    proptest! {
        #[test]
        fn any_text_parses_or_is_a_fault(text in ".{0,60}") {
            drop(sources(&json!(text)));
        }

        #[test]
        fn text_without_braces_is_itself(text in "[^{]{0,60}") {
            prop_assert_eq!(filled(&text, Place::Text, json!(null)), Ok(json!(text)));
        }
    }
}
