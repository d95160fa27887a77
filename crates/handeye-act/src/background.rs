//! Acting while the user is in another window: what the application would take from the user is given back.

use super::actor::{Actor, refused};
use super::focus_kept::KeptFocus;
use super::observation::Observation;
use super::popups::{self, Watch, Which};
use super::route::SeatOf;
use super::settle::Baseline;
use crate::effect::Effect;
use handeye_core::platform::Performed;
use handeye_core::{
    Argument, Error, ErrorCode, Invocation, Means, NodeAction, NodeId, Permit, Popups, Result, Support,
    WindowId, text,
};
use std::collections::HashSet;
use std::future::ready;

impl Actor<'_> {
    /// Whether the caller's own seat can do all of this in this application.
    pub async fn agent_seat(&self, needed: &[Means]) -> Support {
        match self.app.on_agent_seat().refusal {
            Some(reason) => Support::no(reason),
            None if self.would_deafen_user().await => Support::no(
                "the window that the user is in takes no keys of the user while an agent has a keyboard",
            ),
            None => self.desk.agent_seat(needed).await,
        }
    }

    /// Whether the user is in a window, of another application, that takes no keys of the user while there is a seat of an agent.
    async fn would_deafen_user(&self) -> bool {
        let Some(user) = popups::user_elsewhere(self.desk, self.app.application()).await else {
            return false;
        };
        let Some(pid) = user.pid else { return false };
        match self.desk.platform.accessibility.on_agent_seat(pid).await {
            Ok(users) => users.is_some_and(|users| users.deafens),
            Err(error) => {
                tracing::debug!(code = error.code.as_str(), "the toolkit of the user's window is not known");
                false
            }
        }
    }

    /// Makes an element do something and looks until the effect is complete.
    pub(super) async fn request(
        &self,
        permit: &Permit,
        baseline: &Baseline<'_>,
        node: NodeId,
        action: &NodeAction,
    ) -> Result<Observation> {
        let performing = async {
            let performed = self.app.perform(permit, node, action).await.map_err(or_refused)?;
            tracing::debug!(by = performed.by, acknowledged = performed.acknowledged, "performed");
            Ok(performed)
        };
        self.in_background(permit, baseline, performing).await
    }

    /// Has the application do something in the background and looks until the effect is complete. A menu that opens meanwhile is closed again
    /// where the user is in another window.
    pub(super) async fn in_background(
        &self,
        permit: &Permit,
        baseline: &Baseline<'_>,
        performing: impl Future<Output = Result<Performed>> + Send,
    ) -> Result<Observation> {
        self.apart_from_user(permit, baseline.observe_request(self.call, performing)).await
    }

    /// Has a seat do something and looks until the effect is complete. The menus that an agent's opens stay open, but for those that take the
    /// user's keyboard; while one `opens`, its application goes on believing that it has the focus.
    pub(super) async fn by_seat(
        &self,
        (of, opens): (SeatOf, bool),
        permit: &Permit,
        baseline: &Baseline<'_>,
        input: impl Future<Output = Result<()>> + Send,
    ) -> Result<Observation> {
        if of == SeatOf::User {
            return baseline.observe_input(self.call, input).await;
        }
        let before = if opens { popups::open_now(self.desk, self.app.application()).await } else { None };
        let observed = if opens && self.app.on_agent_seat().popups != Popups::TakeOwn {
            // While the menu opens, the seat itself has the user's keyboard, and the menu cannot.
            match input.await {
                Ok(()) => {
                    self.apart_from_user(permit, baseline.observe_input(self.call, ready(Ok(())))).await
                }
                Err(error) => Err(error),
            }
        } else {
            self.apart_from_user(permit, baseline.observe_input(self.call, input)).await
        };
        self.desk.own.seat.rest_soon();
        match &observed {
            Ok(observed) if opens => self.note_unlisted_menu(before, observed).await,
            _ if self.has_open_menu().await => {}
            _ => self.desk.end_feigning().await,
        }
        observed
    }

    /// Whether a menu is open whose application believes that it has the focus: without it, the menu would close.
    async fn has_open_menu(&self) -> bool {
        if !self.desk.own.seat.feigns() {
            return false;
        }
        let Some(shown) = popups::open_now(self.desk, self.app.application()).await else { return false };
        match self.desk.platform.screen.windows().await {
            Ok(managed) => shown.iter().any(|id| managed.iter().all(|window| window.id != *id)),
            Err(error) => {
                tracing::debug!(code = error.code.as_str(), "the windows cannot be listed");
                false
            }
        }
    }

    /// Notes a menu that is open by now and that the tree does not show.
    async fn note_unlisted_menu(&self, before: Option<HashSet<WindowId>>, observed: &Observation) {
        let now = popups::open_now(self.desk, self.app.application()).await;
        let (Some(before), Some(now)) = (before, now) else { return };
        if now.is_subset(&before) {
            // None opened, so nothing is left for which it would have to believe that it has the focus.
            self.desk.end_feigning().await;
        } else if !Effect::of(observed).is_confirmed() {
            self.call.trail.note(text![
                "A menu opened that the tree does not show: ",
                Invocation::of("ax_screenshot"),
                " shows it, ",
                Invocation::of("ax_click_at"),
                " chooses from it, ",
                Invocation::of("ax_key_press").with("key", "escape"),
                " closes it."
            ]);
        }
    }

    /// Lets something go on in the background. Where the user is in another window, a menu that takes the user's keyboard is closed again, and
    /// the focus is given back that a window takes.
    async fn apart_from_user(
        &self,
        permit: &Permit,
        acting: impl Future<Output = Result<Observation>>,
    ) -> Result<Observation> {
        let application = self.app.application();
        let Some(user) = popups::user_elsewhere(self.desk, application).await else {
            return acting.await;
        };
        let open = popups::open_now(self.desk, application).await;
        let mut watch = Watch::on(self.desk, permit, application, Which::OpenedAfter(open));
        let mut focus = KeptFocus::of(self.desk, application, &user);
        let observed = focus.beside(watch.beside(acting)).await;
        if let Some(sentence) = focus.sentence() {
            self.call.trail.note(sentence);
        }
        if let Some(sentence) = popups::sentence(watch.end().await, application, &user) {
            self.call.trail.note(sentence);
        }
        observed
    }
}

/// What an element has no means for was not dispatched; real input needs no such means.
fn or_refused(error: Error) -> Error {
    if error.code != ErrorCode::NotSupported || error.next.is_some() {
        return error;
    }
    refused(
        "the action",
        &error.message,
        text!["The same call with ", Argument::new("mode", "focus"), " uses the real pointer and keyboard."],
    )
}
