//! What of an element is in sight: the part of it that lies inside of its window.

use super::actor::{Actor, named};
use super::option_list::{combo_box_of, list_of};
use crate::locate::Located;
use handeye_core::{
    DetailKinds, Error, ErrorCode, Invocation, Node, NodeAction, NodeId, Point, Rect, Result, Role, Text,
    Tree, Window, application_id, text,
};
use handeye_shots::on_screen::unplaced;
use handeye_tree::describe::{describe, quote};
use std::iter;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long an element that shows may take to get a place: browsers report those of a page after its elements, and scroll later than they
/// answer.
const PLACED_WITHIN: Duration = Duration::from_millis(600);
/// Time between two looks at a place.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Where an element is.
enum Sight {
    /// This part of it, in pixels of the screen, is inside of its window.
    Part(Rect),
    /// No pixel of it is, but this part is in the list of a combo box, which may be open beyond the edge of the window.
    InList(Rect),
    /// It is in the list of a combo box, which has no place as it is closed.
    Closed,
    /// No pixel of it is.
    Outside,
    /// Its application reports no place, which is what the items of closed menus have, and what was not laid out yet.
    NoPlace,
}

/// The menu that holds an element, the innermost one.
pub(super) fn menu_of(tree: &Tree, id: NodeId) -> Option<&Node> {
    tree.ancestors(id).find(|node| node.role == Role::Menu).map(AsRef::as_ref)
}

/// The part of an element that lies inside of its window. It is scrolled into view if no pixel of it does.
pub(super) async fn visible_part(actor: &Actor<'_>, target: &Located, window: &Window) -> Result<Rect> {
    let id = target.node.id;
    let mut sight = sight(actor, id, window).await?;
    if let Sight::Part(part) = sight {
        return Ok(part);
    }
    // Scrolling is a means here: whether it worked shows in the place that is read next.
    let scrolled = actor.app.perform(&actor.desk.harmless(), id, &NodeAction::ScrollIntoView).await;
    if let Err(error) = &scrolled {
        tracing::debug!(code = error.code.as_str(), "could not scroll into view");
    }
    let end = Instant::now() + PLACED_WITHIN.min(actor.call.remaining() / 2);
    loop {
        sight = self::sight(actor, id, window).await?;
        let may_change = match sight {
            Sight::Part(part) => return Ok(part),
            Sight::InList(_) | Sight::Outside => scrolled.as_ref().is_ok_and(|done| done.acknowledged),
            Sight::Closed => false,
            Sight::NoPlace => actor.app.mirror().snapshot().get(id).is_some_and(|node| node.is_showing()),
        };
        if !may_change || Instant::now() >= end {
            break;
        }
        tracing::debug!("not in sight yet");
        sleep(LOOK_AGAIN).await;
    }
    if let Sight::InList(part) = sight {
        return Ok(part);
    }
    let tree = actor.app.mirror().snapshot();
    if let Some(menu) = menu_of(&tree, id) {
        return Err(closed(actor, &tree, menu, target));
    }
    if let Some(list) = list_of(&tree, id).filter(|_| matches!(sight, Sight::Outside)) {
        return Err(scrolled_out(list, target));
    }
    if let Some(combo_box) = combo_box_of(&tree, id) {
        return Err(closed_list(actor, &tree, combo_box, target));
    }
    Err(out_of_sight(target, window, &sight))
}

/// The refusal of the pointer on an element that no pixel can be pointed at.
fn out_of_sight(target: &Located, window: &Window, sight: &Sight) -> Error {
    let title = quote(&window.title);
    if matches!(sight, Sight::NoPlace) {
        let why = format!("{} has no place in window \"{title}\", so it is not drawn there", named(target));
        return Error::new(ErrorCode::Refused, why).with_next(
            "Open the part of the window that it is in, or wait until it is drawn, then call again.",
        );
    }
    let why = format!("{} is outside of the visible part of window \"{title}\"", named(target));
    Error::new(ErrorCode::Refused, why).with_next(scroll_into_view())
}

/// What is around an element and does not reach to this point of it, the innermost one: it shows a part of what is in it.
pub(super) async fn clipping(
    actor: &Actor<'_>,
    target: &Located,
    point: Point,
    window: &Window,
) -> Result<Option<Arc<Node>>> {
    let tree = actor.app.mirror().snapshot();
    let around = tree.ancestors(target.node.id).take_while(|node| !node.role.is_window());
    let around: Vec<NodeId> = around.filter(|node| scrolls(node.role)).map(|node| node.id).collect();
    if around.is_empty() {
        return Ok(None);
    }
    let tree = actor.app.reread(&around, DetailKinds::EXTENTS).await?;
    let ends_before = |node: &&Arc<Node>| {
        let place = node.details.extents.known().and_then(|extents| extents.on_screen(window.place));
        place.is_some_and(|place| !place.is_empty() && !place.contains(point))
    };
    Ok(around.iter().filter_map(|id| tree.get(*id)).find(ends_before).cloned())
}

