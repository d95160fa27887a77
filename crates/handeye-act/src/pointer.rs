//! Clicks with a pointer.

use super::actor::{Action, Actor};
use super::confirm::Deed;
use super::expected::Expected;
use super::journal::{ElementState, Revert};
use super::observation::Observation;
use super::option_list::set_by;
use super::point_target::PointTarget;
use super::route::{Route, SeatOf};
use super::seat::{HeldSeat, check_reachable};
use super::settle::Baseline;
use crate::locate::Located;
use crate::own_seat::{Opens, Turn};
use async_trait::async_trait;
use handeye_core::{Button, Means, NodeId, Permit, Point, Result, Seat, Takes, WindowId};

/// Which button is clicked, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clicks {
    /// The button.
    pub button: Button,
    /// How often.
    pub count: u32,
}

impl Clicks {
    /// What a click on this element does: more than one mean something else than one, and any but the primary button opens a menu at most.
    pub(super) fn deed(self, hit: NodeId) -> Deed {
        match (self.button, self.count) {
            (Button::Left, ..=1) => Deed::press(hit),
            (Button::Left, _) => Deed::open(hit),
            (Button::Middle | Button::Right, _) => Deed::Context { on: hit },
        }
    }
}

/// What the pointer does at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gesture {
    /// It clicks.
    Click(Clicks),
    /// It is there, and presses nothing.
    Hover,
}

impl Gesture {
    /// What it does to this element. A click chooses an option of a combo box, as setting that does.
    fn deed(self, actor: &Actor<'_>, hit: NodeId) -> Deed {
        match self {
            Self::Click(Clicks { button: Button::Left, .. })
                if set_by(&actor.app.mirror().snapshot(), hit).is_some() =>
            {
                Deed::open(hit)
            }
            Self::Click(clicks) => clicks.deed(hit),
            Self::Hover => Deed::Hover { over: Some(hit) },
        }
    }

    const fn expected(self) -> Expected {
        match self {
            Self::Click(_) => Expected::Press,
            Self::Hover => Expected::Hover,
        }
    }

    /// Does it at a point of a window. A click that opens a menu may take the user's keyboard (`takes_users`).
    pub(super) async fn perform(
        self,
        (pointer, permit): (&dyn Seat, &Permit),
        (point, window): (Point, Option<WindowId>),
        takes_users: bool,
    ) -> Result<()> {
        match self {
            Self::Hover => pointer.hover(permit, point, window).await,
            Self::Click(Clicks { button, count }) if takes_users => {
                pointer.click_for_popup(permit, point, button, count, window).await
            }
            Self::Click(Clicks { button, count }) => {
                pointer.click(permit, point, button, count, window).await
            }
        }
    }
}

/// Something that the pointer does at an element.
pub struct ElementGesture<'a> {
    /// The element.
    pub target: &'a Located,
    /// What the pointer does.
    pub gesture: Gesture,
    /// Whose pointer.
    pub seat: SeatOf,
    /// What it opens, as far as that is known.
    pub opens: Opens,
}

/// Where the pointer clicks, and the seat while it does.
#[derive(Debug)]
pub struct ElementAim {
    seat: HeldSeat,
    /// The point on the screen.
    pub point: Point,
    window: WindowId,
}

#[async_trait]
impl Action for ElementGesture<'_> {
    type Aim = ElementAim;

    fn target(&self) -> Option<&Located> {
        Some(self.target)
    }

    fn route(&self) -> Route {
        Route::Seat(self.seat)
    }

    fn needs(&self) -> &'static [Means] {
        &[Means::Pointer, Means::Activation]
    }

    async fn deed(&self, actor: &Actor<'_>) -> Result<Deed> {
        Ok(self.gesture.deed(actor, self.target.node.id))
    }

    async fn aim(&self, actor: &Actor<'_>, _permit: &Permit) -> Result<ElementAim> {
        check_reachable(actor, self.target).await?;
        let seat = HeldSeat::take(actor, self.seat, Some(self.target.node.id)).await?;
        let aimed = seat.point_of(actor, self.target).await?;
        Ok(ElementAim { seat, point: aimed.point, window: aimed.window })
    }

    /// The middle of a container may be a button of its own.
    async fn hit(&self, actor: &Actor<'_>, aim: &ElementAim) -> Result<Option<Deed>> {
        let hit = actor.beneath(aim.point).await?.element();
        Ok(hit.filter(|hit| *hit != self.target.node.id).map(|hit| self.gesture.deed(actor, hit)))
    }

    fn watched(&self, _aim: &ElementAim) -> (Option<NodeId>, Expected) {
        (Some(self.target.node.id), self.gesture.expected())
    }

    async fn dispatch(
        &self,
        actor: &Actor<'_>,
        permit: &Permit,
        aim: &ElementAim,
        baseline: &Baseline<'_>,
    ) -> Result<Observation> {
        let performing = async {
            let pointer = aim.seat.seat();
            let takes_users = takes_users(actor, self.seat, self.opens);
            let performed =
                self.gesture.perform((pointer, permit), (aim.point, Some(aim.window)), takes_users).await;
            aim.seat.kept(actor.desk, performed).await
        };
        actor.by_seat((self.seat, self.opens), permit, baseline, performing).await
    }

    fn revert(&self, _aim: &Self::Aim, _before: Option<&ElementState>) -> Revert {
        Revert::Impossible
    }
}

