//! The answers about pictures, and the form in which a model takes one.

use handeye_core::vision::{EncodedPicture, Model, PictureLimits, Reply};
use handeye_core::{Error, Frame, Result, Size};
use handeye_picture::{self as picture, Limits};

/// Longest label in a header, in characters: window titles have no limit of their own.
const MAX_LABEL: usize = 120;

/// The answers about the pictures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// The answer. With several pictures each one's answer is under a header; an answer that failed is replaced by the reason.
    pub text: String,
    /// The model that answered; `None` if no picture got an answer.
    pub model: Option<Model>,
    /// Sentences for the reader, for example that an answer was cut off.
    pub notes: Vec<String>,
    /// The first failure.
    pub failed: Option<Error>,
}

/// The picture as a file within the limits, and its size there.
pub(crate) fn within(frame: &Frame, limits: PictureLimits) -> Result<(Size, EncodedPicture)> {
    let mut fitted = Limits { longest_side: limits.longest_side, pixels: limits.pixels };
    loop {
        let scaled = picture::fit(frame, fitted)?;
        let scaled = scaled.as_ref().unwrap_or(frame);
        let encoded = picture::encode_smallest(scaled)?;
        if encoded.bytes.len() <= limits.bytes {
            return Ok((scaled.size(), encoded));
        }
        // Half the pixels make about half the bytes; every round makes it smaller, down to a single pixel.
        fitted.pixels = u64::from(scaled.size().width) * u64::from(scaled.size().height) / 2;
        if fitted.pixels == 0 {
            return Err(Error::internal(format!("no picture fits in {} bytes", limits.bytes)));
        }
    }
}

/// Puts the answers together, in the order of the pictures.
pub(super) fn joined(model: Model, answers: Vec<(String, Result<Reply>)>) -> Analysis {
    let several = answers.len() > 1;
    let answered = answers.iter().any(|(_, answer)| answer.is_ok());
    let mut analysis = Analysis { text: String::new(), model: None, notes: Vec::new(), failed: None };
    for (label, answer) in answers {
        if several {
            let gap = if analysis.text.is_empty() { "" } else { "\n\n" };
            analysis.text.push_str(&format!("{gap}### {label}\n"));
        }
        match answer {
            Ok(reply) => {
                analysis.text.push_str(&reply.text);
                if !reply.complete {
                    let about = if several { format!(" about {label}") } else { String::new() };
                    analysis.notes.push(format!(
                        "The answer{about} is cut off: {model} reached its maximum length of answers. Ask for less."
                    ));
                }
            }
            Err(error) => {
                analysis.text.push_str(&format!("Analysis failed: {}", error.message));
                analysis.failed.get_or_insert(error);
            }
        }
    }
    analysis.model = answered.then_some(model);
    analysis
}

/// A label as a part of a header: it may be a window's title, which can hold anything.
pub(super) fn one_line(label: &str) -> String {
    handeye_core::screen_text::line(label, MAX_LABEL).trim().to_owned()
}
