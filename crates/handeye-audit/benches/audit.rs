//! How long the audit of a window of 500 elements takes, with a picture of it: `cargo bench -p handeye-audit`.

use criterion::{Criterion, criterion_group, criterion_main};
use handeye_audit::{Standard, Subject, audit};
use handeye_core::testing::tree;
use handeye_core::{Detail, Extents, Frame, NodeId, Place, Rect, Role, Tree};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::hint::black_box;

const SIZE: (u32, u32) = (1_200, 1_000);

/// A window of 500 elements: 166 rows of a label, a field and a button.
fn window() -> Tree {
    let mut outline = "window \"Orders\"\n  group\n".to_owned();
    for row in 0..166 {
        // Writing to a string cannot fail.
        let _written = write!(
            outline,
            "    text \"Order {row}\"\n    textbox \"Amount {row}\": \"some words\"\n    button \"Delete {row}\"\n"
        );
    }
    let mut tree = tree(&outline);
    let root = tree.root().expect("a test tree has a root");
    let all: Vec<(NodeId, Role)> = tree.descendants(root).map(|node| (node.id, node.role)).collect();
    let mut cell = 0;
    for (id, role) in all {
        let area = if matches!(role, Role::Text | Role::TextBox | Role::Button) {
            cell += 1;
            Rect::new(10 + cell % 12 * 98, 10 + cell / 12 * 23, 96, 22)
        } else {
            Rect::new(0, 0, SIZE.0, SIZE.1)
        };
        tree.update(id, |node| {
            node.states.insert(handeye_core::States::FOCUSABLE);
            node.details.extents = Detail::Known(Extents::OnScreen(area));
        });
    }
    tree
}

/// Grey strokes on white, everywhere.
fn picture() -> Frame {
    let rgb = (0..SIZE.0 * SIZE.1).flat_map(|at| {
        let (x, y) = (at % SIZE.0, at / SIZE.0);
        [if x % 7 < 2 && y % 23 < 12 { 0x60 } else { 0xff }; 3]
    });
    Frame::new(Rect::new(0, 0, SIZE.0, SIZE.1), rgb.collect())
}

fn bench(criterion: &mut Criterion) {
    let (tree, frame, links) = (window(), picture(), HashMap::new());
    let root = tree.windows().next().expect("a window").id;
    let subject = |frame| Subject {
        tree: &tree,
        root,
        title: "Orders",
        place: Some(Place::bare(Rect::new(0, 0, SIZE.0, SIZE.1))),
        frame,
        scale: 1.0,
        links: &links,
    };
    for (name, picture) in [("500 elements with contrast", Some(&frame)), ("500 elements", None)] {
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| audit(black_box(&subject(picture)), &[Standard::WcagAaa], &mut |_| {}));
        });
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
