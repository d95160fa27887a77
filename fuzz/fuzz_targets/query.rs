//! Any text is a query or an error with the place of its fault, in every strategy, and a search for it ends.
#![no_main]

use handeye_core::testing::tree;
use handeye_query::{Query, Search, Strategy};
use libfuzzer_sys::fuzz_target;

const STRATEGIES: [Strategy; 7] = [
    Strategy::Auto,
    Strategy::Exact,
    Strategy::Contains,
    Strategy::Regex,
    Strategy::Role,
    Strategy::Identifier,
    Strategy::Xpath,
];

fuzz_target!(|text: &str| {
    let tree = tree("window \"Main\"\n  list \"All\"\n    listitem \"One\"\n      button \"Delete\"\n  checkbox \"Wrap\" [checked]");
    for strategy in STRATEGIES {
        if let Ok(query) = Query::parse(text, strategy) {
            drop(query.find(&tree, Search::default()));
        }
    }
});
