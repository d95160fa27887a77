//! Putting new readings of elements into the mirror.

use super::book::Dirt;
use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::object::ObjectKey;
use super::reading::Reading;
use handeye_core::NodeId;

impl ConnectedApplication {
    /// Puts readings into the mirror, and marks what they show to be missing there.
    pub(super) fn apply_readings(
        &self,
        elements: Vec<(ObjectKey, NodeId)>,
        readings: Vec<Result<Reading, CallError>>,
    ) {
        let mut book = self.book();
        let tree = self.mirror.snapshot();
        self.mirror.update(|mirrored| {
            for ((key, id), reading) in elements.into_iter().zip(readings) {
                let Some(old) = tree.get(id) else { continue };
                match reading {
                    Ok(mut reading) => {
                        let is_in_sheet = || {
                            old.parent
                                .and_then(|id| tree.get(id))
                                .is_some_and(|list| list.has_virtual_children())
                        };
                        if self.toolkit.has_plain_cells(old.role, old.abilities) && is_in_sheet() {
                            reading.child_count = old.child_count;
                        }
                        let shows = self.toolkit.may_show(reading.role, reading.states, old.owner.is_some());
                        let became_visible = !old.is_showing() && shows;
                        if reading.child_count != old.child_count
                            || (became_visible && old.unloaded_children() > 0)
                        {
                            book.mark(&key, Dirt::CHILDREN);
                        }
                        book.note_read(id);
                        book.apply_reading(mirrored, self.toolkit, id, reading);
                    }
                    Err(_) => {
                        if let Some(parent) = old.parent.and_then(|parent| book.key(parent).cloned()) {
                            book.mark(&parent, Dirt::CHILDREN);
                        }
                    }
                }
            }
        });
    }
}
