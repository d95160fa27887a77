//! Reading children of a container that are alike, as the cells of a sheet are.

use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::object::ObjectKey;
use super::read_call::GET_STATE;
use super::reading::{Reading, read_alike, read_object};
use super::virtual_children::ChildPosition;
use super::vocabulary::states_from_words;
use super::wire::burst;
use futures_util::FutureExt;

impl ConnectedApplication {
    /// Reads children of a container that makes them on demand. Where they are alike, all but two are asked for what distinguishes them: cells whose
    /// name is their place for their states alone.
    pub(super) async fn read_in_view(
        &self,
        children: &[(ChildPosition, ObjectKey)],
    ) -> Result<Vec<Result<Reading, CallError>>, CallError> {
        let read_whole = |(_, key)| read_object(&self.wire, key).boxed();
        let [first, between @ .., last] = children else {
            return burst(children.iter().map(|(at, key)| read_whole((at, key))).collect()).await;
        };
        let ends = burst([first, last].map(|(at, key)| read_whole((at, key))).into()).await?;
        let likeness = match ends.as_slice() {
            [Ok(one), Ok(other)] => self.likeness((first.0, one), (last.0, other)),
            _ => Likeness::None,
        };
        let read = async |at: ChildPosition, key: &ObjectKey| match (&likeness, at.cell_name()) {
            (Likeness::None, _) => read_object(&self.wire, key).await,
            (Likeness::NamedByPlace(pattern), Some(name)) => {
                let states = states_from_words(&self.wire.call(key, &GET_STATE, &()).await?);
                Ok(Reading { name: name.into(), states, ..pattern.clone() })
            }
            (Likeness::Kind(pattern) | Likeness::NamedByPlace(pattern), _) => {
                read_alike(&self.wire, key, pattern).await
            }
        };
        let middle = burst(between.iter().map(|(at, key)| read(*at, key).boxed()).collect()).await?;
        let mut readings = ends;
        readings.splice(1..1, middle);
        Ok(readings)
    }

    /// What all children of a container have in common, by two of them.
    fn likeness(&self, one: (ChildPosition, &Reading), other: (ChildPosition, &Reading)) -> Likeness {
        let is_plain = |reading: &Reading| self.toolkit.has_plain_cells(reading.role, reading.abilities);
        if !is_plain(one.1) || !is_plain(other.1) {
            return Likeness::None;
        }
        let pattern = one.1.clone();
        let is_named_by_place = |(at, reading): (ChildPosition, &Reading)| {
            at.cell_name().is_some_and(|name| *name == *reading.name)
        };
        if is_named_by_place(one) && is_named_by_place(other) && one.1.description == other.1.description {
            Likeness::NamedByPlace(pattern)
        } else {
            Likeness::Kind(pattern)
        }
    }
}

/// What children of one container have in common.
enum Likeness {
    /// Nothing that is known.
    None,
    /// Role and interfaces, and that what is inside only repeats what they are.
    Kind(Reading),
    /// The description too; their name is their place, as in "B7".
    NamedByPlace(Reading),
}
