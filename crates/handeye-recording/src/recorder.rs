//! Follows the user, and looks at what is done at once: an application reacts within milliseconds.

use crate::clicked_field::ClickedField;
use crate::focus::{self, Focus};
use crate::focus_history::FocusHistory;
use crate::recorded::{Recorded, Why};
use crate::script::Script;
use crate::sight::{Beneath, Seen, Sight};
use crate::target::{Kind, Makes, Target};
use handeye_act::WatchedUser;
use handeye_core::{
    Button, Changes, Chord, ConnectedApp, Keystroke, Modifier, Point, UserAction, UserEvent, Window, WindowId,
};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;

/// Longest recording.
pub const LONGEST: Duration = Duration::from_secs(30 * 60);
/// How often a field is read while it is being changed.
const LOOK: Duration = Duration::from_millis(40);
/// How long after the last input it is read.
const LOOKED_FOR: Duration = Duration::from_millis(800);
/// How long there was no input when what can be pressed next is read.
const QUIET: Duration = Duration::from_millis(120);
/// How far the pointer may slip in a click, in pixels.
const SLIP: i32 = 6;

/// A button that is down.
struct Pressed {
    button: Button,
    at: Point,
    when: Instant,
    beneath: Beneath,
}

/// Makes steps of what the user does.
pub(crate) struct Recorder {
    sight: Sight,
    user: WatchedUser,
    /// Wakes when windows come or go.
    changes: Changes,
    script: Script,
    pressed: Option<Pressed>,
    /// The element whose value is being changed.
    changing: Option<Seen>,
    /// What was clicked or had the focus last, with the name that it had before its text was changed: what is typed can change the names of
    /// fields, as where an application adds another one, and a replay comes to the field as it was before.
    met: Option<Seen>,
    /// The field that the last click was on, where no key has led away from it.
    clicked_field: Option<ClickedField>,
    /// Where the wheel was turned last, and over what; `None` once something else was done.
    scrolled: Option<(Point, Target)>,
    last_input: Instant,
    windows: HashSet<WindowId>,
    /// The window that was the active one at the last look, and its application.
    active: Option<WindowId>,
    front: Option<Arc<dyn ConnectedApp>>,
    /// What had the focus when.
    history: FocusHistory,
    /// Whether the last input was typed into what is being changed.
    is_typing: bool,
}

impl Recorder {
    pub(crate) fn new(sight: Sight, user: WatchedUser) -> Self {
        Self {
            changes: sight.changes(),
            sight,
            user,
            script: Script::default(),
            pressed: None,
            changing: None,
            met: None,
            clicked_field: None,
            scrolled: None,
            last_input: Instant::now(),
            windows: HashSet::new(),
            active: None,
            front: None,
            history: FocusHistory::default(),
            is_typing: false,
        }
    }

    /// Records until it is stopped, for `limit` at most.
    pub(crate) async fn run(mut self, stop: &CancellationToken, limit: Duration) -> Recorded {
        let end = tokio::time::Instant::now() + limit.min(LONGEST);
        let windows = self.sight.windows().await;
        self.windows = windows.iter().map(|window| window.id).collect();
        self.note_active(&windows).await;
        self.sight.look_ahead().await;
        self.sight.remember(&windows, self.last_input).await;
        let why = loop {
            if self.script.is_full() {
                break Why::Full;
            }
            let look = tokio::time::Instant::now() + LOOK;
            tokio::select! {
                biased;
                event = self.user.events.next() => match event {
                    Some(event) => self.take(event).await,
                    None => break Why::Lost,
                },
                () = stop.cancelled() => break Why::Stopped,
                () = sleep_until(end) => break Why::Time,
                () = sleep_until(look), if self.is_attentive() => {
                    self.look().await;
                    self.look_around().await;
                }
                Ok(()) = self.changes.changed() => self.look_around().await,
            }
        };
        while let Some(event) = self.user.events.ready() {
            self.take(event).await;
        }
        self.note_windows().await;
        self.look().await;
        if why == Why::Stopped {
            self.script.without_last_key(&Chord { modifiers: vec![Modifier::Ctrl], key: "c".to_owned() });
        }
        let flow = self.script.finish();
        let mut notes = self.script.notes();
        let lost = self.user.events.lost();
        if lost > 0 {
            notes.push(format!("{lost} inputs that came too fast"));
        }
        Recorded { flow, notes, why }
    }

