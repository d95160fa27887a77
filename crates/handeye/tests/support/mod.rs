//! Starts the real binary and talks to it, in an environment without a desktop unless a test gives it one.

#![allow(dead_code, reason = "each test file is a crate of its own and uses a part of this")]
#![allow(clippy::needless_pass_by_value, reason = "a test reads better with json!(…) in the call")]

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take before a test fails. Generous: the machine may be busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The binary with neither a display nor a bus.
pub(crate) fn handeye() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handeye"));
    for name in [
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "AT_SPI_BUS_ADDRESS",
        "XDG_RUNTIME_DIR",
        "HANDEYE_FORMAT",
        "HANDEYE_TIMEOUT",
        "HANDEYE_CONFIG",
    ] {
        command.env_remove(name);
    }
    command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/handeye-test-bus");
    command.env("HANDEYE_LOG_FILE", "/dev/null");
    command.env("XDG_CONFIG_HOME", "/nonexistent");
    // Each command by itself.
    command.env("HANDEYE_NO_DAEMON", "1");
    command
}

/// Runs the binary with these arguments and without a desktop.
pub(crate) fn run(arguments: &[&str]) -> Output {
    handeye().args(arguments).output().expect("the binary runs")
}

/// What was printed to standard output.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// What was printed to standard error.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// A session bus that takes connections and never says a word.
pub(crate) struct SilentBus {
    folder: TempDir,
    _listener: UnixListener,
}

impl SilentBus {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let listener = UnixListener::bind(folder.path().join("bus")).expect("a socket");
        Self { folder, _listener: listener }
    }

    pub(crate) fn address(&self) -> String {
        format!("unix:path={}", self.folder.path().join("bus").display())
    }
}

/// Sends a signal to a process of this test.
pub(crate) fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a pid")).expect("not zero");
    kill_process(pid, signal).expect("the process is there");
}

/// Waits for the end of a process; kills it and fails when it outlives `limit`.
pub(crate) fn wait_for_end(child: &mut Child, limit: Duration) -> ExitStatus {
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        if Instant::now() > end {
            child.kill().expect("a child");
            panic!("the process did not end within {limit:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A running `handeye mcp serve`, spoken to in raw lines.
pub(crate) struct Server {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: i64,
}

impl Server {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self::start_with(command, &[])
    }

    /// Starts one with more arguments after `mcp serve`.
    pub(crate) fn start_with(command: &mut Command, arguments: &[&str]) -> Self {
        let mut child = command
            .args(["mcp", "serve"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the server starts");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, lines, next_id: 0 }
    }

    /// Starts one and shakes hands in the way of `revision`.
    pub(crate) fn initialized(command: &mut Command, revision: &str) -> Self {
        let mut server = Self::start(command);
        let answer = server.ask(
            "initialize",
            json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
        );
        assert_eq!(answer["result"]["protocolVersion"], revision, "{answer}");
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    pub(crate) fn send_line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("still open");
        input.write_all(line).and_then(|()| input.write_all(b"\n")).expect("the server reads");
    }

    /// Sends a request without waiting for its answer; returns its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next line, as JSON: whatever the server prints has to be that.
    pub(crate) fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("an answer in time");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// Whether the server is quiet for `time`.
    pub(crate) fn is_silent_for(&self, time: Duration) -> bool {
        matches!(self.lines.recv_timeout(time), Err(RecvTimeoutError::Timeout))
    }

    /// The answer to the request `id`; others that come before it are passed over.
    pub(crate) fn answer_to(&mut self, id: i64) -> Value {
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer_to(id)
    }

    /// Calls a tool and returns the result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer["error"].is_null(), "{tool} with {arguments}: a protocol error: {answer}");
        answer["result"].clone()
    }

    /// The tools that it offers.
    pub(crate) fn tools(&mut self) -> Vec<Value> {
        let answer = self.ask("tools/list", json!({}));
        answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("no tools: {answer}")).clone()
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    pub(crate) fn assert_alive(&mut self) {
        assert!(!self.tools().is_empty());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.input = None;
        if matches!(self.child.try_wait(), Ok(None)) {
            self.child.kill().expect("a child");
        }
        self.child.wait().expect("a child");
    }
}

/// What a request of the stateless revision carries.
pub(crate) fn modern() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    })
}

/// Arguments that satisfy a tool's input schema, and what it asks for beyond it.
pub(crate) fn valid_arguments(tool: &Value) -> Value {
    match tool["name"].as_str() {
        Some("ax_drag") => return json!({"app": "a", "from_query": "a", "to_query": "b"}),
        Some("ax_key_press") => return json!({"app": "a", "key": "a", "mode": "focus"}),
        Some("screenshot_app_window") => return json!({"appName": "a"}),
        _ => {}
    }
    let schema = &tool["inputSchema"];
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    required
        .iter()
        .map(|name| {
            let name = name.as_str().expect("a name");
            (name.to_owned(), valid_value(&schema["properties"][name]))
        })
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn valid_value(schema: &Value) -> Value {
    if let Some(options) = schema["enum"].as_array() {
        return options[0].clone();
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => valid_arguments(&json!({"inputSchema": schema})),
        _ => json!("a"),
    }
}
