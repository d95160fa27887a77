//! Secrets that are typed by name: into the field that each is bound to, and in nothing that leaves.

use crate::bench::{Bench, FakeApp, Manners};
use handeye_core::{
    Abilities, Application, Detail, ErrorCode, NodeId, Role, SecretPlace, States, TextContent,
};
use handeye_redact::{Bound, FieldPattern, HiddenFields, Redactor, Vault};
use serde_json::{Value, json};
use std::sync::Arc;

const SECRET: &str = "hunter two";

fn field(app: &FakeApp, window: NodeId, name: &str) -> NodeId {
    let field = app.add(window, Role::TextBox, name);
    app.edit(field, |node| {
        node.abilities |= Abilities::TEXT | Abilities::EDITABLE_TEXT;
        node.states |= States::EDITABLE;
        node.details.text = Detail::Known(TextContent { total_chars: 0, shown: "".into() });
    });
    field
}

/// A bank with two fields, and a chat that has one of the same name; a secret is bound to the bank's.
fn bench() -> (Bench, Arc<FakeApp>, [NodeId; 2], Arc<FakeApp>) {
    let (bank, chat) =
        (FakeApp::new("Bank", 7, Manners::Complete), FakeApp::new("Chat", 8, Manners::Complete));
    let window = bank.open_window("Sign in");
    let fields = ["Pass code", "Note"].map(|name| field(&bank, window, name));
    let other = chat.open_window("Chat");
    field(&chat, other, "Pass code");
    let mut bench = Bench::with([Arc::clone(&bank), Arc::clone(&chat)]);
    bench.desktop.variables.lock().expect("no panic").insert("BANK".into(), SECRET.into());
    let vault = Vault::new([Bound {
        name: "bank".into(),
        place: SecretPlace::Variable("BANK".into()),
        application: "exe:/usr/bin/bank".into(),
        is_application: Arc::new(|application: &Application| application.name == "Bank"),
        field: FieldPattern::Name("Pass code".into()),
        rule: "line 3 of security.toml".into(),
    }]);
    let desk = bench.engine.desk.clone();
    let hidden = HiddenFields::new([], vault.secrets());
    bench.engine.desk = desk.keeping(Redactor::default(), vault, hidden);
    (bench, bank, fields, chat)
}

