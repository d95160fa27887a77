//! Operations that only look, and what a model pays for the list of tools.

use crate::bench::{Bench, FakeApp};
use handeye_core::Detail;
use handeye_core::{Abilities, ErrorCode, Extents, Rect, Role, States};
use handeye_service::registry;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn every_look_answers() {
    let (app, [_, field]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go"), (Role::TextBox, "Name")]);
    app.set_text(field, "Ada");
    let bench = Bench::with([app]);
    let check = bench.call("ax_is_accessible", json!({})).await.expect("a status");
    assert_eq!(check.fields["enabled"], true);
    let apps = bench.call("ax_list_apps", json!({})).await.expect("a list");
    assert_eq!(apps.fields["apps"][0]["name"], "Editor");
    let windows = bench.call("ax_list_windows", json!({"app": "Editor"})).await.expect("a list");
    assert_eq!(windows.fields["windows"][0]["position"], json!([100, 100]));
    let tree = bench.call("ax_get_tree", json!({"app": "Editor"})).await.expect("a tree");
    assert!(tree.text.contains("button \"Go\" [ref=e"), "{}", tree.text);
    let value = bench.call("ax_get_value", json!({"app": "Editor", "query": "Name"})).await.expect("a value");
    assert_eq!(value.fields["value"], "Ada");
    let attributes =
        bench.call("ax_get_attributes", json!({"app": "Editor", "query": "Go"})).await.expect("a map");
    assert_eq!(attributes.fields["attributes"]["name"], "Go");
    let found = bench.call("ax_find", json!({"app": "Editor", "query": "Go"})).await.expect("a button");
    assert_eq!(found.fields["found"], true);
    assert_eq!(found.fields["position"], json!([110, 110]));
}

#[tokio::test(start_paused = true)]
async fn a_search_for_all_of_a_kind_lists_them() {
    let (app, _) = FakeApp::simple("Editor", 7, [(Role::CheckBox, "Read"); 23]);
    let bench = Bench::with([app]);
    let found =
        bench.call("ax_find", json!({"app": "Editor", "query": "checkbox"})).await.expect("the first");
    assert_eq!(found.fields["matches"], 23);
    let listed = found.text.lines().filter(|line| line.starts_with("- checkbox \"Read\" [ref=e")).count();
    assert_eq!(listed, 19, "{}", found.text);
    assert!(found.text.ends_with("… 3 more: '#21' after the query means the next"), "{}", found.text);
    let next = json!({"app": "Editor", "query": "checkbox #21"});
    bench.call("ax_find", next).await.expect("there is a 21st");
}

#[tokio::test(start_paused = true)]
async fn a_cell_is_called_by_the_cells_in_it_in_answers_too() {
    let (app, [files, other]) =
        FakeApp::simple("Tagger", 7, [(Role::TreeGrid, "Folders"), (Role::Table, "Files")]);
    let row = app.add(files, Role::Cell, "");
    let picture = app.add(row, Role::Cell, "");
    let words = app.add(row, Role::Cell, "Music");
    let plain = app.add(other, Role::Cell, "Music");
    app.edit(picture, |node| node.abilities.insert(Abilities::IMAGE));
    app.edit(words, |node| node.abilities.insert(Abilities::TEXT));
    app.edit(plain, |node| node.abilities.insert(Abilities::TEXT | Abilities::ACTION));
    app.edit(row, |node| node.abilities.insert(Abilities::ACTION));
    let bench = Bench::with([app]);
    let query = json!({"app": "Tagger", "query": "cell \"Music\""});
    let found = bench.call("ax_find", query.clone()).await.expect("two cells");
    assert_eq!(found.fields["matches"], 2, "{}", found.text);
    assert_eq!(found.text.matches("cell \"Music\" [ref=").count(), 2, "{}", found.text);
    // Several of one name are no reason to refuse.
    bench.call("ax_click", query).await.expect("a click on the first");
}

#[tokio::test(start_paused = true)]
async fn a_search_reports_what_it_has_not_looked_through() {
    let (app, [list]) = FakeApp::simple("Editor", 7, [(Role::List, "Files")]);
    let bench = Bench::with([Arc::clone(&app)]);
    let arguments = json!({"app": "Editor", "query": "button \"Nowhere\""});
    let error = bench.fails("ax_find", arguments.clone(), ErrorCode::ElementNotFound).await;
    assert!(!error.message.contains("not searched"), "{}", error.message);
    app.edit(list, |node| node.child_count = 5000);
    let error = bench.fails("ax_find", arguments, ErrorCode::ElementNotFound).await;
    let expected = "; 5000 elements that are not in view were not searched, in list \"Files\"";
    assert!(error.message.ends_with(expected), "{}", error.message);
    assert!(error.next.is_some_and(|next| next.to_string().contains("brings other elements into view")));
}

#[tokio::test(start_paused = true)]
async fn a_second_look_reports_only_what_changed() {
    let (app, [_, field]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go"), (Role::TextBox, "Name")]);
    app.set_text(field, "Ada");
    let bench = Bench::with([Arc::clone(&app)]);
    let first = bench.call("ax_get_tree", json!({"app": "Editor"})).await.expect("a tree");
    let since = first.fields["look"].clone();
    let second = bench.call("ax_get_tree", json!({"app": "Editor", "since": since})).await.expect("a tree");
    let tokens = tiktoken_rs::o200k_base().expect("the tokenizer").encode_ordinary(&second.text).len();
    assert!(tokens <= 20 && second.text.contains("unchanged"), "{tokens} tokens: {}", second.text);
    app.set_text(field, "Bob");
    let third = bench.call("ax_get_tree", json!({"app": "Editor", "since": since})).await.expect("a tree");
    assert!(third.text.contains("\"Ada\" -> \"Bob\""), "{}", third.text);
    assert!(!third.text.contains("button"), "{}", third.text);
    let unknown = json!({"app": "Editor", "since": "t999"});
    bench.fails("ax_get_tree", unknown, ErrorCode::UnknownReference).await;
}

#[tokio::test]
async fn a_screenshot_is_a_png_of_the_asked_size() {
    let (app, [_]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go")]);
    let bench = Bench::with([app]);
    for (arguments, size) in [
        (json!({"app": "Editor"}), json!([400, 300])),
        (json!({"app": "Editor", "region": {"x": 10, "y": 10, "w": 20, "h": 30}}), json!([20, 30])),
        (json!({}), json!([64, 48])),
    ] {
        let shot = bench.call("ax_screenshot", arguments).await.expect("a picture");
        assert_eq!(shot.fields["size"], size);
        assert!(shot.pictures.is_empty(), "a file is the default");
        let file = std::fs::File::open(shot.fields["path"].as_str().expect("a path")).expect("a file");
        let decoder = png::Decoder::new(std::io::BufReader::new(file));
        let reader = decoder.read_info().expect("a PNG");
        assert_eq!(json!([reader.info().width, reader.info().height]), size);
    }
    let none = json!({"app": "Editor", "window_index": 3});
    let error = bench.fails("ax_screenshot", none, ErrorCode::WindowNotFound).await;
    assert_eq!(error.found, ["0: \"Editor\""]);
    let off = json!({"region": {"x": 9000, "y": 0, "w": 5, "h": 5}});
    bench.fails("ax_screenshot", off, ErrorCode::InvalidParameter).await;
}

#[tokio::test(start_paused = true)]
async fn waiting_ends_when_nothing_is_busy_or_at_its_time() {
    let (app, [_, spinner]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go"), (Role::Group, "Work")]);
    let bench = Bench::with([Arc::clone(&app)]);
    let idle = bench.call("ax_wait_idle", json!({"app": "Editor"})).await.expect("an answer");
    assert_eq!(idle.fields["idle"], true);
    app.edit(spinner, |node| node.states.insert(States::BUSY));
    let busy =
        bench.call("ax_wait_idle", json!({"app": "Editor", "timeout_ms": 800})).await.expect("an answer");
    assert_eq!(busy.fields["idle"], false);
    let later = Arc::clone(&app);
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(400)).await;
        later.edit(spinner, |node| node.states.remove(States::BUSY));
    });
    let done =
        bench.call("ax_wait_idle", json!({"app": "Editor", "timeout_ms": 5000})).await.expect("an answer");
    assert_eq!(done.fields["idle"], true);
    assert!(done.fields["waited_ms"].as_u64().is_some_and(|waited| (400..1500).contains(&waited)));
    for timeout in [json!(-1), json!(70_000), json!("soon")] {
        let arguments = json!({"app": "Editor", "timeout_ms": timeout});
        bench.fails("ax_wait_idle", arguments, ErrorCode::InvalidParameter).await;
    }
}

#[tokio::test(start_paused = true)]
async fn bad_parameters_are_named_one_by_one() {
    let (app, [_]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go")]);
    let bench = Bench::with([app]);
    let arguments = json!({"qurey": "Go", "mode": "backround", "click_type": 3});
    let error = bench.fails("ax_click", arguments, ErrorCode::InvalidParameter).await;
    for part in [
        "'app' is missing",
        "'query' is missing",
        "did you mean 'query'",
        "background, focus",
        "'click_type'",
    ] {
        assert!(error.message.contains(part), "{part}: {}", error.message);
    }
    bench.fails("ax_list_apps", json!({"verbose": true}), ErrorCode::InvalidParameter).await;
    bench
        .fails("ax_find", json!({"app": "Editor", "query": "role:button AND ("}), ErrorCode::InvalidQuery)
        .await;
    bench
        .fails(
            "ax_find",
            json!({"app": "Editor", "query": "[", "strategy": "regex"}),
            ErrorCode::InvalidQuery,
        )
        .await;
    bench.fails("ax_find", json!({"app": " ", "query": "x"}), ErrorCode::InvalidParameter).await;
}

/// The list of tools as a client gets it when nobody chose others.
fn tool_list() -> Value {
    registry::all()
        .iter()
        .filter(|operation| operation.meta().toolset.is_default())
        .map(|operation| {
            let meta = operation.meta();
            let mut tool = json!({
                "name": meta.tool,
                "description": meta.description,
                "inputSchema": operation.input_schema(),
                "annotations": {
                    "title": meta.title,
                    "readOnlyHint": meta.read_only,
                    "destructiveHint": meta.destructive,
                    "idempotentHint": meta.idempotent,
                    "openWorldHint": meta.open_world,
                },
            });
            if meta.output_published {
                // A client gets no required fields: an error has none of them (docs/decisions/0008).
                let mut schema = operation.output_schema();
                if let Some(object) = schema.as_object_mut() {
                    object.remove("required");
                    object.remove("additionalProperties");
                }
                tool["outputSchema"] = schema;
            }
            tool
        })
        .collect()
}

#[test]
fn the_list_of_tools_keeps_its_budget() {
    let tokenizer = tiktoken_rs::o200k_base().expect("the tokenizer");
    let list = tool_list();
    for tool in list.as_array().expect("a list") {
        println!("{:5} {}", tokenizer.encode_ordinary(&tool.to_string()).len(), tool["name"]);
    }
    let tokens = tokenizer.encode_ordinary(&list.to_string()).len();
    println!("{tokens} tokens");
    assert!(tokens <= 4_000, "{tokens} tokens");
    if let Some(path) = std::env::var_os("HANDEYE_TOOL_LIST") {
        std::fs::write(path, serde_json::to_string_pretty(&list).expect("json")).expect("written");
    }
}

#[test]
fn every_tool_of_the_specification_is_there_once() {
    let mut names: Vec<&str> = registry::all().iter().map(|operation| operation.meta().tool).collect();
    let listed = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), listed);
    for operation in registry::all() {
        let schema = operation.input_schema();
        let unknown = operation.parse_json(serde_json::json!({"no_such": 1})).err().expect("it is told");
        assert!(unknown.message.contains("'no_such' is unknown"), "{}", unknown.message);
        assert_eq!(schema["type"], "object");
        assert_eq!(operation.output_schema()["type"], "object");
        operation.command().debug_assert();
    }
}

