//! What is looked for by sight: the picture, who looks, and what they see.

use handeye_core::platform::{CaptureTarget, WindowPart};
use handeye_core::{Frame, InPicture, Rect, Result, Screen, Window};
use handeye_shots::on_screen::capture;
use handeye_shots::scale_of;
use handeye_shots::{Seen, Shot, Subject};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A picture in which something is looked for.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Its pixels.
    pub frame: Arc<Frame>,
    /// The window that it is of; `None` for a picture that came with the call.
    pub window: Option<Window>,
    /// What was drawn when it was taken, from the topmost down.
    pub windows: Arc<[Seen]>,
    /// Screen pixels for one logical pixel, where it was taken.
    pub scale: f64,
}

impl Picture {
    /// A picture of a window as it is now, covered or not.
    pub(super) async fn of(screen: &dyn Screen, window: Window) -> Result<Self> {
        let frame = capture(screen, CaptureTarget::Window(window.id, WindowPart::Whole)).await?;
        let windows = Seen::all(&screen.shown().await?);
        let scale = scale_of(&screen.monitors().await?, frame.place().as_ref());
        Ok(Self { frame: Arc::new(frame), window: Some(window), windows, scale })
    }

    /// How its points are clicked, at full size; `None` for a picture that came with the call.
    pub fn shot(&self) -> Option<Shot> {
        let area = self.frame.place();
        let subject = Subject::Window(self.window.as_ref()?.id);
        let size = self.frame.size();
        Some(Shot { subject, area, size, scale: self.scale, windows: Arc::clone(&self.windows), file: None })
    }
}

/// Who looks, in the order in which they are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// The text in the picture, read on this machine.
    Ocr,
    /// The configured AI provider.
    Provider,
    /// The client's own model.
    Client,
}

impl Step {
    /// Its name in answers and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ocr => "ocr",
            Self::Provider => "provider",
            Self::Client => "client",
        }
    }
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    /// It sees the thing.
    Found,
    /// It looked, and sees several that it may be.
    Ambiguous,
    /// It looked, and does not see it.
    NotFound,
    /// It could not look.
    Failed,
}

impl StepOutcome {
    /// Its name in answers and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Ambiguous => "ambiguous",
            Self::NotFound => "not_found",
            Self::Failed => "failed",
        }
    }
}

/// A step that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Attempt {
    /// Which one.
    pub step: Step,
    /// How it ended.
    pub outcome: StepOutcome,
    /// Why it did not find the thing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// To whom the picture was sent for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub sent_to: Option<String>,
}

/// A place where the thing is.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Where, in pixels of the [picture](Sought::picture).
    pub area: Rect<InPicture>,
    /// How sure it is, from 0 to 1, if it reported that.
    pub confidence: Option<f64>,
    /// Who found it.
    pub step: Step,
    /// By what: `tesseract`, the provider's name, or `client`.
    pub backend: String,
    /// The text that was read there.
    pub text: Option<String>,
    /// Other places that are it as well.
    pub others: Vec<Rect<InPicture>>,
}

/// How a search ended.
#[derive(Debug, Clone)]
pub struct Sought {
    /// Where was looked.
    pub picture: Picture,
    /// Where the thing is, if it is seen.
    pub hit: Option<Hit>,
    /// What was tried, in order.
    pub attempts: Vec<Attempt>,
}

impl Sought {
    /// Whether any step could look at all.
    pub fn was_looked(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.outcome != StepOutcome::Failed)
    }

    /// To whom the picture was sent, in order.
    pub fn recipients(&self) -> Vec<&str> {
        self.attempts.iter().filter_map(|attempt| attempt.sent_to.as_deref()).collect()
    }

    /// What was tried and failed, one line a step: `ocr: not installed`.
    pub fn failures(&self) -> Vec<String> {
        let failed = self.attempts.iter().filter(|attempt| attempt.outcome != StepOutcome::Found);
        failed.map(|attempt| format!("{}: {}", attempt.step.as_str(), attempt.why)).collect()
    }
}
