//! How long queries take on a window of 1,800 elements: `cargo bench -p handeye-query`.

use criterion::{Criterion, criterion_group, criterion_main};
use handeye_core::Tree;
use handeye_core::testing::tree;
use handeye_query::{Query, Search, Strategy};
use std::fmt::Write as _;
use std::hint::black_box;

fn window() -> Tree {
    let mut outline = "window \"Files\"\n  textbox \"Search\"\n  list \"All\"\n".to_owned();
    for row in 0..600 {
        // Writing to a string cannot fail.
        let _written = write!(
            outline,
            "    listitem \"Letter {row}\"\n      text \"{row} KB\"\n      button \"Delete\"\n"
        );
    }
    tree(&outline)
}

fn find(criterion: &mut Criterion) {
    let tree = window();
    for text in [
        "Letter 599",
        "button Delete #600",
        "role:listitem AND title~=\"Letter 59\"",
        "listitem \"Letter 300\" >> button Delete",
        "title=/Letter 5\\d\\d/",
        "//listitem[@name='Letter 300']/button",
    ] {
        let query = Query::parse(text, Strategy::Auto).expect("a query");
        criterion.bench_function(text, |bencher| {
            bencher.iter(|| query.find(black_box(&tree), Search::default()).expect("a search"));
        });
    }
    criterion.bench_function("parse", |bencher| {
        bencher
            .iter(|| Query::parse(black_box("role:button AND (title:Save OR title:Open)"), Strategy::Auto));
    });
}

criterion_group!(benches, find);
criterion_main!(benches);