#[tokio::test(start_paused = true)]
async fn a_look_reports_what_was_recognised_on_request() {
    let (app, [name, password, button]) = FakeApp::simple(
        "Account",
        7,
        [(Role::TextBox, "Name"), (Role::TextBox, "Password"), (Role::Button, "Sign in")],
    );
    app.edit(password, |node| node.states.insert(States::PROTECTED));
    let bench = Bench::with([app]);
    let plain = bench.call("ax_get_tree", json!({"app": "Account"})).await.expect("a tree");
    assert!(
        plain.fields.get("detected_state").is_none() && !plain.text.contains("pattern:"),
        "{}",
        plain.text
    );
    let look = bench.call("ax_get_tree", json!({"app": "Account", "insight": true})).await.expect("a tree");
    let fields = &look.fields;
    assert_eq!(
        (&fields["detected_state"], &fields["detected_pattern"]),
        (&json!("auth_required"), &json!("login_form"))
    );
    assert_ne!((name, password), (password, button));
    let tools: Vec<&Value> =
        fields["suggestions"].as_array().expect("a list").iter().map(|next| &next["tool"]).collect();
    assert_eq!(tools, ["ax_type", "ax_type", "ax_click"]);
    assert!(look.text.contains("pattern: login_form (based on e"), "{}", look.text);
    // What is suggested can be called.
    let next = &fields["suggestions"][0];
    let found =
        bench.call("ax_find", json!({"app": "Account", "query": next["ref"]})).await.expect("an element");
    assert_eq!(found.fields["title"], next["query"]);
}