    /// Whether something may change soon without a sign of it.
    fn is_attentive(&self) -> bool {
        self.last_input.elapsed() < LOOKED_FOR
            || self.sight.has_more_to_look_at()
            || self.sight.has_to_remember(self.active, self.last_input)
    }

    /// Reads the field that is being changed.
    async fn look(&mut self) {
        let Some(changing) = self.changing() else { return };
        let held = focus::held(&changing).await;
        self.holds(held);
    }

    /// The element whose value is being changed, while its step is open.
    fn changing(&mut self) -> Option<Seen> {
        let open = self.script.open();
        self.changing = self.changing.take().filter(|seen| open.is_some_and(|open| open.is(&seen.target)));
        self.changing.clone()
    }

    /// Takes over what was read of it.
    fn holds(&mut self, held: Option<String>) {
        match held {
            // What Return has taken away is not what was typed.
            Some(held) if held.is_empty() && self.last_input.elapsed() > LOOKED_FOR => {}
            Some(held) => self.script.holds(held),
            None => {}
        }
    }

    async fn take(&mut self, event: UserEvent) {
        if !matches!(event.action, UserAction::Wheel { .. }) {
            self.scrolled = None;
        }
        match event.action {
            UserAction::Press(button, at) => self.press(button, at, event.at).await,
            UserAction::Release(button, at) => self.release(button, at, event.at).await,
            UserAction::Wheel { dx, dy, at } => self.wheel(dx, dy, at, event.at).await,
            UserAction::Key(stroke) => self.key(&stroke, event.at).await,
        }
        self.last_input = Instant::now();
    }

    /// What lies there is looked up at once, before the application has reacted, and so is what the step before has changed: a panel that closes
    /// takes away what was typed into it.
    async fn press(&mut self, button: Button, at: Point, when: Instant) {
        let changing = self.changing();
        let held = async {
            match &changing {
                Some(seen) => focus::held(seen).await,
                None => None,
            }
        };
        let (beneath, held) = tokio::join!(self.sight.beneath(at, when), held);
        self.holds(held);
        self.pressed = Some(Pressed { button, at, when, beneath });
    }

    async fn release(&mut self, button: Button, at: Point, when: Instant) {
        let Some(pressed) = self.pressed.take().filter(|pressed| pressed.button == button) else { return };
        self.met = None;
        self.clicked_field = None;
        self.is_typing = false;
        let moved = (at.x - pressed.at.x).abs().max((at.y - pressed.at.y).abs()) > SLIP;
        let is_drag = moved && button == Button::Left;
        let from = match pressed.beneath {
            Beneath::Element(seen) => *seen,
            Beneath::Passive(seen) if is_drag => *seen,
            Beneath::Passive(_) | Beneath::Nameless => {
                return self.script.note("a click on something that no step can name");
            }
            Beneath::Elsewhere => {
                return self.script.note("a click outside of the applications that are recorded");
            }
        };
        if is_drag {
            let to = self.sight.beneath_drag(at, when).await;
            self.drag(from.target.clone(), to, (at, when));
        } else {
            self.chosen(&from.target, (at, when));
            self.script.click(from.target.clone(), button, pressed.when);
            self.clicked_field = ClickedField::of(&from, button, pressed.when, &self.history);
            self.met = Some(from.clone());
        }
        self.follow(from);
    }

    /// If this was chosen in a popup, the popup is closing: what is pressed next at its place is beneath.
    fn chosen(&mut self, target: &Target, (at, when): (Point, Instant)) {
        if matches!(target.kind, Kind::Other | Kind::Switch) {
            self.sight.released(at, when);
        }
    }

