//! Prompts: what they ask for, what they mention, what they refuse.

use super::argument::Kind;
use super::arguments::Arguments;
use super::definition::Definition;
use super::script::Script;
use super::*;
use handeye_core::screen_text::is_forging;
use handeye_service::registry;
use handeye_service::toolbox::{Selection, Toolbox};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// Arguments that suit a prompt, the optional ones too if `all`.
fn suitable(prompt: &'static Definition, all: bool) -> Arguments {
    let given = prompt.arguments.iter().filter(|argument| argument.required || all).map(|argument| {
        let value = match argument.kind {
            Kind::Choice(choices) => choices[0],
            _ => "Something",
        };
        (argument.name.to_owned(), Value::from(value))
    });
    Arguments::check(prompt, given.collect()).expect("suitable")
}

fn text(prompt: &'static Definition, all: bool, toolbox: &Toolbox) -> String {
    (prompt.write)(&suitable(prompt, all), Script::new(toolbox)).render()
}

/// The words of a text that look like tools.
fn tools_in(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with("ax_"))
        .collect()
}

fn without(tools: &[&str], read_only: bool) -> Option<Toolbox> {
    let exclude = tools.iter().map(|tool| (*tool).to_owned()).collect();
    Toolbox::of(&Selection { exclude, read_only, ..Selection::default() }).ok()
}

#[test]
fn the_names_and_arguments_are_those_of_the_specification() {
    let found: Vec<(&str, Vec<(&str, bool)>)> = ALL
        .iter()
        .map(|prompt| {
            (
                prompt.name,
                prompt.arguments.iter().map(|argument| (argument.name, argument.required)).collect(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("test-app", vec![("app_name", true), ("focus_area", false), ("include_a11y_audit", false)]),
            ("navigate-to", vec![("app_name", true), ("destination", true)]),
            ("extract-data", vec![("app_name", true), ("data_description", true), ("output_format", false)]),
            ("automate-workflow", vec![("workflow", true), ("apps", false), ("dry_run", false)]),
            ("debug-ui", vec![("app_name", true), ("element_description", true), ("query_tried", false)]),
            ("accessibility-audit", vec![("app_name", true), ("standard", false)]),
            (
                "cross-app-copy",
                vec![
                    ("source_app", true),
                    ("source_element", true),
                    ("target_app", true),
                    ("target_element", true)
                ]
            ),
        ]
    );
}

#[test]
fn with_every_tool_each_prompt_leads_through_several() {
    let toolbox = Toolbox::default();
    for prompt in ALL {
        let text = text(prompt, true, &toolbox);
        let named: std::collections::BTreeSet<&str> = tools_in(&text).into_iter().collect();
        assert!(named.len() >= 4, "{}: {named:?}", prompt.name);
        for tool in named {
            assert!(registry::by_tool(tool).is_some(), "{} names {tool}, which does not exist", prompt.name);
        }
        assert!(!text.contains("macOS"), "{}", prompt.name);
        let steps = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
        assert!(steps >= 4, "{} has {steps} steps:\n{text}", prompt.name);
    }
}

#[test]
fn no_prompt_mentions_a_tool_that_is_off() {
    let names: Vec<&str> = registry::all().iter().map(|operation| operation.meta().tool).collect();
    let mut boxes: Vec<Toolbox> = names.iter().filter_map(|tool| without(&[tool], false)).collect();
    boxes.extend(without(&[], true));
    for (at, first) in names.iter().enumerate() {
        boxes.extend(names[at + 1..].iter().filter_map(|second| without(&[first, second], false)));
    }
    for toolbox in &boxes {
        for prompt in ALL.iter().filter(|prompt| prompt.lacks(toolbox).is_none()) {
            for all in [false, true] {
                let text = text(prompt, all, toolbox);
                for tool in tools_in(&text) {
                    assert!(toolbox.has(tool), "{} mentions {tool}, which is off:\n{text}", prompt.name);
                }
                assert!(!text.contains("  ") && !text.contains(" ,") && !text.contains("()"), "{text}");
            }
        }
    }
}

#[test]
fn a_server_that_only_looks_offers_no_prompt_that_acts() {
    let toolbox = without(&[], true).expect("sound");
    let offered: Vec<&str> =
        ALL.iter().filter(|prompt| prompt.lacks(&toolbox).is_none()).map(|prompt| prompt.name).collect();
    assert_eq!(offered, ["test-app", "extract-data", "debug-ui", "accessibility-audit"]);
    let why = navigate_to::PROMPT.lacks(&toolbox).expect("it clicks");
    assert_eq!(why, "it needs ax_click, which is switched off");
}

#[test]
fn every_wrong_argument_is_named() {
    let fault = |given: Value| {
        let error = Arguments::check(&test_app::PROMPT, object(given)).expect_err("wrong");
        assert_eq!(error.code.0, -32602);
        error.message.into_owned()
    };
    let reported = fault(json!({"ap_name": "x", "include_a11y_audit": "perhaps", "focus_area": 5}));
    for part in [
        "'app_name' is missing",
        "'ap_name' is unknown (did you mean 'app_name'?)",
        "'include_a11y_audit' must be one of true, false",
        "'focus_area' must be a string, not a number",
    ] {
        assert!(reported.contains(part), "{part} in {reported}");
    }
    assert!(fault(json!({"app_name": "  "})).contains("'app_name' is missing"), "empty is missing");
    assert!(fault(json!({"app_name": "x".repeat(2_001)})).contains("longer than 2000 characters: app_name"));
    let given = json!({"app_name": "gedit", "focus_area": "", "include_a11y_audit": null});
    let arguments = Arguments::check(&test_app::PROMPT, object(given)).expect("empty is not given");
    assert_eq!((arguments.get("focus_area"), arguments.is_on("include_a11y_audit")), (None, false));
}

#[test]
fn applications_are_each_shown_once() {
    let copy =
        json!({"source_app": "Gedit", "source_element": "a", "target_app": "gedit", "target_element": "b"});
    let arguments = Arguments::check(&cross_app_copy::PROMPT, object(copy)).expect("sound");
    assert_eq!(arguments.applications(), ["Gedit"]);
    let many = json!({"workflow": "w", "apps": " a, b,,c ,d,e"});
    let arguments = Arguments::check(&automate_workflow::PROMPT, object(many)).expect("sound");
    assert_eq!(arguments.applications(), ["a", "b", "c", "d"]);
}

proptest! {
    /// What a client sends may be anything: it is refused with -32602 or quoted, and cannot leave its quotes.
    #[test]
    fn values_stay_in_their_quotes(value in "\\PC{0,60}|.{0,40}", name in "[a-z_]{1,12}") {
        let given = object(json!({"app_name": value, "destination": value}));
        match Arguments::check(&navigate_to::PROMPT, given) {
            Err(error) => prop_assert_eq!(error.code.0, -32602),
            Ok(arguments) => {
                let text = (navigate_to::PROMPT.write)(&arguments, Script::new(&Toolbox::default())).render();
                let quoted = super::arguments::quoted(value.trim());
                prop_assert!(text.contains(&quoted));
                prop_assert!(!quoted.contains(is_forging));
                prop_assert_eq!(serde_json::from_str::<String>(&quoted).ok(), Some(value.trim().to_owned()));
            }
        }
        let strange = object(json!({"app_name": "a", "destination": "b", (name.clone()): "c"}));
        let known = ["app_name", "destination"].contains(&name.as_str());
        prop_assert_eq!(Arguments::check(&navigate_to::PROMPT, strange).is_ok(), known);
    }
}
