//! The one object that `--json-output` prints (Peekaboo 1.1.2, section II.A.4).

use crate::debug_logs::DebugLogs;
use handeye_core::Error;
use handeye_engine::Dialect;
use serde_json::{Value, json};

/// A command that went well: its answer, and what a user should know besides.
pub(crate) fn success(data: &Value, messages: &[String], logs: &DebugLogs) -> Value {
    json!({ "success": true, "data": data, "messages": messages, "debug_logs": logs.entries_so_far() })
}

/// A command that failed. Peekaboo's code comes first, as its clients know no other; handeye's own, which is finer, stands in
/// the details.
pub(crate) fn failure(error: &Error, logs: &DebugLogs) -> Value {
    let code = Dialect::Peekaboo.code(error.code).unwrap_or(error.code.as_str());
    json!({
        "success": false,
        "error": { "code": code, "message": error.message, "details": details(error) },
        "debug_logs": logs.entries_so_far(),
    })
}

/// A command of which a part failed: its error, and the answer to the rest.
pub(crate) fn partial(error: &Error, data: Value, messages: &[String], logs: &DebugLogs) -> Value {
    let mut object = failure(error, logs);
    object["data"] = data;
    object["messages"] = json!(messages);
    object
}

/// One string, as section II.A.4 has it: handeye's own code, what was found instead, what to do next, a line each.
fn details(error: &Error) -> String {
    let found = error.found.iter().map(|found| format!("found: {found}"));
    let next = error.next.iter().map(|next| format!("next: {next}"));
    std::iter::once(format!("code: {}", error.code)).chain(found).chain(next).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::ErrorCode;

    fn ambiguous() -> Error {
        Error::new(ErrorCode::AppAmbiguous, "several applications are called 'x'")
            .with_found(["x (pid 1)", "x (pid 2)"])
            .with_next("Name one by its pid.")
    }

    #[test]
    fn success_and_failure_have_the_members_of_section_ii_a_4() {
        let logs = DebugLogs::default();
        logs.add("seen");
        assert_eq!(
            success(&json!({"a": 1}), &["careful".to_owned()], &logs),
            json!({"success": true, "data": {"a": 1}, "messages": ["careful"], "debug_logs": ["seen"]})
        );
        assert_eq!(
            failure(&ambiguous(), &logs),
            json!({
                "success": false,
                "error": {
                    "code": "AMBIGUOUS_APP_IDENTIFIER",
                    "message": "several applications are called 'x'",
                    "details": "code: app_ambiguous\nfound: x (pid 1)\nfound: x (pid 2)\nnext: Name one by its pid.",
                },
                "debug_logs": ["seen"],
            })
        );
    }

    #[test]
    fn what_did_not_fail_stands_beside_the_error() {
        let object = partial(&ambiguous(), json!({"saved_files": [1]}), &[], &DebugLogs::default());
        assert_eq!(object["success"], false);
        assert_eq!(object["data"], json!({"saved_files": [1]}));
    }
}
