//! What has to be granted before trees can be read: the port that needs it declares it, and a person who asks for guidance sees it.

use crate::bench::Bench;
use async_trait::async_trait;
use handeye_call::call::Call;
use handeye_call::client::{Client, InteractionCapabilities, Question, Reply};
use handeye_call::reader::Reader;
use handeye_core::Result;
use handeye_fake::GRANT;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio_util::sync::CancellationToken;

/// A client whose person chooses this.
struct Choosing(&'static str);

#[async_trait]
impl Client for Choosing {
    fn capabilities(&self) -> InteractionCapabilities {
        InteractionCapabilities { form: true, ..InteractionCapabilities::default() }
    }

    fn has_refused_among(&self, _beginning: &str) -> bool {
        false
    }

    async fn ask(&self, _: Question) -> Result<Reply> {
        let answer = json!({"action": self.0});
        Ok(Reply::Accepted(answer.as_object().cloned().expect("an object")))
    }
}

async fn said(bench: &Bench, choice: &'static str) -> String {
    let call =
        Call { client: Arc::new(Choosing(choice)), ..Call::new(Reader::MODEL, CancellationToken::new()) };
    bench.call_with("ax_is_accessible", json!({}), call).await.expect("a status").text.to_string()
}

#[tokio::test(start_paused = true)]
async fn the_steps_are_those_of_the_port_that_needs_the_grant() {
    let bench = Bench::with([]);
    assert_eq!(said(&bench, "show_instructions").await, "Accessibility works.");
    bench.desktop.ungranted.store(true, Ordering::SeqCst);
    let verdict = format!("Accessibility does not work. {}", GRANT.without);
    assert_eq!(said(&bench, "show_instructions").await, format!("{verdict}\n{}", GRANT.steps));
    assert_eq!(said(&bench, "cancel").await, verdict);
}