/// Whether such an element usually shows a part of what is in it.
const fn scrolls(role: Role) -> bool {
    matches!(role, Role::List | Role::ListBox | Role::Table | Role::Tree | Role::TreeGrid)
}

/// The refusal of the pointer on an element that lies beyond the edge of what shows a part of its content.
pub(super) fn scrolled_out(container: &Node, target: &Located) -> Error {
    let why = format!("{} is outside of the visible part of {}", named(target), describe(container));
    Error::new(ErrorCode::Refused, why).with_next(scroll_into_view())
}

fn scroll_into_view() -> Text {
    text!["Scroll it into view with ", Invocation::of("ax_scroll"), ", then call again."]
}

/// Where the element is, read now.
async fn sight(actor: &Actor<'_>, id: NodeId, window: &Window) -> Result<Sight> {
    let list = list_of(&actor.app.mirror().snapshot(), id).map(|list| list.id);
    let asked: Vec<NodeId> = iter::once(id).chain(list).collect();
    let tree = actor.app.reread(&asked, DetailKinds::EXTENTS).await?;
    let in_menu = menu_of(&tree, id).is_some();
    // An open menu is a window of its own and may reach beyond the one that it belongs to.
    let frame = window.frame();
    if frame.is_none() && !in_menu {
        return Err(nowhere(actor, window).await);
    }
    let Some(known) = tree.get(id).and_then(|node| node.details.extents.known().copied()) else {
        return Ok(Sight::NoPlace);
    };
    let Some(mut extents) = known.on_screen(window.place) else { return Err(nowhere(actor, window).await) };
    if let Some(list) = list {
        // A list that is closed has no place, but its options have.
        let place = tree.get(list).and_then(|list| list.details.extents.known()?.on_screen(window.place));
        let Some(part) = place.and_then(|place| extents.intersection(&place)) else {
            return Ok(if place.is_some() { Sight::Outside } else { Sight::Closed });
        };
        extents = part;
    }
    let is_shown = !extents.is_empty() && tree.get(id).is_some_and(|node| node.is_showing());
    Ok(match frame {
        Some(frame) if !in_menu => match extents.intersection(&frame) {
            Some(inside) => Sight::Part(inside),
            None if list.is_some() && is_shown => Sight::InList(extents),
            None => Sight::Outside,
        },
        // The items of a closed menu have places of no meaning.
        _ if is_shown => Sight::Part(extents),
        _ => Sight::Outside,
    })
}

/// The refusal of the pointer on an item of a menu that is not open.
fn closed(actor: &Actor<'_>, tree: &Tree, menu: &Node, target: &Located) -> Error {
    // A menu of Qt has its name at the item that opens it.
    let opener = tree.ancestors(menu.id).find(|node| !node.label().is_empty());
    let opener = if menu.label().is_empty() { opener.map_or(menu, |above| above.as_ref()) } else { menu };
    let why = format!("{} is in {}, which is not open", named(target), describe(opener));
    let choose = Invocation::of("ax_click").with("query", &*target.handle);
    let next = if let Some(opener) = click_on(actor, tree, opener) {
        let open = opener.with("mode", "focus");
        text![choose, " chooses it in the closed menu; ", open, " opens the menu for the pointer."]
    } else {
        text![choose, " chooses it in the closed menu."]
    };
    Error::new(ErrorCode::Refused, why).with_next(next)
}

/// The refusal of the pointer on an option in the list of a combo box that is not open.
pub(super) fn closed_list(actor: &Actor<'_>, tree: &Tree, combo_box: &Node, target: &Located) -> Error {
    let why = format!("{} is in the list of {}, which is not open", named(target), describe(combo_box));
    let error = Error::new(ErrorCode::Refused, why);
    match click_on(actor, tree, combo_box) {
        Some(open) => error.with_next(text![open, " opens it."]),
        None => error.with_next("Click the combo box first, which opens it."),
    }
}

/// The call that clicks an element.
fn click_on(actor: &Actor<'_>, tree: &Tree, element: &Node) -> Option<Invocation> {
    let application = application_id(actor.app.as_ref());
    let handle = actor.handles().minter(&application, tree).and_then(|minter| minter.mint(element.id))?;
    Some(Invocation::of("ax_click").with("query", handle.to_string()))
}

/// The refusal of the pointer in a window whose place is unknown.
pub(super) async fn nowhere(actor: &Actor<'_>, window: &Window) -> Error {
    let what = format!("the pointer cannot be aimed in window \"{}\"", quote(&window.title));
    unplaced(actor.desk.platform.screen.as_ref(), &what).await
}
