//! `ax_get_value`: reads what an element holds.

use crate::element_value;
use async_trait::async_trait;
use clap::Args;
use handeye_act::healing;
use handeye_act::named;
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{DetailKinds, Invocation, Result, States, text};
use handeye_engine::{Engine, Meta, Operation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reads what an element holds.
pub struct GetValue;

/// Which element.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Query or reference
    query: String,
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
}

/// What it holds.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    found: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    role: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    element_ref: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    healed: Option<String>,
}

/// Longest text that one answer carries, in characters; the budget counts what is beyond it.
const MAX_CHARS: u32 = 12_000;

#[async_trait]
impl Operation for GetValue {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_get_value",
        command: "get",
        title: "Get element value",
        description: "Text, number or state",
        elements: &["query"],
        narrower: || {
            text![
                Invocation::of("ax_screenshot"),
                " shows the part on view; a longer text is read in parts by scrolling."
            ]
        },
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        let app = engine.desk.connect_or_ask(call, &input.app).await?;
        let found = healing::one(
            engine.desk.handles(call),
            &app,
            &input.query,
            DetailKinds::VALUE | DetailKinds::TEXT,
        )
        .await?;
        let (value, left_out) = element_value::read(app.as_ref(), &found, MAX_CHARS).await?;
        let mut text = format!("{}: ", named(&found));
        text.push_str(match &value {
            Some(value) if value.is_empty() => "(empty)",
            // The value is in the fields; a reader of the text gets it here too unless it is long.
            Some(value) => value,
            None if found.node.states.contains(States::PROTECTED) => "(hidden: a protected field)",
            None => "(holds no value)",
        });
        if left_out > 0 {
            text.push_str(&format!("\n[left out: {left_out} characters at the end]"));
        }
        if let Some(choice) = found.choice() {
            text.push('\n');
            text.push_str(&choice);
        }
        let fields = Output {
            found: true,
            // A long text is in the text only.
            value: value.filter(|value| value.len() <= LONG),
            role: found.node.role.to_string(),
            title: found.node.label().to_owned(),
            element_ref: found.shown_reference().map(str::to_owned),
            healed: found.healed,
        };
        Ok(Outcome::new(text, fields))
    }
}

/// From how many bytes on a value is in the text of the answer only.
const LONG: usize = 4_000;
