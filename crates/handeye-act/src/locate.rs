//! Finds the element that a query or a reference means, and makes sure that it is still there.
//!
//! The mirror is searched first, which costs nothing; a hit is read again before it is returned. Only a miss makes
//! the mirror load more: what is showing, then the details by which the query might mean something, then what is hidden.

use crate::handles::Handles;
use crate::twins;
use handeye_core::{
    ConnectedApp, DetailKinds, Error, ErrorCode, Invocation, Node, NodeId, Result, Role, Scope, Tree,
    application_id, name_from_cells, text,
};
use handeye_locator::ACT;
use handeye_query::{Matched, Matches, Query, Search, Strategy};
use handeye_tree::outline;
use handeye_tree::references::{References, Resolution};
use std::sync::Arc;

/// How many near misses an error lists.
const NEAR_MISSES: usize = 5;
/// Where is looked, and how many elements that match equally well are compared.
const CANDIDATES: Search = Search { root: None, showing_only: false, limit: 20 };
/// How many of them an answer names.
const NAMED: usize = 8;

/// An element that was found and read again.
#[derive(Debug, Clone)]
pub struct Located {
    /// The element.
    pub node: Arc<Node>,
    /// The tree that it was read in.
    pub tree: Arc<Tree>,
    /// Its reference.
    pub reference: String,
    /// Whether a later call can use its reference, so that an answer shows it.
    pub is_kept: bool,
    /// How a suggested call names it: by the reference, or by a query where references do not outlive the call.
    pub handle: String,
    /// How a dead reference was found again.
    pub healed: Option<String>,
    /// How sure it is that a healed element is the same one, from 0 to 1.
    pub confidence: Option<f64>,
    /// Which way the query matched.
    pub matched: Matched,
    /// How many elements match equally well, this one among them; the first one in document order was taken.
    pub equally_good: usize,
    /// Whether the text that was asked for is only the inside of a word of its label, as "count" is in "Account".
    pub cuts_a_word: bool,
    /// The others of them, in document order; not all if they are many.
    pub rivals: Vec<Rival>,
}

/// An element that matches a query as well as the one that was taken.
#[derive(Debug, Clone)]
pub struct Rival {
    /// The element.
    pub node: Arc<Node>,
    /// Its reference.
    pub reference: String,
}

impl Located {
    /// Its reference, where an answer shows it.
    pub fn shown_reference(&self) -> Option<&str> {
        self.is_kept.then_some(self.reference.as_str())
    }

    /// A sentence that says which of several was taken and how to name another one; `None` if there was no choice.
    pub fn choice(&self) -> Option<String> {
        if self.equally_good < 2 {
            return None;
        }
        let others: Vec<&str> =
            self.rivals.iter().take(NAMED).map(|rival| rival.reference.as_str()).collect();
        let more = if self.equally_good > others.len() + 1 { ", …" } else { "" };
        let way = if self.is_kept {
            format!("The others: {}{more}.", others.join(", "))
        } else {
            "'#2' after the query means the second.".to_owned()
        };
        Some(format!("{} elements match equally well; this is the first. {way}", self.equally_good))
    }

