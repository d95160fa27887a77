//! The titles of windows that have no name in the tree. Of a Qt application that names its window nothing, the screen has the application's name as
//! its title, and the tree an empty name.

use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::details::read_raw_extents;
use handeye_core::{Node, NodeId, Rect, Role, Tree, Window, screen_text};
use std::sync::Arc;

impl ConnectedApplication {
    /// Gives windows that have no name their title on the screen. A window that is not there yet, or is a popup without a title, is looked for again
    /// in the next look.
    pub(super) async fn title_windows(&self) -> Result<(), CallError> {
        if !self.toolkit.leaves_windows_unnamed() {
            return Ok(());
        }
        let tree = self.mirror.snapshot();
        self.titles().retain(|id, _| tree.contains(*id));
        self.restore_titles();
        let unnamed: Vec<Arc<Node>> = unnamed(&self.mirror.snapshot()).cloned().collect();
        if unnamed.is_empty() {
            return Ok(());
        }
        let named: Vec<String> = tree.windows().map(|node| screen_text::title(&node.name)).collect();
        let mut windows = self.own_windows().await;
        windows.retain(|window| !window.title.is_empty() && !named.contains(&window.title));
        for node in &unnamed {
            let Some(key) = self.book().key(node.id).cloned() else { continue };
            if windows.is_empty() {
                break;
            }
            let area = read_raw_extents(&self.wire, &key).await?;
            if let Some(place) = shown_as(area, &windows, unnamed.len() == 1) {
                let title = Arc::from(windows.swap_remove(place).title);
                self.titles().insert(node.id, title);
            }
        }
        self.restore_titles();
        Ok(())
    }

    /// Gives windows the titles that are known of them, where they were read again without a name.
    pub(super) fn restore_titles(&self) {
        let tree = self.mirror.snapshot();
        let titles = self.titles();
        let known: Vec<(NodeId, Arc<str>)> =
            unnamed(&tree).filter_map(|node| Some((node.id, Arc::clone(titles.get(&node.id)?)))).collect();
        drop(titles);
        if !known.is_empty() {
            self.mirror.update(|tree| {
                for (id, title) in known {
                    tree.update(id, |node| node.name = title);
                }
            });
        }
    }
}

fn unnamed(tree: &Tree) -> impl Iterator<Item = &Arc<Node>> {
    tree.windows().filter(|node| {
        node.role == Role::Window && node.name.is_empty() && node.is_showing() && node.owner.is_none()
    })
}

/// Which of these windows shows an element that takes up `area`: the one of its size, or the only one if the element `is_only`, as sizes differ where
/// the application has a scale of its own.
fn shown_as(area: Option<Rect>, windows: &[Window], is_only: bool) -> Option<usize> {
    let area = area?;
    let has_size = |window: &Window| {
        window.content().is_some_and(|content| (content.width, content.height) == (area.width, area.height))
    };
    windows.iter().position(has_size).or_else(|| (is_only && windows.len() == 1).then_some(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::{Place, WindowId};

    #[test]
    fn a_window_is_recognised_by_its_size_or_as_the_only_one() {
        let window = |number, title, width| Window {
            id: WindowId::issued(number),
            title: String::from(title),
            class: None,
            pid: Some(7),
            place: Some(Place::bare(Rect::new(5, 5, width, 100))),
            stacking: None,
            minimized: false,
            active: false,
            modal: false,
            transient_for: None,
        };
        let (one, other) = (window(1, "One", 300), window(2, "Other", 400));
        let area = |width| Some(Rect::new(0, 0, width, 100));
        let both = [one.clone(), other];
        assert_eq!(shown_as(area(400), &both, false), Some(1));
        assert_eq!(shown_as(area(200), &both, true), None, "it may be either");
        assert_eq!(shown_as(area(150), std::slice::from_ref(&one), true), Some(0));
        assert_eq!(shown_as(area(150), &[one], false), None, "another element has no name either");
        assert_eq!(shown_as(None, &both, true), None);
    }
}
