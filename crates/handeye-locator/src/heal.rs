//! Finds the element of a fingerprint in a later tree.

use crate::agreement::{Agreement, Container, is_named_data};
use crate::fingerprint::Fingerprint;
use crate::likeness::{Likeness, similarity};
use crate::role_kind::{are_alike, is_record};
use crate::survey::Survey;
use handeye_core::{NodeId, Role};
use rustc_hash::FxHashMap;
use serde::Serialize;

/// From which confidence on an action may follow.
pub const ACT: f64 = 0.8;
/// The most that a place alone is worth: too little for an action.
const ONLY_PLACE: f64 = 0.75;
/// Most candidates of an outcome.
const CANDIDATES: usize = 5;
/// Below this part of labels that are still there, the application speaks another language, or shows something else.
const ANOTHER_LANGUAGE: f64 = 0.7;
/// Up to this part, a name alone is not evidence.
const MUCH_CHANGED: f64 = 0.15;
/// Below this part, it can be another version of the application.
const ANOTHER_VERSION: f64 = 0.9;
/// From how many elements of one name on another name is not looked for by place.
const MANY: u16 = 3;
/// Least similarity of labels that count as the same one.
const SIMILAR: f64 = 0.75;
/// How much more similar the best one must be than the second.
const MARGIN: f64 = 0.15;

/// The way in which an element was recognized, in the order in which the ways are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// It alone has the title.
    TitleExact,
    /// Its title contains the old one, or the reverse.
    TitleContains,
    /// Several have the title, and it has the role and the surroundings.
    RoleTitle,
    /// It has the identifier.
    Identifier,
    /// It is in the same place of the same structure.
    Xpath,
    /// It has the same neighbours.
    Semantic,
    /// Its title is similar, in the same container.
    Fuzzy,
}

impl Strategy {
    /// Every strategy, in their order.
    pub const ALL: [Self; 7] = [
        Self::TitleExact,
        Self::TitleContains,
        Self::RoleTitle,
        Self::Identifier,
        Self::Xpath,
        Self::Semantic,
        Self::Fuzzy,
    ];

    /// The name as answers have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TitleExact => "title_exact",
            Self::TitleContains => "title_contains",
            Self::RoleTitle => "role_title",
            Self::Identifier => "identifier",
            Self::Xpath => "xpath",
            Self::Semantic => "semantic",
            Self::Fuzzy => "fuzzy",
        }
    }
}

/// An element that was found again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Healed {
    /// The element.
    pub node: NodeId,
    /// How it was recognized.
    pub strategy: Strategy,
    /// How sure that is, from 0 to 1.
    pub confidence: f64,
}

/// What became of the element of a fingerprint.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It is this one.
    Found(Healed),
    /// It can be each of these, and nothing decides.
    Ambiguous(Vec<NodeId>),
    /// It is not there. These come nearest; they may be none.
    Gone(Vec<NodeId>),
}

/// Finds the element of a fingerprint among all elements of a tree.
pub fn heal(print: &Fingerprint, survey: &Survey<'_>) -> Outcome {
    heal_among(print, survey, |_| true)
}

/// Finds it among those that can be the one: an element that existed beside the old one cannot.
pub fn heal_among(print: &Fingerprint, survey: &Survey<'_>, can_be: impl Fn(NodeId) -> bool) -> Outcome {
    let candidates = candidates(print, survey, can_be);
    let has_title = candidates.iter().any(|one| one.label == Likeness::Same);
    let search =
        Search { print, kept: survey.kept(&print.beside), candidates: &candidates, survey, has_title };
    let node = |agreement: &Agreement| survey.seen[agreement.position as usize].node.id;
    let mut undecided: Vec<NodeId> = Vec::new();
    for strategy in Strategy::ALL {
        match search.by(strategy) {
            Choice::One(agreement, confidence) => {
                return Outcome::Found(Healed { node: node(&agreement), strategy, confidence });
            }
            Choice::Several(several) if undecided.is_empty() => {
                undecided = several.iter().take(CANDIDATES).map(node).collect();
            }
            Choice::Several(_) | Choice::None => {}
        }
    }
    if undecided.len() > 1 { Outcome::Ambiguous(undecided) } else { Outcome::Gone(search.nearest(node)) }
}

/// The elements that nothing excludes.
fn candidates(print: &Fingerprint, survey: &Survey<'_>, can_be: impl Fn(NodeId) -> bool) -> Vec<Agreement> {
    let mut containers: FxHashMap<u32, Container> = FxHashMap::default();
    let kept = survey.kept(&print.beside);
    let mut found = Vec::new();
    for (position, seen) in (0_u32..).zip(&survey.seen) {
        let (node, Some(parent)) = (seen.node, seen.parent) else { continue };
        let theirs = node.details.identifier.known().filter(|text| !text.is_empty());
        let is_other = matches!((&print.identifier, theirs), (Some(ours), Some(theirs)) if ours != theirs);
        // Another version of an application can have other identifiers. Then only a title that is the only one counts.
        let is_version = kept < ANOTHER_VERSION && print.namesakes == 0 && print.name == node.name;
        let is_contradicted = is_other && !is_version;
        if !are_alike(print.role, node.role)
            || is_contradicted
            || seen.record != print.record
            || !can_be(node.id)
        {
            continue;
        }
        let container = *containers
            .entry(parent)
            .or_insert_with(|| Container::compare(print, survey.within(position).map(|place| &**place)));
        if container.frames {
            found.push(Agreement::compare(print, survey, position, container));
        }
    }
    found
}

