//! Starting a server as a client would, and asking for its tools.

use handeye_clients::{Environment, Server};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// How long a server may take to start and to answer. A private desktop takes a second or two.
const DEADLINE: Duration = Duration::from_secs(20);
/// How long it may take to end when its client has left.
const TIME_TO_END: Duration = Duration::from_secs(10);
/// The most that is read from a server, in bytes; its tools take some tens of thousands.
const MOST_BYTES: u64 = 4 << 20;
/// The most that is read of its complaints, in bytes.
const MOST_COMPLAINTS: u64 = 64 << 10;
/// How many lines of complaints are shown.
const LINES: usize = 4;

/// What a server answered.
pub(super) struct Trial {
    /// Its name and version.
    pub(super) server: String,
    /// How many tools it has.
    pub(super) tools: usize,
    /// From its start to its last answer.
    pub(super) elapsed_ms: u128,
}

/// Starts the server in this environment, asks for its tools, and ends it.
///
/// # Errors
/// Why it does not answer, with what it wrote to standard error.
pub(super) async fn try_server(server: Server, environment: Environment) -> Result<Trial, String> {
    let mut command = Command::new(&server.command);
    command
        .args(&server.args)
        .env_clear()
        .envs(&environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if let Some(home) = environment.get(OsStr::new("HOME")) {
        command.current_dir(home);
    }
    let started = Instant::now();
    let mut child =
        command.spawn().map_err(|error| format!("{} cannot be started: {error}", server.command))?;
    let complaints = tokio::spawn(complaints(child.stderr.take()));
    let outcome = match timeout(DEADLINE, talk(&mut child)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(format!("it did not answer within {} s", DEADLINE.as_secs())),
    };
    let elapsed_ms = started.elapsed().as_millis();
    // Its standard input is closed by now, which ends it.
    let ended = timeout(TIME_TO_END, child.wait()).await.is_ok();
    if !ended {
        child.kill().await.map_err(|error| format!("it does not end: {error}"))?;
    }
    match outcome {
        Ok((server, tools)) if ended => Ok(Trial { server, tools, elapsed_ms }),
        Ok(_) => Err(format!("it did not end within {} s after its client had left", TIME_TO_END.as_secs())),
        Err(why) => {
            let printed =
                timeout(TIME_TO_END, complaints).await.ok().and_then(Result::ok).unwrap_or_default();
            Err(if printed.is_empty() { why } else { format!("{why}: {printed}") })
        }
    }
}

async fn complaints(stream: Option<impl AsyncRead + Unpin>) -> String {
    let mut bytes = Vec::new();
    if let Some(stream) = stream
        && let Err(error) = stream.take(MOST_COMPLAINTS).read_to_end(&mut bytes).await
    {
        tracing::debug!(%error, "the server's standard error cannot be read");
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[..lines.len().min(LINES)].join(" ")
}

/// The name and version of the server and the number of its tools.
async fn talk(child: &mut Child) -> Result<(String, usize), String> {
    let unusable = || "its standard streams cannot be used".to_owned();
    let mut input = child.stdin.take().ok_or_else(unusable)?;
    let mut output = BufReader::new(child.stdout.take().ok_or_else(unusable)?.take(MOST_BYTES));
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "handeye-doctor", "version": env!("CARGO_PKG_VERSION") },
    });
    let mut send = async |message: Value| {
        let line = format!("{message}\n");
        input.write_all(line.as_bytes()).await.map_err(|_| "it ended before it answered".to_owned())
    };
    send(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello })).await?;
    let hello = answer(&mut output, 1).await?;
    send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
    send(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} })).await?;
    let tools = answer(&mut output, 2).await?;
    let tools =
        tools.get("tools").and_then(Value::as_array).ok_or("its answer to tools/list has no tools")?;
    let info = |field: &str| {
        let text = hello.pointer(&format!("/serverInfo/{field}")).and_then(Value::as_str);
        text.unwrap_or("?").to_owned()
    };
    Ok((format!("{} {}", info("name"), info("version")), tools.len()))
}

/// The result of the request `id`. Notifications in between are passed over.
async fn answer(output: &mut (impl AsyncBufReadExt + Unpin), id: u64) -> Result<Value, String> {
    loop {
        let mut line = String::new();
        let count = output
            .read_line(&mut line)
            .await
            .map_err(|error| format!("its answer cannot be read: {error}"))?;
        if count == 0 {
            return Err("it ended before it answered".to_owned());
        }
        let message: Value = serde_json::from_str(&line)
            .map_err(|_| format!("it wrote something other than MCP messages: {:?}", line.trim_end()))?;
        if message.get("id") != Some(&json!(id)) {
            continue;
        }
        return match message.get("result") {
            Some(result) => Ok(result.clone()),
            None => Err(format!("it answered with an error: {}", message["error"])),
        };
    }
}
