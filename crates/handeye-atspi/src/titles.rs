//! What windows without a name are called. Of an application that sets no title, the screen has the application's name as the title of its windows;
//! the tree has an empty name in Qt and GTK 3, and the name of a class in GTK 4.

use handeye_core::{Node, NodeId, Rect, Role, States, Tree, Window, WindowId, screen_text};
use std::collections::HashMap;
use std::sync::Arc;

/// How often a window is looked for on the screen before it counts as one that is not there, such as a popup. One that is active then is looked for as
/// often again: an application may report a window long before it is on the screen.
const TRIES: u32 = 5;
/// What Qt puts between the title that an application sets and the application's name.
const BEFORE_THE_APPLICATION: &str = " \u{2014} ";

/// The titles on the screen of windows that have no name.
#[derive(Debug, Default)]
pub(super) struct Titles {
    known: HashMap<NodeId, Title>,
    /// How often windows were looked for in vain.
    tries: HashMap<NodeId, u32>,
}

#[derive(Debug)]
struct Title {
    window: WindowId,
    text: Arc<str>,
    /// What the application called it when that was read first with this title.
    reported: Option<Arc<str>>,
}

impl Titles {
    /// What an element is called that has this `name`, by what its application has `reported`. One that has got a name of its own is looked for again
    /// should it lose that, and so is one that is reported in another way: its title may look like the name of a class.
    pub(super) fn called(&mut self, id: NodeId, name: Arc<str>, reported: &Arc<str>) -> Arc<str> {
        if name.is_empty() {
            let Some(title) = self.known.get_mut(&id) else { return name };
            if title.reported.get_or_insert_with(|| Arc::clone(reported)) == reported {
                return Arc::clone(&title.text);
            }
        }
        self.known.remove(&id);
        self.tries.remove(&id);
        name
    }

    /// The windows of `tree` that have no name and whose title is not known yet. Forgets what is not in `tree`.
    pub(super) fn wanted(&mut self, tree: &Tree) -> Vec<NodeId> {
        self.known.retain(|id, _| tree.contains(*id));
        self.tries.retain(|id, _| tree.contains(*id));
        let is_wanted = |node: &&Arc<Node>| {
            node.is_showing()
                && node.name.is_empty()
                && node.owner.is_none()
                && may_be_window(node.role)
                && self.tries.get(&node.id).is_none_or(|tries| *tries < most_tries(node))
        };
        tree.windows().filter(is_wanted).map(|node| node.id).collect()
    }

    /// Finds the titles of `wanted`, elements with the area that each reports, among the `windows` of their application on the screen. Returns those
    /// that were found.
    pub(super) fn find(
        &mut self,
        tree: &Tree,
        wanted: &[(NodeId, Option<Rect>)],
        windows: &[Window],
    ) -> Vec<(NodeId, Arc<str>)> {
        let mut free: Vec<&Window> = windows.iter().filter(|window| !window.title.is_empty()).collect();
        for node in tree.windows() {
            let is_its_own = |window: &&Window| match self.known.get(&node.id) {
                Some(title) => window.id == title.window,
                None => is_called(window, &node.name),
            };
            if let Some(place) = free.iter().position(is_its_own) {
                free.remove(place);
            }
        }
        let is_only = windows.len() == 1 && tree.windows().filter(|node| node.is_showing()).count() == 1;
        let mut found = Vec::new();
        for (id, area) in wanted {
            let Some(place) = matching(*area, &free, is_only) else {
                *self.tries.entry(*id).or_default() += 1;
                continue;
            };
            let window = free.remove(place);
            let text: Arc<str> = Arc::from(screen_text::title(&window.title));
            self.known.insert(*id, Title { window: window.id, text: Arc::clone(&text), reported: None });
            found.push((*id, text));
        }
        found
    }
}

fn most_tries(node: &Node) -> u32 {
    if node.states.contains(States::ACTIVE) { 2 * TRIES } else { TRIES }
}

/// Whether an element of this role that the application itself has as a child can be a window.
fn may_be_window(role: Role) -> bool {
    role.is_window() || role.is_structural()
}

/// Whether the title of a window is that of an element with this name.
fn is_called(window: &Window, name: &str) -> bool {
    let rest = window.title.strip_prefix(&screen_text::title(name));
    !name.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(BEFORE_THE_APPLICATION))
}

