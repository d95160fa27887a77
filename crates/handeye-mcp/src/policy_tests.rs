//! A policy over MCP: what it hides and forbids is in no list, completion, subscription and prompt either.

use crate::Server;
use handeye_call::caller::Caller;
use handeye_core::{Application, Error, ErrorCode, Role};
use handeye_engine::Engine;
use handeye_fake::{FakeApp, FakeDesktop};
use handeye_service::gate::{Gate, Policy, Request};
use handeye_service::sight::Sight;
use handeye_service::toolbox::Toolbox;
use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

/// Hides the diary, and forbids looking at what the vault shows.
struct Private;

impl Policy for Private {
    fn check(&self, request: &Request<'_>) -> handeye_core::Result<()> {
        match request.application {
            Some("Vault") => Err(Error::new(ErrorCode::Blocked, "the vault is closed")),
            _ => Ok(()),
        }
    }

    fn sight(&self) -> Option<Arc<dyn Sight>> {
        Some(Arc::new(Self))
    }
}

impl Sight for Private {
    fn shows(&self, _caller: &Caller, application: &Application) -> bool {
        application.name != "Diary"
    }
}

/// A client that speaks in lines.
struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    input: WriteHalf<DuplexStream>,
    asked: u32,
}

impl Client {
    /// A client of a server on a desktop with a diary, a vault and an editor.
    async fn begin() -> Self {
        let app = |name: &str, pid, button| FakeApp::simple(name, pid, [(Role::Button, button)]).0;
        let desktop =
            FakeDesktop::with([app("Diary", 8, "Secret"), app("Vault", 9, "Gold"), app("Editor", 7, "Save")]);
        let engine = Engine::new(desktop.platform(), Caller::STDIO);
        let server = Server::new(&engine, Arc::new(Gate::new(Private)), &Toolbox::default());
        let (here, there) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(there);
        tokio::spawn(async move {
            let session = server.serve(AsyncRwTransport::new_server(input, output)).await.expect("begins");
            session.waiting().await.expect("ends");
        });
        let (output, input) = tokio::io::split(here);
        let mut client = Self { lines: BufReader::new(output).lines(), input, asked: 0 };
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
        });
        client.ask("initialize", hello).await;
        client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    async fn send(&mut self, message: Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.expect("the server reads");
    }

    /// The answer to a request: its result, or its error.
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        loop {
            let line = tokio::time::timeout(Duration::from_secs(20), self.lines.next_line()).await;
            let line = line.expect("in time").expect("readable").expect("not closed");
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["id"] == id {
                return message;
            }
        }
    }

    async fn completions(&mut self, variable: &str, value: &str, context: Value) -> Value {
        let template = json!({ "type": "ref/prompt", "name": "debug-ui" });
        let argument = json!({ "name": variable, "value": value });
        let params = json!({ "ref": template, "argument": argument, "context": { "arguments": context } });
        self.ask("completion/complete", params).await
    }
}

fn is_quiet(message: &Value) {
    let shown = message.to_string();
    assert!(!shown.contains("Secret") && !shown.contains("Gold"), "{shown}");
}

#[tokio::test]
async fn lists_and_subscriptions_pass_the_policy() {
    let mut client = Client::begin().await;
    let listed = client.ask("resources/list", json!({})).await.to_string();
    assert!(listed.contains("Editor") && !listed.contains("Diary") && !listed.contains("Vault"), "{listed}");
    for (name, is_allowed) in [("Editor", true), ("Diary", false), ("Vault", false)] {
        let uri = json!({ "uri": format!("handeye://app/{name}/state") });
        let subscribed = client.ask("resources/subscribe", uri.clone()).await;
        assert_eq!(subscribed.get("error").is_none(), is_allowed, "{subscribed}");
        let read = client.ask("resources/read", uri).await;
        assert_eq!(read.get("error").is_none(), is_allowed, "{read}");
        is_quiet(&read);
    }
}

#[tokio::test]
async fn completions_and_prompts_pass_the_policy() {
    let mut client = Client::begin().await;
    let names = client.completions("app_name", "", json!({})).await.to_string();
    assert!(names.contains("Editor") && !names.contains("Diary"), "{names}");
    for (name, expected) in
        [("Editor", json!(["Save", "Editor"])), ("Diary", json!([])), ("Vault", json!([]))]
    {
        let found = client.completions("element_description", "", json!({ "app_name": name })).await;
        assert_eq!(found["result"]["completion"]["values"], expected, "{name}: {found}");
        let arguments = json!({ "app_name": name, "element_description": "x" });
        let written = client.ask("prompts/get", json!({ "name": "debug-ui", "arguments": arguments })).await;
        is_quiet(&written);
        assert_eq!(written.to_string().contains("[ref=e"), name == "Editor", "{written}");
    }
}
