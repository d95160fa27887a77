//! `ax_get_tree`: an application's windows as an outline.

use crate::call::{Call, Face};
use crate::difference;
use crate::engine::Engine;
use crate::locate;
use crate::operation::{Meta, Operation, Outcome};
use crate::outline::{self, Options};
use crate::toolset::Toolset;
use async_trait::async_trait;
use clap::Args;
use handeye_core::{ConnectedApp, DetailKinds, Diff, Error, Node, NodeId, Result, Scope, States, Tree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Shows an application's windows as an outline.
pub struct GetTree;

/// What to show, and how much of it.
#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
    /// Start at this element
    #[arg(long = "root", value_name = "QUERY")]
    root_query: Option<String>,
    /// Windows are level 1
    #[arg(long = "depth", default_value_t = default_depth())]
    #[serde(default = "default_depth")]
    max_depth: u32,
    #[arg(long, help = "Show what is hidden too")]
    #[serde(default)]
    include_invisible: bool,
    /// Roles and titles only
    #[arg(long)]
    #[serde(default)]
    compact: bool,
    /// An earlier answer's look, as t3: only what changed since
    #[arg(long, value_name = "LOOK")]
    since: Option<String>,
}

const fn default_depth() -> u32 {
    5
}

/// How much was shown; the outline is the text.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    app: String,
    shown: usize,
    omitted: usize,
    /// A page was still loading: more of it will come
    #[schemars(skip)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    healed: Option<String>,
    /// Name of this look
    #[serde(skip_serializing_if = "Option::is_none")]
    look: Option<String>,
}

/// Most tokens of an outline; the rest of an answer's budget is for its fields.
const OUTLINE_TOKENS: usize = crate::budget::MAX_TOKENS - 200;

#[async_trait]
impl Operation for GetTree {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_get_tree",
        command: "tree",
        title: "Get element tree hierarchy",
        description: "Outline with references",
        toolset: Toolset::Find,
        narrower: "ax_get_tree with root_query shows a part.",
        task: true,
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        if input.max_depth == 0 {
            return Err(Error::invalid_parameter("max_depth", "must be at least 1"));
        }
        let app = engine.connect_or_ask(call, &input.app).await?;
        let (root, healed) = match &input.root_query {
            Some(query) => {
                let found = locate::one(engine, &app, query, DetailKinds::empty()).await?;
                (Some(found.node.id), found.healed)
            }
            None => (None, None),
        };
        let details =
            if input.compact { DetailKinds::empty() } else { DetailKinds::TEXT | DetailKinds::VALUE };
        let tree = app.refresh(Scope { root, hidden: input.include_invisible, details }).await?;
        let options = Options {
            max_depth: Some(input.max_depth),
            include_hidden: input.include_invisible,
            compact: input.compact,
            budget_tokens: if call.face == Face::Mcp { OUTLINE_TOKENS } else { usize::MAX },
        };
        let id = locate::application_id(app.as_ref());
        let name = app.application().name.clone();
        let earlier = input.since.as_deref().map(|since| engine.memory.looks.find(since, &id)).transpose()?;
        // Where the process ends with its answer, there is no later look that could name this one.
        let look = call.remembered.then(|| engine.memory.looks.keep(id.clone(), Arc::clone(&tree)));
        if let (Some(earlier), Some(since)) = (earlier, &input.since) {
            let minter = engine.memory.references.minter(&id, &tree);
            let changes = Diff::between(&earlier, &tree);
            let mut text = difference::since(&changes, &tree, Some(&minter), options.budget_tokens, since);
            sign(&mut text, look.as_deref());
            return Ok(Outcome::new(
                text,
                Output {
                    app: name,
                    shown: changes.changes.len(),
                    omitted: 0,
                    incomplete: false,
                    healed,
                    look,
                },
            ));
        }
        let tree = told_minimized(app.as_ref(), tree).await?;
        let rendered =
            outline::render(&tree, root, &options, Some(&engine.memory.references.minter(&id, &tree)));
        let mut text = rendered.text;
        if rendered.shown == 0 {
            text =
                format!("'{name}' shows nothing: no window is open, or all are hidden (include_invisible).");
        }
        if let Some(healed) = &healed {
            text = format!("({healed})\n{text}");
        }
        sign(&mut text, look.as_deref());
        Ok(Outcome::new(
            text,
            Output {
                app: name,
                shown: rendered.shown,
                omitted: rendered.omitted,
                incomplete: rendered.incomplete,
                healed,
                look,
            },
        ))
    }
}

/// The tree in which each window that shows nothing because it is minimized says so: not every toolkit does.
async fn told_minimized(app: &dyn ConnectedApp, tree: Arc<Tree>) -> Result<Arc<Tree>> {
    let is_empty = |window: &&Arc<Node>| {
        window.is_showing() && !tree.children(window.id).any(|inside| inside.is_showing())
    };
    let empty: Vec<NodeId> = tree.windows().filter(is_empty).map(|window| window.id).collect();
    let mut told = Arc::clone(&tree);
    for id in empty {
        if app.window_of(id).await?.is_some_and(|window| window.minimized) {
            Arc::make_mut(&mut told).update(id, |node| node.states.insert(States::ICONIFIED));
        }
    }
    Ok(told)
}

/// Names a look at the end of its text.
fn sign(text: &mut String, look: Option<&str>) {
    if let Some(look) = look {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!("look: {look}\n"));
    }
}
