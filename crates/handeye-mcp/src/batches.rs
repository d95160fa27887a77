//! JSON-RPC batches: several messages in one array, whose answers come in one array too. Revision 2025-03-26 requires that they are
//! received ("Batching" in its Base Protocol); no other revision has them.

use rmcp::model::{ProtocolVersion, RequestId};
use serde_json::Value;
use std::collections::HashSet;
use std::mem::take;

/// The revision that has batches.
pub(crate) const REVISION: ProtocolVersion = ProtocolVersion::V_2025_03_26;

/// The error for a client of another revision.
pub(crate) const REFUSED: &str = "only revision 2025-03-26 has batches: send each message by itself";

/// The error for a client that begins its session in a batch.
pub(crate) const NO_BEGINNING: &str = "'initialize' must not be part of a batch";

/// The batches of a connection that still wait for answers.
#[derive(Debug, Default)]
pub(crate) struct Batches(Vec<Batch>);

/// One batch. Two requests that wait at the same time never have the same id, so an id names one batch.
#[derive(Debug)]
struct Batch {
    waiting: HashSet<RequestId>,
    answers: Vec<Value>,
}

/// What becomes of an answer.
#[derive(Debug, PartialEq)]
pub(crate) enum Taken {
    /// It belongs to no batch.
    Single(Value),
    /// Others of its batch are still missing.
    Kept,
    /// It was the last one of its batch: all of them.
    Complete(Value),
}

impl Batches {
    /// Takes note of a batch: the requests in it, and the answers to what was wrong in it. Returns the answers if there is nothing to
    /// wait for; `None` also if there is nothing to answer at all.
    pub(crate) fn begin(&mut self, waiting: HashSet<RequestId>, answers: Vec<Value>) -> Option<Value> {
        if waiting.is_empty() {
            return (!answers.is_empty()).then_some(Value::Array(answers));
        }
        self.0.push(Batch { waiting, answers });
        None
    }

    /// Whether a batch waits for the answer to this request.
    pub(crate) fn wait_for(&self, id: &RequestId) -> bool {
        self.0.iter().any(|batch| batch.waiting.contains(id))
    }

    /// Takes the answer to the request `id`.
    pub(crate) fn take(&mut self, id: &RequestId, answer: Value) -> Taken {
        let Some(batch) = self.0.iter_mut().find(|batch| batch.waiting.contains(id)) else {
            return Taken::Single(answer);
        };
        batch.answers.push(answer);
        self.forget(id).map_or(Taken::Kept, Taken::Complete)
    }

    /// Expects no answer to the request `id` any more. Returns the answers of its batch if it was the last one that was missing.
    pub(crate) fn forget(&mut self, id: &RequestId) -> Option<Value> {
        let place = self.0.iter_mut().position(|batch| batch.waiting.remove(id))?;
        if !self.0[place].waiting.is_empty() {
            return None;
        }
        let answers = take(&mut self.0.swap_remove(place).answers);
        (!answers.is_empty()).then_some(Value::Array(answers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ids(numbers: &[i64]) -> HashSet<RequestId> {
        numbers.iter().map(|number| RequestId::Number(*number)).collect()
    }

    #[test]
    fn answers_are_kept_until_the_last_one_is_there() {
        let mut batches = Batches::default();
        assert_eq!(batches.begin(ids(&[1, 2]), vec![json!("wrong")]), None);
        assert_eq!(batches.begin(ids(&[3]), vec![]), None);
        assert_eq!(batches.take(&RequestId::Number(4), json!(4)), Taken::Single(json!(4)));
        assert_eq!(batches.take(&RequestId::Number(2), json!(2)), Taken::Kept);
        assert!(batches.wait_for(&RequestId::Number(1)) && !batches.wait_for(&RequestId::Number(2)));
        assert_eq!(batches.take(&RequestId::Number(3), json!(3)), Taken::Complete(json!([3])));
        assert_eq!(batches.take(&RequestId::Number(1), json!(1)), Taken::Complete(json!(["wrong", 2, 1])));
        assert_eq!(batches.take(&RequestId::Number(1), json!(1)), Taken::Single(json!(1)));
    }

    #[test]
    fn a_cancelled_request_is_not_waited_for() {
        let mut batches = Batches::default();
        batches.begin(ids(&[1, 2]), vec![]);
        assert_eq!(batches.take(&RequestId::Number(1), json!(1)), Taken::Kept);
        assert_eq!(batches.forget(&RequestId::Number(2)), Some(json!([1])));
        batches.begin(ids(&[1]), vec![]);
        assert_eq!(batches.forget(&RequestId::Number(1)), None);
        assert_eq!(batches.forget(&RequestId::Number(1)), None);
    }

    #[test]
    fn what_waits_for_nothing_is_answered_at_once() {
        let mut batches = Batches::default();
        assert_eq!(batches.begin(HashSet::new(), vec![json!("wrong")]), Some(json!(["wrong"])));
        assert_eq!(batches.begin(HashSet::new(), vec![]), None);
    }
}
