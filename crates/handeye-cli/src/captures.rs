//! How `image` and `list` are configured: the variables of [`CaptureSettings`].

use crate::settings::{CAPTURE_TIMEOUT, SAVE_PATH};
use handeye_core::Result;
use handeye_engine::CaptureSettings;
use std::path::PathBuf;
use std::time::Duration;

/// How `image` and `list` are configured: by the environment, else the configuration file, else the defaults.
pub fn captures() -> Result<CaptureSettings> {
    let default = CaptureSettings::default();
    Ok(CaptureSettings {
        deadline: CAPTURE_TIMEOUT.parsed(deadline)?.unwrap_or(default.deadline),
        save_path: SAVE_PATH.parsed(|text| Ok(PathBuf::from(text)))?.or(default.save_path),
    })
}

/// A number of milliseconds of at least one.
fn deadline(text: &str) -> std::result::Result<Duration, String> {
    match text.trim().parse::<u64>() {
        Ok(milliseconds @ 1..) => Ok(Duration::from_millis(milliseconds)),
        _ => Err(format!("'{text}' is not a number of milliseconds of at least 1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_default_is_the_real_one() {
        assert_eq!(deadline(CAPTURE_TIMEOUT.default), Ok(CaptureSettings::default().deadline));
        for bad in ["", "0", "-1", "30s", "1e3"] {
            assert!(deadline(bad).is_err(), "{bad}");
        }
    }
}
