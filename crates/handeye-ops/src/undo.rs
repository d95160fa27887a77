//! `ax_undo`: takes the last actions of the caller back.

use crate::take_back::{Attempt, TakenBack, take_back};
use async_trait::async_trait;
use clap::Args;
use handeye_act::journal::{Entry, Fate};
use handeye_call::call::Call;
use handeye_call::client::Prefixed;
use handeye_call::outcome::{Outcome, Verdict};
use handeye_core::{Error, ErrorCode, Result, SettingName, Text, text};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Takes actions back.
pub struct Undo;

/// Most actions that one call takes back.
const MOST: u32 = 50;
/// The beginning of the keys of its questions; the numbers of the first and the last action follow.
const KEY: &str = "undo ";

/// How many.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(default_value_t = 1, help = "How many actions, 50 at most")]
    #[serde(default = "default_count")]
    count: u32,
}

const fn default_count() -> u32 {
    1
}

/// What became of them.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    undone: u32,
    skipped: u32,
    /// The latest action first
    actions: Vec<Attempt>,
}

#[async_trait]
impl Operation for Undo {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_undo",
        command: "undo",
        title: "Undo last actions",
        description: "Restores texts, values, choices of your last actions; skips clicks, keys, what changed since",
        toolset: Toolset::Context,
        application: "",
        destructive: false,
        deadline: Duration::from_secs(60),
        ..Meta::ACT
    };

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        if !(1..=MOST).contains(&input.count) {
            return Err(Error::invalid_parameter("count", format!("must be 1 to {MOST}")));
        }
        let journal = &engine.desk.own.journal;
        let entries = match begun(call) {
            // A question of this call was answered: the same actions as when it was asked.
            Some((oldest, newest)) => {
                (oldest..=newest).rev().filter_map(|number| journal.entry(number)).collect()
            }
            None => journal.standing(input.count as usize),
        };
        let (Some(newest), Some(oldest)) = (entries.first(), entries.last()) else {
            return Err(nothing(call));
        };
        let key = format!("{KEY}{}-{} ", oldest.number, newest.number);
        let mut actions = Vec::new();
        for entry in entries.iter().filter(|entry| entry.fate != Fate::TookBack) {
            actions.push(attempt(engine, call, entry, &key).await?);
        }
        Ok(outcome(actions))
    }
}

/// Takes one action back, unless that was tried in the same call before a question was asked.
async fn attempt(engine: &Engine, call: &Call, entry: &Entry, key: &str) -> Result<Attempt> {
    if entry.fate != Fate::Stands {
        return Ok(Attempt::earlier(entry));
    }
    let client = Prefixed::new(Arc::clone(&call.client), format!("{key}{} ", entry.number));
    let call = Call { client: Arc::new(client), ..call.clone() };
    take_back(engine, &call, entry).await
}

/// The first and the last action of a call that asked a question before.
fn begun(call: &Call) -> Option<(u64, u64)> {
    let key = call.client.begun(KEY)?;
    let range = key.strip_prefix(KEY)?.split(' ').next()?;
    let (oldest, newest) = range.split_once('-')?;
    Some((oldest.parse().ok()?, newest.parse().ok()?))
}

fn nothing(call: &Call) -> Error {
    let error = Error::new(ErrorCode::Refused, "there is nothing to undo: no action of yours stands");
    if call.reader.remembered {
        error
    } else {
        error.with_next(text![
            "A command that runs with ",
            SettingName::of("no-daemon"),
            " remembers no actions of others."
        ])
    }
}

fn outcome(actions: Vec<Attempt>) -> Outcome<Output> {
    let count = |wanted| actions.iter().filter(|attempt| attempt.status == wanted).count();
    let (undone, skipped) = (count(TakenBack::Undone), count(TakenBack::SkippedIrreversible));
    let mut text = Text::from(format!("Undone: {undone}. Skipped: {skipped}."));
    for attempt in &actions {
        text.push_str("\n");
        text.push_str(&attempt.line());
    }
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    let verdict = Verdict::of(undone > 0 || skipped == 0, ErrorCode::Refused);
    let fields = Output { undone: number(undone), skipped: number(skipped), actions };
    Outcome { verdict, ..Outcome::new(text, fields) }
}
