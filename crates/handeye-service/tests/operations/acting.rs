//! Background actions: what is reported about them is what really happened.

use crate::bench::{Bench, FakeApp, Manners, Reaction, insert};
use handeye_core::Detail;
use handeye_core::{Abilities, ErrorCode, Node, NodeId, Role, States};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

pub(super) fn status(answer: &handeye_call::outcome::Answer) -> &str {
    answer.fields.pointer("/effect/status").and_then(Value::as_str).expect("an effect")
}

pub(super) fn evidence(answer: &handeye_call::outcome::Answer) -> &str {
    answer.fields.pointer("/effect/evidence").and_then(Value::as_str).expect("evidence")
}

#[tokio::test(start_paused = true)]
async fn a_click_is_confirmed_by_what_changed() {
    let (app, [wrap]) = FakeApp::simple("Editor", 7, [(Role::CheckBox, "Wrap lines")]);
    let bench = Bench::with([Arc::clone(&app)]);
    let answer =
        bench.call("ax_click", json!({"app": "editor", "query": "Wrap lines"})).await.expect("clicked");
    assert_eq!(status(&answer), "confirmed");
    assert!(evidence(&answer).contains("is now checked"), "{}", evidence(&answer));
    assert!(app.node(wrap).expect("alive").states.contains(States::CHECKED));
    assert!(bench.desktop.seat_log().is_empty(), "the seat is left alone");
}

#[tokio::test(start_paused = true)]
async fn a_change_that_comes_late_is_still_seen() {
    for manners in [Manners::Complete, Manners::Silent] {
        let app = FakeApp::new("Editor", 7, manners);
        let window = app.open_window("Untitled");
        let open = app.add(window, Role::Button, "Open");
        let dialog = NodeId::mint();
        let appear = move |tree: &mut handeye_core::Tree| {
            let root = tree.root().expect("a root");
            insert(tree, dialog, root, Role::Dialog, "Open file");
        };
        app.react(open, Reaction::Change(Duration::from_millis(300), Arc::new(appear)));
        let bench = Bench::with([Arc::clone(&app)]);
        let answer =
            bench.call("ax_click", json!({"app": "Editor", "query": "Open"})).await.expect("clicked");
        assert_eq!(status(&answer), "confirmed", "{manners:?}");
        assert!(answer.text.contains("Open file"), "{}", answer.text);
    }
}

/// An application of which the first button changes an element as `change` says, a moment after its action was found to have no effect.
fn with_late_effect(change: fn(&mut Node)) -> (Arc<FakeApp>, Bench) {
    let (app, [later, .., text]) = FakeApp::simple(
        "Editor",
        7,
        [(Role::Button, "Later"), (Role::Button, "Nothing"), (Role::Slider, "Volume"), (Role::Text, "one")],
    );
    let late = move |tree: &mut handeye_core::Tree| {
        tree.update(text, change);
    };
    app.react(later, Reaction::Change(Duration::from_millis(900), Arc::new(late)));
    let bench = Bench::with([Arc::clone(&app)]);
    (app, bench)
}

#[tokio::test(start_paused = true)]
async fn a_late_effect_is_not_that_of_a_later_action() {
    for sets_in_between in [false, true] {
        let (_, bench) = with_late_effect(|node| node.name = "two".into());
        bench.call("ax_get_tree", json!({"app": "Editor"})).await.expect("a look");
        tokio::time::sleep(Duration::from_secs(60)).await;
        let later =
            bench.call("ax_click", json!({"app": "Editor", "query": "Later"})).await.expect("clicked");
        assert_eq!(status(&later), "unconfirmed", "{}", later.text);
        if sets_in_between {
            let volume = json!({"app": "Editor", "query": "Volume", "value": "5"});
            let set = bench.call("ax_set_value", volume).await.expect("set");
            assert_eq!(status(&set), "confirmed", "{}", set.text);
        }
        let nothing =
            bench.call("ax_click", json!({"app": "Editor", "query": "Nothing"})).await.expect("clicked");
        assert_eq!(status(&nothing), "unconfirmed", "{}", nothing.text);
    }
}

