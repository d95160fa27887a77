//! Whatever is called, in whatever order: with `--confirm always` and a person who says no, nothing risky is reached.

use crate::bench::{Bench, FakeApp};
use async_trait::async_trait;
use handeye_act::confirm::Confirm;
use handeye_call::call::Call;
use handeye_call::client::{Client, InteractionCapabilities, Question, Reply};
use handeye_call::reader::Reader;
use handeye_core::Detail;
use handeye_core::{Extents, NodeAction, NodeId, Rect, Result, Role, States};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A client whose person always says no.
struct Unwilling;

#[async_trait]
impl Client for Unwilling {
    fn capabilities(&self) -> InteractionCapabilities {
        InteractionCapabilities { form: true, url: true, ..InteractionCapabilities::default() }
    }

    fn has_refused_among(&self, _beginning: &str) -> bool {
        // Each call asks again: what counts here is that it asks.
        false
    }

    async fn ask(&self, _: Question) -> Result<Reply> {
        Ok(Reply::Declined)
    }
}

/// An application full of hazards.
struct Hazards {
    app: Arc<FakeApp>,
    /// What nothing may press.
    risky: Vec<NodeId>,
    focusable: Vec<NodeId>,
    /// The item of a menu that the user opens and closes.
    item: NodeId,
}

fn hazards() -> Hazards {
    let (app, ids) = FakeApp::simple(
        "Hazards",
        7,
        [
            (Role::Button, "Refresh"),
            (Role::Button, "Delete"),
            (Role::ToggleButton, "Delete everything"),
            (Role::Button, "Ｄｅｌｅｔｅ"),
            (Role::Button, "D\u{435}lete"),
            (Role::Button, "lö\u{ad}schen"),
            (Role::CheckBox, "Erase on exit"),
            (Role::Link, "Send"),
            (Role::TextBox, "Name"),
            (Role::List, "Letters"),
            (Role::Menu, "X"),
            (Role::Button, "Erase all"),
        ],
    );
    let [_, risky @ .., _, list, menu, default] = ids;
    let mut risky = risky.to_vec();
    let window = app.node(list).and_then(|node| node.parent).expect("the list is in a window");
    let mut focusable: Vec<NodeId> = ids.to_vec();
    focusable.push(app.add(list, Role::ListItem, "Letter 1"));
    focusable.push(app.add(list, Role::ListItem, "Letter 2"));
    let row = app.add(list, Role::ListItem, "");
    app.add(row, Role::Text, "Delete account");
    let sign = app.add(window, Role::Button, "🗑");
    let chat = app.add(window, Role::TextBox, "Message");
    app.edit(chat, |node| node.states.insert(States::MULTI_LINE));
    let size = app.add(window, Role::ComboBox, "Size");
    app.add(size, Role::ListItem, "Small");
    let option = app.add(size, Role::ListItem, "DeleteAll");
    let dialog = app.add(window, Role::Dialog, "Question");
    app.edit(dialog, |node| {
        node.details.extents = Detail::Known(Extents::OnScreen(Rect::new(400, 350, 20, 20)));
    });
    app.add(dialog, Role::Text, "Delete all photos?");
    let sure = app.add(dialog, Role::Button, "Sure");
    focusable.extend([row, sign, chat, size, sure]);
    risky.extend([row, sign, option, sure]);
    let item = app.add(menu, Role::MenuItem, "Delete");
    app.edit(item, |node| node.states.remove(States::SHOWING));
    app.edit(default, |node| node.states.insert(States::DEFAULT));
    risky.extend([item, default]);
    Hazards { app, risky, focusable, item }
}

const NAMES: &[&str] = &[
    "Refresh",
    "role:button Delete",
    "Delete everything",
    "role:button Ｄｅｌｅｔｅ",
    "D\u{435}lete",
    "lö\u{ad}schen",
    "Erase on exit",
    "Send",
    "textbox Name",
    "list Letters",
    "menu X",
    "Erase all",
    "Letter 1",
    "menu X >> Delete",
    "Letters >> Delete account",
    "role:button 🗑",
    "textbox Message",
    "combobox Size",
    "combobox Size >> DeleteAll",
    "button Sure",
];
const KEYS: &[&str] = &[
    "return",
    "kp_enter",
    "\n",
    "space",
    " ",
    "tab",
    "delete",
    "shift+delete",
    "ctrl+delete",
    "alt+d",
    "alt+e",
    "alt+s",
    "ctrl+d",
    "alt+f4",
    "f5",
    "a",
    "d",
    "ctrl+a",
    "shift+tab",
    "down",
    "up",
    "shift+down",
    "alt+down",
    "escape",
    "ctrl+escape",
    "ctrl+shift+x",
    "ctrl+w",
];
const TEXTS: &[&str] = &["a", " ", "\t ", "\n", "a b", "x\n", "\t\t\n", "delete", "d"];

