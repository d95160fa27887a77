//! `ax_a11y_audit`: whether people with disabilities can use a window, by its tree and its pixels.

mod answer;
mod look;

use crate::shared::is_default;
use answer::Output;
use async_trait::async_trait;
use clap::{Args, ValueEnum};
use handeye_audit::{Report, Stage, Standard, Subject, audit};
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{Error, ErrorCode, Invocation, Result, text};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use look::{Look, Part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Audits the accessibility of an application.
pub struct Audit;

/// What to audit, and against what.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
    #[arg(
        long,
        value_enum,
        default_value_t,
        help = "What to audit: all windows, the topmost one, or an element"
    )]
    #[serde(default)]
    scope: Scope,
    /// For scope element
    #[arg(long, value_name = "QUERY", help = "The element, for --scope element")]
    query: Option<String>,
    #[arg(
        long = "standard",
        value_enum,
        value_name = "STANDARD",
        help = "Audit against this; may be repeated"
    )]
    #[arg(default_values_t = standards())]
    #[serde(default = "standards")]
    standards: Vec<Against>,
    /// Also a picture with numbered issues
    #[arg(long, help = "Save a picture with the numbers of the issues")]
    #[serde(default, skip_serializing_if = "is_default")]
    annotate: bool,
    #[arg(
        long = "report",
        id = "report_format",
        value_enum,
        default_value_t,
        help = "How the text is written"
    )]
    #[serde(default, skip_serializing_if = "is_default")]
    format: Form,
    /// Write it to this new file
    #[arg(long, short, value_name = "PATH", help = "Write the report to this new file")]
    output: Option<PathBuf>,
}

/// How much of the application is audited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum Scope {
    /// Every window that shows.
    Full,
    /// The topmost window.
    #[default]
    FocusedWindow,
    /// One element and what is in it.
    Element,
}

/// A standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum Against {
    WcagA,
    WcagAa,
    WcagAaa,
    Section508,
}

impl From<Against> for Standard {
    fn from(against: Against) -> Self {
        match against {
            Against::WcagA => Self::WcagA,
            Against::WcagAa => Self::WcagAa,
            Against::WcagAaa => Self::WcagAaa,
            Against::Section508 => Self::Section508,
        }
    }
}

fn standards() -> Vec<Against> {
    vec![Against::WcagAa]
}

impl std::fmt::Display for Against {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::WcagA => "wcag_a",
            Self::WcagAa => "wcag_aa",
            Self::WcagAaa => "wcag_aaa",
            Self::Section508 => "section508",
        })
    }
}

/// How the text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Form {
    #[default]
    Text,
    Markdown,
    Sarif,
}

#[async_trait]
impl Operation for Audit {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_a11y_audit",
        command: "audit",
        title: "Accessibility audit",
        description: "Check names, roles, keyboard, target sizes and measured contrast against WCAG",
        elements: &["query"],
        toolset: Toolset::Assert,
        deadline: Duration::from_secs(60),
        narrower: || {
            text![
                Invocation::of("ax_a11y_audit"),
                " with scope element audits a part; output writes all issues to a file."
            ]
        },
        task: true,
        pictures: true,
        output_published: false,
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        check(&input)?;
        let against: Vec<Standard> = input.standards.iter().copied().map(Standard::from).collect();
        let look = Look::take(engine, call, &input).await?;
        let mut report = Report::default();
        let mut reports = Vec::new();
        for part in &look.parts {
            let of_part = judged(call, &look, part, &against).await?;
            report.merge(of_part.clone());
            reports.push(of_part);
        }
        answer::made(engine, call, &input, answer::Audited { look, report, reports, against }).await
    }
}

/// Whether the parameters go together.
fn check(input: &Input) -> Result<()> {
    if input.standards.is_empty() {
        return Err(Error::invalid_parameter("standards", "is empty")
            .with_next("Leave it out for wcag_aa, or name wcag_a, wcag_aa, wcag_aaa or section508."));
    }
    match (input.scope, input.query.as_deref().map(str::trim)) {
        (Scope::Element, None | Some("")) => {
            Err(Error::invalid_parameter("query", "is missing: the scope 'element' needs it"))
        }
        (Scope::Full | Scope::FocusedWindow, Some(_)) => {
            Err(Error::invalid_parameter("query", "names an element, but the scope is a window")
                .with_next("Add scope element, or leave the query out."))
        }
        _ => Ok(()),
    }
}

/// Judges a part away from the threads that serve calls.
async fn judged(call: &Call, look: &Look, part: &Part, against: &[Standard]) -> Result<Report> {
    let (progress, tree) = (call.progress.clone(), Arc::clone(&look.tree));
    let (frame, links, against) = (part.frame.clone(), Arc::clone(&look.links), against.to_vec());
    let (root, place, scale) = (part.root, part.place(), part.scale);
    let title = part.window.as_ref().map(|window| window.title.clone()).unwrap_or_default();
    let work = move || {
        let subject = Subject {
            tree: &tree,
            root,
            title: &title,
            place,
            frame: frame.as_deref(),
            scale,
            links: &links,
        };
        audit(&subject, &against, &mut |stage| match stage {
            Stage::Elements(done, total) => progress.note(format!("Checking elements ({done}/{total})")),
            Stage::Labels => progress.note("Checking labels and order"),
            Stage::Contrast(done, total) => progress.note(format!("Measuring contrast ({done}/{total})")),
        })
    };
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Error::new(ErrorCode::Internal, format!("the audit ended early: {error}")))
}