    fn drag(&mut self, from: Target, to: Beneath, (at, when): (Point, Instant)) {
        match to {
            // The button went down on a menu and came up on an item of it.
            Beneath::Element(to) if from.kind == Kind::Opener && !to.target.in_menus.is_empty() => {
                self.chosen(&to.target, (at, when));
                self.script.click(to.target, Button::Left, when);
            }
            Beneath::Element(to) | Beneath::Passive(to) => self.script.drag(from, &to.target),
            _ if from.kind == Kind::Number => self.script.change(from),
            Beneath::Nameless | Beneath::Elsewhere => {
                self.script.note("a drag to something that no step can name");
            }
        }
    }

    /// Reads an element from now on, if its value is being changed.
    fn follow(&mut self, seen: Seen) {
        if self.is_open(&seen) {
            self.changing = Some(seen);
        }
    }

    async fn wheel(&mut self, dx: i32, dy: i32, at: Point, when: Instant) {
        // What scrolls moves away below the pointer: the next notch is for the same element.
        if let Some((place, target)) = &self.scrolled
            && *place == at
        {
            return self.script.wheel(target, dx, dy);
        }
        match self.sight.beneath(at, when).await {
            Beneath::Element(seen) if seen.target.kind == Kind::Number => {
                self.script.change(seen.target.clone());
                self.follow(*seen);
            }
            Beneath::Element(seen) | Beneath::Passive(seen) => {
                self.look().await;
                self.script.wheel(&seen.target, dx, dy);
                self.scrolled = Some((at, seen.target));
            }
            Beneath::Nameless => self.script.note("a turn of the wheel over something that no step can name"),
            Beneath::Elsewhere => {}
        }
    }

    async fn key(&mut self, stroke: &Keystroke, when: Instant) {
        if let (Some(changing), Keystroke::Character | Keystroke::Space) = (&self.changing, stroke)
            && self.is_focused(changing)
        {
            self.is_typing = true;
            return;
        }
        let is_command = matches!(stroke, Keystroke::Chord(_));
        let before = self.front.as_ref().map(|app| {
            let held = self.history.at(app, when);
            (Arc::clone(app), held.map_or_else(|| app.mirror().snapshot(), |held| held.tree))
        });
        // Return may take away what was typed, and a key for another field ends the change of this one.
        self.look().await;
        let windows = self.sight.windows().await;
        let Some(app) = self.sight.active(&windows).await else { return };
        // A key that follows on what was typed is for that, wherever it has led.
        let typed_into = self.changing.clone().filter(|_| is_command && self.is_typing);
        let around = self.history.around(&app, when);
        let clicked = self.clicked_field.clone();
        self.clicked_field.take_if(|field| !field.keeps_focus_after(stroke));
        let clicked = clicked.and_then(|clicked| clicked.at_key(&app, when, &around));
        let around = if is_command { &[] } else { around.as_slice() };
        let focused = if let Some(into) = typed_into.or(clicked) {
            Some(into)
        } else if let Some(field) = focus::field_of(&app, around) {
            Some(self.as_met(field))
        } else {
            let mut holder = focus::focused(&app).await;
            if let Some((_, tree)) = before.filter(|(front, _)| is_command && Arc::ptr_eq(front, &app)) {
                holder = focus::focused_before(&app, &tree, holder);
            }
            self.typed_into(holder, &app, is_command).map(|seen| self.as_met(seen))
        };
        let is_next = matches!(stroke, Keystroke::Chord(chord) if chord.key == "tab");
        self.key_in(&app, focused, stroke);
        let is_open = self.changing.as_ref().is_some_and(|seen| self.is_open(seen));
        self.is_typing = is_open && !is_next && (self.is_typing || !is_command);
    }

    /// The element that a key is for. What is typed in a cell goes into an editor that opens in its place.
    fn typed_into(&self, focus: Focus, app: &Arc<dyn ConnectedApp>, is_command: bool) -> Option<Seen> {
        let in_place = |seen: Seen| Seen { target: seen.target.in_place(), ..seen };
        match focus {
            Focus::Element(seen) if seen.target.makes == Makes::Editor && !is_command => {
                Some(in_place(*seen))
            }
            Focus::Element(seen) => Some(*seen),
            Focus::Editor => {
                let cell = self
                    .met
                    .as_ref()
                    .filter(|met| met.target.makes == Makes::Editor && Arc::ptr_eq(&met.app, app));
                cell.cloned().map(in_place)
            }
            Focus::Unknown => None,
        }
    }

