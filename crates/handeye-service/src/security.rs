//! What the user lets be done, as the policy of the gate: the mode decides which operations there are, the rules which applications.

use crate::gate::{Policy, Request};
use crate::sight::Sight;
use handeye_call::caller::Caller;
use handeye_core::{Application, Error, ErrorCode, Invocation, Result, Rule, SecurityMode, Trust};
use handeye_policy::ModeRequests;
use std::sync::Arc;

/// The operations of the mode `sandboxed` (axterminator, section 13.6): they look, and leave everything as it is.
const SANDBOXED: [&str; 13] = [
    "ax_is_accessible",
    "ax_connect",
    "ax_list_apps",
    "ax_find",
    "ax_find_visual",
    "ax_get_tree",
    "ax_get_attributes",
    "ax_screenshot",
    "ax_get_value",
    "ax_list_windows",
    "ax_assert",
    "ax_a11y_audit",
    "ax_session_info",
];
/// The operations that are off in the mode `safe`.
const OFF_WHEN_SAFE: [&str; 1] = ["ax_run_script"];

/// Whether there is an operation in a mode, by the name of its tool. What equals an operation is there with it.
pub fn offers(mode: SecurityMode, tool: &str) -> bool {
    match mode {
        SecurityMode::Normal => true,
        SecurityMode::Safe => !OFF_WHEN_SAFE.contains(&tool),
        SecurityMode::Sandboxed => SANDBOXED.contains(&tool),
    }
}

/// The mode and the rules of the user. What acts is judged by the guard too, on what it will hit.
pub struct Security {
    trust: Arc<Trust>,
    requests: Vec<ModeRequests>,
}

impl Security {
    /// The policy that this trust is. A tighter mode is taken over from `requests` before each call.
    pub const fn new(trust: Arc<Trust>, requests: Vec<ModeRequests>) -> Self {
        Self { trust, requests }
    }
}

impl Policy for Security {
    fn check(&self, request: &Request<'_>) -> Result<()> {
        self.take_over_mode();
        let mode = self.trust.mode();
        // A resource that does not exist is reported as such.
        if offers(mode, request.meta.tool) || request.meta.tool == "resources/read" {
            return Ok(());
        }
        let what = (request.call.reader.spell)(&Invocation::of(request.meta.tool));
        Err(Error::new(ErrorCode::Blocked, format!("{what} is off in the mode {mode}"))
            .with_next("Only the operator of handeye can choose another mode, by starting it with one."))
    }

    fn take_over_mode(&self) {
        for mode in self.requests.iter().filter_map(ModeRequests::asked_for) {
            let now = self.trust.tighten(mode);
            tracing::warn!(%mode, %now, "a tighter mode was asked for");
        }
    }

    fn sight(&self) -> Option<Arc<dyn Sight>> {
        self.trust.rules().hide().then(|| Arc::new(Allowed(Arc::clone(&self.trust))) as Arc<dyn Sight>)
    }
}

/// The applications that no rule denies. They are the same for every caller.
struct Allowed(Arc<Trust>);

impl Sight for Allowed {
    fn shows(&self, _caller: &Caller, application: &Application) -> bool {
        self.0.standing(application).denied.is_none()
    }

    fn rule(&self, _caller: &Caller, application: &Application) -> Option<Rule> {
        self.0.standing(application).denied
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_ops::registry;

    #[test]
    fn a_sandbox_has_what_looks_and_nothing_that_acts() {
        for tool in SANDBOXED {
            let operation = registry::by_tool(tool).unwrap_or_else(|| panic!("there is no {tool}"));
            assert!(!operation.meta().destructive, "{tool} may change something");
        }
        for tool in OFF_WHEN_SAFE {
            assert!(registry::by_tool(tool).is_some(), "there is no {tool}");
        }
        assert!(
            !offers(SecurityMode::Sandboxed, "ax_clipboard") && !offers(SecurityMode::Sandboxed, "image")
        );
        assert!(offers(SecurityMode::Safe, "ax_click") && !offers(SecurityMode::Safe, "ax_run_script"));
    }
}
