//! Reading again what an application's events do not announce, in the fewest calls.

use super::book::{Book, Dirt};
use super::bulk::Bulk;
use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::object::ObjectKey;
use super::owners::read_named_children;
use super::read_call::{DESCRIPTION, GET_INDEX_IN_PARENT, GET_STATE, NAME};
use super::reading::{
    MAX_LISTED_CHILDREN, bounded, has_changed_role, holds_no_parts, is_another_kind_with, read_child_count,
    read_text, rename,
};
use super::states_in_place::states_in_place;
use super::toolkit::{Toolkit, Trust};
use super::vocabulary::states_from_words;
use super::wire::burst;
use bitflags::bitflags;
use futures_util::FutureExt;
use handeye_core::{Node, NodeId, Role, Scope, States, Tree};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What can have changed unseen about one element.
struct Check {
    /// `None` where the toolkit's events announce it.
    states: Option<States>,
    /// As the application has it; `None` where the toolkit's events announce it.
    name: Option<Arc<str>>,
    /// `None` where the toolkit's events announce it, or the element is called by its name.
    description: Option<Arc<str>>,
    /// It is another thing now.
    changed_role: bool,
    children_differ: bool,
    /// It is at another place among its siblings now.
    moved: bool,
}

/// Whether an element of this role can get children that matter.
fn may_gain_children(node: &Node) -> bool {
    !node.children.is_empty()
        || !(holds_no_parts(node.role)
            || matches!(
                node.role,
                Role::TextBox | Role::MenuItem | Role::MenuItemCheckBox | Role::MenuItemRadio | Role::Cell
            ))
}

/// Whether an element is about to get content although its toolkit's events are complete otherwise: a web page that is
/// being loaded comes all at once, and Firefox has announced that before we could receive it.
pub(super) fn awaits_content(node: &Node) -> bool {
    node.role == Role::Document && (node.children.is_empty() || node.states.contains(States::BUSY))
}

bitflags! {
    /// What of an element has to be read again because no event announces its changes, or none is trusted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    struct Doubtful: u8 {
        const STATES = 1 << 0;
        const NAME = 1 << 1;
        const ROLE = 1 << 2;
        const CHILDREN = 1 << 3;
        const DESCRIPTION = 1 << 4;
    }
}

/// Which parts of an element have to be read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Doubt {
    parts: Doubtful,
    /// The place among its siblings where it was, where the container is not to be asked for all of them.
    place: Option<i32>,
}

impl Doubt {
    /// With no `trust`, nothing is believed that events say or do not say.
    fn about(node: &Node, toolkit: Toolkit, trust: Option<Trust>, place: Option<i32>) -> Self {
        let are_announced = |what| trust.is_some_and(|trust| trust.contains(what));
        let mut parts = Doubtful::empty();
        parts.set(Doubtful::STATES, !are_announced(Trust::PROPERTIES) || !are_announced(Trust::SHOWING));
        parts.set(Doubtful::NAME, !are_announced(Trust::PROPERTIES) || !toolkit.announces_name_of(node.role));
        parts.set(Doubtful::ROLE, toolkit.may_change_role(node.role, trust.is_none()));
        parts.set(Doubtful::DESCRIPTION, toolkit.may_have_another_description(node, trust.is_none()));
        let children = (!are_announced(Trust::STRUCTURE) && may_gain_children(node)) || awaits_content(node);
        parts.set(Doubtful::CHILDREN, children);
        Self { parts, place: place.filter(|_| !are_announced(Trust::STRUCTURE)) }
    }

    fn is_about(self, part: Doubtful) -> bool {
        self.parts.contains(part)
    }

    /// How many calls it takes to find out.
    fn calls(self) -> usize {
        self.parts.iter().count() + usize::from(self.place.is_some())
    }
}

