//! Text in pictures, read on this machine: by the `tesseract` of the distribution, as a process that ends with its question.
//! `tsv` reads its answers.

mod tesseract;
mod tsv;

pub use tesseract::{Languages, Tesseract};
