//! Where typed text goes when the caller names no element.

use super::actor::Actor;
use super::focused::focused;
use super::text::{Content, Wanted, read, shows};
use crate::locate::{self, Located};
use handeye_core::{
    Abilities, Argument, DetailKinds, Error, ErrorCode, Invocation, Node, NodeId, Result, Scope, States,
    Tree, text,
};
use handeye_tree::outline;

/// What has to be read of an element that text goes into.
const DETAILS: DetailKinds = DetailKinds::TEXT.union(DetailKinds::VALUE).union(DetailKinds::EXTENTS);
/// How many elements are watched for typed text, and how many an error lists.
const MOST: usize = 8;

/// The element that has the focus in its window, or the only text area on view.
pub async fn text_receiver(actor: &Actor<'_>) -> Result<Located> {
    let holder = focused(actor).await?;
    if let Some(holder) = &holder
        && takes_text(&holder.node)
    {
        return Ok(holder.clone());
    }
    let tree = actor.app.refresh(Scope::SHOWING).await?;
    if let Some(area) = only_text_area(&tree) {
        return locate::known(actor.handles(), &actor.app, area, DETAILS).await;
    }
    match holder {
        Some(holder) => Ok(holder),
        None => Err(nowhere(actor, &tree)),
    }
}

/// The elements that may get what is typed on the keyboard, with what they hold: the likeliest first.
pub(super) async fn on_keyboard(actor: &Actor<'_>) -> Result<Vec<(Located, Content)>> {
    let mut ids: Vec<NodeId> = focused(actor).await?.map(|holder| holder.node.id).into_iter().collect();
    let tree = actor.app.mirror().snapshot();
    // Some toolkits call more than one element focused, or one that is not.
    let others = tree.nodes().filter(|node| {
        let is_focused = node.states.contains(States::FOCUSED);
        node.is_showing() && !node.role.is_window() && takes_text(node) && (is_focused || is_area(node))
    });
    for other in others.map(|node| node.id) {
        if ids.len() < MOST && !ids.contains(&other) {
            ids.push(other);
        }
    }
    let mut candidates = Vec::with_capacity(ids.len());
    for id in ids {
        let candidate = locate::known(actor.handles(), &actor.app, id, DETAILS).await?;
        let content = read(actor, &candidate.node).await?;
        candidates.push((candidate, content));
    }
    Ok(candidates)
}

/// Which of the candidates holds what was typed; the likeliest one where none does.
pub(super) async fn who_got(
    actor: &Actor<'_>,
    candidates: Vec<(Located, Content)>,
    wanted: &Wanted,
) -> Result<Option<(Located, Content)>> {
    for (candidate, before) in candidates.iter().filter(|_| candidates.len() > 1) {
        if shows(actor, candidate.node.id, before, wanted).await? {
            return Ok(Some((candidate.clone(), before.clone())));
        }
    }
    Ok(candidates.into_iter().next())
}

/// The text area of several lines that is the only one of the active window, or of all of them.
fn only_text_area(tree: &Tree) -> Option<NodeId> {
    let areas: Vec<&Node> =
        tree.nodes().map(|node| &**node).filter(|node| takes_text(node) && is_area(node)).collect();
    let in_active =
        |node: &&Node| tree.window_of(node.id).is_some_and(|window| window.states.contains(States::ACTIVE));
    let active: Vec<&Node> = areas.iter().copied().filter(in_active).collect();
    match (active.as_slice(), areas.as_slice()) {
        ([only], _) | ([], [only]) => Some(only.id),
        _ => None,
    }
}

/// Whether the element is text of several lines.
fn is_area(node: &Node) -> bool {
    node.states.contains(States::MULTI_LINE)
}

fn takes_text(node: &Node) -> bool {
    node.is_showing()
        && node.states.contains(States::ENABLED)
        && !node.states.contains(States::READ_ONLY)
        && (node.abilities.contains(Abilities::EDITABLE_TEXT) || node.states.contains(States::EDITABLE))
}

/// It is not known where the text should go: the fields that there are.
fn nowhere(actor: &Actor<'_>, tree: &Tree) -> Error {
    let application = handeye_core::application_id(actor.app.as_ref());
    let minter = actor.handles().minter(&application, tree);
    let fields: Vec<(&Node, Option<String>)> = tree
        .nodes()
        .filter(|node| takes_text(node))
        .take(MOST)
        .map(|node| {
            let reference = minter.as_ref().and_then(|minter| minter.mint(node.id));
            (&**node, reference.map(|reference| reference.to_string()))
        })
        .collect();
    let first = fields.iter().find_map(|(node, reference)| {
        if actor.call.reader.remembered {
            reference.clone()
        } else {
            Some(format!("{} {}", node.role, node.label()))
        }
    });
    let error = Error::new(
        ErrorCode::ElementNotFound,
        format!("no element of '{}' has the focus", actor.app.application().name),
    )
    .with_found(fields.iter().map(|(node, reference)| outline::line(node, reference.as_deref())));
    let Some(first) = first else {
        return error.with_next(text![Invocation::of("ax_get_tree"), " shows what takes text."]);
    };
    error.with_next(text!["Name the element: ", Argument::new("query", first), "."])
}
