//! Seats of agents: each a pointer and a keyboard beside those of the user.

use super::aim::Aim;
use super::entry::out_of_the_way;
use super::fault::Outcome;
use super::feigning::feign_focus;
use super::hands::{Hands, INPUT_DEADLINE};
use super::held::SeatKeeper;
use super::popup_click::click_for_popup;
use super::windows::active;
use super::worker::{Role, Worker};
use super::x_session::XSession;
use super::{DEADLINE, pointer, typing};
use async_trait::async_trait;
use handeye_core::{
    ActiveWindow, AgentSeats, Button, Chord, Consent, Dismissal, DragWay, Error, ErrorCode, KeySymbol,
    OpenMenus, Permit, Point, Result, Seat, SeatCapabilities, SeatState, Support, WindowId,
};
use std::sync::Arc;
use x11rb::protocol::xinput::ConnectionExt as _;
use x11rb::protocol::xproto::ConnectionExt as _;

/// Makes seats for agents on one X server.
#[derive(Debug)]
pub struct X11AgentSeats {
    display: Option<String>,
    keeper: Arc<dyn SeatKeeper>,
    shows_cursor: bool,
    not_found: Option<Error>,
}

impl X11AgentSeats {
    /// On `display`, or on the one that `$DISPLAY` names at the time of the first action. `keeper` removes them if this process ends
    /// without it.
    pub fn new(display: Option<String>, keeper: Arc<dyn SeatKeeper>) -> Self {
        Self { display, keeper, shows_cursor: false, not_found: None }
    }

    /// Whether a labelled cursor, which lets every click through, shows where each agent acts.
    #[must_use]
    pub fn showing_cursors(self, shows_cursor: bool) -> Self {
        Self { shows_cursor, ..self }
    }

    /// As [`X11Desktop::without_session`](crate::X11Desktop::without_session).
    #[must_use]
    pub fn without_session(self, not_found: Option<Error>) -> Self {
        Self { not_found, ..self }
    }

    fn worker(&self) -> Worker {
        let role = Role::Agent { keeper: Arc::clone(&self.keeper), shows_cursor: self.shows_cursor };
        Worker::new(self.display.clone(), "x11-agent", role).without_session(self.not_found.clone())
    }
}

#[async_trait]
impl AgentSeats for X11AgentSeats {
    fn seat(&self) -> Arc<dyn Seat> {
        Arc::new(X11AgentSeat { hands: Hands(self.worker()) })
    }

    async fn check(&self) -> Result<String> {
        self.worker().call(DEADLINE, |session, _| check(session)).await
    }
}

/// Moves the pointer of the agent out of the way and looks whether it is there, and what is the user's is where it was.
fn check(session: &mut XSession) -> Outcome<String> {
    let Some(masters) = session.masters.clone() else {
        return Err(Error::internal("an agent's connection without a seat").into());
    };
    let users = |session: &XSession| -> Outcome<_> {
        let root = session.root();
        let pointer = session.connection.xinput_xi_query_pointer(root, masters.users_pointer)?.reply()?;
        let focus = session.connection.xinput_xi_get_focus(masters.users_keyboard)?.reply()?.focus;
        Ok((pointer.root_x, pointer.root_y, focus, active(session)?))
    };
    let before = users(session)?;
    let aside = out_of_the_way(session)?;
    pointer::move_to(session, aside)?;
    let reached = state(session)?.pointer;
    if reached != Some(aside) {
        let why = format!("XTEST does not move the pointer of an agent: it is at {reached:?}");
        return Err(Error::new(ErrorCode::InputUnavailable, why).into());
    }
    if users(session)? != before {
        let why = "the user's pointer or focus moved with the pointer of an agent";
        return Err(Error::new(ErrorCode::InputUnavailable, why).into());
    }
    Ok("a pointer and a keyboard of an agent, beside the user's".to_owned())
}

/// The seat of one agent. Its devices are made at an action and removed when it rests or is dropped.
struct X11AgentSeat {
    hands: Hands,
}

/// An agent's input is for a window that is named: what is under its pointer otherwise is nobody's choice.
fn named(window: Option<WindowId>) -> Result<WindowId> {
    window.ok_or_else(|| Error::internal("an agent's seat acts on a window that is named"))
}

#[async_trait]
impl Seat for X11AgentSeat {
    fn capabilities(&self) -> SeatCapabilities {
        let activation = Support::no("an agent's seat makes no window the active one");
        let active_window = Support::no("the keys of an agent's seat go to the window under its pointer");
        SeatCapabilities { activation, active_window, ..SeatCapabilities::ALL }
    }

    fn consents(&self) -> Vec<Consent> {
        vec![super::consents::SYNTHETIC_INPUT]
    }

    async fn rest(&self, menus: OpenMenus) -> bool {
        self.hands.0.rest(menus).await
    }

    async fn state(&self) -> Result<SeatState> {
        self.hands.0.call(DEADLINE, |session, _| state(session)).await
    }

    async fn activate(&self, _: &Permit, _: WindowId) -> Result<()> {
        self.capabilities().activation.require("no window can be brought forward")
    }

    async fn dismiss(&self, permit: &Permit, popup: WindowId) -> Result<Dismissal> {
        self.key(permit, &Chord::plain("escape"), Some(popup)).await?;
        Ok(Dismissal::Pressed)
    }

    async fn hover(&self, _: &Permit, at: Point, window: Option<WindowId>) -> Result<()> {
        self.hands.hover(at, Some(named(window)?)).await
    }

    async fn click(
        &self,
        _: &Permit,
        at: Point,
        button: Button,
        count: u32,
        window: Option<WindowId>,
    ) -> Result<()> {
        self.hands.click(at, button, count, Some(named(window)?)).await
    }

    async fn click_for_popup(
        &self,
        _: &Permit,
        at: Point,
        button: Button,
        count: u32,
        window: Option<WindowId>,
    ) -> Result<()> {
        let window = named(window)?;
        self.hands
            .0
            .call(INPUT_DEADLINE, move |session, _| click_for_popup(session, at, (button, count), window))
            .await
    }

    async fn feign_focus(&self, _: &Permit, window: WindowId, has: bool) -> Result<()> {
        self.hands.0.call(INPUT_DEADLINE, move |session, _| feign_focus(session, Aim::at(window)?, has)).await
    }

    async fn drag(&self, _: &Permit, way: DragWay, window: Option<WindowId>) -> Result<()> {
        self.hands.drag(way, Some(named(window)?)).await
    }

    async fn wheel(&self, _: &Permit, at: Point, dx: i32, dy: i32, window: Option<WindowId>) -> Result<()> {
        self.hands.wheel(at, dx, dy, Some(named(window)?)).await
    }

    fn key_symbol(&self, chord: &Chord) -> Result<KeySymbol> {
        typing::symbol_of_chord(chord).map(KeySymbol)
    }

    async fn key(&self, _: &Permit, chord: &Chord, window: Option<WindowId>) -> Result<()> {
        self.hands.key(chord, Some(named(window)?)).await
    }

    async fn type_text(&self, _: &Permit, text: &str, window: Option<WindowId>) -> Result<()> {
        self.hands.type_text(text, Some(named(window)?)).await
    }
}

fn state(session: &XSession) -> Outcome<SeatState> {
    let pointer = session.connection.query_pointer(session.root())?.reply()?;
    let at = Point::new(pointer.root_x.into(), pointer.root_y.into());
    Ok(SeatState { active_window: ActiveWindow::Unknown, pointer: Some(at) })
}
