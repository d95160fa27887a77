//! How `image` and `list` are configured: the variables of [`CaptureSettings`].

use crate::settings::{CAPTURE_TIMEOUT, SAVE_PATH};
use handeye_core::Result;
use handeye_engine::CaptureSettings;

/// How `image` and `list` are configured: by the environment, else the configuration file, else the defaults.
pub fn captures() -> Result<CaptureSettings> {
    let default = CaptureSettings::default();
    Ok(CaptureSettings {
        deadline: CAPTURE_TIMEOUT.configured()?.unwrap_or(default.deadline),
        save_path: SAVE_PATH.configured()?.or(default.save_path),
    })
}
