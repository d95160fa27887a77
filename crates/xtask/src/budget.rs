//! How long each part of `cargo xtask test` may take, and how long it took.

use std::time::Duration;

/// What one part may take in a fresh clone on two cores.
#[derive(Debug)]
struct Budget {
    /// The part, as `cargo xtask test` names it.
    part: &'static str,
    /// Seconds.
    seconds: u64,
}

const fn budget(part: &'static str, seconds: u64) -> Budget {
    Budget { part, seconds }
}

/// The parts that there are. `tests/README.md` shows them, with those of capabilities to come; a test compares the two.
const BUDGETS: &[Budget] = &[
    budget("set-up", 90),
    budget("format", 15),
    budget("lints", 210),
    budget("lints for macOS", 120),
    budget("unit tests", 375),
    budget("end-to-end tests", 1_170),
    budget("harness, short form", 90),
];

/// The budget of a part, if it has one.
fn of(part: &str) -> Option<Duration> {
    BUDGETS.iter().find(|budget| budget.part == part).map(|budget| Duration::from_secs(budget.seconds))
}

/// What each part took, beside its budget. An excess is reported and fails nothing: a busy machine is slow.
#[derive(Debug, Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    part: String,
    took: Duration,
    passed: bool,
}

impl Report {
    /// Notes that a part has ended.
    pub(crate) fn add(&mut self, part: &str, took: Duration, passed: bool) {
        self.rows.push(Row { part: part.to_owned(), took, passed });
    }

    /// The parts that failed.
    pub(crate) fn failed(&self) -> Vec<&str> {
        self.rows.iter().filter(|row| !row.passed).map(|row| row.part.as_str()).collect()
    }

    /// One line for each part, and one for all together.
    pub(crate) fn text(&self) -> String {
        let mut lines: Vec<String> = self
            .rows
            .iter()
            .map(|row| line(if row.passed { "ok" } else { "FAILED" }, &row.part, row.took, of(&row.part)))
            .collect();
        let took = self.rows.iter().map(|row| row.took).sum();
        let budget = self.rows.iter().map(|row| of(&row.part)).sum();
        lines.push(line("", "together", took, budget));
        lines.concat()
    }
}

fn line(outcome: &str, part: &str, took: Duration, budget: Option<Duration>) -> String {
    let took = took.as_secs();
    match budget.map(|budget| budget.as_secs()) {
        Some(budget) if took > budget => {
            format!("{outcome:<7} {part:<20} {took:>5} s of {budget:>5} s: {} s OVER BUDGET\n", took - budget)
        }
        Some(budget) => format!("{outcome:<7} {part:<20} {took:>5} s of {budget:>5} s\n"),
        None => format!("{outcome:<7} {part:<20} {took:>5} s, without a budget\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What all parts may take together, with those of capabilities to come.
    const TOTAL: u64 = 55 * 60;

    /// The rows of the table in the documentation: part and seconds.
    fn documented() -> Vec<(String, u64)> {
        let path = crate::workspace::root().join("tests/README.md");
        let text = std::fs::read_to_string(path).expect("tests/README.md");
        let table = text.split_once("| part | budget |").expect("the table of budgets").1;
        let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
        rows.map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let (minutes, seconds) = cells[1].split_once(':').expect("minutes:seconds");
            let number = |text: &str| text.parse::<u64>().expect("a number");
            (cells[0].to_owned(), number(minutes) * 60 + number(seconds))
        })
        .collect()
    }

    #[test]
    fn the_documentation_has_the_budgets_and_those_of_all_parts_fit_into_an_hour() {
        let documented = documented();
        for Budget { part, seconds } in BUDGETS {
            assert!(
                documented.contains(&((*part).to_owned(), *seconds)),
                "{part}: {seconds} s in {documented:?}"
            );
        }
        let total: u64 = documented.iter().map(|(_, seconds)| seconds).sum();
        assert!(total <= TOTAL, "{total} s of {TOTAL} s");
        for later in ["seat", "Wayland", "CDP", "macOS", "workflows", "policies", "inspector"] {
            assert!(documented.iter().any(|(part, _)| part.contains(later)), "{later} has no budget");
        }
    }

    #[test]
    fn an_excess_is_reported_and_is_no_failure() {
        let mut report = Report::default();
        report.add("format", Duration::from_secs(4), true);
        report.add("lints", Duration::from_secs(215), true);
        report.add("unit tests", Duration::from_secs(7), false);
        assert_eq!(report.failed(), ["unit tests"]);
        let text = report.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "ok      format                   4 s of    15 s");
        assert_eq!(lines[1], "ok      lints                  215 s of   210 s: 5 s OVER BUDGET");
        assert_eq!(lines[2], "FAILED  unit tests               7 s of   375 s");
        assert_eq!(lines[3], "        together               226 s of   600 s");
    }

    #[test]
    fn a_part_without_a_budget_is_shown_as_such() {
        let mut report = Report::default();
        report.add("clients", Duration::from_secs(4), true);
        assert!(report.text().starts_with("ok      clients                  4 s, without a budget\n"));
        assert!(
            report.text().ends_with("together                 4 s, without a budget\n"),
            "{}",
            report.text()
        );
    }
}
