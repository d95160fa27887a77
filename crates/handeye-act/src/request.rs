//! Making an element do something by a request to its application: pointer, keyboard and focus stay where they are.

use super::actor::{Action, Actor};
use super::confirm::{Deed, Manner};
use super::expected::Expected;
use super::journal::{ElementState, Revert};
use super::observation::Observation;
use super::popups::{self, Watch, Which};
use super::press;
use super::read_back;
use super::route::Route;
use super::settle::Baseline;
use super::text::{Content, Wanted, proof};
use super::written::Written;
use crate::effect::Effect;
use crate::locate::Located;
use async_trait::async_trait;
use handeye_core::{Advice, Node, NodeAction, NodeId, NumericValue, Permit, Result, SecretText, WindowId};
use std::collections::HashSet;

/// What shows that a request had its effect.
#[derive(Debug, Clone)]
pub enum Goal {
    /// Any effect that a click has.
    Press,
    /// The element gets the focus.
    Focus,
    /// It is selected, as a click on an item does it.
    Picked,
    /// It is selected, or is not any more.
    Selected(bool),
    /// It is switched on or off.
    Switched(bool),
    /// It holds this number; before, it held what is given.
    Number(f64, Option<NumericValue>),
    /// A scroll bar moves away from this value.
    Moved(NumericValue),
    /// It holds this text; before, it held what is given.
    Text {
        /// What it is to hold.
        wanted: Wanted,
        /// What it held before.
        before: Content,
        /// The call to make if it took nothing.
        next: Advice,
    },
}

/// A request to an element.
pub struct Request<'a> {
    /// The element that the caller named.
    pub target: &'a Located,
    /// The element that does it, which may be one around the named one.
    pub node: &'a Node,
    /// What it is made to do.
    pub action: NodeAction,
    /// What shows the effect.
    pub goal: Goal,
    /// What it is made to do before that: the first click of a double click selects.
    pub first: Option<NodeAction>,
    /// It is an item of a menu, which a click would close.
    pub closes_menu: bool,
    /// The text that it is to take, where that names secrets: they are put in right before it is sent.
    pub secret: Option<&'a Written>,
}

/// What a request knows from aiming to its end.
#[derive(Debug, Default)]
pub struct RequestAim {
    /// What is open, where the request is to close menus.
    open: Option<HashSet<WindowId>>,
    /// The text with its secrets.
    filled: Option<SecretText>,
}

impl<'a> Request<'a> {
    /// A request to the named element itself.
    pub fn to(target: &'a Located, action: NodeAction, goal: Goal) -> Self {
        Self { target, node: &target.node, action, goal, first: None, closes_menu: false, secret: None }
    }
}

/// What a request hits, by what the element is made to do.
pub(super) fn deed_of(target: NodeId, node: &Node, action: &NodeAction) -> Deed {
    match action {
        NodeAction::Invoke(Some(name)) if press::is_context_menu(name) => Deed::Context { on: node.id },
        NodeAction::Invoke(_) | NodeAction::Select { .. } | NodeAction::Deselect => {
            let manner = if press::makes_act(node, action) { Manner::Open } else { Manner::Click };
            Deed::Press { named: target, does: node.id, manner }
        }
        NodeAction::Focus
        | NodeAction::SetText(_)
        | NodeAction::InsertText(_)
        | NodeAction::SetValue(_)
        | NodeAction::ScrollIntoView => Deed::Harmless,
    }
}

