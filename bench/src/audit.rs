//! The accessibility audit of whole windows over MCP: tree, picture and rules, with contrast and without.

use crate::Result;
use crate::applications::{self, ALL, Application, LARGE};
use crate::mcp_client::Client;
use crate::options::Options;
use crate::report::{Report, ms, verdict};
use crate::samples::Series;
use serde_json::json;
use std::time::Instant;

/// What the issue asks for, in milliseconds, for a window of about 500 elements.
const TARGET: f64 = 500.0;
/// Applications whose windows show fewer elements than that, by their names in `--applications`.
const SMALLER: [&str; 2] = ["gtk4", "office"];
/// The standards, and what each is called here: level AA is the first one that asks for contrast.
const STANDARDS: [(&str, &str); 2] = [("with", "wcag_aa"), ("without", "wcag_a")];

/// Measures each application by itself.
pub fn measure(options: &Options, report: &mut Report) -> Result<()> {
    let headings = [
        "Application",
        "elements",
        "texts with a measured contrast",
        "first audit",
        "",
        "again",
        "",
        "again, without contrast",
    ];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    let smaller = ALL.iter().filter(|one| SMALLER.contains(&one.key));
    for application in smaller.chain([&LARGE]).filter(|one| options.wants_application(one.key)) {
        let running = applications::start_one(application.key)?;
        let mut times = Series::default();
        for _ in 0..options.rounds {
            audits(options, application, &mut times)?;
        }
        let Extent { elements, texts } = extent(options, application)?;
        drop(running);
        let (first, again) = (times.median("first"), times.median("with"));
        let judged = |value: Option<f64>| verdict(value.is_some_and(|value| value < TARGET)).to_owned();
        rows.push(vec![
            application.title.to_owned(),
            elements.to_string(),
            texts.to_string(),
            ms(first),
            judged(first),
            ms(again),
            judged(again),
            ms(times.median("without")),
        ]);
    }
    report.section("The accessibility audit");
    report.say(&format!(
        "`ax_a11y_audit` of the topmost window, over stdio: the tree is read, a picture of the window is taken, and every element that shows is \
         held against WCAG 2.2 AA. “First” is the first call to a server that knows nothing of the application; “again” is a later one to the same \
         server. “Without contrast” is level A, which asks neither for it nor for the size of targets; the picture is taken nevertheless. Target: under {TARGET:.0} ms for a \
         window of 500 elements, contrast measured from pixels."
    ));
    report.table(&rows);
    Ok(())
}

fn server(options: &Options) -> Result<Client> {
    Client::start_with(options, &["--toolsets", "assert"])
}

/// The audits of one round, in a fresh server.
fn audits(options: &Options, application: &Application, times: &mut Series) -> Result<()> {
    let mut client = server(options)?;
    let mut audit = |standard: &str| -> Result<f64> {
        let begun = Instant::now();
        client.tool("ax_a11y_audit", &json!({"app": application.name, "standards": [standard]}))?;
        Ok(begun.elapsed().as_secs_f64() * 1000.0)
    };
    times.push("first", audit(STANDARDS[0].1)?);
    for (name, standard) in STANDARDS {
        times.push(name, audit(standard)?);
    }
    Ok(())
}

/// How much an audit is about.
struct Extent {
    elements: u32,
    texts: u32,
}

/// Reads it from a whole report.
fn extent(options: &Options, application: &Application) -> Result<Extent> {
    let folder = tempfile::Builder::new().prefix("handeye-bench-").tempdir()?;
    let file = folder.path().join("report.md");
    let arguments = json!({"app": application.name, "format": "markdown", "output": &file});
    let answer = server(options)?.tool("ax_a11y_audit", &arguments)?;
    let written = std::fs::read_to_string(&file)?;
    let summary = answer["structuredContent"]["summary"].as_str().unwrap_or_default();
    let elements = summary.split(" elements,").next().and_then(|text| text.rsplit(' ').next());
    let contrast = written.lines().find(|line| line.starts_with("| contrast |")).unwrap_or_default();
    let texts = contrast.split('|').rev().nth(2).map(str::trim);
    let number = |text: Option<&str>, what: &str| {
        text.and_then(|text| text.parse().ok()).ok_or_else(|| format!("no number of {what} in {written}"))
    };
    eprintln!("{}: {summary}", application.title);
    Ok(Extent { elements: number(elements, "elements")?, texts: number(texts, "texts")? })
}
