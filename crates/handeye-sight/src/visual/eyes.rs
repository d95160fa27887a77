//! What a search in pictures looks with.

use super::searches::Searches;
use handeye_core::Screen;
use handeye_core::ocr::Ocr;
use handeye_core::vision::Vision;

/// What a search looks with: where pictures are taken, who is asked about them, and what waits for a client's model.
#[derive(Clone, Copy)]
pub struct Eyes<'a> {
    /// Where windows are captured.
    pub screen: &'a dyn Screen,
    /// Who answers questions about pictures.
    pub vision: &'a dyn Vision,
    /// Who reads text in pictures on this machine.
    pub ocr: &'a dyn Ocr,
    /// The searches that wait for a client's model.
    pub searches: &'a Searches,
}
