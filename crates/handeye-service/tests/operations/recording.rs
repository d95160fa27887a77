//! A recording of the user begins with the person's yes and no other way, and there is one.

use crate::bench::Bench;
use async_trait::async_trait;
use handeye_call::call::Call;
use handeye_call::client::{Client, InteractionCapabilities, Question, Reply};
use handeye_call::outcome::Answer;
use handeye_call::reader::Reader;
use handeye_core::{ErrorCode, Point, Result};
use handeye_resources::{Resources, wanted};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A client whose person gives this answer to each form.
struct Person(bool);

#[async_trait]
impl Client for Person {
    fn capabilities(&self) -> InteractionCapabilities {
        InteractionCapabilities { form: true, ..InteractionCapabilities::default() }
    }

    fn has_refused_among(&self, _beginning: &str) -> bool {
        false
    }

    async fn ask(&self, _: Question) -> Result<Reply> {
        let Value::Object(filled) = json!({ "confirm": self.0 }) else { return Ok(Reply::Declined) };
        Ok(Reply::Accepted(filled))
    }
}

async fn read(
    bench: &Bench,
    resources: &Resources,
    what: &str,
    client: Option<Arc<dyn Client>>,
) -> Result<Answer> {
    let mut call = Call::new(Reader::MODEL, CancellationToken::new());
    if let Some(client) = client {
        call.client = client;
    }
    let input = wanted(format!("handeye://recording/{what}"), None);
    bench.gate.call(&bench.engine, resources, input, call).await
}

#[tokio::test]
async fn nobody_is_recorded_without_a_yes() {
    let bench = Bench::with([]);
    let resources = Resources::new(bench.engine.clone());
    let unasked = read(&bench, &resources, "start", None).await.expect_err("nobody can be asked");
    assert_eq!(unasked.code, ErrorCode::Blocked);
    let unwilling: Arc<dyn Client> = Arc::new(Person(false));
    let declined = read(&bench, &resources, "start", Some(unwilling)).await.expect_err("a no");
    assert_eq!(declined.code, ErrorCode::Declined);
    assert!(!bench.desktop.is_user_watched());
    let nothing = read(&bench, &resources, "stop", None).await.expect_err("nothing runs");
    assert_eq!(nothing.code, ErrorCode::Refused);
}

#[tokio::test]
async fn a_recording_runs_until_it_is_stopped_and_keeps_others_out() {
    let bench = Bench::with([]);
    let resources = Resources::new(bench.engine.clone());
    let willing = || -> Option<Arc<dyn Client>> { Some(Arc::new(Person(true))) };
    read(&bench, &resources, "start", willing()).await.expect("begun");
    assert!(bench.desktop.is_user_watched());
    let second = read(&bench, &resources, "start", willing()).await.expect_err("one runs");
    assert_eq!(second.code, ErrorCode::Refused);
    bench.desktop.user_clicks(Point::new(5, 5));
    let stopped = read(&bench, &resources, "stop", None).await.expect("stopped");
    let flow: Value = serde_json::from_str(&String::from(stopped.text)).expect("JSON");
    assert_eq!(flow["steps"], json!([]));
    assert!(flow["notes"][0].as_str().is_some_and(|note| note.contains("outside")), "{flow}");
    assert!(!bench.desktop.is_user_watched());
    read(&bench, &resources, "start", willing()).await.expect("another one");
}
