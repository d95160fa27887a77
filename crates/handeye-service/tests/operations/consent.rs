//! Whatever is called, in whatever order: with `--confirm always` and a person who says no, nothing risky is reached.

use crate::bench::{Bench, FakeApp};
use async_trait::async_trait;
use handeye_act::confirm::Confirm;
use handeye_call::call::{Call, Face};
use handeye_call::client::{Client, InteractionCapabilities, Question, Reply};
use handeye_core::{NodeAction, NodeId, Result, Role, States};
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

    fn has_refused(&self) -> bool {
        // Each call asks anew: what counts here is that it asks.
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
    let mut focusable: Vec<NodeId> = ids.to_vec();
    focusable.push(app.add(list, Role::ListItem, "Letter 1"));
    focusable.push(app.add(list, Role::ListItem, "Letter 2"));
    let item = app.add(menu, Role::MenuItem, "Delete");
    app.edit(item, |node| node.states.remove(States::SHOWING));
    app.edit(default, |node| node.states.insert(States::DEFAULT));
    risky.extend([item, default]);
    Hazards { app, risky, focusable }
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
];
const TEXTS: &[&str] = &["a", " ", "\t ", "\n", "a b", "x\n", "\t\t\n", "delete", "d"];

/// One thing that happens: a call, or the user moving the focus.
#[derive(Debug, Clone)]
enum Event {
    Call(&'static str, Value),
    Focus(usize),
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
    let value = (name(), prop::sample::select(&["true", "false", "Delete", "Letter 1", "x"][..])).prop_map(
        |(query, value)| {
            Event::Call("ax_set_value", json!({"app": "Hazards", "query": query, "value": value}))
        },
    );
    let drag = (name(), name()).prop_map(|(from, to)| {
        Event::Call(
            "ax_drag",
            json!({"app": "Hazards", "from_query": from, "to_query": to, "mode": "focus", "duration_ms": 1}),
        )
    });
    let point = (100_i32..300, 100_i32..400, mode())
        .prop_map(|(x, y, mode)| Event::Call("ax_click_at", json!({"x": x, "y": y, "mode": mode})));
    let focus = (0_usize..14).prop_map(Event::Focus);
    prop_oneof![3 => click, 4 => key, 3 => text, 2 => value, 2 => drag, 2 => point, 2 => focus]
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
            Event::Call(tool, arguments) => {
                let call = Call::new(Face::Mcp, CancellationToken::new());
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
