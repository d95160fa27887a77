//! `handeye://recording/start` and `handeye://recording/stop`

use crate::{Address, Resources};
use handeye_act::Agreed;
use handeye_call::call::Call;
use handeye_core::{Error, ErrorCode, Result};
use handeye_recording::{LONGEST, Why, begin};
use serde_json::{Value, json};

impl Address {
    /// Whether reading it begins or ends a recording.
    pub(crate) const fn is_recording(&self) -> bool {
        matches!(self, Self::RecordingStart | Self::RecordingStop)
    }
}

/// Asks the person, and begins.
pub(super) async fn start(resources: &Resources, call: &Call) -> Result<Value> {
    let desk = &resources.engine.desk;
    desk.can_watch_user()?;
    let agreed = Agreed::ask(call).await?;
    resources.engine.memory.recording.keep(begin(desk, agreed, None, LONGEST).await?);
    Ok(json!({
        "recording": true,
        "ends_after_s": LONGEST.as_secs(),
        "stop": super::address::RECORDING_STOP,
    }))
}

/// Ends the recording; its steps.
pub(super) async fn stop(resources: &Resources) -> Result<Value> {
    let Some(recording) = resources.engine.memory.recording.take() else {
        return Err(Error::new(ErrorCode::Refused, "nothing is being recorded")
            .with_next("Read handeye://recording/start first."));
    };
    let mut recorded = recording.stop().await?;
    for step in &mut recorded.flow.steps {
        // A model pays for each of them, and would have to repeat it letter by letter.
        step.locator = None;
    }
    let mut content = serde_json::to_value(&recorded.flow).map_err(Error::internal)?;
    let early = match recorded.why {
        Why::Stopped => None,
        Why::Time => Some("The recording ended before, as its time was over."),
        Why::Full => Some("The recording ended before, as a workflow can have no more steps."),
        Why::Lost => Some("The recording ended before, with the display or with its sign on the screen."),
    };
    if let (Some(early), Some(fields)) = (early, content.as_object_mut()) {
        let notes = fields.entry("notes").or_insert_with(|| json!([]));
        if let Some(notes) = notes.as_array_mut() {
            notes.push(early.into());
        }
    }
    Ok(content)
}
