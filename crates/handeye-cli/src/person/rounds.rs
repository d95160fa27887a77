//! The rounds of a command: it is worked on until it ends or needs an answer that is not known; then the answer is fetched, and
//! the work begins again.

use super::Person;
use async_trait::async_trait;
use handeye_call::client::{
    Ask, Client, InteractionCapabilities, PATIENCE_WITH_PROGRAMS, Question, Reply, cannot_be_asked,
    input_required,
};
use handeye_core::{Error, ErrorCode, Result};
use handeye_service::wire::{PersonReply, Shown};
use serde_json::Map;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Most rounds of one command.
const MAX_ROUNDS: usize = 12;
/// How long a command may take with all its questions.
const LONGEST: Duration = Duration::from_secs(600);

/// The questions of one command.
pub(crate) struct Rounds {
    person: Arc<dyn Person>,
    unproven: bool,
    /// How long the person may take for one question.
    patience: Duration,
    cancelled: CancellationToken,
    memory: Mutex<Memory>,
}

/// What was asked and answered.
#[derive(Default)]
struct Memory {
    known: Vec<(Question, Reply)>,
    pending: Vec<Question>,
}

impl Rounds {
    /// Questions to `person`, until `cancelled`. `unproven` is as in [`InteractionCapabilities`].
    pub(crate) fn new(
        person: Arc<dyn Person>,
        unproven: bool,
        patience: Duration,
        cancelled: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self { person, unproven, patience, cancelled, memory: Mutex::default() })
    }

    /// Works on a command until it ends, for no longer than `limit`. `work` does one round: it may ask whom it is given, and
    /// has the time that it is given. Without `rounds` there is one, in which nobody can be asked.
    pub(crate) async fn run<T, F: Future<Output = Result<T>>>(
        rounds: Option<&Arc<Self>>,
        limit: Option<Duration>,
        mut work: impl FnMut(Arc<dyn Client>, Option<Duration>) -> F,
    ) -> Result<T> {
        let Some(rounds) = rounds else { return work(Arc::new(Alone), limit).await };
        let until = Instant::now() + limit.unwrap_or(LONGEST).min(LONGEST);
        for _ in 0..MAX_ROUNDS {
            let remaining = until.saturating_duration_since(Instant::now());
            match work(Arc::clone(rounds) as Arc<dyn Client>, Some(remaining)).await {
                Err(error) if error.code == ErrorCode::InputRequired => rounds.fetch(until).await?,
                ended => return ended,
            }
        }
        Err(Error::new(
            ErrorCode::Refused,
            format!("the target of the question changed {MAX_ROUNDS} times in a row: nothing was done"),
        )
        .with_next("Try again when the application is idle."))
    }

    /// Has all questions answered that are not answered yet.
    async fn fetch(&self, until: Instant) -> Result<()> {
        let pending = std::mem::take(&mut self.memory().pending);
        for question in pending {
            let shown = match &question.ask {
                Ask::Form(form) => Shown::Form(form.clone()),
                Ask::Page(page) => Shown::Page(page.clone()),
                Ask::Sampling(_) | Ask::Roots => return Err(cannot_be_asked("that")),
            };
            let patience = self.patience.min(until.saturating_duration_since(Instant::now()));
            let reply = match self.put(shown, patience).await? {
                PersonReply::Filled(fields) => Reply::Accepted(fields),
                PersonReply::Dismissed => Reply::Dismissed,
                PersonReply::TooLate => return Err(unanswered(patience)),
            };
            let mut memory = self.memory();
            memory.known.retain(|(known, _)| known.key != question.key);
            memory.known.push((question, reply));
        }
        Ok(())
    }

    async fn put(&self, shown: Shown, patience: Duration) -> Result<PersonReply> {
        tokio::select! {
            biased;
            () = self.cancelled.cancelled() => {
                Err(Error::new(ErrorCode::Cancelled, "the command was cancelled while it asked: nothing was done"))
            }
            reply = self.person.answer(shown, patience) => Ok(reply),
        }
    }

    /// A poisoned lock is taken over: every change is one insertion.
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unanswered(patience: Duration) -> Error {
    Error::new(
        ErrorCode::Timeout,
        format!("nobody answered the question within {} s: nothing was done", patience.as_secs()),
    )
    .with_next("Run the command again and answer in time.")
}

