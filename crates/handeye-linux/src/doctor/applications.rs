//! Which applications have windows but show no accessibility tree, and why.

use super::Finding;
use handeye_core::{Accessibility, Application, TreeAccess};

/// More than these would bury the rest of the report.
const MOST_NAMED: usize = 10;

pub(super) async fn probe(accessibility: &dyn Accessibility) -> Finding {
    match accessibility.applications().await {
        Ok(applications) => judge(&applications),
        Err(error) => error.into(),
    }
}

fn judge(applications: &[Application]) -> Finding {
    let silent: Vec<(&Application, &str, &str)> = applications
        .iter()
        .filter_map(|application| match &application.tree {
            TreeAccess::Missing { reason, advice } => Some((application, reason.as_str(), advice.as_str())),
            TreeAccess::Available => None,
        })
        .collect();
    let readable = applications.len() - silent.len();
    if silent.is_empty() {
        return Finding::ok(format!("{readable} with a tree"));
    }
    let named: Vec<String> = silent
        .iter()
        .take(MOST_NAMED)
        .map(|(application, reason, _)| match application.pid() {
            Some(pid) => format!("{} (pid {pid}): {reason}", application.name),
            None => format!("{}: {reason}", application.name),
        })
        .collect();
    let more = silent.len() - named.len();
    let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
    let mut advice: Vec<&str> =
        silent.iter().map(|(.., advice)| *advice).filter(|advice| !advice.is_empty()).collect();
    advice.sort_unstable();
    advice.dedup();
    advice.truncate(MOST_NAMED);
    Finding::warn(
        format!("{readable} with a tree, {} without: {}{rest}", silent.len(), named.join("; ")),
        advice.join(" "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::platform::ProbeStatus;
    use handeye_core::{ApplicationId, ProcessIdentity, SourceId};

    fn application(name: &str, tree: TreeAccess) -> Application {
        Application {
            id: ApplicationId::new(SourceId::new("test"), name),
            name: name.into(),
            process: Some(ProcessIdentity::unverified(7)),
            bundle_id: None,
            toolkit: None,
            tree,
        }
    }

    #[test]
    fn an_application_without_a_tree_is_named_with_what_to_do() {
        let missing = TreeAccess::Missing {
            reason: "started without its flag".into(),
            advice: "Start it with --force-renderer-accessibility.".into(),
        };
        let finding =
            judge(&[application("mousepad", TreeAccess::Available), application("chromium", missing)]);
        assert_eq!(finding.status, ProbeStatus::Warn);
        assert!(finding.detail.contains("chromium (pid 7): started without its flag"), "{}", finding.detail);
        assert!(finding.advice.is_some_and(|advice| advice.contains("--force-renderer-accessibility")));
        assert_eq!(judge(&[]).status, ProbeStatus::Ok);
    }
}
