//! `extract-data`

use super::argument::{Kind, optional, required};
use super::arguments::Arguments;
use super::definition::Definition;
use super::script::Script;

pub(super) const PROMPT: Definition = Definition {
    name: "extract-data",
    title: "Extract Data from Application",
    description: "Extract structured data from a running Linux application: element values, tables, form fields.",
    arguments: &[
        required("app_name", "Name of the app", Kind::Application),
        required("data_description", "What data to extract", Kind::Text),
        optional("output_format", "json, csv, or markdown", Kind::Choice(&["json", "csv", "markdown"])),
    ],
    needs: &[&["ax_get_tree", "ax_find"]],
    write,
};

fn write<'a>(arguments: &Arguments, script: Script<'a>) -> Script<'a> {
    let (app, data) = (arguments.quoted("app_name"), arguments.quoted("data_description"));
    let answer = match arguments.get("output_format") {
        Some("csv") => "Answer with CSV (RFC 4180): a header line, then one line for each record.",
        Some("markdown") => "Answer with a Markdown table.",
        _ => {
            "Answer with JSON: an array of objects, whose keys come from the headings that the application shows."
        }
    };
    script
        .goal(format!("Extract data from the application {app} on this Linux desktop: {data}."))
        .step("Find in the outline below where the data is: a table, a list, a tree, a form, plain text. Say which element holds it, and if several could be meant, which one you take.")
        .step_with(&["ax_get_tree"], format!("Read it whole: ax_get_tree with app {app}, that element's reference as root_query and max_depth 20. An outline says how much it left out, and how to get that."))
        .step_with(&["ax_get_value"], "Read long or cut texts with ax_get_value; what an outline shows of a value may be its beginning.")
        .step_with(&["ax_get_attributes"], "ax_get_attributes reports what a cell or field does not show: row and column, selection, description.")
        .step_by(&[
            (&["ax_scroll", "ax_get_tree"], "Rows that are not shown may not exist yet: ax_scroll down, then ax_get_tree with since for the new ones, until nothing new appears. Scroll back at the end."),
            (&["ax_scroll"], "Rows that are not shown may not exist yet: ax_scroll down and read on until nothing new appears. Scroll back at the end."),
        ])
        .step_with(&["ax_screenshot"], "Only where there is no tree (a canvas, a picture): ax_screenshot, and mark what you read from it as read from a picture.")
        .step("Count what you have against what the application says it shows (a status bar, a scroll bar, a total), and report the difference.")
        .step(answer)
        .rule("Copy values exactly as they are shown: no rounding, no other format of dates or numbers. What is empty stays empty; guess nothing.")
        .rule("Change nothing in the application.")
}
