//! The order of the elements in a container: that on the screen, where an application lists it as it was made.
//!
//! GTK 3 lists a header bar or a grid in reverse order of creation; Qt lists everything as it was made. Such a
//! container is asked where the things in it are, and again in each look of the next second, or until it has drawn, as an application lays out
//! what has changed only before it draws. Then it is not asked again as long as it lists the same things and they show, so that a look at what
//! is unchanged asks nothing, but in a thorough read: what is rearranged may be listed as it was.

use super::arrangement::{Arrangement, Drawn, Parts};
use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::details::{is_laid_out, read_raw_extents};
use super::object::ObjectKey;
use super::true_read::Begun;
use super::wire::burst;
use futures_util::FutureExt;
use handeye_core::{NodeId, Rect, Role, Scope, Tree};
use std::collections::HashMap;
use std::time::Instant;

/// Most things in a container that are put in order. One with more is a list, which has an order of its own.
const MAX_PARTS: usize = 64;
/// By how many pixels two things may overlap that stand side by side: borders do.
const OVERLAP: i32 = 4;

/// A container, and what shows in it, in the order that the mirror has.
struct Container {
    id: NodeId,
    parts: Parts,
    keys: Vec<ObjectKey>,
}

/// Whether elements of this role hold others that a program has placed, as opposed to a list of its user's things. A group of Qt that can be
/// switched off is a check box.
fn is_layout(role: Role) -> bool {
    role.is_structural()
        || matches!(role, Role::Window | Role::Dialog | Role::ToolBar | Role::StatusBar | Role::CheckBox)
}

impl ConnectedApplication {
    /// Puts what shows in the containers of `scope` in the order on the screen, where that is not known yet in a read that has `begun`: in a thorough one,
    /// what shows in all containers.
    pub(super) async fn arrange(&self, scope: Scope, begun: Begun) -> Result<(), CallError> {
        if !self.toolkit.lists_as_made() {
            return Ok(());
        }
        let scope = if begun.is_thorough { Scope { root: None, ..scope } } else { scope };
        let containers = self.not_arranged(&self.mirror.snapshot(), scope, begun);
        if containers.is_empty() {
            return Ok(());
        }
        let keys = containers.iter().flat_map(|container| &container.keys);
        let areas = burst(keys.map(|key| read_raw_extents(&self.wire, key).boxed()).collect()).await?;
        let drawn = if self.toolkit.lays_out_before_drawing() {
            Drawn { before: begun.drawn, after: self.stillness.last_drawn(self.application.pid()).await }
        } else {
            Drawn::default()
        };
        let mut areas = areas.into_iter().map(|area| area.ok().flatten().filter(is_laid_out));
        for container in containers {
            let areas: Vec<Option<Rect>> = areas.by_ref().take(container.keys.len()).collect();
            // What has no place yet is asked for it again in the next look.
            if areas.iter().any(Option::is_some) {
                self.put_in_order(container, &areas, drawn);
            }
        }
        Ok(())
    }

    /// The containers below the start of `scope` whose parts were not put in order since other ones began to show. No earlier order holds in a thorough read.
    fn not_arranged(&self, tree: &Tree, scope: Scope, begun: Begun) -> Vec<Container> {
        let Some(start) = scope.root.filter(|root| tree.contains(*root)).or(tree.root()) else {
            return Vec::new();
        };
        let (mut book, mut arranged) = (self.book(), self.arranged());
        book.forget_orders(tree);
        let containers: HashMap<NodeId, Parts> = tree
            .descendants(start)
            .filter(|node| node.is_showing() && is_layout(node.role) && node.owner.is_none())
            .filter_map(|node| {
                let parts = Parts {
                    listed: showing(tree, book.given(node)),
                    arranged: showing(tree, &node.children),
                };
                (2..=MAX_PARTS).contains(&parts.arranged.len()).then_some((node.id, parts))
            })
            .collect();
        arranged.retain(|id, _| containers.contains_key(id) || scope.root.is_some() && tree.contains(*id));
        let is_in_doubt = |known: &Arrangement| begun.is_thorough && !known.was_asked_since(begun.time);
        let is_known = |id: &NodeId, parts: &Parts| {
            arranged.get(id).is_some_and(|known| known.holds_for(parts) && !is_in_doubt(known))
        };
        containers
            .into_iter()
            .filter(|(id, parts)| !is_known(id, parts))
            .filter_map(|(id, parts)| {
                let keys =
                    parts.arranged.iter().map(|part| book.key(*part).cloned()).collect::<Option<_>>()?;
                Some(Container { id, parts, keys })
            })
            .collect()
    }

    /// Whether the order in each container is known or was asked since `time`.
    pub(super) fn is_arranged_since(&self, time: Instant) -> bool {
        self.arranged().values().all(|arrangement| arrangement.is_known_since(time))
    }

    /// Whether the order in each container is known for as long as that lists the same things.
    pub(super) fn is_arranged(&self) -> bool {
        self.arranged().values().all(Arrangement::is_sure)
    }

