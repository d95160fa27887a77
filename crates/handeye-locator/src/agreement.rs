//! In what an element agrees with a fingerprint.

use crate::fingerprint::{Fingerprint, NEAR, Place};
use crate::likeness::{Likeness, likeness};
use crate::role_kind::{is_data, is_frame};
use crate::survey::{Survey, mark};
use handeye_core::Role;

/// What two containers have in common.
#[expect(clippy::struct_excessive_bools, reason = "each is an observation of its own")]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Container {
    /// Each level has the same role, and is the same one of as many.
    pub(crate) structure: bool,
    /// The named levels have the same roles and names, and there are some below the window. The title of a window may differ: it often contains the name of a document.
    pub(crate) names: bool,
    /// The innermost one has the same identifier, or the same name.
    pub(crate) nearest: bool,
    /// The dialogs and documents are the same.
    pub(crate) frames: bool,
    /// The titles of the windows are the same.
    pub(crate) window: bool,
}

impl Container {
    /// Compares what a fingerprint's element was in with what a candidate is in.
    pub(crate) fn compare(print: &Fingerprint, theirs: Option<&Place>) -> Self {
        let their_chain = || std::iter::successors(theirs, |place| place.above.as_deref());
        let (mut ours, mut others) = (print.ancestors(), their_chain());
        let mut structure = true;
        loop {
            match (ours.next(), others.next()) {
                (None, None) => break,
                // Windows come and go: what is beside one does not matter, and neither does the application itself.
                (Some(one), Some(other)) if one.role.is_window() && is_top(one) && is_top(other) => {
                    structure &= one.role == other.role;
                    break;
                }
                (Some(one), Some(other)) => {
                    structure &=
                        one.role == other.role && one.index == other.index && one.count == other.count;
                }
                _ => structure = false,
            }
            if !structure {
                break;
            }
        }
        let named = |place: &&Place| place.above.is_some() && !place.name.is_empty();
        let same_name = |(one, other): (&Place, &Place)| {
            one.role == other.role && (one.name == other.name || one.role == Role::Window)
        };
        let is_same = |keep: &dyn Fn(&&Place) -> bool| {
            let (ours, others) = (print.ancestors().filter(keep), their_chain().filter(keep));
            let mut ours = ours.map(Some).chain(std::iter::repeat(None));
            let mut others = others.map(Some).chain(std::iter::repeat(None));
            loop {
                match (ours.next().flatten(), others.next().flatten()) {
                    (None, None) => break true,
                    (Some(one), Some(other)) if same_name((one, other)) => {}
                    _ => break false,
                }
            }
        };
        let nearest = match (print.within.as_deref(), theirs) {
            (Some(one), Some(other)) => {
                one.role == other.role
                    && (one
                        .identifier
                        .as_ref()
                        .is_some_and(|id| !id.is_empty() && one.identifier == other.identifier)
                        || (!one.name.is_empty() && one.name == other.name))
            }
            _ => false,
        };
        let title = |mut chain: Box<dyn Iterator<Item = &Place> + '_>| {
            chain.find(|place| is_top(place)).map(|place| place.name.clone())
        };
        Self {
            structure,
            names: print.ancestors().any(|place| named(&place) && !is_top(place)) && is_same(&named),
            nearest,
            frames: is_same(&|place: &&Place| is_frame(place.role)),
            window: title(Box::new(print.ancestors())) == title(Box::new(their_chain())),
        }
    }
}

/// Whether it is a child of the application.
fn is_top(place: &Place) -> bool {
    place.above.as_ref().is_some_and(|above| above.above.is_none())
}

/// In what an element agrees with a fingerprint.
#[expect(clippy::struct_excessive_bools, reason = "each is an observation of its own")]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Agreement {
    pub(crate) position: u32,
    pub(crate) label: Likeness,
    pub(crate) same_role: bool,
    pub(crate) identifier: bool,
    pub(crate) container: Container,
    /// It is the same one of as many of its role.
    pub(crate) index: bool,
    /// Labels beside it that are the same, nearest ones first: before and after.
    pub(crate) near: [usize; 2],
    /// An element of its role and name was beside the old one all along.
    pub(crate) was_beside: bool,
    /// It has as many children, and the same can be asked of it.
    pub(crate) shape: bool,
    /// There are fewer of its role beside it than there were: the old one may be what is gone.
    pub(crate) fewer: bool,
    /// It is one of a list that is sorted by its labels, so that its place says nothing.
    pub(crate) sorted: bool,
    /// Its siblings before and after have the same roles.
    pub(crate) sides: bool,
    /// Both have a name, or neither has.
    pub(crate) as_named: bool,
}

impl Agreement {
    /// Compares an element that may be the one.
    pub(crate) fn compare(
        print: &Fingerprint,
        survey: &Survey<'_>,
        position: u32,
        container: Container,
    ) -> Self {
        let seen = &survey.seen[position as usize];
        let node = seen.node;
        let label = likeness(&print.name, &node.name);
        let same = |ours: &[Option<std::sync::Arc<str>>; NEAR],
                    theirs: &[Option<std::sync::Arc<str>>; NEAR]| {
            ours.iter().zip(theirs).take_while(|(one, other)| one.is_some() && one == other).count()
        };
        let [before, after] = survey.near(position);
        let theirs = node.details.identifier.known();
        Self {
            position,
            label,
            same_role: node.role == print.role,
            identifier: print.identifier.is_some() && theirs == print.identifier.as_ref(),
            container,
            index: seen.index == print.index && seen.count == print.count,
            near: [same(&print.before, &before), same(&print.after, &after)],
            was_beside: label != Likeness::Same
                && !node.name.is_empty()
                && print.beside.binary_search(&mark(node.role, &node.name)).is_ok(),
            shape: node.children.len().min(usize::from(u16::MAX)) == usize::from(print.children)
                && node.abilities.bits() == print.abilities,
            fewer: seen.count < print.count,
            sorted: seen.sorted,
            sides: seen.sides == print.sides,
            as_named: node.name.is_empty() == print.name.is_empty(),
        }
    }

    /// The number of labels beside it that are the same.
    pub(crate) fn neighbours(&self) -> usize {
        self.near[0] + self.near[1]
    }

    /// Whether it is in the same place of the same structure.
    pub(crate) fn path(&self) -> bool {
        self.container.structure && self.index && self.same_role && self.as_named
    }

    /// How much of what surrounds it is the same, to choose between several of one name.
    pub(crate) fn context(&self) -> u32 {
        let yes = |is: bool, weight: u32| if is { weight } else { 0 };
        let near = u32::try_from(self.neighbours()).unwrap_or(0);
        yes(self.identifier, 8)
            + yes(self.path(), 4)
            + yes(self.container.names, 3)
            + yes(self.container.nearest, 2)
            + yes(self.container.window, 1)
            + yes(self.same_role, 1)
            + near * 2
    }
}

/// Whether another name means another element.
pub(crate) fn is_named_data(print: &Fingerprint) -> bool {
    is_data(print.role)
}
