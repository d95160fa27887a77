//! `cross-app-copy`

use super::argument::{Kind, required};
use super::arguments::Arguments;
use super::definition::Definition;
use super::script::Script;

pub(super) const PROMPT: Definition = Definition {
    name: "cross-app-copy",
    title: "Copy Data Between Apps",
    description: "Copy data from one application to another, by value where that is possible, and verify what arrived.",
    arguments: &[
        required("source_app", "App to copy from", Kind::Application),
        required("source_element", "What to copy", Kind::Element("source_app")),
        required("target_app", "App to paste into", Kind::Application),
        required("target_element", "Where to paste", Kind::Element("target_app")),
    ],
    needs: &[READS, WRITES],
    write,
};

const READS: &[&str] = &["ax_get_value", "ax_get_tree", "ax_find"];
const WRITES: &[&str] = &["ax_set_value", "ax_type", "ax_key_press"];

fn write<'a>(arguments: &Arguments, script: Script<'a>) -> Script<'a> {
    let quoted = |name| arguments.quoted(name);
    let (source, from) = (quoted("source_app"), quoted("source_element"));
    let (target, to) = (quoted("target_app"), quoted("target_element"));
    script
        .goal(format!("Copy {from} of the application {source} to {to} of the application {target}, on this Linux desktop."))
        .step("Find both elements in the outlines below. If one is not there or several could be meant, ask before you touch anything.")
        .step_by(&[
            (&["ax_get_value"], "Read the source: ax_get_value. A long text, a table or several items: element by element, in order."),
            (&["ax_get_tree"], "Read the source: ax_get_tree with the element's reference as root_query."),
            (&["ax_find"], "Read the source: ax_find reports its value."),
        ])
        .step_by(&[
            (&["ax_get_value"], "Read the target too, and keep what is there: it may have to come back. If it is not empty, say whether you replace it or add to it, and which of both was asked for."),
        ])
        .step_by(&[
            (&["ax_set_value", "ax_type"], "Write it: ax_set_value replaces what is there, ax_type adds at the caret. Both work in the background and read back what arrived. No clipboard is needed, and the user's is not changed."),
            (&["ax_set_value"], "Write it: ax_set_value replaces what is there and reads back what arrived. No clipboard is needed."),
            (&["ax_type"], "Write it: ax_type adds at the caret, or replaces with clear_first, and reads back what arrived. No clipboard is needed."),
        ])
        .step_by(&[
            (&["ax_key_press", "ax_clipboard"], "Only content that is not text (a picture, cells with their format) goes by the clipboard. That overwrites the user's clipboard: ask first, and read what is there with ax_clipboard. Select the source, ax_key_press ctrl+c with its app, see with ax_clipboard that it arrived and in which formats, ctrl+v in the target, and write back what the clipboard had before."),
            (&["ax_key_press"], "Only content that is not text (a picture, cells with their format) goes by the clipboard: select it, ax_key_press ctrl+c with the app of the source, then ctrl+v with that of the target. That overwrites the user's clipboard: ask first."),
        ])
        .step_by(&[
            (&["ax_get_value"], "Verify: ax_get_value of the target, compared with the source to the last character. Report what differs: line ends, formats, a length limit."),
            (&["ax_get_tree"], "Verify: ax_get_tree of the target, compared with the source."),
            (&["ax_find"], "Verify: ax_find of the target, compared with the source."),
        ])
        .step("Report what was copied (how much, not the text of anything secret), and what the target held before.")
        .rule("Never copy out of a password field.")
        .rule("Save nothing, and submit no form, unless you were asked to.")
}
