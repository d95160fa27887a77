//! The steps that come of what a user does. Pure: what was clicked and what fields hold was found out before.

use crate::stroke::{Stroke, spelled};
use crate::target::{Choice, Kind, Makes, Target};
use handeye_core::{Button, Chord};
use handeye_flow::definition::{Condition, MAX_STEPS};
use handeye_flow::{Flow, Step};
use handeye_locator::Fingerprint;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long a drag takes, in milliseconds. GTK takes a release within half a second of the press for the end of the click that opened a menu,
/// and not for the choice of an item.
const DRAG_MS: u32 = 1_000;
/// How soon a second click makes a double click.
const DOUBLE: Duration = Duration::from_millis(500);
/// Longest text that a step has, in characters.
pub const MAX_TEXT: usize = 20_000;
/// Pixels that a notch of the wheel scrolls.
const NOTCH: u32 = 100;
/// Most kinds of notes.
const MAX_NOTES: usize = 20;
/// Longest wait for a window, in milliseconds.
const WINDOW_WAIT: u32 = 10_000;

/// A value that is still being changed.
#[derive(Debug, Clone)]
struct Open {
    target: Target,
    held: Option<String>,
}

/// The steps so far.
#[derive(Debug, Default)]
pub struct Script {
    steps: Vec<Step>,
    open: Option<Open>,
    /// The list that was clicked last, unless that has closed it.
    opened: Option<Target>,
    /// The last click, for what may be the second half of a double click.
    clicked: Option<(Target, Button, Instant)>,
    passwords: usize,
    /// What was clicked and makes the items of its menu only then.
    fillers: Vec<Target>,
    /// Something was done after the last step that is no step: what opens now is not for that one.
    missed: bool,
    notes: BTreeMap<&'static str, usize>,
}