/// A command without a terminal.
struct Alone;

#[async_trait]
impl Client for Alone {
    fn capabilities(&self) -> InteractionCapabilities {
        InteractionCapabilities::default()
    }

    fn without_yes(&self) -> &'static str {
        "This command has nobody to ask"
    }

    fn has_refused_among(&self, _beginning: &str) -> bool {
        false
    }

    async fn ask(&self, _question: Question) -> Result<Reply> {
        Err(cannot_be_asked("anything"))
    }
}

#[async_trait]
impl Client for Rounds {
    fn capabilities(&self) -> InteractionCapabilities {
        InteractionCapabilities {
            form: true,
            url: true,
            unproven: self.unproven,
            ..InteractionCapabilities::default()
        }
    }

    fn answered(&self, beginning: &str) -> Option<String> {
        let memory = self.memory();
        memory.known.iter().map(|(question, _)| &question.key).find(|key| key.starts_with(beginning)).cloned()
    }

    fn begun(&self, beginning: &str) -> Option<String> {
        // Each question is answered before the work begins again.
        self.answered(beginning)
    }

    fn has_refused_among(&self, beginning: &str) -> bool {
        let is_form =
            |question: &Question| matches!(question.ask, Ask::Form(_)) && question.key.starts_with(beginning);
        self.memory().known.iter().any(|(question, reply)| is_form(question) && reply.is_no())
    }

