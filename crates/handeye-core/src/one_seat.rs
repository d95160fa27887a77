//! A desktop that has the user's seat alone.

use crate::seat::{AgentSeats, Dismissal, Seat, SeatCapabilities};
use crate::{
    ActiveWindow, Button, Chord, Consent, DragWay, Error, ErrorCode, KeySymbol, Missing, Permit, Point,
    Result, SeatState, Support, WindowId,
};
use async_trait::async_trait;
use std::sync::Arc;

/// Seats of agents on a desktop that can have none: each refuses everything, for one reason.
#[derive(Debug, Clone)]
pub struct OneSeat {
    reason: &'static str,
}

impl OneSeat {
    /// `reason` completes the sentence "an agent has no pointer and keyboard of its own".
    pub const fn because(reason: &'static str) -> Self {
        Self { reason }
    }

    fn refuse<T>(&self) -> Result<T> {
        let missing = Missing { reason: self.reason.into(), next: None };
        Err(missing.refusal("an agent has no pointer and keyboard of its own"))
    }
}

#[async_trait]
impl AgentSeats for OneSeat {
    fn seat(&self) -> Arc<dyn Seat> {
        Arc::new(self.clone())
    }

    async fn check(&self) -> Result<String> {
        self.refuse()
    }
}

#[async_trait]
impl Seat for OneSeat {
    fn capabilities(&self) -> SeatCapabilities {
        let none = || Support::no(self.reason);
        SeatCapabilities {
            pointer: none(),
            drag: none(),
            wheel: none(),
            keys: none(),
            text: none(),
            activation: none(),
            active_window: none(),
        }
    }

    fn consents(&self) -> Vec<Consent> {
        Vec::new()
    }

    async fn state(&self) -> Result<SeatState> {
        Ok(SeatState { active_window: ActiveWindow::Unknown, pointer: None })
    }

    async fn activate(&self, _: &Permit, _: WindowId) -> Result<()> {
        self.refuse()
    }

    async fn dismiss(&self, _: &Permit, _: WindowId) -> Result<Dismissal> {
        self.refuse()
    }

    async fn hover(&self, _: &Permit, _: Point, _: Option<WindowId>) -> Result<()> {
        self.refuse()
    }

    async fn click(&self, _: &Permit, _: Point, _: Button, _: u32, _: Option<WindowId>) -> Result<()> {
        self.refuse()
    }

    async fn drag(&self, _: &Permit, _: DragWay, _: Option<WindowId>) -> Result<()> {
        self.refuse()
    }

    async fn wheel(&self, _: &Permit, _: Point, _: i32, _: i32, _: Option<WindowId>) -> Result<()> {
        self.refuse()
    }

    fn key_symbol(&self, _: &Chord) -> Result<KeySymbol> {
        Err(Error::new(ErrorCode::NotSupported, "a seat that is not there has no keys"))
    }

    async fn key(&self, _: &Permit, _: &Chord, _: Option<WindowId>) -> Result<()> {
        self.refuse()
    }

    async fn type_text(&self, _: &Permit, _: &str, _: Option<WindowId>) -> Result<()> {
        self.refuse()
    }
}
