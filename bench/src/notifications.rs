//! How long after a change in an application a subscriber is notified of it.

use crate::Result;
use crate::mcp_client::Client;
use crate::options::Options;
use crate::report::{Report, ms, verdict};
use crate::samples::Samples;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a notification may take on top of the time for which changes are gathered.
const TARGET_MS: f64 = 30.0;
/// The views, and for how long each gathers changes.
const VIEWS: [(&str, f64); 3] = [("events", 0.0), ("state", 100.0), ("tree", 500.0)];
/// Between two changes, so that each is reported as one after a rest.
const REST: Duration = Duration::from_millis(2_500);
const START_UP: Duration = Duration::from_secs(20);

/// An application that changes on request. It ends with this value.
struct Teller {
    child: Child,
    input: ChildStdin,
    changes: u32,
}

impl Teller {
    fn start(options: &Options) -> Result<Self> {
        let mut child = Command::new("/usr/bin/python3")
            .arg(options.scripts.join("teller.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take().ok_or("no standard input")?;
        Ok(Self { child, input, changes: 0 })
    }

    fn change(&mut self) -> Result<()> {
        self.changes += 1;
        self.input.write_all(format!("Changed {} times\n", self.changes).as_bytes())?;
        Ok(self.input.flush()?)
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        if self.child.kill().is_ok() && self.child.wait().is_err() {
            eprintln!("the application cannot be waited for");
        }
    }
}

/// Measures from the command to the application to the notification, one view at a time.
pub fn measure(options: &Options, report: &mut Report) -> Result<()> {
    report.section("Notifications");
    report.say(
        "From the line that makes a GTK 3 application change its text and its title, to `notifications/resources/updated` at a \
         subscriber over stdio. What the application needs to take the line is in it.",
    );
    let mut rows = vec![["resource", "median", "gathered for", "target", ""].map(str::to_owned).to_vec()];
    for (view, gathered) in VIEWS {
        let mut application = Teller::start(options)?;
        let pid = application.child.id();
        let mut client = Client::start(options)?;
        wait_until_listed(&mut client, pid)?;
        let uri = format!("handeye://app/{pid}/{view}");
        client.request("resources/subscribe", &json!({ "uri": uri }))?;
        let mut samples = Samples::default();
        for _ in 0..options.rounds {
            std::thread::sleep(REST);
            // Answers a ping, and with it skips the notifications from before the application was at rest.
            client.request("ping", &json!({}))?;
            let begun = Instant::now();
            application.change()?;
            client.next_notification("notifications/resources/updated")?;
            samples.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
        let median = samples.median();
        let target = gathered + TARGET_MS;
        rows.push(vec![
            format!("`{view}`"),
            ms(median),
            format!("{gathered:.0} ms"),
            ms(Some(target)),
            verdict(median.is_some_and(|value| value < target)).to_owned(),
        ]);
    }
    report.table(&rows);
    Ok(())
}

fn wait_until_listed(client: &mut Client, pid: u32) -> Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < START_UP {
        let listed = client.tool("ax_list_apps", &json!({}))?;
        let apps = listed["structuredContent"]["apps"].as_array().cloned().unwrap_or_default();
        let is_ready = |app: &Value| app["pid"] == pid && app["accessible"] == true;
        if apps.iter().any(is_ready) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Err("the application did not come".into())
}
