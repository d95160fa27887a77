//! Takes what is secret out of all that leaves a call: its answer, its error and notes, what it logs and reports to its client, what it asks
//! there. The desktop itself is as it was, so that references and queries go on working.
//!
//! A call within another one is not redacted by itself: its answer goes to the other one, which may put a value into an application that
//! nobody has to read for that.

use handeye_act::desk::Desk;
use handeye_call::call::Call;
use handeye_call::client::{Ask, Client, Content, FieldKind, Question, Through};
use handeye_call::outcome::{Answer, Outline};
use handeye_core::{Result, Text};
use handeye_engine::Engine;
use handeye_redact::Redactor;
use std::sync::Arc;

/// What takes it out of one call.
pub(crate) struct Redacting<'a>(Option<&'a Desk>);

impl<'a> Redacting<'a> {
    /// That of a call, from now on for what it reports and asks. `within` another one nothing is taken out.
    pub(crate) fn of(engine: &'a Engine, call: &mut Call, within: bool) -> Self {
        if within {
            return Self(None);
        }
        let redactor = engine.desk.redactor.clone();
        let own = redactor.clone();
        call.log = call.log.through(move |record| {
            own.json(&mut record.data);
        });
        let own = redactor.clone();
        call.progress =
            call.progress.through(move |step| step.message = own.text(&step.message).into_owned());
        let own = redactor;
        let client = Through::new(Arc::clone(&call.client), move |_: &dyn Client, asked: &mut Question| {
            question(&own, asked);
            Ok(())
        });
        call.client = Arc::new(client);
        Self(Some(&engine.desk))
    }

    /// How the call ended, without what is secret in it.
    pub(crate) fn result(&self, result: Result<Answer>) -> Result<Answer> {
        let Some(desk) = self.0 else { return result };
        let redactor = &desk.redacting();
        match result {
            Ok(answer) => Ok(without(redactor, answer)),
            Err(error) => Err(redactor.error(error)),
        }
    }

    /// Notes for the answer.
    pub(crate) fn notes(&self, mut notes: Vec<Text>) -> Vec<Text> {
        if let Some(desk) = self.0 {
            let redactor = desk.redacting();
            for note in &mut notes {
                redactor.speech(note);
            }
        }
        notes
    }
}

fn without(redactor: &Redactor, mut answer: Answer) -> Answer {
    // Resources answer with JSON.
    if answer.text.starts_with(['{', '[']) {
        if let Some(text) = redactor.text_or_json(&answer.text) {
            answer.text = text.into();
        }
    } else {
        redactor.speech(&mut answer.text);
    }
    redactor.json(&mut answer.fields);
    answer.notes.iter_mut().for_each(|note| redactor.speech(note));
    answer.failure = answer.failure.map(|error| redactor.error(error));
    let own = |text: &mut String| *text = redactor.text(text).into_owned();
    match &mut answer.outline {
        Some(Outline::Elements(elements)) => {
            for element in elements {
                element.name.iter_mut().for_each(own);
                element.value.iter_mut().for_each(own);
                element.notes.iter_mut().for_each(|note| redactor.speech(note));
            }
        }
        Some(Outline::Changes(changes)) => changes.iter_mut().for_each(|change| redactor.speech(change)),
        None => {}
    }
    if let Some(table) = &mut answer.table {
        table.rows.iter_mut().flatten().for_each(own);
    }
    for picture in &mut answer.pictures {
        if let Some(about) = &mut picture.about {
            redactor.json(about);
        }
    }
    answer
}

/// The words of applications in a question. What a person has to read whole, as a script that is to be approved, is the client's own and
/// stays as it is.
fn question(redactor: &Redactor, question: &mut Question) {
    let own = |text: &mut String| *text = redactor.text(text).into_owned();
    match &mut question.ask {
        Ask::Form(form) => {
            own(&mut form.message);
            for field in &mut form.fields {
                if let FieldKind::Choice(choices) = &mut field.kind {
                    for choice in choices {
                        own(&mut choice.title);
                    }
                }
            }
        }
        Ask::Page(page) => own(&mut page.message),
        Ask::Sampling(sampling) => {
            for content in sampling.messages.iter_mut().flat_map(|message| &mut message.content) {
                if let Content::Text(text) | Content::ToolResult { text, .. } = content {
                    own(text);
                }
            }
        }
        Ask::Roots => {}
    }
}