#[tokio::test(start_paused = true)]
async fn a_picture_of_an_element_is_the_part_of_it_that_is_on_view() {
    let (app, [pane, gone, hidden]) = FakeApp::simple(
        "Editor",
        7,
        [(Role::CheckBox, "Wrap"), (Role::Button, "Scrolled out"), (Role::Button, "Hidden")],
    );
    let size = app.node(pane).and_then(|node| node.details.extents.known().map(Extents::size));
    let size = size.expect("a place");
    app.edit(gone, |node| {
        node.details.extents = Detail::Known(Extents::OnScreen(Rect::new(5000, 5000, 9, 9)));
    });
    app.edit(hidden, |node| node.states.remove(States::SHOWING));
    let bench = Bench::with([Arc::clone(&app)]);
    let shot =
        bench.call("ax_screenshot", json!({"app": "Editor", "query": "Wrap"})).await.expect("a picture");
    assert_eq!(shot.fields["size"], json!([size.width, size.height]));
    assert_eq!(shot.fields["position"], json!([110, 110]));
    assert_eq!(shot.fields["window"], "Editor");
    let arguments = json!({"app": "7", "query": "Wrap", "annotate": true});
    let shot = bench.call("ax_screenshot", arguments).await.expect("a picture");
    assert_eq!(shot.fields["size"], json!([size.width, size.height]));
    for unseen in ["Scrolled out", "Hidden", "No such thing"] {
        let arguments = json!({"app": "Editor", "query": unseen});
        bench.fails("ax_screenshot", arguments, ErrorCode::ElementNotFound).await;
    }
    for other in [json!({"region": {"x": 0, "y": 0, "w": 5, "h": 5}}), json!({"window_index": 1})] {
        let mut arguments = json!({"app": "Editor", "query": "Wrap"});
        arguments.as_object_mut().expect("an object").extend(other.as_object().expect("an object").clone());
        bench.fails("ax_screenshot", arguments, ErrorCode::InvalidParameter).await;
    }
}
