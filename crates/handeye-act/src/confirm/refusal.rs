//! Deeds that do nothing but refuse what a dialog asks.

use super::deed::{Deed, Stroke};
use super::labels::{is_pressed, texts};
use handeye_core::Tree;
use handeye_words::consequences as words;

/// Whether all that it does is to cancel, or to move the focus.
pub(crate) fn refuses(tree: &Tree, deed: &Deed) -> bool {
    match deed {
        Deed::Press { does, .. } => tree.get(*does).is_some_and(|node| {
            let labels = texts(tree, node);
            let any = |is_it: fn(&str) -> bool| labels.iter().any(|label| is_it(label));
            is_pressed(node) && any(words::is_refusal) && !any(words::is_affirmative)
        }),
        Deed::Keys { strokes, .. } => strokes.iter().all(Stroke::is_harmless_anywhere),
        _ => false,
    }
}
