//! Precision and recall on recorded windows of real applications. Those of `held-out.txt` are not looked at while rules are tuned.

use handeye_core::testing::recorded;
use handeye_insight::{Insight, Pattern, front};
use std::collections::BTreeMap;
use std::path::Path;

/// A recorded window.
struct Sample {
    name: String,
    /// The names of the patterns that a person would accept, the best first; empty for a window without one.
    accepted: Vec<String>,
    /// Whether no pattern is right too.
    none: bool,
    found: Option<Pattern>,
}

/// How often a pattern was found rightly, wrongly, and not.
#[derive(Default, Clone, Copy)]
struct Count {
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Count {
    fn precision(self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    fn recall(self) -> f64 {
        share(self.right, self.right + self.missed)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of windows are small")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The windows that a file of labels lists.
fn samples(file: &str) -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let labels = std::fs::read_to_string(folder.join(file)).expect("the labels");
    let lines = labels.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, label) = line.split_once(' ').expect("a name and a label");
            let text = std::fs::read_to_string(folder.join(format!("corpus/{name}.tree"))).expect(name);
            let tree = recorded::read(&text);
            let insight = front(&tree, &[]).and_then(|front| Insight::of(&tree, front)).expect(name);
            let (none, accepted) = label.split('|').partition::<Vec<&str>, _>(|label| *label == "-");
            for label in &accepted {
                assert!(Pattern::ALL.iter().any(|pattern| pattern.as_str() == *label), "{label}");
            }
            Sample {
                name: name.into(),
                accepted: accepted.into_iter().map(str::to_owned).collect(),
                none: !none.is_empty(),
                found: insight.pattern(),
            }
        })
        .collect()
}

/// The counts of each pattern, and of all. A window for which several readings are right counts for the one that was found.
fn counts<'a>(
    samples: impl Iterator<Item = &'a Sample>,
    shows_errors: bool,
) -> (BTreeMap<String, Count>, Count) {
    let mut each: BTreeMap<String, Count> = BTreeMap::new();
    let mut all = Count::default();
    for sample in samples {
        let found = sample.found.map(Pattern::as_str);
        let is_right = found.map_or(sample.none, |found| sample.accepted.iter().any(|label| label == found));
        if !is_right && shows_errors {
            println!("    {}: {found:?} instead of {:?}", sample.name, sample.accepted);
        }
        if let Some(found) = found {
            let count = each.entry(found.to_owned()).or_default();
            if is_right {
                count.right += 1;
                all.right += 1;
            } else {
                count.wrong += 1;
                all.wrong += 1;
            }
        }
        if let (false, Some(label)) = (is_right, sample.accepted.first().filter(|_| !sample.none)) {
            each.entry(label.clone()).or_default().missed += 1;
            all.missed += 1;
        }
    }
    (each, all)
}

#[test]
fn precision_and_recall_on_recorded_windows() {
    let tuning = samples("labels.txt");
    assert!(tuning.len() >= 170, "{}", tuning.len());
    let mut sets = vec![("for tuning", tuning), ("second, for tuning", samples("second.txt"))];
    // While rules are tuned, nothing is judged of the other set, and its errors are named only when the rules are final.
    if std::env::var_os("HANDEYE_TUNING").is_none() {
        sets.push(("held out", samples("held-out.txt")));
    }
    let shows_held_out = std::env::var_os("HANDEYE_HELD_OUT").is_some();
    for (set, samples) in &sets {
        println!("{} windows, {set}", samples.len());
        let (each, all) = counts(samples.iter(), *set != "held out" || shows_held_out);
        for (pattern, count) in each {
            println!("    {pattern}: {} right, {} wrong, {} missed", count.right, count.wrong, count.missed);
        }
        println!("    precision {:.3}, recall {:.3}", all.precision(), all.recall());
        // The targets are 0.95 and 0.8. What was reached is held (decision 0097).
        let (precise, complete) = match *set {
            "for tuning" => (0.98, 0.96),
            "second, for tuning" => (0.97, 0.95),
            _ => (1.0, 0.89),
        };
        assert!(all.precision() >= precise, "{set}: precision {:.3}", all.precision());
        assert!(all.recall() >= complete, "{set}: recall {:.3}", all.recall());
    }
}