    /// Fails if elements of other names match equally well, or if the one match has the text only inside of a word: an
    /// action must not guess what is meant.
    pub fn check_unambiguous(&self, query: &str) -> Result<()> {
        if let Some(confidence) = self.confidence.filter(|confidence| *confidence < ACT) {
            let message = format!(
                "nothing was done: nothing matches '{query}', and what it meant before may be this one (confidence {confidence:.2})"
            );
            return Err(Error::new(ErrorCode::ElementNotFound, message)
                .with_found([outline::line(&self.node, self.shown_reference())])
                .with_next("If that is meant, call again with its reference or its name."));
        }
        if self.cuts_a_word && self.equally_good == 1 {
            let message =
                format!("nothing was done: no element is called '{query}'; it occurs only inside of a word");
            return Err(Error::new(ErrorCode::ElementNotFound, message)
                .with_found([outline::line(&self.node, self.shown_reference())])
                .with_next("If that is meant, call again with its reference or its whole name."));
        }
        if self.rivals.iter().all(|rival| rival.node.label() == self.node.label()) {
            return Ok(());
        }
        let candidates = std::iter::once((&self.node, &self.reference))
            .chain(self.rivals.iter().map(|rival| (&rival.node, &rival.reference)));
        Err(Error::new(
            ErrorCode::ElementAmbiguous,
            format!(
                "nothing was done: {} different elements match '{query}' equally well",
                self.equally_good
            ),
        )
        .with_found(
            candidates
                .take(NAMED)
                .map(|(node, reference)| outline::line(node, self.is_kept.then_some(reference.as_str()))),
        )
        .with_next(if self.is_kept {
            "Call again with the reference of the one that is meant."
        } else {
            "Name one by its whole name, or put '#2' after the query for the second."
        }))
    }
}

/// The element that `query` means in the strategy `auto`, with `details` read.
pub async fn one(
    handles: Handles<'_>,
    app: &Arc<dyn ConnectedApp>,
    query: &str,
    details: DetailKinds,
) -> Result<Located> {
    by_strategy(handles, app, query, Strategy::Auto, details).await
}

/// The element that `query` means, with `details` read.
pub async fn by_strategy(
    handles: Handles<'_>,
    app: &Arc<dyn ConnectedApp>,
    query: &str,
    strategy: Strategy,
    details: DetailKinds,
) -> Result<Located> {
    let parsed = Query::parse(query, strategy)?;
    if let Some(reference) = parsed.reference() {
        match by_reference(handles, app, reference, details).await {
            // Something may really be called "e12".
            Err(error) if error.code == ErrorCode::UnknownReference => {
                return match search(app, &parsed, details).await {
                    Ok(matches) => found(handles, app, &parsed, &matches, details).await,
                    Err(_) => Err(error),
                };
            }
            other => return other,
        }
    }
    let matches = search(app, &parsed, details).await?;
    found(handles, app, &parsed, &matches, details).await
}

/// An element whose id is known already, with `details` read.
pub async fn known(
    handles: Handles<'_>,
    app: &Arc<dyn ConnectedApp>,
    id: NodeId,
    details: DetailKinds,
) -> Result<Located> {
    app.reread(&[id], details).await?;
    finish(handles, app, id, Matched::Reference)
}

async fn by_reference(
    handles: Handles<'_>,
    app: &Arc<dyn ConnectedApp>,
    reference: &str,
    details: DetailKinds,
) -> Result<Located> {
    let entry = handles.references.lookup(reference)?;
    if entry.app != application_id(app.as_ref()) {
        return Err(Error::new(
            ErrorCode::ElementNotFound,
            format!("{reference} is an element of another application than '{}'", app.application().name),
        )
        .with_next("Name the application in which the reference was found."));
    }
    // An element that is alive in the mirror may in fact be gone; then it leaves the mirror here and the second look heals it.
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
    match handles.references.resolve(&entry, &tree) {
        Resolution::Alive(id) => finish(handles, app, id, Matched::Reference),
        Resolution::Healed { node, how } => {
            app.reread(&[node], details).await?;
            let mut located = finish(handles, app, node, Matched::Reference)?;
            located.healed = Some(format!("{reference} was healed: {how}"));
            Ok(located)
        }
        Resolution::Gone { candidates } => Err(References::stale(&entry, candidates)),
    }
}

