//! A client for tests of a whole server: it speaks in lines, as one over standard input and output does.

use crate::Server;
use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

/// A client that speaks in lines.
pub(crate) struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    input: WriteHalf<DuplexStream>,
    asked: u32,
    /// What the server sent besides answers.
    pub(crate) received: Vec<Value>,
}

impl Client {
    /// A client of this server.
    pub(crate) async fn of(server: Server) -> Self {
        let (here, there) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(there);
        tokio::spawn(async move {
            let session = server.serve(AsyncRwTransport::new_server(input, output)).await.expect("begins");
            session.waiting().await.expect("ends");
        });
        let (output, input) = tokio::io::split(here);
        let mut client =
            Self { lines: BufReader::new(output).lines(), input, asked: 0, received: Vec::new() };
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
        });
        client.ask("initialize", hello).await;
        client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.expect("the server reads");
    }

    /// The answer to a request: its result, or its error.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
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
            self.received.push(message);
        }
    }

    pub(crate) async fn completions(&mut self, variable: &str, value: &str, context: Value) -> Value {
        let template = json!({ "type": "ref/prompt", "name": "debug-ui" });
        let argument = json!({ "name": variable, "value": value });
        let params = json!({ "ref": template, "argument": argument, "context": { "arguments": context } });
        self.ask("completion/complete", params).await
    }
}
