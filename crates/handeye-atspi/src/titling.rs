//! Gives windows without a name the title that the screen shows.

use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::details::read_raw_extents;
use super::object::ObjectKey;
use super::wire::burst;
use futures_util::FutureExt;
use handeye_core::{NodeId, Role};

impl ConnectedApplication {
    /// Gives windows without a name their title on the screen, as far as it is not known yet.
    pub(super) async fn title_windows(&self) -> Result<(), CallError> {
        if !self.toolkit.leaves_windows_unnamed() {
            return Ok(());
        }
        let tree = self.mirror.snapshot();
        let wanted: Vec<(NodeId, ObjectKey)> = {
            let mut book = self.book();
            let wanted = book.titles.wanted(&tree);
            wanted.into_iter().filter_map(|id| Some((id, book.key(id)?.clone()))).collect()
        };
        if wanted.is_empty() {
            return Ok(());
        }
        let areas = wanted.iter().map(|(_, key)| read_raw_extents(&self.wire, key).boxed()).collect();
        let (windows, areas) = tokio::join!(self.own_windows(), burst(areas));
        let asked: Vec<_> =
            wanted.iter().zip(areas?).map(|((id, _), area)| (*id, area.ok().flatten())).collect();
        let mut book = self.book();
        let found = book.titles.find(&self.mirror.snapshot(), &asked, &windows);
        if found.is_empty() {
            return Ok(());
        }
        self.mirror.update(|tree| {
            for (id, title) in found {
                tree.update(id, |node| {
                    node.name = title;
                    if node.role.is_structural() {
                        node.role = Role::Window;
                    }
                });
            }
        });
        Ok(())
    }
}
