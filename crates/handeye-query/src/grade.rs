//! How well an element matches.

/// How well an element answers: smaller is better. An element that answers better hides the others.
pub(super) type Grade = u8;

/// The text is the same to the letter, or the condition simply holds.
pub(super) const EXACT: Grade = 0;
/// The text is the same in another case.
pub(super) const SAME: Grade = 1;
/// The text is the beginning or a part.
pub(super) const PART: Grade = 2;
/// The text is not in the label but elsewhere.
pub(super) const ELSEWHERE: Grade = 3;
