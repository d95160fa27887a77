//! The reference documentation says what the program does: it is written from the same definitions.

mod support;

use std::path::Path;
use support::run;
use tempfile::TempDir;

#[test]
fn the_reference_pages_are_current() {
    let fresh = TempDir::new().expect("a folder");
    let output = run(&["docs", fresh.path().to_str().expect("UTF-8")]);
    assert!(output.status.success());
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    for entry in std::fs::read_dir(fresh.path()).expect("pages") {
        let page = entry.expect("a page").path();
        let name = page.file_name().expect("a name");
        let now = std::fs::read_to_string(&page).expect("readable");
        let then = std::fs::read_to_string(kept.join(name)).unwrap_or_default();
        assert!(now == then, "docs/reference/{} is old: run `handeye docs docs/reference`", name.display());
    }
}
