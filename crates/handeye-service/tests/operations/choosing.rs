//! Which of two elements is meant, and what a click on it does.

use super::acting::status;
use crate::bench::{Bench, FakeApp, Manners, Reaction};
use handeye_call::outcome::Answer;
use handeye_core::Detail;
use handeye_core::{
    Abilities, ErrorCode, Extents, Node, NodeId, Place, Rect, Role, States, Window, WindowId,
};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// The sentences that stand beside an answer.
fn text_of(answer: &Answer) -> String {
    answer.notes.iter().map(handeye_core::Text::as_str).collect::<Vec<_>>().join(" ")
}

/// Gives an element these actions.
fn with_actions(app: &FakeApp, id: NodeId, names: &[&str]) {
    let names: Vec<Arc<str>> = names.iter().map(|name| Arc::from(*name)).collect();
    app.edit(id, |node: &mut Node| {
        node.abilities |= Abilities::ACTION;
        node.details.actions = Detail::Known(names.into());
    });
}

/// Lets the container of an element select it.
fn make_selectable(app: &FakeApp, id: NodeId) {
    app.edit(id, |node| node.states |= States::SELECTABLE);
    let around = app.node(id).expect("alive").parent.expect("in a container");
    app.edit(around, |node| node.abilities |= Abilities::SELECTION);
}

