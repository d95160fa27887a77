//! Dragging with a pointer.

use super::actor::{Action, Actor};
use super::beneath::Beneath;
use super::confirm::Deed;
use super::expected::Expected;
use super::journal::{ElementState, Revert};
use super::observation::Observation;
use super::popups::user_elsewhere;
use super::route::{Route, SeatOf};
use super::seat::{HeldSeat, check_reachable};
use super::settle::Baseline;
use crate::locate::Located;
use crate::own_seat::Opens;
use crate::own_seat::Turn;
use async_trait::async_trait;
use handeye_core::{
    DragWay, Error, ErrorCode, Means, NodeId, Permit, Point, Result, Seat, Takes, Window, WindowId,
};
use handeye_shots::Spot;
use handeye_tree::describe::{describe, quote};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One end of a drag.
#[derive(Debug, Clone)]
pub enum End {
    /// An element.
    Element(Box<Located>),
    /// A point of the screen.
    Screen(Point),
    /// A point of a picture.
    Picture(Box<Spot>),
}

impl End {
    /// The element that was named.
    pub fn element(&self) -> Option<&Located> {
        match self {
            Self::Element(target) => Some(target),
            Self::Screen(_) | Self::Picture(_) => None,
        }
    }

    fn node(&self) -> Option<NodeId> {
        self.element().map(|target| target.node.id)
    }

    /// The element there, where the application knows one.
    async fn hit(&self, actor: &Actor<'_>) -> Result<Option<NodeId>> {
        match self {
            Self::Element(target) => Ok(Some(target.node.id)),
            Self::Screen(point) => Ok(actor.beneath_in_front(*point).await?.element()),
            Self::Picture(spot) => Ok(actor.beneath_in_front(spot.point).await?.element()),
        }
    }

    /// Where it is, in a question.
    fn words(&self) -> String {
        match self {
            Self::Element(target) => describe(&target.node),
            Self::Screen(point) => format!("({}, {})", point.x, point.y),
            Self::Picture(spot) => spot.place(),
        }
    }
}

/// A drag with the pointer.
pub struct PointerDrag {
    /// Where it is pressed.
    pub from: End,
    /// Where it is released.
    pub to: End,
    /// How long it takes.
    pub duration_ms: u64,
    /// Whose pointer.
    pub seat: SeatOf,
}

impl PointerDrag {
    /// Both ends, in a question.
    fn words(&self) -> String {
        format!("from {} to {}", self.from.words(), self.to.words())
    }

    fn node(&self) -> Option<NodeId> {
        self.from.node().or(self.to.node())
    }

    /// Whether a window is brought forward. Between two points of a picture of the screen none is: the picture showed what lies on top, and
    /// that is what is dragged.
    fn activates(&self) -> bool {
        match &self.from {
            End::Picture(spot) if self.node().is_none() => spot.own_window().is_some(),
            _ => true,
        }
    }

    /// Takes the pointer, and activates the window that is dragged in.
    async fn take_pointer(&self, actor: &Actor<'_>) -> Result<Held> {
        if !self.activates() {
            let held = actor.desk.lock_seat(self.seat).await;
            return Ok(Held::Pointer { seat: actor.desk.seat_with(self.seat, &[])?, _held: held });
        }
        let pictured = match &self.from {
            End::Picture(spot) if self.node().is_none() => spot.window.clone(),
            _ => None,
        };
        let seat = match pictured {
            Some(window) => HeldSeat::on(actor, self.seat, window).await?,
            None => HeldSeat::take(actor, self.seat, self.node()).await?,
        };
        Ok(Held::Window(Box::new(seat)))
    }
}

/// The refusal of a drag that would begin in a window of another application.
fn foreign(start: &Reached, window: &Window, actor: &Actor<'_>) -> Error {
    let application = &actor.app.application().name;
    let why = format!(
        "at {} lies window \"{}\", which is not of '{}'",
        start.words,
        quote(&window.title),
        quote(application)
    );
    Error::new(ErrorCode::Refused, why)
        .with_next("Move or close that window, or name its application, then call again.")
}

/// An end as it is while the pointer is held.
#[derive(Debug)]
pub struct Reached {
    point: Point,
    /// The window that is there, where that matters.
    window: Option<WindowId>,
    /// How the answer says where it is.
    pub words: String,
}

/// The pointer, while the drag holds it.
enum Held {
    /// With the window that is dragged in, which was activated.
    Window(Box<HeldSeat>),
    /// By itself.
    Pointer { seat: Arc<dyn Seat>, _held: Turn },
}

impl Held {
    fn seat(&self) -> &dyn Seat {
        match self {
            Self::Window(seat) => seat.seat(),
            Self::Pointer { seat, .. } => seat.as_ref(),
        }
    }
}

