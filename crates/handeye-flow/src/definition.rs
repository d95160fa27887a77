//! What a workflow is: its steps, and what is checked of them before anything is done.

use crate::template::{self, Source};
use handeye_core::nearness::nearest;
use handeye_core::{Error, ErrorCode, Result, screen_text};
use handeye_locator::Fingerprint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Most steps of a workflow.
pub const MAX_STEPS: usize = 500;
/// Most retries of a step.
pub const MAX_RETRIES: u32 = 20;
/// Longest wait after a step, and for a condition, in milliseconds.
pub const MAX_WAIT_MS: u32 = 60_000;
/// Most faults that an error lists.
const MOST_FAULTS: usize = 12;

/// What happens when a step fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFail {
    /// The workflow ends, and what its steps did is taken back.
    Rollback,
    /// It goes on with the next step.
    Skip,
    /// It ends; what was done stays.
    #[default]
    Abort,
}

/// A step: the call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Its tool
    pub tool: String,
    /// Parameters of the tool; `{{step_1.value}}` is a field of an earlier answer
    #[schemars(schema_with = "parameters")]
    pub args: Map<String, Value>,
    /// What happens when it fails
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_fail: OnFail,
    /// Time to wait after it
    #[serde(default, skip_serializing_if = "is_default")]
    pub wait_after_ms: u32,
    /// How often it is tried again
    #[serde(default, skip_serializing_if = "is_default")]
    pub retry: u32,
    /// What to wait for after it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_until: Option<Condition>,
    // By this its element is found where its query finds nothing, or several. Models have no use for what is in it.
    /// Element as recorded
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "element")]
    pub locator: Option<Box<Fingerprint>>,
}

/// A condition that ends a wait: one of the fields beside `app` and `timeout_ms`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// That of the step, if it is left out
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Query
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exists: Option<String>,
    /// Query
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone: Option<String>,
    /// Query
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<String>,
    /// Query of the element that holds `value`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The value that it holds
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Part of a title
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
    /// The application is idle
    #[serde(default, skip_serializing_if = "is_default")]
    pub idle: bool,
    /// Longest wait
    #[serde(default = "default_timeout")]
    pub timeout_ms: u32,
}

/// The parameters of any tool. The usual ones are named: some models send what is named and nothing else, and the APIs of some take no object
/// without properties.
fn parameters(_: &mut SchemaGenerator) -> Schema {
    let text = || serde_json::json!({ "type": "string" });
    json_schema!({
        "type": "object",
        "properties": {
            "app": text(), "query": text(), "text": text(), "value": text(), "key": text(), "direction": text(), "mode": text()
        },
        "additionalProperties": true
    })
}

/// An element as a recording has it. Only programs write one, so no more is named than an object needs.
fn element(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "properties": { "name": { "type": "string" } }, "additionalProperties": true })
}

