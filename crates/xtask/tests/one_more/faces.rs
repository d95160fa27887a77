//! What the binary has of the added tool, by both faces and in what it writes about itself.

mod support;

use serde_json::json;
use std::fs;
use support::{Server, handeye, run, stderr, stdout};

/// Its name for models, and for people.
const TOOL: &str = "ax_count_apps";
const COMMAND: &str = "count";

#[test]
fn a_client_is_offered_the_tool_and_calls_it() {
    let mut command = handeye();
    command.env("HANDEYE_TOOLSETS", "planning");
    let mut server = Server::initialized(&mut command, "2025-06-18");
    let tools = server.tools();
    let tool = tools.iter().find(|tool| tool["name"] == TOOL).expect("the tool is listed");
    assert_eq!(tool["description"], "How many there are");
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    let parameter = &tool["inputSchema"]["properties"]["accessible_only"];
    assert_eq!(parameter["description"], "Only those whose tree can be read");
    // There is no desktop: that is the operation's own error.
    let failed = server.call(TOOL, json!({}));
    assert_eq!(failed["structuredContent"]["error"]["code"], "accessibility_unavailable", "{failed}");
    let refused = server.call(TOOL, json!({"accessible": true}));
    assert!(refused.to_string().contains("'accessible' is unknown"), "{refused}");
}

#[test]
fn a_server_leaves_the_tool_out_with_its_toolset() {
    let mut server = Server::initialized(&mut handeye(), "2025-06-18");
    assert!(server.tools().iter().all(|tool| tool["name"] != TOOL));
}

#[test]
fn a_shell_has_the_command_with_its_help_and_completions() {
    let overview = stdout(&run(&["--help"]));
    assert!(overview.contains("Count running applications"), "{overview}");
    let help = stdout(&run(&[COMMAND, "--help"]));
    for part in
        ["Count running applications. How many there are", "--accessible-only", "--timeout", "--format"]
    {
        assert!(help.contains(part), "{part}: {help}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&run(&["completions", shell]));
        assert!(script.contains(COMMAND) && script.contains("accessible-only"), "{shell}");
    }
    let failed = run(&[COMMAND, "--accessible-only"]);
    // There is no desktop: that is the operation's own error, and no complaint about the command line.
    assert!(stderr(&failed).starts_with("error[accessibility_unavailable]"), "{}", stderr(&failed));
}

#[test]
fn the_reference_has_the_tool_and_the_command() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let written = run(&["docs", folder.path().to_str().expect("UTF-8")]);
    assert!(written.status.success(), "{}", stderr(&written));
    let page = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a page");
    let tools = page("tools.md");
    for part in
        ["## `ax_count_apps`", "Command: `handeye count`.", "| `accessible_only` | boolean |", "| `count` |"]
    {
        assert!(tools.contains(part), "{part}");
    }
    assert!(page("cli.md").contains("## `handeye count`"));
}
