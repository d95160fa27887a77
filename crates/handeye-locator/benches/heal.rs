//! How long healing takes in a window of 2,000 elements: `cargo bench -p handeye-locator`.

use criterion::{Criterion, criterion_group, criterion_main};
use handeye_core::Tree;
use handeye_core::testing::{named, tree};
use handeye_locator::{Survey, heal};
use std::fmt::Write as _;
use std::hint::black_box;

fn window(renamed: bool) -> Tree {
    let mut outline = "window \"Files\"\n".to_owned();
    for group in 0..20 {
        // Writing to a string cannot fail.
        let _written = writeln!(outline, "  toolbar \"Group {group}\"");
        for item in 0..33 {
            let name = if renamed && (group, item) == (10, 16) { "Renamed" } else { "Command" };
            let _written = write!(
                outline,
                "    group\n      text \"Text {group} {item}\"\n      button \"{name} {group} {item}\"\n"
            );
        }
    }
    tree(&outline)
}

fn benches(criterion: &mut Criterion) {
    let (before, after) = (window(false), window(true));
    let print = Survey::new(&before).fingerprint(named(&before, "Command 10 16")).expect("it is there");
    criterion.bench_function("survey of 2,000 elements", |bencher| {
        bencher.iter(|| black_box(Survey::new(black_box(&after))));
    });
    criterion.bench_function("heal in 2,000 elements, with the survey", |bencher| {
        bencher.iter(|| heal(black_box(&print), &Survey::new(black_box(&after))));
    });
    let same = Survey::new(&after).fingerprint(named(&after, "Command 3 3")).expect("it is there");
    criterion.bench_function("heal by title in 2,000 elements, with the survey", |bencher| {
        bencher.iter(|| heal(black_box(&same), &Survey::new(black_box(&after))));
    });
}

criterion_group!(heals, benches);
criterion_main!(heals);
