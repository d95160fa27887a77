//! What of an element can be seen: the part that its containers and the windows above it leave.

use handeye_core::{Node, NodeId, Rect, Role, Space, Tree};

/// The smallest part that is worth a mark, in pixels a side.
const WORTH: u32 = 4;

/// The part of an element that its containers show, where `place` says that elements are; `None` if it is scrolled out of them or has no place.
///
/// Toolkits call an element "showing" that is scrolled out of its container. In applications every container holds what it
/// shows. In web pages contents may flow over, so there only the page itself and what scrolls cut anything off.
pub(crate) fn inside_containers<S: Space>(
    tree: &Tree,
    id: NodeId,
    place: impl Fn(&Node) -> Option<Rect<S>>,
) -> Option<Rect<S>> {
    let mut part = place(tree.get(id)?)?;
    let mut documents = tree.ancestors(id).filter(|above| above.role == Role::Document).count();
    for above in tree.ancestors(id) {
        // A window's extents may lack its decoration. A menu hangs out of what opened it.
        if above.parent == tree.root() || matches!(above.role, Role::Menu | Role::MenuItem | Role::ComboBox) {
            break;
        }
        let is_page = documents > 0;
        if above.role == Role::Document {
            documents = documents.saturating_sub(1);
        }
        let cuts = !is_page || above.role == Role::Document || &*above.native_role == "scroll pane";
        if let Some(extents) = place(above).filter(|extents| cuts && !extents.is_empty()) {
            part = part.intersection(&extents)?;
        }
    }
    Some(part)
}

/// The largest part of `area`, as far as that is found by cutting off one side for each of `covers`, that none of them covers.
pub(super) fn uncovered(area: Rect, covers: impl Iterator<Item = Rect>) -> Option<Rect> {
    let mut part = area;
    for cover in covers {
        let Some(hidden) = part.intersection(&cover) else { continue };
        let sides = [
            span(part.x, part.y, part.right(), hidden.y),
            span(part.x, hidden.bottom(), part.right(), part.bottom()),
            span(part.x, part.y, hidden.x, part.bottom()),
            span(hidden.right(), part.y, part.right(), part.bottom()),
        ];
        part = sides.into_iter().max_by_key(size)?;
        if part.is_empty() {
            return None;
        }
    }
    worth(part)
}

/// How many pixels a rectangle has.
fn size(area: &Rect) -> u64 {
    u64::from(area.width) * u64::from(area.height)
}

/// The part, if it is large enough for a mark.
pub(super) fn worth<S: Space>(part: Rect<S>) -> Option<Rect<S>> {
    (part.width >= WORTH && part.height >= WORTH).then_some(part)
}

/// The rectangle between these edges, empty if they are in the wrong order.
fn span(left: i32, top: i32, right: i32, bottom: i32) -> Rect {
    let length = |from: i32, to: i32| u32::try_from(to.saturating_sub(from)).unwrap_or(0);
    Rect::new(left, top, length(left, right), length(top, bottom))
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::{Detail, Extents, testing};

    #[test]
    fn the_largest_uncovered_side_is_what_is_seen() {
        let area = Rect::new(0, 0, 100, 40);
        assert_eq!(uncovered(area, [].into_iter()), Some(area));
        assert_eq!(
            uncovered(area, [Rect::new(60, -10, 100, 100)].into_iter()),
            Some(Rect::new(0, 0, 60, 40))
        );
        assert_eq!(uncovered(area, [Rect::new(200, 0, 9, 9)].into_iter()), Some(area));
        assert_eq!(uncovered(area, [Rect::new(0, 0, 60, 40), Rect::new(50, 0, 60, 38)].into_iter()), None);
        assert_eq!(uncovered(area, [Rect::new(-5, -5, 900, 900)].into_iter()), None);
    }

    #[test]
    fn what_is_scrolled_out_is_not_seen_and_what_hangs_out_is() {
        let mut tree = testing::tree(
            "window \"W\"\n  group \"Pane\"\n    button \"In\"\n    button \"Half\"\n    button \"Out\"\n  \
             menu \"File\"\n    menuitem \"Quit\"\n  document \"Page\"\n    group \"Flows\"\n      link \"Over\"\n      link \"Off\"",
        );
        for (name, area) in [
            ("W", Rect::new(0, 0, 10, 10)),
            ("Pane", Rect::new(0, 0, 100, 100)),
            ("In", Rect::new(10, 10, 50, 20)),
            ("Half", Rect::new(10, 90, 50, 20)),
            ("Out", Rect::new(10, 190, 50, 20)),
            ("File", Rect::new(0, 0, 30, 10)),
            ("Quit", Rect::new(0, 10, 80, 20)),
            ("Page", Rect::new(0, 0, 300, 300)),
            ("Flows", Rect::new(0, 0, 300, 10)),
            ("Over", Rect::new(0, 50, 40, 10)),
            ("Off", Rect::new(0, 500, 40, 10)),
        ] {
            let id = testing::named(&tree, name);
            tree.update(id, |node| node.details.extents = Detail::Known(Extents::OnScreen(area)));
        }
        let seen = |name: &str| {
            inside_containers(&tree, testing::named(&tree, name), |node| {
                node.details.extents.known()?.on_screen(None)
            })
        };
        assert_eq!(seen("In"), Some(Rect::new(10, 10, 50, 20)));
        assert_eq!(seen("Half"), Some(Rect::new(10, 90, 50, 10)));
        assert_eq!(seen("Out"), None);
        assert_eq!(seen("Quit"), Some(Rect::new(0, 10, 80, 20)));
        assert_eq!(seen("Over"), Some(Rect::new(0, 50, 40, 10)));
        assert_eq!(seen("Off"), None);
    }
}