#[async_trait]
impl Action for Request<'_> {
    type Aim = RequestAim;

    fn target(&self) -> Option<&Located> {
        Some(self.target)
    }

    fn route(&self) -> Route {
        Route::Accessibility
    }

    async fn deed(&self, actor: &Actor<'_>) -> Result<Deed> {
        if let Some(written) = self.secret {
            written.check(actor, self.node).await?;
        }
        Ok(deed_of(self.target.node.id, self.node, &self.action))
    }

    async fn aim(&self, actor: &Actor<'_>, permit: &Permit) -> Result<Self::Aim> {
        if let Some(first) = &self.first
            && let Err(error) = actor.app.perform(permit, self.node.id, first).await
        {
            tracing::debug!(code = error.code.as_str(), "what comes first was not done");
        }
        let open =
            if self.closes_menu { popups::open_now(actor.desk, actor.app.application()).await } else { None };
        Ok(RequestAim { open, filled: None })
    }

    fn watched(&self, _aim: &Self::Aim) -> (Option<NodeId>, Expected) {
        let expected = match self.goal {
            Goal::Press | Goal::Switched(_) => Expected::Press,
            Goal::Focus => Expected::Focus,
            Goal::Picked | Goal::Selected(_) | Goal::Number(..) | Goal::Moved(_) | Goal::Text { .. } => {
                Expected::Proof
            }
        };
        (Some(self.node.id), expected)
    }

    async fn look(&self, actor: &Actor<'_>, aim: &mut RequestAim) -> Result<()> {
        if let Some(written) = self.secret {
            aim.filled = Some(written.filled(actor, self.node).await?);
        }
        Ok(())
    }

    async fn dispatch(
        &self,
        actor: &Actor<'_>,
        permit: &Permit,
        aim: &Self::Aim,
        baseline: &Baseline<'_>,
    ) -> Result<Observation> {
        let action = match (&aim.filled, &self.action) {
            (Some(text), NodeAction::SetText(_)) => &NodeAction::SetText(text.expose().to_owned()),
            (Some(text), NodeAction::InsertText(_)) => &NodeAction::InsertText(text.expose().to_owned()),
            (_, action) => action,
        };
        let observation = actor.request(permit, baseline, self.node.id, action).await?;
        if self.closes_menu {
            // A click closes the menu that the item is in; Qt leaves it open if the item is pressed in the background.
            let application = actor.app.application();
            let fate =
                Watch::on(actor.desk, permit, application, Which::OpenSince(aim.open.clone())).end().await;
            tracing::debug!(?fate, "menus after the click on an item");
        }
        Ok(observation)
    }

    async fn judge(
        &self,
        actor: &Actor<'_>,
        aim: &mut Self::Aim,
        observation: &Observation,
    ) -> Result<Effect> {
        let id = self.node.id;
        let now = observation.now(id);
        let number = || now.and_then(|node| node.details.value.known().copied());
        Ok(match &self.goal {
            Goal::Press | Goal::Focus => Effect::of(observation),
            Goal::Picked => read_back::picked(self.node, now),
            Goal::Selected(wanted) => read_back::selected(now, *wanted),
            Goal::Switched(wanted) => read_back::switched(observation, now, *wanted),
            Goal::Number(wanted, before) => {
                read_back::number(self.target, *wanted, before.as_ref(), number())?
            }
            Goal::Moved(before) => read_back::moved(before, number()),
            Goal::Text { wanted, before, next } if let Some(text) = &aim.filled => {
                let wanted = wanted.with_text(text.expose());
                Written::veil(proof(actor, id, before, &wanted, observation, next).await?)
            }
            Goal::Text { wanted, before, next } => {
                return proof(actor, id, before, wanted, observation, next).await;
            }
        })
    }

    fn is_secret(&self) -> bool {
        self.secret.is_some()
    }

    fn revert(&self, _aim: &Self::Aim, before: Option<&ElementState>) -> Revert {
        if self.secret.is_some() {
            return Revert::Impossible;
        }
        match &self.goal {
            Goal::Focus => Revert::Nothing,
            Goal::Moved(before) => Revert::SetNumber(before.current),
            Goal::Selected(wanted) => Revert::Select(!wanted),
            Goal::Switched(_) => Revert::Switch,
            Goal::Number(..) => Revert::number_of(before),
            Goal::Text { before: Content::Text(text), .. } => Revert::SetText(text.clone()),
            Goal::Press | Goal::Picked | Goal::Text { .. } => Revert::Impossible,
        }
    }
}
