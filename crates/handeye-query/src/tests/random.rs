//! Random trees: different ways to ask the same give the same answer.

use super::*;
use proptest::strategy::Strategy as _;
use std::collections::BTreeSet;

const ROLES: [&str; 5] = ["list", "listitem", "button", "checkbox", "slider"];
const TITLES: [&str; 10] =
    ["", "Save", "save", "Save As", "a AND b", "x >> y", "#2", "button", "über 漢", "role list"];

/// An outline of elements at random depths.
fn outlines() -> impl proptest::strategy::Strategy<Value = String> {
    let element = (
        0_usize..6,
        prop::sample::select(ROLES.as_slice()),
        prop::sample::select(TITLES.as_slice()),
        any::<bool>(),
    );
    prop::collection::vec(element, 0..60).prop_map(|elements| {
        let mut outline = "window \"W\"\n".to_owned();
        let mut deepest = 1;
        for (depth, role, title, hidden) in elements {
            let depth = (depth + 1).min(deepest);
            deepest = depth + 1;
            let tag = if hidden { " [hidden]" } else { "" };
            outline.push_str(&format!("{:indent$}{role} \"{title}\"{tag}\n", "", indent = depth * 2));
        }
        outline
    })
}

/// The elements that a query finds, in no order.
fn ids(tree: &Tree, query: &str, strategy: Strategy) -> BTreeSet<NodeId> {
    let query = Query::parse(query, strategy).unwrap_or_else(|error| panic!("{query}: {error}"));
    let matches = query.find(tree, Search { limit: usize::MAX, ..Search::default() }).expect("cheap");
    assert_eq!(matches.nodes.len(), matches.total);
    matches.nodes.iter().map(|node| node.id).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_title_by_itself_and_by_xpath_is_the_same(outline in outlines(), title in prop::sample::select(&TITLES[1..])) {
        let tree = tree(&outline);
        let plain: BTreeSet<NodeId> = tree.nodes().filter(|node| &*node.name == title).map(|node| node.id).collect();
        prop_assert_eq!(&ids(&tree, title, Strategy::Exact), &plain);
        prop_assert_eq!(&ids(&tree, &format!("//*[@name='{title}']"), Strategy::Xpath), &plain);
    }

    #[test]
    fn an_element_inside_of_another_by_steps_and_by_xpath_is_the_same(outline in outlines(), steps in prop::collection::vec(prop::sample::select(ROLES.as_slice()), 1..4)) {
        let tree = tree(&outline);
        let by_steps = steps.iter().map(|role| format!("role:{role}")).collect::<Vec<_>>().join(" >> ");
        let by_path = format!("//{}", steps.join("//"));
        prop_assert_eq!(ids(&tree, &by_steps, Strategy::Auto), ids(&tree, &by_path, Strategy::Xpath));
    }
}
