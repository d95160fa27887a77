//! The terminal of a command, as a person who can be asked.

use super::Person;
use super::dialogue::{self, Heard};
use super::lines::{Line, Lines, show};
use crate::command::Globals;
use crate::format::Format;
use crate::output::{complain, paint, wants_colour};
use anstyle::Style;
use async_trait::async_trait;
use handeye_call::client::{Field, FieldKind, Form};
use handeye_service::wire::{PersonReply, Shown};
use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;
use serde_json::{Map, Value};
use std::io::{self, IsTerminal};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// How often an answer that is none is asked for again.
const TRIES: usize = 3;
/// Time for a question about changes that have to be read first.
const TIME_TO_READ: Duration = Duration::from_secs(600);

/// The terminal that this process runs at. It shows that somebody can type, not that it is a person.
pub(crate) struct Terminal(());

impl Terminal {
    /// The terminal of a command, if it may ask there: its answer is text for a person, it may ask (`--no-input` was not given), and it
    /// has the terminal for itself. One in the background has not, nor has one whose terminal belongs to another session.
    pub(crate) fn of_command(globals: &Globals) -> Option<Self> {
        let may_ask = globals.output.format == Format::Text && !globals.no_input;
        let is_there = io::stdin().is_terminal() && io::stderr().is_terminal();
        (may_ask && is_there && is_in_foreground()).then_some(Self(()))
    }
}

fn is_in_foreground() -> bool {
    tcgetpgrp(io::stdin()).is_ok_and(|foreground| foreground == getpgrp())
}

#[async_trait]
impl Person for Terminal {
    async fn answer(&self, shown: Shown, patience: Duration) -> PersonReply {
        let talk = async {
            let (open, other_end) = UnixStream::pair()?;
            let mut wanted = Wanted { open: Some(open) };
            let lines = Lines::new(other_end, patience);
            let talking = tokio::task::spawn_blocking(move || talk(&shown, &lines));
            let reply = talking.await.map_err(io::Error::other)?;
            wanted.open = None;
            reply
        };
        talk.await.unwrap_or_else(|error: io::Error| {
            tracing::debug!(%error, "the terminal cannot be used");
            PersonReply::Dismissed
        })
    }
}

/// As long as it is there, an answer is wanted.
struct Wanted {
    /// What a caller that waits for a line watches.
    open: Option<UnixStream>,
}

impl Drop for Wanted {
    fn drop(&mut self) {
        if self.open.is_some() {
            // It is taken back with the prompt on the screen, and the reason is on the next line.
            complain("\n");
        }
    }
}

/// Whether somebody can be asked at the terminal of this command.
pub fn can_ask(globals: &Globals) -> bool {
    Terminal::of_command(globals).is_some()
}

/// Asks a person at the terminal of a command before something is done that they have not called for in so many words; `None` if
/// nobody can be asked. No answer in time, or none that can be understood, is a no. Blocks.
///
/// # Errors
/// If the terminal cannot be used.
pub fn ask_yes_no(globals: &Globals, question: &str) -> io::Result<Option<bool>> {
    const ANSWER: &str = "answer";
    if Terminal::of_command(globals).is_none() {
        return Ok(None);
    }
    let kind = FieldKind::YesNo { default: false };
    let field = Field { name: ANSWER.into(), title: question.to_owned().into(), required: true, kind };
    let form = Form { message: String::new(), exhibit: None, fields: vec![field] };
    // It stays open, as nobody takes the question back.
    let (_wanted, other_end) = UnixStream::pair()?;
    let reply = fill_in(&form, &Lines::new(other_end, TIME_TO_READ))?;
    Ok(Some(matches!(reply, PersonReply::Filled(fields) if fields.get(ANSWER) == Some(&Value::Bool(true)))))
}

fn talk(shown: &Shown, lines: &Lines) -> io::Result<PersonReply> {
    let head = Style::new().bold();
    let head = |text| paint(text, head, wants_colour(io::stderr().is_terminal()));
    match shown {
        Shown::Page(page) => {
            show(&format!("{} {}", head("handeye:"), dialogue::page(page)))?;
            Ok(PersonReply::Filled(Map::new()))
        }
        Shown::Form(form) => {
            show(&format!("{} {}\n", head("handeye asks:"), dialogue::message(form)))?;
            fill_in(form, lines)
        }
    }
}

fn fill_in(form: &Form, lines: &Lines) -> io::Result<PersonReply> {
    let mut filled = Map::new();
    for field in &form.fields {
        let mut tries = 0;
        loop {
            let line = match lines.ask(&dialogue::prompt(field))? {
                Line::Typed(line) => line,
                Line::TooLate => return Ok(PersonReply::TooLate),
                Line::Ended | Line::TakenBack => return Ok(PersonReply::Dismissed),
            };
            match dialogue::read(field, &line) {
                Heard::Value(value) => {
                    filled.insert(field.name.clone().into_owned(), value);
                    break;
                }
                Heard::Nothing => break,
                Heard::Closed => return Ok(PersonReply::Dismissed),
                Heard::Unfit(wanted) => {
                    tries += 1;
                    if tries == TRIES {
                        return Ok(PersonReply::Dismissed);
                    }
                    // What was typed is not repeated: it may have been meant for something else.
                    show(&format!("Please {wanted}.\n"))?;
                }
            }
        }
    }
    Ok(PersonReply::Filled(filled))
}
