//! `image` and `list` on a desktop in memory (Peekaboo 1.1.2, sections I.C, II.B and II.C).

use crate::bench::{Bench, FakeApp};
use handeye_core::{ErrorCode, Role};
use handeye_shots::delivery::{Delivery, Responses};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// A desktop with an editor of two windows and a browser with a helper; pictures go to a folder of their own.
fn bench() -> (Bench, Arc<FakeApp>, TempDir) {
    let (editor, [_]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go")]);
    editor.open_window("Letter: Draft");
    let (browser, []) = FakeApp::simple("Firefox", 8, []);
    let mut bench = Bench::with([Arc::clone(&editor), browser]);
    bench.desktop.add_treeless("firefox-gpu-helper", 9);
    let folder = tempfile::tempdir().expect("a folder");
    bench.engine.delivery = Delivery { directory: folder.path().join("shots"), ..Delivery::default() };
    (bench, editor, folder)
}

fn minimize(app: &FakeApp, index: usize) {
    app.windows.lock().expect("not poisoned")[index].minimized = true;
}

/// Kind and size of a picture's file, by its first bytes.
fn probe(path: &str) -> (&'static str, u32, u32) {
    let bytes = std::fs::read(path).expect("a file");
    let format = image::guess_format(&bytes).expect("a picture");
    let decoded = image::load_from_memory(&bytes).expect("a whole picture");
    (format.extensions_str()[0], decoded.width(), decoded.height())
}

fn paths(fields: &Value) -> Vec<String> {
    let files = fields["saved_files"].as_array().expect("a list");
    files.iter().map(|file| file["path"].as_str().expect("a path").to_owned()).collect()
}

#[tokio::test]
async fn a_window_without_a_path_is_inline_png_and_a_file() {
    let (bench, _, folder) = bench();
    let answer =
        bench.call("image", json!({"app_target": "Editor:WINDOW_INDEX:0"})).await.expect("a picture");
    assert_eq!(answer.pictures.len(), 1);
    assert_eq!(answer.pictures[0].mime_type, "image/png");
    let file = &answer.fields["saved_files"][0];
    assert_eq!((&file["item_label"], &file["window_title"]), (&json!("Editor"), &json!("Editor")));
    assert_eq!((&file["window_id"], &file["window_index"]), (&json!(700), &json!(0)));
    assert_eq!((&file["mime_type"], &file["id"]), (&json!("image/png"), &json!("s1")));
    let path = file["path"].as_str().expect("a path");
    assert!(Path::new(path).starts_with(folder.path().join("shots")), "{path}");
    let about = answer.pictures[0].about.as_ref().expect("what it shows");
    assert_eq!(
        *about,
        json!({"item_label": "Editor", "window_title": "Editor", "window_id": 700, "source_path": path, "id": "s1"})
    );
}

#[tokio::test]
async fn every_window_of_an_application_is_a_picture() {
    let (bench, editor, folder) = bench();
    let path = folder.path().join("new folder/of.mine");
    let arguments = json!({"app_target": "editor", "path": format!("{}/", path.display()), "format": "jpg"});
    let answer = bench.call("image", arguments).await.expect("pictures");
    assert!(answer.pictures.is_empty(), "they are in files");
    let saved = paths(&answer.fields);
    assert_eq!(saved.len(), 2);
    for file in &saved {
        assert_eq!(Path::new(file).parent(), Some(path.as_path()));
        assert_eq!(probe(file), ("jpg", 400, 300));
    }
    assert_eq!(answer.fields["saved_files"][1]["mime_type"], "image/jpeg");
    assert_eq!(answer.fields["saved_files"][1]["item_label"], "Letter: Draft");
    minimize(&editor, 1);
    let one = bench.call("image", json!({"app_target": "Editor"})).await.expect("a picture");
    assert_eq!(one.fields["saved_files"].as_array().map(Vec::len), Some(1));
    assert!(one.notes.iter().any(|note| note.contains("minimized")), "{:?}", one.notes);
    minimize(&editor, 0);
    let error = bench.fails("image", json!({"app_target": "Editor"}), ErrorCode::WindowNotFound).await;
    assert!(error.message.contains("no visible window"), "{error:?}");
    let single = json!({"app_target": "Editor:WINDOW_INDEX:0"});
    let error = bench.fails("image", single, ErrorCode::WindowMinimized).await;
    assert!(error.message.contains("it is minimized"), "{error:?}");
}

#[tokio::test]
async fn a_title_may_hold_colons_and_be_a_part() {
    let (bench, _, _folder) = bench();
    for title in ["Letter: Draft", "letter: draft", "Draft"] {
        let target = format!("Editor:WINDOW_TITLE:{title}");
        let answer = bench.call("image", json!({"app_target": target})).await.expect("a picture");
        assert_eq!(answer.fields["saved_files"][0]["window_id"], 701, "{title}");
    }
    let missing = json!({"app_target": "Editor:WINDOW_TITLE:Invoice"});
    let error = bench.fails("image", missing, ErrorCode::WindowNotFound).await;
    assert_eq!(error.found, ["0: \"Editor\"", "1: \"Letter: Draft\""]);
    let beyond = json!({"app_target": "Editor:WINDOW_INDEX:2"});
    let error = bench.fails("image", beyond, ErrorCode::WindowNotFound).await;
    assert!(error.message.contains("the last one is 1"), "{error:?}");
}

#[tokio::test]
async fn a_screen_is_a_file_even_as_data() {
    let (bench, _, folder) = bench();
    let path = folder.path().join("screen.png");
    let arguments = json!({"app_target": "screen:0", "path": path, "format": "data"});
    let answer = bench.call("image", arguments).await.expect("a picture");
    assert!(answer.pictures.is_empty());
    assert!(answer.notes[0].starts_with("Screen captures cannot use format \"data\""), "{:?}", answer.notes);
    let saved = &answer.fields["saved_files"][0];
    assert_eq!((&saved["path"], &saved["item_label"]), (&json!(path), &json!("Display 1 / Main")));
    assert!(saved["window_id"].is_null());
    assert_eq!(probe(&path.display().to_string()), ("png", 1920, 1080));
    let all = bench.call("image", json!({})).await.expect("a picture");
    assert!(all.pictures.is_empty() && all.notes.is_empty());
    assert_eq!(paths(&all.fields).len(), 1);
    let error = bench.fails("image", json!({"app_target": "screen:1"}), ErrorCode::InvalidParameter).await;
    assert_eq!(error.found, ["screen:0: 1920x1080 at (0, 0)"]);
}

#[tokio::test]
async fn data_and_a_path_give_both() {
    let (bench, _, folder) = bench();
    let path = folder.path().join("both.png");
    let arguments = json!({"app_target": "Editor:WINDOW_INDEX:0", "path": path, "format": "data"});
    let answer = bench.call("image", arguments).await.expect("a picture");
    assert_eq!(answer.pictures.len(), 1);
    assert_eq!(paths(&answer.fields), [path.display().to_string()]);
    assert_eq!(answer.fields["saved_files"][0]["mime_type"], "image/png");
}

#[tokio::test]
async fn pictures_are_returned_although_the_path_cannot_be_written() {
    let (bench, _, folder) = bench();
    let file = folder.path().join("file");
    std::fs::write(&file, "no folder").expect("written");
    let arguments =
        |format: &str| json!({"app_target": "Editor", "path": file.join("a.png"), "format": format});
    let answer = bench.call("image", arguments("data")).await.expect("pictures");
    assert_eq!(answer.pictures.len(), 2);
    assert!(answer.notes.iter().any(|note| note.starts_with("Peekaboo Warning:")), "{:?}", answer.notes);
    assert_eq!(answer.fields["saved_files"], json!([]));
    bench.fails("image", arguments("png"), ErrorCode::Io).await;
}

#[tokio::test]
async fn the_extension_chooses_the_format_unless_the_call_does() {
    let (bench, _, folder) = bench();
    let path = folder.path().join("picture.jpg");
    let shoot = |format: Value| {
        let arguments = json!({"app_target": "Editor:WINDOW_INDEX:0", "path": path, "format": format});
        bench.call("image", arguments)
    };
    assert_eq!(
        shoot(Value::Null).await.expect("a picture").fields["saved_files"][0]["mime_type"],
        "image/jpeg"
    );
    assert_eq!(probe(&path.display().to_string()).0, "jpg");
    let png = shoot(json!("png")).await.expect("a picture");
    assert_eq!(png.fields["saved_files"][0]["mime_type"], "image/png");
    assert_eq!(probe(&path.display().to_string()).0, "png");
    assert!(png.notes[0].contains("keeps its extension"), "{:?}", png.notes);
}

#[tokio::test]
async fn the_foreground_is_taken_only_when_asked_for() {
    let (bench, editor, _folder) = bench();
    bench.call("image", json!({"app_target": "Editor"})).await.expect("pictures");
    assert!(bench.desktop.seat_log().is_empty(), "a capture in the background touches nothing");
    let error = bench.fails("image", json!({"app_target": "frontmost"}), ErrorCode::AppNotFound).await;
    assert!(error.next.is_some_and(|next| next.contains("No window is active")));
    let foreground = json!({"app_target": "Editor:WINDOW_INDEX:1", "capture_focus": "foreground"});
    bench.call("image", foreground).await.expect("a picture");
    assert_eq!(bench.desktop.seat_log(), ["activate"]);
    let frontmost = bench.call("image", json!({"app_target": "frontmost"})).await.expect("pictures");
    assert_eq!(frontmost.fields["saved_files"].as_array().map(Vec::len), Some(2));
    drop(editor);
}

#[tokio::test]
async fn a_question_without_a_provider_is_skipped_and_the_file_stays() {
    let (bench, _, folder) = bench();
    let path = folder.path().join("asked.png");
    let arguments = json!({"app_target": "Editor:WINDOW_INDEX:0", "path": path, "question": "What is it?"});
    let answer = bench.call("image", arguments).await.expect("an answer with a failed part");
    assert_eq!(answer.failure.as_ref().map(|error| error.code), Some(ErrorCode::AnalysisUnavailable));
    assert!(answer.pictures.is_empty());
    assert_eq!(paths(&answer.fields), [path.display().to_string()]);
    let text = answer.fields["analysis_text"].as_str().expect("why");
    assert!(text.contains("HANDEYE_AI_PROVIDERS"), "{text}");
    assert!(answer.fields["model_used"].is_null());
    let unsaved = json!({"app_target": "Editor:WINDOW_INDEX:0", "question": "What is it?"});
    let answer = bench.call("image", unsaved).await.expect("an answer with a failed part");
    assert_eq!(answer.fields["saved_files"], json!([]));
    assert!(!folder.path().join("shots").exists(), "nothing is kept");
}

#[tokio::test]
async fn bad_targets_are_reported_with_every_form() {
    let (bench, _, _folder) = bench();
    for target in ["screen:x", "Editor:WINDOW_INDEX:one", ":WINDOW_TITLE:x"] {
        let error = bench.fails("image", json!({"app_target": target}), ErrorCode::InvalidParameter).await;
        assert!(error.next.is_some_and(|next| next.contains("WINDOW_INDEX:0")), "{target}");
    }
    bench.fails("image", json!({"app_target": "Inkscape"}), ErrorCode::AppNotFound).await;
    bench.fails("image", json!({"format": "pdf"}), ErrorCode::InvalidParameter).await;
    let error = bench.fails("image", json!({"app_target": "chrome"}), ErrorCode::AppNotFound).await;
    assert_eq!(error.message, "Chrome browser is not running or not found");
}

#[tokio::test]
async fn list_has_its_two_defaults() {
    let (bench, _, _folder) = bench();
    for arguments in [json!({}), json!({"item_type": ""}), json!({"item_type": "running_applications"})] {
        let answer = bench.call("list", arguments).await.expect("a list");
        let list = answer.fields["application_list"].as_array().expect("a list");
        let named = |name: &str| list.iter().find(|app| app["app_name"] == name).expect("it runs").clone();
        assert_eq!(
            named("Editor"),
            json!({"app_name": "Editor", "bundle_id": "org.example.Editor", "pid": 7, "is_active": false, "window_count": 2})
        );
        assert_eq!(named("firefox-gpu-helper")["bundle_id"], "");
        assert!(answer.fields["window_list"].is_null());
    }
    for arguments in [json!({"app": "Editor"}), json!({"item_type": "", "app": "Editor"})] {
        let answer = bench.call("list", arguments).await.expect("a list");
        assert_eq!(
            answer.fields,
            json!({
                "window_list": [
                    {"window_title": "Editor", "window_index": 0},
                    {"window_title": "Letter: Draft", "window_index": 1}
                ],
                "target_application_info": {"app_name": "Editor", "bundle_id": "org.example.Editor", "pid": 7}
            })
        );
    }
}

#[tokio::test]
async fn list_reports_the_details_that_are_asked_for() {
    let (bench, editor, _folder) = bench();
    minimize(&editor, 0);
    let shown = bench.call("list", json!({"app": "Editor"})).await.expect("a list");
    assert_eq!(shown.fields["window_list"], json!([{"window_title": "Letter: Draft", "window_index": 0}]));
    let arguments = json!({"app": "Editor", "include_window_details": ["ids", "bounds", "off_screen"]});
    let all = bench.call("list", arguments).await.expect("a list");
    let bounds = json!({"x": 100, "y": 100, "w": 400, "h": 300});
    assert_eq!(
        all.fields["window_list"],
        json!([
            {"window_title": "Letter: Draft", "window_id": 701, "window_index": 0, "bounds": bounds, "is_on_screen": true},
            {"window_title": "Editor", "window_id": 700, "window_index": 1, "bounds": bounds, "is_on_screen": false}
        ])
    );
    assert!(all.text.contains("[off screen]"), "{}", all.text);
}

#[tokio::test]
async fn list_refuses_what_does_not_go_together() {
    let (bench, _, _folder) = bench();
    let app = "'app' identifier is required when 'item_type' is 'application_windows'.";
    let details = "'include_window_details' is only applicable when 'item_type' is 'application_windows'.";
    for (arguments, message) in [
        (json!({"item_type": "application_windows"}), app),
        (json!({"item_type": "application_windows", "app": "  "}), app),
        (json!({"include_window_details": ["ids"]}), details),
        (json!({"item_type": "server_status", "include_window_details": ["ids"]}), details),
    ] {
        let error = bench.fails("list", arguments, ErrorCode::InvalidParameter).await;
        assert_eq!(error.message, message);
    }
    let ignored = json!({"item_type": "running_applications", "include_window_details": []});
    bench.call("list", ignored).await.expect("an empty list of details is ignored");
    bench.fails("list", json!({"item_type": "windows"}), ErrorCode::InvalidParameter).await;
    bench.fails("list", json!({"app": "Inkscape"}), ErrorCode::AppNotFound).await;
}

#[tokio::test]
async fn list_reports_the_status_of_the_server() {
    let (bench, _, _folder) = bench();
    let answer = bench.call("list", json!({"item_type": "server_status"})).await.expect("a status");
    assert!(answer.text.contains("--- handeye MCP Server Status ---"), "{}", answer.text);
    assert!(answer.text.contains("None Configured"), "{}", answer.text);
    assert!(answer.fields["application_list"].is_null());
}

#[tokio::test]
async fn several_exact_matches_are_all_captured() {
    let (one, []) = FakeApp::simple("claude", 20, []);
    let (other, []) = FakeApp::simple("Claude", 21, []);
    let mut bench = Bench::with([one, other]);
    let folder = tempfile::tempdir().expect("a folder");
    bench.engine.delivery = Delivery { directory: folder.path().into(), ..Delivery::default() };
    let answer = bench.call("image", json!({"app_target": "CLAUDE"})).await.expect("pictures");
    let ids: Vec<&Value> = answer.fields["saved_files"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|file| &file["window_id"])
        .collect();
    assert_eq!(ids, [&json!(2000), &json!(2100)]);
}

#[tokio::test]
async fn where_answers_only_confirm_there_is_neither_path_nor_picture() {
    let (mut bench, _, folder) = bench();
    bench.engine.delivery.responses = Responses::Omit;
    let answer = bench.call("image", json!({"app_target": "Editor"})).await.expect("pictures");
    assert!(answer.pictures.is_empty());
    assert_eq!(answer.fields["saved_files"], json!([]));
    assert!(!answer.text.contains("page-"), "{}", answer.text);
    assert_eq!(std::fs::read_dir(folder.path().join("shots")).expect("a folder").count(), 2);
    let path = folder.path().join("asked.png");
    let named = json!({"app_target": "Editor:WINDOW_INDEX:0", "path": path});
    let answer = bench.call("image", named).await.expect("a picture");
    assert_eq!(paths(&answer.fields), [path.display().to_string()], "the caller knows this path already");
}

#[tokio::test]
async fn what_can_be_acted_on_is_marked_when_asked_for() {
    let (bench, _, _folder) = bench();
    let target = "Editor:WINDOW_INDEX:0";
    let plain = bench.call("image", json!({"app_target": target})).await.expect("a picture");
    let marked =
        bench.call("image", json!({"app_target": target, "annotate": true})).await.expect("a picture");
    assert_ne!(plain.pictures[0].bytes, marked.pictures[0].bytes, "something is drawn on it");
    let list = marked.notes.iter().map(handeye_core::Text::as_str).collect::<Vec<_>>().join("\n");
    let reference =
        list.split_whitespace().find(|word| word.starts_with('e') && word[1..].parse::<u32>().is_ok());
    let query = reference.expect("a reference");
    let found = bench.call("ax_find", json!({"app": "Editor", "query": query})).await.expect("the button");
    assert_eq!(found.fields["found"], true, "{list}");
    assert!(list.contains(&format!("{query} button \"Go\"")), "{list}");
}
