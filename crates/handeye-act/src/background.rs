//! Acting while the user is in another window: what the application would take from the user is given back.

use super::actor::{Actor, refused};
use super::focus_kept::KeptFocus;
use super::observation::Observation;
use super::popups::{self, Watch, Which};
use super::route::SeatOf;
use super::settle::Baseline;
use crate::effect::Effect;
use crate::own_seat::Opens;
use crate::seats::SeatTarget;
use handeye_core::platform::Performed;
use handeye_core::{
    Argument, Error, ErrorCode, Invocation, Means, NodeAction, NodeId, Permit, Result, Support, Takes,
    Window, WindowId, text,
};
use std::collections::HashSet;
use std::future::ready;

impl Actor<'_> {
    /// Whether the caller's own seat can do all of this in this application.
    pub async fn agent_seat(&self, needed: &[Means]) -> Support {
        self.desk.agent_seat(needed, SeatTarget::App(self.app.as_ref())).await
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
        let apart = Apart::begin(self, permit).await;
        apart.beside(self, baseline.observe_request(self.call, performing)).await
    }

    /// Has a seat do something and looks until the effect is complete. The menus that an agent's opens stay open, but for those that take the
    /// user's keyboard; while one is open, its application goes on believing that it has the focus.
    pub(super) async fn by_seat(
        &self,
        (of, opens): (SeatOf, Opens),
        permit: &Permit,
        baseline: &Baseline<'_>,
        input: impl Future<Output = Result<()>> + Send,
    ) -> Result<Observation> {
        let is_compared = opens == Opens::UnderPointer || (opens == Opens::Menu && of == SeatOf::Agent);
        let before = if is_compared { self.open_menus().await } else { HashSet::new() };
        if of == SeatOf::User {
            let observed = baseline.observe_input(self.call, input).await;
            self.note_under_pointer(opens, &before).await;
            return observed;
        }
        let apart = Apart::begin(self, permit).await;
        let opens_menu = opens == Opens::Menu;
        let observed = if opens_menu && self.app.on_agent_seat().popups != Takes::Own {
            // While the menu opens, the seat itself has the user's keyboard, and the menu cannot.
            match apart.keeping_focus(self, input).await {
                Ok(()) => apart.beside(self, baseline.observe_input(self.call, ready(Ok(())))).await,
                Err(error) => Err(error),
            }
        } else if opens == Opens::UnderPointer {
            // A tooltip takes no keyboard, so there is nothing to close: an Escape would be for somebody else.
            apart.keeping_focus(self, baseline.observe_input(self.call, input)).await
        } else {
            apart.beside(self, baseline.observe_input(self.call, input)).await
        };
        let seat = &self.desk.own.seat;
        let had_menu = seat.opened() == Opens::Menu;
        let open = if had_menu || opens_menu { self.open_menus().await } else { HashSet::new() };
        let opened = if (had_menu && !open.is_empty()) || !open.is_subset(&before) {
            Opens::Menu
        } else if opens == Opens::UnderPointer {
            Opens::UnderPointer
        } else {
            Opens::Nothing
        };
        seat.note_opened(opened);
        seat.note_menus(if opened == Opens::Menu { open } else { HashSet::new() });
        self.note_under_pointer(opens, &before).await;
        if opened == Opens::Nothing {
            self.desk.end_feigning().await;
        }
        if let Ok(observed) = &observed
            && (opened, opens) == (Opens::Menu, Opens::Menu)
            && !Effect::of(observed).is_confirmed()
        {
            self.note_unlisted_menu();
        }
        observed
    }

    /// Lets an input of the caller's own seat go on that is not observed, and gives the focus back that a window takes.
    pub(super) async fn keeping_focus<T>(&self, permit: &Permit, input: impl Future<Output = T>) -> T {
        Apart::begin(self, permit).await.keeping_focus(self, input).await
    }

    /// The menus and other popups of the application, which no window manager knows; none where they cannot be listed.
    async fn open_menus(&self) -> HashSet<WindowId> {
        let open = popups::open_now(self.desk, self.app.application()).await.unwrap_or_default();
        match self.desk.platform.screen.windows().await {
            Ok(managed) => {
                open.into_iter().filter(|id| managed.iter().all(|window| window.id != *id)).collect()
            }
            Err(error) => {
                tracing::debug!(code = error.code.as_str(), "the windows cannot be listed");
                HashSet::new()
            }
        }
    }

    /// Notes what the application shows because the pointer is there. The tree has the text of a tooltip at its element, if at all.
    async fn note_under_pointer(&self, opens: Opens, before: &HashSet<WindowId>) {
        if opens == Opens::UnderPointer && !self.open_menus().await.is_subset(before) {
            let shows =
                text!["A tooltip or another popup opened: ", Invocation::of("ax_screenshot"), " shows it."];
            self.call.trail.note(shows);
        }
    }

    /// Notes a menu that the tree does not show.
    fn note_unlisted_menu(&self) {
        let application = self.app.application();
        let app = application.pid().map_or_else(|| application.name.clone(), |pid| pid.to_string());
        self.call.trail.note(text![
            "A menu opened that the tree does not show: ",
            Invocation::of("ax_screenshot"),
            " shows it, ",
            Invocation::of("ax_click_at"),
            " chooses from it, ",
            Invocation::of("ax_key_press").with("app", app).with("key", "escape"),
            " closes it."
        ]);
    }
}

/// The window that the user was in when an action in the background began, and what was open then.
struct Apart<'a> {
    user: Option<Window>,
    open: Option<HashSet<WindowId>>,
    permit: &'a Permit,
}

impl<'a> Apart<'a> {
    async fn begin(actor: &Actor<'_>, permit: &'a Permit) -> Self {
        let application = actor.app.application();
        let user = popups::user_elsewhere(actor.desk, application).await;
        let open = if user.is_some() { popups::open_now(actor.desk, application).await } else { None };
        Self { user, open, permit }
    }

    /// Lets something go on. A menu that takes the user's keyboard is closed again, and the focus is given back that a window takes.
    async fn beside(
        &self,
        actor: &Actor<'_>,
        acting: impl Future<Output = Result<Observation>>,
    ) -> Result<Observation> {
        let Some(user) = &self.user else { return acting.await };
        let application = actor.app.application();
        let which = Which::OpenedAfter(self.open.clone());
        let mut watch = Watch::on(actor.desk, self.permit, application, which);
        let observed = self.keeping_focus(actor, watch.beside(acting)).await;
        if let Some(sentence) = popups::sentence(watch.end().await, application, user) {
            actor.call.trail.disturbed(sentence);
        }
        observed
    }

    /// Lets something go on and gives the focus back that a window takes.
    async fn keeping_focus<T>(&self, actor: &Actor<'_>, acting: impl Future<Output = T>) -> T {
        let Some(user) = &self.user else { return acting.await };
        let mut focus = KeptFocus::of(actor.desk, actor.app.application(), user);
        let acted = focus.beside(acting).await;
        if let Some(sentence) = focus.sentence() {
            actor.call.trail.disturbed(sentence);
        }
        acted
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
