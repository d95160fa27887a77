//! The one error type: a stable code, what was tried, what was found instead, and what to do next.

use crate::Text;
use crate::advice::Advice;
use crate::screen_text;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Longest message or advice, in characters. What is quoted in it is cut far below this where it is put in.
const LONGEST: usize = 2_000;
/// Longest line about something that was found, in characters.
const LONGEST_FOUND: usize = 500;
/// Most lines about what was found.
const MOST_FOUND: usize = 60;

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Declares [`ErrorCode`] with its name, its exit code and its meaning in one table, so that they cannot part.
macro_rules! error_codes {
    ($($variant:ident, $code:literal, $exit:literal, $meaning:literal;)+) => {
        /// What went wrong, as a stable code that a client may match on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ErrorCode {
            $(#[doc = $meaning] #[serde(rename = $code)] $variant,)+
        }

        impl ErrorCode {
            /// Every code, in the order of the reference documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The code as clients see it, for example `element_not_found`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// The exit code of the command line when a command ends with this error.
            pub const fn exit_code(self) -> u8 {
                match self { $(Self::$variant => $exit,)+ }
            }

            /// One sentence that says what the code means.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }
        }
    };
}

error_codes! {
    AppNotFound, "app_not_found", 3, "No running application matches the name that was given.";
    AppAmbiguous, "app_ambiguous", 3, "Several running applications match the name; the candidates are listed.";
    AppNotResponding, "app_not_responding", 7, "The application did not answer within the deadline; it may be stopped or busy.";
    AppGone, "app_gone", 3, "The application ended or dropped its connection during the call.";
    AppNotAccessible, "app_not_accessible", 6, "The application runs but exposes no accessibility tree; the reason is given.";
    ElementNotFound, "element_not_found", 4, "Nothing in the application matches the query; near misses are listed.";
    ElementAmbiguous, "element_ambiguous", 4, "Several elements of different names match the query equally well; the candidates are listed and nothing was done.";
    StaleReference, "stale_reference", 4, "The referenced element no longer exists and could not be healed.";
    UnknownReference, "unknown_reference", 4, "The reference was never issued by this process.";
    WindowNotFound, "window_not_found", 4, "The application has no such window.";
    WindowMinimized, "window_minimized", 4, "The window is minimized, so it has no pixels to capture or to click.";
    InvalidQuery, "invalid_query", 2, "The query cannot be parsed; the position of the fault is given.";
    InvalidParameter, "invalid_parameter", 2, "A parameter is missing, unknown, of the wrong type or out of range.";
    TooLarge, "too_large", 2, "The input is larger than this operation accepts.";
    Refused, "refused", 5, "The action was not dispatched because it could not be done as asked; the reason and the call that would work are given.";
    ActionFailed, "action_failed", 5, "The application rejected the action.";
    NotSupported, "not_supported", 6, "This platform, display or toolkit cannot do what was asked.";
    AccessibilityUnavailable, "accessibility_unavailable", 6, "The accessibility bus cannot be reached.";
    DisplayUnavailable, "display_unavailable", 6, "No display can be reached.";
    CaptureFailed, "capture_failed", 6, "The pixels could not be read.";
    StaleScreenshot, "stale_screenshot", 4, "What the picture showed at that point has moved, changed its size or is gone, so a point of it cannot be trusted.";
    UnknownScreenshot, "unknown_screenshot", 4, "No picture with that id was taken by this process, or it is no longer kept.";
    UnsupportedImage, "unsupported_image", 2, "The file is not a picture that can be read (PNG, JPEG, WebP), or it is damaged or too large.";
    AnalysisUnavailable, "analysis_unavailable", 6, "No AI provider is configured, enabled or reachable for this question.";
    ProviderUnauthorized, "provider_unauthorized", 6, "The AI provider rejected the key.";
    ProviderLimited, "provider_limited", 7, "The AI provider limits how often it may be asked; the message says when to try again.";
    ProviderFailed, "provider_failed", 6, "The AI provider failed, could not be reached, or gave an empty or incomplete answer.";
    ProviderRefused, "provider_refused", 5, "The AI provider declined to answer this question about this picture.";
    InputUnavailable, "input_unavailable", 6, "The display accepts no synthetic input.";
    MissingDependency, "missing_dependency", 6, "A program that is needed is not installed; the package that has it is named.";
    WorkflowFailed, "workflow_failed", 5, "A step of the workflow failed; the step, its error and what was taken back are given.";
    AssertionFailed, "assertion_failed", 16, "What was asserted does not hold, or the picture differs: an answer and not an error, so only an exit code.";
    Timeout, "timeout", 7, "The call reached its deadline.";
    ScriptTimeout, "script_timeout", 7, "The script reached its deadline; it and everything that it had started were ended.";
    RateLimitExceeded, "rate_limit_exceeded", 7, "This caller makes more calls than it may; the error has the milliseconds after which the next one is possible.";
    UserActive, "user_active", 7, "The user is at work in the same window, so nothing more was done; the error has the milliseconds after which it may be tried again.";
    Cancelled, "cancelled", 8, "The client cancelled the call.";
    Blocked, "blocked", 9, "The policy forbids this call.";
    Declined, "declined", 9, "The person who was asked said no, or gave no answer; nothing was done.";
    InputRequired, "input_required", 9, "The call waits for the answer to a question that was put to the client.";
    Io, "io", 1, "A file or a pipe could not be read or written.";
    Internal, "internal", 1, "A fault in handeye itself.";
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error that teaches: what was tried, what was found instead, and the next call to make.
///
/// Never put typed text, passwords or other secrets into any field: errors are shown and logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Stable code.
    pub code: ErrorCode,
    /// What was tried and what happened, in one sentence.
    pub message: String,
    /// What was found instead: near misses, running applications, candidates. Bounded by the code that fills it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
    /// The next call or step to take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Advice>,
    /// After how many milliseconds the same call is possible, where a limit was exceeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl Error {
    /// An error with a code and a message. Words of applications and callers may be in all parts of an error: whatever could
    /// forge a line or hide something is replaced there, and what is too long is cut.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = message.into();
        let message = match code {
            // It shows below the query where the fault is.
            ErrorCode::InvalidQuery => screen_text::block(&message, LONGEST),
            _ => screen_text::line(&message, LONGEST),
        };
        Self { code, message, found: Vec::new(), next: None, retry_after_ms: None }
    }

    /// Adds what was found instead of what was asked for.
    #[must_use]
    pub fn with_found<S: Into<String>>(mut self, found: impl IntoIterator<Item = S>) -> Self {
        let mut found = found.into_iter().map(|found| screen_text::line(&found.into(), LONGEST_FOUND));
        self.found.extend(found.by_ref().take(MOST_FOUND));
        let left_out = found.count();
        if left_out > 0 {
            self.found.push(format!("and {left_out} more"));
        }
        self
    }

    /// The error of an action in a window where the user is at work: `why` says how. It may be tried again after this time.
    pub fn user_active(why: &str, retry_after: Duration) -> Self {
        let milliseconds = u64::try_from(retry_after.as_millis()).unwrap_or(u64::MAX).max(1);
        let error = Self::new(ErrorCode::UserActive, format!("nothing more was done: {why}"));
        Self { retry_after_ms: Some(milliseconds), ..error }
            .with_next(format!("Try again after {milliseconds} ms, when the user has paused."))
    }

    /// The error of a caller that exceeds a limit, which `what` names: the same call is possible after this time.
    pub fn limited(what: &str, retry_after: Duration) -> Self {
        let milliseconds = u64::try_from(retry_after.as_millis()).unwrap_or(u64::MAX).max(1);
        let error =
            Self::new(ErrorCode::RateLimitExceeded, format!("Rate limit exceeded: {what}; nothing was done"));
        Self { retry_after_ms: Some(milliseconds), ..error }.with_next(format!(
            "Wait {milliseconds} ms, then repeat the call. Fewer calls do more: one answer has a whole tree."
        ))
    }

    /// Adds the next call or step that would help.
    #[must_use]
    pub fn with_next(mut self, next: impl Into<Advice>) -> Self {
        self.next = Some(next.into().harmless_line(LONGEST));
        self
    }

    /// The same error with more sentences behind its message: what happened besides.
    #[must_use]
    pub fn with_sentences(mut self, sentences: &[Text]) -> Self {
        for sentence in sentences {
            self.message =
                screen_text::line(&format!("{}. {sentence}", self.message.trim_end_matches('.')), LONGEST);
        }
        self
    }

    /// The same error with its advice in words, as a model reads it: for who makes no calls of it.
    #[must_use]
    pub fn in_words(mut self) -> Self {
        self.next = self.next.map(Advice::into_words);
        self
    }

    /// The parameter `name` cannot be used; `why` completes the sentence.
    pub fn invalid_parameter(name: &str, why: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidParameter, format!("parameter '{name}': {why}"))
    }

    /// A fault in handeye itself.
    pub fn internal(what: impl fmt::Display) -> Self {
        Self::new(ErrorCode::Internal, format!("internal fault: {what}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn codes_are_unique_and_serialise_as_their_name() {
        let names: HashSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), ErrorCode::ALL.len());
        for code in ErrorCode::ALL {
            assert_eq!(serde_json::to_value(code).expect("a code serialises"), code.as_str());
        }
    }

    #[test]
    fn what_happened_besides_stands_behind_the_message() {
        let error = Error::new(ErrorCode::ActionFailed, "the text did not change");
        assert_eq!(error.clone().with_sentences(&[]), error);
        let two = ["'app' took the focus.".into(), "It was given back after 4 ms.".into()];
        assert_eq!(
            error.with_sentences(&two).message,
            "the text did not change. 'app' took the focus. It was given back after 4 ms."
        );
    }
}
