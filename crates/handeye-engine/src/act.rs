//! One action on one application: find, look, act, look again, tell.

use crate::asking;
use crate::call::Call;
use crate::difference;
use crate::effect::{Effect, Status, describe, window_lines};
use crate::engine::Engine;
use crate::expectation::Expected;
use crate::locate::Located;
use crate::operation::Outcome;
use crate::ops::shared::ActionOutput;
use crate::popups::{self, Watch};
use crate::settle::{Baseline, Observation};
use handeye_core::{ConnectedApp, DetailKinds, Error, ErrorCode, NodeAction, NodeId, Result, Tree};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedMutexGuard;
use tokio::time::sleep_until;

/// What an action needs to know about its target.
const TARGET_DETAILS: DetailKinds =
    DetailKinds::EXTENTS.union(DetailKinds::VALUE).union(DetailKinds::TEXT).union(DetailKinds::ACTIONS);

/// How long after an action without an effect the next one waits for it. Nothing tells an effect of the one that comes so late from one
/// of the other that comes at once.
const LET_COME: Duration = Duration::from_millis(1_500);

/// What shows whether an action had an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownBy {
    /// Its target, which is read back: a text, a number, a choice.
    Target,
    /// Whatever changes after it. A late effect of the action before must not be among that.
    AnyChange,
}

/// The right to act on one application: as long as it is held, no other action runs there.
pub struct Turn<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The call that acts.
    pub call: &'a Call,
    /// The application that is acted on.
    pub app: Arc<dyn ConnectedApp>,
    /// The application as it was known when this turn came.
    earlier: Arc<Tree>,
    _held: OwnedMutexGuard<()>,
}

impl<'a> Turn<'a> {
    /// Connects to the application and waits for its turn.
    pub async fn begin(
        engine: &'a Engine,
        call: &'a Call,
        application: &str,
        shown_by: ShownBy,
    ) -> Result<Self> {
        let app = engine.connect_or_ask(call, application).await?;
        Ok(Self::on(engine, call, app, shown_by).await)
    }

    /// Waits for its turn on an application that is connected already. If any change counts as an effect, it comes some time after an
    /// action that showed none: before anything is looked for, as a late effect may move or replace that.
    pub async fn on(
        engine: &'a Engine,
        call: &'a Call,
        app: Arc<dyn ConnectedApp>,
        shown_by: ShownBy,
    ) -> Self {
        let turn = engine.memory.lock_application(app.application()).await;
        if shown_by == ShownBy::AnyChange
            && let Some(unproven) = engine.memory.habits(app.application()).and_then(|known| known.unproven)
        {
            sleep_until(unproven + LET_COME).await;
        }
        let earlier = app.mirror().snapshot();
        Self { engine, call, app, earlier, _held: turn }
    }

    /// Finds the element that the action is about and reads it again.
    pub async fn target(&self, query: &str) -> Result<Located> {
        let mut target = asking::locate_or_ask(self, query, TARGET_DETAILS).await?;
        target.check_unambiguous(query, self.call.remembered)?;
        if !self.call.remembered {
            // A reference ends with the process; the next command has to find the element by its query again.
            target.handle = query.replace('\\', "\\\\").replace('"', "\\\"");
        }
        Ok(target)
    }

    /// Looks at the application before the action.
    pub async fn baseline(&self, target: Option<NodeId>, expected: Expected) -> Result<Baseline<'_>> {
        Baseline::take(self.engine, self.app.as_ref(), target, expected, &self.earlier).await
    }

    /// Makes an element do something in the background and watches what comes of it.
    pub async fn perform(
        &self,
        node: NodeId,
        action: &NodeAction,
        expected: Expected,
    ) -> Result<Observation> {
        let baseline = self.baseline(Some(node), expected).await?;
        self.perform_after(&baseline, node, action).await
    }

    /// The same with a baseline that was taken before.
    pub async fn perform_after(
        &self,
        baseline: &Baseline<'_>,
        node: NodeId,
        action: &NodeAction,
    ) -> Result<Observation> {
        let performing = async {
            let performed = self.app.perform(node, action).await.map_err(or_refused)?;
            tracing::debug!(by = performed.by, acknowledged = performed.acknowledged, "performed");
            Ok(performed)
        };
        let application = self.app.application();
        let Some(user) = popups::user_elsewhere(self.engine, application).await else {
            return baseline.observe_request(self.call, performing).await;
        };
        let mut watch = Watch::on_new(self.engine, application).await;
        let observed = watch.beside(baseline.observe_request(self.call, performing)).await;
        if let Some(sentence) = popups::sentence(watch.end().await, application, &user) {
            self.call.trail.note(sentence);
        }
        observed
    }

    /// The answer of an action: one sentence, then what changed.
    pub fn answer(
        &self,
        did: &str,
        target: Option<&Located>,
        observation: Option<&Observation>,
        effect: Effect,
        hint: Option<&str>,
    ) -> Outcome<ActionOutput> {
        let mut lines = Vec::new();
        if let Some(observation) = observation {
            let changes = difference::lines(observation, &self.engine.memory.references, &self.app);
            // A window that is in the tree too has its line there.
            lines =
                window_lines(&observation.windows, |title| changes.iter().any(|line| line.contains(title)));
            lines.extend(changes);
        }
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
        for line in target.and_then(|target| target.choice(self.call.remembered)).iter().chain(&lines) {
            text.push('\n');
            text.push_str(line);
        }
        let fields = ActionOutput {
            effect: effect.with_changes(&lines),
            element_ref: target.map(|target| target.reference.clone()),
            healed: target.and_then(|target| target.healed.clone()),
        };
        Outcome::new(text, fields)
    }
}

/// The action was not dispatched: it cannot be done in the background. `next` is the call that would work.
pub fn refused(what: &str, why: &str, next: impl Into<String>) -> Error {
    Error::new(ErrorCode::Refused, format!("{what} was not dispatched: {why}")).with_next(next)
}

/// What an element has no means for was not dispatched; real input needs no such means.
fn or_refused(error: Error) -> Error {
    if error.code != ErrorCode::NotSupported || error.next.is_some() {
        return error;
    }
    refused(
        "the action",
        &error.message,
        "The same call with mode: \"focus\" uses the real pointer and keyboard.",
    )
}

/// The target in a sentence: `button "Save" [ref=e12]`.
pub fn named(target: &Located) -> String {
    format!("{} [ref={}]", describe(&target.node), target.reference)
}
