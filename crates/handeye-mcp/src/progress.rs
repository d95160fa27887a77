//! Steps of a call as `notifications/progress`, for a client whose request carries a progress token.

use handeye_call::progress::{Progress, Step};
use rmcp::model::{MetaObject, NotificationMetaObject, ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long an answer waits for a notification that is being written. Only a client that does not read lets it wait, and
/// that one would not read the answer either.
const LAST_NOTIFICATION: Duration = Duration::from_secs(1);

/// Sends the steps of one call. Dropped, it sends no more.
pub(crate) struct Reporter {
    sending: JoinHandle<()>,
    stop: DropGuard,
}

/// The progress of a call, and who reports it to the client if that asked for it.
pub(crate) fn of(context: &RequestContext<RoleServer>) -> (Progress, Option<Reporter>) {
    reported(context, NotificationMetaObject::default())
}

/// The same for a call that is a task, for as long as that goes on; `related` says which one.
pub(crate) fn of_task(
    context: &RequestContext<RoleServer>,
    related: MetaObject,
) -> (Progress, Option<Reporter>) {
    reported(context, related.into())
}

fn reported(
    context: &RequestContext<RoleServer>,
    meta: NotificationMetaObject,
) -> (Progress, Option<Reporter>) {
    let Some(token) = context.meta.get_progress_token() else { return (Progress::default(), None) };
    // It holds one step, the newest: a client that reads slowly misses steps and holds nothing up.
    let (newest, news) = watch::channel(None::<Step>);
    let stop = CancellationToken::new();
    let to = (context.peer.clone(), token, meta);
    let sending = tokio::spawn(send(to, news, stop.clone()));
    let progress = Progress::to(move |step| {
        newest.send_if_modified(|known| {
            // The protocol requires the progress of each notification to be greater than the one before.
            let further = known.as_ref().is_none_or(|known| step.done > known.done);
            if further {
                *known = Some(step);
            }
            further
        });
    });
    (progress, Some(Reporter { sending, stop: stop.drop_guard() }))
}

impl Reporter {
    /// Sends no more steps, and returns once none is on its way: an answer has to be the last message about a call.
    pub(crate) async fn finish(self) {
        drop(self.stop);
        let sending = self.sending.abort_handle();
        match tokio::time::timeout(LAST_NOTIFICATION, self.sending).await {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => tracing::debug!(%fault, "progress was not reported"),
            Err(_late) => sending.abort(),
        }
    }
}

async fn send(
    (client, token, meta): (Peer<RoleServer>, ProgressToken, NotificationMetaObject),
    mut news: watch::Receiver<Option<Step>>,
    finished: CancellationToken,
) {
    while let Some(Ok(())) = finished.run_until_cancelled(news.changed()).await {
        let Some(step) = news.borrow_and_update().clone() else { continue };
        let mut notification =
            ProgressNotificationParam::new(token.clone(), f64::from(step.done)).with_message(step.message);
        notification.total = step.total.map(f64::from);
        notification.meta = (!meta.is_empty()).then(|| meta.clone());
        if let Err(fault) = client.notify_progress(notification).await {
            tracing::debug!(%fault, "the client accepts no progress notifications");
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ServerCapabilities,
        ServerConfig,
    };
    use rmcp::transport::async_rw::AsyncRwTransport;
    use rmcp::{ErrorData, ServerHandler, ServiceExt};
    use serde_json::{Value, json};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

    const PATIENCE: Duration = Duration::from_secs(10);

    /// A server whose only tool reports these steps, and counts those that it has reported.
    #[derive(Clone)]
    struct StepServer {
        steps: Vec<u32>,
        /// Between two steps, so that the client receives each.
        pause: Duration,
        reported: Arc<AtomicBool>,
    }

    impl ServerHandler for StepServer {
        fn get_info(&self) -> ServerConfig {
            ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
        }

        async fn call_tool(
            &self,
            _request: CallToolRequestParams,
            context: RequestContext<RoleServer>,
        ) -> Result<CallToolResponse, ErrorData> {
            let (progress, reporter) = of(&context);
            for step in &self.steps {
                progress.report(*step, 3, format!("step {step}"));
                tokio::time::sleep(self.pause).await;
            }
            self.reported.store(true, Ordering::Release);
            if let Some(reporter) = reporter {
                reporter.finish().await;
            }
            // A part of the operation that is left over.
            progress.report(99, 3, "too late");
            Ok(CallToolResult::success(vec![ContentBlock::text("done")]).into())
        }
    }

    /// A client that speaks in lines.
    struct Client {
        lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
        input: WriteHalf<DuplexStream>,
    }

    impl Client {
        fn of(server: StepServer, buffer: usize) -> Self {
            let (here, there) = tokio::io::duplex(buffer);
            let (input, output) = tokio::io::split(there);
            tokio::spawn(async move {
                let session =
                    server.serve(AsyncRwTransport::new_server(input, output)).await.expect("begins");
                session.waiting().await.expect("ends");
            });
            let (output, input) = tokio::io::split(here);
            Self { lines: BufReader::new(output).lines(), input }
        }

        async fn send(&mut self, message: Value) {
            self.input.write_all(format!("{message}\n").as_bytes()).await.expect("the server reads");
        }

        async fn receive(&mut self) -> Value {
            let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await.expect("in time");
            serde_json::from_str(&line.expect("readable").expect("not closed")).expect("JSON")
        }

        /// Calls the tool: what came before its answer.
        async fn call(&mut self, meta: Value) -> Vec<Value> {
            let params = json!({"name": "tell", "arguments": {}, "_meta": meta});
            self.send(json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})).await;
            let mut before = Vec::new();
            loop {
                let message = self.receive().await;
                if message["id"] == 7 {
                    assert_eq!(message["result"]["content"][0]["text"], "done", "{message}");
                    return before;
                }
                before.push(message);
            }
        }

        async fn shake_hands(&mut self) {
            let client = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
            self.send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client})).await;
            assert_eq!(self.receive().await["id"], 1);
            self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        }
    }

    fn step_server(steps: impl IntoIterator<Item = u32>, pause: Duration) -> StepServer {
        StepServer { steps: steps.into_iter().collect(), pause, reported: Arc::default() }
    }

    fn numbers(notifications: &[Value]) -> Vec<u64> {
        for notification in notifications {
            assert_eq!(notification["method"], "notifications/progress", "{notification}");
            assert_eq!(notification["params"]["progressToken"], "mine", "{notification}");
            assert_eq!(notification["params"]["total"].as_f64(), Some(3.0), "{notification}");
        }
        notifications
            .iter()
            .filter_map(|step| step["params"]["progress"].as_f64())
            .map(|step| step as u64)
            .collect()
    }

    #[tokio::test(start_paused = true)]
    async fn each_step_reports_more_than_the_one_before_and_none_follows_the_answer() {
        let mut client = Client::of(step_server([0, 1, 1, 0, 2], Duration::from_millis(30)), 64 * 1024);
        client.shake_hands().await;
        let steps = client.call(json!({"progressToken": "mine"})).await;
        assert_eq!(numbers(&steps), [0, 1, 2]);
        assert_eq!(steps[1]["params"]["message"], "step 1");
        client.send(json!({"jsonrpc": "2.0", "id": 8, "method": "ping"})).await;
        assert_eq!(client.receive().await["id"], 8, "nothing came after the answer");
    }

    #[tokio::test(start_paused = true)]
    async fn progress_is_reported_without_a_handshake_too() {
        let mut client = Client::of(step_server([1, 2], Duration::from_millis(30)), 64 * 1024);
        let steps = client
            .call(json!({
                "progressToken": "mine",
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            }))
            .await;
        assert_eq!(numbers(&steps), [1, 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_ask_gets_no_progress() {
        let mut client = Client::of(step_server([1, 2], Duration::from_millis(5)), 64 * 1024);
        client.shake_hands().await;
        assert!(client.call(json!({})).await.is_empty());
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_holds_no_call_up() {
        let server = step_server(1..=1_000, Duration::ZERO);
        let reported = Arc::clone(&server.reported);
        // Room for one message, roughly.
        let mut client = Client::of(server, 300);
        client.shake_hands().await;
        let params = json!({"name": "tell", "arguments": {}, "_meta": {"progressToken": "mine"}});
        client.send(json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})).await;
        tokio::time::timeout(PATIENCE, async {
            while !reported.load(Ordering::Acquire) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        })
        .await
        .expect("the call goes on");
        let mut steps = Vec::new();
        loop {
            let message = client.receive().await;
            if message["id"] == 7 {
                break;
            }
            steps.push(message);
        }
        let numbers = numbers(&steps);
        assert!(numbers.len() < 1_000 && numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    }
}
