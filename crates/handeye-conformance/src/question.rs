//! A question of the fixtures, as the file has it.

use serde::Deserialize;
use serde_json::Value;

/// What is asked before an answer is given.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Questions {
    /// The beginning of the answer; what was answered follows.
    pub(crate) says: String,
    /// What is asked at once, and then what is asked after it.
    pub(crate) rounds: Vec<Vec<Question>>,
}

/// A question in the words of the protocol.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Question {
    pub(crate) key: String,
    pub(crate) method: Method,
    pub(crate) params: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Method {
    #[serde(rename = "elicitation/create")]
    Elicit,
    #[serde(rename = "sampling/createMessage")]
    Sample,
    #[serde(rename = "roots/list")]
    ListRoots,
}

impl Method {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Elicit => "elicitation/create",
            Self::Sample => "sampling/createMessage",
            Self::ListRoots => "roots/list",
        }
    }

    pub(crate) fn is_an_answer(self, answer: &Value) -> bool {
        answer
            .get(match self {
                Self::Elicit => "action",
                Self::Sample => "content",
                Self::ListRoots => "roots",
            })
            .is_some()
    }
}
