//! A minimal MCP client: lines of JSON to a server that it starts.

use crate::Result;
use crate::options::Options;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server with an open session. It ends with this value.
pub struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    /// Starts `handeye mcp serve` and opens a session.
    pub fn start(options: &Options) -> Result<Self> {
        Self::start_with(options, &[])
    }

    /// The same with flags for the server.
    pub fn start_with(options: &Options, flags: &[&str]) -> Result<Self> {
        Self::start_in(options, flags, &[])
    }

    /// The same in an environment with these variables as well.
    pub fn start_in(options: &Options, flags: &[&str], environment: &[(&str, &OsStr)]) -> Result<Self> {
        let mut command = Command::new(&options.handeye);
        command.args(["mcp", "serve"]).args(flags).envs(environment.iter().copied());
        Self::open(&mut command)
    }

    /// Starts any server that speaks over standard input and output, and opens a session.
    pub fn open(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let input = child.stdin.take().ok_or("no standard input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no standard output")?);
        let mut client = Self { child, input, output, next: 0 };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "handeye-bench", "version": "1"},
        });
        client.request("initialize", &hello)?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// Sends a request and returns its result. No other one may be in flight.
    pub fn request(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        let id = self.begin(method, parameters)?;
        match self.next_answer()? {
            (answered, result) if answered == id => Ok(result),
            (answered, _) => Err(format!("{method} was sent as {id}, and {answered} was answered").into()),
        }
    }

    /// Sends a request; its number.
    pub fn begin(&mut self, method: &str, parameters: &Value) -> Result<u64> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))?;
        Ok(id)
    }

    /// Waits for the next answer: the number of its request, and its result.
    pub fn next_answer(&mut self) -> Result<(u64, Value)> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err("the server ended".into());
            }
            let mut message: Value = serde_json::from_str(&line)?;
            if let Some(error) = message.get("error") {
                return Err(format!("request {}: {error}", message["id"]).into());
            }
            // What has no number is a notification, and what has a method is a question of the server's own, which has numbers too.
            if let Some(id) = message["id"].as_u64().filter(|_| message.get("method").is_none()) {
                return Ok((id, message["result"].take()));
            }
        }
    }

    /// Waits for the next notification of this method, and skips others.
    pub fn next_notification(&mut self, method: &str) -> Result<Value> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err("the server ended".into());
            }
            let mut message: Value = serde_json::from_str(&line)?;
            if message["method"] == method {
                return Ok(message["params"].take());
            }
        }
    }

    /// Calls a tool and returns its result, which is an error where the tool says so.
    pub fn tool(&mut self, name: &str, arguments: &Value) -> Result<Value> {
        let result = self.request("tools/call", &json!({"name": name, "arguments": arguments}))?;
        if result["isError"] == true {
            return Err(format!("{name} {arguments}: {}", result["content"]).into());
        }
        Ok(result)
    }

    /// Resident memory of the server in kilobytes.
    pub fn resident_kilobytes(&self) -> Result<u64> {
        self.status("VmRSS:")
    }

    /// The most that it has been.
    pub fn peak_kilobytes(&self) -> Result<u64> {
        self.status("VmHWM:")
    }

    fn status(&self, field: &str) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix(field)).ok_or("no such field")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let line = format!("{message}\n");
        self.input.write_all(line.as_bytes())?;
        Ok(self.input.flush()?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.child.kill().is_ok() && self.child.wait().is_err() {
            eprintln!("the server cannot be waited for");
        }
    }
}

/// All the text of a tool's result.
pub fn text_of(result: &Value) -> String {
    let parts = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}