    fn put_in_order(&self, container: Container, areas: &[Option<Rect>], drawn: Drawn) {
        let Parts { listed, arranged } = container.parts;
        let placed: Vec<(NodeId, Rect)> =
            arranged.iter().zip(areas).filter_map(|(part, area)| Some((*part, (*area)?))).collect();
        let mut sorted = in_reading_order(&placed).into_iter();
        let is_placed = |part: &NodeId| placed.iter().any(|(placed, _)| placed == part);
        // What has no place, or does not show, stays where it is in the list.
        let mut next = |part: NodeId| if is_placed(&part) { sorted.next().unwrap_or(part) } else { part };
        let mut book = self.book();
        let tree = self.mirror.snapshot();
        let Some(node) = tree.get(container.id) else { return };
        let children: Vec<NodeId> = node.children.iter().map(|child| next(*child)).collect();
        if children != node.children {
            book.note_given(container.id, &node.children);
            self.mirror.update(|tree| tree.update(container.id, |node| node.children.clone_from(&children)));
        }
        let arranged = children.into_iter().filter(|child| arranged.contains(child)).collect();
        let mut known = self.arranged();
        let arrangement =
            Arrangement::of(Parts { listed, arranged }, Instant::now(), drawn, known.get(&container.id));
        known.insert(container.id, arrangement);
    }
}

/// Those of the elements that show.
fn showing(tree: &Tree, elements: &[NodeId]) -> Vec<NodeId> {
    elements.iter().copied().filter(|id| tree.get(*id).is_some_and(|node| node.is_showing())).collect()
}

/// Things in the order in which they are read: rows from top to bottom, and in a row from left to right. As they are given, where they
/// lie over each other.
fn in_reading_order(things: &[(NodeId, Rect)]) -> Vec<NodeId> {
    let given = || things.iter().map(|(id, _)| *id).collect();
    let rows = groups(things, |area| (area.y, area.bottom()));
    if rows.len() > 1 {
        return rows.iter().flat_map(|row| in_reading_order(row)).collect();
    }
    let columns = groups(things, |area| (area.x, area.right()));
    if columns.len() > 1 {
        return columns.iter().flat_map(|column| in_reading_order(column)).collect();
    }
    given()
}

/// Groups of things that overlap each other along one axis, in the order of that axis. `span` says from where to where a thing reaches.
fn groups(things: &[(NodeId, Rect)], span: impl Fn(&Rect) -> (i32, i32)) -> Vec<Vec<(NodeId, Rect)>> {
    let mut places: Vec<usize> = (0..things.len()).collect();
    places.sort_by_key(|place| span(&things[*place].1).0);
    let mut groups: Vec<(i32, Vec<usize>)> = Vec::new();
    for place in places {
        let (start, end) = span(&things[place].1);
        match groups.last_mut() {
            Some((reach, group)) if start.saturating_add(OVERLAP) < *reach => {
                *reach = end.max(*reach);
                group.push(place);
            }
            _ => groups.push((end, vec![place])),
        }
    }
    // Within a group the order is that in which they were given.
    let of = |mut group: Vec<usize>| {
        group.sort_unstable();
        group.into_iter().map(|place| things[place]).collect()
    };
    groups.into_iter().map(|(_, group)| of(group)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of `areas` in the order in which they are read.
    fn order(areas: &[(i32, i32, u32, u32)]) -> Vec<usize> {
        let things: Vec<(NodeId, Rect)> = areas
            .iter()
            .map(|(x, y, width, height)| (NodeId::mint(), Rect::new(*x, *y, *width, *height)))
            .collect();
        let place = |id: NodeId| things.iter().position(|thing| thing.0 == id).expect("it was given");
        in_reading_order(&things).into_iter().map(place).collect()
    }

    #[test]
    fn a_row_is_read_from_left_to_right() {
        assert_eq!(order(&[(0, 0, 50, 30), (250, 0, 50, 30), (190, 2, 50, 26)]), [0, 2, 1]);
    }

    #[test]
    fn a_grid_is_read_by_rows() {
        let grid = [(60, 40, 90, 30), (0, 46, 50, 18), (60, 0, 90, 30), (0, 6, 50, 18)];
        assert_eq!(order(&grid), [3, 2, 1, 0]);
    }

    #[test]
    fn columns_of_other_heights_are_read_one_after_the_other() {
        assert_eq!(order(&[(100, 0, 50, 200), (0, 110, 90, 90), (0, 0, 90, 100)]), [2, 1, 0]);
    }

    #[test]
    fn what_lies_over_each_other_stays_as_it_is() {
        assert_eq!(order(&[(10, 10, 50, 50), (0, 0, 200, 200), (20, 0, 10, 200)]), [0, 1, 2]);
    }

    #[test]
    fn borders_may_overlap() {
        assert_eq!(order(&[(49, 0, 50, 30), (0, 0, 50, 30)]), [1, 0]);
    }
}
