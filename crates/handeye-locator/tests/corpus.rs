//! Hits, misses and wrong hits on trees of real applications before and after a change. `HANDEYE_WRITE_DOCS=1` writes the table.
//!
//! The recordings are made by `record.py`, and what is true of them is worked out by `truth.py`, which knows nothing of this crate.

#[path = "support/recording.rs"]
mod recording;

use handeye_core::{NodeId, Role, Tree};
use handeye_locator::{ACT, Outcome, Survey, heal};
use recording::Recording;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

const KINDS: [(&str, &str); 5] = [
    ("renamed", "Label renamed"),
    ("moved", "Moved to another container"),
    ("reordered", "List in another order"),
    ("translated", "Another language"),
    ("version", "Another version or fork"),
];

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    hit: usize,
    sure: usize,
    miss: usize,
    wrong: usize,
    /// With the element taken out of the later tree.
    gone: usize,
    gone_found: usize,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.hit += other.hit;
        self.sure += other.sure;
        self.miss += other.miss;
        self.wrong += other.wrong;
        self.gone += other.gone;
        self.gone_found += other.gone_found;
    }

    fn rate(&self) -> f64 {
        self.hit as f64 / (self.hit + self.miss + self.wrong).max(1) as f64
    }
}

/// Whether an application is left out of all tuning.
fn is_held_out(app: &str) -> bool {
    app.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte))) % 3 == 0
}

fn pair(kind: &str, before: &Recording, after: &Recording, pairs: &[(usize, usize)]) -> Count {
    let shown = std::env::var("HANDEYE_SHOW").unwrap_or_default();
    let (then, now) = (Survey::new(&before.tree), Survey::new(&after.tree));
    let mut count = Count::default();
    for (at, (one, other)) in pairs.iter().enumerate() {
        let (Some(ours), Some(theirs)) = (before.ids.get(*one), after.ids.get(*other)) else { continue };
        let node = before.tree.get(*ours).expect("it is in the recording");
        let is_data =
            matches!(node.role, Role::Cell | Role::ListItem | Role::TreeItem | Role::Tab | Role::Link);
        let other_name = after.tree.get(*theirs).is_some_and(|new| new.name != node.name);
        if !node.role.is_interactive() || (is_data && other_name) {
            // A row of another name is another row: those are never healed, and count in no column.
            continue;
        }
        let print = then.fingerprint(*ours).expect("it is in the recording");
        let outcome = heal(&print, &now);
        let (what, result) = match &outcome {
            Outcome::Found(healed) if healed.node == *theirs => {
                count.hit += 1;
                count.sure += usize::from(healed.confidence >= ACT);
                ("hit", format!("{:?} {:.2}", healed.strategy, healed.confidence))
            }
            Outcome::Found(healed) => {
                count.wrong += 1;
                let wrong = after.tree.get(healed.node).map(|node| node.name.to_string());
                ("wrong", format!("{:?} {:.2} {wrong:?}", healed.strategy, healed.confidence))
            }
            other => {
                count.miss += 1;
                (
                    "miss",
                    if matches!(other, Outcome::Ambiguous(_)) { "ambiguous".into() } else { "gone".into() },
                )
            }
        };
        if shown.contains(what) && (shown.contains(kind) || shown.contains("all")) {
            let new = &after.tree.get(*theirs).expect("it is in the recording").name;
            println!("{what} {kind} {}: {} '{}' -> '{new}': {result}", after.name, node.role, node.name);
        }
        if at % 2 == 0 {
            count.gone += 1;
            let less = without(&after.tree, *theirs);
            if let Outcome::Found(healed) = heal(&print, &Survey::new(&less)) {
                count.gone_found += 1;
                if shown.contains("knock") {
                    let wrong = less.get(healed.node).map(|node| node.name.to_string());
                    println!(
                        "knock {kind} {}: {} '{}' -> {wrong:?} {:?} {:.2}",
                        after.name, node.role, node.name, healed.strategy, healed.confidence
                    );
                }
            }
        }
    }
    count
}

/// A tree without an element and what is in it.
fn without(tree: &Tree, id: NodeId) -> Tree {
    let mut less = tree.clone();
    handeye_core::testing::remove(&mut less, id);
    less
}