const fn default_timeout() -> u32 {
    5_000
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// What a condition waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Awaited<'a> {
    /// An element exists.
    Exists(&'a str),
    /// No element fits any more.
    Gone(&'a str),
    /// An element exists and is enabled.
    Enabled(&'a str),
    /// An element holds this value: the query and the value.
    Value(&'a str, &'a str),
    /// The application has a window whose title contains this.
    Window(&'a str),
    /// The application is idle.
    Idle,
}

impl Condition {
    /// What it waits for; `None` unless exactly one thing is named.
    pub fn awaited(&self) -> Option<Awaited<'_>> {
        let value = match (&self.query, &self.value) {
            (Some(query), Some(value)) => Some(Awaited::Value(query, value)),
            (None, None) => None,
            _ => return None,
        };
        let mut named = [
            self.exists.as_deref().map(Awaited::Exists),
            self.gone.as_deref().map(Awaited::Gone),
            self.enabled.as_deref().map(Awaited::Enabled),
            value,
            self.window.as_deref().map(Awaited::Window),
            self.idle.then_some(Awaited::Idle),
        ]
        .into_iter()
        .flatten();
        let first = named.next();
        first.filter(|_| named.next().is_none())
    }
}

impl Step {
    /// What its parameters name.
    fn sources(&self) -> Result<Vec<Source>, String> {
        template::sources(&Value::Object(self.args.clone()))
    }

    /// What its condition names.
    fn waited(&self) -> Result<Vec<Source>, String> {
        let Some(wait) = &self.wait_until else { return Ok(Vec::new()) };
        template::sources(&serde_json::to_value(wait).map_err(|fault| fault.to_string())?)
    }
}

/// A workflow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Its name, for reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The values of `{{var.NAME}}`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub variables: Map<String, Value>,
    /// Its steps, in their order.
    pub steps: Vec<Step>,
    /// What a recording left out, for readers of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What is known of tools when a workflow is checked.
pub trait Tools {
    /// Why this tool cannot be a step, as the end of a sentence; `None` if it can.
    fn unfit(&self, tool: &str) -> Option<String>;

    /// Why these parameters cannot be those of the tool. Not all are known yet where values are still to be put in.
    fn fault(&self, tool: &str, args: &Map<String, Value>, are_known: bool) -> Option<String>;
}

impl Flow {
    /// The name for reports.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or("workflow")
    }

    /// Whether a later step uses the answer of the step of this number, from 1 on.
    pub fn is_used(&self, number: usize) -> bool {
        let names = |sources: Result<Vec<Source>, String>| {
            let mut sources = sources.into_iter().flatten();
            sources.any(|source| matches!(source, Source::Step { number: named, .. } if named == number))
        };
        self.steps.iter().skip(number).any(|step| names(step.sources()) || names(step.waited()))
    }

    /// Checks all that can be known before the first step.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`] with each fault and its step, [`ErrorCode::TooLarge`] for too many steps.
    pub fn check(&self, tools: &dyn Tools) -> Result<()> {
        if self.steps.is_empty() {
            return Err(Error::invalid_parameter("steps", "is empty"));
        }
        if self.steps.len() > MAX_STEPS {
            let message =
                format!("the workflow has {} steps; at most {MAX_STEPS} are taken", self.steps.len());
            return Err(Error::new(ErrorCode::TooLarge, message).with_next("Run it in parts."));
        }
        let mut faults = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            if let Err(why) = self.check_step(index, step, tools) {
                faults.push(format!("step {} ({}): {why}", index + 1, screen_text::line(&step.tool, 40)));
            }
        }
        let Some(first) = faults.first() else { return Ok(()) };
        let message = match faults.len() {
            1 => format!("nothing was done: {first}"),
            count => format!("nothing was done: {count} steps have faults"),
        };
        let error = Error::new(ErrorCode::InvalidParameter, message);
        Err(if faults.len() > 1 { error.with_found(faults.into_iter().take(MOST_FAULTS)) } else { error })
    }

    fn check_step(&self, index: usize, step: &Step, tools: &dyn Tools) -> Result<(), String> {
        if let Some(why) = tools.unfit(&step.tool) {
            return Err(why);
        }
        if step.retry > MAX_RETRIES {
            return Err(format!("'retry' must not be more than {MAX_RETRIES}"));
        }
        let wait = step.wait_until.as_ref();
        if step.wait_after_ms > MAX_WAIT_MS || wait.is_some_and(|wait| wait.timeout_ms > MAX_WAIT_MS) {
            return Err(format!("a wait must not be longer than {MAX_WAIT_MS} ms"));
        }
        if wait.is_some_and(|wait| wait.awaited().is_none()) {
            return Err(
                "'wait_until' needs exactly one of exists, gone, enabled, query with value, window, idle"
                    .to_owned(),
            );
        }
        let (sources, waited) = (step.sources()?, step.waited()?);
        for source in sources.iter().chain(&waited) {
            self.check_source(index, source)?;
        }
        tools.fault(&step.tool, &step.args, sources.is_empty()).map_or(Ok(()), Err)
    }

    fn check_source(&self, index: usize, source: &Source) -> Result<(), String> {
        match source {
            Source::Step { number, .. } if *number == 0 => {
                Err(format!("{{{{{source}}}}}: steps are counted from 1"))
            }
            Source::Step { number, .. } if *number > index => {
                Err(format!("{{{{{source}}}}} is not known yet: only earlier steps have answers"))
            }
            Source::Step { .. } => Ok(()),
            Source::Variable(name) if self.variables.contains_key(name) => Ok(()),
            Source::Variable(name) => {
                let near = nearest(name, self.variables.keys().map(String::as_str), 1);
                let hint = near.first().map(|near| format!("; did you mean {near}?")).unwrap_or_default();
                Err(format!("there is no variable '{}'{hint}", screen_text::line(name, 40)))
            }
        }
    }
}
