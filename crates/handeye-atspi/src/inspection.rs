//! Looking closer at one element: all of its attributes, and which element lies at a point.

use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::correction::Correction;
use super::object::ObjectKey;
use super::read_call::{GET_ACCESSIBLE_AT_POINT, GET_ATTRIBUTES, GET_SELECTED_CHILD};
use super::reading::shortened;
use handeye_core::{Abilities, NodeId, Point, Result, Tree, WindowId};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Longest attribute value that is returned, in bytes.
const MAX_ATTRIBUTE: usize = 1000;
/// Most attributes of one element.
const MAX_ATTRIBUTES: usize = 100;
/// How far a hit is followed down through containers that name a child of theirs.
const MAX_DESCENT: usize = 40;
/// Coordinates relative to the screen.
const SCREEN_COORDINATES: u32 = 0;

impl ConnectedApplication {
    /// Everything that the toolkit says about an element.
    pub(super) async fn read_attributes(&self, id: NodeId) -> Result<BTreeMap<String, String>> {
        let key = self.object(id).await?;
        let attributes = match self.wire.call(&key, &GET_ATTRIBUTES, &()).await {
            Ok(attributes) => attributes,
            Err(error) if error.is_fatal() => return Err(self.error(error)),
            Err(_) => HashMap::new(),
        };
        let cut = |text: String| shortened(&text, MAX_ATTRIBUTE).into_owned();
        Ok(attributes.into_iter().take(MAX_ATTRIBUTES).map(|(name, value)| (cut(name), cut(value))).collect())
    }

    /// What the container says to be selected first in it.
    pub(super) async fn read_selected(&self, container: NodeId) -> Result<Option<NodeId>> {
        let key = self.key(container)?;
        match self.wire.call(&key, &GET_SELECTED_CHILD, &0).await {
            Ok(answer) => Ok(ObjectKey::from_raw(&answer, self.wire.name()).and_then(|key| self.id(&key))),
            Err(error) if error.is_fatal() => Err(self.error(error)),
            Err(_) => Ok(None),
        }
    }

    /// The innermost element at a point, as the application sees it.
    pub(super) async fn find_at(&self, point: Point, within: Option<WindowId>) -> Result<Option<NodeId>> {
        let tree = self.mirror.snapshot();
        for window in tree
            .windows()
            .filter(|window| window.is_showing() && window.abilities.contains(Abilities::COMPONENT))
        {
            let on_screen = self.window_for(window).await.map_err(|error| self.error(error))?;
            let is_elsewhere = on_screen.is_some_and(|on_screen| {
                !on_screen.frame().is_some_and(|frame| frame.contains(point))
                    || on_screen.minimized
                    || within.is_some_and(|within| on_screen.id != within)
            });
            if is_elsewhere {
                continue;
            }
            let windows = HashSet::from([window.id]);
            let corrections = self.corrections(&tree, &windows).await.map_err(|error| self.error(error))?;
            let hit = self
                .descend(&tree, window.id, point, &corrections)
                .await
                .map_err(|error| self.error(error))?;
            if let Some(id) = hit.and_then(|hit| self.id(&hit)) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Follows `GetAccessibleAtPoint` from `start` to the innermost element. Toolkits answer with a child, with the
    /// innermost element at once, or with the container itself. A part with an origin of its own is asked by that one.
    async fn descend(
        &self,
        tree: &Tree,
        start: NodeId,
        point: Point,
        corrections: &HashMap<NodeId, Correction>,
    ) -> Result<Option<ObjectKey>, CallError> {
        let Some(mut current) = self.book().key(start).cloned() else { return Ok(None) };
        let mut origin = start;
        let mut deepest = None;
        for _ in 0..MAX_DESCENT {
            let asked = Self::nearest(corrections, tree, origin).invert(point);
            let answer = self
                .wire
                .call(&current, &GET_ACCESSIBLE_AT_POINT, &(asked.x, asked.y, SCREEN_COORDINATES))
                .await;
            let next = match answer {
                Ok(answer) => ObjectKey::from_raw(&answer, self.wire.name()),
                Err(error) if error.is_fatal() => return Err(error),
                Err(_) => None,
            };
            let Some(next) = next.filter(|next| *next != current) else { break };
            current = next.clone();
            if let Some(id) = self.id(&next) {
                // What it answered with may lie beside the point: the part with another origin is asked again, once.
                if let Some(part) = origin_of(corrections, tree, id)
                    && origin == start
                    && Self::nearest(corrections, tree, part) != Self::nearest(corrections, tree, start)
                    && let Some(key) = self.book().key(part).cloned()
                {
                    origin = part;
                    current = key;
                }
                deepest = Some(current.clone());
            }
        }
        Ok(deepest)
    }
}

/// The element whose origin counts for the places in `node`: the nearest one around it that has a correction.
fn origin_of(corrections: &HashMap<NodeId, Correction>, tree: &Tree, node: NodeId) -> Option<NodeId> {
    let around = tree.ancestors(node).map(|ancestor| ancestor.id);
    std::iter::once(node).chain(around).find(|id| corrections.contains_key(id))
}