#[tokio::test(start_paused = true)]
async fn what_nothing_selects_is_not_selected_by_request() {
    let (app, [row]) = FakeApp::simple("Files", 7, [(Role::Cell, "letter.txt")]);
    app.edit(row, |node| node.states |= States::SELECTABLE);
    let bench = Bench::with([Arc::clone(&app)]);
    let error = bench
        .fails(
            "ax_set_value",
            json!({"app": "Files", "query": "letter.txt", "value": "true"}),
            ErrorCode::Refused,
        )
        .await;
    assert!(error.message.contains("nothing that can be set"), "{error}");
    let arguments = json!({"app": "Files", "query": "letter.txt"});
    let error = bench.fails("ax_click", arguments, ErrorCode::Refused).await;
    assert!(error.message.contains("offers no action for a click"), "{error}");
    assert_eq!(app.performed(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_twin_without_an_area_is_left_alone() {
    let (app, [ghost, real]) =
        FakeApp::simple("Editor", 7, [(Role::CheckBox, "Wrap"), (Role::CheckBox, "Wrap")]);
    app.edit(ghost, |node| {
        node.details.extents = Detail::Known(Extents::OnScreen(Rect::new(110, 110, 0, 18)));
    });
    let bench = Bench::with([Arc::clone(&app)]);
    let answer = bench.call("ax_click", json!({"app": "Editor", "query": "Wrap"})).await.expect("clicked");
    assert!(app.node(real).expect("alive").states.contains(States::CHECKED));
    assert!(!app.node(ghost).expect("alive").states.contains(States::CHECKED));
    assert!(!answer.text.contains("equally well"), "{}", answer.text);
}

#[tokio::test(start_paused = true)]
async fn elements_that_match_equally_well_are_read_again_in_one_burst() {
    let (app, _) = FakeApp::simple("Editor", 7, [(Role::CheckBox, "Wrap"), (Role::CheckBox, "Wrap")]);
    let bench = Bench::with([Arc::clone(&app)]);
    let find =
        async || bench.call("ax_find", json!({"app": "Editor", "query": "Wrap"})).await.expect("found");
    find().await;
    let before = app.rereads();
    let answer = find().await;
    assert!(answer.text.contains("2 elements match equally well"), "{}", answer.text);
    assert_eq!(app.rereads() - before, 1);
    // What fits in part is looked for in a fresh tree at once.
    let before = app.rereads();
    bench.call("ax_find", json!({"app": "Editor", "query": "Wra"})).await.expect("found");
    assert_eq!(app.rereads() - before, 1);
}

#[tokio::test(start_paused = true)]
async fn a_rival_that_goes_while_it_is_read_is_no_rival() {
    let (app, [first, second]) =
        FakeApp::simple("Editor", 7, [(Role::CheckBox, "Wrap"), (Role::CheckBox, "Wrap")]);
    let bench = Bench::with([Arc::clone(&app)]);
    bench.call("ax_find", json!({"app": "Editor", "query": "Wrap"})).await.expect("found");
    app.leave_when_read(second);
    let answer = bench.call("ax_find", json!({"app": "Editor", "query": "Wrap"})).await.expect("found");
    assert!(!answer.text.contains("equally well"), "{}", answer.text);
    assert!(app.node(first).is_some() && app.node(second).is_none());
}

#[tokio::test(start_paused = true)]
async fn a_wrapper_without_an_action_is_not_what_is_meant() {
    let app = FakeApp::new("Editor", 7, Manners::Complete);
    let window = app.open_window("Untitled");
    let wrapper = app.add(window, Role::Cell, "Agree");
    let inner = app.add(wrapper, Role::CheckBox, "Agree");
    let bench = Bench::with([Arc::clone(&app)]);
    bench.call("ax_click", json!({"app": "Editor", "query": "Agree"})).await.expect("clicked");
    assert!(app.node(inner).expect("alive").states.contains(States::CHECKED));
}

#[tokio::test(start_paused = true)]
async fn different_names_stay_ambiguous() {
    let (app, [ghost, _]) = FakeApp::simple("Editor", 7, [(Role::Button, "Undo"), (Role::Button, "Undock")]);
    app.edit(ghost, |node| {
        node.details.extents = Detail::Known(Extents::OnScreen(Rect::new(110, 110, 0, 18)));
    });
    let bench = Bench::with([Arc::clone(&app)]);
    bench.fails("ax_click", json!({"app": "Editor", "query": "und"}), ErrorCode::ElementAmbiguous).await;
    assert_eq!(app.performed(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_click_selects_an_item_and_a_double_click_opens_it() {
    let (app, [row]) = FakeApp::simple("Files", 7, [(Role::Cell, "letter.txt")]);
    with_actions(&app, row, &["expand or contract", "edit", "activate"]);
    make_selectable(&app, row);
    let bench = Bench::with([Arc::clone(&app)]);
    let clicked =
        bench.call("ax_click", json!({"app": "Files", "query": "letter.txt"})).await.expect("clicked");
    assert!(app.node(row).expect("alive").states.contains(States::SELECTED));
    assert_eq!(clicked.fields["effect"]["evidence"], "it is selected now");
    assert!(text_of(&clicked).contains("click_type \"double\" opens it"), "{}", text_of(&clicked));
    let arguments = json!({"app": "Files", "query": "letter.txt", "click_type": "double"});
    bench.call("ax_click", arguments).await.expect("opened");
    assert_eq!(app.performed(), 3, "one for the first click, two for the double one");
}

#[tokio::test(start_paused = true)]
async fn a_label_in_a_row_selects_the_row() {
    let app = FakeApp::new("Files", 7, Manners::Complete);
    let window = app.open_window("Files");
    let row = app.add(window, Role::ListItem, "");
    app.add(row, Role::Text, "letter.txt");
    let bench = Bench::with([Arc::clone(&app)]);
    bench.call("ax_click", json!({"app": "Files", "query": "letter.txt"})).await.expect("clicked");
    assert!(app.node(row).expect("alive").states.contains(States::SELECTED));
}

/// An application, and the window of another one that the user is in.
async fn with_user_elsewhere(app: &Arc<FakeApp>) -> Bench {
    let (user, []) = FakeApp::simple("Terminal", 8, []);
    let theirs = user.windows.lock().expect("unpoisoned")[0].id;
    let bench = Bench::with([Arc::clone(app), user]);
    bench.bring_forward(theirs).await.expect("activated");
    bench
}

#[tokio::test(start_paused = true)]
async fn a_menu_is_reported_and_not_opened_while_the_user_is_elsewhere() {
    let app = FakeApp::new("Editor", 7, Manners::Complete);
    let window = app.open_window("Untitled");
    let bar = app.add(window, Role::MenuBar, "");
    let file = app.add(bar, Role::Menu, "File");
    with_actions(&app, file, &["click"]);
    app.add(file, Role::MenuItem, "New");
    app.add(file, Role::MenuItem, "Save As...");
    let bench = with_user_elsewhere(&app).await;
    let error =
        bench.fails("ax_click", json!({"app": "Editor", "query": "menu File"}), ErrorCode::Refused).await;
    assert_eq!(app.performed(), 0);
    assert_eq!(error.found.len(), 2, "{:?}", error.found);
    assert!(error.found[1].contains("Save As..."), "{:?}", error.found);
    let next = error.next.expect("a call that works");
    let reference = next.split("query: \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a query");
    bench.call("ax_click", json!({"app": "Editor", "query": reference})).await.expect("clicked");
    assert_eq!(app.performed(), 1);
    // In its own window nobody else is disturbed.
    let own = app.windows.lock().expect("unpoisoned")[0].id;
    bench.bring_forward(own).await.expect("activated");
    bench.call("ax_click", json!({"app": "Editor", "query": "menu File"})).await.expect("opened");
    assert_eq!(app.performed(), 2);
}

/// A popup of the application with this pid.
fn popup(pid: u32) -> Window {
    Window {
        id: WindowId::issued(u64::from(pid) * 1000),
        title: String::new(),
        class: None,
        pid: Some(pid),
        place: Some(Place::bare(Rect::new(120, 120, 80, 200))),
        stacking: Some(0),
        minimized: false,
        active: false,
        modal: false,
        transient_for: None,
    }
}

/// Has a click on an element open a popup, a moment later.
fn opens_popup(app: &FakeApp, opener: NodeId, bench: &Bench) {
    let desktop = Arc::clone(&bench.desktop);
    let open = move |_: &mut handeye_core::Tree| {
        desktop.popups.lock().expect("unpoisoned").push(popup(7));
    };
    app.react(opener, Reaction::Change(Duration::from_millis(40), Arc::new(open)));
}

#[tokio::test(start_paused = true)]
async fn a_menu_that_opens_all_the_same_is_closed_again() {
    let (app, [tools]) = FakeApp::simple("Editor", 7, [(Role::Button, "Tools")]);
    let bench = with_user_elsewhere(&app).await;
    opens_popup(&app, tools, &bench);
    let answer = bench.call("ax_click", json!({"app": "Editor", "query": "Tools"})).await.expect("clicked");
    assert_eq!(*bench.desktop.dismissed.lock().expect("unpoisoned"), [WindowId::issued(7000)]);
    assert!(text_of(&answer).contains("closed again"), "{}", text_of(&answer));
}

#[tokio::test(start_paused = true)]
async fn a_menu_that_cannot_be_closed_is_reported() {
    let (app, [tools]) = FakeApp::simple("Editor", 7, [(Role::Button, "Tools")]);
    let bench = with_user_elsewhere(&app).await;
    opens_popup(&app, tools, &bench);
    // The user has a menu open too: who holds the keyboard is not sure.
    bench.desktop.popups.lock().expect("unpoisoned").push(popup(8));
    let answer = bench.call("ax_click", json!({"app": "Editor", "query": "Tools"})).await.expect("clicked");
    assert!(bench.desktop.dismissed.lock().expect("unpoisoned").is_empty());
    let text = text_of(&answer);
    assert!(text.contains("still open") && text.contains("key: \"escape\""), "{text}");
}

#[tokio::test(start_paused = true)]
async fn text_without_an_element_goes_into_the_only_text_area() {
    let (app, [_, area]) =
        FakeApp::simple("Editor", 7, [(Role::TextBox, "Search"), (Role::TextBox, "Document")]);
    app.edit(area, |node| node.states |= States::MULTI_LINE);
    let bench = Bench::with([Arc::clone(&app)]);
    let answer = bench.call("ax_type", json!({"app": "Editor", "text": "abc"})).await.expect("typed");
    assert_eq!(answer.fields["effect"]["status"], "confirmed");
    assert_eq!(app.text(area), "abc");
    app.edit(area, |node| node.states.remove(States::MULTI_LINE));
    let error =
        bench.fails("ax_type", json!({"app": "Editor", "text": "abc"}), ErrorCode::ElementNotFound).await;
    assert_eq!(error.found.len(), 2, "{:?}", error.found);
}

#[tokio::test(start_paused = true)]
async fn a_closed_list_reports_its_choice_by_the_option_that_it_shows() {
    let app = FakeApp::new("Browser", 7, Manners::Complete);
    let window = app.open_window("Page");
    let size = app.add(window, Role::ComboBox, "Size");
    let (small, large) = (app.add(size, Role::MenuItem, "Small"), app.add(size, Role::MenuItem, "Large"));
    app.edit(small, |node| node.states.insert(States::SELECTED));
    app.edit(large, |node| node.states.remove(States::SHOWING));
    app.react(
        large,
        Reaction::Change(
            Duration::from_millis(20),
            Arc::new(move |tree| {
                tree.update(small, |node| node.states.remove(States::SELECTED | States::SHOWING));
                tree.update(large, |node| node.states.insert(States::SELECTED | States::SHOWING));
            }),
        ),
    );
    let bench = Bench::with([app]);
    let choose = json!({"app": "Browser", "query": "Size", "value": "Large"});
    let answer = bench.call("ax_set_value", choose).await.expect("chosen");
    assert_eq!(status(&answer), "confirmed", "{}", answer.text);
}

#[tokio::test(start_paused = true)]
async fn a_choice_that_the_combo_box_contradicts_is_a_failure() {
    let app = FakeApp::new("Editor", 7, Manners::Complete);
    let window = app.open_window("Replace");
    // Qt 5 marks the entry of the closed list, and the combo box, which is called as its choice is, stays as it was.
    let mode = app.add(window, Role::ComboBox, "Plain text");
    app.add(mode, Role::ListItem, "Plain text");
    let regular = app.add(mode, Role::ListItem, "Regular expression");
    let bench = Bench::with([Arc::clone(&app)]);
    let arguments = json!({"app": "Editor", "query": "combobox Plain text", "value": "Regular expression"});
    let error = bench.fails("ax_set_value", arguments, ErrorCode::ActionFailed).await;
    assert!(app.node(regular).expect("alive").states.contains(States::SELECTED));
    assert!(error.message.contains("still shows \"Plain text\""), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_cell_takes_no_text_and_says_how_it_is_typed() {
    let (app, [cell]) = FakeApp::simple("Sheet", 7, [(Role::Cell, "B5")]);
    make_selectable(&app, cell);
    let bench = Bench::with([Arc::clone(&app)]);
    let arguments = json!({"app": "Sheet", "query": "cell B5", "value": "=SUM(B2:B4)"});
    let error = bench.fails("ax_set_value", arguments, ErrorCode::Refused).await;
    assert!(error.message.contains("can only be selected in the background"), "{error}");
    assert!(error.next.is_some_and(|next| next.contains("ax_type")), "it says how");
}
