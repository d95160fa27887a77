//! The answer: sentences, fields, a report as a file, and pictures with the numbers of the issues.

use super::input::{Form, Input};
use super::look::Look;
use crate::shared::is_default;
use handeye_audit::{Issue, Report, Severity, Standard, markdown, sarif};
use handeye_call::call::Call;
use handeye_call::outcome::{Outcome, Picture, Verdict};
use handeye_core::{Error, ErrorCode, NodeId, Result, Text, application_id};
use handeye_engine::Engine;
use handeye_shots::Subject;
use handeye_shots::delivery::{self, Capture, Order};
use handeye_shots::marks::Mark;
use handeye_tree::outline;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Most issues in an answer whose size is limited.
const MAX_ISSUES: usize = 40;
/// Most pictures of one audit.
const MAX_PICTURES: usize = 4;

/// The result.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    passed: bool,
    /// 0 to 100
    score: u32,
    issues: Vec<Entry>,
    /// How many more issues there are
    #[serde(skip_serializing_if = "is_default")]
    left_out: usize,
    summary: String,
    /// The file of the report
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The files with the numbered issues
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pictures: Vec<String>,
}

/// One issue.
#[derive(Serialize, JsonSchema)]
struct Entry {
    severity: Severe,
    rule: &'static str,
    /// The criterion
    wcag: &'static str,
    element: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    element_ref: Option<String>,
    /// [x, y, width, height] on the screen, or in the window where that has no known place
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<[i64; 4]>,
    description: String,
    suggestion: String,
}

/// How much an issue hinders.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Severe {
    Critical,
    Serious,
    Moderate,
    Minor,
}

/// What was found.
pub(super) struct Audited {
    pub(super) look: Look,
    /// All of it, the worst first.
    pub(super) report: Report,
    /// Of each part.
    pub(super) reports: Vec<Report>,
    pub(super) against: Vec<Standard>,
}

/// The answer to a call.
pub(super) async fn made(
    engine: &Engine,
    call: &Call,
    input: &Input,
    mut audited: Audited,
) -> Result<Outcome<Output>> {
    name(engine, call, &mut audited);
    let subject = subject(&audited.look);
    let app = audited.look.app.application().name.clone();
    let report = &audited.report;
    let written = match input.format {
        Form::Text => None,
        Form::Markdown => Some(markdown::write(report, &format!("{app}: {subject}"), &audited.against)),
        Form::Sarif => {
            let log = sarif::write(report, &app, &subject, &audited.against);
            Some(serde_json::to_string_pretty(&log).map_err(Error::internal)? + "\n")
        }
    };
    let most = if call.reader.budget.tokens == usize::MAX { usize::MAX } else { MAX_ISSUES };
    let plain = plain(report, most);
    let mut notes = notes(&audited.look);
    let path = match &input.output {
        Some(path) => {
            let whole = written.clone().unwrap_or_else(|| self::plain(report, usize::MAX));
            let grant = engine.desk.may_write_pictures(call).await?;
            let saved = delivery::save_report(&grant, &engine.delivery, path, whole).await;
            grant.ended(&saved).await;
            let path = saved?;
            notes.push(format!("Report: {path}").into());
            Some(path)
        }
        None => None,
    };
    let drawn = if input.annotate { pictures(engine, call, &audited).await? } else { Drawn::default() };
    notes.extend(drawn.notes);
    // What is in the file need not be in the answer too.
    let text = match written {
        Some(written) if input.output.is_none() => written,
        _ => plain,
    };
    let fields = Output {
        passed: report.passed(),
        score: report.score(),
        issues: report.issues.iter().take(most).map(entry).collect(),
        left_out: report.issues.len().saturating_sub(most),
        summary: report.summary(),
        path,
        pictures: drawn.paths,
    };
    let verdict = Verdict::of(report.passed(), ErrorCode::AssertionFailed);
    Ok(Outcome { notes, verdict, pictures: drawn.pictures, ..Outcome::new(text, fields) })
}

