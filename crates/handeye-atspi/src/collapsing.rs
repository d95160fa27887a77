//! What is not seen although it says that it is visible, with all that is in it: what takes no room, and pages that are turned away from.
//!
//! A page of GTK 4 that was never shown takes no room. One that was shown keeps the place that it had, the same as that of the page that
//! shows; of these two only the one that shows answers what lies at a point of it.

use super::book::Dirt;
use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::object::ObjectKey;
use super::owners::read_parent;
use super::read_call::{GET_ACCESSIBLE_AT_POINT, GET_EXTENTS};
use super::rooms::Question;
use super::states_in_place::{derive_showing_below, states_in_place};
use super::wire::burst;
use futures_util::FutureExt;
use handeye_core::{Abilities, Node, NodeId, Rect, Role, Scope, States, Tree};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Coordinates relative to the screen. What a toolkit reports in them is read from it in them.
const SCREEN_COORDINATES: u32 = 0;

/// Whether an element in a container may be a page of it: it has a place, and holds or says something.
fn may_be_page(node: &Arc<Node>) -> bool {
    node.abilities.contains(Abilities::COMPONENT)
        && node.role != Role::ScrollBar
        && !(node.role.is_structural() && node.child_count == 0 && node.name.is_empty())
}

/// A container of which is not known whether it shows one of several pages, and its first two children that may be some.
struct Container {
    id: NodeId,
    key: ObjectKey,
    first: ObjectKey,
    second: Option<ObjectKey>,
}

/// An element that may have collapsed.
struct Candidate {
    key: ObjectKey,
    id: NodeId,
    was_collapsed: bool,
    /// The container of pages of which it is one.
    stack: Option<NodeId>,
}

impl ConnectedApplication {
    /// Reads of what may have collapsed in `scope` whether it has, in one burst, and of pages that claim the same place which of
    /// them shows. Whether something has unfolded that has to be loaded now.
    pub(super) async fn note_collapsed(&self, scope: Scope) -> Result<bool, CallError> {
        let tree = self.mirror.snapshot();
        let Some(start) = scope.root.filter(|root| tree.contains(*root)).or(tree.root()) else {
            return Ok(false);
        };
        self.note_stacks(&tree, start).await?;
        let candidates = self.candidates(&tree, start);
        let questions = self.questions(&tree, &candidates);
        drop(tree);
        let asked: Vec<&Candidate> =
            candidates.iter().filter(|candidate| questions.contains_key(&candidate.id)).collect();
        let calls = asked.iter().map(|candidate| self.room(&candidate.key).boxed());
        let areas = burst(calls.collect()).await?;
        let turned_away = self.turned_away(&asked, &areas).await?;
        let mut answers: HashMap<NodeId, bool> = HashMap::new();
        for (candidate, area) in asked.iter().zip(&areas) {
            // What vanished meanwhile is noticed by who looks at its parent.
            let Ok(area) = area else { continue };
            self.rooms().note_answer(candidate.id, questions[&candidate.id], area.is_none());
            answers.insert(candidate.id, area.is_none());
        }
        let mut unfolded = false;
        for candidate in &candidates {
            let answered = answers.get(&candidate.id).copied();
            let was_asked = questions.contains_key(&candidate.id);
            let is_empty = if was_asked { answered } else { self.rooms().is_empty(candidate.id) };
            let Some(is_empty) = is_empty else { continue };
            let collapsed = is_empty || turned_away.contains(&candidate.id);
            if collapsed != candidate.was_collapsed {
                unfolded |= self.collapse(candidate.id, collapsed);
            }
        }
        Ok(unfolded)
    }

    /// What may have collapsed below `start`, as far as it would show otherwise.
    fn candidates(&self, tree: &Tree, start: NodeId) -> Vec<Candidate> {
        let (book, stacks) = (self.book(), self.stacks());
        let stack_of = |parent: Option<NodeId>| parent.filter(|parent| stacks.get(parent) == Some(&true));
        tree.descendants(start)
            .filter_map(|node| {
                let stack = stack_of(node.parent).filter(|_| may_be_page(node));
                let was_collapsed = node.states.contains(States::COLLAPSED);
                let may_have = stack.is_some() || self.toolkit.may_collapse(node);
                (may_have && (node.is_showing() || was_collapsed)).then_some(())?;
                Some(Candidate { key: book.key(node.id)?.clone(), id: node.id, was_collapsed, stack })
            })
            .collect()
    }

    /// Which of `candidates` have to be asked for their room: those of which it is not known, and pages of a container in which several take
    /// some, as it is not announced which of these shows.
    fn questions(&self, tree: &Tree, candidates: &[Candidate]) -> HashMap<NodeId, Question> {
        let mut rooms = self.rooms();
        let ids: Vec<NodeId> = candidates.iter().map(|candidate| candidate.id).collect();
        let mut pages: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
        for page in candidates.iter().filter(|candidate| rooms.is_empty(candidate.id) != Some(true)) {
            if let Some(stack) = page.stack {
                pages.entry(stack).or_default().push(page.id);
            }
        }
        let mut questions = rooms.ask(tree, &ids);
        for page in pages.into_values().filter(|pages| pages.len() > 1).flatten() {
            questions.entry(page).or_insert_with(|| rooms.question(page));
        }
        questions
    }

