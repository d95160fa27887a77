//! `ax_get_tree`: an application's windows as an outline.

use crate::recognised::Recognised;
use async_trait::async_trait;
use clap::Args;
use handeye_act::locate;
use handeye_act::naming::belongs;
use handeye_call::call::Call;
use handeye_call::outcome::{Outcome, Outline};
use handeye_core::{
    Change, ConnectedApp, DetailKinds, Diff, Error, Field, Invocation, NodeId, Result, Scope, States, Text,
    Tree, Window, text,
};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use handeye_tree::difference;
use handeye_tree::outline::{self, Options, Root};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Shows an application's windows as an outline.
pub struct GetTree;

/// What to show, and how much of it.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
    /// Start here
    #[arg(long = "root", value_name = "QUERY")]
    root_query: Option<String>,
    #[arg(
        long = "depth",
        help = "Levels to show; windows are level 1 [default: all that there is room for]"
    )]
    #[schemars(description = "Windows are level 1; default: what fits")]
    max_depth: Option<u32>,
    #[arg(long, help = "Show what is hidden too")]
    #[serde(default)]
    include_invisible: bool,
    /// Roles and titles
    #[arg(long)]
    #[serde(default)]
    compact: bool,
    /// Only changes since this look (t3)
    #[arg(long, value_name = "LOOK")]
    since: Option<String>,
    /// State, pattern, next steps
    #[arg(long)]
    #[serde(default)]
    insight: bool,
}

/// How much was shown; the outline is the text.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    app: String,
    shown: usize,
    omitted: usize,
    /// A page was still loading: more of it will come
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    healed: Option<String>,
    /// Name of this look
    #[serde(skip_serializing_if = "Option::is_none")]
    look: Option<String>,
    #[schemars(skip)]
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    recognised: Option<Recognised>,
}

#[async_trait]
impl Operation for GetTree {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_get_tree",
        command: "tree",
        title: "Get element tree hierarchy",
        description: "Outline with references",
        elements: &["root_query"],
        toolset: Toolset::Find,
        narrower: || text![Invocation::of("ax_get_tree"), " with root_query shows a part."],
        task: true,
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        if input.max_depth == Some(0) {
            return Err(Error::invalid_parameter("max_depth", "must be at least 1"));
        }
        let app = engine.desk.connect_or_ask(call, &input.app).await?;
        let (root, healed) = match &input.root_query {
            Some(query) => {
                let found = locate::one(engine.desk.handles(call), &app, query, DetailKinds::empty()).await?;
                (Some(found.node.id), found.healed)
            }
            None => (None, None),
        };
        let details =
            if input.compact { DetailKinds::empty() } else { DetailKinds::TEXT | DetailKinds::VALUE };
        let scope = Scope { root, hidden: input.include_invisible, details };
        let (tree, windows) = tokio::join!(app.refresh(scope), engine.desk.platform.screen.windows());
        let tree = tree?;
        if root.is_none() && !input.compact {
            engine.desk.memory.note_look(app.application(), &tree);
        }
        let own = windows_of(app.as_ref(), &windows);
        let tree = mark_minimized(app.as_ref(), tree, windows).await?;
        let options = Options {
            max_depth: input.max_depth,
            include_hidden: input.include_invisible,
            compact: input.compact,
            budget_tokens: call.reader.budget.outline(),
            elements: call.reader.lists_elements,
            root: Root::AskedFor,
        };
        let id = handeye_core::application_id(app.as_ref());
        let name = app.application().name.clone();
        let earlier = input.since.as_deref().map(|since| engine.memory.looks.find(since, &id)).transpose()?;
        // Where the process ends with its answer, there is no later look that could name this one.
        let look = call.reader.remembered.then(|| engine.memory.looks.keep(id.clone(), Arc::clone(&tree)));
        if let (Some(earlier), Some(since)) = (earlier, &input.since) {
            let minter = engine.desk.handles(call).minter(&id, &tree);
            let mut changes = Diff::between(&earlier, &tree);
            changes.changes.retain(|change| is_within(change, (&earlier, &tree), root, input.max_depth));
            if input.compact {
                without_values(&mut changes);
            }
            let trees = difference::Trees { before: &earlier, after: &tree };
            let mut text = difference::since(&changes, trees, minter.as_ref(), options.budget_tokens, since);
            let outline = options.elements.then(|| Outline::Changes(text.split_lines()));
            let recognised = input.insight.then(|| Recognised::of(&tree, &own, minter.as_ref()));
            sign(&mut text, recognised.as_ref(), look.as_deref());
            let shown = changes.changes.len();
            let fields = Output { app: name, shown, omitted: 0, incomplete: false, healed, look, recognised };
            return Ok(Outcome { outline, ..Outcome::new(text, fields) });
        }
        let minter = engine.desk.handles(call).minter(&id, &tree);
        let rendered = outline::render(&tree, root, &options, minter.as_ref());
        let mut text = if rendered.shown == 0 { shows_nothing(&name) } else { rendered.text };
        if let Some(healed) = &healed {
            text = text![format!("({healed})\n"), text];
        }
        let recognised = input.insight.then(|| Recognised::of(&tree, &own, minter.as_ref()));
        sign(&mut text, recognised.as_ref(), look.as_deref());
        let fields = Output {
            app: name,
            shown: rendered.shown,
            omitted: rendered.omitted,
            incomplete: rendered.incomplete,
            healed,
            look,
            recognised,
        };
        let outline = options.elements.then_some(Outline::Elements(rendered.elements));
        Ok(Outcome { outline, ..Outcome::new(text, fields) })
    }
}

