//! How a server ends, and that a hung call holds up neither the end nor another call.

mod support;

use rustix::process::Signal;
use serde_json::json;
use std::time::{Duration, Instant};
use support::{PATIENCE, Server, SilentBus, handeye, modern, signal, wait_for_end};

/// A server with a call under way that gets no answer.
fn with_hung_call(bus: &SilentBus) -> (Server, i64) {
    let mut server =
        Server::initialized(handeye().env("DBUS_SESSION_BUS_ADDRESS", bus.address()), "2025-11-25");
    let hung = server.request("tools/call", json!({"name": "ax_list_apps", "arguments": {}}));
    // Answered in order of ease: when this one is back, the first is on its way.
    server.assert_alive();
    (server, hung)
}

/// Sends a server with a hung call its end, and expects that it goes within a second, which is less than the call would take.
/// A busy machine may make one of them slow, and what waits for the call makes each slow.
fn ends_at_once(mut end: impl FnMut(&mut Server)) {
    let took: Vec<Duration> = (0..5)
        .map(|_| {
            let bus = SilentBus::new();
            let (mut server, _) = with_hung_call(&bus);
            let begun = Instant::now();
            end(&mut server);
            assert_eq!(wait_for_end(&mut server.child, PATIENCE).code(), Some(0));
            begun.elapsed()
        })
        .collect();
    assert!(took.iter().any(|time| *time < Duration::from_secs(1)), "{took:?}");
}

#[test]
fn the_end_of_the_input_ends_the_server() {
    ends_at_once(Server::close_input);
}

#[test]
fn signals_end_the_server() {
    for kind in [Signal::INT, Signal::TERM] {
        ends_at_once(|server| signal(&server.child, kind));
    }
}

#[test]
fn signals_end_a_server_that_nobody_has_spoken_to() {
    let mut server = Server::start(&mut handeye());
    server.send_line(b"");
    // The signal must not come before the handler: wait until the process reads its input, which it has emptied then.
    let started = Instant::now();
    while !handles(server.child.id(), Signal::TERM) {
        assert!(started.elapsed() < PATIENCE, "no handler for SIGTERM");
        std::thread::sleep(Duration::from_millis(1));
    }
    signal(&server.child, Signal::TERM);
    assert_eq!(wait_for_end(&mut server.child, PATIENCE).code(), Some(0));
}

/// Whether the process has a handler for the signal, as the kernel reports it.
fn handles(pid: u32, signal: Signal) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the process is there");
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask");
    let mask = u64::from_str_radix(caught.trim(), 16).expect("hexadecimal");
    mask & (1 << (signal.as_raw() - 1)) != 0
}

#[test]
fn a_hung_call_delays_no_other_and_ends_when_it_is_cancelled() {
    let bus = SilentBus::new();
    let (mut server, hung) = with_hung_call(&bus);
    let started = Instant::now();
    for _ in 0..20 {
        assert_eq!(server.call("ax_click", json!({}))["isError"], true);
    }
    println!("20 calls beside a hung one: {:?}", started.elapsed());
    server
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": hung}}));
    assert!(server.is_silent_for(Duration::from_millis(300)), "a cancelled request gets no answer");
    server.assert_alive();
}

#[test]
fn a_private_desktop_begins_and_ends_with_its_server() {
    let base = tempfile::TempDir::new().expect("a folder");
    let folder = base.path().join("shots").display().to_string();
    let mut server = Server::start_with(
        &mut handeye(),
        &[
            "--desktop",
            "private",
            "--size",
            "800x600",
            "--image-responses",
            "inline",
            "--screenshot-dir",
            &folder,
        ],
    );
    let call = json!({"name": "ax_screenshot", "arguments": {}, "_meta": modern()});
    let picture = server.ask("tools/call", call)["result"].clone();
    assert_eq!(picture["structuredContent"]["size"], json!([800, 600]), "{picture}");
    assert_eq!(picture["content"][1]["type"], "image", "the flags reach the server inside");
    let saved = picture["structuredContent"]["path"].as_str().expect("a path");
    assert!(saved.starts_with(&folder) && std::path::Path::new(saved).is_file(), "{saved}");
    server.close_input();
    assert_eq!(wait_for_end(&mut server.child, PATIENCE).code(), Some(0));
}
