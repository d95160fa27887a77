//! The answer of an action: one sentence that says what was done, the verdict with its evidence, then what changed.

use crate::shared::ActionOutput;
use handeye_act::effect::{Effect, Status, window_lines};
use handeye_act::handles::Handles;
use handeye_act::locate::Located;
use handeye_act::{Actor, Observation, Report, Route, SeatOf};
use handeye_call::outcome::Outcome;
use handeye_core::{ConnectedApp, Invocation, Text, application_id, text};
use handeye_tree::difference::{Trees, render};
use std::sync::Arc;

/// The way by the pointer and the keyboard of the caller.
const AGENT_SEAT: &str = Route::Seat(SeatOf::Agent).as_str();
/// Most tokens for what an action changed.
const MAX_TOKENS_OF_ACTION: usize = 1_000;

/// The answer of an action that was dispatched. `hint` is what to do where no effect was seen.
pub(super) fn acted<A>(
    actor: &Actor<'_>,
    did: &str,
    target: Option<&Located>,
    report: &Report<A>,
    hint: Option<Text>,
) -> Outcome<ActionOutput> {
    let observation = &report.observation;
    let changes = changed_lines(observation, actor.handles(), &actor.app);
    // A window that is in the tree too has its line there.
    let windows = window_lines(&observation.windows, |title| changes.iter().any(|line| line.contains(title)));
    let lines: Vec<Text> = windows.into_iter().map(Text::from).chain(changes).collect();
    outcome(did, target, Some(observation), report.effect.clone(), hint, &lines)
}

/// The answer where nothing had to be done.
pub(super) fn unchanged(did: &str, target: &Located, effect: Effect) -> Outcome<ActionOutput> {
    undone(did, Some(target), effect)
}

/// The answer where nothing was done, with a target or without.
pub(super) fn undone(did: &str, target: Option<&Located>, effect: Effect) -> Outcome<ActionOutput> {
    outcome(did, target, None, effect, None, &[])
}

fn outcome(
    did: &str,
    target: Option<&Located>,
    observation: Option<&Observation>,
    effect: Effect,
    hint: Option<Text>,
    lines: &[Text],
) -> Outcome<ActionOutput> {
    let status = match effect.status {
        Status::Confirmed => "Confirmed",
        Status::Unconfirmed => "Unconfirmed",
    };
    let by = if effect.route == Some(AGENT_SEAT) { " by the agent's own seat" } else { "" };
    let mut text = Text::from(format!("{did}{by}. {status}: {}.", effect.evidence));
    if let Some(healed) = target.and_then(|target| target.healed.as_deref()) {
        text.push_str(&format!(" ({healed})"));
    }
    let busy = observation.filter(|observation| observation.unresponsive);
    let hint = busy.map_or(hint, |_| Some(text![Invocation::of("ax_wait_idle"), " waits for it."]));
    if let Some(hint) = hint.filter(|_| effect.status == Status::Unconfirmed) {
        text.push_str(" ");
        text.push(hint);
    }
    let choice = target.and_then(Located::choice).map(Text::from);
    for line in choice.iter().chain(lines) {
        text.push_str("\n");
        text.push(line);
    }
    let fields = ActionOutput {
        effect: effect.with_changes(lines.iter().map(ToString::to_string).collect()),
        element_ref: target.and_then(Located::shown_reference).map(str::to_owned),
        healed: target.and_then(|target| target.healed.clone()),
    };
    Outcome::new(text, fields)
}

/// What an action changed in its application, as lines of at most [`MAX_TOKENS_OF_ACTION`] tokens.
fn changed_lines(observation: &Observation, handles: Handles<'_>, app: &Arc<dyn ConnectedApp>) -> Vec<Text> {
    let id = application_id(app.as_ref());
    let minter = handles.minter(&id, &observation.after);
    let trees = Trees { before: &observation.before, after: &observation.after };
    let rendered = render(&observation.diff, trees, minter.as_ref(), MAX_TOKENS_OF_ACTION);
    rendered.text.split_lines()
}
