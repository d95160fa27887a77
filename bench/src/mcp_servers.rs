//! The same question to other MCP servers for desktops: their tool lists, and the tree of one window, as a client gets them.

use crate::Result;
use crate::applications::{Running, Started};
use crate::mcp_client::{Client, text_of};
use crate::options::Options;
use crate::peers::{Measured, keep_ratios};
use crate::processes;
use crate::report::{Report, against, count, ms, words};
use crate::tokens::Tokenizer;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Time before each call: no model answers as fast.
const QUIET: Duration = Duration::from_millis(150);
/// How long a server may live; the slowest ones take some seconds for a tree.
const DEADLINE_SECONDS: &str = "60";
/// The others, by the names of their packages.
const PEERS: [&str; 3] = ["cua-driver", "a11y-computer-use", "agent-eyes"];

/// Measures all servers on all applications in every round.
pub fn measure(options: &Options, running: &Running, report: &mut Report) -> Result<()> {
    let tokenizer = Tokenizer::new()?;
    let home = tempfile::tempdir()?;
    let applications: Vec<&Started> =
        running.started().iter().filter(|started| started.known.has_own_name()).collect();
    let mut all: Vec<Measured> = applications.iter().map(|_| Measured::new()).collect();
    for started in &applications {
        allow(options, home.path(), started)?;
    }
    for round in 1..=options.rounds {
        eprintln!("   round {round} of {}", options.rounds);
        for (started, measured) in applications.iter().zip(&mut all) {
            for name in ["handeye"].into_iter().chain(PEERS) {
                if measured.get(name).is_some_and(|series| series.median("failed").is_some()) {
                    continue;
                }
                match round_of(options, home.path(), &tokenizer, name, started, measured) {
                    Err(error) if PEERS.contains(&name) => {
                        eprintln!("{name}, {}: {error}", started.known.title);
                        measured.entry(name).or_default().push("failed", 1.0);
                    }
                    done => done?,
                }
            }
        }
    }
    write(report, &applications, &all);
    Ok(())
}

/// A new server of this name, and two trees from it.
fn round_of(
    options: &Options,
    home: &Path,
    tokenizer: &Tokenizer,
    name: &'static str,
    started: &Started,
    measured: &mut Measured,
) -> Result<()> {
    let begun = Instant::now();
    let mut client = Client::open(&mut command(options, home, name)?)?;
    let start = milliseconds(begun);
    let list = client.request("tools/list", &json!({}))?;
    let tools = list["tools"].as_array().ok_or("a list without tools")?;
    let (tool, arguments) = question(&mut client, name, started)?;
    let series = measured.entry(name).or_default();
    series.push("start_ms", start);
    series.push("tools", tools.len() as f64);
    series.push("list_tokens", tokenizer.count(&shown_to_models(tools)?) as f64);
    for quantity in ["first_ms", "again_ms"] {
        std::thread::sleep(QUIET);
        let begun = Instant::now();
        let answer = client.tool(tool, &arguments)?;
        series.push(quantity, milliseconds(begun));
        if quantity == "first_ms" {
            let text = text_of(&answer);
            series.push("lines", text.lines().count() as f64);
            series.push("tokens", tokenizer.count(&text) as f64);
        }
    }
    Ok(())
}

/// The command of a server. Its settings and what it remembers are below `home`, and it ends when it takes too long.
fn command(options: &Options, home: &Path, name: &str) -> Result<Command> {
    let mut command = Command::new("timeout");
    command.arg(DEADLINE_SECONDS);
    match name {
        "handeye" => command.arg(&options.handeye).args(["mcp", "serve"]),
        "cua-driver" => command.arg(&options.python).args(["-m", "cua_driver", "mcp"]),
        "a11y-computer-use" => command.arg(&options.python).args(["-m", "a11y_computer_use", "mcp"]),
        "agent-eyes" => {
            let main = "import sys; from agent_eyes.cli import main; sys.exit(main())";
            command.arg(&options.python).args(["-c", main])
        }
        _ => return Err(format!("{name} is no server").into()),
    };
    command.env("HOME", home).env("CUA_DRIVER_RS_TELEMETRY_ENABLED", "0").env("CUA_TELEMETRY_ENABLED", "0");
    Ok(command)
}

