//! The tables.

use crate::Result;
use crate::options::Options;
use crate::ratios::{self, Ratio};
use std::path::Path;
use std::process::Command;

/// The text above all sections.
const INTRODUCTION: &str = "Written by `cargo xtask bench`: all programs side by side in one run, on the same windows of one \
     private desktop, taking turns in every round. Medians; where a program is too slow for all rounds, the table says how many it \
     had. × is how many times longer than handeye. A target that was missed is marked **missed**. `--only` measures a part \
     (`--only captures`) and replaces its sections; each says when it was measured, and which commit. The ratios are in `benchmarks.json` too; \
     `cargo xtask bench --check` compares them with those of the last committed run.";
/// The last section, written again by every run.
const MACHINE: &str = "Machine";

/// The report as it grows.
pub struct Report {
    sections: Vec<Section>,
    /// The parts that were measured, by their names in `--only`; the last one is being measured.
    parts: Vec<String>,
    /// Those that could not be measured.
    failed: Vec<String>,
    ratios: Vec<Ratio>,
    command: String,
    commit: String,
    peers: String,
    rounds: usize,
}

/// A heading and what is below it.
struct Section {
    title: String,
    text: String,
}

impl Report {
    /// A report with nothing in it yet.
    pub fn new(options: &Options) -> Self {
        Self {
            sections: Vec::new(),
            parts: Vec::new(),
            failed: Vec::new(),
            ratios: Vec::new(),
            command: options.command.clone(),
            commit: options.commit.clone(),
            peers: options.peers.clone(),
            rounds: options.rounds,
        }
    }

    /// Measures a part. One that fails leaves nothing: its sections and ratios stay those of the last run, and the others are measured nevertheless.
    pub fn part(&mut self, name: &str, measure: impl FnOnce(&mut Self) -> Result<()>) {
        eprintln!("== {name}");
        let (sections, ratios) = (self.sections.len(), self.ratios.len());
        self.parts.push(name.to_owned());
        if let Err(error) = measure(self) {
            eprintln!("{name}: {error}");
            self.sections.truncate(sections);
            self.ratios.truncate(ratios);
            self.failed.extend(self.parts.pop());
        }
    }

    /// How many times longer something took than handeye, for later runs to be compared with. Nothing where one of them has no number.
    pub fn ratio(&mut self, application: &str, quantity: &str, other: Option<f64>, own: Option<f64>) {
        let Some(times) = other.zip(own).map(|(other, own)| other / own) else { return };
        if times.is_finite() {
            self.ratios.push(Ratio {
                section: self.parts.last().cloned().unwrap_or_default(),
                application: application.to_owned(),
                quantity: quantity.to_owned(),
                times: (times * 1000.0).round() / 1000.0,
                commit: self.commit.clone(),
            });
        }
    }

    /// A heading, and how what follows is measured.
    pub fn section(&mut self, title: &str) {
        self.sections.push(Section { title: title.to_owned(), text: String::new() });
        self.say(&format!(
            "*{}, commit {}, `{}`, {} rounds, load average at the beginning {}*",
            line_of(Command::new("date").args(["-u", "+%Y-%m-%d %H:%M UTC"])),
            self.commit,
            self.command,
            self.rounds,
            load_average()
        ));
    }

    /// A paragraph.
    pub fn say(&mut self, text: &str) {
        let below = self.text();
        below.push_str(text);
        below.push_str("\n\n");
    }

    /// A table; the first row holds the headings.
    pub fn table(&mut self, rows: &[Vec<String>]) {
        let below = self.text();
        for (number, row) in rows.iter().enumerate() {
            below.push_str(&format!("| {} |\n", row.join(" | ")));
            if number == 0 {
                below.push_str(&format!("| --- |{}\n", " ---: |".repeat(row.len().saturating_sub(1))));
            }
        }
        below.push('\n');
    }

    fn text(&mut self) -> &mut String {
        if self.sections.is_empty() {
            self.section("Measurements");
        }
        let last = self.sections.len() - 1;
        &mut self.sections[last].text
    }

    /// Writes the report with what is known of the machine, and prints it; the ratios are beside it. Sections that were not measured this time stay. An error
    /// in the end if there are parts that failed.
    pub fn write(mut self, path: &Path) -> Result<()> {
        let measured: String = self.sections.iter().map(Section::shown).collect();
        let machine = machine(&self.peers)?;
        println!("{measured}{}", machine.shown());
        let before = std::fs::read_to_string(path).unwrap_or_default();
        let mut sections = sections_of(&before);
        sections.retain(|section| section.title != MACHINE);
        for section in self.sections.drain(..) {
            match sections.iter_mut().find(|known| known.title == section.title) {
                Some(known) => *known = section,
                None => sections.push(section),
            }
        }
        sections.push(machine);
        let sections: String = sections.iter().map(Section::shown).collect();
        std::fs::write(path, format!("# Benchmarks\n\n{INTRODUCTION}\n\n{}\n", sections.trim_end()))?;
        ratios::write(&path.with_extension("json"), &self.parts, &self.ratios)?;
        if self.failed.is_empty() {
            return Ok(());
        }
        Err(format!("not measured, and left as it was: {}", self.failed.join(", ")).into())
    }
}

