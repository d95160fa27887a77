//! Reading again what an application's events do not tell, in the fewest calls.

use super::book::{Dirt, shows};
use super::connected::ConnectedApplication;
use super::object::ObjectKey;
use super::reading::{MAX_LISTED_CHILDREN, bounded, read_children};
use super::vocabulary::states_from_words;
use super::wire::{CallError, burst};
use futures_util::FutureExt;
use handeye_core::{Node, Role, Scope, States};
use std::sync::Arc;

/// What can have changed unseen about one element.
struct Check {
    /// `None` where the toolkit's events tell.
    states: Option<States>,
    /// `None` where the toolkit's events tell.
    name: Option<Arc<str>>,
    children_differ: bool,
}

/// Whether an element of this role can get children that matter.
fn may_gain_children(node: &Node) -> bool {
    !node.children.is_empty()
        || !matches!(
            node.role,
            Role::Button
                | Role::ToggleButton
                | Role::CheckBox
                | Role::RadioButton
                | Role::Switch
                | Role::Text
                | Role::TextBox
                | Role::Image
                | Role::Slider
                | Role::SpinButton
                | Role::ProgressBar
                | Role::LevelBar
                | Role::ScrollBar
                | Role::Separator
                | Role::MenuItem
                | Role::MenuItemCheckBox
                | Role::MenuItemRadio
                | Role::Cell
        )
}

impl ConnectedApplication {
    /// Reads again, in one burst, everything that could have changed unseen in `scope`: names, states and children of what is showing, and
    /// the states of its hidden siblings.
    pub(super) async fn revalidate(&self, scope: Scope) -> Result<(), CallError> {
        let tree = self.mirror.snapshot();
        let Some(start) = scope.root.filter(|root| tree.contains(*root)).or(tree.root()) else {
            return Ok(());
        };
        let trust = self.toolkit.trust();
        let candidates: Vec<(ObjectKey, Arc<Node>)> = {
            let book = self.book();
            tree.descendants(start)
                .filter(|node| {
                    scope.hidden || node.is_showing() || (!trust.properties && shows(&tree, node.parent))
                })
                .filter(|node| !trust.properties || may_gain_children(node))
                .filter_map(|node| Some((book.key(node.id)?.clone(), Arc::clone(node))))
                .collect()
        };
        let guard = self.begin_load();

        let calls = candidates.iter().map(|(key, node)| self.check(key, node).boxed()).collect();
        let checks = burst(calls).await?;
        let mut book = self.book();
        self.mirror.update(|mirrored| {
            for ((key, node), check) in candidates.into_iter().zip(checks) {
                match check {
                    Ok(check) => {
                        let parent_showing = shows(mirrored, node.parent);
                        let states = check.states.map_or(node.states, |states| {
                            self.toolkit.normalise_states(states, parent_showing)
                                | (node.states & States::PROTECTED)
                        });
                        let began_to_show = states.contains(States::SHOWING)
                            && node.children.is_empty()
                            && node.child_count > 0;
                        if check.children_differ || began_to_show {
                            book.mark(&key, Dirt::CHILDREN);
                        }
                        if states != node.states || check.name.as_ref().is_some_and(|name| *name != node.name)
                        {
                            mirrored.update(node.id, |node| {
                                node.states = states;
                                if let Some(name) = check.name {
                                    node.name = name;
                                }
                            });
                        }
                    }
                    Err(_) => {
                        if let Some(parent) = node.parent.and_then(|parent| book.key(parent).cloned()) {
                            book.mark(&parent, Dirt::CHILDREN);
                        }
                    }
                }
            }
        });
        drop(book);
        drop(guard);
        Ok(())
    }

    /// What can have changed about one element, in the fewest calls.
    async fn check(&self, key: &ObjectKey, node: &Node) -> Result<Check, CallError> {
        let reads_properties = !self.toolkit.trust().properties;
        let states = async {
            if reads_properties {
                let words: Vec<u32> = self.wire.call(key, "Accessible", "GetState", &()).await?;
                return Ok(Some(states_from_words(&words)));
            }
            Ok::<_, CallError>(None)
        };
        let name = async {
            if !reads_properties {
                return Ok(None);
            }
            match self.wire.property::<String>(key, "Accessible", "Name").await {
                Err(error) if error.is_fatal() => Err(error),
                name => Ok(name.ok().map(|name| self.toolkit.normalise_name(node.role, bounded(&name)))),
            }
        };
        let children = async {
            if node.children.is_empty() || node.child_count > MAX_LISTED_CHILDREN {
                let count = self.wire.property::<i32>(key, "Accessible", "ChildCount").await?;
                return Ok::<_, CallError>(u32::try_from(count).unwrap_or(0) != node.child_count);
            }
            let children = read_children(&self.wire, key).await?;
            let book = self.book();
            Ok(children.len() != node.children.len()
                || children.iter().zip(&node.children).any(|(child, known)| book.key(*known) != Some(child)))
        };
        let (states, name, children_differ) = futures_util::future::join3(states, name, children).await;
        Ok(Check { states: states?, name: name?, children_differ: children_differ? })
    }
}
