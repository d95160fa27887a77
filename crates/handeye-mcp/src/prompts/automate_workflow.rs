//! `automate-workflow`

use super::argument::{Kind, SWITCH, optional, required};
use super::arguments::Arguments;
use super::definition::Definition;
use super::script::Script;

pub(super) const PROMPT: Definition = Definition {
    name: "automate-workflow",
    title: "Automate a Workflow",
    description: "Automate a multi-step workflow in one or more Linux applications, each step verified before the next.",
    arguments: &[
        required("workflow", "Natural language description of the workflow", Kind::Text),
        optional("apps", "Comma-separated app names involved", Kind::Applications),
        optional("dry_run", "Plan only, do not execute", SWITCH),
    ],
    needs: &[&["ax_get_tree", "ax_find"], ACTS],
    write,
};

const ACTS: &[&str] = &["ax_click", "ax_type", "ax_set_value", "ax_key_press"];

fn write<'a>(arguments: &Arguments, script: Script<'a>) -> Script<'a> {
    let workflow = arguments.quoted("workflow");
    let acts = script.any_of(ACTS);
    let by_hand = if script.has(&["ax_workflow"]) { "Otherwise execute" } else { "Execute" };
    let dry = arguments.is_on("dry_run");
    let goal = if dry {
        format!("Plan this workflow on this Linux desktop, and execute nothing: {workflow}.")
    } else {
        format!("Automate this workflow on this Linux desktop: {workflow}.")
    };
    let script = match arguments.get("apps") {
        Some(_) => script.step(format!(
            "The applications are {}; their current states are below.",
            arguments.quoted("apps")
        )),
        None => script.step_with(
            &["ax_list_apps"],
            "Find out which applications it takes: ax_list_apps. If one is not running, say so and stop.",
        ),
    };
    let script = script
        .goal(goal)
        .step_with(&["ax_get_tree"], "Look at each application with ax_get_tree before you plan; a dialog may be open already.")
        .step(format!("Write the plan as a table: step, application, element, call ({acts}), what will show that it worked, how to undo it. Mark what cannot be undone: sending, paying, deleting, overwriting."));
    if dry {
        return script.step(
            "Answer with that plan, the open questions, and what could go wrong. Call nothing that acts.",
        );
    }
    script
        .step("Before a step that cannot be undone, ask the person, and go on only after a clear yes.")
        .step_with(&["ax_workflow"], "Where the plan is certain, run it as one call: ax_workflow, a step for each row, conditions to wait for instead of pauses, and on_fail rollback for every step that can be taken back. First with dry_run true: it resolves each element and touches nothing. Read its account: what a rollback could not take back is listed there.")
        .step(format!("{by_hand} one step at a time with {acts} and references. Go on when its effect is confirmed; when it is unconfirmed look first; when it is refused, take the call that the refusal names."))
        .step_with(&["ax_wait_idle"], "Where a step starts something long, wait with ax_wait_idle before the next.")
        .step_by(&[
            (&["ax_assert"], "Check after each step for the sign that you planned: ax_assert."),
            (&["ax_get_value"], "Check after each step for the sign that you planned: ax_get_value."),
            (&["ax_find"], "Check after each step for the sign that you planned: ax_find."),
        ])
        .step_by(&[
            (&["ax_undo"], "If a step fails, do not repeat it blindly: look, correct the plan once; if it fails again, ax_undo restores the texts, values and choices that you changed, the last first, and names what it skips. Undo the rest by hand, and stop."),
            (&[], "If a step fails, do not repeat it blindly: look, correct the plan once; if it fails again, undo what can be undone, last step first, and stop."),
        ])
        .step("Report: each step with its evidence, what was undone, and the state in which the applications are now.")
        .rule("Do what the workflow says and nothing else.")
}
