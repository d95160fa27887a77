//! The forms in which an answer can be printed.

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON document on standard output, errors included.
    Json,
    /// Nothing; the exit code is the answer.
    Quiet,
    /// `--json-output`: one JSON object that says whether the command went well and carries its answer or its error
    /// (Peekaboo 1.1.2, section II.A.4). Nothing goes to standard error.
    #[value(skip)]
    Envelope,
}
