//! Taking back one action of the journal: for `ax_undo`, and for a workflow that fails.
//!
//! It is done only where the element still is as the action left it. What has changed since may be somebody else's work.

use crate::shared::ActionOutput;
use crate::{choice, set_value};
use handeye_act::effect::Status;
use handeye_act::journal::{ElementState, Entry, Fate, LONGEST_TEXT, Places, Revert};
use handeye_act::locate::{self, Located};
use handeye_act::{Actor, Goal, Request, ShownBy, Wheel, Written, chosen, is_on, is_scrolled_as};
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_call::trail::Trail;
use handeye_core::{DetailKinds, Error, ErrorCode, NodeAction, Result, Scope, States};
use handeye_engine::Engine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is read of an element before its state is compared.
const DETAILS: DetailKinds =
    DetailKinds::VALUE.union(DetailKinds::TEXT).union(DetailKinds::ACTIONS).union(DetailKinds::EXTENTS);

/// What became of the attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TakenBack {
    /// It is as it was before the action.
    Undone,
    /// Nothing was done, or it did not have the effect.
    SkippedIrreversible,
}

/// An action, and what became of the attempt to take it back.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    /// The tool whose action it is
    pub tool: String,
    /// What became of it
    pub status: TakenBack,
    /// Reference of the element
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element_ref: Option<String>,
    /// Why it was skipped, or what is as before
    pub reason: String,
}

impl Attempt {
    /// For a reader: `ax_set_value: undone, it now reads "draft"`.
    pub fn line(&self) -> String {
        let status = match self.status {
            TakenBack::Undone => "undone",
            TakenBack::SkippedIrreversible => "not undone",
        };
        let element = self.element_ref.as_ref().map(|element| format!(" on {element}")).unwrap_or_default();
        format!("{}{element}: {status}, {}", self.tool, self.reason)
    }

    /// An action that cannot be taken back.
    pub fn not_possible(tool: &str, reason: &str) -> Self {
        let status = TakenBack::SkippedIrreversible;
        Self { tool: tool.to_owned(), status, element_ref: None, reason: reason.to_owned() }
    }

    /// What became of an action that was dealt with before.
    pub fn earlier(entry: &Entry) -> Self {
        if entry.fate == Fate::TakenBack {
            Self::of(entry, TakenBack::Undone, "it is as before".to_owned())
        } else {
            Self::of(entry, TakenBack::SkippedIrreversible, "it could not be taken back".to_owned())
        }
    }

    fn of(entry: &Entry, status: TakenBack, reason: String) -> Self {
        Self { tool: entry.tool.to_owned(), status, element_ref: entry.watched.clone(), reason }
    }
}

/// Takes an action back and notes in the journal what became of it.
///
/// # Errors
/// Only where nothing became of it yet: [`ErrorCode::InputRequired`], [`ErrorCode::Cancelled`].
pub(crate) async fn take_back(engine: &Engine, call: &Call, entry: &Entry) -> Result<Attempt> {
    let journal = &engine.desk.own.journal;
    // Its actions are its own: they are not ones to take back.
    let trail = Trail::default();
    let within = Call { trail: trail.clone(), ..call.clone() };
    let ended = restore(engine, &within, entry).await;
    let facts = trail.facts();
    for number in facts.actions {
        journal.note_fate(number, Fate::TookBack);
    }
    facts.flags.into_iter().for_each(|flag| call.trail.flag(flag));
    if let Some(agreed) = facts.confirmed {
        call.trail.confirmed(agreed);
    }
    let (status, reason) = match ended {
        Ok(done) => (TakenBack::Undone, done),
        Err(error) if matches!(error.code, ErrorCode::InputRequired | ErrorCode::Cancelled) => {
            return Err(error);
        }
        Err(error) => (TakenBack::SkippedIrreversible, error.message),
    };
    let fate = if status == TakenBack::Undone { Fate::TakenBack } else { Fate::Kept };
    journal.note_fate(entry.number, fate);
    Ok(Attempt::of(entry, status, reason))
}

