//! `accessibility-audit`

use super::argument::{Kind, optional, required};
use super::arguments::Arguments;
use super::definition::Definition;
use super::script::Script;

pub(super) const PROMPT: Definition = Definition {
    name: "accessibility-audit",
    title: "Accessibility Audit",
    description: "Audit a Linux application for accessibility issues: missing labels, roles, keyboard navigation, contrast, WCAG.",
    arguments: &[
        required("app_name", "Name of the app", Kind::Application),
        optional("standard", "WCAG level: A, AA, or AAA", Kind::Choice(&["A", "AA", "AAA"])),
    ],
    needs: &[&["ax_get_tree"]],
    write,
};

fn write<'a>(arguments: &Arguments, script: Script<'a>) -> Script<'a> {
    let app = arguments.quoted("app_name");
    let level = arguments.get("standard").unwrap_or("AA");
    let standard = match level {
        "A" => "wcag_a",
        "AAA" => "wcag_aaa",
        _ => "wcag_aa",
    };
    let measured = script.has(&["ax_a11y_audit"]);
    let contrast = match level {
        "A" => None,
        "AAA" => Some("7:1 for text, 4.5:1 for large text (1.4.6)"),
        _ => Some("4.5:1 for text, 3:1 for large text and for the parts of controls (1.4.3, 1.4.11)"),
    };
    let script = script
        .goal(format!("Audit the application {app} on this Linux desktop for accessibility, against WCAG 2.2 level {level}."))
        .step_with(&["ax_is_accessible"], "ax_is_accessible: without a tree, that is the finding, and the audit ends with it.")
        .step_with(&["ax_a11y_audit"], format!("Start with ax_a11y_audit: app {app}, scope full, standards {standard}. It measures names, roles, keyboard, target sizes and the contrast of text; confirm each issue by its reference and do not repeat what it counts as checked. The next steps are for what it cannot judge."))
        .step_with(&["ax_get_tree"], format!("Read every window whole: ax_get_tree with app {app}, include_invisible and max_depth 30, part by part with root_query where an outline says that it left something out."))
        .step("Names (1.1.1, 2.4.6, 4.1.2): each control that can be acted on, each picture that means something and each field has a name; it says what it does, not how it looks; no two in one place share it.")
        .step_with(&["ax_get_attributes"], "Roles, states and relations (1.3.1, 4.1.2): with ax_get_attributes on a sample of each kind, check that the role fits what it is, that states (checked, expanded, selected, enabled) are reported, that fields have their label, that tables have headers.")
        .step_with(&["ax_key_press"], "Keyboard (2.1.1, 2.1.2, 2.4.3, 2.4.7): ax_key_press tab with app, step by step. Everything can be reached, in a sensible order, with the focus seen, and left again.")
        .step("Structure (1.3.2, 2.4.2): the order of the outline makes sense when it is read aloud; each window has a title of its own; nothing empty can be focused.");
    let script = match contrast {
        // What is measured need not be estimated.
        Some(_) if measured => script,
        Some(least) => script.step_with(&["ax_screenshot"], format!("Contrast: at least {least}. Judge by ax_screenshot, name colours and places, and call it an estimate: a picture in an answer may be scaled.")),
        None => script,
    };
    script
        .step("Report: a table of criterion, element with its reference, finding, severity (blocks, hinders, annoys) and fix; then what was not checked and why; then the verdict for the level. Count what you checked, so that what was not checked does not count as passed.")
        .rule("Only look: change nothing in the application.")
        .rule("A toolkit may hide what a screen reader would announce: call it a finding only with the evidence at hand.")
}
