//! YAML as JSON: maps with texts as keys, lists, texts, numbers, true and false. Without anchors, which can make a small file huge, and
//! without tags.

use serde_json::{Map, Value};
use yaml_rust2::parser::{Event, MarkedEventReceiver, Parser};
use yaml_rust2::scanner::{Marker, TScalarStyle};

/// How deep values may be nested.
const MAX_DEPTH: usize = 64;

/// Reads one document.
///
/// # Errors
/// What is wrong and where, as a sentence.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let mut reader = Reader::default();
    Parser::new_from_str(text).load(&mut reader, true).map_err(|fault| {
        format!(
            "it is not YAML: line {}, column {}: {}",
            fault.marker().line(),
            fault.marker().col() + 1,
            fault.info()
        )
    })?;
    match (reader.fault, reader.document) {
        (Some(fault), _) => Err(fault),
        (None, Some(document)) => Ok(document),
        (None, None) => Err("it is empty".to_owned()),
    }
}

/// A list or a map that is not complete yet.
enum Open {
    List(Vec<Value>),
    Map(Map<String, Value>, Option<String>),
}

/// Makes a value of events. After the first fault it takes no more.
#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    document: Option<Value>,
    fault: Option<String>,
}

impl Reader {
    fn fail(&mut self, why: &str, at: Marker) {
        self.fault = Some(format!("line {}: {why}", at.line()));
    }

    fn begin(&mut self, open: Open, at: Marker) {
        if self.open.len() >= MAX_DEPTH {
            self.fail("values are nested too deep", at);
        } else {
            self.open.push(open);
        }
    }

    fn take(&mut self, value: Value, at: Marker) {
        match self.open.last_mut() {
            None if self.document.is_some() => self.fail("there is a second document", at),
            None => self.document = Some(value),
            Some(Open::List(values)) => values.push(value),
            Some(Open::Map(fields, key)) => match key.take() {
                Some(key) if fields.contains_key(&key) => {
                    let shown = handeye_core::screen_text::line(&key, 40);
                    self.fail(&format!("'{shown}' is there twice"), at);
                }
                Some(name) => {
                    fields.insert(name, value);
                }
                None => match as_key(value) {
                    Some(name) => *key = Some(name),
                    None => self.fail("a key must be a text", at),
                },
            },
        }
    }
}

fn as_key(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

impl MarkedEventReceiver for Reader {
    fn on_event(&mut self, event: Event, at: Marker) {
        if self.fault.is_some() {
            return;
        }
        match event {
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => {
                self.fail("tags are not supported", at);
            }
            Event::Alias(_) => self.fail("anchors are not supported: write the value again", at),
            Event::Scalar(text, style, _, None) => self.take(scalar(text, style), at),
            Event::SequenceStart(_, None) => self.begin(Open::List(Vec::new()), at),
            Event::MappingStart(_, None) => self.begin(Open::Map(Map::new(), None), at),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List(values)) => self.take(Value::Array(values), at),
                Some(Open::Map(fields, _)) => self.take(Value::Object(fields), at),
                None => {}
            },
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart
            | Event::DocumentEnd => {}
        }
    }
}

/// A scalar in the types of the JSON schema of YAML 1.2 (10.2): `yes` and `on` are texts.
fn scalar(text: String, style: TScalarStyle) -> Value {
    if style != TScalarStyle::Plain {
        return Value::String(text);
    }
    match text.as_str() {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => number(&text).unwrap_or(Value::String(text)),
    }
}

fn number(text: &str) -> Option<Value> {
    // As JSON writes numbers: not `1_000`, not `0x10`, not a version such as `1.2.3`.
    serde_json::from_str::<serde_json::Number>(text).ok().map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_workflow_is_read() {
        let text = "name: save\nsteps:\n  - tool: ax_click\n    args: {app: gedit, query: 'button \"Save\"'}\n    retry: 3\n  - tool: ax_type\n    args:\n      app: gedit\n      text: |\n        two\n        lines\n";
        let value = read(text).expect("it is YAML");
        assert_eq!(
            value["steps"][0],
            json!({"tool": "ax_click", "args": {"app": "gedit", "query": "button \"Save\""}, "retry": 3})
        );
        assert_eq!(value["steps"][1]["args"]["text"], "two\nlines\n");
    }

    #[test]
    fn words_stay_words() {
        let value = read("[yes, on, 1.2.3, 0x10, '3', 3, -1.5e2, null, ~, true, 007]").expect("it is YAML");
        assert_eq!(value, json!(["yes", "on", "1.2.3", "0x10", "3", 3, -150.0, null, null, true, "007"]));
    }

    #[test]
    fn what_is_not_taken_names_its_line() {
        for (text, why) in [
            ("a: &x [1]\nb: *x", "line 2: anchors"),
            ("a: !!str 1", "line 1: tags"),
            ("a: 1\na: 2", "line 2: 'a' is there twice"),
            ("a: [1", "it is not YAML: line"),
            ("", "it is empty"),
            ("a: 1\n---\nb: 2", "second document"),
            ("? [1]\n: 2", "a key must be a text"),
        ] {
            let fault = read(text).expect_err(text);
            assert!(fault.contains(why), "{text:?}: {fault}");
        }
        assert!(read(&"[".repeat(1_000)).is_err());
        let laughs = "a: &a [x]\nb: &b [*a,*a]\nc: [*b,*b]";
        assert!(read(laughs).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_is_a_fault(text in "[ a-z:\\-\\[\\]{}'\"\n&*!|>#?,~0-9.]{0,80}") {
            drop(read(&text));
        }

        #[test]
        fn what_json_writes_is_read_as_the_same(number in any::<i64>(), word in "[a-z ]{0,12}", truth in any::<bool>()) {
            let value = json!({"n": number, "w": word, "t": truth, "l": [number, null]});
            prop_assert_eq!(read(&value.to_string()), Ok(value));
        }
    }
}
