//! Parameters: their schema, slimmed for a model's context, and the check that names every fault at once.

use handeye_core::nearness::nearest;
use handeye_core::{Error, ErrorCode, Result, screen_text};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::AddNullable;
use serde_json::{Map, Value};

/// Words of a schema that a model has no use for. That no other parameters are known is one of them: a model sends those that
/// it reads of, and [`check`] names every other one.
const NOISE: [&str; 9] = [
    "$schema",
    "title",
    "format",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "nullable",
    "additionalProperties",
];

/// The JSON schema of parameters without what a model has no use for: definitions stand where they are used,
/// and formats, limits, titles and the null of optional fields are gone.
pub fn slim_schema<T: JsonSchema>() -> Value {
    slim(&strict_schema::<T>(), &NOISE)
}

/// The JSON schema of an answer, just as slim; its fields have names that explain themselves.
pub fn slim_answer_schema<T: JsonSchema>() -> Value {
    let noise: Vec<&str> = NOISE.iter().copied().chain(["description"]).collect();
    slim(&inlined::<T>(SchemaSettings::draft2020_12().for_serialize()), &noise)
}

/// The JSON schema of `T` with every limit, definitions in their place.
pub fn strict_schema<T: JsonSchema>() -> Value {
    inlined::<T>(SchemaSettings::draft2020_12())
}

fn inlined<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let nullable = settings.with_transform(AddNullable::default());
    let schema = nullable.into_generator().into_root_schema_for::<T>().to_value();
    let definitions = schema.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    inline(&schema, &definitions, 0)
}

/// Replaces references to definitions by the definitions. `depth` ends a definition that holds itself.
fn inline(schema: &Value, definitions: &Map<String, Value>, depth: usize) -> Value {
    const DEEPEST: usize = 16;
    match schema {
        Value::Object(object) if depth < DEEPEST => {
            let mut result = Map::new();
            if let Some(target) =
                object.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix("#/$defs/"))
                && let Some(Value::Object(definition)) =
                    definitions.get(target).map(|it| inline(it, definitions, depth + 1))
            {
                result = definition;
                // What a type is in general is not repeated at its every use; a field may say what it is for.
                result.remove("description");
            }
            for (key, value) in object.iter().filter(|(key, _)| !matches!(key.as_str(), "$ref" | "$defs")) {
                result.insert(key.clone(), inline(value, definitions, depth + 1));
            }
            flatten_union(result)
        }
        Value::Array(items) => items.iter().map(|item| inline(item, definitions, depth)).collect(),
        other => other.clone(),
    }
}

/// Makes one schema of the unions that derive macros write for optional fields and for enums with documented values. [`AddNullable`] has
/// replaced the type null by `nullable` and, where it was alone, by a constant.
fn flatten_union(mut schema: Map<String, Value>) -> Value {
    let is_null = |value: &Value| value.get("const").is_some_and(Value::is_null);
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(options)) = schema.get(key) else { continue };
        let real: Vec<Value> = options.iter().filter(|option| !is_null(option)).cloned().collect();
        let nullable = real.len() < options.len();
        let constants: Vec<Value> = real.iter().filter_map(|option| option.get("const").cloned()).collect();
        if constants.len() == real.len() {
            schema.remove(key);
            schema.insert("type".into(), "string".into());
            schema.insert("enum".into(), Value::Array(constants));
        } else if let [Value::Object(only)] = real.as_slice() {
            let only = only.clone();
            schema.remove(key);
            for (name, value) in only {
                schema.entry(name).or_insert(value);
            }
        }
        if nullable {
            schema.insert("nullable".into(), true.into());
        }
    }
    // An enum with a null among its values says the same as "nullable".
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    Value::Object(schema)
}

/// Takes the noise out of a schema, but not out of properties that happen to have such a name.
fn slim(schema: &Value, noise: &[&str]) -> Value {
    let Value::Object(object) = schema else { return schema.clone() };
    let mut result = Map::new();
    for (key, value) in object {
        if noise.contains(&key.as_str()) || (key == "default" && value.is_null()) {
            continue;
        }
        if key == "description" && object.contains_key("properties") {
            continue;
        }
        let value = match value {
            Value::Object(properties) if key == "properties" => {
                properties.iter().map(|(name, property)| (name.clone(), slim(property, noise))).collect()
            }
            // An empty choice is taken, but not offered: the API of Gemini rejects every tool of a request that has one.
            Value::Array(choices) if key == "enum" => {
                choices.iter().filter(|choice| *choice != "").cloned().collect()
            }
            other => slim(other, noise),
        };
        result.insert(key.clone(), value);
    }
    Value::Object(result)
}

/// Checks `arguments` against a strict schema. One error names each parameter that is missing, unknown,
/// of the wrong type or out of range; it never repeats a value, which may be a password.
pub fn check(tool: &str, schema: &Value, arguments: &Value) -> Result<()> {
    let mut faults = Vec::new();
    check_value("", schema, arguments, &mut faults);
    if faults.is_empty() {
        return Ok(());
    }
    let known = schema.get("properties").and_then(Value::as_object);
    let mut error = Error::new(ErrorCode::InvalidParameter, format!("{tool}: {}", faults.join("; ")));
    error = match known.filter(|properties| !properties.is_empty()) {
        Some(properties) => {
            let names: Vec<&str> = properties.keys().map(String::as_str).collect();
            error.with_next(format!("{tool} takes: {}", names.join(", ")))
        }
        None => error.with_next(format!("{tool} takes no parameters.")),
    };
    Err(error)
}

