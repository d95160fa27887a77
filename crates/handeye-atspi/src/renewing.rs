//! New objects for cells whose application lets go of the old ones.
//!
//! LibreOffice makes an object for a cell of a sheet when it is asked for that cell. Its bridge, at-spi2-atk, keeps what is made so for 16 to 20 seconds
//! after it has named it (measured on 2.46), and then answers that there is no such object. The cell is still there: its sheet names another object for its
//! place. So a cell is asked only by an object that was named a short time ago.

use super::book::Dirt;
use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::object::ObjectKey;
use super::virtual_children::ChildPosition;
use super::wire::burst;
use futures_util::FutureExt;
use handeye_core::{NodeId, Result};
use std::collections::HashSet;
use std::time::Duration;

/// For how long after it was named an object is used that its application lets go of.
const USED_FOR: Duration = Duration::from_secs(10);

impl ConnectedApplication {
    /// The object behind an element of the mirror, by which it can be asked now.
    pub(super) async fn object(&self, id: NodeId) -> Result<ObjectKey> {
        self.renew_old([id]).await.map_err(|error| self.error(error))?;
        self.key(id)
    }

    /// Gives new objects to those of `nodes` whose own may be gone soon, or are already, and reads them again. Returns which these were.
    pub(super) async fn renew_old(
        &self,
        nodes: impl IntoIterator<Item = NodeId>,
    ) -> Result<HashSet<NodeId>, CallError> {
        let old: HashSet<NodeId> = {
            let book = self.book();
            nodes.into_iter().filter(|id| book.was_named_before(*id, USED_FOR)).collect()
        };
        if !old.is_empty() {
            let load = self.begin_load();
            self.renew(&old).await?;
            drop(load);
        }
        Ok(old)
    }

    /// Whether an application lets go of the object of an element that is there still.
    pub(super) fn is_let_go_of(&self, id: NodeId) -> bool {
        self.book().was_named_before(id, Duration::ZERO)
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
                // A look at the sheet may have put something else there meanwhile.
                if !book.is_at(list, at, id) {
                    continue;
                }
                let object = object.ok().flatten();
                let Some(object) = object.filter(|object| book.id(object).is_none_or(|known| known == id))
                else {
                    book.forget_place(list, at);
                    book.mark(&list_key, Dirt::CHILDREN);
                    continue;
                };
                book.rebind(id, object.clone());
                book.note_named(id);
                renewed.push((at, object));
                ids.push(id);
            }
        }
        tracing::debug!(application = %self.application.name, let_go = let_go.len(), renewed = renewed.len(), "objects were let go of");
        let readings = self.read_in_view(&renewed).await?;
        let elements = renewed.into_iter().map(|(_, object)| object).zip(ids).collect();
        self.apply_readings(elements, readings);
        Ok(())
    }
}
