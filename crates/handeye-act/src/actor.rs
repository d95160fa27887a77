//! The one path of every action on an application.

use super::confirm::Deed;
use super::expected::Expected;
use super::journal::{ElementState, Entry, Fate, LONGEST_TEXT, Revert};
use super::observation::Observation;
use super::route::Route;
use super::settle::Baseline;
use crate::authorize::Whom;
use crate::desk::Desk;
use crate::effect::{Effect, Status};
use crate::handles::Handles;
use crate::locate::Located;
use crate::record::{About, Grant};
use async_trait::async_trait;
use handeye_call::call::Call;
use handeye_core::{
    Advice, ConnectedApp, Error, ErrorCode, Means, Node, NodeId, Permit, Result, States, Tree, application_id,
};
use handeye_tree::describe::describe;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::OwnedMutexGuard;
use tokio::time::sleep_until;

/// How long after an action without an effect the next one waits for it. Nothing distinguishes an effect of the one that comes so late from one
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

/// Something to do to a target that was found, stated before anything is done.
///
/// [`Actor::act`] calls these methods in the order in which they stand here; nothing else dispatches.
#[async_trait]
pub trait Action: Send + Sync {
    /// What the action holds and knows from aiming to its end: the seat, the point, what there was before.
    type Aim: Send + Sync;

    /// The element that the caller named; `None` for a point, or for whatever has the focus.
    fn target(&self) -> Option<&Located>;

    /// By which way it goes.
    fn route(&self) -> Route;

    /// What the seat has to be able to do for it; nothing if it goes another way.
    fn needs(&self) -> &'static [Means] {
        &[]
    }

    /// What it will hit, as far as that is known before it aims. Decides who is asked.
    async fn deed(&self, actor: &Actor<'_>) -> Result<Deed>;

    /// Takes the seat where it needs one, and makes sure that it reaches its target.
    async fn aim(&self, actor: &Actor<'_>, permit: &Permit) -> Result<Self::Aim>;

    /// What it will hit, where aiming has shown something other than [`deed`](Self::deed) has.
    async fn hit(&self, _actor: &Actor<'_>, _aim: &Self::Aim) -> Result<Option<Deed>> {
        Ok(None)
    }

    /// The element whose state is watched, and what shows an effect.
    fn watched(&self, aim: &Self::Aim) -> (Option<NodeId>, Expected);

    /// Looks at what only this action needs, right before it is dispatched.
    async fn look(&self, _actor: &Actor<'_>, _aim: &mut Self::Aim) -> Result<()> {
        Ok(())
    }

    /// Does it, and looks until its effect is complete.
    async fn dispatch(
        &self,
        actor: &Actor<'_>,
        permit: &Permit,
        aim: &Self::Aim,
        baseline: &Baseline<'_>,
    ) -> Result<Observation>;

    /// Judges what was seen.
    async fn judge(
        &self,
        _actor: &Actor<'_>,
        _aim: &mut Self::Aim,
        observation: &Observation,
    ) -> Result<Effect> {
        Ok(Effect::of(observation))
    }

    /// Whether it enters a secret, so that nothing is kept of what the element holds.
    fn is_secret(&self) -> bool {
        false
    }

    /// How to take it back, by what was aimed at and the watched element as it was before.
    fn revert(&self, aim: &Self::Aim, before: Option<&ElementState>) -> Revert;
}

/// What is reported of an action that was dispatched.
#[derive(Debug)]
pub struct Report<A> {
    /// What the action held and knew. It keeps the seat until it is dropped.
    pub aim: A,
    /// The application before and after.
    pub observation: Observation,
    /// What was seen to change.
    pub effect: Effect,
}

/// Carries out the actions of one call on one application. It has the application's turn: as long as it lives, no other action runs there.
pub struct Actor<'a> {
    /// The desk.
    pub desk: &'a Desk,
    /// The call that acts.
    pub call: &'a Call,
    /// The application that is acted on.
    pub app: Arc<dyn ConnectedApp>,
    /// The application as it was known when this turn came.
    earlier: Arc<Tree>,
    _turn: OwnedMutexGuard<()>,
}

