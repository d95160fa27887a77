//! Scrolling with a wheel.

use super::actor::{Action, Actor};
use super::confirm::Deed;
use super::expected::Expected;
use super::journal::{ElementState, Places, Revert};
use super::observation::Observation;
use super::route::{Route, SeatOf};
use super::seat::{Aimed, HeldSeat, check_placed, check_reachable};
use super::settle::Baseline;
use crate::effect::Effect;
use crate::locate::Located;
use crate::own_seat::Opens;
use async_trait::async_trait;
use handeye_core::{
    Abilities, DetailKinds, ErrorCode, Extents, Means, NodeId, Permit, Point, Result, Role, Tree, WindowId,
};

/// How many elements show whether the content moved.
const SAMPLE: usize = 5;

/// A turn of the wheel, along one axis.
pub struct Wheel<'a> {
    /// The element that scrolls; `None` for the middle of the window.
    pub target: Option<&'a Located>,
    /// Notches to the right.
    pub dx: i32,
    /// Notches down.
    pub dy: i32,
    /// Whose wheel.
    pub seat: SeatOf,
}

/// Where the wheel is turned, and where the content was before.
#[derive(Debug)]
pub struct WheelAim {
    seat: HeldSeat,
    /// The point on the screen.
    pub point: Point,
    window: WindowId,
    content: Vec<NodeId>,
    before: Places,
    after: Places,
}

impl Wheel<'_> {
    fn node(&self) -> Option<NodeId> {
        self.target.map(|target| target.node.id)
    }
}

#[async_trait]
impl Action for Wheel<'_> {
    type Aim = WheelAim;

    fn target(&self) -> Option<&Located> {
        self.target
    }

    fn route(&self) -> Route {
        Route::Seat(self.seat)
    }

    fn needs(&self) -> &'static [Means] {
        &[Means::Wheel, Means::Activation]
    }

    /// Without an element it is known only when the place is.
    async fn deed(&self, _actor: &Actor<'_>) -> Result<Deed> {
        Ok(self.node().map_or(Deed::Harmless, |over| Deed::Turn { over: Some(over) }))
    }

    async fn aim(&self, actor: &Actor<'_>, _permit: &Permit) -> Result<WheelAim> {
        match self.target {
            Some(target) => check_reachable(actor, target).await?,
            None => check_placed(actor).await?,
        }
        let seat = HeldSeat::take(actor, self.seat, self.node()).await?;
        let Aimed { point, window } = match self.target {
            Some(target) => seat.wheel_point_of(actor, target).await?,
            None => seat.middle(actor).await?,
        };
        Ok(WheelAim { seat, point, window, content: Vec::new(), before: Places::new(), after: Places::new() })
    }

    /// The middle of a container may be a combo box, which changes its choice.
    async fn hit(&self, actor: &Actor<'_>, aim: &WheelAim) -> Result<Option<Deed>> {
        if !actor.desk.judges() {
            return Ok(None);
        }
        let hit = actor.beneath(aim.point).await?.element();
        let is_new = hit.is_some() && hit != self.node();
        Ok((is_new || self.target.is_none()).then_some(Deed::Turn { over: hit }))
    }

    fn watched(&self, _aim: &WheelAim) -> (Option<NodeId>, Expected) {
        (self.node(), Expected::Wheel)
    }

    async fn look(&self, actor: &Actor<'_>, aim: &mut WheelAim) -> Result<()> {
        if let Some(target) = self.node() {
            aim.content = sample(&actor.app.mirror().snapshot(), target);
        }
        aim.before = places(actor, &aim.content).await?;
        Ok(())
    }

    async fn dispatch(
        &self,
        actor: &Actor<'_>,
        permit: &Permit,
        aim: &WheelAim,
        baseline: &Baseline<'_>,
    ) -> Result<Observation> {
        let turning = aim.seat.seat().wheel(permit, aim.point, self.dx, self.dy, Some(aim.window));
        let turning = async { aim.seat.kept(actor.desk, turning.await).await };
        actor.by_seat((self.seat, Opens::Nothing), permit, baseline, turning).await
    }

    async fn judge(
        &self,
        actor: &Actor<'_>,
        aim: &mut WheelAim,
        observation: &Observation,
    ) -> Result<Effect> {
        let effect = Effect::of(observation);
        if observation.ended || observation.unresponsive {
            return Ok(effect);
        }
        if let Some(target) = self.node() {
            // What was in view before may not be any more.
            aim.after = places(actor, &sample(&observation.after, target)).await?;
        }
        if effect.is_confirmed() {
            return Ok(effect);
        }
        // A list may report nothing but where its items are (GTK 4).
        let after = places(actor, &aim.content).await?;
        Ok(match moved(&aim.before, &after, (self.dx, self.dy)) {
            Some(pixels) => Effect::confirmed(format!("what is in it moved by {pixels} pixels")),
            None => effect,
        })
    }

    fn revert(&self, aim: &Self::Aim, _before: Option<&ElementState>) -> Revert {
        Revert::Wheel { dx: -self.dx, dy: -self.dy, left: aim.after.clone() }
    }
}

