//! Questions about pictures: one question, any number of pictures, one text.

mod report;
mod sampling;

pub use report::Analysis;
pub(crate) use report::within;
pub(crate) use sampling::LIMITS as CLIENT_LIMITS;

use futures_util::{StreamExt, stream};
use handeye_call::call::Call;
use handeye_call::client::Page;
use handeye_call::running::in_vision;
use handeye_core::vision::{KeyPage, Model, ModelChoice, Reply, Vision};
use handeye_core::{Error, ErrorCode, Frame, Result};
use handeye_picture as picture;
use report::{joined, one_line};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Most pictures that one call has under way at a time.
const SIDE_BY_SIDE: usize = 3;
/// How long before its deadline a call stops waiting for answers, so that it can still return those that came.
const RESERVE: Duration = Duration::from_millis(500);
/// Longest question, in bytes.
const MAX_QUESTION: usize = 32 * 1024;

/// Who answers a question about pictures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answerer {
    /// A model of a configured provider.
    Provider(Model),
    /// The client's own model.
    Client,
}

/// Who answers: the model that is chosen, or else, where the choice was left to handeye, the client's own. If none does because a key is
/// missing, the person is sent to the page that has one, where the client can do that.
///
/// # Errors
/// [`ErrorCode::AnalysisUnavailable`] if none does.
pub async fn answerer(vision: &dyn Vision, call: &Call, choice: &ModelChoice) -> Result<Answerer> {
    let named = choice.provider.as_deref().filter(|name| !name.trim().eq_ignore_ascii_case("auto"));
    let missing = match available(vision, choice).await {
        Ok(model) => return Ok(Answerer::Provider(model)),
        Err(error) if error.code == ErrorCode::AnalysisUnavailable => error,
        Err(error) => return Err(error),
    };
    let capabilities = call.client.capabilities();
    if named.is_none() && choice.model.is_none() && capabilities.sampling {
        return Ok(Answerer::Client);
    }
    let Some(page) = vision.key_page(named).filter(|_| capabilities.url) else { return Err(missing) };
    let then = if call.reader.configured_anew { " and try again" } else { ", and start handeye again" };
    let sent = Page {
        message: format!(
            "{0} needs an API key to answer questions about pictures. Create one there, put it into {1} in the environment of \
             handeye{then}.",
            page.provider, page.variable
        ),
        url: page.url.to_owned(),
    };
    match call.visit(&format!("key_{}", page.provider), sent).await {
        Ok(()) if call.reader.configured_anew => Err(missing),
        Ok(()) => Err(missing.with_next(format!(
            "The person was sent to {}. Once {} is set and handeye was started again, call again.",
            page.url, page.variable
        ))),
        Err(error) if error.code == ErrorCode::Declined => Err(missing),
        Err(error) => Err(error),
    }
}

/// The configured model of this choice that can be asked now: its key is there, or its server on this machine or network answers. Nothing is
/// sent to a provider that needs a key.
///
/// # Errors
/// [`ErrorCode::AnalysisUnavailable`] if there is none, with the reason.
pub async fn available(vision: &dyn Vision, choice: &ModelChoice) -> Result<Model> {
    let model = vision.choose(choice).await?;
    match vision.key_page(Some(&model.provider)) {
        None => Ok(model),
        Some(page) => Err(unset(&page)),
    }
}

/// Asks a configured model without a picture. It is given up shortly before the call's deadline.
pub async fn ask_text(vision: &dyn Vision, call: &Call, model: &Model, question: &str) -> Result<Reply> {
    let asking = in_vision(vision.ask(model, None, question));
    let limit = call.remaining().saturating_sub(RESERVE);
    tokio::time::timeout(limit, asking).await.unwrap_or_else(|_elapsed| Err(no_time_left(model)))
}

fn unset(page: &KeyPage) -> Error {
    Error::new(
        ErrorCode::AnalysisUnavailable,
        format!("{} cannot be asked: {} is not set", page.provider, page.variable),
    )
    .with_next(format!("Set {} in the environment of handeye.", page.variable))
}

/// Asks one question about every picture, several side by side, and reports the call's progress. Each picture has a label
/// that identifies its window or display. A picture that fails does not lose the answers about the others.
///
/// # Errors
/// If there is no picture, or the question is empty or too long. Failures of single pictures are in
/// [`Analysis::failed`], also where there is only one.
pub async fn ask_all(
    vision: &dyn Vision,
    call: &Call,
    pictures: Vec<(String, Frame)>,
    question: &str,
    answerer: &Answerer,
) -> Result<Analysis> {
    check_question(question)?;
    let model = match answerer {
        Answerer::Provider(model) => model.clone(),
        Answerer::Client => return sampling::ask_all(call, pictures, question).await,
    };
    let Ok(total @ 1..) = u32::try_from(pictures.len()) else {
        return Err(Error::internal(format!("{} pictures to analyze", pictures.len())));
    };
    let steps = Steps { call, done: AtomicU32::new(0), total: total.saturating_mul(2) };
    let (asked, steps) = (&model, &steps);
    let answers: Vec<(String, Result<Reply>)> = stream::iter(pictures)
        .map(|(label, frame)| async move {
            let label = one_line(&label);
            steps.report(format!("Asking {asked} about {label}"));
            let limit = call.remaining().saturating_sub(RESERVE);
            let answer = tokio::time::timeout(limit, ask(vision, asked, frame, question))
                .await
                .unwrap_or_else(|_elapsed| Err(no_time_left(asked)));
            let how = if answer.is_ok() { "answered" } else { "failed" };
            steps.report(format!("{asked} {how} about {label}"));
            (label, answer)
        })
        .buffered(SIDE_BY_SIDE)
        .collect()
        .await;
    Ok(joined(model, answers))
}

/// Refuses a question that says nothing or too much.
pub fn check_question(question: &str) -> Result<()> {
    if question.trim().is_empty() {
        return Err(Error::invalid_parameter("question", "is empty")
            .with_next("Ask something about the picture, for example: What does the dialog say?"));
    }
    if question.len() > MAX_QUESTION {
        return Err(Error::new(
            ErrorCode::TooLarge,
            format!("the question has {} bytes; at most {MAX_QUESTION} are taken", question.len()),
        ));
    }
    Ok(())
}

/// Asks about one picture.
async fn ask(vision: &dyn Vision, model: &Model, frame: Frame, question: &str) -> Result<Reply> {
    let limits = vision.limits(model);
    let (_, picture) = picture::away(move || within(&frame, limits)).await?;
    in_vision(vision.ask(model, Some(picture), question)).await
}

fn no_time_left(model: &Model) -> Error {
    Error::new(ErrorCode::Timeout, format!("{model} did not answer before the call's deadline"))
        .with_next("Allow the call more time, or ask about fewer pictures at once.")
}

/// Reports to the client how far the pictures are: each one counts when it is asked about and when that is over, because the
/// protocol wants every step to be further than the one before.
struct Steps<'a> {
    call: &'a Call,
    done: AtomicU32,
    total: u32,
}

impl Steps<'_> {
    fn report(&self, message: String) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.call.progress.report(done, self.total, message);
    }
}