impl<'a> Actor<'a> {
    /// How the answer names elements.
    pub fn handles(&self) -> Handles<'a> {
        self.desk.handles(self.call)
    }

    /// Connects to the application and waits for its turn.
    pub async fn begin(desk: &'a Desk, call: &'a Call, application: &str, shown_by: ShownBy) -> Result<Self> {
        let app = desk.connect_or_ask(call, application).await?;
        Ok(Self::on(desk, call, app, shown_by).await)
    }

    /// Waits for its turn on an application that is connected already. If any change counts as an effect, it comes some time after an
    /// action that showed none: before anything is looked for, as a late effect may move or replace that.
    pub async fn on(desk: &'a Desk, call: &'a Call, app: Arc<dyn ConnectedApp>, shown_by: ShownBy) -> Self {
        let turn = desk.memory.lock_application(app.application()).await;
        if shown_by == ShownBy::AnyChange
            && let Some(unproven) = desk.memory.habits(app.application()).and_then(|known| known.unproven)
        {
            sleep_until(unproven + LET_COME).await;
        }
        let earlier = app.mirror().snapshot();
        Self { desk, call, app, earlier, _turn: turn }
    }

    /// Carries an action out, from its assessment to its line in the journal.
    ///
    /// # Errors
    /// [`ErrorCode::Declined`] and [`ErrorCode::Blocked`] from the guard, [`ErrorCode::Refused`] if it cannot reach its target; then
    /// nothing was dispatched.
    pub async fn act<A: Action>(&self, action: &A) -> Result<Report<A::Aim>> {
        // Nobody is asked about what cannot be done.
        if let Some(of) = action.route().seat() {
            self.desk.seat_with(of, action.needs())?;
        }
        let deed = action.deed(self).await?;
        let mut grant = self.authorize(&deed, action.target(), action.route()).await?;
        let ended = self.carry_out(action, &deed, &mut grant).await;
        grant.ended_with(ended.as_ref().map(|report| report.effect.status)).await;
        ended
    }

    /// Carries out what was authorized and recorded.
    async fn carry_out<A: Action>(
        &self,
        action: &A,
        deed: &Deed,
        grant: &mut Grant,
    ) -> Result<Report<A::Aim>> {
        let mut aim = action.aim(self, grant).await?;
        if let Some(hit) = action.hit(self, &aim).await?
            && hit != *deed
        {
            self.desk.allow(self.call, Whom::Application(&self.app), &hit).await?;
            let about = self.about(&hit, action.target(), action.route());
            let other = self.desk.granted(self.call, about).await?;
            std::mem::replace(grant, other).replaced().await;
        }
        let (watched, expected) = action.watched(&aim);
        let baseline = Baseline::take(self.desk, self.app.as_ref(), watched, expected, &self.earlier).await?;
        action.look(self, &mut aim).await?;
        let before = match watched.and_then(|id| baseline.tree().get(id)) {
            Some(node) if action.is_secret() => Some(ElementState::of(node).without_text()),
            Some(node) => Some(self.state_of(node).await),
            None => None,
        };
        let observation = match action.dispatch(self, grant, &aim, &baseline).await {
            Ok(observation) => observation,
            Err(error) => {
                // It may have been done nevertheless; a refusal was not.
                if error.code != ErrorCode::Refused {
                    self.write_down(action, &aim, &Watched::at(watched, before), None);
                }
                return Err(error);
            }
        };
        let judged = action.judge(self, &mut aim, &observation).await;
        let mut watched = Watched::at(watched, before);
        watched.after = match observation.target.and_then(|id| self.app.mirror().snapshot().get(id).cloned())
        {
            Some(after) if action.is_secret() => Some(ElementState::of(&after).without_text()),
            Some(after) => Some(self.state_of(&after).await),
            None => None,
        };
        let status = judged.as_ref().ok().map(|effect| effect.status);
        self.write_down(action, &aim, &watched, status);
        let effect = Effect { route: Some(action.route().as_str()), ..judged? };
        Ok(Report { aim, observation, effect })
    }

    /// The state of an element with its whole text, where the mirror has only the beginning of it.
    async fn state_of(&self, node: &Node) -> ElementState {
        let state = ElementState::of(node);
        let is_cut = node.details.text.known().is_some_and(handeye_core::TextContent::is_cut);
        if !is_cut || node.states.contains(States::PROTECTED) {
            return state;
        }
        match self.app.read_text(node.id, 0, LONGEST_TEXT).await {
            Ok(text) => state.with_text(text),
            Err(error) => {
                // Without it the action cannot be taken back, and that is all.
                tracing::debug!(code = error.code.as_str(), "a text was not read for the journal");
                state
            }
        }
    }

    fn write_down<A: Action>(&self, action: &A, aim: &A::Aim, watched: &Watched, status: Option<Status>) {
        let application = self.app.application();
        let reference = watched.id.and_then(|id| {
            let tree = self.app.mirror().snapshot();
            self.desk.own.references.mint(&application_id(self.app.as_ref()), &tree, id)
        });
        let number = self.desk.own.journal.write(Entry {
            number: 0,
            tool: self.call.tool,
            at: SystemTime::now(),
            application: application.name.clone(),
            pid: application.pid(),
            reference: action.target().map(|target| target.reference.clone()),
            watched: reference.map(|reference| reference.to_string()),
            route: action.route(),
            before: watched.before.clone(),
            after: watched.after.clone(),
            status,
            revert: action.revert(aim, watched.before.as_ref()),
            fate: Fate::Stands,
        });
        self.call.trail.acted(number);
    }

    /// The right to do something to this application, judged by what will be hit.
    pub(super) async fn authorize(
        &self,
        deed: &Deed,
        named: Option<&Located>,
        route: Route,
    ) -> Result<Grant> {
        let about = self.about(deed, named, route);
        self.desk.authorize(self.call, Whom::Application(&self.app), deed, about).await
    }

    fn about(&self, deed: &Deed, named: Option<&Located>, route: Route) -> About {
        About::deed(&self.desk.own.references, &self.app, deed, named, route.as_str())
    }
}

/// The element whose state an action may change, before and after it.
struct Watched {
    id: Option<NodeId>,
    before: Option<ElementState>,
    after: Option<ElementState>,
}

impl Watched {
    /// Before the action.
    const fn at(id: Option<NodeId>, before: Option<ElementState>) -> Self {
        Self { id, before, after: None }
    }
}

/// The action was not dispatched: it cannot be done in the background. `next` is the call that would work.
pub fn refused(what: &str, why: &str, next: impl Into<Advice>) -> Error {
    Error::new(ErrorCode::Refused, format!("{what} was not dispatched: {why}")).with_next(next)
}

/// The target in a sentence: `button "Save" [ref=e12]`.
pub fn named(target: &Located) -> String {
    named_as(&target.node, target.shown_reference())
}

/// An element in a sentence, with its reference if that is shown.
pub fn named_as(node: &Node, reference: Option<&str>) -> String {
    match reference {
        Some(reference) => format!("{} [ref={reference}]", describe(node)),
        None => describe(node),
    }
}
