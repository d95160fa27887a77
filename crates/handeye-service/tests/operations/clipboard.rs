//! The clipboard, and the session.

use crate::bench::{Bench, FakeApp};
use handeye_call::call::{Call, Offered};
use handeye_call::outcome::Verdict;
use handeye_call::reader::Reader;
use handeye_core::{ClipboardCapabilities, Clipping, Copied, ErrorCode, Role, Support};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tokio_util::sync::CancellationToken;

fn write(more: Value) -> Value {
    with("write", more)
}

fn read(more: Value) -> Value {
    with("read", more)
}

fn with(action: &str, mut more: Value) -> Value {
    more["action"] = action.into();
    more
}

/// A small picture, as PNG.
fn png() -> Vec<u8> {
    let frame = handeye_core::Frame::unplaced(handeye_core::Size::new(3, 2), vec![200; 18]);
    handeye_picture::encode(&frame, handeye_picture::Format::Png).expect("encoded").bytes
}

#[tokio::test(start_paused = true)]
async fn what_is_written_is_all_that_was_passed() {
    let bench = Bench::with([]);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.png");
    std::fs::write(&file, png()).expect("written");
    let path = file.display().to_string();
    let all = json!({"text": "t", "html": "<b>t</b>", "files": [path, "file:///b"], "path": path});
    let answer = bench.call("ax_clipboard", write(all)).await.expect("copied");
    assert_eq!(answer.fields, json!({"success": true}));
    assert!(answer.text.starts_with("Copied 1 characters of text, 8 characters of HTML, a picture of "));
    let copied = bench.desktop.written.lock().expect("no panic").clone().expect("something");
    assert_eq!((copied.text.as_deref(), copied.html.as_deref()), (Some("t"), Some("<b>t</b>")));
    assert_eq!(copied.png, Some(png()));
    assert_eq!(copied.files, [format!("file://{path}"), "file:///b".into()]);
    bench.call("ax_clipboard", write(json!({"text": ""}))).await.expect("an empty text is one");
    assert_eq!(bench.desktop.written.lock().expect("no panic").clone(), Some(Copied::text("")));
}

#[tokio::test(start_paused = true)]
async fn each_form_is_read_and_what_is_not_there_is_a_no() {
    let bench = Bench::with([]);
    let answer = bench.call("ax_clipboard", read(json!({}))).await.expect("read");
    assert_eq!(
        (answer.fields, answer.verdict),
        (json!({"success": false}), Verdict::No(ErrorCode::ElementNotFound))
    );
    bench.desktop.copy(Clipping {
        text: Some("abc".into()),
        png: Some(png()),
        formats: vec!["UTF8_STRING".into(), "evil\nname".into()],
        ..Clipping::default()
    });
    let answer = bench.call("ax_clipboard", read(json!({}))).await.expect("read");
    assert_eq!(
        answer.fields,
        json!({"success": true, "text": "abc", "formats": ["UTF8_STRING", "evil name"]})
    );
    let answer = bench.call("ax_clipboard", read(json!({"format": "files"}))).await.expect("read");
    assert_eq!(answer.text, "The clipboard does not have a list of files. It has: UTF8_STRING, evil name");
    let answer = bench.call("ax_clipboard", read(json!({"format": "png"}))).await.expect("read");
    let path = answer.fields["path"].as_str().expect("a file");
    assert!(std::fs::read(path).expect("there").starts_with(b"\x89PNG"));
    assert!(answer.text.starts_with("A picture of 3x2 pixels, saved to "));
}

#[tokio::test(start_paused = true)]
async fn a_password_is_not_read() {
    let bench = Bench::with([]);
    bench.desktop.copy(Clipping { text: Some("hunter2".into()), secret: true, ..Clipping::default() });
    for format in ["text", "html", "png", "files"] {
        let error = bench.fails("ax_clipboard", read(json!({"format": format})), ErrorCode::Refused).await;
        assert!(!format!("{error:?}").contains("hunter2"));
    }
}

#[tokio::test(start_paused = true)]
async fn what_does_not_go_together_is_refused_before_anything_is_done() {
    let bench = Bench::with([]);
    for wrong in [
        json!({"action": "paste"}),
        json!({}),
        write(json!({})),
        write(json!({"text": "a", "format": "html"})),
        write(json!({"files": ["/no/such/file"]})),
        write(json!({"files": [""]})),
        write(json!({"text": 7})),
        read(json!({"text": "a"})),
        read(json!({"path": "/tmp/x.png"})),
        read(json!({"format": "gif"})),
    ] {
        bench.fails("ax_clipboard", wrong, ErrorCode::InvalidParameter).await;
    }
    let long = "x".repeat(Clipping::MAX_BYTES + 1);
    bench.fails("ax_clipboard", write(json!({"text": long})), ErrorCode::TooLarge).await;
    let text = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(text.path(), "not a picture").expect("written");
    let path = text.path().display().to_string();
    bench.fails("ax_clipboard", write(json!({"path": path})), ErrorCode::UnsupportedImage).await;
    bench.fails("ax_clipboard", write(json!({"path": "/no/such.png"})), ErrorCode::Io).await;
    assert_eq!(*bench.desktop.written.lock().expect("no panic"), None);
    assert_eq!(bench.desktop.clipboard_reads.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn what_a_clipboard_cannot_do_is_refused_with_the_reason() {
    let bench = Bench::with([]);
    *bench.desktop.clipboard_can.lock().expect("no panic") =
        ClipboardCapabilities { writing: Support::no("nothing keeps it"), ..ClipboardCapabilities::ALL };
    let error = bench.fails("ax_clipboard", write(json!({"text": "a"})), ErrorCode::Refused).await;
    assert_eq!(error.message, "nothing can be copied: nothing keeps it");
    bench.call("ax_clipboard", read(json!({}))).await.expect("read");
}

#[tokio::test(start_paused = true)]
async fn the_session_is_that_of_the_caller() {
    let (app, _) = FakeApp::simple("Editor", 7, [(Role::CheckBox, "Wrap"), (Role::Button, "Go")]);
    let bench = Bench::with([app]);
    let info = bench.call("ax_session_info", json!({})).await.expect("a session").fields;
    assert_eq!((&info["connected_apps"], &info["action_count"]), (&json!([]), &json!(0)));
    assert_eq!((&info["system"], &info["security_mode"]), (&json!("Fake 1"), &json!("normal")));
    for (tool, arguments) in [
        ("ax_set_value", json!({"app": "Editor", "query": "Wrap", "value": "true"})),
        ("ax_click", json!({"app": "Editor", "query": "Go"})),
    ] {
        bench.call(tool, arguments).await.expect("done");
    }
    let call = Call {
        subscriptions: 3,
        offered: Offered { read_only: true, ..Offered::default() },
        ..Call::new(Reader::MODEL, CancellationToken::new())
    };
    let info = bench.call_with("ax_session_info", json!({}), call).await.expect("a session").fields;
    assert_eq!(info["connected_apps"], json!(["Editor"]));
    assert_eq!((&info["action_count"], &info["undo_stack_depth"]), (&json!(2), &json!(1)));
    assert_eq!((&info["subscriptions"], &info["security_mode"]), (&json!(3), &json!("sandboxed")));
    bench.fails("ax_session_info", json!({"app": "Editor"}), ErrorCode::InvalidParameter).await;
}
