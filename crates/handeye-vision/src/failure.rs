//! Failures of providers as errors: each a sentence that names the provider, and never the key.

use crate::http::{Fault, Received};
use crate::provider::Provider;
use crate::secret::{Key, scrubbed};
use crate::wire::{self, Completion, End, Protocol};
use handeye_core::vision::{Model, Reply};
use handeye_core::{Error, ErrorCode};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;
use std::time::Duration;

/// Most characters of a provider's own message that are looked at, and that are shown.
const LOOKED_AT: usize = 4_000;
const SHOWN: usize = 300;
/// A provider that asks for a longer pause means that its limit is used up.
const LONGEST_PAUSE: u64 = 7 * 24 * 3600;

/// A question that failed, and whose keys must not come up in its error.
pub(crate) struct Asked<'a> {
    pub(crate) model: &'a Model,
    pub(crate) provider: &'a Provider,
    pub(crate) keys: &'a [&'a Key],
    pub(crate) time_limit: Duration,
}

impl Asked<'_> {
    /// No whole answer came.
    pub(crate) fn fault(&self, fault: Fault) -> Error {
        let (name, address) = (&self.provider.name, self.provider.address());
        let failed = |message: String| Error::new(ErrorCode::ProviderFailed, message);
        match fault {
            Fault::Untrusted(why) => {
                failed(format!("{name} at {address} cannot be reached: {}", self.harmless(&why)))
                    .with_next("Check the address; SSL_CERT_FILE names the certificates that are trusted.")
            }
            Fault::Unreachable(why) => {
                let why = self.harmless(&why);
                let next = if self.provider.needs_key {
                    "Check the network of this machine; proxies are not used.".to_owned()
                } else {
                    format!("Start it, or set {} to where it listens.", self.address_variable())
                };
                failed(format!("{name} at {address} cannot be reached: {why}")).with_next(next)
            }
            Fault::TimedOut => {
                let seconds = self.time_limit.as_secs_f64();
                Error::new(ErrorCode::Timeout, format!("{} did not answer within {seconds} s", self.model))
                    .with_next("HANDEYE_AI_TIMEOUT allows more seconds; a local model may still be loading.")
            }
            Fault::Torn(why) => failed(format!("{name} gave an incomplete answer: {}", self.harmless(&why)))
                .with_next("Ask again."),
            Fault::TooLarge => {
                failed(format!("{name} gave an answer of more than 8 MB, which is not accepted"))
                    .with_next(format!("Check that {address} is an AI provider."))
            }
            Fault::NoClient(why) => {
                failed(format!("{name} cannot be asked: no HTTP client: {}", self.harmless(&why))).with_next(
                    "Install the package ca-certificates if the system's certificates are missing.",
                )
            }
        }
    }

    /// An answer came: what it says, or why it says nothing.
    pub(crate) fn reply(&self, received: &Received) -> Result<Reply, Error> {
        if !received.status.is_success() {
            return Err(self.status(received));
        }
        let body: Value = match serde_json::from_slice(&received.body) {
            Ok(body) => body,
            Err(error) if error.is_eof() => {
                return Err(self.torn("its JSON ends in the middle"));
            }
            Err(_) => return Err(self.torn(&format!("it is not JSON but {}", kind_of(received)))),
        };
        let Some(Completion { text, end }) = self.provider.protocol.completion(&body) else {
            return Err(match wire::message(&body) {
                Some(message) => self.failed(&format!("answered with an error: {}", self.quoted(message))),
                None => self.torn("it does not have the fields of this provider's answers"),
            });
        };
        let text = crate::secret::without_key(text.trim().to_owned(), self.keys);
        match end {
            End::Declined(reason) => Err(self.declined(reason.as_deref())),
            End::TooLong if text.is_empty() => Err(self.failed(
                "gave an empty answer: it reached its maximum length of answers before it said anything",
            )),
            End::Done if text.is_empty() => Err(self
                .failed("gave an empty answer")
                .with_next("Ask again, or put the question in other words.")),
            End::Done => Ok(Reply { text, complete: true }),
            End::TooLong => Ok(Reply { text, complete: false }),
        }
    }

    /// The answer is one of failure.
    fn status(&self, received: &Received) -> Error {
        let body: Value = serde_json::from_slice(&received.body).unwrap_or_default();
        let (name, status) = (&self.provider.name, received.status);
        let explanation =
            wire::message(&body).map(|message| format!(": {}", self.quoted(message))).unwrap_or_default();
        if is_refusal(&body) {
            return self.declined(wire::message(&body));
        }
        let pause = pause(&received.headers, &body);
        let later = pause.map(|pause| format!("Try again in {} s.", pause.as_secs().max(1)));
        let http = format!("(HTTP {})", status.as_u16());
        match status.as_u16() {
            401 | 403 => self.rejected(&format!("{http}{explanation}")),
            400 if is_invalid_key(&body) => self.rejected(&format!("{http}{explanation}")),
            429 => {
                let error =
                    Error::new(ErrorCode::ProviderLimited, format!("{name} limits how often it may be asked {http}{explanation}"));
                error.with_next(later.unwrap_or_else(|| {
                    "It does not say when to try again; the quota of the account may be used up.".to_owned()
                }))
            }
            300..=399 => self.failed(&format!(
                "answered with a redirect {http}, which is not followed, so that the key goes nowhere else"
            ))
            .with_next(format!("Set {} to the address where it listens now.", self.address_variable())),
            404 => {
                let error = self.failed(&format!("does not know the model '{}' or has no such address {http}{explanation}", self.model.name));
                error.with_next(match self.provider.protocol {
                    Protocol::Ollama => format!("`ollama pull {}` gets the model.", self.model.name),
                    _ => format!("Check the name of the model, and {}.", self.address_variable()),
                })
            }
            413 => self.failed(&format!("accepts no picture of this size {http}{explanation}")),
            500..=599 => {
                let error = self.failed(&format!("reported an internal error {http}{explanation}"));
                error.with_next(later.unwrap_or_else(|| "Try again later, or ask another provider.".to_owned()))
            }
            _ => self.failed(&format!("does not accept the question {http}{explanation}"))
                .with_next("Check that the model accepts images."),
        }
    }

    fn rejected(&self, what: &str) -> Error {
        let (name, variable) = (&self.provider.name, &self.provider.key_variable);
        let (message, next) = if self.provider.key.is_some() {
            (
                format!("{name} rejected the key {what}"),
                format!("Check {variable} in the environment of handeye."),
            )
        } else {
            (
                format!("{name} asks for a key {what}"),
                format!("Set {variable} in the environment of handeye."),
            )
        };
        Error::new(ErrorCode::ProviderUnauthorized, message).with_next(next)
    }

    fn declined(&self, reason: Option<&str>) -> Error {
        let reason = reason.map(|reason| format!(": {}", self.quoted(reason))).unwrap_or_default();
        Error::new(ErrorCode::ProviderRefused, format!("{} declined to answer{reason}", self.model))
            .with_next("Ask something else, or ask another model.")
    }

    fn torn(&self, why: &str) -> Error {
        self.fault(Fault::Torn(why.to_owned()))
    }

    fn failed(&self, what: &str) -> Error {
        Error::new(ErrorCode::ProviderFailed, format!("{} {what}", self.provider.name))
    }

    /// A provider's own words, in quotes.
    fn quoted(&self, text: &str) -> String {
        format!("\"{}\"", self.harmless(text).replace('"', "'"))
    }

    /// A foreign text in one line, short, and without keys.
    fn harmless(&self, text: &str) -> String {
        let start: String = text.chars().take(LOOKED_AT).collect();
        let shown = scrubbed(&start, self.keys);
        let words: Vec<&str> = shown
            .split(|c: char| c.is_whitespace() || c.is_control())
            .filter(|word| !word.is_empty())
            .collect();
        let line = words.join(" ");
        if line.chars().count() > SHOWN {
            format!("{}…", line.chars().take(SHOWN).collect::<String>())
        } else {
            line
        }
    }

    fn address_variable(&self) -> String {
        self.provider.address_variable()
    }
}

