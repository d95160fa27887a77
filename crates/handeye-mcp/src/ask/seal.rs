//! What a client sends back with the answers to questions: which questions they were and what is known already, sealed.
//!
//! A client can send whatever it likes. So the state is authenticated with a key of this process, bound to the request that it was
//! made for and to the client's name, good for ten minutes and for one use. It is not secret: nothing is in it but digests of questions and
//! the client's own answers.

use handeye_core::{Error, ErrorCode, Result};
use handeye_service::OpenQuestion;
use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// How long a client may take to come back.
const TTL: Duration = Duration::from_secs(600);
/// Longest state, in bytes: the answers are in it.
const MAX_STATE: usize = 512 * 1024;
/// Most answers of one request.
const MAX_ANSWERS: usize = 32;
/// Most states that wait for their client; the oldest is forgotten, and its client gets an error when it comes back.
const MAX_OPEN: usize = 4_096;

/// The error for a client whose state is refused, whatever the reason.
pub(crate) const REFUSED: &str = "the requestState is not valid for this request: it was altered, is older than ten minutes, was used \
                                  before, or belongs to another request or client. Send the request again without requestState and \
                                  inputResponses";

/// The request that a state belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding(Vec<u8>);

impl Binding {
    /// A call of `name` by `method` with these arguments, by a client of this name.
    pub fn of(method: &str, name: &str, arguments: &Value, client: Option<&str>) -> Self {
        // As JSON: no two of them run together.
        let all = serde_json::json!([method, name, sorted(arguments), client]);
        Self(Sha256::digest(all.to_string()).to_vec())
    }
}

/// The same value with the keys of its objects in order: a client may send them in any.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<&String, Value> =
                fields.iter().map(|(key, value)| (key, sorted(value))).collect();
            Value::Object(fields.into_iter().map(|(key, value)| (key.clone(), value)).collect())
        }
        Value::Array(values) => Value::Array(values.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// A digest of a question, to distinguish it from others.
pub(crate) fn digest(parts: &Value) -> String {
    Sha256::digest(sorted(parts).to_string()).iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap_or_default();
        hex
    })
}

/// An answer that is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Known {
    /// To which question.
    pub digest: String,
    /// As the client gave it.
    pub answer: Value,
}

/// What happened in the rounds of a request so far.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Rounds {
    /// How many there were.
    pub round: u32,
    /// The questions of the last one by their keys, as digests.
    pub asked: BTreeMap<String, String>,
    /// The answers to those before by the same keys.
    pub known: BTreeMap<String, Known>,
    /// The keys of those to which no answer came, though the request did: it was begun before.
    #[serde(skip)]
    pub unanswered: Vec<String>,
}

