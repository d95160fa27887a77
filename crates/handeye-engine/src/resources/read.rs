//! `ReadResource`: the content of a resource, through the gate as every other call.

use super::address::{Address, View};
use super::{apps, clipboard, events, screenshot, state, status, tree};
use crate::engine::Engine;
use crate::operation::{AnyOperation, Erased, Meta, Operation};
use async_trait::async_trait;
use clap::Args;
use handeye_call::call::Call;
use handeye_call::outcome::{Outcome, Picture};
use handeye_core::{Invocation, Result, text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::LazyLock;
use std::time::Duration;

/// Reads a resource. No tool and no command: clients that know resources have a request of their own for it.
pub struct ReadResource;

/// [`ReadResource`] for the gate.
pub static READ: LazyLock<Box<dyn AnyOperation>> = LazyLock::new(Erased::<ReadResource>::boxed);

/// Which resource.
#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Its URI
    uri: String,
    /// The revision of the protocol that its reader speaks
    #[serde(default)]
    revision: Option<String>,
}

/// What the content is; the content itself is the text or the picture.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    mime_type: &'static str,
}

/// The content of a resource.
pub(super) enum Content {
    /// JSON.
    Json(Value),
    /// A picture.
    Picture(Picture),
}

#[async_trait]
impl Operation for ReadResource {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "resources/read",
        command: "resource",
        title: "Read a resource",
        description: "Its content now",
        deadline: Duration::from_secs(15),
        narrower: || text![Invocation::of("ax_get_tree"), " with root_query shows a part."],
        ..Meta::READ
    };

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        let address = Address::parse(&input.uri)?;
        let content = match &address {
            Address::Status => Content::Json(status::read(engine, call, input.revision.as_deref()).await),
            Address::Apps => Content::Json(apps::read(engine, call).await?),
            Address::Clipboard => Content::Json(clipboard::read(engine).await?),
            Address::App { name, view } => match view {
                View::Tree => Content::Json(tree::read(engine, &address, name).await?),
                View::WindowTree(index) => {
                    Content::Json(tree::read_window(engine, &address, name, *index).await?)
                }
                View::State => Content::Json(state::read(engine, &address, name).await?),
                View::Events => Content::Json(events::read(engine, &address, name).await?),
                View::Screenshot => Content::Picture(screenshot::read(engine, name).await?),
            },
        };
        if let (Content::Json(json), None) = (&content, address.application()) {
            engine.note_content(&address, json);
        }
        let fields = Output { mime_type: address.mime_type() };
        Ok(match content {
            Content::Json(json) => Outcome::new(json.to_string(), fields),
            Content::Picture(picture) => Outcome { pictures: vec![picture], ..Outcome::new("", fields) },
        })
    }
}
