//! The report of a workflow as `JUnit` XML, which servers for continuous integration read.

use crate::report::{Report, StepState};
use std::fmt::Write as _;

/// The report, one test case for each step.
pub fn write(report: &Report<'_>) -> String {
    let count = |state| (0..report.tools.len()).filter(|&index| report.state(index) == state).count();
    let total: u64 = report.tried.iter().map(|step| step.duration_ms).sum();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let attributes = format!(
        "name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{}\"",
        escaped(report.name),
        report.tools.len(),
        count(StepState::Failed),
        count(StepState::Skipped) + count(StepState::NotRun),
        seconds(total),
    );
    // A String takes whatever is written to it.
    writeln!(xml, "<testsuites>\n  <testsuite {attributes}>").unwrap_or_default();
    for (index, tool) in report.tools.iter().enumerate() {
        let step = report.tried.get(index);
        let time = seconds(step.map_or(0, |step| step.duration_ms));
        let case = format!(
            "    <testcase classname=\"{}\" name=\"{}. {}\" time=\"{time}\"",
            escaped(report.name),
            index + 1,
            escaped(tool)
        );
        let why = step.and_then(|step| step.error.as_deref()).unwrap_or_default();
        match report.state(index) {
            StepState::Done => writeln!(xml, "{case}/>"),
            StepState::Failed => {
                writeln!(xml, "{case}>\n      <failure message=\"{}\"/>\n    </testcase>", escaped(why))
            }
            StepState::Skipped => {
                writeln!(xml, "{case}>\n      <skipped message=\"{}\"/>\n    </testcase>", escaped(why))
            }
            StepState::NotRun => {
                writeln!(xml, "{case}>\n      <skipped message=\"not reached\"/>\n    </testcase>")
            }
        }
        .unwrap_or_default();
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1_000, milliseconds % 1_000)
}

/// A text between quotes in XML, without what XML cannot hold.
fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '>' => written.push_str("&gt;"),
            '"' => written.push_str("&quot;"),
            '\n' | '\t' | '\r' => written.push(' '),
            '\u{fffe}' | '\u{ffff}' => written.push('\u{fffd}'),
            c if c.is_control() => written.push('\u{fffd}'),
            c => written.push(c),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::StepReport;

    fn step(ok: bool, error: Option<&str>) -> StepReport {
        let error = error.map(str::to_owned);
        StepReport {
            tool: "ax_find".into(),
            ok,
            attempts: 1,
            duration_ms: 1_250,
            effect: None,
            error,
            result: None,
        }
    }

    #[test]
    fn each_step_is_a_test_case() {
        let tried = [step(true, None), step(false, Some("no \"<b>\" & \u{7}")), step(false, Some("gone"))];
        let report = Report { name: "a & b", tools: vec!["ax_find"; 5], tried: &tried, success: false };
        let xml = write(&report);
        assert!(
            xml.contains(
                "name=\"a &amp; b\" tests=\"5\" failures=\"1\" errors=\"0\" skipped=\"3\" time=\"3.750\""
            ),
            "{xml}"
        );
        assert!(xml.contains("<skipped message=\"no &quot;&lt;b&gt;&quot; &amp; \u{fffd}\"/>"), "{xml}");
        assert!(xml.contains("<failure message=\"gone\"/>"), "{xml}");
        assert_eq!(xml.matches("not reached").count(), 2);
    }
}