/// One thing that happens: a call, or the user moving the focus.
#[derive(Debug, Clone)]
enum Event {
    Call(&'static str, Value),
    Focus(usize),
    /// The user opens or closes the menu.
    Menu(bool),
}

fn event() -> impl Strategy<Value = Event> {
    let name = || prop::sample::select(NAMES);
    let mode = || prop::sample::select(&["background", "focus"][..]);
    let click = (name(), mode(), prop::sample::select(&["single", "double", "right"][..])).prop_map(
        |(query, mode, click)| {
            Event::Call(
                "ax_click",
                json!({"app": "Hazards", "query": query, "mode": mode, "click_type": click}),
            )
        },
    );
    let key = (prop::sample::select(KEYS), mode(), any::<bool>()).prop_map(|(key, mode, named)| {
        let mut call = json!({"key": key, "mode": mode});
        if named {
            call["app"] = "Hazards".into();
        }
        Event::Call("ax_key_press", call)
    });
    let text = (prop::sample::select(TEXTS), mode(), any::<bool>(), prop::option::of(name())).prop_map(
        |(text, mode, clear, query)| {
            let mut call = json!({"app": "Hazards", "text": text, "mode": mode, "clear_first": clear});
            if let Some(query) = query {
                call["query"] = query.into();
            }
            Event::Call("ax_type", call)
        },
    );
    let value = (
        name(),
        prop::sample::select(&["true", "false", "Delete", "Letter 1", "DeleteAll", "Small", "x"][..]),
    )
        .prop_map(|(query, value)| {
            Event::Call("ax_set_value", json!({"app": "Hazards", "query": query, "value": value}))
        });
    let drag = (name(), name()).prop_map(|(from, to)| {
        Event::Call(
            "ax_drag",
            json!({"app": "Hazards", "from_query": from, "to_query": to, "mode": "focus", "duration_ms": 1}),
        )
    });
    let point = (100_i32..300, 100_i32..400, mode())
        .prop_map(|(x, y, mode)| Event::Call("ax_click_at", json!({"x": x, "y": y, "mode": mode})));
    let scroll = (prop::option::of(name()), mode(), prop::sample::select(&["up", "down"][..])).prop_map(
        |(query, mode, direction)| {
            let mut call = json!({"app": "Hazards", "direction": direction, "mode": mode});
            if let Some(query) = query {
                call["query"] = query.into();
            }
            Event::Call("ax_scroll", call)
        },
    );
    let focus = (0_usize..19).prop_map(Event::Focus);
    let menu = any::<bool>().prop_map(Event::Menu);
    prop_oneof![
        3 => click, 4 => key, 3 => text, 2 => value, 2 => drag, 2 => point, 2 => scroll, 3 => focus, 1 => menu
    ]
}

/// Runs the events and returns the one that reached what nothing may reach.
async fn reached(events: &[Event]) -> Option<(Event, Option<String>)> {
    let hazards = hazards();
    let mut bench = Bench::with([Arc::clone(&hazards.app)]);
    bench.engine.desk.confirm = Confirm::Always;
    for event in events {
        match event {
            Event::Focus(index) => {
                let id = hazards.focusable[index % hazards.focusable.len()];
                hazards.app.act(id, &NodeAction::Focus).expect("a fake that takes the focus");
            }
            Event::Menu(opens) => {
                hazards.app.edit(hazards.item, |node| node.states.set(States::SHOWING, *opens));
            }
            Event::Call(tool, arguments) => {
                let call = Call::new(Reader::MODEL, CancellationToken::new());
                let call = Call { client: Arc::new(Unwilling), ..call };
                // Whether it is done, refused or declined: what counts is what was reached.
                drop(bench.call_with(tool, arguments.clone(), call).await);
            }
        }
        let hit = hazards.app.pressed().into_iter().find(|id| hazards.risky.contains(id));
        if hit.is_some() || hazards.app.is_harmed() {
            let name = hit.and_then(|hit| hazards.app.node(hit)).map(|node| node.name.to_string());
            return Some((event.clone(), name));
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn nothing_risky_is_reached_without_a_yes(events in prop::collection::vec(event(), 1..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
        let reached = runtime.block_on(reached(&events));
        prop_assert!(reached.is_none(), "{reached:?}");
    }
}