/// Gives every issue the reference and the line of its element.
fn name(engine: &Engine, call: &Call, audited: &mut Audited) {
    let id = application_id(audited.look.app.as_ref());
    let minter = engine.desk.handles(call).minter(&id, &audited.look.tree);
    for issue in &mut audited.report.issues {
        issue.reference =
            minter.as_ref().and_then(|minter| minter.mint(issue.node)).map(|one| one.to_string());
        if let Some(node) = audited.look.tree.get(issue.node) {
            issue.element = outline::line(node, None).into();
        }
    }
}

/// What was audited, for people.
fn subject(look: &Look) -> String {
    match look.parts.as_slice() {
        [only] => look.tree.get(only.root).map_or_else(String::new, |node| node.name.to_string()),
        several => format!("{} windows", several.len()),
    }
}

fn plain(report: &Report, most: usize) -> String {
    let verdict = if report.passed() { "Passed" } else { "Failed" };
    let mut text = format!("{verdict}. {}", report.summary());
    for (at, issue) in report.issues.iter().take(most).enumerate() {
        let reference =
            issue.reference.as_ref().map_or_else(String::new, |reference| format!(" [ref={reference}]"));
        text.push_str(&format!(
            "\n{}. {} {} ({}): {}{reference}: {}. {}",
            at + 1,
            issue.rule.severity.as_str(),
            issue.rule.id,
            issue.rule.criterion,
            issue.element,
            issue.description,
            issue.suggestion
        ));
    }
    let more = report.issues.len().saturating_sub(most);
    if more > 0 {
        text.push_str(&format!("\n{more} more: output writes all of them to a file."));
    }
    text
}

fn notes(look: &Look) -> Vec<Text> {
    let mut notes = Vec::new();
    if let Some(why) = &look.without_picture {
        notes.push(format!("No picture, so no contrast was measured: {why}.").into());
    }
    if look.left_out > 0 {
        notes.push(format!("{} windows were left out.", look.left_out).into());
    }
    notes
}

fn entry(issue: &Issue) -> Entry {
    Entry {
        severity: match issue.rule.severity {
            Severity::Critical => Severe::Critical,
            Severity::Serious => Severe::Serious,
            Severity::Moderate => Severe::Moderate,
            Severity::Minor => Severe::Minor,
        },
        rule: issue.rule.id,
        wcag: issue.rule.criterion,
        element: issue.element.clone(),
        element_ref: issue.reference.clone(),
        bounds: issue.bounds.map(|bounds| {
            let ((x, y), size) = (bounds.corner(), bounds.size());
            [x.into(), y.into(), size.width.into(), size.height.into()]
        }),
        description: issue.description.clone(),
        suggestion: issue.suggestion.clone(),
    }
}

/// Pictures with the numbers of the issues.
#[derive(Default)]
struct Drawn {
    pictures: Vec<Picture>,
    paths: Vec<String>,
    notes: Vec<Text>,
}

/// A picture of each window that has issues.
async fn pictures(engine: &Engine, call: &Call, audited: &Audited) -> Result<Drawn> {
    let mut numbers: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    for (at, issue) in audited.report.issues.iter().enumerate() {
        numbers.entry(issue.node).or_default().push(at + 1);
    }
    let mut drawn = Drawn::default();
    for (part, report) in audited.look.parts.iter().zip(&audited.reports) {
        let (Some(frame), Some(window)) = (&part.frame, &part.window) else { continue };
        let mut marks: Vec<Mark> = Vec::new();
        for issue in &report.issues {
            let own = numbers.remove(&issue.node);
            if let (Some(own), Some(area)) = (own, issue.bounds) {
                let reference = own.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
                marks.push(Mark { reference, line: issue.element.clone(), area });
            }
        }
        if marks.is_empty() || drawn.paths.len() >= MAX_PICTURES {
            continue;
        }
        let subject = Subject::Window(window.id);
        let capture = Capture { frame: frame.as_ref().clone(), subject, scale: part.scale };
        let mut delivered = engine.deliver(call, capture, Order { marks, ..Order::configured() }).await?;
        drawn.notes.push(delivered.sentence("the numbers are those of the issues").into());
        if let Some(path) = delivered.file()?.filter(|file| file.shown.is_some()) {
            drawn.paths.push(path.path.display().to_string());
        }
        drawn.pictures.extend(delivered.picture);
    }
    Ok(drawn)
}