/// Gives a11y-computer-use the permission without which it reads no application.
fn allow(options: &Options, home: &Path, started: &Started) -> Result<()> {
    let status = Command::new("timeout")
        .arg(DEADLINE_SECONDS)
        .arg(&options.python)
        .args(["-m", "a11y_computer_use", "grant", started.known.name, "read"])
        .env("HOME", home)
        .stdout(std::process::Stdio::null())
        .status()?;
    if status.success() { Ok(()) } else { Err("a11y-computer-use takes no permission".into()) }
}

/// The tool of a server that reads the tree of a window, with the arguments for this application. What it has to ask before is asked here.
fn question(client: &mut Client, name: &str, started: &Started) -> Result<(&'static str, Value)> {
    Ok(match name {
        "handeye" => ("ax_get_tree", json!({"app": started.app})),
        "a11y-computer-use" => ("desktop_snapshot", json!({"app": started.known.name})),
        "agent-eyes" => ("tree", json!({"pid": started.process, "full": true})),
        _ => {
            let windows = client.tool("list_windows", &json!({}))?;
            let family = processes::family(started.process)?;
            let windows = windows["structuredContent"]["windows"].as_array().ok_or("no windows")?;
            let is_own = |window: &&Value| {
                window["pid"]
                    .as_u64()
                    .and_then(|pid| u32::try_from(pid).ok())
                    .is_some_and(|pid| family.contains(&pid))
            };
            let window = windows.iter().find(is_own).ok_or("its window is not in the list")?;
            let arguments =
                json!({"pid": window["pid"], "window_id": window["window_id"], "include_screenshot": false});
            ("get_window_state", arguments)
        }
    })
}

/// Names, descriptions and parameters of all tools: what clients hand to a model.
fn shown_to_models(tools: &[Value]) -> Result<String> {
    let shown: Vec<Value> = tools
        .iter()
        .map(|tool| json!({"name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"]}))
        .collect();
    Ok(serde_json::to_string(&shown)?)
}

fn milliseconds(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1000.0
}

fn write(report: &mut Report, applications: &[&Started], all: &[Measured]) {
    report.section("Other MCP servers");
    report.say(
        "Each application has a new server of each kind in each round, over stdio; servers take turns. “Start” ends with the answer to `initialize`. \
         The tokens of a list (o200k) are those of names, descriptions and parameters of all tools that it has without being asked for more.",
    );
    let mut rows = vec![words(&["server", "start", "tools", "tokens of the list"])];
    for name in ["handeye"].into_iter().chain(PEERS) {
        let of = |quantity: &str| all.iter().find_map(|measured| measured.get(name)?.median(quantity));
        rows.push(vec![name.to_owned(), ms(of("start_ms")), count(of("tools")), count(of("list_tokens"))]);
    }
    report.table(&rows);
    report.say(
        "The tree of the application's window: `ax_get_tree`; `get_window_state` without the picture; `desktop_snapshot`; `tree` with `full`, as its default has \
         what can be acted on only, and that was five sliders of the widget factory. Each has its defaults else: cua-driver and a11y-computer-use report texts, states and \
         actions, agent-eyes role, name and a few states, and not all of them the same elements. What has to be asked before (cua-driver: the list of windows) is not counted, nor is the search for the process that agent-eyes wants; handeye and a11y-computer-use find the application by its name within \
         the call. “Again” is the same call in the same server. Lines and tokens are of the text of the first answer; what a server repeats in fields is not counted. × is how many times longer than handeye. LibreOffice is not in the table, as two of it run under one name.",
    );
    let heading = ["Application", "server", "first tree", "again", "lines", "tokens"];
    let mut rows = vec![words(&heading)];
    for (started, measured) in applications.iter().zip(all) {
        for name in ["handeye"].into_iter().chain(PEERS) {
            let of = |name: &str, quantity: &str| measured.get(name)?.median(quantity);
            let mut row = vec![started.known.title.to_owned(), name.to_owned()];
            if of(name, "failed").is_some() {
                row.extend(["failed", "failed", "–", "–"].map(str::to_owned));
            } else {
                let own = |quantity: &str| if name == "handeye" { None } else { of("handeye", quantity) };
                row.extend(
                    ["first_ms", "again_ms"].map(|quantity| against(of(name, quantity), own(quantity))),
                );
                row.extend(["lines", "tokens"].map(|quantity| count(of(name, quantity))));
            }
            rows.push(row);
        }
        let title = started.known.title;
        keep_ratios(report, title, measured, &PEERS, ("first_ms", "first_ms"), "first tree");
        keep_ratios(report, title, measured, &PEERS, ("again_ms", "again_ms"), "the tree again");
    }
    report.table(&rows);
}
