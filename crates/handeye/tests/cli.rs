//! The command line: formats, exit codes, and what it does where there is no desktop.

mod support;

use rustix::process::Signal;
use serde_json::Value;
use std::io::Read;
use std::process::Stdio;
use std::time::Duration;
use support::{PATIENCE, SilentBus, handeye, run, signal, stderr, stdout, wait_for_end};

fn json_of(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("not one JSON document: {}", stdout(output)))
}

#[test]
fn wrong_usage_ends_with_2() {
    for arguments in [
        &["aps"][..],
        &["apps", "--nonsense"],
        &["find"],
        &["click-at", "left", "right"],
        &["apps", "--timeout", "-1"],
        &["apps", "--timeout", "soon"],
        &["apps", "--format", "yaml"],
        &["completions", "tcsh"],
        &["mcp", "serve", "--size", "800x600"],
        &[],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(stdout(&output).is_empty(), "{arguments:?}");
        assert!(!stderr(&output).is_empty(), "{arguments:?}");
    }
    assert!(stderr(&run(&["aps"])).contains("apps"), "a near miss is named");
}

#[test]
fn wrong_usage_is_json_when_json_was_asked_for() {
    let output = run(&["aps", "--format", "json"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(json_of(&output)["error"]["code"], "invalid_parameter");
}

#[test]
fn without_a_desktop_commands_end_with_6_in_every_format() {
    let text = run(&["apps"]);
    assert_eq!(text.status.code(), Some(6), "{}", stderr(&text));
    assert!(stdout(&text).is_empty());
    assert!(stderr(&text).starts_with("error["), "{}", stderr(&text));

    let json = run(&["--format", "json", "apps"]);
    assert_eq!(json.status.code(), Some(6));
    assert_eq!(json_of(&json)["error"]["code"], "accessibility_unavailable");

    let quiet = run(&["apps", "--format", "quiet"]);
    assert_eq!(quiet.status.code(), Some(6));
    assert!(stdout(&quiet).is_empty() && stderr(&quiet).is_empty());
}

#[test]
fn check_and_doctor_say_no_without_a_desktop() {
    let check = run(&["check", "--format", "json"]);
    assert_eq!(check.status.code(), Some(6), "{}", stderr(&check));
    assert_eq!(json_of(&check)["enabled"], false);
    assert_eq!(run(&["check", "--format", "quiet"]).status.code(), Some(6));

    let doctor = run(&["doctor", "--format", "json"]);
    assert_eq!(doctor.status.code(), Some(6), "{}", stderr(&doctor));
    let diagnosis = json_of(&doctor);
    assert_eq!(diagnosis["ok"], false);
    let probes = diagnosis["probes"].as_array().expect("probes");
    assert!(!probes.is_empty());
    for probe in probes.iter().filter(|probe| probe["status"] == "fail") {
        assert!(probe["advice"].is_string(), "a failing probe says what to do: {probe}");
    }
}

#[test]
fn a_pipe_gets_no_colours() {
    for arguments in [&["--help"][..], &["doctor"], &["apps"], &["aps"]] {
        let output = handeye().args(arguments).env("TERM", "xterm-256color").output().expect("runs");
        assert!(!output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b), "{arguments:?}");
    }
}

#[test]
fn help_lists_every_command_and_the_exit_codes() {
    let help = stdout(&run(&["--help"]));
    for word in
        ["apps", "tree", "click", "screenshot", "doctor", "completions", "mcp", "desktop", "Exit codes:"]
    {
        assert!(help.contains(word), "{word} is missing:\n{help}");
    }
    assert!(!help.contains("docs "), "the hidden command shows");
    assert!(stdout(&run(&["--version"])).starts_with("handeye "));
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        let script = stdout(&output);
        assert!(script.contains("handeye") && script.contains("screenshot"), "{shell}");
    }
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("man1");
    let output = run(&["man", &place.display().to_string()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for (name, content) in
        [("handeye.1", "desktop"), ("handeye-click.1", "click"), ("handeye-mcp-install.1", "dry")]
    {
        let page =
            std::fs::read_to_string(place.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(page.contains(".TH") && page.contains(content), "{name}: {page}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_fault() {
    let mut child = handeye()
        .args(["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    drop(child.stdout.take());
    let mut complaints = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut complaints).expect("UTF-8");
    assert_eq!(child.wait().expect("ends").code(), Some(0), "{complaints}");
    assert!(complaints.is_empty(), "{complaints}");
}

#[test]
fn a_deadline_ends_a_hung_call_with_7() {
    let bus = SilentBus::new();
    let output = handeye()
        .args(["apps", "--timeout", "0.3", "--format", "json"])
        .env("DBUS_SESSION_BUS_ADDRESS", bus.address())
        .output()
        .expect("runs");
    assert_eq!(output.status.code(), Some(7), "{}", stdout(&output));
    assert_eq!(json_of(&output)["error"]["code"], "timeout");
}

#[test]
fn ctrl_c_ends_a_hung_call_with_8() {
    let bus = SilentBus::new();
    let mut child = handeye()
        .arg("apps")
        .env("DBUS_SESSION_BUS_ADDRESS", bus.address())
        .env("HANDEYE_LOG_LEVEL", "off")
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    let caught = || std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
    let has_handler = |status: String| {
        let mask =
            status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask").trim().to_owned();
        u64::from_str_radix(&mask, 16).expect("hexadecimal") & (1 << (Signal::INT.as_raw() - 1)) != 0
    };
    while !has_handler(caught()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    signal(&child, Signal::INT);
    let status = wait_for_end(&mut child, PATIENCE);
    assert_eq!(status.code(), Some(8));
}

#[test]
fn old_names_of_variables_still_hold() {
    let output = handeye().arg("apps").env("AXTERMINATOR_LOG_LEVEL", "info").output().expect("runs");
    assert!(stderr(&output).contains("handeye::audit"), "{}", stderr(&output));
    let output = handeye().arg("apps").env("HANDEYE_FORMAT", "quiet").output().expect("runs");
    assert!(stderr(&output).is_empty() && output.stdout.is_empty());
}
