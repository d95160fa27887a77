//! What an event changes in the mirror, and what it only says has to be read again.

use super::book::{Book, Dirt};
use super::connected::ConnectedApplication;
use super::events::{Event, EventKind};
use super::object::ObjectKey;
use super::reading::{is_another_kind_with, rename};
use super::states_in_place::{derive_showing_below, states_in_place};
use super::vocabulary::state_from_name;
use handeye_core::{DetailKinds, NodeId, States};
use std::sync::Arc;

impl ConnectedApplication {
    /// Applies one event to the mirror. Never waits and never asks the application anything.
    pub(super) fn apply(&self, event: &Event) {
        let mut book = self.book();
        // No value in the mirror depends on it, and elements that are animated send many.
        if event.kind == EventKind::Size {
            if let Some(id) = book.id(&event.source) {
                self.rooms().note_announced(id);
            }
            return;
        }
        let tree = self.mirror.snapshot();
        let id = book.id(&event.source).filter(|id| tree.contains(*id));
        drop(tree);
        // What a load reads meanwhile may be older than this event: have it read again.
        let is_loading = book.is_loading();
        match &event.kind {
            EventKind::Children | EventKind::Windows => book.mark(&event.source, Dirt::CHILDREN),
            EventKind::Role | EventKind::Description | EventKind::Name(None) => {
                book.mark(&event.source, Dirt::SELF);
            }
            EventKind::Selection => {
                let tree = self.mirror.snapshot();
                for child in id.into_iter().flat_map(|id| tree.children(id)) {
                    if let Some(key) = book.key(child.id).cloned() {
                        book.mark(&key, Dirt::SELF);
                    }
                }
            }
            // GTK 3 says so of each object that it makes, because somebody asked for it.
            EventKind::State { name, set: false } if name == "defunct" => {}
            // Not a state that we keep, but one that implies SENSITIVE, which not every toolkit announces.
            EventKind::State { name, .. } if name == "enabled" => book.mark(&event.source, Dirt::SELF),
            EventKind::State { .. }
            | EventKind::Activation(_)
            | EventKind::Minimized(_)
            | EventKind::Name(Some(_))
                if is_loading =>
            {
                book.mark(&event.source, Dirt::SELF);
            }
            _ => {}
        }
        if matches!(&event.kind, EventKind::State { name, set: true } if name == "focused") {
            self.doubt_other_focus(&mut book, &event.source);
        }
        if let Some(id) = id {
            self.patch(&mut book, id, event);
        }
        drop(book);
        self.mirror.note_events(1);
    }

    /// Another element has the focus now, in the mirror already or not. Not every toolkit says who lost it.
    fn doubt_other_focus(&self, book: &mut Book, focused: &ObjectKey) {
        let tree = self.mirror.snapshot();
        for other in tree.nodes().filter(|other| other.states.contains(States::FOCUSED)) {
            if let Some(key) = book.key(other.id).filter(|key| *key != focused).cloned() {
                book.mark(&key, Dirt::SELF);
            }
        }
    }

    /// Changes the element that an event is about, as far as the event itself says how.
    fn patch(&self, book: &mut Book, id: NodeId, event: &Event) {
        match &event.kind {
            EventKind::State { name, set } => {
                if let Some(state) = state_from_name(name) {
                    self.patch_state(book, id, &event.source, state, *set);
                }
            }
            EventKind::Activation(active) => {
                self.patch_state(book, id, &event.source, States::ACTIVE, *active);
            }
            EventKind::Minimized(minimized) => {
                self.patch_state(book, id, &event.source, States::ICONIFIED, *minimized);
            }
            EventKind::Name(Some(name)) => {
                self.mirror.update(|tree| {
                    tree.update(id, |node| {
                        let said = self.toolkit.normalise_name(node.role, Arc::clone(name));
                        rename(node, book.titles.called(id, said, name));
                    });
                });
            }
            EventKind::Text | EventKind::Value => {
                let describes = event.kind == EventKind::Value
                    && self
                        .mirror
                        .snapshot()
                        .get(id)
                        .is_some_and(|node| self.toolkit.describes_by_value(node));
                if describes {
                    book.mark(&event.source, Dirt::SELF);
                }
                let kinds = DetailKinds::TEXT | DetailKinds::VALUE;
                self.mirror.update(|tree| tree.update(id, |node| node.details.forget(kinds)));
            }
            EventKind::Children
            | EventKind::Windows
            | EventKind::Size
            | EventKind::Selection
            | EventKind::Name(None)
            | EventKind::Role
            | EventKind::Description => {}
        }
    }

    fn patch_state(&self, book: &mut Book, id: NodeId, source: &ObjectKey, state: States, set: bool) {
        let tree = self.mirror.snapshot();
        let Some(node) = tree.get(id) else { return };
        if state == States::DEFUNCT {
            if set && let Some(parent) = node.parent.and_then(|parent| book.key(parent).cloned()) {
                book.mark(&parent, Dirt::CHILDREN);
            }
            return;
        }
        let has_more = node.unloaded_children() > 0 || book.is_sketched(id);
        if set && state.intersects(States::SHOWING | States::VISIBLE) && has_more {
            book.mark(source, Dirt::CHILDREN);
        }
        if node.states.contains(state) == set && !self.toolkit.derives_showing() {
            return;
        }
        if is_another_kind_with(state) && node.states.contains(state) != set {
            book.mark(source, Dirt::SELF);
        }
        drop(tree);
        self.mirror.update(|tree| {
            tree.update(id, |node| node.states.set(state, set));
            let Some(node) = tree.get(id) else { return };
            let states = states_in_place(tree, self.toolkit, node.parent, node.role, node.states);
            tree.update(id, |node| node.states = states);
            if self.toolkit.derives_showing() && state.intersects(States::VISIBLE | States::SHOWING) {
                derive_showing_below(tree, self.toolkit, id);
            }
        });
    }
}