enum Choice {
    None,
    One(Agreement, f64),
    Several(Vec<Agreement>),
}

struct Search<'a> {
    print: &'a Fingerprint,
    /// Which part of the labels is still there.
    kept: f64,
    candidates: &'a [Agreement],
    survey: &'a Survey<'a>,
    /// Whether an element has the whole title.
    has_title: bool,
}

impl Search<'_> {
    fn by(&self, strategy: Strategy) -> Choice {
        match strategy {
            Strategy::TitleExact => self.by_title(),
            Strategy::TitleContains => self.by_part_of_title(),
            Strategy::RoleTitle => self.by_role_and_title(),
            Strategy::Identifier => self.by_identifier(),
            Strategy::Xpath => self.by_path(),
            Strategy::Semantic => self.by_neighbours(),
            Strategy::Fuzzy => self.by_similar_title(),
        }
    }

    fn those(&self, fits: impl Fn(&Agreement) -> bool) -> Vec<Agreement> {
        self.candidates
            .iter()
            .filter(|candidate| self.may_be(candidate) && fits(candidate))
            .copied()
            .collect()
    }

    /// Where an element has the title, none of another title is the one, whatever speaks for it, but for its identifier.
    fn may_be(&self, one: &Agreement) -> bool {
        !self.has_title || one.label == Likeness::Same || one.identifier
    }

    /// Whether the surroundings confirm what a name suggests.
    fn is_confirmed(&self, one: &Agreement) -> bool {
        let is_near = one.near[0] > 0 && one.near[1] > 0;
        if self.print.record > 1 && !is_record(self.print.role) {
            // Its record has been recognized.
            return one.index || one.neighbours() > 0;
        }
        if self.print.record == 1 {
            return one.identifier || one.neighbours() == 4;
        }
        if self.print.namesakes > 0 {
            return one.identifier || one.path() || (one.container.names && is_near) || one.neighbours() == 4;
        }
        // In another language a word can be the name of another element.
        self.kept > MUCH_CHANGED || one.identifier || one.path() || is_near
    }

    fn by_title(&self) -> Choice {
        match self.those(|one| one.label == Likeness::Same).as_slice() {
            [one] if self.is_confirmed(one) => Choice::One(*one, confidence(one, 0.9)),
            _ => Choice::None,
        }
    }

    /// Chooses between several of one title by what surrounds them.
    fn by_role_and_title(&self) -> Choice {
        let is_row = is_record(self.print.role) && self.print.name.is_empty() && self.print.record > 1;
        if is_row {
            // A row without a name of its own is known by the words in it, which all candidates have, and a cell by its column too.
            let is_cell = self.print.role == Role::Cell;
            let rows = self.those(|one| {
                one.label == Likeness::NoLabels && one.same_role && (one.index || !is_cell) && one.shape
            });
            return only(&rows, |_| 0.82);
        }
        let mut same = self.those(|one| one.label == Likeness::Same);
        same.sort_by_key(|one| std::cmp::Reverse(one.context()));
        match same.as_slice() {
            [best, second, ..] if best.context() >= second.context() + 3 && self.is_confirmed(best) => {
                Choice::One(*best, confidence(best, 0.82))
            }
            [_, _, ..] => Choice::Several(same),
            _ => Choice::None,
        }
    }

    fn by_part_of_title(&self) -> Choice {
        let parts = self.those(|one| {
            let is_part = match one.label {
                Likeness::Alike => is_in_place(one),
                // "Save as" is not "Save" because it comes after "Open" too.
                Likeness::Contained => one.path() || (one.near[0] > 0 && one.near[1] > 0),
                _ => false,
            };
            is_part && !is_named_data(self.print) && !one.was_beside && !one.fewer
        });
        only(&parts, |one| if one.label == Likeness::Alike { 0.85 } else { 0.75 })
    }

    fn by_identifier(&self) -> Choice {
        let same = self.those(|one| one.identifier && !one.was_beside);
        // What stands for data keeps its identifier when the data is replaced.
        let same: Vec<_> = same
            .into_iter()
            .filter(|one| !is_named_data(self.print) || one.label == Likeness::Same || one.path())
            .collect();
        only(&same, |_| 0.88)
    }

    fn by_path(&self) -> Choice {
        let there = self.those(|one| {
            // Where a dialog still has its title, the language is the same.
            let is_another_language = self.kept < ANOTHER_LANGUAGE && !self.print.is_in_frame();
            // Of many of one name, such as the "Empty" of each submenu, the place alone does not name one.
            let is_alone = self.print.namesakes < MANY || one.neighbours() > 0;
            let fits = match one.label {
                // What is in a row goes where the row goes.
                _ if self.print.record == 1 => false,
                _ if self.print.record != 0 => one.neighbours() >= 2 && one.label == Likeness::Same,
                Likeness::Same => true,
                // What has no label is known by the one before it.
                Likeness::NoLabels => {
                    let is_first = self.print.before[0].is_none() && one.near[1] > 0;
                    one.near[0] > 0 || is_first || is_another_language
                }
                _ => one.shape && !one.sorted && is_alone && (one.neighbours() > 0 || is_another_language),
            };
            let is_same_name = matches!(one.label, Likeness::Same | Likeness::NoLabels);
            one.path() && fits && (is_same_name || (!is_named_data(self.print) && !one.was_beside))
        });
        // A window whose title is the same speaks for what has the same title too.
        let decides = |one: &Agreement| one.container.window && one.label == Likeness::Same;
        let there = if there.len() > 1 && there.iter().any(decides) {
            there.into_iter().filter(decides).collect()
        } else {
            there
        };
        let choice = only(&there, |one| match one.label {
            Likeness::Same | Likeness::NoLabels => 0.8,
            _ => 0.66,
        });
        match choice {
            // Nothing that can be read is the same: a view that was replaced looks like another language.
            Choice::One(one, confidence) if one.label != Likeness::Same && one.neighbours() == 0 => {
                Choice::One(one, confidence.min(ONLY_PLACE))
            }
            choice => choice,
        }
    }

    fn by_neighbours(&self) -> Choice {
        if is_named_data(self.print) {
            return Choice::None;
        }
        let between = self.those(|one| {
            let is_unnamed = one.label == Likeness::NoLabels;
            let is_near = one.near[0] > 0 && one.near[1] > 0;
            let is_between = one.sides && ((one.index && is_near) || one.neighbours() == 4);
            let is_labelled = is_unnamed && one.near[0] > 0;
            let is_in_container = one.container.nearest || one.container.names || one.container.structure;
            let can_be = !one.was_beside && !one.fewer && !one.sorted && one.same_role && one.as_named;
            can_be && is_in_container && (is_between || is_labelled) && one.shape
        });
        only(&between, |_| 0.72)
    }

    fn by_similar_title(&self) -> Choice {
        if is_named_data(self.print) {
            return Choice::None;
        }
        let mut similar: Vec<(f64, Agreement)> = self
            .candidates
            .iter()
            .filter(|one| {
                self.may_be(one) && !one.was_beside && !one.fewer && one.same_role && is_in_place(one)
            })
            .filter_map(|one| match one.label {
                Likeness::Different => Some((self.similarity(one), *one)),
                _ => None,
            })
            .filter(|(degree, _)| *degree >= SIMILAR)
            .collect();
        similar.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        match similar.as_slice() {
            [(_, one)] => Choice::One(*one, confidence(one, 0.65)),
            [(best, one), (second, _), ..] if best - second >= MARGIN => {
                Choice::One(*one, confidence(one, 0.65))
            }
            [] => Choice::None,
            _ => Choice::Several(similar.into_iter().map(|(_, one)| one).collect()),
        }
    }

    /// How similar its label is to the old one, from 0 to 1.
    fn similarity(&self, one: &Agreement) -> f64 {
        similarity(&self.print.name, &self.survey.seen[one.position as usize].node.name)
    }

    /// The elements that come nearest, for an error.
    fn nearest(&self, node: impl Fn(&Agreement) -> NodeId) -> Vec<NodeId> {
        let degree = |one: &Agreement| match one.label {
            Likeness::Same | Likeness::Alike => 1.0,
            Likeness::Contained => 0.8,
            Likeness::Different => self.similarity(one),
            Likeness::NoLabels => 0.3,
        };
        let mut near: Vec<(f64, &Agreement)> = self
            .candidates
            .iter()
            .map(|one| (degree(one), one))
            .filter(|(degree, _)| *degree >= 0.5)
            .collect();
        near.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        near.into_iter().take(CANDIDATES).map(|(_, one)| node(one)).collect()
    }
}

/// Whether an element of another name is where the old one was.
fn is_in_place(one: &Agreement) -> bool {
    let is_in_container = one.container.structure || one.container.nearest || one.container.names;
    is_in_container && (one.index || one.neighbours() >= 2)
}

/// The only one, or those between which it does not decide.
fn only(found: &[Agreement], base: impl Fn(&Agreement) -> f64) -> Choice {
    match found {
        [] => Choice::None,
        [one] => Choice::One(*one, confidence(one, base(one))),
        _ => Choice::Several(found.to_vec()),
    }
}

/// The confidence of a strategy, raised by each thing in which the element agrees besides.
fn confidence(one: &Agreement, base: f64) -> f64 {
    let yes = |is: bool| if is { 1.0 } else { 0.0 };
    let evidence = yes(one.identifier) * 2.0
        + yes(one.path())
        + yes(one.container.names)
        + yes(one.container.window)
        + one.neighbours() as f64 * 0.75;
    // Each piece of evidence takes a part of the doubt away.
    1.0 - (1.0 - base) * 0.8_f64.powf(evidence)
}
