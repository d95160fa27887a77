//! Servers that have no pointer and keyboard for an agent: the reason, and a connection that goes on.

use super::agent_seat::seats;
use super::bed::{Bed, keeper};
use handeye_core::{AgentSeats, ErrorCode, Screen};
use handeye_x11::{X11AgentSeats, X11Desktop};
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use x11rb::protocol::ErrorKind;
use x11rb::protocol::xinput::{
    ConnectionExt as _, HierarchyChange, HierarchyChangeData, HierarchyChangeDataAddMaster,
};
use x11rb::rust_connection::ReplyError;

/// Has the server make pointers until it makes no more; returns how many it made.
fn fill(bed: &Bed) -> usize {
    let (connection, _) = x11rb::connect(Some(&bed.display)).expect("the server answers");
    connection.xinput_xi_query_version(2, 2).expect("sent").reply().expect("known");
    for made in 0..300 {
        let name = b"filler".to_vec();
        let add = HierarchyChangeDataAddMaster { send_core: true, enable: true, name };
        let change = HierarchyChange { len: 4, data: HierarchyChangeData::AddMaster(add) };
        match connection.xinput_xi_change_hierarchy(&[change]).expect("sent").check() {
            Ok(()) => {}
            Err(ReplyError::X11Error(error)) if error.error_kind == ErrorKind::Alloc => return made,
            Err(other) => panic!("{other}"),
        }
    }
    panic!("the server makes pointers without an end");
}

/// A display whose clients talk to the server of a bed, which seems not to have a certain extension.
struct Veiled {
    display: String,
    path: PathBuf,
}

impl Drop for Veiled {
    fn drop(&mut self) {
        std::fs::remove_file(&self.path).expect("the socket is there");
    }
}

fn without_extension(bed: &Bed, name: &'static [u8]) -> Veiled {
    let number = bed.display.trim_start_matches(':');
    let server = format!("/tmp/.X11-unix/X{number}");
    // Far above the numbers that servers take by themselves, and below 59,536, the first without a port.
    let own = 40_000 + std::process::id() % 19_000;
    let path = PathBuf::from(format!("/tmp/.X11-unix/X{own}"));
    let listener = UnixListener::bind(&path).expect("the name is free");
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let client = client.expect("a client");
            let server = UnixStream::connect(&server).expect("the server listens");
            let (from_server, to_client) =
                (server.try_clone().expect("cloned"), client.try_clone().expect("cloned"));
            std::thread::spawn(move || pass_on(client, server, |bytes| conceal(bytes, name)));
            std::thread::spawn(move || pass_on(from_server, to_client, |_| {}));
        }
    });
    Veiled { display: format!(":{own}"), path }
}

/// Passes on what is read, changed, until one of the two ends.
fn pass_on(mut from: UnixStream, mut to: UnixStream, change: impl Fn(&mut [u8])) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        change(&mut buffer[..length]);
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        // The other thread of the pair may have ended it.
        let _ended = stream.shutdown(std::net::Shutdown::Both);
    }
}

/// Has a request ask for an extension that no server has.
fn conceal(bytes: &mut [u8], name: &[u8]) {
    while let Some(at) = bytes.windows(name.len()).position(|part| part == name) {
        bytes[at] = b'_';
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_makes_no_further_pointer_is_reported() {
    let bed = Bed::managed();
    assert!(fill(&bed) > 1);
    for _ in 0..2 {
        let error = seats(&bed).check().await.expect_err("there is no room");
        assert_eq!(error.code, ErrorCode::TooLarge, "{error}");
        assert!(error.message.contains("no further pointer"), "{error}");
    }
    bed.desktop().windows().await.expect("the server goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_the_extension_for_several_pointers_is_reported() {
    let bed = Bed::managed();
    let veiled = without_extension(&bed, b"XInputExtension");
    let agents = X11AgentSeats::new(Some(veiled.display.clone()), keeper());
    let error = agents.check().await.expect_err("there is one pointer only");
    assert_eq!(error.code, ErrorCode::InputUnavailable, "{error}");
    assert!(error.message.contains("does not speak XInput 2.2"), "{error}");
    // What needs no pointer of an agent works there.
    X11Desktop::new(Some(veiled.display.clone()), keeper()).windows().await.expect("listed");
}
