//! What a script gets: the JSON shapes that the command line promises, and the exit code of an answer.

use handeye_core::ErrorCode;
use serde_json::Value;

/// The fields of an answer in the shape that `--format json` promises: a list of applications is an array, a tree is
/// its root element with `children`; everything else is as the tool answers it.
pub(crate) fn for_scripts(tool: &str, mut fields: Value) -> Value {
    let key = match tool {
        "ax_list_apps" => "apps",
        "ax_list_windows" => "windows",
        "ax_get_tree" => "tree",
        _ => return fields,
    };
    match fields.get_mut(key) {
        Some(part) if part.is_array() || part.is_object() => part.take(),
        _ => fields,
    }
}

/// The exit code of a call that was answered: an answer may say "no" without being an error.
pub(crate) fn exit_code(tool: &str, fields: &Value) -> u8 {
    let says_no = |key: &str| fields.get(key) == Some(&Value::Bool(false));
    match tool {
        "ax_is_accessible" if says_no("enabled") => ErrorCode::AccessibilityUnavailable.exit_code(),
        "ax_find" if says_no("found") => ErrorCode::ElementNotFound.exit_code(),
        "ax_wait_idle" if says_no("idle") => ErrorCode::Timeout.exit_code(),
        _ if effect(fields) == Some("refused") => ErrorCode::Refused.exit_code(),
        _ => 0,
    }
}

fn effect(fields: &Value) -> Option<&str> {
    let effect = fields.get("effect")?;
    effect.as_str().or_else(|| effect.get("status")?.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn scripts_get_arrays_and_trees() {
        assert_eq!(for_scripts("ax_list_apps", json!({"apps": [1], "count": 1})), json!([1]));
        assert_eq!(for_scripts("ax_get_tree", json!({"tree": {"children": []}})), json!({"children": []}));
        assert_eq!(for_scripts("ax_find", json!({"apps": [1]})), json!({"apps": [1]}));
    }

    #[test]
    fn an_answer_that_says_no_has_an_exit_code() {
        assert_eq!(exit_code("ax_find", &json!({"found": false})), 4);
        assert_eq!(exit_code("ax_wait_idle", &json!({"idle": false})), 7);
        assert_eq!(exit_code("ax_is_accessible", &json!({"enabled": false})), 6);
        assert_eq!(exit_code("ax_click", &json!({"effect": "refused"})), 5);
        assert_eq!(exit_code("ax_click", &json!({"effect": "unconfirmed"})), 0);
    }
}