/// What a server sent in place of JSON.
fn kind_of(received: &Received) -> String {
    let kind = received.headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or("");
    let kind: String =
        kind.chars().take_while(|c| c.is_ascii_alphanumeric() || "/+-.".contains(*c)).take(60).collect();
    let kind = if kind.is_empty() || kind == "application/json" { "something else" } else { &kind };
    format!("{kind} ({} bytes)", received.body.len())
}

/// Gemini answers 400 to a wrong key.
fn is_invalid_key(body: &Value) -> bool {
    let reasons = body.pointer("/error/details").and_then(Value::as_array).into_iter().flatten();
    reasons.filter_map(|detail| detail["reason"].as_str()).any(|reason| reason == "API_KEY_INVALID")
        || wire::message(body).is_some_and(|message| message.contains("API key not valid"))
}

/// `OpenAI` answers 400 to what its policy forbids.
fn is_refusal(body: &Value) -> bool {
    let code = body.pointer("/error/code").and_then(Value::as_str).unwrap_or("");
    matches!(code, "content_policy_violation" | "content_filter")
}

/// How long the provider asks to wait.
fn pause(headers: &HeaderMap, body: &Value) -> Option<Duration> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let milliseconds = || header("retry-after-ms").and_then(|text| seconds(text, 1000.0));
    let plain = || header(RETRY_AFTER.as_str()).and_then(|text| seconds(text, 1.0).or_else(|| until(text)));
    // Gemini: {"@type": "…RetryInfo", "retryDelay": "34s"}
    let gemini = || {
        let details = body.pointer("/error/details").and_then(Value::as_array)?;
        details.iter().find_map(|detail| seconds(detail["retryDelay"].as_str()?.strip_suffix('s')?, 1.0))
    };
    milliseconds().or_else(plain).or_else(gemini)
}

