//! `handeye desktop start|status|stop` and `handeye doctor`, from outside.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// A runtime folder of the test's own, so that its desktops are the only ones in it.
struct Session(tempfile::TempDir);

impl Session {
    fn new() -> Self {
        Self(tempfile::Builder::new().prefix("hd").tempdir_in("/tmp").expect("a scratch folder"))
    }

    fn handeye(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_handeye"));
        for variable in ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "HANDEYE_DESKTOP"] {
            command.env_remove(variable);
        }
        command.env("HANDEYE_NO_DAEMON", "1");
        command.args(arguments).env("XDG_RUNTIME_DIR", self.0.path()).output().expect("handeye runs")
    }

    /// Runs a shell script in the desktop `name`, with `handeye` on its path.
    fn shell(&self, script: &str) -> Output {
        let handeye = Path::new(env!("CARGO_BIN_EXE_handeye"));
        let path = format!(
            "{}:{}",
            handeye.parent().expect("a folder").display(),
            std::env::var("PATH").expect("set")
        );
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("PATH", path).env("XDG_RUNTIME_DIR", self.0.path());
        command.env("HANDEYE_NO_DAEMON", "1").env_remove("HANDEYE_DESKTOP").output().expect("sh runs")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.handeye(&["desktop", "stop", "--all"]);
    }
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn statuses(report: &serde_json::Value) -> Vec<(String, String)> {
    let probes = report["probes"].as_array().expect("probes");
    let text = |value: &serde_json::Value| value.as_str().expect("a string").to_owned();
    probes.iter().map(|probe| (text(&probe["name"]), text(&probe["status"]))).collect()
}

#[test]
fn a_desktop_is_kept_joined_listed_and_ended() {
    let session = Session::new();
    let joined = session.shell(
        "eval \"$(handeye desktop start --name kept --size 640x480)\" && xdpyinfo | grep dimensions && handeye desktop status",
    );
    let text = String::from_utf8_lossy(&joined.stdout);
    assert!(joined.status.success() && text.contains("640x480") && text.contains("kept"), "{joined:?}");

    let listed = json(&session.handeye(&["desktop", "status", "--json"]));
    assert_eq!(listed[0]["name"], "kept");
    assert_eq!(listed[0]["detached"], true);
    let twice = session.handeye(&["desktop", "start", "--name", "kept"]);
    assert_eq!(twice.status.code(), Some(2), "{twice:?}");
    assert_eq!(session.handeye(&["desktop", "stop", "other"]).status.code(), Some(2));

    let stopped = session.handeye(&["desktop", "stop"]);
    assert!(stopped.status.success(), "{stopped:?}");
    assert_eq!(std::fs::read_dir(session.0.path()).expect("the folder").count(), 0);
    assert_eq!(json(&session.handeye(&["desktop", "status", "--json"])), serde_json::json!([]));
}

#[test]
fn the_doctor_names_the_cause_and_skips_what_follows_from_it() {
    let session = Session::new();
    let output = session.handeye(&["doctor", "--format", "json"]);
    assert_eq!(output.status.code(), Some(6), "{output:?}");
    for (name, status) in statuses(&json(&output)) {
        let is_cause = name == "display" || name == "session_bus";
        assert_eq!(status, if is_cause { "fail" } else { "skip" }, "{name}");
    }
}

#[test]
fn the_doctor_finds_a_private_desktop_well() {
    let session = Session::new();
    let output = session.shell("exec handeye desktop run -- handeye doctor --format json");
    assert!(output.status.success(), "{output:?}");
    for (name, status) in statuses(&json(&output)) {
        assert_eq!(status, "ok", "{name}: {output:?}");
    }
}

#[test]
fn the_doctor_is_in_time_when_the_x_server_is_stopped() {
    let session = Session::new();
    let script = "server=$(pgrep -f \"Xvfb.*$HANDEYE_DESKTOP/\"); kill -STOP $server; handeye doctor --format json; kill -CONT $server";
    let started = Instant::now();
    let output = session.shell(&format!("exec handeye desktop run -- sh -c '{script}'"));
    assert!(started.elapsed() < Duration::from_secs(20));
    let report = json(&output);
    assert!(report["elapsed_ms"].as_u64().expect("a number") < 500, "{report}");
    assert_eq!(statuses(&report)[0], ("display".to_owned(), "fail".to_owned()));
    assert_eq!(statuses(&report)[2], ("session_bus".to_owned(), "ok".to_owned()));
}