/// Whether a change is of an element at or below `root`, in one of the two trees, and no deeper below it than `max_depth` levels.
fn is_within(
    change: &Change,
    (before, after): (&Tree, &Tree),
    root: Option<NodeId>,
    max_depth: Option<u32>,
) -> bool {
    let (node, tree) = match change {
        Change::Appeared(node) | Change::Changed { node, .. } => (node, after),
        Change::Disappeared(node) => (node, before),
    };
    // Elements above it; the application itself is level 0.
    let mut above = Vec::new();
    for ancestor in tree.ancestors(node.id) {
        if Some(node.id) == root {
            break;
        }
        above.push(ancestor.id);
        if Some(ancestor.id) == root {
            break;
        }
    }
    let inside = root.is_none_or(|root| node.id == root || above.last() == Some(&root));
    let level = above.len() + usize::from(root.is_some());
    inside && max_depth.is_none_or(|most| level <= most as usize)
}

/// A difference of roles and names alone.
fn without_values(diff: &mut Diff) {
    for change in &mut diff.changes {
        if let Change::Changed { fields, .. } = change {
            fields.retain(|field| !matches!(field, Field::Value { .. }));
        }
    }
    diff.changes.retain(|change| !matches!(change, Change::Changed { fields, .. } if fields.is_empty()));
}

fn shows_nothing(name: &str) -> Text {
    format!("'{name}' shows nothing: no window is open, or all are hidden (include_invisible).").into()
}

/// The windows of an application, from the topmost down, as far as they can be listed.
fn windows_of(app: &dyn ConnectedApp, windows: &Result<Vec<Window>>) -> Vec<Window> {
    let all = windows.as_deref().unwrap_or_default().iter();
    all.filter(|window| belongs(window, app.application())).cloned().collect()
}

/// The tree in which each window is marked that is minimized according to the display server: not every toolkit reports that, and a browser
/// hides its page before the rest of its window.
async fn mark_minimized(
    app: &dyn ConnectedApp,
    tree: Arc<Tree>,
    windows: Result<Vec<Window>>,
) -> Result<Arc<Tree>> {
    let is_minimized = |window: &Window| window.minimized && belongs(window, app.application());
    match windows {
        Ok(windows) if windows.iter().any(is_minimized) => {}
        Ok(_) => return Ok(tree),
        // A tree can be read where no windows can be listed.
        Err(error) => {
            tracing::debug!(code = error.code.as_str(), "whether a window is minimized is not known");
            return Ok(tree);
        }
    }
    let mut marked = Arc::clone(&tree);
    for window in tree.windows().filter(|window| window.is_showing()) {
        if app.window_of(window.id).await?.is_some_and(|window| window.minimized) {
            Arc::make_mut(&mut marked).update(window.id, |node| node.states.insert(States::ICONIFIED));
        }
    }
    Ok(marked)
}

/// Adds to the text of a look what was recognised in it, and its name.
fn sign(text: &mut Text, recognised: Option<&Recognised>, look: Option<&str>) {
    if let Some(recognised) = recognised {
        if !text.ends_with('\n') {
            text.push_str("\n");
        }
        text.push_str(&recognised.lines());
    }
    if let Some(look) = look {
        if !text.ends_with('\n') {
            text.push_str("\n");
        }
        text.push_str(&format!("look: {look}\n"));
    }
}
