//! A report as Markdown.

use crate::issue::Issue;
use crate::report::Report;
use crate::rule::Standard;
use handeye_core::screen_text;

/// The report about `subject`, for example the title of a window, as Markdown: a summary, a table of issues, and what was checked.
pub fn write(report: &Report, subject: &str, standards: &[Standard]) -> String {
    let titles: Vec<&str> = standards.iter().map(|standard| standard.title()).collect();
    let verdict = if report.passed() { "passed" } else { "failed" };
    let mut text = format!(
        "# Accessibility audit: {}\n\n{}: **{verdict}**. {}\n",
        cell(subject),
        titles.join(", "),
        report.summary()
    );
    if !report.issues.is_empty() {
        text.push_str("\n| # | Severity | Rule | WCAG | Element | Finding | Suggestion |\n");
        text.push_str("| ---: | --- | --- | --- | --- | --- | --- |\n");
        for (at, issue) in report.issues.iter().enumerate() {
            text.push_str(&row(at + 1, issue));
        }
    }
    text.push_str(
        "\n| Rule | WCAG | Level | Elements checked | Issues |\n| --- | --- | --- | ---: | ---: |\n",
    );
    for (rule, checked) in &report.checks {
        let failed = report.issues.iter().filter(|issue| issue.rule == *rule).count();
        text.push_str(&format!(
            "| {} | [{} {}]({}) | {:?} | {checked} | {failed} |\n",
            rule.id,
            rule.criterion,
            rule.criterion_name,
            rule.address(),
            rule.level
        ));
    }
    text
}

fn row(number: usize, issue: &Issue) -> String {
    let reference = issue.reference.as_ref().map_or_else(String::new, |reference| format!(" `{reference}`"));
    let bounds = issue.bounds.map_or_else(String::new, |bounds| format!(", {bounds}"));
    format!(
        "| {number} | {} | {} | [{}]({}) | {}{reference}{bounds} | {} | {} |\n",
        issue.rule.severity.as_str(),
        issue.rule.id,
        issue.rule.criterion,
        issue.rule.address(),
        cell(&issue.element),
        cell(&issue.description),
        cell(&issue.suggestion)
    )
}

/// Screen text that cannot end its cell or be markup.
fn cell(text: &str) -> String {
    let line = screen_text::line(text, 300);
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '|' | '\\' | '`' | '*' | '[' | ']' | '_' | '#' | '!' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}
