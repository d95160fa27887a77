//! A report as SARIF 2.1.0, the exchange format of analysis tools, so that a build can show and compare the issues.

use crate::report::Report;
use crate::rule::{RULES, Severity, Standard};
use handeye_core::Extents;
use serde_json::{Value, json};

/// The schema that a SARIF file names.
pub const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The report about an application as a SARIF log. Elements are logical locations; their bounds are properties, as a desktop has no files.
pub fn write(report: &Report, app: &str, subject: &str, standards: &[Standard]) -> Value {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|rule| {
            json!({
                "id": rule.id,
                "shortDescription": {"text": rule.title},
                "helpUri": rule.address(),
                "defaultConfiguration": {"level": level(rule.severity)},
                "properties": {
                    "wcag": rule.criterion,
                    "wcagName": rule.criterion_name,
                    "wcagLevel": rule.level,
                    "severity": rule.severity,
                    "tags": ["accessibility", format!("wcag{}", rule.criterion.replace('.', ""))],
                },
            })
        })
        .collect();
    let results: Vec<Value> = report
        .issues
        .iter()
        .map(|issue| {
            let index = RULES.iter().position(|rule| *rule == issue.rule);
            json!({
                "ruleId": issue.rule.id,
                "ruleIndex": index,
                "level": level(issue.rule.severity),
                "message": {"text": format!("{}: {}. {}", issue.element, issue.description, issue.suggestion)},
                "locations": [{
                    "logicalLocations": [{
                        "name": issue.element,
                        "fullyQualifiedName": format!("{app}/{subject}/{}", issue.element),
                        "kind": "element",
                    }],
                }],
                "properties": {
                    "severity": issue.rule.severity,
                    "wcag": issue.rule.criterion,
                    "reference": issue.reference,
                    "bounds": issue.bounds.map(bounds),
                },
            })
        })
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "handeye",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "results": results,
            "properties": {
                "application": app,
                "window": subject,
                "standards": standards,
                "score": report.score(),
                "passed": report.passed(),
                "summary": report.summary(),
            },
        }],
    })
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::Serious => "error",
        Severity::Moderate => "warning",
        Severity::Minor => "note",
    }
}

fn bounds(extents: Extents) -> Value {
    let ((x, y), size) = (extents.corner(), extents.size());
    let space = match extents {
        Extents::OnScreen(_) => "screen",
        Extents::InWindow(_) => "window",
    };
    json!({"x": x, "y": y, "width": size.width, "height": size.height, "space": space})
}