impl Script {
    /// How many steps there are; the one that is still open counts.
    pub fn len(&self) -> usize {
        self.steps.len() + usize::from(self.open.is_some())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it has as many steps as a workflow can have.
    pub fn is_full(&self) -> bool {
        self.len() >= MAX_STEPS
    }

    /// Something was not recorded.
    pub fn note(&mut self, what: &'static str) {
        self.missed = true;
        if self.notes.len() < MAX_NOTES || self.notes.contains_key(what) {
            *self.notes.entry(what).or_default() += 1;
        }
    }

    /// What was not recorded, each in a sentence.
    pub fn notes(&self) -> Vec<String> {
        self.notes
            .iter()
            .map(
                |(what, count)| {
                    if *count == 1 { (*what).to_owned() } else { format!("{what} ({count} times)") }
                },
            )
            .collect()
    }

    /// The element whose value is still being changed.
    pub fn open(&self) -> Option<&Target> {
        self.open.as_ref().map(|open| &open.target)
    }

    /// What the element whose value is being changed holds now. Not for passwords.
    pub fn holds(&mut self, value: String) {
        if let Some(open) = self.open.as_mut().filter(|open| open.target.kind != Kind::Secret) {
            open.held = Some(value);
        }
    }

    /// A click was completed on an element.
    pub fn click(&mut self, target: Target, button: Button, at: Instant) {
        let again = self.clicked.take().is_some_and(|(last, pressed, when)| {
            last.is(&target) && pressed == button && at.duration_since(when) <= DOUBLE
        });
        self.clicked = Some((target.clone(), button, at));
        if button == Button::Middle {
            return self.note("a click of the middle button");
        }
        if button == Button::Right {
            self.close();
            let more = json!({"click_type": "right", "mode": "focus"});
            return self.push("ax_click", &target, more);
        }
        match target.kind {
            Kind::Secret | Kind::Line | Kind::Lines => {
                if !self.open().is_some_and(|open| open.is(&target)) {
                    self.close();
                }
            }
            // It may be gone with its menu before it can be read, and is a new one in the next menu.
            Kind::Switch if self.is_made_by_opening(&target) => self.press(&target, again),
            Kind::Switch | Kind::Number | Kind::InPlace => self.change(target),
            Kind::List | Kind::Opener | Kind::Other => self.press(&target, again),
        }
    }

    /// A click on something that does not end in a value of its own.
    fn press(&mut self, target: &Target, again: bool) {
        self.close();
        if let Some((list, option)) = self.choice(target) {
            self.opened = None;
            self.take_back_opening(std::slice::from_ref(&list.query), &target.app);
            return self.push("ax_set_value", &list, json!({"value": literal(&option)}));
        }
        // A second click closes it.
        let opens = target.kind == Kind::List && !self.opened_list().is_some_and(|list| list.is(target));
        self.opened = opens.then(|| target.clone());
        if !target.in_menus.is_empty() {
            self.take_back_opening(&target.in_menus, &target.app);
        }
        let acts_at_once = !matches!(target.kind, Kind::Other) || target.query.starts_with("button ");
        if again && !acts_at_once && self.last_is_click_on(target) {
            self.steps.pop();
            return self.push("ax_click", target, json!({"click_type": "double", "mode": "focus"}));
        }
        let mode = if target.takes_requests || !target.in_menus.is_empty() {
            json!({})
        } else {
            json!({"mode": "focus"})
        };
        if target.makes == Makes::Items && !self.fillers.iter().any(|filler| filler.is(target)) {
            self.fillers.push(target.clone());
        }
        self.push("ax_click", target, mode);
    }

    /// The element's value is being changed, by clicks or keys.
    pub fn change(&mut self, target: Target) {
        if self.open().is_some_and(|open| open.is(&target)) {
            return;
        }
        self.close();
        self.open = Some(Open { target, held: None });
    }

    /// The pointer was dragged from one element to another one, or within one.
    pub fn drag(&mut self, from: Target, to: &Target) {
        if from.kind == Kind::Number {
            return self.change(from);
        }
        if from.is(to) {
            // Text was selected, or the pointer slipped.
            return self.note("a drag within one element");
        }
        self.close();
        if from.app != to.app {
            return self.note("a drag from one application to another");
        }
        let args = json!({"app": literal(&from.app), "from_query": literal(&from.query), "to_query": literal(&to.query),
            "duration_ms": DRAG_MS, "mode": "focus"});
        self.add("ax_drag", args, from.locator);
    }

    /// The wheel was turned over an element by notches; several in a row are one step.
    pub fn wheel(&mut self, target: &Target, dx: i32, dy: i32) {
        let direction = match (dx.signum(), dy.signum()) {
            (_, 1) => "down",
            (_, -1) => "up",
            (1, _) => "right",
            (-1, _) => "left",
            _ => return,
        };
        if self.open.is_none()
            && let Some(last) = self.steps.last_mut()
            && last.tool == "ax_scroll"
            && last.args.get("direction") == Some(&direction.into())
            && last.args.get("query") == Some(&literal(&target.query).into())
            && let Some(amount) = last.args.get("amount").and_then(Value::as_u64)
        {
            last.args.insert("amount".to_owned(), (amount + u64::from(NOTCH)).into());
            return;
        }
        self.close();
        self.push("ax_scroll", target, json!({"direction": direction, "amount": NOTCH, "mode": "focus"}));
    }

    /// A key with a name or a shortcut was pressed in an application, with this element focused.
    pub fn key(&mut self, app: &str, chord: &Chord, focused: Option<&Target>) {
        self.clicked = None;
        if let Some(focused) = focused {
            match (focused.kind, Stroke::of(chord)) {
                // What was typed into the cell is put there by these, and they lead to the next one.
                (Kind::InPlace, Stroke::Changes) => return self.change(focused.clone()),
                (Kind::InPlace, _) => {}
                (_, Stroke::Next) if focused.kind != Kind::Lines => return,
                (Kind::Line | Kind::Lines | Kind::Secret, Stroke::Moves) => return,
                (Kind::Line | Kind::Lines | Kind::Secret, Stroke::Changes)
                | (Kind::Lines, Stroke::Line | Stroke::Next) => return self.change(focused.clone()),
                (Kind::Line | Kind::Lines | Kind::Secret, Stroke::Copies) => {
                    return self.note("a copy from a field");
                }
                (Kind::Number, Stroke::Moves | Stroke::Changes) | (Kind::Switch, Stroke::Presses) => {
                    return self.change(focused.clone());
                }
                (Kind::Other, Stroke::Presses | Stroke::Line) => return self.press(focused, false),
                _ => {}
            }
        } else if Stroke::of(chord) == Stroke::Next {
            return;
        }
        self.close();
        self.enter_for_key(app, focused);
        self.add(
            "ax_key_press",
            json!({"key": literal(&spelled(chord)), "app": literal(app), "mode": "focus"}),
            None,
        );
    }

    /// A character was typed where no text is that a step could set.
    pub fn stray_character(&mut self) {
        self.note("keys outside of a text field, which are not recorded");
    }

    /// A key is for the field that was clicked or typed into; where a step did that without the focus, the field has to get it.
    fn enter_for_key(&mut self, app: &str, focused: Option<&Target>) {
        let Some(field) =
            focused.filter(|field| matches!(field.kind, Kind::Line | Kind::Lines | Kind::Secret))
        else {
            return;
        };
        let has_focus =
            |last: &Step| last.tool == "ax_key_press" || (last.tool == "ax_type" && is_about(last, field));
        if field.app == app && !self.steps.last().is_some_and(has_focus) {
            self.push("ax_click", field, json!({"mode": "focus"}));
        }
    }

    /// A window opened after what was done last.
    pub fn window_opened(&mut self, app: &str, title: &str) {
        if self.open.is_some() {
            self.close();
        }
        if self.missed {
            return;
        }
        let Some(last) = self.steps.last_mut().filter(|step| step.wait_until.is_none()) else { return };
        let own = last.args.get("app") == Some(&literal(app).into());
        last.wait_until = Some(Condition {
            app: (!own).then(|| literal(app)),
            window: Some(literal(title)),
            timeout_ms: WINDOW_WAIT,
            ..Condition::default()
        });
    }

    /// Ends what is still being changed: its step has the value that it has now.
    pub fn close(&mut self) {
        let Some(Open { target, held }) = self.open.take() else { return };
        match (target.kind, held) {
            (Kind::Secret, _) => {
                self.passwords += 1;
                let password = format!("{{{{var.password_{}}}}}", self.passwords);
                self.set_text(&target, &password);
            }
            (_, Some(held)) if held.chars().count() > MAX_TEXT => {
                self.note("a text that is too long for a step");
            }
            (Kind::Line | Kind::Lines, Some(held)) => {
                self.take_back_setting(&target);
                self.set_text(&target, &literal(&held));
            }
            (Kind::Number, Some(held)) if target.is_typed => {
                self.take_back_setting(&target);
                self.set_text(&target, &held);
            }
            (Kind::InPlace, Some(held)) => {
                self.push("ax_type", &target, json!({"text": literal(&held), "mode": "focus"}));
            }
            (Kind::InPlace, None) => self.stray_character(),
            (_, Some(held)) => {
                self.take_back_setting(&target);
                self.push("ax_set_value", &target, json!({"value": literal(&held)}));
            }
            (Kind::Switch, None) => self.push("ax_click", &target, json!({})),
            (_, None) => self.note("a value that could not be read"),
        }
    }

    /// A step that makes `text` what the element holds.
    fn set_text(&mut self, target: &Target, text: &str) {
        if target.is_typed {
            self.push("ax_type", target, json!({"text": text, "clear_first": true, "mode": "focus"}));
        } else {
            self.push("ax_set_value", target, json!({"value": text}));
        }
    }

    /// The last step set the same element, and this one sets it again.
    fn take_back_setting(&mut self, target: &Target) {
        let sets = |tool: &str| tool == "ax_set_value" || tool == "ax_type";
        if self.steps.last().is_some_and(|last| sets(&last.tool) && is_about(last, target)) {
            self.steps.pop();
        }
    }

    /// Whether an element is in a menu whose items are made when it opens.
    fn is_made_by_opening(&self, target: &Target) -> bool {
        self.fillers.iter().any(|filler| filler.app == target.app && target.in_menus.contains(&filler.query))
    }

    /// Takes back the clicks that only opened what was chosen from, up to one without which there would be nothing to choose.
    fn take_back_opening(&mut self, openers: &[String], app: &str) {
        while self.steps.last().is_some_and(|last| {
            last.tool == "ax_click"
                && !self.fillers.iter().any(|filler| is_about(last, filler))
                && last.args.get("app") == Some(&literal(app).into())
                && last
                    .args
                    .get("query")
                    .and_then(Value::as_str)
                    .is_some_and(|query| openers.iter().any(|opener| literal(opener) == query))
        }) {
            self.steps.pop();
        }
    }

    /// The list that the last step has opened, if it has.
    fn opened_list(&self) -> Option<&Target> {
        self.opened.as_ref().filter(|list| self.last_is_click_on(list))
    }

    /// What a click on this one chooses, and in which list. Browsers keep the options of an open list apart from the list itself: it is the one that
    /// was opened just before.
    fn choice(&self, target: &Target) -> Option<(Target, String)> {
        let opened = self.opened_list().filter(|list| {
            list.app == target.app && (target.option_of.is_some() || !target.in_menus.is_empty())
        });
        if let (Some(list), Some(option)) = (opened, &target.option) {
            return Some((list.clone(), option.clone()));
        }
        let Choice { list, locator, option } = target.option_of.clone()?;
        Some((Target { query: list, locator, kind: Kind::List, ..target.clone() }, option))
    }

    fn last_is_click_on(&self, target: &Target) -> bool {
        self.steps.last().is_some_and(|last| last.tool == "ax_click" && is_about(last, target))
    }

    /// Drops the last step if it is this key in this application: what ended the recording is no part of it.
    pub fn without_last_key(&mut self, chord: &Chord) {
        self.close();
        let key = Value::from(spelled(chord));
        if self
            .steps
            .last()
            .is_some_and(|last| last.tool == "ax_key_press" && last.args.get("key") == Some(&key))
        {
            self.steps.pop();
        }
    }

    fn push(&mut self, tool: &str, target: &Target, more: Value) {
        let mut args = json!({"query": literal(&target.query), "app": literal(&target.app)});
        if let (Some(args), Value::Object(more)) = (args.as_object_mut(), more) {
            args.extend(more);
        }
        self.add(tool, args, target.locator.clone());
    }

    fn add(&mut self, tool: &str, args: Value, locator: Option<Box<Fingerprint>>) {
        let args = match args {
            Value::Object(args) => args,
            _ => Map::new(),
        };
        if self.steps.len() >= MAX_STEPS {
            return self.note("steps beyond the most that a workflow can have");
        }
        self.missed = false;
        self.steps.push(Step {
            tool: tool.to_owned(),
            args,
            on_fail: handeye_flow::OnFail::default(),
            wait_after_ms: 0,
            retry: 0,
            wait_until: None,
            locator,
        });
    }

    /// The workflow, with all that was still open.
    pub fn finish(&mut self) -> Flow {
        self.close();
        Flow { steps: std::mem::take(&mut self.steps), notes: self.notes(), ..Flow::default() }
    }
}

fn is_about(step: &Step, target: &Target) -> bool {
    step.args.get("app") == Some(&literal(&target.app).into())
        && step.args.get("query") == Some(&literal(&target.query).into())
}

/// A text as a step has it: no part of it is a placeholder.
pub fn literal(text: &str) -> String {
    text.replace("{{", "{{{{")
}

#[cfg(test)]
mod tests;
