//! The tables.

use crate::Result;
use crate::options::Options;
use std::path::Path;
use std::process::Command;

/// The report as it grows.
pub struct Report {
    text: String,
    begun: String,
}

impl Report {
    /// A report that says how it came about and nothing else yet.
    pub fn new(options: &Options) -> Self {
        let begun = line_of(Command::new("date").args(["-u", "+%Y-%m-%d %H:%M UTC"]));
        let text = format!(
            "# Benchmarks\n\n\
             Written by `{}`: all programs side by side in one run, on the same windows of one private desktop, taking turns in \
             every round. Medians of {} rounds; where a program is too slow for that, the table says how many. \
             × is how many times longer than handeye. A target that was missed is marked **missed**.\n\n",
            options.command, options.rounds
        );
        Self { text, begun }
    }

    /// A heading.
    pub fn section(&mut self, title: &str) {
        self.text.push_str(&format!("\n## {title}\n\n"));
    }

    /// A paragraph.
    pub fn say(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str("\n\n");
    }

    /// A table; the first row holds the headings.
    pub fn table(&mut self, rows: &[Vec<String>]) {
        for (number, row) in rows.iter().enumerate() {
            self.text.push_str(&format!("| {} |\n", row.join(" | ")));
            if number == 0 {
                self.text.push_str(&format!("| --- |{}\n", " ---: |".repeat(row.len().saturating_sub(1))));
            }
        }
        self.text.push('\n');
    }

    /// Writes the report with what is known of the machine, and prints it.
    pub fn write(&self, path: &Path) -> Result<()> {
        let cpu = std::fs::read_to_string("/proc/cpuinfo")?;
        let cpu = cpu
            .lines()
            .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
            .map_or("unknown processor", |(_, name)| name);
        let cores = std::thread::available_parallelism()?;
        let machine = format!(
            "\n## Machine\n\n{} to {}; {cores} cores ({cpu}), {}, {}; load average at the end {}.\n\n{}\n",
            self.begun,
            line_of(Command::new("date").args(["-u", "+%H:%M"])),
            line_of(Command::new("sh").args(["-c", ". /etc/os-release; echo $PRETTY_NAME"])),
            line_of(Command::new("uname").args(["-sr"])),
            std::fs::read_to_string("/proc/loadavg")?.split(' ').take(3).collect::<Vec<_>>().join(" "),
            versions(),
        );
        let text = format!("{}{machine}", self.text);
        println!("{text}");
        std::fs::write(path, &text)?;
        Ok(())
    }
}

/// Versions of what was measured, from the package manager.
fn versions() -> String {
    let packages = [
        "libgtk-3-0",
        "libgtk-4-1",
        "libqt5core5a",
        "libreoffice-core",
        "firefox-esr",
        "chromium",
        "python3-pyatspi",
        "python3-dogtail",
        "scrot",
        "maim",
        "imagemagick",
    ];
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
