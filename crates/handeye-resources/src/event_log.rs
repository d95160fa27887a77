//! What was seen to happen in applications: a bounded log for each, written from the differences between two looks.

use super::app_snapshot::AppSnapshot;
use handeye_core::{
    ApplicationId, Change, ConnectedApp, Diff, Field, Node, NodeId, Notification, Role, States, Tree,
    screen_text,
};
use handeye_insight::{Front, Insight, Pattern};
use handeye_tree::difference::state_words;
use handeye_tree::outline::{quoted, summary};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Events that are kept of one application.
pub(super) const KEPT: usize = 100;
/// Applications whose events are kept.
const APPLICATIONS: usize = 64;
/// Most events that one look writes; more are counted.
const OF_ONE_LOOK: usize = 25;
/// Most characters of a value.
const MAX_VALUE: usize = 80;
/// Most characters of the text of a notification.
const MAX_NOTIFICATION: usize = 300;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Event {
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    now: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<Pattern>,
    /// How often, where it happened again and again; the time is that of the last.
    #[serde(skip_serializing_if = "is_one")]
    times: usize,
    /// ISO 8601, in milliseconds.
    timestamp: String,
    #[serde(skip)]
    node: Option<NodeId>,
    /// That of a notification of the desktop.
    #[serde(skip)]
    notification: Option<u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_one(times: &usize) -> bool {
    *times == 1
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    WindowOpened,
    WindowClosed,
    TitleChanged,
    DialogAppeared,
    DialogClosed,
    MenuOpened,
    MenuClosed,
    NotificationAppeared,
    FocusChanged,
    ValueChanged,
    NameChanged,
    StateChanged,
    ElementAppeared,
    ElementDisappeared,
    AppEnded,
    /// More happened at once than is reported.
    MoreChanges,
}

/// What happened in one application.
struct Log {
    /// What it showed at the last look.
    tree: Arc<Tree>,
    events: VecDeque<Event>,
    /// How many events there were, those that are forgotten or counted together included.
    total: u64,
    /// The number of the last notification of the desktop that was looked at; `None` until that begins.
    notified: Option<u64>,
}

/// What happened in each application.
#[derive(Default)]
pub(super) struct Logs(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    logs: HashMap<ApplicationId, Log>,
    /// The one that was looked at longest ago first.
    order: VecDeque<ApplicationId>,
}

impl Logs {
    /// Writes what is different from the last look. The first look writes nothing.
    pub(super) fn note(&self, app: &dyn ConnectedApp, snapshot: &AppSnapshot) {
        let id = handeye_core::application_id(app);
        // Compared under the lock: a reader that asks for the events after a look gets those of that look, even if two look at once.
        let mut kept = self.lock();
        kept.touch(&id);
        let Some(log) = kept.logs.get_mut(&id) else {
            let tree = Arc::clone(&snapshot.tree);
            let log = Log { tree, events: VecDeque::new(), total: 0, notified: None };
            kept.logs.insert(id, log);
            return;
        };
        if Arc::ptr_eq(&log.tree, &snapshot.tree) {
            return;
        }
        let tree = with_known_values(&log.tree, &snapshot.tree);
        let before = std::mem::replace(&mut log.tree, tree);
        let events = events_between(&before, &log.tree);
        log.append(events);
    }

    /// Writes that an application ended.
    pub(super) fn note_end(&self, app: &dyn ConnectedApp) {
        let title = Some(app.application().name.clone());
        let mut kept = self.lock();
        if let Some(log) = kept.logs.get_mut(&handeye_core::application_id(app))
            && log.events.back().is_none_or(|last| last.kind != Kind::AppEnded)
        {
            log.append(vec![Event { title, ..event(Kind::AppEnded, None) }]);
        }
    }

    /// Up to which notification of the desktop the log of an application is written; from `latest` on if it has just begun with them. `None`
    /// where there is no log.
    pub(super) fn notified_until(&self, app: &dyn ConnectedApp, latest: u64) -> Option<u64> {
        let mut kept = self.lock();
        let log = kept.logs.get_mut(&handeye_core::application_id(app))?;
        Some(*log.notified.get_or_insert(latest))
    }

    /// Writes notifications that an application sent; those up to `latest` were looked at. Returns whether any was not in the log.
    pub(super) fn note_notifications(
        &self,
        app: &dyn ConnectedApp,
        latest: u64,
        own: &[Notification],
    ) -> bool {
        let mut kept = self.lock();
        let Some(log) = kept.logs.get_mut(&handeye_core::application_id(app)) else { return false };
        // Another task may have written some of them meanwhile.
        let noted = log.notified.unwrap_or(0);
        let events: Vec<_> = own.iter().filter(|one| one.number > noted).map(notified).collect();
        let are_new = !events.is_empty();
        log.append(events);
        log.notified = Some(noted.max(latest));
        are_new
    }

    /// What happened in an application, the oldest first.
    pub(super) fn of(&self, app: &dyn ConnectedApp) -> Vec<Event> {
        let kept = self.lock();
        let log = kept.logs.get(&handeye_core::application_id(app));
        log.map(|log| log.events.iter().cloned().collect()).unwrap_or_default()
    }

    /// How many events there were in an application.
    pub(super) fn total(&self, app: &dyn ConnectedApp) -> u64 {
        self.lock().logs.get(&handeye_core::application_id(app)).map_or(0, |log| log.total)
    }

    /// A poisoned lock is taken over: the worst is an event too few.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Makes an application the one that was looked at last, and room for it.
    fn touch(&mut self, id: &ApplicationId) {
        self.order.retain(|known| known != id);
        self.order.push_back(id.clone());
        while self.order.len() > APPLICATIONS {
            if let Some(oldest) = self.order.pop_front() {
                self.logs.remove(&oldest);
            }
        }
    }
}

impl Log {
    fn append(&mut self, events: Vec<Event>) {
        for mut event in events {
            self.total += 1;
            // A clock or a progress bar must not push everything else out.
            let repeats = matches!(event.kind, Kind::ValueChanged | Kind::NameChanged)
                && event.node.is_some()
                || event.notification.is_some();
            let same = |known: &Event| {
                known.kind == event.kind
                    && known.node == event.node
                    && known.notification == event.notification
            };
            if repeats && let Some(at) = self.events.iter().rposition(same) {
                event.times += self.events.remove(at).map_or(0, |known| known.times);
            }
            if self.events.len() == KEPT {
                self.events.pop_front();
            }
            self.events.push_back(event);
        }
    }
}

fn event(kind: Kind, node: Option<&Node>) -> Event {
    Event {
        kind,
        title: None,
        element: node.map(|node| summary(node.role, node.label()).into()),
        value: None,
        was: None,
        now: Vec::new(),
        pattern: None,
        times: 1,
        timestamp: format!("{:.3}", Timestamp::now()),
        node: node.map(|node| node.id),
        notification: None,
    }
}

/// A tree in which what was being read again holds what it held: from a value to an unknown one and on to another value
/// nothing would be seen to change.
fn with_known_values(before: &Tree, now: &Arc<Tree>) -> Arc<Tree> {
    let mut tree = Arc::clone(now);
    for node in now.nodes().filter(|node| node.details.text.is_unknown() || node.details.value.is_unknown()) {
        let Some(known) = before.get(node.id).map(|known| &known.details) else { continue };
        if known.text.is_unknown() && known.value.is_unknown() {
            continue;
        }
        Arc::make_mut(&mut tree).update(node.id, |node| {
            if node.details.text.is_unknown() {
                node.details.text = known.text.clone();
            }
            if node.details.value.is_unknown() {
                node.details.value = known.value.clone();
            }
        });
    }
    tree
}

/// What happened between two looks.
fn events_between(before: &Tree, now: &Tree) -> Vec<Event> {
    let diff = Diff::between(before, now);
    let mut events: Vec<Event> = Vec::new();
    let mut more = 0;
    for change in &diff.changes {
        for event in events_of(change, now) {
            if events.len() < OF_ONE_LOOK {
                events.push(event);
            } else {
                more += 1;
            }
        }
    }
    if more > 0 {
        events.push(Event { value: Some(more.to_string()), ..event(Kind::MoreChanges, None) });
    }
    events
}

fn events_of(change: &Change, tree: &Tree) -> Vec<Event> {
    match change {
        Change::Appeared(node) => {
            let mut events = vec![appeared(node, tree)];
            let focused =
                tree.descendants(node.id).filter(|inner| inner.states.contains(States::FOCUSED)).last();
            events.extend(focused.map(|focused| event(Kind::FocusChanged, Some(focused))));
            events
        }
        Change::Disappeared(node) => vec![disappeared(node)],
        Change::Changed { node, fields } => fields.iter().filter_map(|field| changed(node, field)).collect(),
    }
}

fn appeared(node: &Node, tree: &Tree) -> Event {
    let titled = |kind| Event { title: Some(title(node)), element: None, ..event(kind, Some(node)) };
    match node.role {
        Role::Dialog | Role::Alert => {
            let insight = Insight::of(tree, Front { window: node.id, is_dialog: true });
            let pattern = insight.and_then(|insight| insight.pattern());
            Event { pattern, ..titled(Kind::DialogAppeared) }
        }
        Role::Window => titled(Kind::WindowOpened),
        Role::Menu => event(Kind::MenuOpened, Some(node)),
        Role::Notification => event(Kind::NotificationAppeared, Some(node)),
        _ => event(Kind::ElementAppeared, Some(node)),
    }
}

/// A notification of the desktop: its heading is the title, its text the value.
fn notified(notification: &Notification) -> Event {
    let body = screen_text::line(notification.body.trim(), MAX_NOTIFICATION);
    Event {
        title: Some(screen_text::line(notification.title.trim(), MAX_NOTIFICATION)),
        value: (!body.is_empty()).then_some(body),
        notification: Some(notification.id),
        ..event(Kind::NotificationAppeared, None)
    }
}

fn disappeared(node: &Node) -> Event {
    let titled = |kind| Event { title: Some(title(node)), element: None, ..event(kind, Some(node)) };
    match node.role {
        Role::Dialog | Role::Alert => titled(Kind::DialogClosed),
        Role::Window => titled(Kind::WindowClosed),
        Role::Menu => event(Kind::MenuClosed, Some(node)),
        _ => event(Kind::ElementDisappeared, Some(node)),
    }
}

/// What an event reports of a changed field. Never what a protected field holds.
fn changed(node: &Node, field: &Field) -> Option<Event> {
    match field {
        Field::Name { from, .. } if node.role.is_window() => Some(Event {
            title: Some(title(node)),
            was: Some(bounded(from)),
            element: None,
            ..event(Kind::TitleChanged, Some(node))
        }),
        Field::Name { from, .. } => {
            Some(Event { was: Some(bounded(from)), ..event(Kind::NameChanged, Some(node)) })
        }
        Field::Value { .. } if node.states.contains(States::PROTECTED) => {
            Some(event(Kind::ValueChanged, Some(node)))
        }
        Field::Value { to, .. } => {
            Some(Event { value: Some(bounded(to)), ..event(Kind::ValueChanged, Some(node)) })
        }
        Field::States { gained, .. } if gained.contains(States::FOCUSED) => {
            Some(event(Kind::FocusChanged, Some(node)))
        }
        Field::States { gained, lost } => {
            let now = state_words(node, *gained, *lost);
            (!now.is_empty()).then(|| Event { now, ..event(Kind::StateChanged, Some(node)) })
        }
    }
}

fn title(node: &Node) -> String {
    screen_text::line(node.label().trim(), MAX_VALUE)
}

/// The beginning of a text, with a mark where it was cut.
fn bounded(text: &str) -> String {
    let cut = quoted(text, MAX_VALUE);
    cut.trim_matches('"').to_owned()
}
