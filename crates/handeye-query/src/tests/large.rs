//! A large window.

use super::*;

/// An application with `rows` rows of three elements each, under some levels of wrappers.
pub(super) fn large_tree(elements: usize) -> Tree {
    let mut text = String::from("window \"Large\"\n  group\n    generic\n      table \"Rows\"\n");
    for row in 0..elements / 4 {
        writeln!(text, "        row\n          cell \"Invoice {row}\"\n          cell \"Größe {row}\": \"{row}\"\n          button \"Delete {row}\"")
            .expect("a string grows");
    }
    tree(&text)
}

/// Prints what a find costs; run it with `cargo test --release -- --ignored --nocapture speed` on a calm machine.
#[test]
#[ignore = "a measurement, not a test"]
fn speed_of_a_find_in_two_thousand_elements() {
    let tree = large_tree(2_000);
    for text in [
        "Delete 400",
        "button \"Delete 400\"",
        "delete",
        "nothing like it",
        "//button[@name='Delete 400']",
        "role:button AND title:'Delete 400'",
    ] {
        let mut times: Vec<_> = (0..200)
            .map(|_| {
                let started = std::time::Instant::now();
                let query = Query::parse(text, Strategy::Auto).expect(text);
                let found = query.find(&tree, Search::default()).expect("cheap");
                assert!(found.total < 1_000);
                started.elapsed()
            })
            .collect();
        times.sort();
        println!("{:>6.0} µs  {text}  ({} elements)", times[100].as_secs_f64() * 1e6, tree.len());
    }
}