    fn without_yes(&self) -> &'static str {
        "A yes at a terminal may be a program's"
    }

    async fn ask(&self, question: Question) -> Result<Reply> {
        match &question.ask {
            Ask::Form(_) => {
                let mut memory = self.memory();
                if let Some((_, reply)) = memory.known.iter().find(|(known, _)| *known == question) {
                    return Ok(reply.clone());
                }
                memory.pending.retain(|pending| pending.key != question.key);
                memory.pending.push(question);
                Err(input_required())
            }
            // Showing takes no time, so there is no need to begin again.
            Ask::Page(page) => match self.put(Shown::Page(page.clone()), PATIENCE_WITH_PROGRAMS).await? {
                PersonReply::Filled(_) => Ok(Reply::Accepted(Map::new())),
                PersonReply::Dismissed | PersonReply::TooLate => Ok(Reply::Dismissed),
            },
            Ask::Sampling(_) => Err(cannot_be_asked("for a model's opinion")),
            Ask::Roots => Err(cannot_be_asked("for its folders")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_call::client::{FieldKind, Form};
    use serde_json::json;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Says the same to every question, and counts them.
    struct Parrot {
        reply: PersonReply,
        asked: AtomicUsize,
    }

    #[async_trait]
    impl Person for Parrot {
        async fn answer(&self, _shown: Shown, _patience: Duration) -> PersonReply {
            self.asked.fetch_add(1, Ordering::SeqCst);
            self.reply.clone()
        }
    }

    fn rounds(reply: PersonReply) -> (Arc<Rounds>, Arc<Parrot>, CancellationToken) {
        let parrot = Arc::new(Parrot { reply, asked: AtomicUsize::new(0) });
        let cancelled = CancellationToken::new();
        let rounds = Rounds::new(Arc::clone(&parrot) as _, true, Duration::from_secs(5), cancelled.clone());
        (rounds, parrot, cancelled)
    }

    fn question(about: &str) -> Question {
        let form = Form::new("Really?").required("confirm", "Confirm", FieldKind::YesNo { default: false });
        Question { key: "confirm".into(), about: about.into(), ask: Ask::Form(form) }
    }

    fn yes() -> PersonReply {
        PersonReply::Filled(Map::from_iter([("confirm".to_owned(), json!(true))]))
    }

    #[tokio::test]
    async fn the_work_begins_anew_with_the_reply() {
        let (rounds, parrot, _) = rounds(yes());
        let runs = AtomicUsize::new(0);
        let reply = Rounds::run(Some(&rounds), None, |client, _| {
            runs.fetch_add(1, Ordering::SeqCst);
            async move { client.ask(question("e1")).await }
        });
        assert!(matches!(reply.await, Ok(Reply::Accepted(fields)) if fields["confirm"] == true));
        assert_eq!((runs.load(Ordering::SeqCst), parrot.asked.load(Ordering::SeqCst)), (2, 1));
    }

    #[tokio::test]
    async fn a_reply_counts_for_its_question_and_there_is_an_end_of_asking() {
        let (rounds, parrot, _) = rounds(yes());
        let runs = AtomicUsize::new(0);
        let ended = Rounds::run(Some(&rounds), None, |client, _| {
            let about = runs.fetch_add(1, Ordering::SeqCst).to_string();
            async move { client.ask(question(&about)).await }
        });
        assert_eq!(ended.await.expect_err("no end").code, ErrorCode::Refused);
        assert_eq!(parrot.asked.load(Ordering::SeqCst), MAX_ROUNDS);
    }

    #[tokio::test]
    async fn silence_and_a_closed_question_end_the_command() {
        for (reply, code) in
            [(PersonReply::TooLate, Some(ErrorCode::Timeout)), (PersonReply::Dismissed, None)]
        {
            let (rounds, _, _) = rounds(reply);
            let ended =
                Rounds::run(Some(&rounds), None, |client, _| async move { client.ask(question("")).await });
            match (ended.await, code) {
                (Err(error), Some(code)) => assert_eq!(error.code, code),
                (Ok(Reply::Dismissed), None) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    #[tokio::test]
    async fn a_no_is_kept_whatever_is_asked_next() {
        for reply in
            [PersonReply::Dismissed, PersonReply::Filled(Map::from_iter([("confirm".into(), json!(false))]))]
        {
            let (rounds, _, _) = rounds(reply);
            let runs = AtomicUsize::new(0);
            let ended = Rounds::run(Some(&rounds), None, |client, _| {
                let first = runs.fetch_add(1, Ordering::SeqCst) == 0;
                async move {
                    if first {
                        client.ask(question("e1")).await.map(|_| false)
                    } else {
                        Ok(client.has_refused())
                    }
                }
            });
            assert_eq!(ended.await, Ok(true));
        }
        let (rounds, _, _) = rounds(yes());
        let ended = Rounds::run(Some(&rounds), None, |client, _| async move {
            client.ask(question("e1")).await.map(|_| client.has_refused())
        });
        assert_eq!(ended.await, Ok(false));
    }

    #[tokio::test]
    async fn a_cancelled_command_waits_for_nobody() {
        struct Nobody;
        #[async_trait]
        impl Person for Nobody {
            async fn answer(&self, _shown: Shown, _patience: Duration) -> PersonReply {
                std::future::pending().await
            }
        }
        let cancelled = CancellationToken::new();
        let rounds = Rounds::new(Arc::new(Nobody), true, Duration::from_secs(5), cancelled.clone());
        let asking =
            Rounds::run(Some(&rounds), None, |client, _| async move { client.ask(question("")).await });
        let cancelling = async {
            tokio::task::yield_now().await;
            cancelled.cancel();
        };
        let (ended, ()) = tokio::join!(asking, cancelling);
        assert_eq!(ended.expect_err("cancelled").code, ErrorCode::Cancelled);
    }

    #[tokio::test]
    async fn without_a_person_nobody_is_asked() {
        let capabilities =
            Rounds::run(None, None, |client, limit| async move { Ok((client.capabilities(), limit)) });
        assert_eq!(capabilities.await, Ok((InteractionCapabilities::default(), None)));
    }
}
