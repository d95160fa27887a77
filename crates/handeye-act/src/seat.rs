//! A pointer and a keyboard, taken by one action at a time: those of the user (`mode: focus`), or those of the caller.

use super::actor::{Actor, named};
use super::beneath::elements_of_popup;
use crate::desk::Desk;
use crate::locate::Located;
use crate::naming::belongs;
use crate::option_list::combo_box_of;
use crate::own_seat::Turn;
use crate::route::SeatOf;
use crate::sight::{clipping, closed_list, menu_of, nowhere, scrolled_out, visible_part};
use handeye_core::{
    Argument, DetailKinds, Error, ErrorCode, Invocation, NodeId, Point, Rect, Result, Role, Seat, Tree,
    Window, WindowId, text,
};
use handeye_shots::on_screen::topmost_at;
use handeye_tree::describe::{describe, quote};
use std::fmt;
use std::sync::Arc;

/// A seat, while an action holds it.
pub struct HeldSeat {
    /// The window that is acted in; with the user's seat it was activated.
    pub(super) window: Window,
    of: SeatOf,
    seat: Arc<dyn Seat>,
    /// The one that was active before it was.
    previous: Option<WindowId>,
    _held: Turn,
}

/// A point at which the pointer reaches an element, and the window that is there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aimed {
    /// The point on the screen.
    pub(super) point: Point,
    /// The window.
    pub(super) window: WindowId,
}

impl fmt::Debug for HeldSeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeldSeat").field("window", &self.window).field("of", &self.of).finish_non_exhaustive()
    }
}

impl HeldSeat {
    /// Takes pointer and keyboard for the window that shows `node`, or for the application's topmost one. The user's seat activates it.
    pub(super) async fn take(actor: &Actor<'_>, of: SeatOf, node: Option<NodeId>) -> Result<Self> {
        let held = actor.desk.lock_seat(of).await;
        let window = actor.desk.window_for(actor.app.as_ref(), node).await?;
        let seat = Self::for_window(actor, of, held, window).await?;
        // Its place may have changed with the activation.
        let window = actor.desk.window_for(actor.app.as_ref(), node).await?;
        Ok(Self { window, ..seat })
    }

    /// Takes pointer and keyboard for this window. The user's seat activates it.
    pub(super) async fn on(actor: &Actor<'_>, of: SeatOf, window: Window) -> Result<Self> {
        let held = actor.desk.lock_seat(of).await;
        Self::for_window(actor, of, held, window).await
    }

    async fn for_window(actor: &Actor<'_>, of: SeatOf, held: Turn, window: Window) -> Result<Self> {
        let seat = actor.desk.seat_with(of, &[])?;
        let previous = match of {
            SeatOf::User => {
                if actor.app.on_agent_seat().deafens {
                    actor.desk.rest_agent_seat().await?;
                }
                let active = seat.state().await?.active_window.window();
                actor.desk.bring_forward(seat.as_ref(), window.id).await?;
                active.filter(|active| *active != window.id)
            }
            SeatOf::Agent if window.minimized => return Err(minimized(&window)),
            SeatOf::Agent => {
                actor.desk.ready_window(actor.app.as_ref(), window.id).await?;
                None
            }
        };
        Ok(Self { window, of, seat, previous, _held: held })
    }

    /// Its pointer and keyboard.
    pub(super) fn seat(&self) -> &dyn Seat {
        self.seat.as_ref()
    }

    /// Whose it is.
    pub(super) const fn of(&self) -> SeatOf {
        self.of
    }

    /// Makes the window active again that was active before. An action that was refused leaves the focus where it was.
    async fn give_back(&self, desk: &Desk) {
        let Some(previous) = self.previous else { return };
        if let Err(error) = desk.bring_forward(desk.platform.seats.user.as_ref(), previous).await {
            tracing::warn!(code = error.code.as_str(), "the window that was active before is not any more");
        }
    }

    /// Passes a result on; after a refusal, the focus is given back.
    pub(super) async fn kept<T>(&self, desk: &Desk, result: Result<T>) -> Result<T> {
        if matches!(&result, Err(error) if error.code == ErrorCode::Refused) {
            self.give_back(desk).await;
        }
        result
    }

    /// Brings an element into view and returns the point in its middle, once it is sure that a click there reaches it.
    pub(super) async fn point_of(&self, actor: &Actor<'_>, target: &Located) -> Result<Aimed> {
        self.kept(actor.desk, self.find_point(actor, target).await).await
    }

    /// As [`point_of`](Self::point_of), for a turn of the wheel: it has to lie inside of the element, and not only inside of what is around
    /// it or near it.
    pub(super) async fn wheel_point_of(&self, actor: &Actor<'_>, target: &Located) -> Result<Aimed> {
        self.kept(actor.desk, self.find_wheel_point(actor, target).await).await
    }

