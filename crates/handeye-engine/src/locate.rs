//! Finds the element that a query or a reference means, and makes sure that it is still there.
//!
//! The mirror is searched first, which costs nothing; a hit is read anew before it is given out. Only a miss makes
//! the mirror load more: what is showing, then the details by which the query might mean something, then what is hidden.

use crate::engine::Engine;
use crate::query::{Matched, Matches, Query, Search, Strategy};
use crate::references::{References, Resolution};
use handeye_core::{
    ApplicationId, ConnectedApp, DetailKinds, Error, ErrorCode, Node, NodeId, Result, Scope, Tree,
};
use std::sync::Arc;

/// How many near misses an error lists.
const NEAR_MISSES: usize = 5;

/// An element that was found and read anew.
#[derive(Debug, Clone)]
pub struct Located {
    /// The element.
    pub node: Arc<Node>,
    /// The tree that it was read in.
    pub tree: Arc<Tree>,
    /// Its reference.
    pub reference: String,
    /// How a suggested call names it: the reference, or the query where references do not outlive the call.
    pub handle: String,
    /// How a dead reference was found again.
    pub healed: Option<String>,
    /// Which way the query matched.
    pub matched: Matched,
    /// How many elements match as well as this one; the first one in document order was taken.
    pub equally_good: usize,
}

/// The element that `query` means in the strategy `auto`, with `details` read.
pub async fn one(
    engine: &Engine,
    app: &Arc<dyn ConnectedApp>,
    query: &str,
    details: DetailKinds,
) -> Result<Located> {
    by_strategy(engine, app, query, Strategy::Auto, details).await
}

/// The element that `query` means, with `details` read.
pub async fn by_strategy(
    engine: &Engine,
    app: &Arc<dyn ConnectedApp>,
    query: &str,
    strategy: Strategy,
    details: DetailKinds,
) -> Result<Located> {
    let parsed = Query::parse(query, strategy)?;
    if let Some(reference) = parsed.reference() {
        match by_reference(engine, app, reference, details).await {
            // Something may really be called "e12".
            Err(error) if error.code == ErrorCode::UnknownReference => {
                return match search(app, &parsed, details).await {
                    Ok((node, matches)) => {
                        finish(engine, app, node, None, matches.matched, matches.equally_good)
                    }
                    Err(_) => Err(error),
                };
            }
            other => return other,
        }
    }
    let (node, matches) = search(app, &parsed, details).await?;
    finish(engine, app, node, None, matches.matched, matches.equally_good)
}

/// An element whose id is known already, with `details` read.
pub async fn known(
    engine: &Engine,
    app: &Arc<dyn ConnectedApp>,
    id: NodeId,
    details: DetailKinds,
) -> Result<Located> {
    app.reread(&[id], details).await?;
    finish(engine, app, id, None, Matched::Reference, 1)
}

/// The name under which references to elements of this application are kept.
pub fn application_id(app: &dyn ConnectedApp) -> ApplicationId {
    let application = app.application();
    application.id.clone().unwrap_or_else(|| ApplicationId(application.name.as_str().into()))
}

async fn by_reference(
    engine: &Engine,
    app: &Arc<dyn ConnectedApp>,
    reference: &str,
    details: DetailKinds,
) -> Result<Located> {
    let entry = engine.references.lookup(reference)?;
    if entry.app != application_id(app.as_ref()) {
        return Err(Error::new(
            ErrorCode::ElementNotFound,
            format!("{reference} is an element of another application than '{}'", app.application().name),
        )
        .with_next("Name the application in which the reference was found."));
    }
    // Alive in the mirror may be gone in truth; then it leaves the mirror here and the second look heals it.
    let mut tree = app.mirror().snapshot();
    if tree.contains(entry.node) {
        tree = match app.reread(&[entry.node], details).await {
            Err(error) if error.code == ErrorCode::StaleReference => app.mirror().snapshot(),
            other => other?,
        };
    }
    if !tree.contains(entry.node) {
        tree = app.refresh(Scope { details: DetailKinds::IDENTIFIER, ..Scope::SHOWING }).await?;
    }
    match engine.references.resolve(&entry, &tree) {
        Resolution::Alive(id) => finish(engine, app, id, None, Matched::Reference, 1),
        Resolution::Healed { node, how } => {
            app.reread(&[node], details).await?;
            let told = format!("{reference} was healed: {how}");
            finish(engine, app, node, Some(told), Matched::Reference, 1)
        }
        Resolution::Gone { candidates } => Err(References::stale(&entry, candidates)),
    }
}

/// Searches the mirror, then more and more of the application, until something matches.
async fn search(
    app: &Arc<dyn ConnectedApp>,
    query: &Query,
    details: DetailKinds,
) -> Result<(NodeId, Matches)> {
    let showing = Scope { details: query.needs(), ..Scope::SHOWING };
    let looks = [
        showing,
        Scope { details: query.needs() | query.needs_after_miss(), ..Scope::SHOWING },
        Scope { hidden: true, ..showing },
    ];
    if query.needs().is_empty()
        && let Some(hit) = verified(app, query, &app.mirror().snapshot(), details).await?
        // What is hidden may have a newer twin on view that the mirror has not heard of.
        && app.mirror().snapshot().get(hit.0).is_some_and(|node| node.is_showing())
    {
        return Ok(hit);
    }
    for scope in looks {
        let tree = app.refresh(scope).await?;
        if let Some(hit) = verified(app, query, &tree, details).await? {
            return Ok(hit);
        }
    }
    let tree = app.mirror().snapshot();
    let near = query.near_misses(&tree, NEAR_MISSES);
    let error = Error::new(
        ErrorCode::ElementNotFound,
        format!("nothing in '{}' matches '{}'", app.application().name, query.text()),
    );
    Err(if near.is_empty() {
        error.with_next("ax_get_tree shows what is there.")
    } else {
        error.with_found(near).with_next("Use one of these, or look with ax_get_tree.")
    })
}

/// Reads the best match anew and keeps it if it is still there, still matches and is no worse than before.
async fn verified(
    app: &Arc<dyn ConnectedApp>,
    query: &Query,
    tree: &Tree,
    details: DetailKinds,
) -> Result<Option<(NodeId, Matches)>> {
    let search = Search { limit: 1, ..Search::default() };
    let Some(candidate) = query.find(tree, search)?.nodes.first().map(|node| node.id) else {
        return Ok(None);
    };
    let fresh = match app.reread(&[candidate], details | query.needs()).await {
        Err(error) if error.code == ErrorCode::StaleReference => return Ok(None),
        other => other?,
    };
    let again = query.find(&fresh, search)?;
    let holds = again.nodes.first().is_some_and(|node| node.id == candidate);
    Ok(holds.then_some((candidate, again)))
}

fn finish(
    engine: &Engine,
    app: &Arc<dyn ConnectedApp>,
    id: NodeId,
    healed: Option<String>,
    matched: Matched,
    equally_good: usize,
) -> Result<Located> {
    let tree = app.mirror().snapshot();
    let node = tree.get(id).cloned();
    let reference = engine.references.mint(&application_id(app.as_ref()), &tree, id);
    match (node, reference) {
        (Some(node), Some(reference)) => {
            let reference = reference.to_string();
            Ok(Located { node, tree, handle: reference.clone(), reference, healed, matched, equally_good })
        }
        _ => Err(Error::new(ErrorCode::StaleReference, "the element vanished during the call")
            .with_next("Find it again with ax_find.")),
    }
}
