//! `handeye desktop start|status|stop` and `handeye doctor`, from outside.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// What belongs to a desktop that the tests may have been started in.
const INSIDE: [&str; 6] = [
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "HANDEYE_DESKTOP",
    "HANDEYE_DESKTOP_MEMBER",
];

/// A runtime folder of the test's own, so that its desktops are the only ones in it.
struct TestSession(tempfile::TempDir);

impl TestSession {
    fn new() -> Self {
        Self(tempfile::Builder::new().prefix("hd").tempdir_in("/tmp").expect("a scratch folder"))
    }

    fn handeye(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_handeye"));
        for variable in INSIDE {
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
        for variable in INSIDE {
            command.env_remove(variable);
        }
        command.env("HANDEYE_NO_DAEMON", "1").output().expect("sh runs")
    }
}

impl Drop for TestSession {
    fn drop(&mut self) {
        self.handeye(&["desktop", "stop", "--all"]);
    }
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn statuses(report: &Value) -> Vec<(String, String)> {
    let probes = report["probes"].as_array().expect("probes");
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    probes.iter().map(|probe| (text(&probe["name"]), text(&probe["status"]))).collect()
}

#[test]
fn a_desktop_is_kept_joined_listed_and_ended() {
    let session = TestSession::new();
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

    // Of two, it is that of the shell which is in one of them; outside of both it has to be named.
    for shell in ["bash", "dash"] {
        let script = "PS1='$ '; eval \"$(handeye desktop start --name first --size 640x480)\"; handeye desktop stop; \
                      eval \"$(handeye desktop start --name second --size 640x480)\"; handeye desktop stop; printf '%s\n' \"$PS1\"; \
                      handeye desktop stop; printf '%s\n' $?";
        let both = session.shell(&format!("exec {shell} -c '{}'", script.replace('\'', r"'\''")));
        let text = String::from_utf8_lossy(&both.stdout);
        // The desktop of the shell has ended then: none of the others is meant.
        assert_eq!(text, "Stopped first.\nStopped second.\n(second) $ \n2\n", "{shell}: {both:?}");
    }
    assert_eq!(json(&session.handeye(&["desktop", "status", "--json"]))[0]["name"], "kept");
    assert!(session.handeye(&["desktop", "start", "--name", "third", "--size", "640x480"]).status.success());
    let unclear = session.handeye(&["desktop", "stop"]);
    assert_eq!(unclear.status.code(), Some(2), "{unclear:?}");
    assert!(session.handeye(&["desktop", "stop", "third"]).status.success());

    let stopped = session.handeye(&["desktop", "stop"]);
    assert!(stopped.status.success(), "{stopped:?}");
    assert_eq!(std::fs::read_dir(session.0.path()).expect("the folder").count(), 0);
    assert_eq!(json(&session.handeye(&["desktop", "status", "--json"])), serde_json::json!([]));
}

#[test]
fn the_doctor_names_the_cause_and_skips_what_follows_from_it() {
    let session = TestSession::new();
    let output = session.handeye(&["doctor", "--format", "json"]);
    assert_eq!(output.status.code(), Some(6), "{output:?}");
    for (name, status) in statuses(&json(&output)) {
        let expected = match name.as_str() {
            "display" | "session_bus" => "fail",
            // Text is read, a private desktop made and the audit log written without a desktop.
            "ocr" | "private_desktop" | "audit_log" => "ok",
            _ => "skip",
        };
        assert_eq!(status, expected, "{name}");
    }
}

#[test]
fn the_doctor_finds_a_private_desktop_well() {
    let session = TestSession::new();
    // Each probe has 400 ms, which a busy machine may overrun: then there is another try.
    let tries = "for _ in 1 2 3 4 5 6 7 8; do handeye doctor --format json > $HANDEYE_DESKTOP/report && break; done; \
                 cat $HANDEYE_DESKTOP/report";
    let output = session.shell(&format!("exec handeye desktop run -- sh -c '{tries}'"));
    assert!(output.status.success(), "{output:?}");
    for (name, status) in statuses(&json(&output)) {
        // No model is set up in a session of a test.
        let expected = if name == "ai_models" { "skip" } else { "ok" };
        assert_eq!(status, expected, "{name}: {output:?}");
    }
}

#[test]
fn the_doctor_is_in_time_when_the_x_server_is_stopped() {
    let session = TestSession::new();
    // A busy machine may make some of them late, and fail other probes; what waits for the server makes all of them late.
    let script = "server=$(pgrep -f \"Xvfb.*$HANDEYE_DESKTOP/\"); kill -STOP $server; \
                  for _ in 1 2 3 4 5 6 7 8; do handeye doctor --format json; done; kill -CONT $server";
    let output = session.shell(&format!("exec handeye desktop run -- sh -c '{script}'"));
    let reports: Vec<Value> = serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter()
        .collect::<Result<_, _>>()
        .unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!(reports.len(), 8);
    let in_time = reports.iter().find(|report| {
        report["elapsed_ms"].as_u64().expect("a number") < 500
            && statuses(report)[2] == ("session_bus".to_owned(), "ok".to_owned())
    });
    let report = in_time.unwrap_or_else(|| panic!("none is in time: {reports:#?}"));
    assert_eq!(statuses(report)[0], ("display".to_owned(), "fail".to_owned()));
}
