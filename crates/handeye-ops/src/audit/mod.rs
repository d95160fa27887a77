//! `ax_a11y_audit`: whether people with disabilities can use a window, by its tree and its pixels.

mod answer;
mod input;
mod look;

use answer::Output;
use async_trait::async_trait;
use handeye_audit::{Report, Stage, Standard, Subject, audit};
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{Error, ErrorCode, Invocation, Result, text};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use input::{Input, Scope};
use look::{Look, Part};
use std::sync::Arc;
use std::time::Duration;

/// Audits the accessibility of an application.
pub struct Audit;

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

    fn names_files(input: &Input) -> bool {
        input.output.is_some()
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