/// Restores what was there before the action, and returns what shows it.
async fn restore(engine: &Engine, call: &Call, entry: &Entry) -> Result<String> {
    match &entry.revert {
        Revert::Impossible => Err(kept(irreversible(entry.tool))),
        Revert::Nothing => Ok("it changed nothing but the focus".to_owned()),
        Revert::Wheel { dx, dy, left } => turn_back(engine, call, entry, (*dx, *dy), left).await,
        Revert::SetText(text) => {
            let (actor, target) = find(engine, call, entry).await?;
            check_left(entry, &whole_state(&actor, &target).await?, Part::Text)?;
            shown(set_value::set_text(&actor, &target, &Written::literal(text)).await?)
        }
        Revert::SetNumber(number) => {
            let (actor, target) = find(engine, call, entry).await?;
            check_left(entry, &ElementState::of(&target.node), Part::Number)?;
            shown(set_value::set_number(&actor, &target, *number).await?)
        }
        Revert::Switch => {
            let (actor, target) = find(engine, call, entry).await?;
            check_left(entry, &ElementState::of(&target.node), Part::States)?;
            let wanted = entry.before.as_ref().and_then(|before| is_on(before.states));
            let Some(wanted) = wanted else {
                return Err(kept("it was neither on nor off before"));
            };
            let request = Request::to(&target, NodeAction::Invoke(None), Goal::Switched(wanted));
            proven(actor.act(&request).await?.effect)
        }
        Revert::Select(wanted) => {
            let (actor, target) = find(engine, call, entry).await?;
            check_left(entry, &ElementState::of(&target.node), Part::States)?;
            shown(choice::set_selected(&actor, &target, *wanted).await?)
        }
        Revert::Choose { before, after } => {
            let (actor, target) = find(engine, call, entry).await?;
            let scope = Scope { root: Some(target.node.id), hidden: true, details: DetailKinds::empty() };
            let tree = actor.app.refresh(scope).await?;
            if chosen(&actor, &tree, target.node.id).await?.as_deref() != Some(after) {
                return Err(kept("another option was chosen since"));
            }
            shown(choice::choose(&actor, &target, before).await?)
        }
    }
}

/// Connects to the application of an action and finds the element whose state is to be restored.
async fn find<'a>(engine: &'a Engine, call: &'a Call, entry: &Entry) -> Result<(Actor<'a>, Located)> {
    let name = entry.pid.map_or_else(|| entry.application.clone(), |pid| pid.to_string());
    let actor = Actor::begin(&engine.desk, call, &name, ShownBy::Target).await.map_err(|error| {
        if error.code == ErrorCode::AppNotFound { kept("its application has ended") } else { error }
    })?;
    let Some(reference) = &entry.watched else { return Err(kept("its element is not known any more")) };
    let target = locate::one(actor.handles(), &actor.app, reference, DETAILS).await?;
    Ok((actor, target))
}

async fn turn_back(
    engine: &Engine,
    call: &Call,
    entry: &Entry,
    (dx, dy): (i32, i32),
    left: &Places,
) -> Result<String> {
    let Some(_) = &entry.watched else {
        return Err(kept("the wheel was turned over no element that could be found again"));
    };
    let (actor, target) = find(engine, call, entry).await?;
    match is_scrolled_as(&actor, left).await? {
        Some(true) => {}
        Some(false) => return Err(kept("it was scrolled since, or what is in it moved")),
        None => return Err(kept("nothing in it shows how far it is scrolled")),
    }
    // By the wheel that scrolled it.
    let seat = entry.route.seat().ok_or_else(|| kept("it was not scrolled by a wheel"))?;
    proven(actor.act(&Wheel { target: Some(&target), dx, dy, seat }).await?.effect)
}

/// The state of an element with all of its text.
async fn whole_state(actor: &Actor<'_>, target: &Located) -> Result<ElementState> {
    let state = ElementState::of(&target.node);
    if state.text.is_some() || target.node.states.contains(States::PROTECTED) {
        return Ok(state);
    }
    Ok(state.with_text(actor.app.read_text(target.node.id, 0, LONGEST_TEXT).await?))
}

/// The part of a state that an action changed.
#[derive(Clone, Copy)]
enum Part {
    Text,
    Number,
    States,
}

/// Fails unless the element is as the action left it.
fn check_left(entry: &Entry, now: &ElementState, part: Part) -> Result<()> {
    let Some(left) = &entry.after else {
        return Err(kept("it is not known how the action left its element"));
    };
    let (is_known, is_same) = match part {
        Part::Text => (left.text.is_some(), left.text == now.text),
        Part::Number => (left.number.is_some(), left.number == now.number),
        Part::States => (true, left.states == now.states),
    };
    match (is_known, is_same) {
        (false, _) => Err(kept("it is not known how the action left its element")),
        (true, false) => Err(kept("its element has changed since")),
        (true, true) => Ok(()),
    }
}

fn shown(outcome: Outcome<ActionOutput>) -> Result<String> {
    proven(outcome.fields.effect)
}

fn proven(effect: handeye_act::effect::Effect) -> Result<String> {
    if effect.status == Status::Confirmed {
        Ok(effect.evidence)
    } else {
        Err(kept(&format!("it was tried, and its effect was not observed: {}", effect.evidence)))
    }
}

fn irreversible(tool: &str) -> &'static str {
    match tool {
        "ax_key_press" => "what a key does is not known",
        "ax_type" => "what was typed has keys with other effects in it, or went where it cannot be read",
        "ax_set_value" => "its state before is not known",
        "ax_drag" => "what a drag does is not known",
        _ => "what a click does is not known",
    }
}

/// The reason why an action stands.
fn kept(why: &str) -> Error {
    Error::new(ErrorCode::Refused, why)
}
