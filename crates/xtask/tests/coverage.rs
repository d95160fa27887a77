//! Every requirement of a specification that is not done has a line with its reason in `docs/explanation/differences.md`.

use std::collections::BTreeSet;
use std::path::Path;

/// A section of a specification and a requirement in it.
type Requirement = (String, String);

/// The rows of the tables of a page, as their cells.
fn rows(page: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let text = std::fs::read_to_string(&path).expect("the page is there");
    text.lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix('|'))
        .map(|line| line.split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

fn requirement(row: &[String]) -> Requirement {
    (row[0].clone(), row[1].clone())
}

#[test]
fn what_is_not_done_has_its_reason() {
    let covered: Vec<Vec<String>> =
        rows("spec-coverage.md").into_iter().filter(|row| row.len() == 4).collect();
    let known: BTreeSet<Requirement> = covered.iter().map(|row| requirement(row)).collect();
    let is_open = |row: &&Vec<String>| ["partial", "absent", "different"].contains(&row[2].as_str());
    let open: BTreeSet<Requirement> = covered.iter().filter(is_open).map(|row| requirement(row)).collect();
    assert!(open.len() > 30, "the table of requirements was not read: {}", open.len());

    let explained = rows("explanation/differences.md");
    let explained: Vec<&Vec<String>> =
        explained.iter().filter(|row| row.len() == 3 && row[0] != "section" && row[0] != "---").collect();
    let without_reason: Vec<_> = explained.iter().filter(|row| row[2].is_empty()).collect();
    assert!(without_reason.is_empty(), "no reason: {without_reason:?}");
    let explained: BTreeSet<Requirement> = explained.iter().map(|row| requirement(row)).collect();
    let missing: Vec<_> = open.difference(&explained).collect();
    assert!(missing.is_empty(), "not explained in differences.md: {missing:#?}");
    let unknown: Vec<_> = explained.difference(&known).collect();
    assert!(unknown.is_empty(), "in differences.md and not in spec-coverage.md: {unknown:#?}");
}
