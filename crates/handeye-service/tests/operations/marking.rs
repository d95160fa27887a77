//! Which elements get a mark.

use crate::bench::{Bench, FakeApp, Manners};
use handeye_core::Detail;
use handeye_core::{ErrorCode, Extents, Place, Rect, Role, States, Window, WindowId};
use handeye_ops::marked::{Marked, collect};
use handeye_shots::Subject;
use serde_json::json;
use std::sync::{Arc, PoisonError};

const SCREEN: Rect = Rect::new(0, 0, 1920, 1080);

fn own_window(app: &FakeApp) -> Window {
    app.windows.lock().unwrap_or_else(PoisonError::into_inner)[0].clone()
}

async fn on_screen(bench: &Bench) -> Marked {
    collect(&bench.engine, Subject::Screen, Some(SCREEN)).await.expect("marks")
}

fn lines(marked: &Marked) -> Vec<String> {
    marked.marks().iter().map(|mark| format!("{} {}", mark.reference, mark.line)).collect()
}

#[tokio::test(start_paused = true)]
async fn what_can_be_acted_on_is_marked_with_a_reference_that_works() {
    let (app, [_, text, off, _]) = FakeApp::simple(
        "Editor",
        7,
        [(Role::CheckBox, "Wrap"), (Role::Text, "A label"), (Role::Button, "Off"), (Role::TextBox, "Name")],
    );
    app.edit(off, |node| node.states.remove(States::ENABLED));
    assert!(app.node(text).is_some());
    let bench = Bench::with([Arc::clone(&app)]);
    let marked = on_screen(&bench).await;
    assert_eq!(lines(&marked), ["e1 checkbox \"Wrap\"", "e2 textbox \"Name\""]);
    assert_eq!(marked.groups[0].0, "Editor (pid 7)");
    assert_eq!(marked.marks()[0].area, Extents::OnScreen(Rect::new(110, 110, 100, 18)));
    let answer = bench.call("ax_click", json!({"app": "7", "query": "e1"})).await.expect("clicked");
    assert_eq!(answer.fields["effect"]["status"], "confirmed");
    // The same element has the same name in the next picture.
    assert_eq!(lines(&on_screen(&bench).await)[0], "e1 checkbox \"Wrap\" [checked]");
}

#[tokio::test(start_paused = true)]
async fn what_another_window_covers_is_marked_in_a_picture_of_its_own_window_only() {
    let (upper, [_]) = FakeApp::simple("Upper", 6, [(Role::Button, "Above")]);
    let (lower, [_, wide]) = FakeApp::simple("Lower", 7, [(Role::Button, "Below"), (Role::TextBox, "Wide")]);
    // It reaches out to the right of the window above.
    lower.edit(wide, |node| {
        node.details.extents = Detail::Known(Extents::OnScreen(Rect::new(110, 130, 380, 18)));
    });
    upper.move_by(-120, 0);
    let bench = Bench::with([Arc::clone(&upper), Arc::clone(&lower)]);
    let marked = on_screen(&bench).await;
    assert_eq!(lines(&marked), ["e1 button \"Above\"", "e2 textbox \"Wide\""]);
    assert_eq!(
        marked.marks()[1].area,
        Extents::OnScreen(Rect::new(380, 130, 110, 18)),
        "the part that is seen"
    );
    let window = own_window(&lower);
    let marked = collect(&bench.engine, Subject::Window(window.id), window.frame()).await.expect("marks");
    assert_eq!(lines(&marked), ["e3 button \"Below\"", "e2 textbox \"Wide\""]);
    let part = Rect::new(100, 100, 400, 28);
    let marked = collect(&bench.engine, Subject::Window(window.id), Some(part)).await.expect("marks");
    assert_eq!(lines(&marked), ["e3 button \"Below\""]);
}

#[tokio::test(start_paused = true)]
async fn an_open_menu_is_marked_where_it_hangs() {
    let (app, [bar, covered]) =
        FakeApp::simple("Editor", 7, [(Role::MenuBar, ""), (Role::Button, "Covered")]);
    let menu = app.add(bar, Role::Menu, "File");
    let quit = app.add(menu, Role::MenuItem, "Quit");
    let set = |id, area| app.edit(id, |node| node.details.extents = Detail::Known(Extents::OnScreen(area)));
    set(bar, Rect::new(100, 100, 400, 20));
    set(menu, Rect::new(100, 100, 40, 20));
    set(quit, Rect::new(100, 130, 90, 18));
    set(covered, Rect::new(100, 130, 90, 18));
    let bench = Bench::with([Arc::clone(&app)]);
    let mut popup = own_window(&app);
    popup.id = WindowId::issued(9_999);
    popup.place = Some(Place::bare(Rect::new(90, 125, 120, 60)));
    bench.desktop.popups.lock().expect("no panic").push(popup);
    assert_eq!(lines(&on_screen(&bench).await), ["e1 menu \"File\"", "e2 menuitem \"Quit\""]);
}

#[tokio::test(start_paused = true)]
async fn too_many_are_left_out_and_counted_cells_first() {
    let app = FakeApp::new("Sheet", 7, Manners::Complete);
    let window = app.open_window("Sheet");
    for number in 0..8_i32 {
        let button = app.add(window, Role::Button, &format!("B{number}"));
        app.edit(button, |node| {
            node.details.extents =
                Detail::Known(Extents::OnScreen(Rect::new(110 + number * 40, 110, 30, 18)));
        });
    }
    for number in 0..200_i32 {
        let cell = app.add(window, Role::Cell, &format!("C{number}"));
        app.edit(cell, |node| {
            node.states.insert(States::SELECTABLE);
            node.details.extents = Detail::Known(Extents::OnScreen(Rect::new(
                110 + number % 20 * 18,
                140 + number / 20 * 20,
                18,
                18,
            )));
        });
    }
    let bench = Bench::with([Arc::clone(&app)]);
    let marked = on_screen(&bench).await;
    assert_eq!((marked.marks().len(), marked.left_out), (8, 200));
    assert!(marked.list().contains("200 more are not marked"), "{}", marked.list());
    let few = Rect::new(100, 100, 400, 110);
    let marked = collect(&bench.engine, Subject::Screen, Some(few)).await.expect("marks");
    assert_eq!((marked.marks().len(), marked.left_out), (88, 0), "all rows that the region shows");
}

#[tokio::test(start_paused = true)]
async fn an_application_that_does_not_answer_costs_its_own_marks_only() {
    let (hung, [_]) = FakeApp::simple("Hung", 6, [(Role::Button, "Lost")]);
    let (app, [_]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go")]);
    hung.move_by(500, 0);
    let bench = Bench::with([Arc::clone(&hung), Arc::clone(&app)]);
    let mut treeless = own_window(&app);
    (treeless.id, treeless.pid) = (WindowId::issued(77), Some(99));
    treeless.place = Some(Place::bare(Rect::new(1000, 500, 200, 200)));
    bench.desktop.add_treeless("xterm", 99);
    bench.desktop.popups.lock().expect("no panic").push(treeless);
    hung.hang();
    let answer = bench.call("ax_screenshot", json!({"annotate": true})).await.expect("a picture");
    assert!(answer.text.contains("Marks: 1.") && answer.text.contains("e1 button \"Go\""), "{}", answer.text);
    assert!(answer.text.contains("No marks: 'xterm' shows no accessibility tree"), "{}", answer.text);
    assert!(answer.text.contains("does not answer"), "{}", answer.text);
    bench.fails("ax_click", json!({"app": "Hung", "query": "Lost"}), ErrorCode::AppNotResponding).await;
}
