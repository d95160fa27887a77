//! The report about the pictures that were taken.

use super::plan::Item;
use handeye_call::outcome::Outcome;
use handeye_core::{Error, Frame, Rect, Result, Size, Text};
use handeye_shots::delivery::{Delivered, SavedFile};
use handeye_sight::analysis::Analysis;
use handeye_tree::describe::quote;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// What was captured.
#[derive(Default)]
pub(super) struct Shoot {
    pub(super) taken: Vec<Taken>,
    /// The pixels with their labels, for a question.
    pub(super) frames: Vec<(String, Frame)>,
    pub(super) notes: Vec<Text>,
}

/// What was saved, and what was answered.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    saved_files: Vec<Saved>,
    #[serde(skip_serializing_if = "Option::is_none")]
    analysis_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_used: Option<String>,
}

/// A picture on disk.
#[derive(Serialize, JsonSchema)]
struct Saved {
    path: String,
    item_label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    window_title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    window_id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    window_index: Option<usize>,
    mime_type: &'static str,
    /// The id for `ax_click_at` and `ax_drag`. It ends with the process, so a shell gets none.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

/// A picture that was taken.
pub(super) struct Taken {
    pub(super) item: Item,
    /// Its size in pixels as it was captured.
    pub(super) captured: Size,
    /// The part of the screen that it shows, where that is known.
    pub(super) place: Option<Rect>,
    /// `None` for one that was only looked at.
    pub(super) delivered: Option<Delivered>,
    pub(super) file: Option<SavedFile>,
}

impl Taken {
    /// The file, unless answers only confirm.
    fn reported_file(&self) -> Option<&SavedFile> {
        self.file.as_ref().filter(|file| file.shown.is_some())
    }

    fn saved(&self, remembered: bool) -> Option<Saved> {
        let (file, delivered) = (self.reported_file()?, self.delivered.as_ref()?);
        let window = self.item.window.as_ref();
        Some(Saved {
            path: file.path.display().to_string(),
            item_label: self.item.label.clone(),
            window_title: window.map(|window| window.title.clone()),
            window_id: window.map(|window| window.id),
            window_index: window.map(|window| window.index),
            mime_type: file.mime_type,
            id: remembered.then(|| delivered.file_id.unwrap_or(delivered.id).to_string()),
        })
    }

    /// What the picture in the answer shows (section I.C, `metadata` of an image's content).
    fn about(&self) -> Value {
        let mut about = Map::new();
        about.insert("item_label".into(), self.item.label.clone().into());
        if let Some(window) = &self.item.window {
            about.insert("window_title".into(), window.title.clone().into());
            about.insert("window_id".into(), window.id.into());
        }
        if let Some(file) = self.reported_file() {
            about.insert("source_path".into(), file.path.display().to_string().into());
        }
        if let Some(delivered) = &self.delivered {
            about.insert("id".into(), delivered.id.to_string().into());
        }
        Value::Object(about)
    }

    fn line(&self, remembered: bool) -> String {
        let Size { width, height } = self.captured;
        let mut line = format!("\"{}\" {width}x{height}", quote(&self.item.label));
        if let Some(place) = self.place {
            line.push_str(&format!(" at ({}, {})", place.x, place.y));
        }
        if let Some(delivered) = &self.delivered {
            if remembered {
                line = format!("{}: {line}", delivered.id);
            }
            if delivered.size.width != width || delivered.size.height != height {
                line.push_str(&format!(", shown at {}x{}", delivered.size.width, delivered.size.height));
            }
        }
        if let Some(shown) = self.file.as_ref().and_then(|file| file.shown.as_ref()) {
            line.push_str(&format!(", saved to {shown}"));
        }
        line
    }
}

/// The answer: what was taken, and what a model answered about it.
pub(super) fn outcome(shoot: Shoot, analysed: Option<Result<Analysis>>, remembered: bool) -> Outcome<Output> {
    let number = shoot.taken.len();
    let mut text = format!("Captured {number} picture{}:", if number == 1 { "" } else { "s" });
    let mut pictures = Vec::new();
    let mut saved_files = Vec::new();
    for mut taken in shoot.taken {
        text.push_str(&format!("\n{}", taken.line(remembered)));
        saved_files.extend(taken.saved(remembered));
        let about = taken.about();
        if let Some(mut picture) = taken.delivered.as_mut().and_then(|delivered| delivered.picture.take()) {
            picture.about = Some(about);
            pictures.push(picture);
        }
    }
    let fields = Output { saved_files, analysis_text: None, model_used: None };
    let mut outcome = Outcome { pictures, notes: shoot.notes, ..Outcome::new(text, fields) };
    let analysed = analysed.map(|analysed| analysed.unwrap_or_else(unanswered));
    if let Some(analysis) = analysed {
        outcome.notes.insert(0, analysis.text.clone().into());
        outcome.notes.extend(analysis.notes.into_iter().map(Text::from));
        outcome.fields.analysis_text = Some(analysis.text);
        outcome.fields.model_used = analysis.model.map(|model| model.to_string());
        outcome.failure = analysis.failed;
    }
    outcome
}

/// A question that could not be asked at all; the pictures were taken nevertheless.
fn unanswered(error: Error) -> Analysis {
    let mut text = format!("Analysis skipped: {}", error.message);
    if let Some(next) = &error.next {
        text.push_str(&format!(" {next}"));
    }
    Analysis { text, model: None, notes: Vec::new(), failed: Some(error) }
}

/// What went wrong with one of the pictures.
pub(super) fn warning(label: &str, error: &Error) -> String {
    format!("Peekaboo Warning: {}: {}", quote(label), error.message)
}
