//! What an action states about itself, and what is reported of it.

use super::actor::Actor;
use super::confirm::Deed;
use super::expectation::Expected;
use super::journal::Revert;
use super::settle::{Baseline, Observation};
use crate::effect::Effect;
use crate::locate::Located;
use async_trait::async_trait;
use handeye_core::{Node, NodeId, Permit, Result};

/// By which way an action reaches its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// A request to the application, which leaves pointer, keyboard and focus alone.
    Accessibility,
    /// The user's pointer and keyboard.
    Seat,
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

    /// What it will hit, as far as that is known before it aims. Decides who is asked.
    async fn deed(&self, actor: &Actor<'_>) -> Result<Deed>;

    /// Takes the seat where it needs one, and makes sure that it reaches its target.
    async fn aim(&self, actor: &Actor<'_>, permit: &Permit) -> Result<Self::Aim>;

    /// What it will hit, where aiming has shown something other than [`deed`](Self::deed) said.
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

    /// How to take it back, by the watched element as it was before.
    fn revert(&self, before: Option<&Node>) -> Revert;
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
