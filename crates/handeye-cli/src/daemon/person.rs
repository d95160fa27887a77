//! The person behind a command, as the daemon asks it: over the connection of the command.

use crate::person::Person;
use async_trait::async_trait;
use handeye_service::wire::{PersonReply, Question, Shown};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// How much longer than the person the command may take: it keeps the time itself, unless it is stopped.
const GRACE: Duration = Duration::from_secs(2);

/// A question on its way to the command, and where its answer goes.
pub(super) struct Put {
    shown: Shown,
    patience: Duration,
    answer: oneshot::Sender<PersonReply>,
}

/// A person at the other end of a connection.
pub(super) struct Afar(mpsc::Sender<Put>);

impl Afar {
    /// A person, and the questions to it.
    pub(super) fn new() -> (Self, mpsc::Receiver<Put>) {
        let (questions, put) = mpsc::channel(1);
        (Self(questions), put)
    }
}

#[async_trait]
impl Person for Afar {
    async fn answer(&self, shown: Shown, patience: Duration) -> PersonReply {
        let (answer, reply) = oneshot::channel();
        if self.0.send(Put { shown, patience, answer }).await.is_err() {
            return PersonReply::Dismissed;
        }
        match tokio::time::timeout(patience.saturating_add(GRACE), reply).await {
            Ok(Ok(reply)) => reply,
            // The connection has ended.
            Ok(Err(_)) => PersonReply::Dismissed,
            Err(_elapsed) => PersonReply::TooLate,
        }
    }
}

/// The question that a command was asked last.
#[derive(Default)]
pub(super) struct Open {
    number: u32,
    answer: Option<oneshot::Sender<PersonReply>>,
}

impl Open {
    /// Takes a question; what has to be sent. The one before it is taken back.
    pub(super) fn ask(&mut self, put: Put) -> Question {
        self.number += 1;
        self.answer = Some(put.answer);
        let patience_ms = u64::try_from(put.patience.as_millis()).unwrap_or(u64::MAX);
        Question { number: self.number, shown: put.shown, patience_ms }
    }

    /// Takes an answer. One to a question that was taken back is nobody's.
    pub(super) fn take(&mut self, number: u32, reply: PersonReply) {
        let answer = if number == self.number { self.answer.take() } else { None };
        if answer.is_none_or(|answer| answer.send(reply).is_err()) {
            tracing::debug!(number, "an answer came too late");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_call::client::Page;

    fn shown() -> Shown {
        Shown::Page(Page { message: "Why".into(), url: "https://x/".into() })
    }

    #[tokio::test]
    async fn an_answer_is_for_the_question_that_was_asked_last() {
        let (afar, mut questions) = Afar::new();
        let mut open = Open::default();
        let asking = afar.answer(shown(), Duration::from_secs(5));
        let answering = async {
            let question = open.ask(questions.recv().await.expect("a question"));
            open.take(question.number + 1, PersonReply::TooLate);
            open.take(question.number, PersonReply::Dismissed);
            open.take(question.number, PersonReply::TooLate);
        };
        assert_eq!(tokio::join!(asking, answering).0, PersonReply::Dismissed);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stopped_command_and_one_that_has_gone_hold_up_nobody() {
        let (afar, mut questions) = Afar::new();
        let asking = afar.answer(shown(), Duration::from_secs(5));
        let hearing = async { questions.recv().await.expect("a question") };
        let (reply, put) = tokio::join!(asking, hearing);
        assert_eq!(reply, PersonReply::TooLate);
        drop((questions, put));
        assert_eq!(afar.answer(shown(), Duration::from_secs(5)).await, PersonReply::Dismissed);
    }
}