fn check_value(path: &str, schema: &Value, value: &Value, faults: &mut Vec<String>) {
    let nullable = schema.get("nullable").and_then(Value::as_bool).unwrap_or(false);
    if value.is_null() && nullable {
        return;
    }
    let named = if path.is_empty() { "the parameters".to_owned() } else { format!("'{path}'") };
    if let Some(expected) = schema.get("type").and_then(Value::as_str)
        && !has_type(value, expected)
    {
        faults.push(format!("{named} must be {}, not {}", article(expected), article(type_of(value))));
        return;
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.contains(value)
    {
        let allowed: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
        faults.push(format!("{named} must be one of {}", allowed.join(", ")));
    }
    check_range(&named, schema, value, faults);
    match value {
        Value::Object(object) => check_object(path, schema, object, faults),
        Value::Array(items) => {
            if let Some(item_schema) = schema.get("items") {
                for (index, item) in items.iter().enumerate().take(16) {
                    check_value(&format!("{path}[{index}]"), item_schema, item, faults);
                }
            }
        }
        _ => {}
    }
}

fn check_range(named: &str, schema: &Value, value: &Value, faults: &mut Vec<String>) {
    let Some(number) = value.as_f64() else { return };
    let format_range = match schema.get("format").and_then(Value::as_str) {
        Some("int32") => Some((f64::from(i32::MIN), f64::from(i32::MAX))),
        Some("uint32") => Some((0.0, f64::from(u32::MAX))),
        _ => None,
    };
    let limit = |key| schema.get(key).and_then(Value::as_f64);
    let low = limit("minimum").or(format_range.map(|range| range.0));
    let high = limit("maximum").or(format_range.map(|range| range.1));
    if low.is_some_and(|low| number < low) {
        faults.push(format!("{named} must not be less than {}", low.unwrap_or_default()));
    }
    if high.is_some_and(|high| number > high) {
        faults.push(format!("{named} must not be more than {}", high.unwrap_or_default()));
    }
}

fn check_object(path: &str, schema: &Value, object: &Map<String, Value>, faults: &mut Vec<String>) {
    const NAMED_FAULTS: usize = 16;
    let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let full = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for name in
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        if !object.contains_key(name) {
            faults.push(format!("'{}' is missing", full(name)));
        }
    }
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    for (name, value) in object {
        if faults.len() >= NAMED_FAULTS {
            faults.push("and more".into());
            return;
        }
        match properties.get(name) {
            Some(property) => check_value(&full(name), property, value, faults),
            None if closed => {
                let meant = nearest(name, properties.keys().map(String::as_str), 1);
                let hint =
                    meant.first().map(|meant| format!(" (did you mean '{meant}'?)")).unwrap_or_default();
                let shown = screen_text::line(name, 40);
                faults.push(format!("'{}' is unknown{hint}", full(&shown)));
            }
            None => {}
        }
    }
}

fn has_type(value: &Value, expected: &str) -> bool {
    match expected {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => type_of(value) == other,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn article(type_name: &str) -> String {
    match type_name {
        "null" => "null".to_owned(),
        "array" | "object" | "integer" => format!("an {type_name}"),
        other => format!("a {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(schemars::JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    #[allow(dead_code)]
    enum Way {
        /// Slowly.
        Slow,
        /// Fast.
        Fast,
    }

    #[derive(schemars::JsonSchema)]
    #[schemars(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Sample {
        /// Name.
        app: String,
        #[schemars(default)]
        way: Option<Way>,
        #[schemars(default)]
        timeout_ms: Option<u32>,
    }

    #[test]
    fn a_slim_schema_says_only_what_a_model_needs() {
        assert_eq!(
            slim_schema::<Sample>(),
            json!({
                "type": "object",
                "properties": {
                    "app": {"type": "string", "description": "Name."},
                    "way": {"type": "string", "enum": ["slow", "fast"]},
                    "timeout_ms": {"type": "integer"}
                },
                "required": ["app"]
            })
        );
    }

    #[test]
    fn every_fault_is_named_at_once() {
        let schema = strict_schema::<Sample>();
        let faulty = json!({"ap": "x", "way": "sideways", "timeout_ms": -5});
        let error = check("ax_sample", &schema, &faulty).expect_err("four faults");
        assert_eq!(error.code, ErrorCode::InvalidParameter);
        for part in
            ["'app' is missing", "did you mean 'app'", "slow, fast", "'timeout_ms' must not be less than 0"]
        {
            assert!(error.message.contains(part), "{part} in {}", error.message);
        }
        assert!(!error.message.contains("sideways"), "values are not repeated");
        assert!(error.next.is_some_and(|next| next.contains("app, ") && next.contains("way")));
    }

    #[test]
    fn optional_parameters_may_be_null() {
        assert!(check("t", &strict_schema::<Sample>(), &json!({"app": "x", "way": null})).is_ok());
        assert!(check("t", &strict_schema::<Sample>(), &json!({"app": null})).is_err());
        assert!(check("t", &strict_schema::<Sample>(), &json!([])).is_err());
    }
}
