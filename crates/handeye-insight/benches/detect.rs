//! How long recognising takes on a window of 500 elements: `cargo bench -p handeye-insight`.

use criterion::{Criterion, criterion_group, criterion_main};
use handeye_core::Tree;
use handeye_core::testing::tree;
use handeye_insight::{Insight, front};
use std::fmt::Write as _;
use std::hint::black_box;

/// A window of settings with 500 elements.
fn window() -> Tree {
    let mut outline = "dialog \"Preferences\" [active]\n".to_owned();
    for group in 0..50 {
        outline.push_str("  group \"Group\"\n    text \"What these are for\"\n");
        for row in 0..4 {
            writeln!(outline, "    text \"Label {group} {row}\"\n    checkbox \"Choice {group} {row}\"")
                .expect("a string takes what is written");
        }
    }
    tree(&outline)
}

fn detect(criterion: &mut Criterion) {
    let tree = window();
    let front = front(&tree, &[]).expect("a window");
    assert_eq!(tree.descendants(front.window).count(), 501);
    criterion.bench_function("patterns, state and suggestions of 500 elements", |bencher| {
        bencher.iter(|| Insight::of(black_box(&tree), front));
    });
}

criterion_group!(benches, detect);
criterion_main!(benches);
