//! A point of the screen that was named by its coordinates or in a picture, and what is there.

use super::actor::Actor;
use super::beneath::element_in;
use super::confirm::Deed;
use super::route::SeatOf;
use crate::desk::Desk;
use handeye_core::{
    ConnectedApp, DetailKinds, Means, NodeId, Point, Result, Scope, Screen, Window, WindowId,
};
use handeye_shots::on_screen::{check_on_screen, topmost_at};
use handeye_shots::{NamedPoint, Shots, Spot};

/// A point of the screen.
#[derive(Debug, Clone)]
pub struct PointTarget {
    /// The point.
    pub point: Point,
    /// The window there; `None` for the bare desktop.
    pub window: Option<Window>,
    /// The point of the picture, where one was named.
    pub spot: Option<Spot>,
}

impl PointTarget {
    /// The point as it is now.
    ///
    /// # Errors
    /// As [`Spot::find`]; [`ErrorCode::InvalidParameter`](handeye_core::ErrorCode::InvalidParameter) if it is on no monitor.
    pub async fn find(shots: &Shots, screen: &dyn Screen, named: NamedPoint<'_>) -> Result<Self> {
        let point = match named {
            NamedPoint::OnScreen(point) => point,
            NamedPoint::InPicture(picture, pixel) => {
                let spot = Spot::find(shots, screen, picture, pixel).await?;
                return Ok(Self { point: spot.point, window: spot.window.clone(), spot: Some(spot) });
            }
        };
        check_on_screen(screen, point).await?;
        let shown = screen.shown().await?;
        Ok(Self { point, window: topmost_at(screen, &shown, point).await?.cloned(), spot: None })
    }

    /// What the user's seat has to be able to do for a click there.
    pub(super) fn needs(&self) -> &'static [Means] {
        match self.spot.as_ref().and_then(Spot::own_window) {
            Some(_) => &[Means::Pointer, Means::Activation],
            None => &[Means::Pointer],
        }
    }

    /// Makes sure that the pointer of the seat reaches it. That seat has to be held. The user's brings its window forward.
    pub(super) async fn bring_up(&self, desk: &Desk, seat: SeatOf) -> Result<Self> {
        let Some(spot) = self.spot.clone() else { return Ok(self.clone()) };
        if let Some(window) = spot.own_window().filter(|_| seat == SeatOf::User) {
            desk.bring_forward(desk.platform.seats.user.as_ref(), window).await?;
        }
        let spot = spot.uncovered(desk.platform.screen.as_ref()).await?;
        Ok(Self { point: spot.point, window: spot.window.clone(), spot: Some(spot) })
    }

    pub(super) fn window_id(&self) -> Option<WindowId> {
        self.window.as_ref().map(|window| window.id)
    }

    /// A click there, where it is not known what it hits.
    pub(super) fn blind(&self) -> Deed {
        let place = self.words();
        Deed::Blind { deed: format!("click at {place}"), place }
    }

    /// Where it is, in a sentence.
    pub fn words(&self) -> String {
        self.spot.as_ref().map_or_else(|| format!("({}, {})", self.point.x, self.point.y), Spot::place)
    }

    /// The element there, as the window's application knows it.
    ///
    /// # Errors
    /// As [`ConnectedApp::element_at`] and [`ConnectedApp::refresh`].
    pub async fn element(&self, app: &dyn ConnectedApp) -> Result<Option<NodeId>> {
        let Some(window) = &self.window else { return Ok(None) };
        element_in(app, window, self.point).await
    }

    /// What a click there hits. What is there is looked up as a click in the background does.
    pub(super) async fn deed(&self, actor: &Actor<'_>) -> Result<Deed> {
        actor.app.refresh(Scope::SHOWING).await?;
        let Some(hit) = self.element(actor.app.as_ref()).await? else { return Ok(self.blind()) };
        actor.app.reread(&[hit], DetailKinds::empty()).await?;
        Ok(Deed::press(hit))
    }
}
