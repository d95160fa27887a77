//! The answer of an action: one sentence that says what was done, the verdict with its evidence, then what changed.

use crate::shared::ActionOutput;
use handeye_act::effect::{Effect, Status, window_lines};
use handeye_act::locate::Located;
use handeye_act::{Actor, Observation, Report};
use handeye_call::outcome::Outcome;
use handeye_core::{ConnectedApp, application_id};
use handeye_tree::difference::render;
use handeye_tree::references::References;
use std::sync::Arc;

/// Most tokens for what an action changed.
const MAX_TOKENS_OF_ACTION: usize = 1_000;

/// The answer of an action that was dispatched. `hint` is what to do where no effect was seen.
pub(super) fn acted<A>(
    actor: &Actor<'_>,
    did: &str,
    target: Option<&Located>,
    report: &Report<A>,
    hint: Option<&str>,
) -> Outcome<ActionOutput> {
    let observation = &report.observation;
    let changes = changed_lines(observation, &actor.desk.memory.references, &actor.app);
    // A window that is in the tree too has its line there.
    let mut lines =
        window_lines(&observation.windows, |title| changes.iter().any(|line| line.contains(title)));
    lines.extend(changes);
    outcome(actor, did, target, Some(observation), report.effect.clone(), hint, &lines)
}

/// The answer where nothing had to be done.
pub(super) fn unchanged(
    actor: &Actor<'_>,
    did: &str,
    target: &Located,
    effect: Effect,
) -> Outcome<ActionOutput> {
    undone(actor, did, Some(target), effect)
}

/// The answer where nothing was done, with a target or without.
pub(super) fn undone(
    actor: &Actor<'_>,
    did: &str,
    target: Option<&Located>,
    effect: Effect,
) -> Outcome<ActionOutput> {
    outcome(actor, did, target, None, effect, None, &[])
}

fn outcome(
    actor: &Actor<'_>,
    did: &str,
    target: Option<&Located>,
    observation: Option<&Observation>,
    effect: Effect,
    hint: Option<&str>,
    lines: &[String],
) -> Outcome<ActionOutput> {
    let status = match effect.status {
        Status::Confirmed => "Confirmed",
        Status::Unconfirmed => "Unconfirmed",
    };
    let mut text = format!("{did}. {status}: {}.", effect.evidence);
    if let Some(healed) = target.and_then(|target| target.healed.as_deref()) {
        text.push_str(&format!(" ({healed})"));
    }
    let busy = observation.filter(|observation| observation.unresponsive);
    let hint = busy.map_or(hint, |_| Some("ax_wait_idle waits for it."));
    if let Some(hint) = hint.filter(|_| effect.status == Status::Unconfirmed) {
        text.push_str(&format!(" {hint}"));
    }
    for line in target.and_then(|target| target.choice(actor.call.remembered)).iter().chain(lines) {
        text.push('\n');
        text.push_str(line);
    }
    let fields = ActionOutput {
        effect: effect.with_changes(lines),
        element_ref: target.map(|target| target.reference.clone()),
        healed: target.and_then(|target| target.healed.clone()),
    };
    Outcome::new(text, fields)
}

/// What an action changed in its application, as lines of at most [`MAX_TOKENS_OF_ACTION`] tokens.
fn changed_lines(
    observation: &Observation,
    references: &References,
    app: &Arc<dyn ConnectedApp>,
) -> Vec<String> {
    let id = application_id(app.as_ref());
    let minter = references.minter(&id, &observation.after);
    let rendered = render(&observation.diff, &observation.after, Some(&minter), MAX_TOKENS_OF_ACTION);
    rendered.text.lines().map(str::to_owned).collect()
}
