//! New objects for children whose application has let go of the old ones.
//!
//! LibreOffice makes an object for a cell of a sheet when it is asked for that cell. Its bridge, at-spi2-atk, keeps what is made so for 15 to 20 seconds
//! after it has named it, and then answers that there is no such object. The cell is still there: its container names another object for its place.

use super::book::Dirt;
use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::object::ObjectKey;
use super::read_call::GET_STATE;
use super::virtual_children::ChildPosition;
use super::wire::burst;
use futures_util::FutureExt;
use handeye_core::NodeId;
use std::collections::HashSet;

impl ConnectedApplication {
    /// Whether an element is the child of a container that makes another object for its place whenever it has let go of the last one.
    pub(super) fn is_made_on_demand(&self, id: NodeId) -> bool {
        let tree = self.mirror.snapshot();
        let container = tree.get(id).and_then(|node| tree.get(node.parent?));
        !self.toolkit.keeps_objects() && container.is_some_and(|container| container.has_virtual_children())
    }

    /// Asks those of `nodes` that are made on demand whether they have their objects still, and gives new ones to those that have not.
    pub(super) async fn renew_those_let_go(&self, nodes: &[NodeId]) -> Result<(), CallError> {
        let asked: Vec<(NodeId, ObjectKey)> = {
            let made = nodes.iter().filter(|id| self.is_made_on_demand(**id));
            let made: Vec<NodeId> = made.copied().collect();
            let book = self.book();
            made.into_iter().filter_map(|id| Some((id, book.key(id)?.clone()))).collect()
        };
        if asked.is_empty() {
            return Ok(());
        }
        let calls = asked.iter().map(|(_, key)| self.wire.call(key, &GET_STATE, &()).boxed()).collect();
        let answers = burst(calls).await?;
        let is_let_go = |answer: &Result<_, CallError>| matches!(answer, Err(CallError::NoSuchObject));
        let let_go = asked.iter().zip(&answers).filter(|(_, answer)| is_let_go(answer));
        let let_go = let_go.map(|((id, _), _)| *id).collect();
        let load = self.begin_load();
        self.renew(&let_go).await?;
        drop(load);
        Ok(())
    }

    /// Gives these elements the objects that their containers have at their places by now, and reads them again. One without an object is looked for when
    /// its container is read next. To be called during a load.
    pub(super) async fn renew(&self, let_go: &HashSet<NodeId>) -> Result<(), CallError> {
        if let_go.is_empty() {
            return Ok(());
        }
        let wanted: Vec<(NodeId, ChildPosition, NodeId, ObjectKey)> = {
            let book = self.book();
            let places = book.places_of(let_go).into_iter();
            places.filter_map(|(list, at, id)| Some((list, at, id, book.key(list)?.clone()))).collect()
        };
        let calls = wanted.iter().map(|(_, at, _, list)| at.object(&self.wire, list).boxed()).collect();
        let objects = burst(calls).await?;
        let (mut renewed, mut ids) = (Vec::with_capacity(wanted.len()), Vec::with_capacity(wanted.len()));
        {
            let mut book = self.book();
            for ((list, at, id, list_key), object) in wanted.into_iter().zip(objects) {
                match object.ok().flatten().filter(|object| book.id(object).is_none_or(|known| known == id)) {
                    Some(object) => {
                        book.rebind(id, object.clone());
                        renewed.push((at, object));
                        ids.push(id);
                    }
                    None => {
                        book.forget_place(list, at);
                        book.mark(&list_key, Dirt::CHILDREN);
                    }
                }
            }
        }
        tracing::debug!(application = %self.application.name, let_go = let_go.len(), renewed = renewed.len(), "objects were let go of");
        let readings = self.read_in_view(&renewed).await?;
        let elements = renewed.into_iter().map(|(_, object)| object).zip(ids).collect();
        self.apply_readings(elements, readings);
        Ok(())
    }
}