impl Section {
    fn shown(&self) -> String {
        format!("## {}\n\n{}\n\n", self.title, self.text.trim())
    }
}

/// The sections of a report that was written before.
fn sections_of(report: &str) -> Vec<Section> {
    let parts = report.split("\n## ").skip(1);
    parts
        .filter_map(|part| part.split_once('\n'))
        .map(|(title, text)| Section { title: title.to_owned(), text: text.to_owned() })
        .collect()
}

/// What is known of the machine and of what is on it.
fn machine(peers: &str) -> Result<Section> {
    let cpu = std::fs::read_to_string("/proc/cpuinfo")?;
    let cpu = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("unknown processor", |(_, name)| name);
    let text = format!(
        "{} cores ({cpu}), {}, {}; at the end, {}, the load average was {}.\n\n{}\n\nPeers: {peers}",
        std::thread::available_parallelism()?,
        line_of(Command::new("sh").args(["-c", ". /etc/os-release; echo $PRETTY_NAME"])),
        line_of(Command::new("uname").args(["-sr"])),
        line_of(Command::new("date").args(["-u", "+%Y-%m-%d %H:%M UTC"])),
        load_average(),
        versions(),
    );
    Ok(Section { title: MACHINE.to_owned(), text })
}

/// The load averages of one, five and fifteen minutes.
fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

/// Versions of the applications and toolkits, from the package manager.
fn versions() -> String {
    let packages =
        ["libgtk-3-0", "libgtk-4-1", "libqt5core5a", "libreoffice-core", "firefox-esr", "chromium"];
    let known: Vec<String> = packages
        .iter()
        .map(|package| {
            line_of(Command::new("dpkg-query").args(["-W", "-f", "${Package} ${Version}\n", package]))
        })
        .filter(|line| !line.is_empty())
        .collect();
    format!("Versions: {}.", known.join(", "))
}

fn line_of(command: &mut Command) -> String {
    let output = command.output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).lines().next().unwrap_or_default().to_owned()
}

/// Milliseconds with as many digits as mean something.
pub fn ms(value: Option<f64>) -> String {
    match value {
        None => "–".into(),
        Some(value) if value < 1.0 => format!("{value:.3} ms"),
        Some(value) if value < 10.0 => format!("{value:.2} ms"),
        Some(value) if value < 100.0 => format!("{value:.1} ms"),
        Some(value) => format!("{value:.0} ms"),
    }
}

/// A time of a peer with its ratio to handeye's.
pub fn against(peer: Option<f64>, own: Option<f64>) -> String {
    match (peer, own) {
        (Some(peer), Some(own)) if own > 0.0 => format!("{} ({:.1}×)", ms(Some(peer)), peer / own),
        _ => ms(peer),
    }
}

/// Whether a target was reached, in a word.
pub fn verdict(reached: bool) -> &'static str {
    if reached { "reached" } else { "**missed**" }
}

/// A row of texts.
pub fn words(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

/// A number without a fraction.
pub fn count(value: Option<f64>) -> String {
    value.map_or("–".into(), |value| format!("{value:.0}"))
}

/// A time, and a remark where it is not below its limit.
pub fn judged(value: Option<f64>, limit: f64) -> String {
    let reached = value.is_some_and(|value| value < limit);
    if reached { ms(value) } else { format!("{} {}", ms(value), verdict(false)) }
}

/// How many times one is the other, and whether that is enough.
pub fn ratio(above: Option<f64>, below: Option<f64>, reached: impl Fn(f64) -> bool) -> String {
    above.zip(below).map_or("–".into(), |(above, below)| {
        let ratio = above / below;
        format!("{ratio:.1} {}", verdict(reached(ratio)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_fails_leaves_what_was_written_before() {
        let options: Vec<&str> =
            ["--handeye", "--xa11y", "--scripts", "--python", "--node", "--node-modules", "--output"]
                .into_iter()
                .flat_map(|name| [name, "/nowhere"])
                .collect();
        let options = Options::parse(&options).expect("all that is needed");
        let folder = tempfile::tempdir().expect("a folder");
        let page = folder.path().join("page.md");
        let written = |one: &str, has_failed: bool| {
            let mut report = Report::new(&options);
            for (part, times) in [("one", 1.0), ("other", 2.0)] {
                report.part(part, |report| {
                    report.section(part);
                    report.say(one);
                    report.ratio("an application", part, Some(times), Some(1.0));
                    if has_failed && part == "one" { Err("it ended".into()) } else { Ok(()) }
                });
            }
            report.write(&page)
        };
        written("first", false).expect("both are measured");
        let error = written("second", true).expect_err("one is not").to_string();
        assert!(error.ends_with(": one"), "{error}");
        let page = std::fs::read_to_string(folder.path().join("page.md")).expect("a page");
        let (one, other) = page.split_once("## other").expect("both sections");
        assert!(one.contains("first") && !one.contains("second"), "{page}");
        assert!(other.contains("second") && !other.contains("first"), "{page}");
        let ratios = std::fs::read_to_string(folder.path().join("page.json")).expect("ratios");
        assert_eq!(ratios.matches("an application").count(), 2, "{ratios}");
    }
}