/// Whether a popup that this seat opens would take the user's keyboard.
fn takes_users(actor: &Actor<'_>, seat: SeatOf, opens: Opens) -> bool {
    opens == Opens::Menu && seat == SeatOf::Agent && actor.app.on_agent_seat().popups != Takes::Own
}

/// Something that the pointer does at a point.
pub struct PointGesture {
    /// The point, as it was found.
    pub place: PointTarget,
    /// What the pointer does.
    pub gesture: Gesture,
    /// Whose pointer.
    pub seat: SeatOf,
}

impl PointGesture {
    /// What it does at `place`.
    async fn deed_at(&self, actor: &Actor<'_>, place: &PointTarget) -> Result<Deed> {
        match (self.gesture, place.deed(actor).await?) {
            (Gesture::Hover, deed) => Ok(Deed::Hover { over: deed.hit() }),
            (gesture, Deed::Press { does, .. }) => Ok(gesture.deed(actor, does)),
            (_, deed) => Ok(deed),
        }
    }

    /// What it opens, as far as that is known.
    const fn opens(&self) -> Opens {
        match self.gesture {
            Gesture::Hover => Opens::UnderPointer,
            Gesture::Click(Clicks { button: Button::Right, .. }) => Opens::Menu,
            Gesture::Click(_) => Opens::Nothing,
        }
    }
}

/// The point as it is while the pointer is held.
#[derive(Debug)]
pub struct PlaceAim {
    _pointer: Turn,
    /// The point, and what is there.
    pub place: PointTarget,
}

#[async_trait]
impl Action for PointGesture {
    type Aim = PlaceAim;

    fn target(&self) -> Option<&Located> {
        None
    }

    fn route(&self) -> Route {
        Route::Seat(self.seat)
    }

    fn needs(&self) -> &'static [Means] {
        self.place.needs()
    }

    async fn deed(&self, actor: &Actor<'_>) -> Result<Deed> {
        self.deed_at(actor, &self.place).await
    }

    async fn aim(&self, actor: &Actor<'_>, _permit: &Permit) -> Result<PlaceAim> {
        let pointer = actor.desk.lock_seat(self.seat).await;
        let place = self.place.bring_up(actor.desk, self.seat).await?;
        if self.seat == SeatOf::Agent
            && let Some(window) = place.window_id()
        {
            actor.desk.ready_window(actor.app.as_ref(), window).await?;
        }
        Ok(PlaceAim { _pointer: pointer, place })
    }

    /// A window that came forward may show something else there.
    async fn hit(&self, actor: &Actor<'_>, aim: &PlaceAim) -> Result<Option<Deed>> {
        if self.place.spot.is_none() {
            return Ok(None);
        }
        self.deed_at(actor, &aim.place).await.map(Some)
    }

    fn watched(&self, _aim: &PlaceAim) -> (Option<NodeId>, Expected) {
        (None, self.gesture.expected())
    }

    async fn dispatch(
        &self,
        actor: &Actor<'_>,
        permit: &Permit,
        aim: &PlaceAim,
        baseline: &Baseline<'_>,
    ) -> Result<Observation> {
        let pointer = actor.desk.seat_with(self.seat, &[])?;
        let takes_users = takes_users(actor, self.seat, self.opens());
        let place = (aim.place.point, aim.place.window_id());
        let performing = self.gesture.perform((pointer.as_ref(), permit), place, takes_users);
        actor.by_seat((self.seat, self.opens()), permit, baseline, performing).await
    }

    fn revert(&self, _aim: &Self::Aim, _before: Option<&ElementState>) -> Revert {
        Revert::Impossible
    }
}
