//! `screenshot_app_window` on the platform in memory (mcp-screenshot-mac).

use crate::bench::{Bench, FakeApp};
use async_trait::async_trait;
use handeye_call::outcome::Answer;
use handeye_core::platform::{CaptureTarget, Changes};
use handeye_core::{
    Consent, Error, ErrorCode, Frame, Monitor, Result, Role, Screen, ScreenCapabilities, Window,
};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const TOOL: &str = "screenshot_app_window";

/// What happens to captures of windows.
#[derive(Clone, Copy, PartialEq)]
enum Windows {
    Fail,
    Hang,
}

/// A screen on which windows cannot be captured by their ids.
struct Hindered(Arc<dyn Screen>, Windows);

#[async_trait]
impl Screen for Hindered {
    async fn capabilities(&self) -> Result<ScreenCapabilities> {
        self.0.capabilities().await
    }

    fn consents(&self) -> Vec<Consent> {
        self.0.consents()
    }

    async fn monitors(&self) -> Result<Vec<Monitor>> {
        self.0.monitors().await
    }

    async fn windows(&self) -> Result<Vec<Window>> {
        self.0.windows().await
    }

    async fn shown(&self) -> Result<Vec<Window>> {
        self.0.shown().await
    }

    async fn capture(&self, target: CaptureTarget) -> Result<Frame> {
        match (target, self.1) {
            (CaptureTarget::Window(..), Windows::Fail) => {
                Err(Error::new(ErrorCode::CaptureFailed, "the server keeps no pixels of covered windows"))
            }
            (CaptureTarget::Window(..), Windows::Hang) => std::future::pending().await,
            (target, _) => self.0.capture(target).await,
        }
    }

    fn changes(&self) -> Changes {
        self.0.changes()
    }
}

/// The temporary folder of an answer; it is removed with this.
struct Saved(PathBuf);

impl Saved {
    fn of(answer: &Answer) -> Self {
        Self(answer.fields["path"].as_str().expect("a path").into())
    }
}

impl Drop for Saved {
    fn drop(&mut self) {
        std::fs::remove_dir_all(self.0.parent().expect("a folder")).expect("removed");
    }
}

fn bench() -> Bench {
    let (app, [_]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go")]);
    Bench::with([app])
}

fn hindered(windows: Windows) -> Bench {
    let mut bench = bench();
    bench.engine.desk.platform.screen =
        Arc::new(Hindered(Arc::clone(&bench.engine.desk.platform.screen), windows));
    bench
}

#[tokio::test]
async fn mcp_screenshot_mac_3_the_answer_and_its_file() {
    let answer = bench().call(TOOL, json!({"appName": "Editor"})).await.expect("a picture");
    let saved = Saved::of(&answer);
    let folder = saved.0.parent().expect("a folder");
    assert_eq!(folder.parent(), Some(std::env::temp_dir().as_path()));
    assert!(folder.file_name().expect("a name").to_string_lossy().starts_with("mcp-screenshot-"));
    let fields: Value = serde_json::from_str(&answer.text).expect("JSON");
    assert_eq!(fields, answer.fields, "3.4: the same object twice");
    let mut keys: Vec<&String> = fields.as_object().expect("an object").keys().collect();
    keys.sort();
    assert_eq!(keys, ["appName", "format", "id", "path", "rect", "scale", "uri"]);
    assert_eq!(fields["rect"], json!({"x": 100, "y": 100, "w": 400, "h": 300}));
    assert_eq!(
        (&fields["scale"], &fields["format"], &fields["appName"]),
        (&json!(1.0), &json!("png"), &json!("Editor"))
    );
    assert_eq!(fields["uri"], format!("file://{}", saved.0.display()));
    assert_eq!(answer.links[0].uri, fields["uri"].as_str().expect("a URI"));
    assert!(answer.pictures.is_empty() && answer.notes.is_empty());
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&saved.0).expect("a file")));
    let info = decoder.read_info().expect("a PNG").info().size();
    assert_eq!(info, (400, 300));
}

#[tokio::test]
async fn mcp_screenshot_mac_1_2_a_name_is_required() {
    for arguments in [json!({}), json!({"appName": "", "bundleId": " "})] {
        let error = bench().fails(TOOL, arguments, ErrorCode::InvalidParameter).await;
        assert!(error.message.contains("bundleId") && error.message.contains("appName"), "{error}");
    }
}

#[tokio::test]
async fn mcp_screenshot_mac_2_3_a_window_that_cannot_be_captured_by_id_is_captured_by_its_place() {
    let answer = hindered(Windows::Fail).call(TOOL, json!({"appName": "Editor"})).await.expect("a picture");
    let _saved = Saved::of(&answer);
    assert_eq!(answer.fields["rect"]["w"], 400);
    assert!(answer.notes[0].contains("covered windows"), "{:?}", answer.notes);
    let plain = hindered(Windows::Hang);
    let arguments = json!({"appName": "Editor", "preferWindowId": false});
    let answer = plain.call(TOOL, arguments).await.expect("no capture by id was tried");
    let _saved = Saved::of(&answer);
    assert!(answer.notes.is_empty());
}

#[tokio::test(start_paused = true)]
async fn mcp_screenshot_mac_5_4_one_deadline_over_look_up_and_capture() {
    let bench = hindered(Windows::Hang);
    let begun = tokio::time::Instant::now();
    let arguments = json!({"appName": "Editor", "timeoutMs": 300});
    let error = bench.fails(TOOL, arguments, ErrorCode::Timeout).await;
    assert_eq!(begun.elapsed(), Duration::from_millis(300));
    assert!(error.message.contains("300 ms") && error.message.contains("Editor"), "{error}");
    for bad in [json!(0), json!(-1), json!("1s"), json!(900_000)] {
        let arguments = json!({"appName": "Editor", "timeoutMs": bad});
        bench.fails(TOOL, arguments, ErrorCode::InvalidParameter).await;
    }
}

#[tokio::test]
async fn mcp_screenshot_mac_5_errors_say_what_to_do() {
    let bench = bench();
    let error = bench.fails(TOOL, json!({"appName": "Nobody"}), ErrorCode::AppNotFound).await;
    assert!(error.message.contains("Nobody"), "{error}");
    let error = bench.fails(TOOL, json!({"bundleId": "org.nobody.App"}), ErrorCode::AppNotFound).await;
    assert!(error.message.contains("org.nobody.App"), "{error}");
    let arguments = json!({"appName": "Editor", "windowIndex": 4});
    let error = bench.fails(TOOL, arguments, ErrorCode::WindowNotFound).await;
    assert_eq!(error.found, ["0: \"Editor\""]);
    bench.desktop.add_treeless("Ghost", 99);
    let error = bench.fails(TOOL, json!({"appName": "Ghost"}), ErrorCode::WindowNotFound).await;
    assert!(error.next.expect("advice").contains("Open a window"));
}