/// Both ends, and the pointer while it is held.
pub struct DragAim {
    held: Held,
    /// Where it is pressed.
    pub start: Reached,
    /// Where it is released.
    pub stop: Reached,
}

#[async_trait]
impl Action for PointerDrag {
    type Aim = DragAim;

    fn target(&self) -> Option<&Located> {
        self.from.element()
    }

    fn route(&self) -> Route {
        Route::Seat(self.seat)
    }

    fn needs(&self) -> &'static [Means] {
        if self.activates() { &[Means::Drag, Means::Activation] } else { &[Means::Drag] }
    }

    async fn deed(&self, actor: &Actor<'_>) -> Result<Deed> {
        let (from, to) = (self.from.hit(actor).await?, self.to.hit(actor).await?);
        Ok(Deed::Drag { from, to, place: self.words() })
    }

    async fn aim(&self, actor: &Actor<'_>, _permit: &Permit) -> Result<DragAim> {
        for target in [&self.from, &self.to].into_iter().filter_map(End::element) {
            check_reachable(actor, target).await?;
        }
        let held = self.take_pointer(actor).await?;
        let start = reach(actor, &held, &self.from).await?;
        let stop = reach(actor, &held, &self.to).await?;
        Ok(DragAim { held, start, stop })
    }

    /// The window that came forward may lie over what was there, and the middle of an element be another one.
    async fn hit(&self, actor: &Actor<'_>, aim: &DragAim) -> Result<Option<Deed>> {
        let from = actor.beneath(aim.start.point).await?;
        if let (End::Screen(_), Beneath::Foreign(window)) = (&self.from, &from) {
            let refusal = foreign(&aim.start, window, actor);
            return match &aim.held {
                Held::Window(seat) => seat.kept(actor.desk, Err(refusal)).await,
                Held::Pointer { .. } => Err(refusal),
            };
        }
        let to = actor.beneath(aim.stop.point).await?;
        Ok(Some(Deed::Drag { from: from.element(), to: to.element(), place: self.words() }))
    }

    fn watched(&self, _aim: &DragAim) -> (Option<NodeId>, Expected) {
        (self.from.node(), Expected::Drag)
    }

    async fn dispatch(
        &self,
        actor: &Actor<'_>,
        permit: &Permit,
        aim: &DragAim,
        baseline: &Baseline<'_>,
    ) -> Result<Observation> {
        let (start, stop) = (&aim.start, &aim.stop);
        let dragging = async {
            let way = DragWay {
                from: start.point,
                to: stop.point,
                duration: Duration::from_millis(self.duration_ms),
                takes: actor.app.on_agent_seat().drags,
            };
            let began = Instant::now();
            let dragged = aim.held.seat().drag(permit, way, start.window).await;
            if way.takes == Takes::Users && self.seat == SeatOf::Agent && dragged.is_ok() {
                report_held_pointer(actor, began.elapsed()).await;
            }
            match &aim.held {
                Held::Window(seat) => seat.kept(actor.desk, dragged).await,
                Held::Pointer { .. } => dragged,
            }
        };
        actor.by_seat((self.seat, Opens::Nothing), permit, baseline, dragging).await
    }

    fn revert(&self, _aim: &Self::Aim, _before: Option<&ElementState>) -> Revert {
        Revert::Impossible
    }
}

/// Reports that the application held the pointer of a user who is in another window.
async fn report_held_pointer(actor: &Actor<'_>, at_most: Duration) {
    let application = actor.app.application();
    if user_elsewhere(actor.desk, application).await.is_some() {
        let (name, lasted) = (quote(&application.name), at_most.as_millis());
        let sentence = format!("'{name}' held the user's pointer too for this drag, for up to {lasted} ms.");
        actor.call.trail.disturbed(sentence);
    }
}

/// Where an end is, once it is sure that the pointer reaches it there.
async fn reach(actor: &Actor<'_>, held: &Held, end: &End) -> Result<Reached> {
    let (point, window) = match (end, held) {
        (End::Picture(spot), _) => {
            let spot = spot.as_ref().clone().uncovered(actor.desk.platform.screen.as_ref()).await?;
            let window = spot.window.as_ref().map(|window| window.id);
            return Ok(Reached { point: spot.point, window, words: spot.place() });
        }
        (End::Screen(point), _) => {
            let beneath = actor.beneath(*point).await?;
            (*point, beneath.window().map(|window| window.id))
        }
        (End::Element(target), Held::Window(seat)) => {
            let aimed = seat.point_of(actor, target).await?;
            (aimed.point, Some(aimed.window))
        }
        (End::Element(_), Held::Pointer { .. }) => {
            return Err(Error::internal("an element is dragged in a window"));
        }
    };
    Ok(Reached { point, window, words: format!("({}, {})", point.x, point.y) })
}
