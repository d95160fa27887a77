//! Contrast, measured: the colours of text and background in a part of a picture, and how large the letters are.
//!
//! The background is the most frequent colour. The text is the pixels that differ most from it: letters are smoothed, so most of their
//! pixels are mixtures, and only the extreme of them has the colour that was meant. Where not even that is a plateau of several pixels, the
//! letters are too thin, and the measured ratio is a lower bound ([`Ink::is_solid`]).

mod colour;
mod glyphs;
mod measure;

pub use colour::ratio;
pub(crate) use glyphs::Glyphs;
pub(crate) use measure::{Ink, Unclear, measure};