/// What is read again at first: what is showing, and of what is not only what lies next to it, where scrolling shows it first.
fn first_look(tree: &Tree, start: NodeId, scope: Scope, trust: Option<Trust>) -> Vec<Arc<Node>> {
    let mut chosen = Vec::new();
    for node in tree.descendants(start) {
        if scope.hidden || node.is_showing() || node.parent.is_none() {
            chosen.push(Arc::clone(node));
        }
        if scope.hidden || trust.is_some_and(|trust| trust.contains(Trust::SHOWING)) {
            continue;
        }
        let children: Vec<&Arc<Node>> = tree.children(node.id).collect();
        let shows = |place: Option<usize>| {
            place.and_then(|place| children.get(place)).is_some_and(|child| child.is_showing())
        };
        let parent_shows = shows_itself(node);
        for (place, child) in children.iter().enumerate().filter(|(_, child)| !child.is_showing()) {
            // Each of the first few may be a page or a menu of its own, or where a list begins; further on only neighbours matter.
            let near = place < FEW_SIBLINGS || shows(place.checked_sub(1)) || shows(Some(place + 1));
            if parent_shows && near {
                chosen.push(Arc::clone(child));
            }
        }
    }
    chosen
}

/// How often a look is widened because something began or ceased to show.
const MAX_LOOKS: usize = 8;
/// How many of the first ones among siblings are looked at, whatever shows beside them.
const FEW_SIBLINGS: usize = 8;

/// Whether the elements below an element can be showing.
fn shows_itself(node: &Node) -> bool {
    node.parent.is_none() || node.is_showing()
}

impl ConnectedApplication {
    /// Reads again, in one burst, what could have changed unseen in `scope`: names, states and children of what is showing,
    /// less what the toolkit's events announce. With `doubt`, events are not believed.
    pub(super) async fn revalidate(&self, scope: Scope, doubt: bool) -> Result<(), CallError> {
        self.revalidate_by(scope, doubt, None).await
    }

