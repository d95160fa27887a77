//! `ax_get_value`: reads what an element holds.

use async_trait::async_trait;
use clap::Args;
use handeye_act::healing;
use handeye_act::locate::Located;
use handeye_act::named;
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{ConnectedApp, DetailKinds, Invocation, Result, States, text};
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
        let (value, left_out) = value(app.as_ref(), &found).await?;
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

/// What the element holds, and how many characters of it were left out.
async fn value(app: &dyn ConnectedApp, found: &Located) -> Result<(Option<String>, u32)> {
    let node = &found.node;
    if node.states.contains(States::PROTECTED) {
        return Ok((None, 0));
    }
    if let Some(text) = node.details.text.known().filter(|text| text.is_cut()) {
        let whole = app.read_text(node.id, 0, MAX_CHARS).await?;
        return Ok((Some(whole), text.total_chars.saturating_sub(MAX_CHARS)));
    }
    if let Some(value) = node.value_text() {
        return Ok((Some(value), 0));
    }
    if node.states.intersects(States::CHECKABLE | States::CHECKED | States::MIXED | States::PRESSED) {
        let state = if node.states.contains(States::MIXED) {
            "mixed"
        } else if node.states.intersects(States::CHECKED | States::PRESSED) {
            "true"
        } else {
            "false"
        };
        return Ok((Some(state.to_owned()), 0));
    }
    // A closed list box shows its choice as its name; other elements hold the one of their children that is selected.
    let selected =
        found.tree.descendants(node.id).skip(1).find(|child| child.states.contains(States::SELECTED));
    Ok((selected.map(|child| child.label().to_owned()), 0))
}
