//! Which scopes a call needs. The gate asks here, and so does a face that has to say beforehand what is missing.

use handeye_call::scopes::{Scope, Scopes};
use handeye_core::{Error, ErrorCode, Result};
use handeye_engine::{Meta, Operation, Toolset};
use handeye_ops::clipboard::ReadOrWrite;
use handeye_ops::registry;
use handeye_resources::Address;
use serde_json::Value;

/// To look.
const READ: Scopes = Scopes::of(&[Scope::Read]);
/// To act: an answer reports what was seen to change.
const ACT: Scopes = Scopes::of(&[Scope::Read, Scope::Act]);
/// To run scripts, which can do whatever an action can.
const SCRIPT: Scopes = Scopes::of(&[Scope::Read, Scope::Act, Scope::Script]);
/// To read or write the clipboard.
const CLIPBOARD: Scopes = Scopes::of(&[Scope::Clipboard]);
/// What a call needs besides that names a file.
const FILES: Scopes = Scopes::of(&[Scope::Files]);

/// What a call of an operation needs. A new toolset has to be placed here.
pub fn needed(meta: &Meta) -> Scopes {
    match meta.toolset {
        Toolset::Script => SCRIPT,
        Toolset::Context if meta.tool == ReadOrWrite::META.tool => CLIPBOARD,
        // To connect is to look: every tool does it by itself.
        Toolset::Connect => READ,
        Toolset::Find
        | Toolset::Action
        | Toolset::Observe
        | Toolset::Pictures
        | Toolset::Planning
        | Toolset::Vision
        | Toolset::Compose
        | Toolset::Assert
        | Toolset::Context => {
            if meta.read_only {
                READ
            } else {
                ACT
            }
        }
    }
}

/// Lets a call pass that has the scopes that it needs.
///
/// # Errors
/// [`ErrorCode::Blocked`] with those that are missing.
pub(crate) fn require(meta: &Meta, names_files: bool, held: Scopes) -> Result<()> {
    covered(meta.tool, with_files(needed(meta), names_files), held)
}

fn covered(what: &str, needed: Scopes, held: Scopes) -> Result<()> {
    if held.cover(needed) {
        return Ok(());
    }
    let missing = held.missing_of(needed);
    let message = format!("the authorization of this client lacks the scope {missing}, which {what} needs");
    Err(Error::new(ErrorCode::Blocked, message)
        .with_next(format!("Authorize the client again, for the scopes {needed}.")))
}

const fn with_files(scopes: Scopes, names_files: bool) -> Scopes {
    if names_files { scopes.and(FILES) } else { scopes }
}

/// What a call of a tool with these parameters needs. That of an unknown tool needs nothing: it is answered with an error.
pub fn of_call(tool: &str, arguments: &Value) -> Scopes {
    let Some(operation) = registry::by_tool(tool) else { return Scopes::NONE };
    let names_files = operation.parse_json(arguments.clone()).is_ok_and(|input| input.names_files);
    with_files(needed(operation.meta()), names_files)
}

/// What reading or watching a resource needs: what the operation does that it equals. The clipboard has text of any application, however a
/// policy judges it.
pub fn of_resource(uri: &str) -> Scopes {
    match Address::parse(uri) {
        Ok(Address::Clipboard) => CLIPBOARD,
        Ok(address) => needed(address.definition().equals),
        Err(_) => READ,
    }
}

/// Lets a client read or watch a resource that has the scopes that it needs.
///
/// # Errors
/// [`ErrorCode::Blocked`] with those that are missing.
pub fn require_resource(uri: &str, held: Scopes) -> Result<()> {
    covered(uri, of_resource(uri), held)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What each operation needs, in the order of the registry's names.
    const TABLE: &[(&str, &str)] = &[
        ("analyze", "read"),
        ("ax_a11y_audit", "read"),
        ("ax_assert", "read"),
        ("ax_click", "read act"),
        ("ax_click_at", "read act"),
        ("ax_clipboard", "clipboard"),
        ("ax_connect", "read"),
        ("ax_drag", "read act"),
        ("ax_find", "read"),
        ("ax_find_visual", "read"),
        ("ax_get_attributes", "read"),
        ("ax_get_tree", "read"),
        ("ax_get_value", "read"),
        ("ax_is_accessible", "read"),
        ("ax_key_press", "read act"),
        ("ax_list_apps", "read"),
        ("ax_list_windows", "read"),
        ("ax_next_action", "read"),
        ("ax_run_script", "read act script"),
        ("ax_screenshot", "read"),
        ("ax_scroll", "read act"),
        ("ax_session_info", "read"),
        ("ax_set_value", "read act"),
        ("ax_type", "read act"),
        ("ax_undo", "read act"),
        ("ax_visual_diff", "read"),
        ("ax_wait_idle", "read"),
        ("ax_workflow", "read act"),
        ("image", "read act"),
        ("list", "read"),
        ("screenshot_app_window", "read"),
    ];

    #[test]
    fn every_operation_needs_what_the_table_has() {
        let mut found: Vec<(&str, String)> = registry::all()
            .iter()
            .map(|operation| (operation.meta().tool, needed(operation.meta()).to_string()))
            .collect();
        found.sort();
        let expected: Vec<(&str, String)> =
            TABLE.iter().map(|(tool, scopes)| (*tool, (*scopes).to_owned())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_names_a_file_needs_files_too() {
        for (tool, arguments, is_needed) in [
            ("analyze", json!({ "image_path": "/a.png", "question": "?" }), true),
            ("ax_visual_diff", json!({ "app": "x", "baseline": "/a.png" }), true),
            ("ax_a11y_audit", json!({ "app": "x" }), false),
            ("ax_a11y_audit", json!({ "app": "x", "output": "/a.json" }), true),
            ("image", json!({}), false),
            ("image", json!({ "path": "/a.png" }), true),
            ("ax_clipboard", json!({ "action": "read" }), false),
            ("ax_clipboard", json!({ "action": "write", "path": "/a.png" }), true),
            ("ax_clipboard", json!({ "action": "write", "files": ["/a.png"] }), true),
            ("ax_screenshot", json!({ "app": "x" }), false),
            ("ax_workflow", json!({ "steps": [] }), false),
            ("ax_workflow", json!({ "file": "/a.yaml" }), true),
        ] {
            let operation = registry::by_tool(tool).expect(tool);
            operation.parse_json(arguments.clone()).map(drop).expect("sound parameters");
            assert_eq!(of_call(tool, &arguments).has(Scope::Files), is_needed, "{tool} {arguments}");
        }
    }

    #[test]
    fn a_resource_needs_what_its_tool_needs() {
        for (uri, scopes) in [
            ("handeye://clipboard", "clipboard"),
            ("handeye://recording/start", "read act"),
            ("handeye://app/x/tree", "read"),
            ("handeye://nonsense", "read"),
        ] {
            assert_eq!(of_resource(uri).to_string(), scopes, "{uri}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let click = registry::by_tool("ax_click").expect("there").meta();
        let error = require(click, false, READ).expect_err("no right to act");
        assert_eq!(error.code, ErrorCode::Blocked);
        assert!(error.message.contains("scope act,"), "{error}");
        assert!(require(click, true, ACT).is_err_and(|error| error.message.contains("files")));
        assert!(require(click, true, Scopes::ALL).is_ok());
    }
}
