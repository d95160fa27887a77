//! The protocol over standard input and output, in every revision and with everything that clients get wrong.

mod support;

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::{Server, handeye, modern};

const WITH_HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

#[test]
fn every_revision_with_a_handshake_is_served() {
    for revision in WITH_HANDSHAKE {
        let mut server = Server::initialized(&mut handeye(), revision);
        assert!(server.ask("ping", json!({}))["result"].is_object());
        server.assert_alive();
        assert_eq!(server.call("ax_list_apps", json!({}))["isError"], true);
    }
}

#[test]
fn the_stateless_revision_is_served_without_a_handshake() {
    let mut server = Server::start(&mut handeye());
    let discovered = server.ask("server/discover", json!({"_meta": modern()}));
    let versions = discovered["result"]["supportedVersions"].as_array().expect("versions");
    assert!(versions.contains(&json!("2026-07-28")), "{discovered}");
    let instructions = discovered["result"]["instructions"].as_str().expect("instructions");
    assert!(instructions.contains("ax_get_tree"));
    assert!(instructions.contains("set HANDEYE_AI_PROVIDERS"), "the status stands there: {instructions}");
    let listed = server.ask("tools/list", json!({"_meta": modern()}));
    assert_eq!(listed["result"]["resultType"], "complete");
    assert!(listed["result"]["ttlMs"].is_u64() && listed["result"]["cacheScope"] == "private");
    let called = server.ask("tools/call", json!({"name": "ax_list_apps", "_meta": modern()}));
    assert_eq!(called["result"]["isError"], true, "{called}");
    assert_eq!(called["result"]["resultType"], "complete");
}