    /// The middle of the window.
    pub(super) async fn middle(&self, actor: &Actor<'_>) -> Result<Aimed> {
        let middle = match self.window.content() {
            Some(content) => {
                self.free_point(actor, content).await.map(|point| Aimed { point, window: self.window.id })
            }
            None => Err(nowhere(actor, &self.window).await),
        };
        self.kept(actor.desk, middle).await
    }

    async fn find_point(&self, actor: &Actor<'_>, target: &Located) -> Result<Aimed> {
        let app = actor.app.as_ref();
        let id = target.node.id;
        let part = visible_part(actor, target, &self.window).await?;
        let point = self.free_point(actor, part).await?;
        let window = match self.reached(actor, point, target).await? {
            Reached::Popup(popup) => return Ok(Aimed { point, window: popup }),
            Reached::Window(window) => window,
        };
        let hit = app.element_at(point, Some(window)).await?;
        let tree = app.mirror().snapshot();
        if hit.is_some_and(|hit| hit == id || tree.ancestors(hit).any(|above| above.id == id)) {
            return Ok(Aimed { point, window });
        }
        // What is around the element, or nothing, may be there because the element is not.
        if let Some(combo_box) = combo_box_of(&tree, id) {
            return Err(closed_list(actor, &tree, combo_box, target));
        }
        if let Some(container) = clipping(actor, target, point, &self.window).await? {
            return Err(scrolled_out(&container, target));
        }
        match hit {
            Some(hit) if !is_related(&tree, hit, id) => Err(covered(&tree, hit, target, point)),
            _ => Ok(Aimed { point, window }),
        }
    }

    async fn find_wheel_point(&self, actor: &Actor<'_>, target: &Located) -> Result<Aimed> {
        let app = actor.app.as_ref();
        let id = target.node.id;
        let part = visible_part(actor, target, &self.window).await?;
        // What scrolls shows only a part of what is in it. A combo box does not: its list is a popup.
        let tree = app.mirror().snapshot();
        let combo_box = combo_box_of(&tree, id).map(|combo_box| combo_box.id);
        let around: Vec<NodeId> = tree
            .ancestors(id)
            .take_while(|node| !node.role.is_window() && Some(node.id) != combo_box)
            .map(|node| node.id)
            .collect();
        let tree = app.reread(&around, DetailKinds::EXTENTS).await?;
        let mut clips = around
            .iter()
            .filter_map(|id| tree.get(*id)?.details.extents.known()?.on_screen(self.window.place))
            .filter(|extents| !extents.is_empty());
        let clipped = clips.try_fold(part, |part, clip| part.intersection(&clip));
        let point = self.free_point(actor, clipped.unwrap_or(part)).await?;
        let window = match self.reached(actor, point, target).await? {
            Reached::Popup(popup) => return Ok(Aimed { point, window: popup }),
            Reached::Window(window) => window,
        };
        let hit = app.element_at(point, Some(window)).await?;
        let tree = app.mirror().snapshot();
        let reaches = match hit {
            Some(hit) => {
                let inside = hit == id || tree.ancestors(hit).any(|node| node.id == id);
                // A toolkit may answer with what is around; then the places decide.
                inside || (clipped.is_some() && tree.ancestors(id).any(|node| node.id == hit))
            }
            None => clipped.is_some(),
        };
        if reaches {
            return Ok(Aimed { point, window });
        }
        let other = hit.and_then(|hit| tree.get(hit).map(|node| describe(node)));
        let other = other.unwrap_or_else(|| "another element".to_owned());
        let why =
            format!("at ({}, {}) the wheel would scroll {other}, not {}", point.x, point.y, named(target));
        Err(Error::new(ErrorCode::Refused, why).with_next(text![
            "Name the element that scrolls and is on view: ",
            Invocation::of("ax_get_tree"),
            " shows what is where."
        ]))
    }

    /// The middle of a part of the window. With an agent's seat, which brings nothing forward, it is the point nearest to it that no other
    /// application's window covers, if there is one.
    async fn free_point(&self, actor: &Actor<'_>, part: Rect) -> Result<Point> {
        let middle = part.center();
        if self.of == SeatOf::User {
            return Ok(middle);
        }
        let screen = actor.desk.platform.screen.as_ref();
        let shown = screen.shown().await?;
        for point in spread(part) {
            let top = topmost_at(screen, &shown, point).await?;
            if top.is_some_and(|top| belongs(top, actor.app.application())) {
                return Ok(point);
            }
        }
        Ok(middle)
    }

    /// What is there for the pointer at a point of the target: nothing of another application, and no open menu of its own that covers it.
    async fn reached(&self, actor: &Actor<'_>, point: Point, target: &Located) -> Result<Reached> {
        let screen = actor.desk.platform.screen.as_ref();
        let shown = screen.shown().await?;
        let Some(top) = topmost_at(screen, &shown, point).await? else {
            return Ok(Reached::Window(self.window.id));
        };
        if top.id == self.window.id {
            return Ok(Reached::Window(top.id));
        }
        if !belongs(top, actor.app.application()) {
            return Err(Error::new(
                ErrorCode::Refused,
                format!("{} is covered by window \"{}\"", named(target), quote(&top.title)),
            )
            .with_next("Move or close that window, then call again."));
        }
        let is_managed = screen.windows().await?.iter().any(|window| window.id == top.id);
        if is_managed {
            Ok(Reached::Window(top.id))
        } else {
            self.reached_in(actor, top, point, target).await
        }
    }

