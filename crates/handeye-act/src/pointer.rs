//! Clicks with a pointer.

use super::actor::{Action, Actor};
use super::confirm::Deed;
use super::expected::Expected;
use super::journal::{ElementState, Revert};
use super::observation::Observation;
use super::point_target::PointTarget;
use super::route::{Route, SeatOf};
use super::seat::{HeldSeat, check_reachable};
use super::settle::Baseline;
use crate::locate::Located;
use crate::own_seat::Turn;
use crate::seats::SeatTarget;
use async_trait::async_trait;
use handeye_core::{Button, Means, NodeId, Permit, Point, Popups, Result, WindowId};

/// Which button is clicked, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clicks {
    /// The button.
    pub button: Button,
    /// How often.
    pub count: u32,
}

impl Clicks {
    /// What a click on this element does: two mean more than one, and any but the primary button opens a menu at most.
    pub(super) fn deed(self, hit: NodeId) -> Deed {
        match (self.button, self.count) {
            (Button::Left, ..=1) => Deed::press(hit),
            (Button::Left, _) => Deed::open(hit),
            (Button::Middle | Button::Right, _) => Deed::Context { on: hit },
        }
    }
}

/// A click on an element, with the pointer.
pub struct ElementClick<'a> {
    /// The element.
    pub target: &'a Located,
    /// Which button, and how often.
    pub clicks: Clicks,
    /// Whose pointer.
    pub seat: SeatOf,
    /// Whether it opens a menu or another popup, as far as that is known.
    pub opens: bool,
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
impl Action for ElementClick<'_> {
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

    async fn deed(&self, _actor: &Actor<'_>) -> Result<Deed> {
        Ok(self.clicks.deed(self.target.node.id))
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
        Ok(hit.filter(|hit| *hit != self.target.node.id).map(|hit| self.clicks.deed(hit)))
    }

    fn watched(&self, _aim: &ElementAim) -> (Option<NodeId>, Expected) {
        (Some(self.target.node.id), Expected::Press)
    }

    async fn dispatch(
        &self,
        actor: &Actor<'_>,
        permit: &Permit,
        aim: &ElementAim,
        baseline: &Baseline<'_>,
    ) -> Result<Observation> {
        let Clicks { button, count } = self.clicks;
        let (pointer, window) = (aim.seat.seat(), Some(aim.window));
        let clicking = async {
            let clicked = if takes_users(actor, self.seat, self.opens) {
                pointer.click_for_popup(permit, aim.point, button, window).await
            } else {
                pointer.click(permit, aim.point, button, count, window).await
            };
            aim.seat.kept(actor.desk, clicked).await
        };
        actor.by_seat((self.seat, self.opens), permit, baseline, clicking).await
    }

    fn revert(&self, _aim: &Self::Aim, _before: Option<&ElementState>) -> Revert {
        Revert::Impossible
    }
}

/// Whether a popup that this seat opens would take the user's keyboard.
fn takes_users(actor: &Actor<'_>, seat: SeatOf, opens: bool) -> bool {
    opens && seat == SeatOf::Agent && actor.app.on_agent_seat().popups != Popups::TakeOwn
}

/// A click on a point, with the pointer.
pub struct PointClick {
    /// The point, as it was found.
    pub place: PointTarget,
    /// Which button, and how often.
    pub clicks: Clicks,
    /// Whose pointer.
    pub seat: SeatOf,
}

impl PointClick {
    /// What a click at `place` hits.
    async fn deed_at(&self, actor: &Actor<'_>, place: &PointTarget) -> Result<Deed> {
        match place.deed(actor).await? {
            Deed::Press { does, .. } => Ok(self.clicks.deed(does)),
            deed => Ok(deed),
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
impl Action for PointClick {
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
            actor.desk.check_harm(SeatTarget::App(actor.app.as_ref())).await?;
            actor.desk.feign_focus(actor.app.as_ref(), window).await?;
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
        (None, Expected::Press)
    }

    async fn dispatch(
        &self,
        actor: &Actor<'_>,
        permit: &Permit,
        aim: &PlaceAim,
        baseline: &Baseline<'_>,
    ) -> Result<Observation> {
        let Clicks { button, count } = self.clicks;
        let pointer = actor.desk.seat_with(self.seat, &[])?;
        let (point, window) = (aim.place.point, aim.place.window_id());
        let opens = button == Button::Right;
        let clicking = async {
            if takes_users(actor, self.seat, opens) {
                pointer.click_for_popup(permit, point, button, window).await
            } else {
                pointer.click(permit, point, button, count, window).await
            }
        };
        actor.by_seat((self.seat, opens), permit, baseline, clicking).await
    }

    fn revert(&self, _aim: &Self::Aim, _before: Option<&ElementState>) -> Revert {
        Revert::Impossible
    }
}
