//! What a script gets: the JSON shapes that the command line promises, and the exit code of an answer.

use crate::outline;
use handeye_call::outcome::Answer;
use handeye_core::ErrorCode;
use serde_json::{Map, Value};

/// The answer without references: where no daemon keeps them, they end with this process.
pub(crate) fn without_references(mut answer: Answer) -> Answer {
    answer.text = outline::without_references(&answer.text);
    forget(&mut answer.fields);
    answer
}

fn forget(fields: &mut Value) {
    match fields {
        Value::Object(object) => {
            object.remove("element_ref");
            object.values_mut().for_each(forget);
        }
        Value::Array(items) => items.iter_mut().for_each(forget),
        Value::String(text) if text.contains("[ref=") => *text = outline::without_references(text),
        _ => {}
    }
}

/// The fields of an answer in the shape that `--format json` promises: applications and windows are an array, a tree is
/// a root with `children`; everything else is as the tool answers it.
pub(crate) fn for_scripts(tool: &str, mut answer: Answer) -> Value {
    let list = |fields: &mut Value, key: &str| match fields.get_mut(key) {
        Some(list) if list.is_array() => list.take(),
        _ => fields.take(),
    };
    match tool {
        "ax_list_apps" => list(&mut answer.fields, "apps"),
        "ax_list_windows" => list(&mut answer.fields, "windows"),
        "ax_get_tree" => {
            answer.fields["children"] = outline::nested(&answer.text).into();
            answer.fields
        }
        _ => answer.fields,
    }
}

/// The fields of an answer as `data` of `--json-output`: in the commands of Peekaboo as its command line has them (1.1.2,
/// sections II.B and II.C), which is not quite as its tools do; everything else as `--format json` promises.
pub(crate) fn for_peekaboo(tool: &str, mut answer: Answer) -> Value {
    if tool != "list" {
        return for_scripts(tool, answer);
    }
    if let Value::Object(fields) = &mut answer.fields {
        rename(fields, "application_list", "applications");
        rename(fields, "window_list", "windows");
        for window in fields.get_mut("windows").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(Value::Object(bounds)) = window.get_mut("bounds") {
                rename(bounds, "w", "width");
                rename(bounds, "h", "height");
            }
        }
    }
    answer.fields
}

fn rename(object: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = object.remove(from) {
        object.insert(to.to_owned(), value);
    }
}

/// The exit code of a call that was answered: an answer may say "no" without being an error.
pub(crate) fn exit_code(tool: &str, fields: &Value) -> u8 {
    let says_no = |key: &str| fields.get(key) == Some(&Value::Bool(false));
    match tool {
        "ax_is_accessible" if says_no("enabled") => ErrorCode::AccessibilityUnavailable.exit_code(),
        "ax_find_visual" if says_no("found") => ErrorCode::ElementNotFound.exit_code(),
        "ax_wait_idle" if says_no("idle") => ErrorCode::Timeout.exit_code(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_call::outcome::Outcome;
    use serde_json::json;

    #[test]
    fn scripts_get_arrays_and_trees() {
        let shaped = |tool: &str, text: &str, fields: Value| for_scripts(tool, Outcome::new(text, fields));
        assert_eq!(shaped("ax_list_apps", "", json!({"apps": [1], "count": 1})), json!([1]));
        assert_eq!(
            shaped("ax_get_tree", "- window \"A\"\n", json!({"shown": 1})),
            json!({"shown": 1, "children": [{"role": "window", "name": "A"}]})
        );
        assert_eq!(shaped("ax_find", "", json!({"apps": [1]})), json!({"apps": [1]}));
    }

    #[test]
    fn peekaboo_1_1_2_ii_c_lists_have_the_names_of_its_command_line() {
        let shaped = |fields: Value| for_peekaboo("list", Outcome::new("", fields));
        assert_eq!(shaped(json!({"application_list": [{"pid": 1}]})), json!({"applications": [{"pid": 1}]}));
        assert_eq!(
            shaped(json!({
                "window_list": [{"window_title": "A", "bounds": {"x": 1, "y": 2, "w": 3, "h": 4}}, {"window_title": "B"}],
                "target_application_info": {"pid": 1},
            })),
            json!({
                "windows": [
                    {"window_title": "A", "bounds": {"x": 1, "y": 2, "width": 3, "height": 4}},
                    {"window_title": "B"},
                ],
                "target_application_info": {"pid": 1},
            })
        );
        let apps = for_peekaboo("ax_list_apps", Outcome::new("", json!({"apps": [1]})));
        assert_eq!(apps, json!([1]), "as --format json");
    }

    #[test]
    fn references_are_forgotten() {
        let fields = json!({"element_ref": "e1", "effect": {"changes": ["button \"A\" [ref=e2] appeared"]}});
        let answer = without_references(Outcome::new("- button \"A\" [ref=e2]", fields));
        assert_eq!(answer.text, "- button \"A\"");
        assert_eq!(answer.fields, json!({"effect": {"changes": ["button \"A\" appeared"]}}));
    }

    #[test]
    fn an_answer_that_says_no_has_an_exit_code() {
        assert_eq!(exit_code("ax_find_visual", &json!({"found": false})), 4);
        assert_eq!(exit_code("ax_wait_idle", &json!({"idle": false})), 7);
        assert_eq!(exit_code("ax_is_accessible", &json!({"enabled": false})), 6);
        assert_eq!(exit_code("ax_click", &json!({"effect": {"status": "unconfirmed"}})), 0);
    }
}