    /// The same, by a bulk load that was just made, if there is one.
    pub(super) async fn revalidate_by(
        &self,
        scope: Scope,
        doubt: bool,
        bulk: Option<&Bulk>,
    ) -> Result<(), CallError> {
        let trust = (!doubt).then(|| self.toolkit.trust());
        let mut looked_at = HashSet::new();
        let mut moved = HashSet::new();
        self.doubt_scrolled(scope).await?;
        for _ in 0..MAX_LOOKS {
            let tree = self.mirror.snapshot();
            let Some(start) = scope.root.filter(|root| tree.contains(*root)).or(tree.root()) else {
                return Ok(());
            };
            let mut nodes = first_look(&tree, start, scope, trust);
            // Something was scrolled or switched: look at everything around what began or ceased to show.
            nodes.extend(moved.iter().flat_map(|parent| tree.children(*parent)).cloned());
            nodes.retain(|node| looked_at.insert(node.id));
            moved = self.recheck(nodes, trust, bulk).await?;
            if moved.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Reads elements again as far as their toolkit is not to be trusted. Returns the parents of those that began or ceased to show.
    pub(super) async fn recheck(
        &self,
        nodes: Vec<Arc<Node>>,
        trust: Option<Trust>,
        made: Option<&Bulk>,
    ) -> Result<HashSet<NodeId>, CallError> {
        let renewed = self.renew_old(nodes.iter().map(|node| node.id)).await?;
        let candidates: Vec<(ObjectKey, Arc<Node>, Doubt)> = {
            let (tree, book) = (self.mirror.snapshot(), self.book());
            let places = self.places_in_question(&tree, &book, &nodes);
            nodes
                .into_iter()
                .filter(|node| !renewed.contains(&node.id))
                .map(|node| {
                    // Events of another process than the application's own are not received.
                    let trust = trust.filter(|_| node.owner.is_none());
                    let doubt = Doubt::about(&node, self.toolkit, trust, places.get(&node.id).copied());
                    // What is in it is read once it shows.
                    let later = Doubtful::CHILDREN | Doubtful::ROLE | Doubtful::DESCRIPTION;
                    let unread = if book.is_sketched(node.id) { later } else { Doubtful::empty() };
                    (Doubt { parts: doubt.parts - unread, ..doubt }, node)
                })
                .filter(|(doubt, _)| doubt.calls() > 0)
                .filter_map(|(doubt, node)| Some((book.key(node.id)?.clone(), node, doubt)))
                .collect()
        };
        let mut moved = HashSet::new();
        if candidates.is_empty() {
            return Ok(moved);
        }
        let load = self.begin_load();
        let own;
        let bulk = if let Some(made) = made {
            made
        } else {
            let wanted: Vec<_> = candidates.iter().map(|(key, _, doubt)| (key, doubt.calls())).collect();
            own = self.bulk_instead_of(&wanted).await?;
            &own
        };
        let calls =
            candidates.iter().map(|(key, node, doubt)| self.check(bulk, key, node, *doubt).boxed()).collect();
        let checks = burst(calls).await?;
        let mut let_go = HashSet::new();
        for ((key, node, _), check) in candidates.iter().zip(checks) {
            match check {
                Ok(check) => {
                    if check.moved {
                        self.doubt_siblings(node);
                    }
                    if self.apply_check(key, node, check) {
                        moved.extend(node.parent);
                    }
                    continue;
                }
                Err(CallError::PartNotResponding) => {
                    // What is known of it may be out of date. Its next answer says that it is busy no longer.
                    self.mirror.update(|tree| tree.update(node.id, |node| node.states |= States::BUSY));
                    continue;
                }
                Err(CallError::NoSuchObject) if self.is_let_go_of(node.id) => {
                    let_go.insert(node.id);
                    continue;
                }
                Err(_) => {}
            }
            // It is gone: its parent has other children now.
            self.doubt_siblings(node);
        }
        self.renew(&let_go).await?;
        drop(load);
        Ok(moved)
    }

    /// Whether an element is as it was in this tree, as far as a look without details has it.
    pub(super) fn is_as_in(&self, before: &Tree, id: NodeId) -> bool {
        let tree = self.mirror.snapshot();
        match (before.get(id), tree.get(id)) {
            (Some(before), Some(now)) => {
                now.states == before.states
                    && now.name == before.name
                    && now.description == before.description
                    && now.native_role == before.native_role
                    && now.children == before.children
            }
            (before, now) => before.is_none() && now.is_none(),
        }
    }

    /// Where among their siblings those are that are asked for their place, because their container makes new objects at each look.
    fn places_in_question(&self, tree: &Tree, book: &Book, nodes: &[Arc<Node>]) -> HashMap<NodeId, i32> {
        let containers: HashSet<NodeId> = nodes.iter().filter_map(|node| node.parent).collect();
        let containers = containers.into_iter().filter_map(|id| tree.get(id));
        let makers = containers.filter(|node| self.toolkit.makes_new_children(node.role));
        makers.flat_map(|node| book.given(node).iter().copied().zip(0..)).collect()
    }

    /// Has the children of the element's parent read again.
    fn doubt_siblings(&self, node: &Node) {
        let mut book = self.book();
        if let Some(parent) = node.parent.and_then(|parent| book.key(parent).cloned()) {
            book.mark(&parent, Dirt::CHILDREN);
        }
    }

    /// Brings one element of the mirror up to date with what was read of it, and leaves the mirror alone where nothing
    /// changed. Whether the element began or ceased to show.
    fn apply_check(&self, key: &ObjectKey, node: &Node, check: Check) -> bool {
        let tree = self.mirror.snapshot();
        let states = check.states.map_or(node.states, |states| {
            let kept = node.states & States::COLLAPSED;
            states_in_place(&tree, self.toolkit, node.parent, node.role, states | kept)
                | (node.states & States::PROTECTED)
        });
        drop(tree);
        let may_have_more = node.children.is_empty() && node.child_count > 0;
        let mut book = self.book();
        let began_to_show = states.contains(States::SHOWING) && (may_have_more || book.is_sketched(node.id));
        if check.children_differ || began_to_show {
            book.mark(key, Dirt::CHILDREN);
        }
        let name = check.name.map(|reported| {
            let name = self.toolkit.normalise_name(node.role, Arc::clone(&reported));
            book.titles.called(node.id, name, &reported)
        });
        let renamed = name.filter(|name| *name != node.name);
        // What has no name any more is called by something else, which may not have been read.
        let is_unnamed = renamed.as_deref().is_some_and(str::is_empty);
        if check.changed_role || is_unnamed || is_another_kind_with(states ^ node.states) {
            book.mark(key, Dirt::SELF);
        }
        drop(book);
        let described = check.description.filter(|description| *description != node.description);
        if states != node.states || renamed.is_some() || described.is_some() {
            self.mirror.update(|tree| {
                tree.update(node.id, |node| {
                    node.states = states;
                    if let Some(name) = renamed {
                        rename(node, name);
                    }
                    if let Some(description) = described {
                        node.description = description;
                    }
                })
            });
        }
        (states ^ node.states).contains(States::SHOWING)
    }

    /// Whether just these objects, in this order, are the children of an element in the mirror.
    fn are_children(&self, children: &[ObjectKey], node: &Node) -> bool {
        let book = self.book();
        if let Some(view) = self.views().get(&node.id) {
            return view.lists(children);
        }
        let known = book.given(node);
        children.len() == known.len()
            && children.iter().zip(known).all(|(child, known)| book.key(*known) == Some(child))
    }

    /// What is in doubt about one element, in the fewest calls: none where a bulk load has it. Where that has other children than
    /// the mirror the element itself is asked, as not every toolkit reports the same in both places.
    async fn check(
        &self,
        bulk: &Bulk,
        key: &ObjectKey,
        node: &Node,
        doubt: Doubt,
    ) -> Result<Check, CallError> {
        let read = bulk.find(key);
        let states = async {
            match read {
                _ if !doubt.is_about(Doubtful::STATES) => Ok::<_, CallError>(None),
                Some(read) => Ok(Some(read.states)),
                None => {
                    let words = self.wire.call(key, &GET_STATE, &()).await?;
                    Ok(Some(states_from_words(&words)))
                }
            }
        };
        let name = async {
            let name = match read {
                _ if !doubt.is_about(Doubtful::NAME) => return Ok(None),
                Some(read) => Arc::clone(&read.name),
                None => match self.wire.property(key, &NAME).await {
                    Ok(name) => bounded(&name),
                    Err(error) if error.is_fatal() => return Err(error),
                    Err(_) => return Ok(None),
                },
            };
            Ok(Some(name))
        };
        let description = async {
            match read {
                _ if !doubt.is_about(Doubtful::DESCRIPTION) => Ok(None),
                Some(read) => Ok(Some(Arc::clone(&read.description))),
                None => read_text(&self.wire, key, &DESCRIPTION).await.map(Some),
            }
        };
        let changed_role = async {
            let native_role = match read {
                _ if !doubt.is_about(Doubtful::ROLE) => return Ok::<_, CallError>(false),
                Some(read) => Arc::clone(&read.native_role),
                None => return has_changed_role(&self.wire, key, node).await,
            };
            Ok(native_role != node.native_role)
        };
        let children = self.has_other_children(bulk, key, node, doubt);
        let moved = async {
            let Some(place) = doubt.place else { return Ok::<_, CallError>(false) };
            Ok(self.wire.call(key, &GET_INDEX_IN_PARENT, &()).await? != place)
        };
        let (states, name, description, changed_role, children_differ, moved) =
            tokio::join!(states, name, description, changed_role, children, moved);
        Ok(Check {
            states: states?,
            name: name?,
            description: description?,
            changed_role: changed_role?,
            children_differ: children_differ?,
            moved: moved?,
        })
    }

    /// Whether an element has other children than the mirror has, where that is in doubt or costs no call.
    async fn has_other_children(
        &self,
        bulk: &Bulk,
        key: &ObjectKey,
        node: &Node,
        doubt: Doubt,
    ) -> Result<bool, CallError> {
        if !doubt.is_about(Doubtful::CHILDREN) {
            // What is in a button matters little, but costs nothing here.
            let counted = bulk.get(key).filter(|_| self.toolkit.counts_in_bulk_what_buttons_hold());
            let may_differ = node.is_showing() && holds_no_parts(node.role);
            return Ok(may_differ && counted.is_some_and(|read| read.child_count != node.child_count));
        }
        let has_none = node.children.is_empty() && node.strangers == 0;
        if has_none || node.child_count > MAX_LISTED_CHILDREN || self.toolkit.makes_new_children(node.role) {
            let count = match bulk.get(key) {
                Some(read) => read.child_count,
                None => read_child_count(&self.wire, key).await?,
            };
            return Ok(count != node.child_count);
        }
        if bulk.children(key).is_some_and(|children| self.are_children(&children, node)) {
            return Ok(false);
        }
        let Some(named) = read_named_children(&self.wire, key, node.child_count).await? else {
            return Ok(false);
        };
        let admitted = self.owners.admit(&self.wire, key, named).await;
        Ok(admitted.strangers != node.strangers || !self.are_children(&admitted.children, node))
    }
}