    /// An element by the name that it had when it was met.
    fn as_met(&self, seen: Seen) -> Seen {
        let Some(met) = self.met.as_ref().filter(|met| met.node == seen.node) else { return seen };
        let Target { query, locator, .. } = met.target.clone();
        Seen { target: Target { query, locator, ..seen.target }, ..seen }
    }

    fn key_in(&mut self, app: &Arc<dyn ConnectedApp>, focused: Option<Seen>, stroke: &Keystroke) {
        let name = app.application().name.clone();
        let target = focused.as_ref().map(|seen| &seen.target);
        let kind = target.map(|target| target.kind);
        let steps = self.script.len();
        match stroke {
            Keystroke::Character | Keystroke::Space => match (kind, target) {
                (
                    Some(Kind::Secret | Kind::Line | Kind::Lines | Kind::Number | Kind::InPlace),
                    Some(target),
                ) => {
                    self.script.change(target.clone());
                }
                (Some(_), Some(_)) if *stroke == Keystroke::Space => {
                    self.script.key(&name, &Chord::plain("space"), target);
                }
                _ => self.script.stray_character(),
            },
            Keystroke::Chord(chord) => self.script.key(&name, chord, target),
        }
        // A step that is none of this element may give it another name.
        let is_open = target.is_some_and(|target| self.script.open().is_some_and(|open| open.is(target)));
        self.met = focused.clone().filter(|_| is_open || self.script.len() == steps);
        if let Some(seen) = focused {
            self.follow(seen);
        }
    }

    /// Whether an element has the focus still, as far as is known without a look.
    fn is_focused(&self, seen: &Seen) -> bool {
        let has_focus = match seen.target.kind {
            Kind::Switch => false,
            Kind::InPlace => focus::has_editor(seen.app.as_ref()),
            _ => seen.app.mirror().snapshot().is_focused(seen.node),
        };
        has_focus && self.is_open(seen)
    }

    /// Whether the value of an element is being changed.
    fn is_open(&self, seen: &Seen) -> bool {
        self.script.open().is_some_and(|open| open.is(&seen.target))
    }

    /// Looks at what has opened since the last input, and at what can be pressed next. Between inputs only: what opens at a press is no
    /// result of the step before.
    async fn look_around(&mut self) {
        let windows = if self.pressed.is_none() { self.note_windows().await } else { Vec::new() };
        self.sight.look_ahead().await;
        if self.last_input.elapsed() > QUIET {
            self.remember(&windows).await;
        }
    }

    /// Reads what can be pressed next. Neither an input waits for that nor a menu that opens: the next quiet moment comes after it.
    async fn remember(&mut self, windows: &[Window]) {
        let event = tokio::select! {
            biased;
            event = self.user.events.next() => event,
            Ok(()) = self.changes.changed() => return self.changes.mark_changed(),
            () = self.sight.remember(windows, self.last_input) => return,
        };
        if let Some(event) = event {
            self.take(event).await;
        }
    }

    /// Notes which window is the active one.
    async fn note_active(&mut self, windows: &[Window]) {
        let active = windows.iter().find(|window| window.active).map(|window| window.id);
        if active != self.active {
            self.active = active;
            self.front = self.sight.active(windows).await;
            if let Some(app) = &self.front {
                self.history.follow(app, focus::focus_holder);
            }
        }
    }

    /// Notes which windows have opened since, and returns those that there are.
    async fn note_windows(&mut self) -> Vec<Window> {
        let windows = self.sight.windows().await;
        if windows.is_empty() {
            return windows;
        }
        for window in &windows {
            if !self.windows.contains(&window.id)
                && !window.title.trim().is_empty()
                && let Some(app) = self.sight.owner_name(window)
            {
                self.script.window_opened(app, window.title.trim());
            }
        }
        self.windows = windows.iter().map(|window| window.id).collect();
        self.note_active(&windows).await;
        windows
    }
}
