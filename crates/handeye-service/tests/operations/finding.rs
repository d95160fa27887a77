//! Which application and which element a call means.

use crate::bench::{Bench, FakeApp, Manners};
use handeye_core::{ErrorCode, Role};
use serde_json::json;
use std::sync::Arc;

#[tokio::test(start_paused = true)]
async fn an_unknown_application_lists_those_that_run() {
    let (app, [_]) = FakeApp::simple("Mousepad", 7, [(Role::Button, "Go")]);
    let bench = Bench::with([Arc::clone(&app)]);
    let error = bench.fails("ax_find", json!({"app": "Gimp", "query": "Go"}), ErrorCode::AppNotFound).await;
    assert_eq!(error.found, ["Mousepad (pid 7)"]);
    for tool in ["ax_find", "ax_click"] {
        let slip = bench.fails(tool, json!({"app": "muosepad", "query": "Go"}), ErrorCode::AppNotFound).await;
        assert_eq!(slip.next.as_deref(), Some("Did you mean Mousepad?"), "{tool}");
    }
    assert_eq!(app.performed(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_ambiguous_name_lists_the_candidates() {
    let (one, [_]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go")]);
    let (two, [_]) = FakeApp::simple("Editor", 8, [(Role::Button, "Go")]);
    let bench = Bench::with([one, two]);
    let error =
        bench.fails("ax_click", json!({"app": "editor", "query": "Go"}), ErrorCode::AppAmbiguous).await;
    assert_eq!(error.found.len(), 2);
    assert!(
        error.found[0].contains("pid 7") && error.found[0].contains("window \"Editor\""),
        "{:?}",
        error.found
    );
    bench.call("ax_find", json!({"app": "8", "query": "Go"})).await.expect("a pid is never ambiguous");
}

#[tokio::test(start_paused = true)]
async fn the_frontmost_application_is_that_of_the_active_window() {
    let (one, [_]) = FakeApp::simple("One", 7, [(Role::Button, "Go")]);
    let (two, [_]) = FakeApp::simple("Two", 8, [(Role::Button, "Go")]);
    let bench = Bench::with([one, two]);
    bench.fails("ax_get_tree", json!({"app": "frontmost"}), ErrorCode::AppNotFound).await;
    bench.call("ax_click", json!({"app": "Two", "query": "Go", "mode": "focus"})).await.expect("clicked");
    let tree = bench.call("ax_get_tree", json!({"app": "frontmost"})).await.expect("a tree");
    assert_eq!(tree.fields["app"], "Two");
}

#[tokio::test(start_paused = true)]
async fn an_alias_stands_for_its_application() {
    let (app, [_]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go")]);
    let bench = Bench::with([Arc::clone(&app)]);
    let answer =
        bench.call("ax_connect", json!({"app": "Editor", "alias": "Notes"})).await.expect("connected");
    assert_eq!(answer.fields["connected"], true);
    assert_eq!(answer.fields["windows"], 1);
    bench.call("ax_find", json!({"app": "notes", "query": "Go"})).await.expect("found by the alias");
    bench.fails("ax_connect", json!({"app": "Editor", "alias": "42"}), ErrorCode::InvalidParameter).await;
    app.end();
    bench.fails("ax_find", json!({"app": "notes", "query": "Go"}), ErrorCode::AppNotFound).await;
}

#[tokio::test(start_paused = true)]
async fn an_application_without_a_tree_still_has_windows() {
    let (app, [_]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go")]);
    let bench = Bench::with([app]);
    bench.desktop.add_treeless("Game", 9);
    let error = bench.fails("ax_get_tree", json!({"app": "Game"}), ErrorCode::AppNotAccessible).await;
    assert!(error.message.contains("started without"));
    let windows = bench.call("ax_list_windows", json!({"app": "Game"})).await.expect("no tree is needed");
    assert_eq!(windows.fields["windows"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn a_miss_names_what_comes_near_and_a_silent_toolkit_is_looked_at_again() {
    let app = FakeApp::new("Editor", 7, Manners::Silent);
    let window = app.open_window("Editor");
    app.add(window, Role::Button, "Save as");
    let bench = Bench::with([Arc::clone(&app)]);
    let miss = bench
        .fails("ax_find", json!({"app": "Editor", "query": "Svae as"}), ErrorCode::ElementNotFound)
        .await;
    assert!(miss.found.iter().any(|line| line.contains("Save as")), "{miss:?}");
    app.add(window, Role::Button, "New one");
    bench
        .call("ax_find", json!({"app": "Editor", "query": "New one"}))
        .await
        .expect("found without any event");
}

#[tokio::test(start_paused = true)]
async fn a_reference_names_the_element_until_it_dies_and_then_is_healed() {
    let app = FakeApp::new("Editor", 7, Manners::Complete);
    let window = app.open_window("Editor");
    let save = app.add(window, Role::Button, "Save");
    let bench = Bench::with([Arc::clone(&app)]);
    let found = bench.call("ax_find", json!({"app": "Editor", "query": "Save"})).await.expect("found");
    let reference = found.fields["element_ref"].as_str().expect("a reference").to_owned();
    app.edit(save, |node| node.name = "Save all".into());
    let again = bench.call("ax_find", json!({"app": "Editor", "query": reference})).await.expect("found");
    assert_eq!(again.fields["title"], "Save all");
    let remove = |id| {
        app.change(|tree| {
            tree.update(window, |node| node.children.retain(|child| *child != id));
            tree.remove_subtree(id);
        });
    };
    remove(save);
    app.add(window, Role::Button, "Save all");
    let healed = bench.call("ax_find", json!({"app": "Editor", "query": reference})).await.expect("healed");
    assert!(healed.fields["healed"].is_string(), "{}", healed.fields);
    bench.fails("ax_find", json!({"app": "Editor", "query": "e9999"}), ErrorCode::UnknownReference).await;
}

#[tokio::test(start_paused = true)]
async fn a_reference_belongs_to_its_application() {
    let (one, [_]) = FakeApp::simple("One", 7, [(Role::Button, "Go")]);
    let (two, [_]) = FakeApp::simple("Two", 8, [(Role::Button, "Go")]);
    let bench = Bench::with([one, two]);
    let found = bench.call("ax_find", json!({"app": "One", "query": "Go"})).await.expect("found");
    let error = bench
        .fails(
            "ax_click",
            json!({"app": "Two", "query": found.fields["element_ref"]}),
            ErrorCode::ElementNotFound,
        )
        .await;
    assert!(error.message.contains("another application"));
}

#[tokio::test(start_paused = true)]
async fn a_miss_mentions_menus_whose_items_are_not_known() {
    let app = FakeApp::new("Files", 7, Manners::Complete);
    let window = app.open_window("Home");
    let bar = app.add(window, Role::MenuBar, "");
    let file = app.add(bar, Role::Menu, "File");
    let bench = Bench::with([Arc::clone(&app)]);
    let arguments = json!({"app": "Files", "query": "Create Folder..."});
    let hint = "click the menu first";
    let error = bench.fails("ax_find", arguments.clone(), ErrorCode::ElementNotFound).await;
    assert!(error.next.is_some_and(|next| next.contains(hint)), "the items are not known");
    app.add(file, Role::MenuItem, "Close");
    let error = bench.fails("ax_find", arguments, ErrorCode::ElementNotFound).await;
    assert!(error.next.is_some_and(|next| !next.contains(hint)), "they are");
}
