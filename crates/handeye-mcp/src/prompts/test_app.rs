//! `test-app`

use super::argument::{Kind, SWITCH, optional, required};
use super::arguments::Arguments;
use super::definition::Definition;
use super::script::Script;
use handeye_resources::{Address, View};

pub(super) const PROMPT: Definition = Definition {
    name: "test-app",
    title: "Test a Linux Application",
    description: "Test a running application step by step: look, plan, act, verify each effect, report.",
    arguments: &[
        required("app_name", "Name of the app to test", Kind::Application),
        optional(
            "focus_area",
            "Specific area to test (e.g., 'toolbar', 'sidebar')",
            Kind::Region("app_name"),
        ),
        optional("include_a11y_audit", "Include accessibility audit?", SWITCH),
    ],
    needs: &[&["ax_get_tree", "ax_find"]],
    write,
};

const ACTS: &[&str] = &["ax_click", "ax_type", "ax_set_value", "ax_scroll", "ax_drag", "ax_key_press"];

fn write<'a>(arguments: &Arguments, script: Script<'a>) -> Script<'a> {
    let app = arguments.quoted("app_name");
    let area = arguments.get("focus_area").map(|_| arguments.quoted("focus_area"));
    let acts = script.any_of(ACTS);
    let (audits, measured) = (arguments.is_on("include_a11y_audit"), script.has(&["ax_a11y_audit"]));
    let acts_undone = !acts.is_empty() && script.has(&["ax_undo"]);
    let events = Address::of(arguments.get("app_name").unwrap_or_default(), View::Events);
    let goal = match &area {
        Some(area) => {
            format!("Test the application {app} on this Linux desktop: its area {area}, and nothing else.")
        }
        None => format!("Test the application {app} on this Linux desktop."),
    };
    let look = match &area {
        Some(area) => format!(
            "Look: ax_get_tree with app {app} and root_query {area} (the outline below is the whole application as it was a moment ago)."
        ),
        None => format!(
            "Look: the outline below is {app} as it was a moment ago; ax_get_tree with app {app} reads it again."
        ),
    };
    script
        .goal(goal)
        .step_with(&["ax_is_accessible"], "Make sure that trees can be read: ax_is_accessible. If they cannot, report its suggestion and stop.")
        .step_with(&["ax_connect"], format!("ax_connect with app {app}. If several match the name, use the pid of the right one."))
        .step(format!("If you can subscribe to resources: {events} reports windows, dialogs and focus while you test."))
        .step_with(&["ax_get_tree"], look)
        .step_with(&["ax_screenshot"], format!("ax_screenshot with app {app}, once, for what is not in the tree: text that is cut off, things that overlap, pictures that are missing."))
        .step("Write the plan: each element that can be acted on, what should happen, and how you will know. Harmless ones first. Leave out anything that sends, pays, deletes or logs out, and list it as not tested.")
        .step_if(!acts.is_empty(), format!("Do it, one action at a time, with {acts} and the references of the outline. Read the effect of each: confirmed comes with what changed; unconfirmed means that nothing observable did, so look before you judge; refused names the call that works."))
        .step_by(&[
            (&["ax_assert", "ax_get_tree"], "Verify each expectation by what the application shows: ax_assert with what is expected of the element (timeout_ms where it takes a moment; a failure has the actual values), ax_get_tree with since for everything that changed since a look."),
            (&["ax_assert"], "Verify each expectation by what the application shows: ax_assert with what is expected of the element (timeout_ms where it takes a moment; a failure has the actual values)."),
            (&["ax_get_value", "ax_get_tree"], "Verify each expectation by what the application shows: ax_get_value for one element, ax_get_tree with since for everything that changed since a look."),
            (&["ax_get_value"], "Verify each expectation by what the application shows: ax_get_value."),
            (&["ax_find"], "Verify each expectation by what the application shows: ax_find."),
        ])
        .step_if(!acts.is_empty(), "Try what users get wrong: empty fields, very long text, letters where numbers belong, the same action twice, Escape out of each dialog.")
        .step_if(audits && measured, format!("Audit accessibility: ax_a11y_audit with app {app}, and again with every dialog or page that you open. Report each issue with its rule, criterion and reference."))
        .step_if(audits && !measured, "Audit accessibility on the way: each control that can be acted on needs a name that says what it does, a fitting role and a state that follows what happens; the keyboard has to reach it.")
        .step("Report: a table of element, action, expected, observed and verdict; then the defects, worst first, each with the steps that show it; then what was not tested and why.")
        .rule(if acts_undone { "Restore what you change: ax_undo restores texts, values and choices, and names what it skips." } else { "Restore what you change." })
}