#[tokio::test(start_paused = true)]
async fn windows_that_could_not_be_listed_before_an_action_did_not_open_with_it() {
    for unlisted in 0..12 {
        let (app, [button]) = FakeApp::simple("Editor", 7, [(Role::Button, "Nothing")]);
        app.react(button, Reaction::Lie);
        let bench = Bench::with([app]);
        bench.call("ax_get_tree", json!({"app": "Editor"})).await.expect("a look");
        bench.desktop.unlisted.store(unlisted, Ordering::SeqCst);
        let answer =
            bench.call("ax_click", json!({"app": "Editor", "query": "Nothing"})).await.expect("clicked");
        assert_eq!(status(&answer), "unconfirmed", "{unlisted} times: {}", answer.text);
    }
}

#[tokio::test(start_paused = true)]
async fn the_target_is_looked_for_after_the_late_effect() {
    let (_, bench) = with_late_effect(|node| node.name = "made by the late effect".into());
    bench.call("ax_click", json!({"app": "Editor", "query": "Later"})).await.expect("clicked");
    let click = json!({"app": "Editor", "query": "made by the late effect", "mode": "focus"});
    bench.call("ax_click", click).await.expect("the target is there by then");
}

#[tokio::test(start_paused = true)]
async fn an_application_that_says_yes_and_does_nothing_is_not_believed() {
    let (app, [button, field, slider]) =
        FakeApp::simple("Liar", 7, [(Role::Button, "Go"), (Role::TextBox, "Name"), (Role::Slider, "Volume")]);
    for id in [button, field, slider] {
        app.react(id, Reaction::Lie);
    }
    let bench = Bench::with([app]);
    let clicked = bench.call("ax_click", json!({"app": "Liar", "query": "Go"})).await.expect("dispatched");
    assert_eq!(status(&clicked), "unconfirmed");
    assert!(clicked.text.contains("mode: \"focus\""), "{}", clicked.text);
    let typed = bench
        .fails(
            "ax_type",
            json!({"app": "Liar", "query": "Name", "text": "swordfish"}),
            ErrorCode::ActionFailed,
        )
        .await;
    assert!(typed.next.as_deref().is_some_and(|next| next.contains("mode: \"focus\"")));
    assert!(!format!("{typed:?}").contains("swordfish"), "typed text stays out of errors");
    bench
        .fails(
            "ax_set_value",
            json!({"app": "Liar", "query": "Volume", "value": "50"}),
            ErrorCode::ActionFailed,
        )
        .await;
}