fn seconds(text: &str, unit: f64) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    let seconds = (number / unit).ceil();
    (seconds >= 0.0 && seconds <= LONGEST_PAUSE as f64).then(|| Duration::from_secs(seconds as u64))
}

/// The time until an HTTP date, which is one of RFC 2822.
fn until(date: &str) -> Option<Duration> {
    let then = DateTimeParser::new().relaxed_weekday(true).parse_timestamp(date).ok()?;
    let seconds = then.as_second() - Timestamp::now().as_second();
    u64::try_from(seconds).ok().filter(|seconds| *seconds <= LONGEST_PAUSE).map(Duration::from_secs)
}

/// Whether a check for availability got an answer.
pub(crate) fn is_up(status: StatusCode) -> bool {
    !status.is_server_error()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;
    use serde_json::json;

    #[test]
    fn a_pause_is_read_in_every_form() {
        let none = Value::Null;
        let with = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_str(value).expect("a header"));
            headers
        };
        assert_eq!(pause(&with("retry-after", "20"), &none), Some(Duration::from_secs(20)));
        assert_eq!(pause(&with("retry-after-ms", "1500"), &none), Some(Duration::from_secs(2)));
        let date = Timestamp::now() + jiff::SignedDuration::from_secs(120);
        let date = date.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let wait = pause(&with("retry-after", &date), &none).expect("a date").as_secs();
        assert!((110..=120).contains(&wait), "{wait}");
        let gemini = json!({"error": {"details": [{"@type": "x"}, {"retryDelay": "34.07s"}]}});
        assert_eq!(pause(&HeaderMap::new(), &gemini), Some(Duration::from_secs(35)));
        for wrong in ["", "soon", "-3", "1e99", "NaN", "Sun, 06 Nov 1994 08:49:37 GMT"] {
            assert_eq!(pause(&with("retry-after", wrong), &none), None, "{wrong}");
        }
    }
}
