//! Whether what changed elsewhere than at the target is the work of the action, or came by itself just then.
//!
//! A text that changes once a second does so during some action too. Time distinguishes the two: what stood still for long and changes right
//! after the action was changed by it. So a change that comes `t` after the action has to be of something that stood still for ten
//! times `t` before it, or stands still for so long after it. What changes again meanwhile goes on by itself.

use crate::evidence::is_such_an_effect;
use crate::expected::Expected;
use crate::observation::Observation;
use crate::restless::{Restless, place_of};
use handeye_core::{Change, Diff, Field, Node, NodeId, Tree};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How many times sooner than its stillness lasted a change has to come.
const TIMES: u32 = 10;
/// The least stillness that says anything: what moves ten times a second stands still for so long where the machine is busy.
const LEAST: Duration = Duration::from_millis(300);
/// What is different so often again after an action goes on by itself, unless it had stood still for [`ENOUGH`]: that has begun to move.
const AGAIN: u32 = 2;
/// The stillness, before or after, that is enough for any change: what goes on by itself mostly does so at least once a second.
pub(crate) const ENOUGH: Duration = Duration::from_millis(1_200);
/// Changes of one element within this time are one change.
const BURST: Duration = Duration::from_millis(60);
/// For how long after an action without an effect its effect may still come.
const LATE: Duration = Duration::from_secs(2);
/// How soon a change has to come to be this action's, while that of the one before may still come, and where something moves by itself.
const PROMPT: Duration = Duration::from_millis(250);

/// What is different at one place, elsewhere than at the target.
#[derive(Debug, Clone)]
struct Sighting {
    /// What was different about the element itself when it was last read.
    fields: Vec<Field>,
    /// When the look began that found it.
    at: Instant,
    /// The time within which it came.
    delay: Duration,
    /// How long it had stood still by then, as far as is known; `None` if it was seen to move by itself.
    stillness: Option<Duration>,
    /// How long after the action it came at least.
    late: Duration,
    /// How often it was different again, and when it was last.
    again: u32,
    moved: Instant,
}

impl Sighting {
    /// Notes that it was found different again by a look that began at `began`. Returns whether that shows that it goes on by itself.
    fn moves_on(&mut self, began: Instant) -> bool {
        if began.saturating_duration_since(self.moved) < BURST {
            return false;
        }
        self.moved = began;
        self.again += 1;
        let has_begun = self.stillness.is_some_and(|stillness| stillness >= ENOUGH);
        !is_prompt(self) || (self.again >= AGAIN && !has_begun)
    }
}

/// What has been seen elsewhere during one action.
#[derive(Debug)]
pub(crate) struct Attribution {
    expected: Expected,
    /// When the action was over.
    over: Instant,
    /// Since when a change can have come that is seen now: since the look before the action, or since its button was last seen down,
    /// as a toolkit may act only when that comes up.
    origin: Instant,
    /// When the button is up at the earliest that the action pressed, if that is known; else the same.
    released: Instant,
    /// When the last look began.
    looked: Instant,
    /// The action before, if it was a moment ago and showed no effect.
    is_after_unproven: bool,
    restless: Arc<Restless>,
    sighted: HashMap<NodeId, Sighting>,
    /// The application at the last look.
    last: Option<Arc<Tree>>,
}

impl Attribution {
    /// For an action that is over now, of a button that is drawn `pressed_for` some time before it acts; the look before it was at
    /// `baseline`. `unproven` is when the action before was over, if it
    /// showed no effect.
    pub(crate) fn new(
        expected: Expected,
        restless: Arc<Restless>,
        baseline: Instant,
        pressed_for: Duration,
        unproven: Option<Instant>,
    ) -> Self {
        let over = Instant::now();
        let is_after_unproven = unproven.is_some_and(|when| over.duration_since(when) < LATE);
        Self {
            expected,
            over,
            origin: baseline,
            released: baseline + pressed_for,
            looked: over,
            is_after_unproven,
            restless,
            sighted: HashMap::new(),
            last: None,
        }
    }

    /// Notes what a look has found that began at `began`, and marks in it what may not be the work of the action. `news` is when the
    /// application sent its last event since the look before, if it sent any.
    pub(crate) fn note(&mut self, observation: &mut Observation, began: Instant, news: Option<Instant>) {
        if self.expected == Expected::Proof {
            return;
        }
        if observation.went_down() {
            self.origin = began;
        }
        self.note_again(observation, began);
        observation.restless = Arc::clone(&self.restless);
        // What the last look did not find came after that began.
        let came = news.map_or(began, |news| news.clamp(self.looked.min(began), began));
        let since_released = came.checked_duration_since(self.released);
        let delay = came.saturating_duration_since(self.origin);
        let delay = since_released.map_or(delay, |since| since.min(delay));
        let late = self.looked.saturating_duration_since(self.over.max(self.released));
        let places: HashSet<NodeId> = observation
            .diff
            .changes
            .iter()
            .filter(|change| !is_own(observation, change) && !observation.is_noise(change))
            // Of what is loading it is learnt as well whether it goes on by itself.
            .filter(|change| is_such_an_effect(observation, change))
            .filter_map(place_of)
            .filter(|place| !self.sighted.contains_key(place))
            .collect();
        let changed_fields = fields_of(observation);
        for place in places {
            let since = self.still_since(place, &observation.after);
            let stillness = since.map(|since| came.saturating_duration_since(since));
            let fields = changed_fields.get(&place).map(|(_, fields)| (*fields).clone()).unwrap_or_default();
            self.sighted.insert(
                place,
                Sighting { fields, at: began, delay, stillness, late, again: 0, moved: began },
            );
        }
        self.looked = began;
        self.last = Some(Arc::clone(&observation.after));
        let doubtful: HashSet<NodeId> = self
            .sighted
            .iter()
            .filter(|(_, seen)| !self.is_trusted(seen, began))
            .map(|(place, _)| *place)
            .collect();
        observation.doubtful = Arc::new(doubtful);
        observation.may_be_late = self.is_after_unproven;
    }