    /// As [`reached`](Self::reached), where a popup of the application lies over the window. The hit test of a toolkit knows nothing of it, so
    /// the places of its elements decide.
    async fn reached_in(
        &self,
        actor: &Actor<'_>,
        popup: &Window,
        point: Point,
        target: &Located,
    ) -> Result<Reached> {
        let app = actor.app.as_ref();
        let within = elements_of_popup(app, popup).await?;
        let tree = app.mirror().snapshot();
        let menu = menu_of(&tree, target.node.id).map(|menu| menu.id);
        let is_targets = |id: NodeId| {
            // What is around the menu bar is around the items too, and is no part of the popup.
            id == target.node.id
                // An item at the edge of a menu that scrolls is not wholly inside of the popup, those beside it are.
                || (menu.is_some() && menu_of(&tree, id).map(|menu| menu.id) == menu)
        };
        if within.iter().any(|(_, id)| is_targets(*id)) {
            return Ok(Reached::Popup(popup.id));
        }
        // A tooltip goes when the pointer comes; and where nothing is known of a popup, the window below it is asked.
        let is_passing = |id: NodeId| {
            let window = tree.window_of(id);
            tree.get(id).into_iter().chain(window).any(|node| node.role == Role::ToolTip)
        };
        let there = within.iter().filter(|(extents, _)| extents.contains(point)).map(|(_, id)| *id);
        match there.chain(within.iter().map(|(_, id)| *id)).find(|id| !is_passing(*id)) {
            Some(other) => {
                let other = menu_of(&tree, other).map_or(other, |menu| menu.id);
                Err(covered(&tree, other, target, point))
            }
            None => Ok(Reached::Window(self.window.id)),
        }
    }
}

/// Points of an area, the middle first, then outwards.
fn spread(area: Rect) -> Vec<Point> {
    const PARTS: u32 = 5;
    let at = |part: u32, start: i32, length: u32| start + (length * (2 * part + 1) / (2 * PARTS)) as i32;
    let middle = area.center();
    let mut points: Vec<Point> = (0..PARTS)
        .flat_map(|row| {
            (0..PARTS).map(move |column| (at(column, area.x, area.width), at(row, area.y, area.height)))
        })
        .map(|(x, y)| Point::new(x, y))
        .collect();
    points.sort_by_key(|point| i64::from(point.x - middle.x).pow(2) + i64::from(point.y - middle.y).pow(2));
    points.insert(0, middle);
    points
}

/// The refusal of input in the background into a window that is not drawn.
fn minimized(window: &Window) -> Error {
    let why = format!(
        "window \"{}\" is minimized, so no pointer reaches it in the background",
        quote(&window.title)
    );
    Error::new(ErrorCode::Refused, why).with_next(text![
        "The same call with ",
        Argument::new("mode", "focus"),
        " brings it up."
    ])
}

/// What a click at a point of an element goes to.
enum Reached {
    /// A popup that shows the element.
    Popup(WindowId),
    /// A window. Something else in it may cover the element.
    Window(WindowId),
}

/// The refusal of a click that would reach something else of the application.
fn covered(tree: &Tree, other: NodeId, target: &Located, point: Point) -> Error {
    let other = tree.get(other).map_or_else(|| "another element".to_owned(), |node| describe(node));
    let why = format!("{} is covered by {other} at ({}, {})", named(target), point.x, point.y);
    Error::new(ErrorCode::Refused, why).with_next("Close or move what covers it, then call again.")
}

/// Makes sure, before a window is activated, that a click can reach an element of it, as far as that can be known by then.
pub(super) async fn check_reachable(actor: &Actor<'_>, target: &Located) -> Result<()> {
    let window = actor.desk.window_for(actor.app.as_ref(), Some(target.node.id)).await?;
    // What is in a minimized window has no place before it is brought up.
    if window.minimized {
        return Ok(());
    }
    visible_part(actor, target, &window).await.map(drop)
}

/// Makes sure, before a window of the application is activated, that its place is known.
pub(super) async fn check_placed(actor: &Actor<'_>) -> Result<()> {
    let window = actor.desk.window_for(actor.app.as_ref(), None).await?;
    if window.minimized || window.place.is_some() { Ok(()) } else { Err(nowhere(actor, &window).await) }
}

/// Whether one of the two elements holds the other: toolkits answer a hit test more or less deeply.
fn is_related(tree: &Arc<Tree>, hit: NodeId, target: NodeId) -> bool {
    hit == target
        || tree.ancestors(hit).any(|node| node.id == target)
        || tree.ancestors(target).any(|node| node.id == hit)
}
