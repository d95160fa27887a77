//! Looking closer at one element: all of its attributes, and which element lies at a point.

use super::connected::ConnectedApplication;
use super::object::ObjectKey;
use super::read_call::{GET_ACCESSIBLE_AT_POINT, GET_ATTRIBUTES};
use super::reading::shortened;
use super::wire::CallError;
use handeye_core::{Abilities, NodeId, Point, Result, WindowId};
use std::collections::{BTreeMap, HashMap};

/// Longest attribute value that is given out, in bytes.
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
        let key = self.key(id)?;
        let attributes = match self.wire.call(&key, &GET_ATTRIBUTES, &()).await {
            Ok(attributes) => attributes,
            Err(error) if error.is_fatal() => return Err(self.error(error)),
            Err(_) => HashMap::new(),
        };
        let cut = |text: String| shortened(&text, MAX_ATTRIBUTE).into_owned();
        Ok(attributes.into_iter().take(MAX_ATTRIBUTES).map(|(name, value)| (cut(name), cut(value))).collect())
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
                !on_screen.frame.contains(point)
                    || on_screen.minimized
                    || within.is_some_and(|within| on_screen.id != within)
            });
            if is_elsewhere {
                continue;
            }
            let correction =
                self.correction_for(&tree, window.id).await.map_err(|error| self.error(error))?;
            let hit = self
                .descend(&self.key(window.id)?, correction.invert(point))
                .await
                .map_err(|error| self.error(error))?;
            if let Some(id) = hit.and_then(|hit| self.id(&hit)) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Follows `GetAccessibleAtPoint` from `start` to the innermost element. Toolkits answer with a child, with the
    /// innermost element at once, or with the container itself.
    async fn descend(&self, start: &ObjectKey, point: Point) -> Result<Option<ObjectKey>, CallError> {
        let mut current = start.clone();
        let mut deepest = None;
        for _ in 0..MAX_DESCENT {
            let answer = self
                .wire
                .call(&current, &GET_ACCESSIBLE_AT_POINT, &(point.x, point.y, SCREEN_COORDINATES))
                .await;
            let next = match answer {
                Ok(answer) => ObjectKey::from_raw(&answer, self.wire.name()),
                Err(error) if error.is_fatal() => return Err(error),
                Err(_) => None,
            };
            match next {
                Some(next) if next != current => {
                    if self.id(&next).is_some() {
                        deepest = Some(next.clone());
                    }
                    current = next;
                }
                _ => break,
            }
        }
        Ok(deepest)
    }
}