impl Rounds {
    /// Takes the answers to what was asked. Answers to other questions are left out.
    pub fn take(&mut self, responses: &BTreeMap<String, Value>) {
        for (key, digest) in std::mem::take(&mut self.asked) {
            match responses.get(&key) {
                Some(answer) => {
                    self.known.insert(key, Known { digest, answer: answer.clone() });
                }
                None => self.unanswered.push(key),
            }
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    /// Shows whether it was used before: 122 random bits, as hexadecimal digits.
    nonce: String,
    rounds: Rounds,
}

/// Seals states and opens them. One for all requests of a process.
pub struct Seals {
    codec: RequestStateCodec,
    open: Mutex<Open>,
}

/// A state that waits for its client.
struct Waiting {
    since: Instant,
    /// What is noted if it never comes back.
    question: Option<OpenQuestion>,
}

/// The states that wait for their client.
#[derive(Default)]
struct Open {
    since: HashMap<String, Waiting>,
    /// In the order in which they were issued; some may be used by now.
    order: VecDeque<String>,
}

impl Default for Seals {
    fn default() -> Self {
        // 122 random bits each, from the operating system.
        let key: Vec<u8> = (0..4).flat_map(|_| Uuid::new_v4().into_bytes()).collect();
        // Long enough by construction: 64 bytes.
        Self { codec: RequestStateCodec::new_unchecked(key), open: Mutex::default() }
    }
}

impl Seals {
    /// Seals what is known for the request of `binding`, with the `question` that its client has to come back for.
    ///
    /// # Errors
    /// [`ErrorCode::TooLarge`] if the client's answers are too large to be sent back and forth.
    pub fn seal(&self, rounds: &Rounds, binding: &Binding, question: Option<OpenQuestion>) -> Result<String> {
        let nonce = nonce();
        let options = SealOptions::new().associated_data(&binding.0).ttl(TTL);
        let sealed = Sealed { nonce: nonce.clone(), rounds: rounds.clone() };
        let sealed = self.codec.seal_json_with(&sealed, &options).map_err(Error::internal)?;
        if sealed.len() > MAX_STATE || rounds.known.len() > MAX_ANSWERS {
            return Err(Error::new(ErrorCode::TooLarge, "the client's answers are too large to be kept"));
        }
        self.remember(nonce, question);
        Ok(sealed)
    }

    /// Opens a state that came with the request of `binding`. It cannot be opened again.
    ///
    /// # Errors
    /// Why not, for the log; a client gets [no reason](REFUSED).
    pub fn open(&self, sealed: &str, binding: &Binding) -> Result<Rounds, String> {
        if sealed.len() > MAX_STATE {
            return Err("it is too long".into());
        }
        let opened: Sealed =
            self.codec.open_json_with(sealed, &binding.0).map_err(|fault| fault.to_string())?;
        let waiting = self.lock().since.remove(&opened.nonce);
        let waiting = waiting.ok_or("it was used before or has expired")?;
        if let Some(question) = waiting.question {
            question.answered();
        }
        Ok(opened.rounds)
    }

    fn remember(&self, nonce: String, question: Option<OpenQuestion>) {
        let now = Instant::now();
        let mut open = self.lock();
        open.since.insert(nonce.clone(), Waiting { since: now, question });
        open.order.push_back(nonce);
        while let Some(oldest) = open.order.front().cloned() {
            let stale = open.since.get(&oldest).is_none_or(|waiting| now.duration_since(waiting.since) > TTL);
            if !stale && open.since.len() <= MAX_OPEN {
                break;
            }
            open.order.pop_front();
            open.since.remove(&oldest);
        }
        if open.order.len() > 2 * MAX_OPEN {
            // One that waits at the front keeps used ones behind it in the queue.
            let Open { since, order } = &mut *open;
            order.retain(|nonce| since.contains_key(nonce));
        }
    }

    /// A poisoned lock is taken over: at worst a state is forgotten.
    fn lock(&self) -> std::sync::MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn nonce() -> String {
    Uuid::new_v4().simple().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn binding(arguments: &Value) -> Binding {
        Binding::of("tools/call", "ax_click", arguments, Some("client 1"))
    }

    fn rounds(answer: Value) -> Rounds {
        Rounds {
            round: 1,
            asked: BTreeMap::from([("confirm".into(), "d2".into())]),
            known: BTreeMap::from([("app".into(), Known { digest: "d1".into(), answer })]),
            unanswered: Vec::new(),
        }
    }

    #[test]
    fn a_state_opens_once_for_its_own_request() {
        let seals = Seals::default();
        let mine = binding(&json!({"app": "Editor", "query": "OK"}));
        let sealed = seals.seal(&rounds(json!(1)), &mine, None).expect("it seals");
        for other in [
            binding(&json!({"app": "Editor", "query": "Ok"})),
            binding(&json!({})),
            Binding::of("tools/call", "ax_click", &json!({"app": "Editor", "query": "OK"}), Some("client 2")),
            Binding::of("tools/call", "ax_click", &json!({"app": "Editor", "query": "OK"}), None),
            Binding::of(
                "tools/call",
                "ax_click_at",
                &json!({"app": "Editor", "query": "OK"}),
                Some("client 1"),
            ),
            Binding::of(
                "prompts/get",
                "ax_click",
                &json!({"app": "Editor", "query": "OK"}),
                Some("client 1"),
            ),
        ] {
            assert!(seals.open(&sealed, &other).is_err());
        }
        assert!(Seals::default().open(&sealed, &mine).is_err(), "another process has another key");
        let reordered = binding(&json!({"query": "OK", "app": "Editor"}));
        assert_eq!(
            seals.open(&sealed, &reordered),
            Ok(rounds(json!(1))),
            "the order of arguments means nothing"
        );
        assert!(seals.open(&sealed, &mine).is_err(), "a second time");
    }

    #[test]
    fn an_expired_state_does_not_open() {
        let seals = Seals::default();
        let mine = binding(&json!({}));
        let nonce = nonce();
        seals.remember(nonce.clone(), None);
        let options = SealOptions::new().associated_data(&mine.0).ttl(Duration::ZERO);
        let sealed = Sealed { nonce, rounds: Rounds::default() };
        let sealed = seals.codec.seal_json_with(&sealed, &options).expect("it seals");
        std::thread::sleep(Duration::from_millis(5));
        let why = seals.open(&sealed, &mine).expect_err("it is too old");
        assert!(why.contains("expired"), "{why}");
    }

    #[test]
    fn only_so_many_states_wait() {
        let seals = Seals::default();
        let mine = binding(&json!({}));
        let states: Vec<String> = (0..MAX_OPEN + 10)
            .map(|_| seals.seal(&Rounds::default(), &mine, None).expect("it seals"))
            .collect();
        let open = seals.lock().since.len();
        assert_eq!(open, MAX_OPEN);
        assert!(seals.open(&states[0], &mine).is_err(), "the oldest is forgotten");
        assert!(seals.open(&states[20], &mine).is_ok());
        for state in &states[100..] {
            seals.open(state, &mine).expect("it waits");
            seals.seal(&Rounds::default(), &mine, None).expect("it seals");
        }
        assert!(seals.lock().order.len() <= 2 * MAX_OPEN + 1);
    }

    #[test]
    fn answers_that_are_too_large_are_refused() {
        let seals = Seals::default();
        let large = rounds(json!("x".repeat(MAX_STATE)));
        let error = seals.seal(&large, &binding(&json!({})), None).expect_err("it is too large");
        assert_eq!(error.code, ErrorCode::TooLarge);
    }

    #[test]
    fn only_what_was_asked_is_taken() {
        let mut rounds = rounds(json!(1));
        let responses = BTreeMap::from([
            ("confirm".to_owned(), json!({"action": "accept"})),
            ("app".to_owned(), json!("forged")),
            ("never asked".to_owned(), json!(true)),
        ]);
        rounds.take(&responses);
        assert_eq!(rounds.known.len(), 2);
        assert_eq!(rounds.known["app"].answer, json!(1));
        assert_eq!(
            rounds.known["confirm"],
            Known { digest: "d2".into(), answer: json!({"action": "accept"}) }
        );
    }

    proptest! {
        #[test]
        fn one_changed_character_is_noticed(at in any::<prop::sample::Index>(), to in "[A-Za-z0-9._-]") {
            let seals = Seals::default();
            let mine = binding(&json!({"app": "a"}));
            let sealed = seals.seal(&rounds(json!({"action": "decline"})), &mine, None).expect("it seals");
            let at = at.index(sealed.len());
            let mut altered = sealed.clone();
            altered.replace_range(at..=at, &to);
            prop_assume!(altered != sealed);
            // The last character of base64 may have bits that mean nothing; what opens must then be what was sealed.
            if let Ok(opened) = seals.open(&altered, &mine) {
                prop_assert_eq!(opened, rounds(json!({"action": "decline"})));
            }
        }

        #[test]
        fn nothing_that_was_not_sealed_opens(text in ".{0,200}") {
            let mine = binding(&json!({}));
            prop_assert!(Seals::default().open(&text, &mine).is_err());
        }

        #[test]
        fn pieces_of_two_states_do_not_open(cut in any::<prop::sample::Index>()) {
            let seals = Seals::default();
            let mine = binding(&json!({}));
            let no = seals.seal(&rounds(json!({"action": "decline"})), &mine, None).expect("it seals");
            let yes = seals.seal(&rounds(json!({"action": "accept"})), &mine, None).expect("it seals");
            let cut = cut.index(no.len().min(yes.len()));
            let spliced = format!("{}{}", &no[..cut], &yes[cut..]);
            prop_assume!(spliced != no && spliced != yes);
            prop_assert!(seals.open(&spliced, &mine).is_err());
        }
    }
}
