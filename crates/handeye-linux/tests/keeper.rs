//! The keeper process: what is held on the seat is released when the process that held it ends.
//!
//! The example `private-desktop` is the keeper here, as `handeye` is in the product.

use handeye_linux::Keeper;
use handeye_x11::{Held, SeatKeeper};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt as _, KEY_PRESS_EVENT};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

const PATIENCE: Duration = Duration::from_secs(60);
/// The key of the letter A on a PC keyboard.
const KEY: u8 = 38;

/// An X server that ends with the test.
struct Server {
    display: String,
    process: Child,
}

impl Server {
    fn start() -> Self {
        let mut process = Command::new("Xvfb")
            .args(["-displayfd", "1", "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts");
        let mut number = String::new();
        let output = process.stdout.take().expect("its output is piped");
        BufReader::new(output).read_line(&mut number).expect("the server names its display");
        Self { display: format!(":{}", number.trim()), process }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for step in [self.process.kill(), self.process.wait().map(drop)] {
            if let Err(error) = step {
                eprintln!("the X server could not be ended: {error}");
            }
        }
    }
}

/// The example's executable, which cargo builds before these tests, beside them.
fn example() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its executable");
    let build = test.parent().and_then(Path::parent).expect("it lies in target/PROFILE/deps");
    build.join("examples/private-desktop")
}

fn is_pressed(connection: &RustConnection) -> bool {
    let keys = connection.query_keymap().expect("sent").reply().expect("answered").keys;
    keys[usize::from(KEY / 8)] & (1 << (KEY % 8)) != 0
}

#[test]
fn a_key_that_is_held_is_released_when_its_process_ends() {
    let server = Server::start();
    let (connection, _) = x11rb::connect(Some(&server.display)).expect("the server lets the test in");
    let keeper = Keeper::run_by(example());
    let held = Held { display: Some(server.display.clone()), keys: vec![KEY], ..Held::default() };
    keeper.hold(&held).expect("the keeper has it");
    connection.xtest_fake_input(KEY_PRESS_EVENT, KEY, 0, x11rb::NONE, 0, 0, 0).expect("sent");
    connection.flush().expect("sent");
    assert!(is_pressed(&connection));
    // What ends with the process is its end of the socket.
    drop(keeper);
    let until = Instant::now() + PATIENCE;
    while is_pressed(&connection) {
        assert!(Instant::now() < until, "the key stays pressed");
        std::thread::sleep(Duration::from_millis(10));
    }
}
