//! Ordinary user interfaces have no secrets: the recorded windows of real applications are the measure of false positives.

use handeye_redact::Redactor;
use std::path::Path;

#[test]
fn nothing_is_taken_out_of_recorded_windows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../handeye-insight/tests/corpus");
    let redactor = Redactor::default();
    let (mut windows, mut lines, mut wrong) = (0, 0, Vec::new());
    for entry in std::fs::read_dir(folder).expect("the recorded windows") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a recorded window");
        windows += 1;
        lines += text.lines().count();
        for found in redactor.found(&text) {
            wrong.push(format!("{}: {} {}", path.display(), found.kind, &text[found.place]));
        }
    }
    println!("{windows} windows, {lines} elements");
    assert!(windows > 300, "{windows}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