/// Whether what was scrolled is as the wheel left it; `None` if nothing shows it any more.
///
/// # Errors
/// As reading elements.
pub async fn is_scrolled_as(actor: &Actor<'_>, left: &Places) -> Result<Option<bool>> {
    let ids: Vec<NodeId> = left.keys().copied().collect();
    let now = places(actor, &ids).await?;
    if now.is_empty() {
        return Ok(None);
    }
    Ok(Some(now.iter().all(|(id, place)| left.get(id) == Some(place))))
}

/// Elements inside of `target` whose places show how far it is scrolled.
fn sample(tree: &Tree, target: NodeId) -> Vec<NodeId> {
    let inside = tree.descendants(target).skip(1);
    let shown = inside.filter(|node| {
        node.is_showing() && node.abilities.contains(Abilities::COMPONENT) && node.role != Role::ScrollBar
    });
    shown.map(|node| node.id).take(SAMPLE).collect()
}

/// Where these are now; without those that are gone or have no place.
async fn places(actor: &Actor<'_>, ids: &[NodeId]) -> Result<Places> {
    let present: Vec<NodeId> = {
        let tree = actor.app.mirror().snapshot();
        ids.iter().copied().filter(|id| tree.contains(*id)).collect()
    };
    if present.is_empty() {
        return Ok(Places::new());
    }
    let tree = match actor.app.reread(&present, DetailKinds::EXTENTS).await {
        Err(error) if error.code == ErrorCode::StaleReference => return Ok(Places::new()),
        other => other?,
    };
    let place = |id: &NodeId| Some((*id, *tree.get(*id)?.details.extents.known()?));
    Ok(present.iter().filter_map(place).filter(|(_, area)| !area.is_empty()).collect())
}

/// By how many pixels the content has moved, if all of it moved by the same and the way that was asked for.
fn moved(before: &Places, after: &Places, (dx, dy): (i32, i32)) -> Option<u32> {
    let shift = |id: &NodeId, now: &Extents| {
        let then = before.get(id)?;
        let ((to_x, to_y), (from_x, from_y)) = (now.corner(), then.corner());
        let (x, y) = (to_x - from_x, to_y - from_y);
        Some(if dy == 0 { (x, y) } else { (y, x) })
    };
    let mut shifts = after.iter().filter_map(|(id, now)| shift(id, now));
    let first = shifts.next()?;
    // To scroll forward moves the content back.
    let is_meant = first.1 == 0 && if dx + dy > 0 { first.0 < 0 } else { first.0 > 0 };
    (is_meant && shifts.all(|shift| shift == first)).then(|| first.0.unsigned_abs())
}