    /// Since when a place has stood still; of an object that came in the place of another one, since when what it is in has.
    fn still_since(&self, place: NodeId, now: &Tree) -> Option<Instant> {
        let is_new = self.restless.still_since(place).is_none();
        let around = now.get(place).and_then(|node| node.parent).filter(|_| is_new);
        let known = around.unwrap_or(place);
        self.restless.still_since(known).filter(|_| !self.restless.has_moved(known))
    }

    /// What was learnt of what changes by itself, with what is in doubt to the end.
    pub(crate) fn learnt(&mut self, now: Instant) -> Arc<Restless> {
        for (place, seen) in &self.sighted {
            if !self.is_trusted(seen, now) {
                Arc::make_mut(&mut self.restless).stir(*place);
            }
        }
        Arc::make_mut(&mut self.restless).mark();
        Arc::clone(&self.restless)
    }

    /// When the next of the changes that are in doubt will be believed if nothing happens; `None` if there is none.
    pub(crate) fn decision(&self) -> Option<Instant> {
        let open = self.sighted.values().filter(|seen| !has_stood(seen) && !self.is_too_late(seen));
        open.map(|seen| seen.at + watch_for(seen)).min()
    }

    fn is_trusted(&self, seen: &Sighting, now: Instant) -> bool {
        !self.is_too_late(seen)
            && (has_stood(seen) || now.saturating_duration_since(seen.at) >= watch_for(seen))
    }

    /// Whether it came so late that it may as well be the effect of the action before, or the next change of what moves by itself.
    fn is_too_late(&self, seen: &Sighting) -> bool {
        (self.is_after_unproven || seen.stillness.is_none()) && seen.late > PROMPT
    }

    /// What was in doubt and is different again goes on by itself.
    fn note_again(&mut self, observation: &Observation, began: Instant) {
        let Some(last) = self.last.as_ref().filter(|_| !self.sighted.is_empty()) else { return };
        let mut diff = Diff::between(last, &observation.after);
        let recreated = diff.match_recreated(last, &observation.after);
        let mut again = diff.changes;
        // A list whose items are made again goes on, though it looks the same.
        again.extend(recreated.into_iter().map(|pair| Change::Disappeared(pair.old)));
        // Firefox makes the inside of a text again, and for a moment it has none: then the last look proves nothing.
        let changed_fields = fields_of(observation);
        for (place, seen) in &mut self.sighted {
            if let Some((change, fields)) =
                changed_fields.get(place).filter(|(_, fields)| **fields != seen.fields)
            {
                again.push((*change).clone());
                seen.fields.clone_from(fields);
            }
        }
        let mut going_on = HashSet::new();
        for change in &again {
            let Some(place) = place_of(change) else { continue };
            let moves_on = |seen: &mut Sighting| seen.moves_on(began);
            if self.sighted.get_mut(&place).is_some_and(moves_on) {
                Arc::make_mut(&mut self.restless).note(change);
                going_on.insert(place);
            }
        }
        self.sighted.retain(|place, _| !going_on.contains(place));
    }
}

/// What is different about elements themselves.
type ChangedFields<'o> = HashMap<NodeId, (&'o Change, &'o Vec<Field>)>;

fn fields_of<'o>(observation: &'o Observation) -> ChangedFields<'o> {
    let changed = |change: &'o Change| match change {
        Change::Changed { node, fields } => Some((node.id, (change, fields))),
        Change::Appeared(_) | Change::Disappeared(_) => None,
    };
    observation.diff.changes.iter().filter_map(changed).collect()
}

/// How long a place has to stand still, before or after, for its change to be believed.
fn needed(seen: &Sighting) -> Duration {
    (seen.delay * TIMES).clamp(LEAST, ENOUGH)
}

/// Whether a change came so much sooner than its place had stood still that the action has done it.
fn has_stood(seen: &Sighting) -> bool {
    seen.stillness.is_some_and(|stillness| stillness >= needed(seen))
}

/// Whether a change came ten times sooner than its place had stood still. That is the action's even if more follows, as where something
/// is loaded and then shown. One that is believed for the most stillness alone may be the first tick of a clock that had stalled.
fn is_prompt(seen: &Sighting) -> bool {
    seen.stillness.is_some_and(|stillness| stillness >= (seen.delay * TIMES).max(LEAST))
}

/// How long a change is watched before it is believed. What has moved by itself is watched for as long as may be.
fn watch_for(seen: &Sighting) -> Duration {
    if seen.stillness.is_some() { needed(seen) } else { ENOUGH }
}

/// Whether a change is one of the target, of what is in it, or of the windows: that needs no other proof. A part of a window that calls
/// itself one, as a panel of Firefox does, may have been loading since an earlier action.
fn is_own(observation: &Observation, change: &Change) -> bool {
    let is_top_level =
        |node: &Node| [&observation.before, &observation.after].iter().any(|tree| node.parent == tree.root());
    if let Change::Appeared(node) | Change::Disappeared(node) = change
        && node.role.is_window()
        && is_top_level(node)
    {
        return true;
    }
    let (Some(target), Some(place)) = (observation.target, place_of(change)) else { return false };
    let is_in = |tree: &Tree| tree.ancestors(place).any(|node| node.id == target);
    place == target || is_in(&observation.before) || is_in(&observation.after)
}

#[cfg(test)]
mod tests;
