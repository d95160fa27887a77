//! A window as the rules see it: its elements in document order, where they are, and what is around them.

use handeye_core::platform::Links;
use handeye_core::{Extents, Frame, InPicture, Node, NodeId, Place, Rect, Role, States, Tree};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Most elements that are looked at.
const MAX_ELEMENTS: usize = 20_000;

/// A window, or a part of one, that is to be audited.
pub struct Subject<'a> {
    /// The tree of its application, with extents, texts and actions read of what is showing.
    pub tree: &'a Tree,
    /// Where to start: a window or an element.
    pub root: NodeId,
    /// The title of the window on the screen, which not every toolkit repeats in its tree.
    pub title: &'a str,
    /// Where the window is, as far as that is known.
    pub place: Option<Place>,
    /// A picture of the window, uncovered.
    pub frame: Option<&'a Frame>,
    /// Units of the screen for one logical pixel.
    pub scale: f64,
    /// What is known of the elements that [`questions`](crate::questions) lists.
    pub links: &'a HashMap<NodeId, Links>,
}

/// An element that is showing.
#[derive(Clone, Copy)]
pub(crate) struct Element<'a> {
    pub(crate) node: &'a Arc<Node>,
    /// Where it is, in units of the screen, if it covers anything.
    pub(crate) area: Option<Rect>,
    /// The part of that which the containers around it show.
    pub(crate) seen: Option<Rect>,
}

impl Element<'_> {
    /// Whether people can act on it now.
    pub(crate) fn is_operable(&self) -> bool {
        is_control(self.node.role) && self.node.states.contains(States::ENABLED)
    }
}

/// A window as the rules see it.
pub(crate) struct View<'a> {
    pub(crate) subject: &'a Subject<'a>,
    /// What is showing, in document order.
    pub(crate) elements: Vec<Element<'a>>,
    by_id: HashMap<NodeId, usize>,
}

impl<'a> View<'a> {
    pub(crate) fn new(subject: &'a Subject<'a>) -> Self {
        let mut view = Self { subject, elements: Vec::new(), by_id: HashMap::new() };
        let mut hidden: HashSet<NodeId> = HashSet::new();
        for node in subject.tree.descendants(subject.root).take(MAX_ELEMENTS) {
            let below_hidden = node.parent.is_some_and(|parent| hidden.contains(&parent));
            if below_hidden || !node.is_showing() || node.states.contains(States::COLLAPSED) {
                hidden.insert(node.id);
                continue;
            }
            let area = node.details.extents.known().and_then(|extents| view.area(*extents));
            let seen = area.and_then(|area| view.clipped(node, area));
            view.by_id.insert(node.id, view.elements.len());
            view.elements.push(Element { node, area, seen });
        }
        view
    }

    pub(crate) const fn tree(&self) -> &'a Tree {
        self.subject.tree
    }

    /// The element of that id, if it is showing and in the scope.
    pub(crate) fn get(&self, id: NodeId) -> Option<&Element<'a>> {
        self.by_id.get(&id).and_then(|at| self.elements.get(*at))
    }

    /// What is known of the labels and keys of an element.
    pub(crate) fn links(&self, id: NodeId) -> Option<&'a Links> {
        self.subject.links.get(&id)
    }

    /// Units of the screen as logical pixels.
    pub(crate) fn logical(&self, units: u32) -> f64 {
        f64::from(units) / self.scale()
    }

    /// Units of the screen for one logical pixel, never less than 0.1.
    pub(crate) fn scale(&self) -> f64 {
        if self.subject.scale.is_finite() { self.subject.scale.max(0.1) } else { 1.0 }
    }

    /// Pixels of the picture for one logical pixel.
    pub(crate) fn pixel_scale(&self) -> f64 {
        let shown = self.subject.frame.and_then(|frame| {
            let units = frame.shows()?.size().width;
            (units > 0).then(|| f64::from(frame.size().width) / f64::from(units))
        });
        self.scale() * shown.unwrap_or(1.0)
    }

    /// The pixels of the picture that show a part of the screen.
    pub(crate) fn pixels(&self, area: Rect) -> Option<(&'a Frame, Rect<InPicture>)> {
        let frame = self.subject.frame?;
        let shown = frame.pixels_of(Extents::OnScreen(area)).or_else(|| {
            let inside = match self.subject.place {
                Some(place) => place.in_window(area),
                None => Rect::new(area.x, area.y, area.width, area.height),
            };
            frame.pixels_of(Extents::InWindow(inside))
        })?;
        Some((frame, shown))
    }

    /// The children of an element that are showing.
    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = &Element<'a>> {
        self.tree().children(id).filter_map(|child| self.get(child.id))
    }

    /// What is showing below an element.
    pub(crate) fn below(&self, id: NodeId) -> impl Iterator<Item = &Element<'a>> {
        self.tree().descendants(id).skip(1).filter_map(|node| self.get(node.id))
    }

    /// The nearest field or box around an element whose part it is.
    pub(crate) fn composite(&self, node: &Node) -> Option<&'a Arc<Node>> {
        self.tree().ancestors(node.id).take_while(|above| !above.role.is_window()).find(|above| {
            matches!(
                above.role,
                Role::ComboBox
                    | Role::SpinButton
                    | Role::TextBox
                    | Role::SearchBox
                    | Role::ScrollBar
                    | Role::Slider
                    | Role::Calendar
            )
        })
    }

    /// On the screen where the place of the window is known; else in the window.
    fn area(&self, extents: Extents) -> Option<Rect> {
        let area = extents.on_screen(self.subject.place).unwrap_or_else(|| {
            let ((x, y), size) = (extents.corner(), extents.size());
            Rect::new(x, y, size.width, size.height)
        });
        (!area.is_empty()).then_some(area)
    }

    fn clipped(&self, node: &Node, area: Rect) -> Option<Rect> {
        let window = self.subject.place.map(|place| place.content);
        let mut seen = match window {
            Some(window) => area.intersection(&window)?,
            None => area,
        };
        for above in self.tree().ancestors(node.id).take_while(|above| !above.role.is_window()) {
            if let Some(around) = above.details.extents.known().and_then(|extents| self.area(*extents)) {
                seen = seen.intersection(&around)?;
            }
        }
        Some(seen)
    }
}

/// Whether people act on such an element by itself. Items, rows and cells are parts of the list that has them.
pub(crate) const fn is_control(role: Role) -> bool {
    matches!(
        role,
        Role::Button
            | Role::ToggleButton
            | Role::Switch
            | Role::CheckBox
            | Role::RadioButton
            | Role::ComboBox
            | Role::MenuItem
            | Role::MenuItemCheckBox
            | Role::MenuItemRadio
            | Role::Tab
            | Role::TextBox
            | Role::SearchBox
            | Role::Link
            | Role::Slider
            | Role::SpinButton
    )
}
