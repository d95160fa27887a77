//! `handeye://app/{name}/events`

use super::address::Address;
use super::event_log::KEPT;
use crate::Resources;
use handeye_core::{ErrorCode, Result};
use serde_json::{Value, json};

/// What happened in an application. The first read begins the log; from then on whatever handeye looks at is noted, and
/// everything while a client is subscribed.
pub(super) async fn read(resources: &Resources, address: &Address, name: &str) -> Result<Value> {
    let app = resources.engine.desk.connect(name).await?;
    let notifications = resources.begin_notifications().await;
    match resources.look_at(&app).await {
        Ok(snapshot) => {
            resources.note_notifications(&app).await;
            resources.note_read(address, &app, &snapshot).await?;
        }
        // What happened before is still worth reporting.
        Err(error) if error.code == ErrorCode::AppNotResponding => {}
        Err(error) => return Err(error),
    }
    let mut events = resources.kept.logs.of(app.as_ref());
    let seen = resources.kept.logs.total(app.as_ref());
    let mut left_out = 0;
    loop {
        let mut content = json!({ "app": app.application().name, "events": events });
        let older = if left_out > 0 {
            Some(format!("{left_out} older events are left out."))
        } else {
            (seen > KEPT as u64).then(|| format!("The last {KEPT} are kept."))
        };
        let unseen =
            notifications.as_ref().err().map(|error| format!("No notifications: {}.", error.message));
        let notes: Vec<String> = older.into_iter().chain(unseen).collect();
        if !notes.is_empty() {
            content["note"] = notes.join(" ").into();
        }
        if handeye_tree::outline::estimate_tokens(&content.to_string()) <= handeye_call::budget::MAX_TOKENS {
            return Ok(content);
        }
        let cut = events.len().div_ceil(4).max(1);
        left_out += cut;
        events.drain(..cut);
    }
}
