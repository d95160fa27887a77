//! Elements that are not any more what a query or a recording calls them.

use crate::bench::{Bench, FakeApp};
use handeye_core::{ErrorCode, Node, NodeId, Role};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

struct Editor {
    app: Arc<FakeApp>,
    bench: Bench,
    save: NodeId,
}

fn editor() -> Editor {
    let names = ["New", "Open", "Save", "Print", "Find"];
    let (app, ids) = FakeApp::simple("Editor", 7, names.map(|name| (Role::Button, name)));
    let bench = Bench::with([Arc::clone(&app)]);
    Editor { app, bench, save: ids[2] }
}

impl Editor {
    /// The application builds the button again, with another name, in the same place.
    fn rebuild(&self, name: &str) -> NodeId {
        let new = NodeId::mint();
        self.app.change(|tree| {
            let old = tree.get(self.save).expect("it is there").clone();
            let parent = old.parent.expect("it is in a window");
            tree.remove_subtree(self.save);
            let node = Node { id: new, name: name.into(), ..Node::clone(&old) };
            tree.insert(node);
            tree.update(parent, |parent| {
                for child in &mut parent.children {
                    if *child == self.save {
                        *child = new;
                    }
                }
            });
        });
        new
    }
}

fn save() -> Value {
    json!({"app": "Editor", "query": "Save"})
}

#[tokio::test(start_paused = true)]
async fn a_query_still_means_the_button_that_was_built_again_with_another_name() {
    let editor = editor();
    editor.bench.call("ax_find", save()).await.expect("found");
    let new = editor.rebuild("Keep");
    let found = editor.bench.call("ax_find", save()).await.expect("found by what it meant before").fields;
    assert_eq!(found["title"], "Keep", "{found}");
    assert!(found["confidence"].as_f64().is_some_and(|confidence| confidence >= 0.8), "{found}");
    assert!(["xpath", "semantic"].contains(&found["strategy"].as_str().expect("a strategy")), "{found}");
    let clicked = editor.bench.call("ax_click", save()).await.expect("clicked").fields;
    assert_eq!(editor.app.pressed(), [new]);
    assert!(clicked["healed"].as_str().is_some_and(|healed| healed.contains("confidence")), "{clicked}");
}

#[tokio::test(start_paused = true)]
async fn a_query_that_was_never_used_is_not_healed() {
    let editor = editor();
    editor.rebuild("Keep");
    let error = editor.bench.fails("ax_find", save(), ErrorCode::ElementNotFound).await;
    assert!(error.message.contains("tried title_exact, title_contains"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn what_is_gone_is_not_replaced_by_its_neighbour() {
    let editor = editor();
    editor.bench.call("ax_find", save()).await.expect("found");
    editor.app.change(|tree| handeye_core::testing::remove(tree, editor.save));
    editor.bench.fails("ax_find", save(), ErrorCode::ElementNotFound).await;
    editor.bench.fails("ax_click", save(), ErrorCode::ElementNotFound).await;
    assert_eq!(editor.app.performed(), 0);
}

#[tokio::test(start_paused = true)]
async fn no_action_follows_where_the_same_element_has_another_name() {
    let editor = editor();
    editor.bench.call("ax_find", save()).await.expect("found");
    editor.app.edit(editor.save, |node| node.name = "Discard".into());
    let found = editor.bench.call("ax_find", save()).await.expect("looking is harmless").fields;
    assert_eq!(found["title"], "Discard", "{found}");
    let error = editor.bench.fails("ax_click", save(), ErrorCode::ElementNotFound).await;
    assert!(error.found.iter().any(|line| line.contains("Discard")), "{error:?}");
    assert_eq!(editor.app.performed(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_reference_is_healed_by_its_fingerprint() {
    let editor = editor();
    let found = editor.bench.call("ax_find", save()).await.expect("found").fields;
    let new = editor.rebuild("Keep");
    let click = json!({"app": "Editor", "query": found["element_ref"]});
    let clicked = editor.bench.call("ax_click", click).await.expect("clicked").fields;
    assert_eq!(editor.app.pressed(), [new], "{clicked}");
    assert!(clicked["healed"].as_str().is_some_and(|healed| healed.contains("was healed")), "{clicked}");
}

#[tokio::test(start_paused = true)]
async fn a_step_of_a_workflow_is_healed_by_its_locator() {
    let editor = editor();
    let locator = {
        let tree = editor.app.truth();
        handeye_locator::Survey::new(&tree).fingerprint(editor.save).expect("it is there")
    };
    let new = editor.rebuild("Keep");
    let step = json!({"tool": "ax_click", "args": save(), "locator": locator});
    let account =
        editor.bench.call("ax_workflow", json!({"steps": [step]})).await.expect("an account").fields;
    assert_eq!(editor.app.pressed(), [new], "{account}");
    let other = json!({"tool": "ax_click", "args": save()});
    let account =
        editor.bench.call("ax_workflow", json!({"steps": [other]})).await.expect("an account").fields;
    assert!(account.to_string().contains("element_not_found"), "{account}");
}

#[tokio::test(start_paused = true)]
async fn the_element_of_a_recorded_step_is_waited_for() {
    let editor = editor();
    let locator = {
        let tree = editor.app.truth();
        handeye_locator::Survey::new(&tree).fingerprint(editor.save).expect("it is there")
    };
    editor.app.change(|tree| tree.remove_subtree(editor.save));
    let (app, parent) = (Arc::clone(&editor.app), editor.app.truth().windows().next().expect("a window").id);
    let coming = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(4)).await;
        app.add(parent, Role::Button, "Save")
    });
    let steps = json!({"steps": [{"tool": "ax_click", "args": save(), "locator": locator}]});
    let account = editor.bench.call("ax_workflow", steps.clone()).await.expect("an account").fields;
    let new = coming.await.expect("it came");
    assert_eq!(editor.app.pressed(), [new], "{account}");
    editor.app.change(|tree| tree.remove_subtree(new));
    let begun = tokio::time::Instant::now();
    let account = editor.bench.call("ax_workflow", steps).await.expect("an account").fields;
    assert!(account.to_string().contains("element_not_found"), "{account}");
    assert!(begun.elapsed() < Duration::from_secs(15), "it waits without end: {:?}", begun.elapsed());
}
