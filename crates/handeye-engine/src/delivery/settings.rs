//! Where pictures are kept and how they reach a client.

use std::path::PathBuf;

/// Where pictures are kept and how they reach a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The folder for screenshots, absolute or relative to the working directory.
    pub directory: PathBuf,
    /// What an answer carries.
    pub responses: Responses,
    /// How much that folder may hold.
    pub keep: Keep,
}

/// What an answer carries of a picture (viewpoint-screenshots, decision 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Responses {
    /// The path of the saved file.
    #[default]
    File,
    /// The path and the picture itself, scaled to what a model takes.
    Inline,
    /// A confirmation, neither path nor picture.
    Omit,
}

/// How much a folder for screenshots may hold; the oldest ones are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    /// Everything.
    #[default]
    All,
    /// This many pictures.
    Count(usize),
    /// Pictures of this many bytes.
    Bytes(u64),
}

impl Default for Delivery {
    fn default() -> Self {
        Self {
            directory: ".handeye-screenshots".into(),
            responses: Responses::default(),
            keep: Keep::default(),
        }
    }
}
