//! Which tools a server offers: flags, variables, configuration file.

mod support;

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::Command;
use support::{Server, handeye, stderr};
use tempfile::TempDir;

/// The names of the tools that a server lists which is started with these flags.
fn listed(command: &mut Command, flags: &[&str]) -> BTreeSet<String> {
    let mut server = Server::start_with(command, flags);
    let listed = server.ask("tools/list", json!({"_meta": support::modern()}));
    let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

fn names(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn flags_choose_the_tools() {
    let found = listed(&mut handeye(), &["--toolsets", "find"]);
    assert_eq!(found, names(&["ax_find", "ax_get_tree", "ax_get_attributes"]));
    let found =
        listed(&mut handeye(), &["--toolsets", "find", "--tools", "ax_click", "--exclude-tools", "ax_find"]);
    assert_eq!(found, names(&["ax_get_tree", "ax_get_attributes", "ax_click"]));
    assert_eq!(listed(&mut handeye(), &["--tools", "ax_click"]), names(&["ax_click"]));
    let all = listed(&mut handeye(), &["--toolsets", "all"]);
    assert!(all.is_superset(&listed(&mut handeye(), &[])), "all is more than default");
}

#[test]
fn read_only_wins_over_everything() {
    let mut server = Server::start_with(
        &mut handeye(),
        &["--read-only", "--toolsets", "all", "--tools", "ax_click,ax_type"],
    );
    let listed = server.ask("tools/list", json!({"_meta": support::modern()}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true), "{listed}");
    assert!(tools.iter().any(|tool| tool["name"] == "ax_get_tree"));
    let called =
        server.ask("tools/call", json!({"name": "ax_click", "arguments": {}, "_meta": support::modern()}));
    assert_eq!(called["error"]["code"], -32602, "{called}");
    let message = called["error"]["message"].as_str().expect("a message");
    assert!(message.contains("unknown tool 'ax_click'") && message.contains("--read-only"), "{message}");
}

#[test]
fn a_tool_that_is_off_is_answered_like_an_unknown_one() {
    let mut server = Server::start_with(&mut handeye(), &["--exclude-tools", "ax_click"]);
    for (tool, reported) in [("ax_click", "switched off by --exclude-tools"), ("ax_nonsense", "unknown tool")]
    {
        for params in [
            json!({"name": tool, "arguments": {"query": "Save", "app": "x"}, "_meta": support::modern()}),
            json!({"name": tool, "arguments": [1], "_meta": support::modern()}),
        ] {
            let answer = server.ask("tools/call", params);
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
            assert!(
                answer["error"]["message"].as_str().is_some_and(|text| text.contains(reported)),
                "{answer}"
            );
        }
    }
}

#[test]
fn unknown_names_end_the_server_at_its_start() {
    for (flags, parts) in [
        (["--toolsets", "fnd"], ["toolsets", "find"]),
        (["--tools", "ax_clik"], ["tools", "ax_click"]),
        (["--exclude-tools", "get_tree"], ["exclude-tools", "ax_get_tree"]),
        (["--tools", ","], ["toolsets", "no tool at all"]),
    ] {
        let output = handeye().args(["mcp", "serve"]).args(flags).output().expect("it ends");
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        for part in parts {
            assert!(stderr(&output).contains(part), "{part} in {}", stderr(&output));
        }
    }
}

#[test]
fn a_flag_wins_over_the_variable_and_that_over_the_file() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("handeye/config.toml");
    std::fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
    std::fs::write(&file, "[server]\ntools = ['ax_find']\n").expect("written");
    let configured = || {
        let mut command = handeye();
        command.env("XDG_CONFIG_HOME", folder.path());
        command
    };
    assert_eq!(listed(&mut configured(), &[]), names(&["ax_find"]));
    assert_eq!(listed(configured().env("HANDEYE_TOOLS", "ax_type"), &[]), names(&["ax_type"]));
    let by_flag = listed(configured().env("HANDEYE_TOOLS", "ax_type"), &["--tools", "ax_drag"]);
    assert_eq!(by_flag, names(&["ax_drag"]));
    assert_eq!(listed(configured().env("HANDEYE_TOOLS", ""), &[]), names(&["ax_find"]), "empty is unset");
    std::fs::write(&file, "[server]\nread_only = true\n").expect("written");
    let looking = listed(&mut configured(), &[]);
    assert!(looking.contains("ax_find") && !looking.contains("ax_click"));
}

#[test]
fn a_faulty_file_is_reported_with_its_lines_and_ends_every_command() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("c.toml");
    std::fs::write(&file, "[server]\ntolsets = ['find']\n[ai]\ntimeout = 'soon'\n").expect("written");
    for arguments in [&["mcp", "serve"][..], &["apps"], &["--json-output", "apps"]] {
        let output = handeye().env("HANDEYE_CONFIG", &file).args(arguments).output().expect("it ends");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let reported = stderr(&output) + &support::stdout(&output);
        for part in [
            "c.toml cannot be used",
            "line 2: 'server.tolsets' is unknown (did you mean 'server.toolsets'?)",
            "line 4: 'ai.timeout' must be a number, not a string",
        ] {
            assert!(reported.contains(part), "{part} in {reported}");
        }
    }
    let missing = handeye().env("HANDEYE_CONFIG", folder.path().join("none.toml")).arg("apps").output();
    assert!(stderr(&missing.expect("it ends")).contains("none.toml cannot be read"));
}

#[test]
fn settings_of_the_file_hold_for_commands() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("c.toml");
    let run = |text: &str| {
        std::fs::write(&file, text).expect("written");
        handeye().env("HANDEYE_CONFIG", &file).arg("apps").output().expect("it ends")
    };
    let output = run("[cli]\nformat = 'json'\n");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["error"]["code"], "accessibility_unavailable");
    let output = run("[cli]\nformat = 'pretty'\n");
    assert!(
        stderr(&output).contains("cli.format") && stderr(&output).contains("line 2"),
        "{}",
        stderr(&output)
    );
    let output = run("[cli]\ntimeout = -1\n");
    assert!(stderr(&output).contains("cli.timeout"), "{}", stderr(&output));
}