    /// Finds out which containers below `start` show one of several pages, once for each.
    async fn note_stacks(&self, tree: &Tree, start: NodeId) -> Result<(), CallError> {
        if !self.toolkit.has_unlisted_pages() {
            return Ok(());
        }
        let unknown: Vec<Container> = {
            let (book, mut stacks) = (self.book(), self.stacks());
            stacks.retain(|id, _| tree.contains(*id));
            let key = |node: &Arc<Node>| book.key(node.id).cloned();
            tree.descendants(start)
                .filter(|node| node.is_showing() && node.role.is_structural() && node.children.len() > 1)
                .filter(|node| !stacks.contains_key(&node.id))
                .filter_map(|node| {
                    let mut parts = tree.children(node.id).filter(|child| may_be_page(child)).filter_map(key);
                    let first = parts.next()?;
                    Some(Container { id: node.id, key: key(node)?, first, second: parts.next() })
                })
                .collect()
        };
        let found =
            burst(unknown.iter().map(|container| self.has_pages(container).boxed()).collect()).await?;
        let mut stacks = self.stacks();
        for (container, has_pages) in unknown.into_iter().zip(found) {
            // What vanished meanwhile is found out about when it is back.
            if let Ok(has_pages) = has_pages {
                stacks.insert(container.id, has_pages);
            }
        }
        Ok(())
    }

    /// Whether a container shows one of several pages. Its children report that they are in something else, which is not a child of
    /// anything: a bulk load shows that; where it does not have the first child, that is asked. Or else, as libadwaita has no
    /// objects for pages, one of the first two takes no room, or they lie over each other.
    async fn has_pages(&self, container: &Container) -> Result<bool, CallError> {
        let parent = match self.in_bulk().get(&container.first) {
            Some(parent) => parent.clone(),
            None => read_parent(&self.wire, &container.first).await?,
        };
        if parent.is_some_and(|parent| parent != container.key) {
            return Ok(true);
        }
        let Some(second) = &container.second else { return Ok(false) };
        let (first, second) = tokio::try_join!(self.room(&container.first), self.room(second))?;
        Ok(match (first, second) {
            (Some(first), Some(second)) => first.intersection(&second).is_some(),
            _ => true,
        })
    }

    /// The pages that take room and do not show: where several of a container claim some, those at which no point can be hit, if one
    /// can at another.
    async fn turned_away(
        &self,
        candidates: &[&Candidate],
        areas: &[Result<Option<Rect>, CallError>],
    ) -> Result<HashSet<NodeId>, CallError> {
        let mut pages: HashMap<NodeId, Vec<(&Candidate, Rect)>> = HashMap::new();
        for (candidate, area) in candidates.iter().zip(areas) {
            if let (Some(stack), Ok(Some(area))) = (candidate.stack, area) {
                pages.entry(stack).or_default().push((candidate, *area));
            }
        }
        pages.retain(|_, pages| pages.len() > 1);
        let calls = pages.values().flatten().map(|(page, area)| self.can_be_hit(&page.key, *area).boxed());
        let mut answers = burst(calls.collect()).await?.into_iter();
        let mut turned_away = HashSet::new();
        for pages in pages.values() {
            let hit: Vec<bool> = answers.by_ref().take(pages.len()).map(|hit| hit.unwrap_or(true)).collect();
            let shown: Vec<Rect> =
                pages.iter().zip(&hit).filter(|(_, hit)| **hit).map(|((_, area), _)| *area).collect();
            // Pages have one corner in common; the rest of what lies over something else does not let itself be hit.
            let covers = |area: &Rect| shown.iter().any(|shown| (shown.x, shown.y) == (area.x, area.y));
            let missed = pages.iter().zip(&hit).filter(|((_, area), hit)| !**hit && covers(area));
            turned_away.extend(missed.map(|((page, _), _)| page.id));
        }
        Ok(turned_away)
    }

    /// The room that an element takes, in its toolkit's own coordinates. `None` where it is nothing wide or nothing high.
    async fn room(&self, key: &ObjectKey) -> Result<Option<Rect>, CallError> {
        let (x, y, width, height) = self.wire.call(key, &GET_EXTENTS, &SCREEN_COORDINATES).await?;
        let (width, height) = (u32::try_from(width).unwrap_or(0), u32::try_from(height).unwrap_or(0));
        Ok((width > 0 && height > 0).then(|| Rect::new(x, y, width, height)))
    }

    /// Whether an element finds itself or something in it at its middle.
    async fn can_be_hit(&self, key: &ObjectKey, area: Rect) -> Result<bool, CallError> {
        let middle = area.center();
        let point = (middle.x, middle.y, SCREEN_COORDINATES);
        let hit = self.wire.call(key, &GET_ACCESSIBLE_AT_POINT, &point).await?;
        Ok(ObjectKey::from_raw(&hit, self.wire.name()).is_some())
    }

    /// Records whether an element has collapsed. Whether something below it has to be loaded now.
    fn collapse(&self, id: NodeId, collapsed: bool) -> bool {
        self.mirror.update(|tree| {
            let Some((parent, role, mut states)) =
                tree.get(id).map(|node| (node.parent, node.role, node.states))
            else {
                return;
            };
            states.set(States::COLLAPSED, collapsed);
            let states = states_in_place(tree, self.toolkit, parent, role, states);
            tree.update(id, |node| node.states = states);
            derive_showing_below(tree, self.toolkit, id);
        });
        let (mut book, tree) = (self.book(), self.mirror.snapshot());
        let mut unloaded = false;
        for node in tree.descendants(id).filter(|node| node.is_showing()) {
            let has_more = node.unloaded_children() > 0 || book.is_sketched(node.id);
            if !has_more {
                continue;
            }
            if let Some(key) = book.key(node.id).cloned() {
                book.mark(&key, Dirt::CHILDREN);
                unloaded = true;
            }
        }
        unloaded
    }
}