#[tokio::test(start_paused = true)]
async fn an_application_that_rejects_gives_its_error() {
    let (app, [button]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go")]);
    app.react(button, Reaction::Reject);
    let bench = Bench::with([app]);
    bench.fails("ax_click", json!({"app": "Editor", "query": "Go"}), ErrorCode::ActionFailed).await;
}

#[tokio::test(start_paused = true)]
async fn a_dialog_that_holds_up_the_answer_is_seen_all_the_same() {
    let app = FakeApp::new("Editor", 7, Manners::Complete);
    let window = app.open_window("Untitled");
    let quit = app.add(window, Role::Button, "Quit");
    let dialog = NodeId::mint();
    app.react(
        quit,
        Reaction::ChangeAndHang(Arc::new(move |tree| {
            let root = tree.root().expect("a root");
            insert(tree, dialog, root, Role::Dialog, "Really?");
        })),
    );
    let bench = Bench::with([app]);
    let answer = bench.call("ax_click", json!({"app": "Editor", "query": "Quit"})).await.expect("clicked");
    assert_eq!(status(&answer), "confirmed");
    assert!(evidence(&answer).contains("Really?"), "{}", evidence(&answer));
}

#[tokio::test(start_paused = true)]
async fn what_goes_on_by_itself_proves_nothing() {
    let elements = [(Role::Button, "Go"), (Role::ProgressBar, "Loading"), (Role::Text, "Now 12:59:59")];
    let (app, [button, bar, clock]) = FakeApp::simple("Editor", 7, elements);
    let tick = move |tree: &mut handeye_core::Tree| {
        tree.update(clock, |node| node.name = "Now 1:00:00".into());
        tree.update(bar, |node| {
            if let Detail::Known(value) = &mut node.details.value {
                value.current += 1.0;
            }
        });
    };
    app.react(button, Reaction::Change(Duration::from_millis(50), Arc::new(tick)));
    let bench = Bench::with([Arc::clone(&app)]);
    let answer = bench.call("ax_click", json!({"app": "Editor", "query": "Go"})).await.expect("dispatched");
    assert_eq!(status(&answer), "unconfirmed");
    assert!(evidence(&answer).contains("by itself"), "{}", evidence(&answer));
    let set = move |tree: &mut handeye_core::Tree| {
        tree.update(clock, |node| node.name = "Alarm at 1:00".into());
    };
    app.react(button, Reaction::Change(Duration::from_millis(50), Arc::new(set)));
    let answer = bench.call("ax_click", json!({"app": "Editor", "query": "Go"})).await.expect("dispatched");
    assert_eq!(status(&answer), "confirmed", "{}", answer.text);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_done_in_the_background_is_refused_with_the_call_that_can() {
    let (app, [_, label]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go"), (Role::Text, "Just text")]);
    app.edit(label, |node| node.abilities = Abilities::COMPONENT);
    let bench = Bench::with([Arc::clone(&app)]);
    let refusals = [
        ("ax_click", json!({"app": "Editor", "query": "Just text"})),
        ("ax_click", json!({"app": "Editor", "query": "Go", "click_type": "double"})),
        ("ax_click", json!({"app": "Editor", "query": "Go", "click_type": "right"})),
        ("ax_click_at", json!({"x": 1500, "y": 900})),
        ("ax_type", json!({"app": "Editor", "query": "Go", "text": "x"})),
        ("ax_set_value", json!({"app": "Editor", "query": "Just text", "value": "x"})),
        ("ax_scroll", json!({"app": "Editor", "direction": "down"})),
        ("ax_drag", json!({"app": "Editor", "from_query": "Go", "to_x": 5, "to_y": 5})),
        ("ax_key_press", json!({"app": "Editor", "key": "ctrl+s"})),
        ("ax_key_press", json!({"key": "f5"})),
    ];
    for (tool, arguments) in refusals {
        let error = bench.fails(tool, arguments, ErrorCode::Refused).await;
        assert!(
            error.next.as_deref().is_some_and(|next| next.contains("mode: \"focus\"")),
            "{tool}: {error:?}"
        );
    }
    assert_eq!(app.performed(), 0);
    assert!(bench.desktop.seat_log().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_disabled_element_takes_no_action() {
    let (app, [button]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go")]);
    app.edit(button, |node| node.states.remove(States::ENABLED));
    let bench = Bench::with([Arc::clone(&app)]);
    for mode in ["background", "focus"] {
        let error = bench
            .fails("ax_click", json!({"app": "Editor", "query": "Go", "mode": mode}), ErrorCode::Refused)
            .await;
        assert!(error.message.contains("disabled"));
    }
    assert_eq!(app.performed(), 0);
}

#[tokio::test(start_paused = true)]
async fn named_actions_do_what_a_double_or_right_click_does() {
    let (app, [item]) = FakeApp::simple("Files", 7, [(Role::ListItem, "a.txt")]);
    app.edit(item, |node| {
        node.abilities |= Abilities::ACTION;
        node.details.actions = Detail::Known(["Activate".into(), "Show menu".into()].into());
    });
    app.react(
        item,
        Reaction::Change(
            Duration::ZERO,
            Arc::new(move |tree| {
                tree.update(item, |node| node.states.toggle(States::SELECTED));
            }),
        ),
    );
    let bench = Bench::with([app]);
    for click in ["double", "right"] {
        let answer =
            bench.call("ax_click", json!({"app": "Files", "query": "a.txt", "click_type": click})).await;
        assert_eq!(status(&answer.expect("clicked")), "confirmed", "{click}");
    }
}

#[tokio::test(start_paused = true)]
async fn values_go_where_they_belong_and_are_read_back() {
    let (app, [slider, wrap, name]) = FakeApp::simple(
        "Editor",
        7,
        [(Role::Slider, "Volume"), (Role::CheckBox, "Wrap"), (Role::TextBox, "Name")],
    );
    let bench = Bench::with([Arc::clone(&app)]);
    let set = async |query: &str, value: &str| {
        bench.call("ax_set_value", json!({"app": "Editor", "query": query, "value": value})).await
    };
    assert_eq!(status(&set("Volume", "42").await.expect("set")), "confirmed");
    assert_eq!(app.text(slider), "42");
    assert_eq!(status(&set("Wrap", "true").await.expect("set")), "confirmed");
    assert!(app.node(wrap).expect("alive").states.contains(States::CHECKED));
    let dispatched = app.performed();
    assert_eq!(status(&set("Wrap", "on").await.expect("set")), "confirmed");
    assert_eq!(app.performed(), dispatched, "what is so already needs no action");
    assert_eq!(status(&set("Name", "Ada").await.expect("set")), "confirmed");
    assert_eq!(app.text(name), "Ada");
    for (query, value) in [("Volume", "101"), ("Volume", "loud"), ("Wrap", "perhaps")] {
        let error = set(query, value).await.expect_err("out of range");
        assert_eq!(error.code, ErrorCode::InvalidParameter);
    }
}

#[tokio::test(start_paused = true)]
async fn an_option_is_chosen_by_its_name() {
    let app = FakeApp::new("Editor", 7, Manners::Complete);
    let window = app.open_window("Editor");
    let list = app.add(window, Role::ListBox, "Fonts");
    let (_, serif) = (app.add(list, Role::ListItem, "Sans"), app.add(list, Role::ListItem, "Serif"));
    let bench = Bench::with([Arc::clone(&app)]);
    let answer = bench
        .call("ax_set_value", json!({"app": "Editor", "query": "Fonts", "value": "serif"}))
        .await
        .expect("chosen");
    assert_eq!(status(&answer), "confirmed");
    assert!(app.node(serif).expect("alive").states.contains(States::SELECTED));
    let error = bench
        .fails(
            "ax_set_value",
            json!({"app": "Editor", "query": "Fonts", "value": "Serfi"}),
            ErrorCode::ElementNotFound,
        )
        .await;
    assert_eq!(error.found, ["Sans", "Serif"]);
    assert!(error.next.is_some_and(|next| next.contains("Serif")));
}

#[tokio::test(start_paused = true)]
async fn scrolling_moves_the_scroll_bar() {
    let app = FakeApp::new("Editor", 7, Manners::Complete);
    let window = app.open_window("Editor");
    let pane = app.add(window, Role::Generic, "");
    let (text, bar) = (app.add(pane, Role::TextBox, "Document"), app.add(pane, Role::ScrollBar, ""));
    let bench = Bench::with([Arc::clone(&app)]);
    for arguments in [
        json!({"app": "Editor", "direction": "down", "amount": 10}),
        json!({"app": "Editor", "direction": "down", "amount": 10, "query": "Document"}),
    ] {
        let before: f64 = app.text(bar).parse().expect("a number");
        let answer = bench.call("ax_scroll", arguments).await.expect("scrolled");
        assert_eq!(status(&answer), "confirmed");
        assert!(app.text(bar).parse::<f64>().expect("a number") > before);
    }
    assert!(app.node(text).is_some());
    app.edit(bar, |node| {
        if let Detail::Known(value) = &mut node.details.value {
            value.current = 100.0;
        }
    });
    let answer =
        bench.call("ax_scroll", json!({"app": "Editor", "direction": "down"})).await.expect("answered");
    assert_eq!(status(&answer), "unconfirmed");
    assert!(evidence(&answer).contains("end already"));
}

#[tokio::test(start_paused = true)]
async fn a_key_that_means_the_focused_button_is_delivered() {
    let (app, [wrap]) = FakeApp::simple("Editor", 7, [(Role::CheckBox, "Wrap")]);
    app.edit(wrap, |node| node.states.insert(States::FOCUSED));
    let bench = Bench::with([Arc::clone(&app)]);
    let answer =
        bench.call("ax_key_press", json!({"app": "Editor", "key": "space"})).await.expect("delivered");
    assert_eq!(status(&answer), "confirmed");
    assert!(bench.desktop.seat_log().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_point_is_clicked_by_the_element_there() {
    let (app, [wrap]) = FakeApp::simple("Editor", 7, [(Role::CheckBox, "Wrap")]);
    let middle = app
        .node(wrap)
        .and_then(|node| node.details.extents.known()?.on_screen(None))
        .expect("a place")
        .center();
    let bench = Bench::with([Arc::clone(&app)]);
    let answer = bench.call("ax_click_at", json!({"x": middle.x, "y": middle.y})).await.expect("clicked");
    assert_eq!(status(&answer), "confirmed");
    assert!(bench.desktop.seat_log().is_empty());
    let error = bench.fails("ax_click_at", json!({"x": -50, "y": 99999}), ErrorCode::InvalidParameter).await;
    assert!(error.found.iter().any(|line| line.contains("FAKE")));
}

#[tokio::test(start_paused = true)]
async fn a_click_on_a_text_field_never_takes_the_focus_from_another_window() {
    let (app, [field]) = FakeApp::simple("Editor", 7, [(Role::TextBox, "Name")]);
    let bench = Bench::with([Arc::clone(&app)]);
    let click = json!({"app": "Editor", "query": "Name"});
    let error = bench.fails("ax_click", click.clone(), ErrorCode::Refused).await;
    assert!(error.next.is_some_and(|next| next.contains("ax_type") && next.contains("mode: \"focus\"")));
    assert_eq!((app.performed(), app.focused()), (0, None));
    bench
        .call("ax_key_press", json!({"app": "Editor", "key": "f5", "mode": "focus"}))
        .await
        .expect("activated");
    let answer = bench.call("ax_click", click).await.expect("its window is active now");
    assert_eq!((status(&answer), app.focused()), ("confirmed", Some(field)));
}

#[tokio::test(start_paused = true)]
async fn an_action_never_guesses_between_elements_of_different_names() {
    let (app, [_, _, hidden]) = FakeApp::simple(
        "Bank",
        7,
        [(Role::CheckBox, "Account"), (Role::CheckBox, "Counter"), (Role::CheckBox, "Countdown")],
    );
    app.edit(hidden, |node| node.states.remove(States::SHOWING));
    let bench = Bench::with([Arc::clone(&app)]);
    for query in ["Count", "role:checkbox Count", "checkbox", "//checkbox"] {
        let click = json!({"app": "Bank", "query": query});
        let error = bench.fails("ax_click", click, ErrorCode::ElementAmbiguous).await;
        assert_eq!(error.found.len(), 2, "{query}: {error:?}");
        assert!(error.found[0].starts_with("checkbox \"Account\" [ref=e"), "{error:?}");
    }
    assert_eq!(app.performed(), 0);
    let inside = json!({"app": "Bank", "query": "checkbox ount AND title:Acc"});
    let error = bench.fails("ax_click", inside, ErrorCode::ElementNotFound).await;
    assert!(error.found[0].starts_with("checkbox \"Account\""), "{error:?}");
    assert_eq!(app.performed(), 0);
    let answer = bench.call("ax_click", json!({"app": "Bank", "query": "Acc"})).await.expect("the only one");
    assert!(answer.text.contains("Clicked checkbox \"Account\""), "{}", answer.text);
}

#[tokio::test(start_paused = true)]
async fn of_equals_the_first_one_that_can_be_used_is_taken_and_the_answer_says_so() {
    let (app, [greyed, first, second]) = FakeApp::simple(
        "Mail",
        7,
        [(Role::CheckBox, "Read"), (Role::CheckBox, "Read"), (Role::CheckBox, "Read")],
    );
    app.edit(greyed, |node| node.states.remove(States::ENABLED));
    let bench = Bench::with([Arc::clone(&app)]);
    let checked = |id| app.node(id).expect("alive").states.contains(States::CHECKED);
    let answer = bench.call("ax_click", json!({"app": "Mail", "query": "Read"})).await.expect("clicked");
    assert!(checked(first) && !checked(second));
    assert!(answer.text.contains("2 elements match equally well; this is the first"), "{}", answer.text);
    let other = answer.text.split("The others: ").nth(1).and_then(|rest| rest.split('.').next());
    bench.call("ax_click", json!({"app": "Mail", "query": other})).await.expect("by its reference");
    assert!(checked(second));
    bench.call("ax_click", json!({"app": "Mail", "query": "Read #3"})).await.expect("by its number");
    assert!(!checked(second));
}

#[tokio::test(start_paused = true)]
async fn a_key_that_does_not_exist_is_reported_before_anything_else() {
    let (app, [_]) = FakeApp::simple("Editor", 7, [(Role::Button, "Go")]);
    let bench = Bench::with([app]);
    for key in ["bogus", "ctrl+bogus", "hyper+a"] {
        for mode in ["background", "focus"] {
            let press = json!({"app": "Editor", "key": key, "mode": mode});
            bench.fails("ax_key_press", press, ErrorCode::InvalidParameter).await;
        }
    }
    assert!(bench.desktop.seat_log().is_empty());
}
