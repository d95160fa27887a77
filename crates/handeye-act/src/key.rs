//! Keys, pressed on a keyboard.

use super::actor::{Action, Actor};
use super::authorize::Whom;
use super::confirm::{Deed, Stroke};
use super::expected::{Expected, KeyEffect};
use super::focused::focused;
use super::journal::{ElementState, Revert};
use super::observation::Observation;
use super::route::{Route, SeatOf};
use super::seat::HeldSeat;
use super::settle::Baseline;
use crate::elevation::Prompt;
use crate::locate::Located;
use crate::own_seat::Opens;
use crate::own_seat::Turn;
use async_trait::async_trait;
use handeye_core::{Chord, Means, NodeId, Permit, Result, WindowId};

/// A key, pressed with its modifiers.
pub struct KeyStroke {
    /// The key.
    pub chord: Chord,
    /// What it may do.
    pub stroke: Stroke,
    /// Whether the application's window is activated first; else the key goes to whatever is active.
    pub activates: bool,
    /// Whose keyboard. An agent's presses in a window of the application.
    pub seat: SeatOf,
}

/// The keyboard, while the key is pressed.
#[derive(Debug)]
pub enum Keyboard {
    /// With the window that was activated.
    Window(Box<HeldSeat>),
    /// With whatever is active.
    Active {
        /// Keeps others from it.
        _held: Turn,
        /// The window that was judged, where rules depend on it.
        judged: Option<WindowId>,
    },
}

impl Keyboard {
    /// The title of the window that was activated.
    pub fn window_title(&self) -> Option<&str> {
        match self {
            Self::Window(seat) => Some(&seat.window.title),
            Self::Active { .. } => None,
        }
    }
}

/// The keys that are about to be pressed, and what has the focus where that matters for what they do.
pub(super) async fn deed(actor: &Actor<'_>, strokes: Vec<Stroke>, holder: Option<NodeId>) -> Result<Deed> {
    let depends = strokes.iter().any(|stroke| !stroke.is_harmless_anywhere());
    let holder = match holder {
        None if depends && actor.desk.judges() => focused(actor).await?.map(|target| target.node.id),
        known => known,
    };
    Ok(Deed::Keys { strokes, holder })
}

#[async_trait]
impl Action for KeyStroke {
    type Aim = Keyboard;

    fn target(&self) -> Option<&Located> {
        None
    }

    fn route(&self) -> Route {
        Route::Seat(self.seat)
    }

    fn needs(&self) -> &'static [Means] {
        if self.activates { &[Means::Keys, Means::Activation] } else { &[Means::Keys] }
    }

    async fn deed(&self, actor: &Actor<'_>) -> Result<Deed> {
        deed(actor, vec![self.stroke.clone()], None).await
    }

    async fn aim(&self, actor: &Actor<'_>, _permit: &Permit) -> Result<Keyboard> {
        Ok(if self.activates || self.seat == SeatOf::Agent {
            Keyboard::Window(Box::new(HeldSeat::take(actor, self.seat, None).await?))
        } else {
            if actor.app.on_agent_seat().deafens {
                actor.desk.rest_agent_seat().await?;
            }
            let held = actor.desk.lock_seat(SeatOf::User).await;
            let judged = actor.desk.judged_window().await?;
            let ruled = actor.desk.guard.trust().rules().restrict();
            if ruled || Prompt::of_window(judged.as_ref()).is_some() {
                let deed = Deed::Keys { strokes: vec![self.stroke.clone()], holder: None };
                actor.desk.allow(actor.call, Whom::Window(judged.as_ref()), &deed).await?;
            }
            Keyboard::Active { _held: held, judged: judged.filter(|_| ruled).map(|window| window.id) }
        })
    }

    /// A window that comes forward may give the focus to something else than what reported it before.
    async fn hit(&self, actor: &Actor<'_>, aim: &Keyboard) -> Result<Option<Deed>> {
        match aim {
            Keyboard::Window(_) => self.deed(actor).await.map(Some),
            Keyboard::Active { .. } => Ok(None),
        }
    }

    fn watched(&self, _aim: &Keyboard) -> (Option<NodeId>, Expected) {
        (None, Expected::Key(KeyEffect::of(&self.chord)))
    }

    async fn dispatch(
        &self,
        actor: &Actor<'_>,
        permit: &Permit,
        aim: &Keyboard,
        baseline: &Baseline<'_>,
    ) -> Result<Observation> {
        match aim {
            Keyboard::Window(seat) => {
                let pressing = async {
                    let pressed = seat.seat().key(permit, &self.chord, Some(seat.window.id)).await;
                    seat.kept(actor.desk, pressed).await
                };
                actor.by_seat((seat.of(), Opens::Nothing), permit, baseline, pressing).await
            }
            Keyboard::Active { judged, .. } => {
                let keyboard = &actor.desk.platform.seats.user;
                baseline.observe_input(actor.call, keyboard.key(permit, &self.chord, *judged)).await
            }
        }
    }

    fn revert(&self, _aim: &Self::Aim, _before: Option<&ElementState>) -> Revert {
        Revert::Impossible
    }
}
