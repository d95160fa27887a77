//! Recognising windows: pattern, state and suggestions, on the trees of real applications that the tests of recognition keep.

use crate::Result;
use crate::options::Options;
use crate::report::{Report, ms, verdict};
use crate::samples::{Samples, Series, probe as read_probe};
use handeye_core::testing::{add, recorded};
use handeye_core::{Node, NodeId, States, Tree};
use handeye_insight::{Front, Insight, Pattern, front};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// What the issue asks for, in milliseconds, for [`ELEMENTS`].
const TARGET: f64 = 1.0;
/// Elements of the windows that are measured, at least.
const ELEMENTS: usize = 500;
/// How often each is repeated in a process; the median counts.
const TIMES: usize = 101;
/// The recordings with labels that rules are tuned on. Those that are held out are not looked at.
const LABELS: [&str; 2] = ["labels.txt", "second.txt"];
/// The label of a window without a pattern.
const NONE: &str = "-";

/// Measures it in a fresh process each round.
pub fn measure(options: &Options, report: &mut Report) -> Result<()> {
    let mut windows: BTreeMap<String, Series> = BTreeMap::new();
    for _ in 0..options.rounds {
        let mut own = Command::new(std::env::current_exe()?);
        for (window, fields) in read_probe(own.args(["probe", "patterns"]))? {
            let fields = fields.as_object().ok_or("the probe printed no fields")?;
            windows.entry(window).or_default().add(fields);
        }
    }
    report.section("Recognising windows");
    report.say(&format!(
        "Pattern, state and suggestions of the window in front, from a snapshot in memory. The windows are recordings of real applications, of which \
         none has {ELEMENTS} elements. So the largest one of each pattern takes in the content of the next largest ones of that pattern, as long as it \
         is still recognised as one, until it has as many. What was hidden is not in them. Patterns whose windows are too small for that are left out. Medians of \
         {TIMES} times in a fresh process each round. Target: under {TARGET:.0} ms for {ELEMENTS} elements."
    ));
    let per_target = format!("for {ELEMENTS} elements");
    let headings = ["Window", "recordings in it", "elements", "median", &per_target, ""];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    for (window, series) in &windows {
        let count = |name: &str| series.median(name).map_or("–".into(), |count| format!("{count:.0}"));
        let median = series.median("ms");
        let share = median
            .zip(series.median("elements"))
            .map(|(median, elements)| median * ELEMENTS as f64 / elements);
        rows.push(vec![
            window.clone(),
            count("recordings"),
            count("elements"),
            ms(median),
            ms(share),
            verdict(share.is_some_and(|share| share < TARGET)).to_owned(),
        ]);
    }
    report.table(&rows);
    Ok(())
}

/// Measures each window and prints the medians.
pub fn probe() -> Result<()> {
    let by_label = recordings()?;
    let largest = by_label.values().filter_map(|sorted| sorted.first()).max_by_key(|one| one.elements);
    let largest = largest.ok_or("there are no recordings")?;
    let mut measured = Map::new();
    measured.insert(format!("the largest recording, `{}`", largest.name), Window::of(largest).measured()?);
    for (label, sorted) in &by_label {
        let (first, others) = sorted.split_first().ok_or("a label without a recording")?;
        let mut window = Window::of(first);
        for other in others {
            if window.elements() >= ELEMENTS {
                break;
            }
            let larger = window.with(other);
            let found = larger.recognised().and_then(|insight| insight.pattern());
            if found.map_or(NONE, Pattern::as_str) == label {
                window = larger;
            }
        }
        // A few windows of buttons alone do not make up one of that size.
        if window.elements() >= ELEMENTS {
            let what = if label == NONE { "without a pattern".to_owned() } else { format!("`{label}`") };
            measured.insert(what, window.measured()?);
        }
    }
    println!("{}", Value::Object(measured));
    Ok(())
}

/// A recorded application.
struct Recording {
    name: String,
    tree: Tree,
    front: Front,
    /// Elements of the window in front.
    elements: usize,
}

/// The recordings by their first label, each list from the largest window to the smallest.
fn recordings() -> Result<BTreeMap<String, Vec<Recording>>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/handeye-insight/tests");
    let mut by_label: BTreeMap<String, Vec<Recording>> = BTreeMap::new();
    for file in LABELS {
        let labels = std::fs::read_to_string(folder.join(file))?;
        for line in labels.lines().filter(|line| !line.starts_with('#')) {
            let (name, accepted) = line.split_once(' ').ok_or_else(|| format!("no label in {line}"))?;
            let label = accepted.split('|').next().unwrap_or(accepted);
            let tree = recorded::read(&std::fs::read_to_string(folder.join(format!("corpus/{name}.tree")))?);
            let front = front(&tree, &[]).ok_or_else(|| format!("{name} has no window"))?;
            let elements = tree.descendants(front.window).count();
            let recording = Recording { name: name.to_owned(), tree, front, elements };
            by_label.entry(label.to_owned()).or_default().push(recording);
        }
    }
    for sorted in by_label.values_mut() {
        sorted.sort_by_key(|recording| Reverse(recording.elements));
    }
    Ok(by_label)
}

/// What is measured: a recorded window, in which others can be.
struct Window {
    tree: Tree,
    root: NodeId,
    recordings: usize,
}

impl Window {
    fn of(recording: &Recording) -> Self {
        Self { tree: recording.tree.clone(), root: recording.front.window, recordings: 1 }
    }

    fn elements(&self) -> usize {
        self.tree.descendants(self.root).count()
    }

    /// This window with the content of another one below its own. The focus stays where it is: a desktop has one.
    fn with(&self, other: &Recording) -> Self {
        let mut tree = self.tree.clone();
        for node in other.tree.descendants(other.front.window).skip(1) {
            let mut node = Node::clone(node);
            node.states.remove(States::FOCUSED);
            if node.parent == Some(other.front.window) {
                node.parent = Some(self.root);
                add(&mut tree, self.root, node);
            } else {
                tree.insert(node);
            }
        }
        Self { tree, root: self.root, recordings: self.recordings + 1 }
    }

    fn recognised(&self) -> Option<Insight> {
        front(&self.tree, &[]).and_then(|front| Insight::of(&self.tree, front))
    }

    /// The median in milliseconds, and what it is about.
    fn measured(&self) -> Result<Value> {
        let front = front(&self.tree, &[]).ok_or("there is no window")?;
        if front.window != self.root {
            return Err("another window is in front".into());
        }
        let mut samples = Samples::default();
        for _ in 0..TIMES {
            let begun = Instant::now();
            black_box(black_box(self).recognised());
            samples.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
        Ok(json!({"ms": samples.median(), "elements": self.elements(), "recordings": self.recordings}))
    }
}
