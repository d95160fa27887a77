//! Clicks by input into the application alone: pointer, keyboard and focus of the user stay where they are.

use super::actor::{Action, Actor};
use super::confirm::Deed;
use super::expected::Expected;
use super::journal::{ElementState, Revert};
use super::observation::Observation;
use super::pointer::Clicks;
use super::route::Route;
use super::settle::Baseline;
use crate::locate::Located;
use async_trait::async_trait;
use handeye_core::platform::Performed;
use handeye_core::{ApplicationInput, ConnectedApp, Missing, NodeId, Permit, Result, Support};
use std::sync::Arc;

/// A click on an element, by the input that its application takes for itself.
pub struct ApplicationClick<'a> {
    target: &'a Located,
    clicks: Clicks,
    input: Arc<dyn ApplicationInput>,
}

/// Whether an application takes clicks for itself.
pub enum OwnClick<'a> {
    /// It does.
    Taken(ApplicationClick<'a>),
    /// It takes other input for itself, but no clicks.
    Missing(Missing),
    /// It takes none.
    None,
}

impl<'a> ApplicationClick<'a> {
    /// The click, where the source of the element declares it.
    pub fn on(app: &dyn ConnectedApp, target: &'a Located, clicks: Clicks) -> OwnClick<'a> {
        let Some(input) = app.input(target.node.id) else { return OwnClick::None };
        match input.clicks() {
            Support::Yes => OwnClick::Taken(Self { target, clicks, input }),
            Support::No(missing) => OwnClick::Missing(missing),
        }
    }
}

#[async_trait]
impl Action for ApplicationClick<'_> {
    type Aim = ();

    fn target(&self) -> Option<&Located> {
        Some(self.target)
    }

    fn route(&self) -> Route {
        Route::Application
    }

    async fn deed(&self, _actor: &Actor<'_>) -> Result<Deed> {
        Ok(self.clicks.deed(self.target.node.id))
    }

    async fn aim(&self, _actor: &Actor<'_>, _permit: &Permit) -> Result<()> {
        Ok(())
    }

    fn watched(&self, _aim: &()) -> (Option<NodeId>, Expected) {
        (Some(self.target.node.id), Expected::Press)
    }

    async fn dispatch(
        &self,
        actor: &Actor<'_>,
        permit: &Permit,
        _aim: &(),
        baseline: &Baseline<'_>,
    ) -> Result<Observation> {
        let Clicks { button, count } = self.clicks;
        let clicking = async {
            self.input.click(permit, self.target.node.id, button, count).await?;
            Ok(Performed { by: "click".to_owned(), acknowledged: true, ..Performed::default() })
        };
        actor.in_background(permit, baseline, clicking).await
    }

    fn revert(&self, _aim: &Self::Aim, _before: Option<&ElementState>) -> Revert {
        Revert::Impossible
    }
}