#[test]
fn elements_of_real_applications_are_healed_and_never_confused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let truth = std::fs::read_to_string(folder.join("truth.tsv")).expect("the truth");
    let mut tuned: BTreeMap<&str, Count> = BTreeMap::new();
    let mut held_out: BTreeMap<&str, Count> = BTreeMap::new();
    let mut apps: BTreeMap<&str, std::collections::BTreeSet<&str>> = BTreeMap::new();
    let show_held_out = std::env::var("HANDEYE_SHOW").is_ok_and(|shown| shown.contains("held"));
    for line in truth.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [kind, app, before, after, pairs] = fields.as_slice() else {
            panic!("a line of the truth: {line}")
        };
        let is_held_out = is_held_out(app);
        if std::env::var("HANDEYE_SHOW").is_ok() && is_held_out != show_held_out {
            continue;
        }
        let pairs: Vec<(usize, usize)> = pairs
            .split(',')
            .map(|pair| {
                let (one, other) = pair.split_once(':').expect("two numbers");
                (one.parse().expect("a number"), other.parse().expect("a number"))
            })
            .collect();
        let count = pair(kind, &Recording::read(&folder, before), &Recording::read(&folder, after), &pairs);
        if std::env::var("HANDEYE_SHOW").is_ok() {
            println!("{kind} {app} {after}: {count:?}");
        }
        let side = if is_held_out { &mut held_out } else { &mut tuned };
        side.entry(kind).or_default().add(count);
        apps.entry(kind).or_default().insert(app);
    }
    let table = table(&tuned, &held_out, &apps);
    println!("{table}");
    if std::env::var("HANDEYE_SHOW").is_ok() {
        return;
    }
    publish(&table);
    for (kind, _) in KINDS {
        let mut all = tuned.get(kind).copied().unwrap_or_default();
        all.add(held_out.get(kind).copied().unwrap_or_default());
        assert_eq!((all.wrong, all.gone_found), (0, 0), "wrong hits of the kind {kind}");
        assert!(all.rate() >= 0.8, "hits of the kind {kind}: {:.2}", all.rate());
    }
}

fn table(
    tuned: &BTreeMap<&str, Count>,
    held_out: &BTreeMap<&str, Count>,
    apps: &BTreeMap<&str, std::collections::BTreeSet<&str>>,
) -> String {
    let mut text = "| change | applications | elements | hit | of these sure (≥ 0.8) | miss | **wrong** | held out: hit | held out: miss | held out: **wrong** | \
                    gone: tried | gone: **wrong** |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    for (kind, title) in KINDS {
        let t = tuned.get(kind).copied().unwrap_or_default();
        let h = held_out.get(kind).copied().unwrap_or_default();
        let apps = apps.get(kind).map_or(0, std::collections::BTreeSet::len);
        let percent = |count: Count| format!("{} ({:.0} %)", count.hit, count.rate() * 100.0);
        // Writing to a string cannot fail.
        let _written = writeln!(
            text,
            "| {title} | {apps} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            t.hit + t.miss + t.wrong + h.hit + h.miss + h.wrong,
            percent(t),
            t.sure,
            t.miss,
            t.wrong,
            percent(h),
            h.miss,
            h.wrong,
            t.gone + h.gone,
            t.gone_found + h.gone_found
        );
    }
    text
}

/// Writes the table into its page, or compares it with that.
fn publish(table: &str) {
    const BEGIN: &str = "<!-- table: cargo test -p handeye-locator --test corpus -->\n";
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/healing.md");
    let text = std::fs::read_to_string(&page).expect("docs/healing.md");
    let (head, rest) = text.split_once(BEGIN).expect("the place of the table");
    let tail = rest.find("\n\n").map_or("", |at| &rest[at + 1..]);
    let new = format!("{head}{BEGIN}{table}{tail}");
    if std::env::var_os("HANDEYE_WRITE_DOCS").is_some() {
        std::fs::write(&page, new).expect("docs/healing.md is written");
    } else {
        assert_eq!(text, new, "docs/healing.md has other figures: run with HANDEYE_WRITE_DOCS=1");
    }
}
