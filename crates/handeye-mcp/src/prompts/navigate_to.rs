//! `navigate-to`

use super::argument::{Kind, required};
use super::arguments::Arguments;
use super::definition::Definition;
use super::script::Script;

pub(super) const PROMPT: Definition = Definition {
    name: "navigate-to",
    title: "Navigate to a Screen",
    description: "Navigate to a specific screen, dialog, or state within a Linux application.",
    arguments: &[
        required("app_name", "Name of the app", Kind::Application),
        required(
            "destination",
            "Where to navigate (e.g., 'Settings > General', 'File > New')",
            Kind::Way("app_name"),
        ),
    ],
    needs: &[&["ax_get_tree", "ax_find"], &["ax_click"]],
    write,
};

fn write<'a>(arguments: &Arguments, script: Script<'a>) -> Script<'a> {
    let (app, destination) = (arguments.quoted("app_name"), arguments.quoted("destination"));
    script
        .goal(format!("Navigate to {destination} in the application {app} on this Linux desktop, and stop there."))
        .step("Read the outline below: the application may be there already, or have a dialog open that must be dealt with first. Say which.")
        .step("Choose the way. 'A > B' means A first, then B in what it opens. Prefer menus, tabs and lists to shortcuts: their effect can be seen.")
        .step_with(&["ax_click"], format!("Take one step: ax_click with app {app} and the reference of the element as query. Its effect reports what opened, with references for the next step."))
        .step_by(&[
            (&["ax_get_tree", "ax_find"], "If the next element is not there: ax_find by its name, then ax_get_tree with include_invisible. A menu that is closed may not have its entries yet."),
            (&["ax_find"], "If the next element is not there: ax_find by its name."),
            (&["ax_get_tree"], "If the next element is not there: ax_get_tree with include_invisible."),
        ])
        .step_with(&["ax_key_press"], "If a step is refused in the background, take the call that the refusal names. Mode focus is the last resort, as it takes the user's focus.")
        .step_with(&["ax_wait_idle"], "If something loads, wait with ax_wait_idle instead of looking again and again.")
        .step("Confirm by what is shown: the title of the window or dialog, the selected tab, a heading. Report the path that you took, and where you are.")
        .rule("Only navigate: confirm no dialog, save nothing, change no value.")
        .rule("After three steps without progress, stop and report what you tried.")
}