/// Which of these windows shows an element that takes up `area`: one of its size, if all of its size have the same title. The size differs where the
/// application has a scale of its own, which does not matter if there is nothing else.
fn matching(area: Option<Rect>, windows: &[&Window], is_only: bool) -> Option<usize> {
    let area = area?;
    // GTK 3 reports the size with the frame around it, others without.
    let has_size = |window: &&Window| {
        let sizes = [window.content(), window.frame()].into_iter().flatten();
        sizes.map(|size| (size.width, size.height)).any(|size| size == (area.width, area.height))
    };
    let first = windows.iter().position(has_size);
    let is_clear = |place: &usize| {
        windows.iter().filter(|window| has_size(window)).all(|window| window.title == windows[*place].title)
    };
    first.filter(is_clear).or_else(|| (is_only && windows.len() == 1).then_some(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::Place;

    fn window(number: u64, title: &str, width: u32) -> Window {
        Window {
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
        }
    }

    /// An application with windows of these names.
    fn tree(names: &[&str]) -> (Tree, Vec<NodeId>) {
        let mut tree = Tree::new();
        let root = NodeId::mint();
        let ids: Vec<NodeId> = names.iter().map(|_| NodeId::mint()).collect();
        let mut application = Node::new(root, None, Role::Application, "app");
        application.children.clone_from(&ids);
        tree.insert(application);
        tree.set_root(root);
        for (id, name) in ids.iter().zip(names) {
            tree.insert(Node::new(*id, Some(root), Role::Window, name));
        }
        (tree, ids)
    }

    fn area(width: u32) -> Rect {
        Rect::new(0, 0, width, 100)
    }

    /// What is found for one element of this width.
    fn found(titles: &mut Titles, tree: &Tree, id: NodeId, width: u32, windows: &[Window]) -> Option<String> {
        assert!(titles.wanted(tree).contains(&id));
        let found = titles.find(tree, &[(id, Some(area(width)))], windows);
        found.first().map(|(_, title)| title.to_string())
    }

    #[test]
    fn a_second_window_gets_the_title_that_the_first_one_has_too() {
        let (mut tree, ids) = tree(&["", ""]);
        let mut titles = Titles::default();
        let both = [window(1, "KCalc", 300), window(2, "KCalc", 400)];
        assert_eq!(found(&mut titles, &tree, ids[0], 300, &both[..1]).as_deref(), Some("KCalc"));
        tree.update(ids[0], |node| node.name = titles.called(ids[0], "".into(), &"".into()));
        assert_eq!(titles.wanted(&tree), [ids[1]]);
        assert_eq!(found(&mut titles, &tree, ids[1], 400, &both).as_deref(), Some("KCalc"));
    }

    #[test]
    fn a_popup_does_not_get_the_title_of_another_window() {
        for main in ["Letter", "Letter \u{2014} Writer"] {
            let (tree, ids) = tree(&["Letter", ""]);
            let mut titles = Titles::default();
            // It has the same size, and the other one is the only window on the screen.
            assert_eq!(found(&mut titles, &tree, ids[1], 300, &[window(1, main, 300)]), None, "{main}");
        }
    }

    #[test]
    fn what_is_not_on_the_screen_is_looked_for_some_times() {
        let (mut tree, ids) = tree(&[""]);
        let mut titles = Titles::default();
        for _ in 0..TRIES {
            assert_eq!(found(&mut titles, &tree, ids[0], 300, &[]), None);
        }
        assert!(titles.wanted(&tree).is_empty());
        tree.update(ids[0], |node| node.states |= States::ACTIVE);
        for _ in 0..TRIES {
            assert_eq!(found(&mut titles, &tree, ids[0], 300, &[]), None);
        }
        assert!(titles.wanted(&tree).is_empty());
        assert_eq!(&*titles.called(ids[0], "Own".into(), &"Own".into()), "Own");
        assert_eq!(titles.wanted(&tree), ids, "it has had a name meanwhile");
    }

    #[test]
    fn a_name_of_its_own_ends_the_title() {
        let (tree, ids) = tree(&[""]);
        let mut titles = Titles::default();
        found(&mut titles, &tree, ids[0], 300, &[window(1, "Old", 300)]);
        assert_eq!(&*titles.called(ids[0], "".into(), &"".into()), "Old");
        assert_eq!(&*titles.called(ids[0], "Own".into(), &"Own".into()), "Own");
        assert_eq!(&*titles.called(ids[0], "".into(), &"".into()), "");
    }

    #[test]
    fn a_title_ends_when_another_name_is_reported() {
        let (tree, ids) = tree(&[""]);
        let mut titles = Titles::default();
        let called =
            |titles: &mut Titles, class: &str| titles.called(ids[0], "".into(), &class.into()).to_string();
        found(&mut titles, &tree, ids[0], 300, &[window(1, "Station", 300)]);
        assert_eq!(called(&mut titles, "app+MainWindow"), "Station");
        assert_eq!(called(&mut titles, "app+MainWindow"), "Station");
        assert_eq!(called(&mut titles, "DetailsWindow"), "");
        assert_eq!(titles.wanted(&tree), ids, "it is looked for again");
    }

    #[test]
    fn one_of_another_size_has_to_be_the_only_one_and_those_of_one_size_called_the_same() {
        let scaled = window(1, "One", 600);
        assert_eq!(matching(Some(area(300)), &[&scaled], true), Some(0));
        assert_eq!(matching(Some(area(300)), &[&scaled], false), None);
        let (one, other) = (window(1, "One", 300), window(2, "Other", 300));
        assert_eq!(matching(Some(area(300)), &[&one, &other], false), None);
        assert_eq!(matching(None, &[&one], true), None);
        let framed = Place { frame: Rect::new(4, 0, 302, 121), ..Place::bare(Rect::new(5, 20, 300, 100)) };
        let framed = Window { place: Some(framed), ..window(3, "Framed", 300) };
        assert_eq!(matching(Some(Rect::new(0, 0, 302, 121)), &[&framed], false), Some(0));
        assert_eq!(matching(Some(Rect::new(0, 0, 302, 100)), &[&framed], false), None);
    }
}
