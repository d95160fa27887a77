//! The questions of a task of 2025-11-25. They wait until the client asks for the result (`tasks/result`), as a task that is
//! `input_required` asks it to, and go to it on that request: over HTTP no other stream need be open then.

use super::Task;
use crate::ask::take_back;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use rmcp::model::{CustomRequest, RequestMetaObject, ServerRequest};
use rmcp::service::{PeerRequestOptions, ServiceError};
use rmcp::{ErrorData, Peer, RoleServer};
use serde_json::json;
use std::collections::HashSet;
use std::pin::pin;
use std::time::Duration;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Marks an answer or a notification as belonging to a task.
pub(super) const RELATED: &str = "io.modelcontextprotocol/related-task";

/// How long to wait for the notice to the client that a question is withdrawn.
const TAKEN_BACK: Duration = Duration::from_secs(1);

/// Puts what the task asks to its client for as long as that waits, which is `until`. What is not answered then is taken back,
/// and is put again by the next request for the result.
pub(super) async fn bring_questions<T>(
    task: &Task,
    client: &Peer<RoleServer>,
    until: impl Future<Output = T>,
) -> T {
    let number = task.wait_for_result();
    let mut news = task.watch();
    let over = CancellationToken::new();
    // No longer than the rounds of a call are many.
    let mut put = HashSet::new();
    let mut under_way = FuturesUnordered::new();
    let mut until = pin!(until);
    let ended = loop {
        let open: Vec<(String, CustomRequest)> = {
            let state = news.borrow_and_update();
            let open =
                state.to_send().filter(|(key, _)| state.is_open_to(number, key) && !put.contains(*key));
            open.map(|(key, request)| (key.clone(), request.clone())).collect()
        };
        for (key, request) in open {
            put.insert(key.clone());
            under_way.push(ask(task, client, number, key, request, over.clone()));
        }
        tokio::select! {
            ended = &mut until => break ended,
            Some(()) = under_way.next() => {}
            // Never an error: the task is held here.
            Ok(()) = news.changed() => {}
        }
    };
    over.cancel();
    if timeout(TAKEN_BACK, under_way.count()).await.is_err() {
        tracing::debug!(task = task.id, "the client does not read that a question is taken back");
    }
    ended
}

/// Asks one question and hands the reply to the task.
async fn ask(
    task: &Task,
    client: &Peer<RoleServer>,
    number: u32,
    key: String,
    request: CustomRequest,
    over: CancellationToken,
) {
    let mut meta = RequestMetaObject::default();
    meta.insert(RELATED.into(), json!({ "taskId": task.id }));
    let options = PeerRequestOptions::no_options().with_meta(meta);
    let sent = match client.send_cancellable_request(ServerRequest::CustomRequest(request), options).await {
        Ok(sent) => sent,
        Err(_unanswered) => return tracing::debug!(task = task.id, "a question could not be asked"),
    };
    let id = sent.id.clone();
    let answered = tokio::select! {
        biased;
        answered = sent.await_response() => Ok(answered),
        () = over.cancelled() => Err("the result is not waited for any more"),
        () = task.closed_to(number, &key) => Err("the task does not wait for the answer any more"),
    };
    let answered = match answered {
        Ok(answered) => answered,
        Err(why) => return take_back(client, id, why).await,
    };
    let reply = match answered {
        Ok(answer) => {
            serde_json::to_value(answer).map_err(|fault| ErrorData::internal_error(fault.to_string(), None))
        }
        Err(ServiceError::McpError(error)) => Err(error),
        Err(_unanswered) => return tracing::debug!(task = task.id, "a question has no answer"),
    };
    task.reply([(key, reply)]);
}