/// Searches the mirror, then more and more of the application, until something matches.
async fn search(app: &Arc<dyn ConnectedApp>, query: &Query, details: DetailKinds) -> Result<Verified> {
    let showing = Scope { details: query.needs(), ..Scope::SHOWING };
    let looks = [
        showing,
        Scope { details: query.needs() | query.needs_after_miss(), ..Scope::SHOWING },
        Scope { hidden: true, ..showing },
    ];
    if query.needs().is_empty() {
        let tree = app.mirror().snapshot();
        let matches = query.find(&tree, CANDIDATES)?;
        if is_plain(query, &tree, &matches)
            && let Some(hit) = verified(app, query, &matches, details).await?
            && is_plain(query, &app.mirror().snapshot(), &hit.matches)
        {
            return Ok(hit);
        }
    }
    for scope in looks {
        let tree = app.refresh(scope).await?;
        if let Some(hit) = verified(app, query, &query.find(&tree, CANDIDATES)?, details).await? {
            return Ok(hit);
        }
    }
    let tree = app.mirror().snapshot();
    let near = query.near_misses(&tree, NEAR_MISSES, |node| outline::line(node, None).into());
    let (name, unread) = (&app.application().name, not_searched(&tree));
    let error = Error::new(
        ErrorCode::ElementNotFound,
        format!("nothing in '{name}' matches '{}'{}{unread}", query.text(), query.tried()),
    );
    let menus = if has_unread_menus(&tree) {
        " The items of a menu that was never opened are not known: click the menu first."
    } else {
        ""
    };
    let lists = if unread.is_empty() {
        text![]
    } else {
        text![" ", Invocation::of("ax_scroll"), " brings other elements into view."]
    };
    Err(if near.is_empty() {
        error.with_next(text![Invocation::of("ax_get_tree"), " shows what is there.", menus, lists])
    } else {
        error.with_found(near).with_next(text![
            "Use one of these, or look with ",
            Invocation::of("ax_get_tree"),
            ".",
            menus,
            lists
        ])
    })
}

/// What of an application was never read, in words: children of long lists that are not in view.
fn not_searched(tree: &Tree) -> String {
    let all = tree.root().into_iter().flat_map(|root| tree.descendants(root));
    let mut long = all.filter(|node| node.has_virtual_children() && node.unloaded_children() > 0);
    let Some(first) = long.next() else { return String::new() };
    let mut count = u64::from(first.unloaded_children());
    let mut others = 0;
    for list in long {
        count += u64::from(list.unloaded_children());
        others += 1;
    }
    let line = outline::line(first, None);
    let others = match others {
        0 => String::new(),
        1 => " and 1 other list".into(),
        more => format!(" and {more} other lists"),
    };
    format!("; {count} elements that are not in view were not searched, in {line}{others}")
}

/// Whether the application builds the items of its menus only when one opens.
fn has_unread_menus(tree: &Tree) -> bool {
    let mut bars =
        tree.nodes().filter(|node| node.role == Role::MenuBar && node.is_showing() && node.child_count > 0);
    bars.any(|bar| tree.children(bar.id).all(|menu| menu.child_count == 0))
}

/// Matches of which the best one was read again.
struct Verified {
    /// Never empty.
    matches: Matches,
    /// Those of them that were read again with what distinguishes twins.
    compared: Vec<NodeId>,
}

/// Whether the best match needs no look at what the mirror may lack: it shows, as what is hidden may have a newer twin on view, and fits as a whole, as
/// another one may where it fits in part.
fn is_plain(query: &Query, tree: &Tree, matches: &Matches) -> bool {
    matches.nodes.first().is_some_and(|node| node.is_showing() && query.is_whole(called(tree, node).label()))
}

/// Reads the best one of what was found again, in one burst with those that match as well as it does, and keeps the matches if it is still the best one.
async fn verified(
    app: &Arc<dyn ConnectedApp>,
    query: &Query,
    found: &Matches,
    details: DetailKinds,
) -> Result<Option<Verified>> {
    let Some(candidate) = found.nodes.first().map(|node| node.id) else {
        return Ok(None);
    };
    let wanted = details | query.needs();
    let mut compared: Vec<NodeId> = to_compare(found).iter().map(|node| node.id).collect();
    let mut fresh = None;
    if !compared.is_empty() {
        fresh = reread(app, &compared, wanted | twins::DISTINGUISHED_BY).await?;
    }
    if fresh.is_none() {
        // Where one of several has gone, that is no reason to look further.
        compared.clear();
        fresh = reread(app, &[candidate], wanted).await?;
    }
    let Some(fresh) = fresh else { return Ok(None) };
    let matches = query.find(&fresh, CANDIDATES)?;
    let holds = matches.nodes.first().is_some_and(|node| node.id == candidate);
    Ok(holds.then_some(Verified { matches, compared }))
}