fn is_clean(shown: &str) {
    assert!(!shown.contains("hunter"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_typed_into_its_field_and_is_in_no_answer() {
    for (tool, parameter, mode) in
        [("ax_type", "text", "background"), ("ax_type", "text", "focus"), ("ax_set_value", "value", "")]
    {
        let (bench, bank, [code, _], _) = bench();
        let mut arguments =
            json!({"query": "textbox \"Pass code\"", "app": "Bank", parameter: "{{secret:bank}}"});
        if !mode.is_empty() {
            arguments["mode"] = mode.into();
        }
        let answer =
            bench.call(tool, arguments).await.unwrap_or_else(|error| panic!("{tool} {mode}: {error:?}"));
        if mode != "focus" {
            assert_eq!(bank.text(code), SECRET, "{tool} {mode}: {}", answer.text);
        }
        is_clean(&format!("{answer:?}"));
        for (tool, arguments) in [
            ("ax_get_tree", json!({"app": "Bank"})),
            ("ax_get_value", json!({"query": "Pass code", "app": "Bank"})),
            ("ax_find", json!({"query": "Pass code", "app": "Bank"})),
            ("ax_get_attributes", json!({"query": "Pass code", "app": "Bank"})),
            ("ax_session_info", json!({})),
            ("ax_undo", json!({})),
        ] {
            let shown = match bench.call(tool, arguments).await {
                Ok(answer) => format!("{answer:?}"),
                Err(error) => format!("{error:?}"),
            };
            is_clean(&shown);
        }
        let journal = format!(
            "{:?}",
            bench
                .engine
                .desk
                .own
                .journal
                .latest(9)
                .iter()
                .map(|entry| (
                    entry.before.as_ref().and_then(|state| state.text.clone()),
                    entry.after.as_ref().and_then(|state| state.text.clone())
                ))
                .collect::<Vec<_>>()
        );
        is_clean(&journal);
    }
}

#[tokio::test(start_paused = true)]
async fn a_secret_goes_nowhere_else() {
    let (bench, bank, [code, note], chat) = bench();
    let call = |tool: &'static str,
                app: &'static str,
                query: &'static str,
                text: &'static str,
                mode: Option<&'static str>| {
        let mut arguments = json!({"query": format!("textbox \"{query}\""), "app": app});
        arguments[if tool == "ax_type" { "text" } else { "value" }] = text.into();
        if let Some(mode) = mode {
            arguments["mode"] = Value::from(mode);
        }
        (tool, arguments)
    };
    for (tool, arguments) in [
        call("ax_type", "Bank", "Note", "{{secret:bank}}", None),
        call("ax_type", "Bank", "Note", "x{{secret:bank}}", Some("focus")),
        call("ax_type", "Chat", "Pass code", "{{secret:bank}}", None),
        call("ax_type", "Chat", "Pass code", "{{secret:bank}}", Some("focus")),
        call("ax_set_value", "Chat", "Pass code", "{{secret:bank}}", None),
    ] {
        let error = bench.fails(tool, arguments, ErrorCode::Blocked).await;
        assert!(error.message.contains("line 3 of security.toml"), "{error:?}");
        is_clean(&format!("{error:?}"));
    }
    let error = bench
        .fails(
            "ax_type",
            call("ax_type", "Bank", "Pass code", "{{secret:bnak}}", None).1,
            ErrorCode::InvalidParameter,
        )
        .await;
    assert!(error.message.contains("bound to 'Bank': bank"), "{error:?}");
    for wrong in ["{{secret:", "{{secret:a b}}", "‹redacted: JWT›"] {
        let arguments = json!({"query": "Pass code", "app": "Bank", "text": wrong});
        bench.fails("ax_type", arguments, ErrorCode::InvalidParameter).await;
    }
    assert_eq!((bank.text(code), bank.text(note), chat.performed()), (String::new(), String::new(), 0));
    assert!(!bench.desktop.seat_log().iter().any(|line| line.contains("hunter")));
}

#[tokio::test(start_paused = true)]
async fn a_step_names_a_secret_and_no_value_of_an_application_does() {
    let (bench, bank, [code, note], _) = bench();
    let steps = json!([{"tool": "ax_set_value", "args": {"query": "textbox \"Pass code\"", "app": "Bank", "value": "{{secret:bank}}"}}]);
    let answer = bench.call("ax_workflow", json!({"steps": steps})).await.expect("done");
    assert_eq!(bank.text(code), SECRET, "{}", answer.text);
    is_clean(&format!("{answer:?}"));

    bank.set_text(code, "");
    bank.set_text(note, "{{secret:bank}}");
    let steps = json!([
        {"tool": "ax_get_value", "args": {"query": "textbox \"Note\"", "app": "Bank"}},
        {"tool": "ax_set_value", "args": {"query": "textbox \"Pass code\"", "app": "Bank", "value": "{{step_1.value}}"}},
    ]);
    let shown = match bench.call("ax_workflow", json!({"steps": steps})).await {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!("{error:?}"),
    };
    assert!(shown.contains("only a step itself may name"), "{shown}");
    assert_eq!(bank.text(code), "");
}

#[tokio::test(start_paused = true)]
async fn what_a_hidden_field_holds_leaves_in_no_answer() {
    let (bench, bank, [code, _], _) = bench();
    bank.set_text(code, "typed by hand: 4711");
    for (tool, arguments) in [
        ("ax_get_tree", json!({"app": "Bank"})),
        ("ax_get_value", json!({"query": "textbox \"Pass code\"", "app": "Bank"})),
    ] {
        let shown = format!("{:?}", bench.call(tool, arguments).await.expect("an answer"));
        assert!(!shown.contains("4711") && shown.contains("of a hidden field"), "{tool}: {shown}");
    }
}
