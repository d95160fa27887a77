//! What the protocol costs a call: the time of calls that the tool refuses at once, for a parameter that is missing. Nothing of it
//! is an operation's.

use crate::Result;
use crate::mcp_client::Client;
use crate::options::Options;
use crate::report::{Report, ms, verdict};
use crate::samples::Samples;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

const TARGET_MS: f64 = 0.3;
/// Calls that are not counted: memory and caches are as they stay after them.
const WARM_UP: usize = 100;
const CALLS: usize = 1_000;
/// The token of the server that is measured.
const TOKEN: &str = "a-token-of-this-measurement-alone-0123456789";

/// Measures both transports.
pub fn measure(options: &Options, report: &mut Report) -> Result<()> {
    let refused = json!({"name": "ax_click", "arguments": {}});
    let mut client = Client::start(options)?;
    let lines = median_of(|| is_refused(&client.request("tools/call", &refused)?))?;
    let mut listening = Listening::start(options)?;
    let http = median_of(|| is_refused(&listening.request("tools/call", "ax_click", &refused)?["result"]))?;
    report.section("What the protocol costs a call");
    let mut rows = vec![["over", "median", "target", ""].map(str::to_owned).to_vec()];
    for (transport, median) in [("standard input and output", lines), ("HTTP, 2026-07-28", http)] {
        let reached = median.is_some_and(|value| value < TARGET_MS);
        rows.push(vec![transport.to_owned(), ms(median), ms(Some(TARGET_MS)), verdict(reached).to_owned()]);
    }
    report.table(&rows);
    Ok(())
}

fn median_of(mut call: impl FnMut() -> Result<()>) -> Result<Option<f64>> {
    let mut samples = Samples::default();
    for number in 0..WARM_UP + CALLS {
        let begun = Instant::now();
        call()?;
        if number >= WARM_UP {
            samples.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
    }
    Ok(samples.median())
}

fn is_refused(result: &Value) -> Result<()> {
    if result["isError"] == true { Ok(()) } else { Err(format!("it was not refused: {result}").into()) }
}

/// A server that listens, and one connection to it.
struct Listening {
    child: Child,
    output: BufReader<TcpStream>,
    host: String,
}

impl Listening {
    fn start(options: &Options) -> Result<Self> {
        let mut child = Command::new(&options.handeye)
            .args(["mcp", "serve", "--http", "--port", "0"])
            .env("HANDEYE_HTTP_TOKEN", TOKEN)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut url = String::new();
        BufReader::new(child.stdout.take().ok_or("no standard output")?).read_line(&mut url)?;
        let host = url.trim().trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        let connection = TcpStream::connect(&host)?;
        connection.set_nodelay(true)?;
        Ok(Self { child, output: BufReader::new(connection), host })
    }

    /// Sends a request and returns the answer to it, the last event of the stream.
    fn request(&mut self, method: &str, name: &str, parameters: &Value) -> Result<Value> {
        let mut parameters = parameters.clone();
        parameters["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {TOKEN}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n\
             mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\nmcp-name: {name}\r\ncontent-length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        self.output.get_mut().write_all(request.as_bytes())?;
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                return Err("the server ended".into());
            }
        }
        let events = self.chunks()?;
        let data = events.lines().rev().find_map(|line| line.strip_prefix("data:")).ok_or("no answer")?;
        Ok(serde_json::from_str(data)?)
    }

    /// The body of an answer, which comes in chunks.
    fn chunks(&mut self) -> Result<String> {
        let mut body = Vec::new();
        loop {
            let mut head = String::new();
            self.output.read_line(&mut head)?;
            let length = usize::from_str_radix(head.trim(), 16)?;
            let mut chunk = vec![0; length + 2];
            self.output.read_exact(&mut chunk)?;
            if length == 0 {
                return Ok(String::from_utf8(body)?);
            }
            body.extend_from_slice(&chunk[..length]);
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if self.child.kill().is_ok() && self.child.wait().is_err() {
            eprintln!("the server cannot be waited for");
        }
    }
}
