//! A form: a message and a few fields of primitive types, as MCP's elicitation has them, and what was filled in.

use handeye_core::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A form for a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Form {
    /// What it is about, in a sentence or two.
    pub message: String,
    /// What the person has to read whole, with its lines, below the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exhibit: Option<String>,
    /// Its fields, in the order in which they are shown.
    pub fields: Vec<Field>,
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Its name in the reply.
    pub name: Cow<'static, str>,
    /// What the person reads.
    pub title: Cow<'static, str>,
    /// Whether it must be filled in.
    pub required: bool,
    /// What can be filled in.
    pub kind: FieldKind,
}

/// What can be filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldKind {
    /// Yes or no.
    YesNo {
        /// The value of a field that is left as it is.
        default: bool,
    },
    /// A line of text.
    Text {
        /// Longest, in characters.
        max_length: u32,
    },
    /// A whole number.
    Integer {
        /// Smallest.
        minimum: i64,
        /// Largest.
        maximum: i64,
        /// The value of a field that is left as it is.
        default: i64,
    },
    /// One of a few.
    Choice(Vec<Choice>),
}

/// One of a few.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What the reply says.
    pub value: String,
    /// What the person reads.
    pub title: String,
}

impl Form {
    /// A form without fields yet.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), exhibit: None, fields: Vec::new() }
    }

    /// Shows something whole below the message.
    #[must_use]
    pub fn with_exhibit(self, exhibit: impl Into<String>) -> Self {
        Self { exhibit: Some(exhibit.into()), ..self }
    }

    /// All that the person reads before the fields, for a client that has one text for it.
    pub fn whole_message(&self) -> Cow<'_, str> {
        match &self.exhibit {
            Some(exhibit) => format!("{}\n\n{exhibit}", self.message).into(),
            None => Cow::Borrowed(&self.message),
        }
    }

    /// Adds a field that must be filled in.
    #[must_use]
    pub fn required(mut self, name: &'static str, title: &'static str, kind: FieldKind) -> Self {
        self.fields.push(Field { name: name.into(), title: title.into(), required: true, kind });
        self
    }

    /// Adds a field that may be left out.
    #[must_use]
    pub fn optional(mut self, name: &'static str, title: &'static str, kind: FieldKind) -> Self {
        self.fields.push(Field { name: name.into(), title: title.into(), required: false, kind });
        self
    }

    /// Checks what came back. What no field asks for is left out: a client may say more than it was asked.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`] if a field that must be filled in is missing or one has a value that it does not take. The
    /// value itself is not quoted.
    pub fn read(&self, filled: &Map<String, Value>) -> Result<Fields> {
        let mut fields = Map::new();
        for field in &self.fields {
            match filled.get(&*field.name).filter(|value| !value.is_null()) {
                Some(value) if field.kind.takes(value) => {
                    fields.insert(field.name.clone().into_owned(), value.clone());
                }
                Some(_) => return Err(unfit(field, "has a value that the form does not accept")),
                None if field.required => return Err(unfit(field, "is missing")),
                None if matches!(field.kind, FieldKind::YesNo { default: true }) => {
                    fields.insert(field.name.clone().into_owned(), true.into());
                }
                None => {}
            }
        }
        Ok(Fields(fields))
    }
}

fn unfit(field: &Field, why: &str) -> Error {
    Error::new(ErrorCode::InvalidParameter, format!("the client's reply to the form: '{}' {why}", field.name))
        .with_next("Nothing was done. The client has to answer the form as its requestedSchema says.")
}

impl FieldKind {
    fn takes(&self, value: &Value) -> bool {
        match self {
            Self::YesNo { .. } => value.is_boolean(),
            Self::Text { max_length } => {
                value.as_str().is_some_and(|text| text.chars().count() <= *max_length as usize)
            }
            Self::Integer { minimum, maximum, .. } => {
                value.as_i64().is_some_and(|number| (*minimum..=*maximum).contains(&number))
            }
            Self::Choice(choices) => {
                value.as_str().is_some_and(|chosen| choices.iter().any(|choice| choice.value == chosen))
            }
        }
    }
}

/// A form as it was filled in: every field has a value that it takes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fields(Map<String, Value>);

impl Fields {
    /// A text or the value of a choice.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// Whether a question was answered with yes. What was left out is what the form says holds then.
    pub fn is_yes(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A whole number.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.0.get(name).and_then(Value::as_i64)
    }

    /// All of them, as they came.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn form() -> Form {
        let apps = ["a", "b"].map(|value| Choice { value: value.into(), title: value.to_uppercase() });
        Form::new("?")
            .required("app", "Application", FieldKind::Choice(apps.to_vec()))
            .required("confirm", "Confirm", FieldKind::YesNo { default: false })
            .optional("why", "Reason", FieldKind::Text { max_length: 5 })
            .optional("count", "Count", FieldKind::Integer { minimum: 1, maximum: 3, default: 1 })
    }

    fn read(filled: Value) -> Result<Fields> {
        match filled {
            Value::Object(filled) => form().read(&filled),
            _ => panic!("a form is an object"),
        }
    }

    #[test]
    fn what_fits_is_read_and_what_nobody_asked_for_is_left_out() {
        let fields = read(json!({"app": "b", "confirm": true, "why": "größe", "count": 3, "more": "x"}))
            .expect("it fits");
        assert_eq!(fields.text("app"), Some("b"));
        assert!(fields.is_yes("confirm"));
        assert_eq!(fields.text("why"), Some("größe"));
        assert_eq!(fields.as_map().len(), 4);
    }

    #[test]
    fn what_is_left_out_is_what_the_form_says() {
        let form = Form::new("?").optional("look", "Look?", FieldKind::YesNo { default: true }).optional(
            "delete",
            "Delete?",
            FieldKind::YesNo { default: false },
        );
        let read = |filled: Value| form.read(filled.as_object().expect("an object")).expect("it fits");
        assert!(read(json!({})).is_yes("look") && !read(json!({})).is_yes("delete"));
        assert!(!read(json!({"look": false})).is_yes("look"));
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        for filled in [
            json!({}),
            json!({"app": "a"}),
            json!({"app": "a", "confirm": null}),
            json!({"app": "c", "confirm": true}),
            json!({"app": "A", "confirm": true}),
            json!({"app": "a", "confirm": "true"}),
            json!({"app": "a", "confirm": 1}),
            json!({"app": "a", "confirm": true, "why": "too long"}),
            json!({"app": "a", "confirm": true, "count": 4}),
            json!({"app": "a", "confirm": true, "count": 1.5}),
        ] {
            let error = read(filled.clone()).expect_err("it does not fit");
            assert_eq!(error.code, ErrorCode::InvalidParameter, "{filled}");
        }
    }

    proptest! {
        #[test]
        fn a_yes_is_the_boolean_true_alone(value in prop_oneof![
            any::<i64>().prop_map(|n| json!(n)), ".{0,8}".prop_map(|s| json!(s)), Just(json!([true])), Just(json!({"confirm": true})),
            Just(json!(null)), Just(json!(false)),
        ]) {
            let read = read(json!({"app": "a", "confirm": value}));
            prop_assert!(!read.is_ok_and(|fields| fields.is_yes("confirm")));
        }
    }
}
