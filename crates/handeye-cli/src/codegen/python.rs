//! A workflow as a test for pytest. It needs Python alone: each step is given to `handeye run`.

use super::{comment, variables};
use handeye_core::{Error, Result};
use handeye_flow::Flow;
use serde_json::Value;

/// What the test begins with.
const HEAD: &str = r#"import json
import os
import re
import subprocess

HANDEYE = os.environ.get("HANDEYE", "handeye")
"#;
/// How a step is run.
const STEP: &str = r#"

class Steps:
    """The steps that were run, with what they answered."""

    def __init__(self):
        self.answers = []

    def run(self, tool, args, **more):
        """Runs one step, and fails if it fails."""
        values = dict(VARIABLES)
        text = json.dumps({"tool": tool, "args": args, **more})
        for number, path in set(re.findall(r"(?<!\{\{)\{\{\s*step_(\d+)\.([\w.-]+?)\s*\}\}", text)):
            value = self.answers[int(number) - 1]
            for field in path.split("."):
                value = value[int(field)] if isinstance(value, list) else value[field]
            name = f"step_{number}_" + path.replace(".", "_")
            values[name] = value
            text = re.sub(r"(?<!\{\{)\{\{\s*step_" + number + r"\." + re.escape(path) + r"\s*\}\}", "{{var." + name + "}}", text)
        flow = json.dumps({"variables": values, "steps": [json.loads(text)]})
        done = subprocess.run([HANDEYE, "run", "-", "--format", "json"], input=flow, capture_output=True, text=True,
                              timeout=600, check=False)
        assert done.returncode == 0, f"{tool} {args}: {done.stdout or done.stderr}"
        self.answers.append(json.loads(done.stdout)["results"][0].get("result", {}))

"#;

/// The test.
pub(super) fn test(flow: &Flow, name: &str) -> Result<String> {
    let mut text = format!("\"\"\"{}, written by handeye codegen.\"\"\"\n\n{HEAD}", docstring(name));
    text.push_str("VARIABLES = {\n");
    for variable in variables(flow)? {
        let key = literal(&Value::String(variable.clone()));
        let value = flow.variables.get(&variable).map_or_else(
            || format!("os.environ[{}]", literal(&Value::String(variable.to_uppercase()))),
            literal,
        );
        text.push_str(&format!("    {key}: {value},\n"));
    }
    text.push_str("}\n");
    text.push_str(STEP);
    text.push_str(&format!("\ndef test_{}():\n    steps = Steps()\n", identifier(name)));
    for step in &flow.steps {
        let Value::Object(fields) = serde_json::to_value(step).map_err(Error::internal)? else { continue };
        let more: Vec<String> = fields
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "tool" | "args"))
            .map(|(name, value)| format!(", {name}={}", literal(value)))
            .collect();
        let tool = literal(&Value::String(step.tool.clone()));
        let args = literal(&Value::Object(step.args.clone()));
        text.push_str(&format!("    steps.run({tool}, {args}{})\n", more.concat()));
    }
    Ok(text)
}

/// A value as Python writes it. A JSON string is one of Python's too, once it is ASCII.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("\"{}\"", text.chars().map(escaped).collect::<String>()),
        Value::Array(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                format!("{}: {}", literal(&Value::String(name.clone())), literal(value))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
    }
}

fn escaped(character: char) -> String {
    match character {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        ' '..='~' => character.to_string(),
        other => format!("\\U{:08x}", u32::from(other)),
    }
}

fn docstring(name: &str) -> String {
    comment(name).replace(['\\', '"'], "'")
}

fn identifier(name: &str) -> String {
    let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    letters.take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_the_same_in_python() {
        let value = serde_json::json!({"a": ["it's \"q\" \\ \n\t\u{1b} ü 漢 😀", 1, -2.5, true, null]});
        let program = format!("import json; print(json.dumps({}))", literal(&value));
        let run = std::process::Command::new("python3").args(["-c", &program]).output();
        // Where there is no Python, the end-to-end tests are not run either.
        let Ok(run) = run else { return };
        let read: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        assert_eq!(read, value);
    }

    #[test]
    fn every_step_is_there_with_what_it_waits_for() {
        let flow = handeye_flow::file::parse(
            "- {tool: ax_click, args: {app: a, query: q}, retry: 2, wait_until: {window: Open}}",
        );
        let text = test(&flow.expect("a workflow"), "My recording").expect("a test");
        assert!(text.contains("def test_my_recording():"), "{text}");
        assert!(
            text.contains("steps.run(\"ax_click\", {\"app\": \"a\", \"query\": \"q\"}, retry=2, wait_until="),
            "{text}"
        );
    }
}
