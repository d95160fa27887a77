//! `ax_get_attributes`: everything that the toolkit says about an element.

use crate::find::shown_value;
use async_trait::async_trait;
use clap::Args;
use handeye_act::{healing, named, placing};
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{DetailKinds, Extents, Node, Rect, Result};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use handeye_tree::describe::quote;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Returns everything that the toolkit reports of an element.
pub struct GetAttributes;

/// Which element.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Query or reference
    query: String,
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
}

/// Its attributes, by the toolkit's own names.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    element_ref: Option<String>,
    attributes: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    healed: Option<String>,
}

#[async_trait]
impl Operation for GetAttributes {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_get_attributes",
        command: "attributes",
        title: "Get all element attributes",
        description: "By the toolkit's own names",
        elements: &["query"],
        toolset: Toolset::Find,
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        let app = engine.desk.connect_or_ask(call, &input.app).await?;
        let found = healing::one(engine.desk.handles(call), &app, &input.query, DetailKinds::all()).await?;
        let place = placing::on_screen(app.as_ref(), &found.node).await?;
        let mut attributes = common(&found.node, place);
        attributes.extend(app.attributes(found.node.id).await?);
        let mut text = named(&found);
        for (name, value) in &attributes {
            text.push_str(&format!("\n  {name}: {}", quote(value)));
        }
        Ok(Outcome::new(
            text,
            Output {
                element_ref: found.shown_reference().map(str::to_owned),
                attributes,
                healed: found.healed,
            },
        ))
    }
}

/// What every toolkit says, by the names that handeye gives to it.
fn common(node: &Node, place: Option<Rect>) -> BTreeMap<String, String> {
    let details = &node.details;
    let list = |names: Vec<&'static str>| names.join(", ").to_lowercase();
    let extents = details.extents.known();
    let in_window = extents.filter(|_| place.is_none()).map(Extents::corner);
    let all = [
        ("role", Some(node.role.to_string())),
        ("native_role", Some(node.native_role.to_string())),
        ("name", Some(node.name.to_string())),
        ("description", Some(node.description.to_string())),
        ("states", Some(list(node.states.iter_names().map(|(name, _)| name).collect()))),
        ("abilities", Some(list(node.abilities.iter_names().map(|(name, _)| name).collect()))),
        ("actions", details.actions.known().map(|actions| actions.join(", "))),
        ("identifier", details.identifier.known().map(ToString::to_string)),
        ("value", shown_value(node)),
        ("minimum", details.value.known().map(|value| value.minimum.to_string())),
        ("maximum", details.value.known().map(|value| value.maximum.to_string())),
        ("position", place.map(|place| format!("{}, {}", place.x, place.y))),
        ("position_in_window", in_window.map(|(x, y)| format!("{x}, {y}"))),
        ("size", extents.map(Extents::size).map(|size| format!("{} x {}", size.width, size.height))),
        ("children", Some(node.child_count.to_string())),
    ];
    let known = all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    known.filter(|(_, value)| !value.is_empty()).collect()
}