#[test]
fn a_client_of_an_unknown_revision_is_offered_a_known_one() {
    let mut server = Server::start(&mut handeye());
    let client = json!({"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let answer = server.ask("initialize", client);
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(answer["result"]["serverInfo"]["name"], "handeye");
}

#[test]
fn what_comes_before_the_first_request_is_ignored() {
    let mut server = Server::start(&mut handeye());
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    server.send(&json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    server.send_line(b"hello?");
    let listed = server.ask("tools/list", json!({"_meta": modern()}));
    assert!(listed["result"]["tools"].is_array(), "{listed}");
}

#[test]
fn the_list_of_tools_is_stable() {
    let first = Server::initialized(&mut handeye(), "2025-11-25").tools();
    let second = Server::initialized(&mut handeye(), "2025-11-25").tools();
    assert_eq!(first, second);
    let lines: Vec<String> = first.iter().map(Value::to_string).collect();
    insta::assert_snapshot!("tools", lines.join("\n"));
}

#[test]
fn every_tool_is_fully_described() {
    for tool in Server::initialized(&mut handeye(), "2025-11-25").tools() {
        let name = tool["name"].as_str().expect("a name");
        assert!(tool["title"].as_str().is_some_and(|title| !title.is_empty()), "{name}");
        assert!(tool["description"].as_str().is_some_and(|text| !text.is_empty()), "{name}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        let output = &tool["outputSchema"];
        assert!(output.is_null() || output["type"] == "object", "{name}");
        assert!(tool["outputSchema"]["required"].is_null(), "{name}: an error could not be answered");
        let acts = tool["annotations"]["readOnlyHint"] == false;
        // The protocol gives the others no meaning where a tool only looks.
        for hint in ["readOnlyHint", "openWorldHint", "destructiveHint"].iter().take(if acts { 3 } else { 2 })
        {
            assert!(tool["annotations"][hint].is_boolean(), "{name}: {hint}");
        }
    }
}

#[test]
fn garbage_does_not_end_the_server() {
    let mut server = Server::initialized(&mut handeye(), "2025-11-25");
    for line in [
        &b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": "[..],
        b"[]",
        b"null",
        b"{}",
        b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":5}",
        b"\xff\xfe\x00\x01",
        b"",
    ] {
        server.send_line(line);
        server.assert_alive();
    }
    let unknown = server.ask("no/such/method", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    server.assert_alive();
}

#[test]
fn a_huge_message_does_not_end_the_server() {
    let mut server = Server::initialized(&mut handeye(), "2025-11-25");
    server.send_line(&vec![b'x'; 20_000_000]);
    server.assert_alive();
    let result = server.call("ax_type", json!({"text": "x".repeat(20_000_000)}));
    assert_eq!(result["isError"], true);
    assert!(result.to_string().len() < 4_000, "the text must not come back");
    server.send_line(&vec![b'x'; 40_000_000]);
    server.assert_alive();
}

#[test]
fn an_unknown_tool_is_a_protocol_error_that_names_the_right_one() {
    let mut server = Server::initialized(&mut handeye(), "2025-11-25");
    for (wrong, right) in [("ax_clik", "ax_click"), ("click", "ax_click"), ("get_tree", "ax_get_tree")] {
        let answer = server.ask("tools/call", json!({"name": wrong, "arguments": {}}));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains(right)), "{answer}");
    }
    for params in [json!({}), json!({"name": 5}), json!(null), json!({"name": "x".repeat(100_000)})] {
        let answer = server.ask("tools/call", params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer.to_string().len() < 1_000);
    }
}

#[test]
fn bad_parameters_are_named_and_are_no_protocol_error() {
    let mut server = Server::initialized(&mut handeye(), "2025-11-25");
    let cases = [
        ("ax_click", json!({"app": "mousepad"}), vec!["query"]),
        ("ax_click", json!({"query": 5, "app": true}), vec!["query", "app"]),
        ("ax_click", json!({"query": "OK", "qeury": "OK"}), vec!["qeury"]),
        ("ax_click", json!({"query": "OK", "mode": "sideways"}), vec!["mode"]),
        ("ax_click_at", json!({"x": "left", "y": null}), vec!["x", "y"]),
        ("ax_set_value", json!({}), vec!["value"]),
        ("ax_wait_idle", json!({"timeout_ms": -1}), vec!["timeout_ms"]),
        ("ax_wait_idle", json!({"timeout_ms": 1.5e300}), vec!["timeout_ms"]),
        ("ax_find", json!({"query": ["a"]}), vec!["query"]),
        ("ax_screenshot", json!({"region": [1, 2]}), vec!["region"]),
    ];
    for (tool, arguments, named) in cases {
        let result = server.call(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        let error = &result["structuredContent"]["error"];
        assert_eq!(error["code"], "invalid_parameter", "{tool} {arguments}: {result}");
        let text = result["content"][0]["text"].as_str().expect("text");
        for name in named {
            assert!(text.contains(name), "{tool} {arguments} does not name '{name}': {text}");
        }
    }
    for arguments in [json!([1]), json!("query"), json!(5)] {
        let result = server.call("ax_click", arguments);
        assert_eq!(result["structuredContent"]["error"]["code"], "invalid_parameter", "{result}");
    }
    server.assert_alive();
}

#[test]
fn without_a_desktop_every_tool_says_so() {
    let mut server = Server::initialized(&mut handeye(), "2025-11-25");
    for tool in server.tools() {
        let name = tool["name"].as_str().expect("a name");
        if name == "analyze" {
            // It reads a file, and needs no desktop.
            continue;
        }
        let result = server.call(name, support::valid_arguments(&tool));
        if name == "ax_is_accessible" {
            assert_eq!(result["structuredContent"]["enabled"], false, "{result}");
            continue;
        }
        assert_eq!(result["isError"], true, "{name}: {result}");
        let error = &result["structuredContent"]["error"];
        let code = error["code"].as_str().expect("a code");
        assert!(
            ["accessibility_unavailable", "display_unavailable", "input_unavailable"].contains(&code),
            "{name}: {result}"
        );
        assert!(
            error["next"].as_str().is_some_and(|next| !next.is_empty()),
            "{name} gives no next step: {result}"
        );
        let label = if name == "screenshot_app_window" { "CaptureFailed: " } else { "Error: " };
        assert!(
            result["content"][0]["text"].as_str().is_some_and(|text| text.starts_with(label)),
            "{name}: {result}"
        );
    }
}

#[test]
fn sixty_four_calls_at_once_are_all_answered() {
    let mut server = Server::initialized(&mut handeye(), "2025-11-25");
    let mut open: Vec<i64> = (0..64)
        .map(|_| server.request("tools/call", json!({"name": "ax_list_apps", "arguments": {}})))
        .collect();
    while !open.is_empty() {
        let answer = server.receive();
        let at = open
            .iter()
            .position(|id| answer["id"] == *id)
            .unwrap_or_else(|| panic!("answered twice: {answer}"));
        open.swap_remove(at);
    }
}

#[test]
fn the_first_answer_comes_quickly() {
    let mut times: Vec<Duration> = (0..10)
        .map(|_| {
            let started = Instant::now();
            let mut server = Server::start(&mut handeye());
            let answer: Value = server.ask("tools/list", json!({"_meta": modern()}));
            assert!(answer["result"]["tools"].is_array());
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!(
        "first answer after start: median {:?}, slowest {:?}",
        times[times.len() / 2],
        times[times.len() - 1]
    );
}

#[test]
fn an_older_client_finds_titles_among_the_hints_and_every_one_sees_who_serves() {
    for (revision, is_a_hint) in [("2025-03-26", true), ("2025-11-25", false)] {
        let mut server = Server::start(&mut handeye());
        let client = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let who = server.ask("initialize", client)["result"]["serverInfo"].clone();
        assert!(
            who["description"].is_string()
                && who["websiteUrl"].as_str().is_some_and(|url| url.starts_with("https://"))
        );
        assert!(
            who["icons"][0]["src"].as_str().is_some_and(|src| src.starts_with("data:image/svg+xml;base64,")),
            "{who}"
        );
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let tools = server.ask("tools/list", json!({}))["result"]["tools"].clone();
        for tool in tools.as_array().expect("a list") {
            let hint = &tool["annotations"]["title"];
            assert_eq!(hint.is_string(), is_a_hint, "{revision}: {tool}");
            assert!(!is_a_hint || *hint == tool["title"]);
        }
    }
}
