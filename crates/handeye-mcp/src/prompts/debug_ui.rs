//! `debug-ui`

use super::argument::{Kind, optional, required};
use super::arguments::Arguments;
use super::definition::Definition;
use super::script::Script;

pub(super) const PROMPT: Definition = Definition {
    name: "debug-ui",
    title: "Debug UI Element",
    description: "Debug why a UI element cannot be found: explore the tree, look at the pixels, try other locators, suggest what works.",
    arguments: &[
        required("app_name", "Name of the app", Kind::Application),
        required("element_description", "The element that cannot be found", Kind::Element("app_name")),
        optional("query_tried", "Query that failed", Kind::Element("app_name")),
    ],
    needs: &[&["ax_get_tree", "ax_find"]],
    write,
};

fn write<'a>(arguments: &Arguments, script: Script<'a>) -> Script<'a> {
    let (app, element) = (arguments.quoted("app_name"), arguments.quoted("element_description"));
    let script = match arguments.get("query_tried") {
        Some(_) => {
            let query = arguments.quoted("query_tried");
            script.step_with(&["ax_find"], format!("Repeat what failed: ax_find with app {app} and query {query}. Its answer names near misses; a malformed query is reported as such."))
        }
        None => script,
    };
    script
        .goal(format!("Find out why the element {element} of the application {app} cannot be found, and give a query that finds it."))
        .step_with(&["ax_is_accessible"], "Check accessibility first: ax_is_accessible. An application that was started before accessibility was on, or without its toolkit's bridge, has no tree.")
        .step("Search the outline below for it by meaning: another wording, another language, a name that only its icon or its neighbour has.")
        .step_with(&["ax_find"], "Try other ways with ax_find: a part of the name; role:name; an expression (role:button AND title:Save); XPath; strategy regex or identifier. Note what each finds.")
        .step_with(&["ax_get_tree"], "Look deeper: ax_get_tree with include_invisible and max_depth 20, from its likely container as root_query. It may be hidden, in a closed menu, on another tab, or not created before it is scrolled to.")
        .step_with(&["ax_list_windows"], format!("Is it in another window, or in another application? ax_list_windows with app {app}, then with 'all'."))
        .step_with(&["ax_screenshot"], "See whether it is on the screen at all: ax_screenshot with annotate draws the reference of each element that is known. What can be seen and has no mark is missing in the tree.")
        .step_with(&["ax_get_attributes"], "Compare with ax_get_attributes what a sibling that can be found has and this one lacks.")
        .step("Answer with the cause (wrong query, wrong window, hidden, not there yet, no name, no tree), the evidence for it, the query that works and how stable it is, or else the best workaround.")
        .rule("Only look: change nothing in the application.")
}