/// The tree after elements were read again; `None` where one of them has gone.
async fn reread(
    app: &Arc<dyn ConnectedApp>,
    nodes: &[NodeId],
    details: DetailKinds,
) -> Result<Option<Arc<Tree>>> {
    match app.reread(nodes, details).await {
        Err(error) if error.code == ErrorCode::StaleReference => Ok(None),
        other => other.map(Some),
    }
}

/// The matches among which the one that is meant is looked for; empty where there is no choice. XPath gives its own order, and the place in it was
/// asked for.
fn to_compare(matches: &Matches) -> &[Arc<Node>] {
    let listed = matches.equally_good.min(matches.nodes.len());
    if listed < 2 || matches.matched == Matched::Xpath { &[] } else { &matches.nodes[..listed] }
}

/// The best match, and those that match as well as it does.
async fn found(
    handles: Handles<'_>,
    app: &Arc<dyn ConnectedApp>,
    query: &Query,
    Verified { matches, compared }: &Verified,
    details: DetailKinds,
) -> Result<Located> {
    let listed = matches.equally_good.min(matches.nodes.len());
    let mut equals = matches.nodes[..listed].to_vec();
    let candidates = to_compare(matches);
    if !candidates.is_empty() {
        let are_read = candidates.iter().all(|node| compared.contains(&node.id));
        let tree =
            if are_read { app.mirror().snapshot() } else { twins::reread(app.as_ref(), candidates).await? };
        equals = twins::without_worse(&tree, candidates);
    }
    let [best, others @ ..] = equals.as_slice() else {
        return Err(vanished());
    };
    let is_read =
        compared.contains(&best.id) || matches.nodes.first().is_some_and(|first| first.id == best.id);
    if !is_read {
        app.reread(&[best.id], details).await?;
    }
    let mut located = finish(handles, app, best.id, matches.matched)?;
    located.equally_good = matches.equally_good - (listed - equals.len());
    located.cuts_a_word = query.cuts_a_word(located.node.label());
    let application = application_id(app.as_ref());
    located.rivals = others
        .iter()
        .filter_map(|node| {
            let reference = handles.references.mint(&application, &located.tree, node.id)?.to_string();
            Some(Rival { node: called(&located.tree, node), reference })
        })
        .collect();
    Ok(located)
}

fn finish(
    handles: Handles<'_>,
    app: &Arc<dyn ConnectedApp>,
    id: NodeId,
    matched: Matched,
) -> Result<Located> {
    let tree = app.mirror().snapshot();
    let node = tree.get(id).map(|node| called(&tree, node));
    let reference = handles.references.mint(&application_id(app.as_ref()), &tree, id);
    match (node, reference) {
        (Some(node), Some(reference)) => {
            let reference = reference.to_string();
            let handle = if handles.kept {
                reference.clone()
            } else {
                outline::summary(node.role, node.label()).into()
            };
            Ok(Located {
                node,
                tree,
                handle,
                is_kept: handles.kept,
                reference,
                healed: None,
                confidence: None,
                matched,
                equally_good: 1,
                cuts_a_word: false,
                rivals: Vec::new(),
            })
        }
        _ => Err(vanished()),
    }
}

/// The element as an outline calls it: a cell without a name has that of the cells in it.
fn called(tree: &Tree, node: &Arc<Node>) -> Arc<Node> {
    match name_from_cells(tree, node) {
        Some(name) => Arc::new(Node { name: name.into(), ..Node::clone(node) }),
        None => Arc::clone(node),
    }
}

fn vanished() -> Error {
    Error::new(ErrorCode::StaleReference, "the element disappeared during the call").with_next(text![
        "Find it again with ",
        Invocation::of("ax_find"),
        "."
    ])
}
