//! Whether there is a reader of text in pictures, which `ax_find_visual` asks first. It is optional: models can look too.

use super::Finding;
use crate::desktop::find_program;

const PROGRAM: &str = "tesseract";

/// Looks for the program and does not start it: its libraries may take longer to load than a probe may take.
#[expect(clippy::unused_async, reason = "probes are futures")]
pub(super) async fn probe() -> Finding {
    match find_program(PROGRAM) {
        Some(path) => Finding::ok(path.display().to_string()),
        None => Finding::warn(
            "tesseract is not installed: ax_find_visual reads no text and asks an AI model at once",
            "sudo apt-get install --no-install-recommends tesseract-ocr",
        ),
    }
}
