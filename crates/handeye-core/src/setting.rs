//! A setting of handeye, as text that advises a change of it holds it.
//!
//! This crate knows no setting, only names of some. A test of the binary (`tests/advice.rs`) compares every name in the source with the
//! settings that there are.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A setting of handeye, by the name of its flag. The person who starts handeye changes it, whichever face shows the text.
///
/// ```
/// # use handeye_core::SettingName;
/// let always = SettingName::of("confirm").at("always").with_variable();
/// assert_eq!(always.to_string(), "--confirm always (HANDEYE_CONFIRM)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingName {
    name: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<Cow<'static, str>>,
    #[serde(default)]
    with_variable: bool,
}

impl SettingName {
    /// The setting whose flag has this name, without dashes at its beginning.
    pub const fn of(name: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), value: None, with_variable: false }
    }

    /// The same with a value.
    #[must_use]
    pub fn at(self, value: &'static str) -> Self {
        Self { value: Some(Cow::Borrowed(value)), ..self }
    }

    /// The same with its environment variable beside it.
    #[must_use]
    pub fn with_variable(self) -> Self {
        Self { with_variable: true, ..self }
    }

    /// The name of its flag, without dashes at its beginning.
    pub fn flag(&self) -> &str {
        &self.name
    }

    /// The name of its environment variable.
    pub fn variable(&self) -> String {
        format!("HANDEYE_{}", self.name.replace('-', "_").to_uppercase())
    }
}

/// As the person gives it who starts handeye.
impl fmt::Display for SettingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--{}", self.name)?;
        if let Some(value) = &self.value {
            write!(f, " {value}")?;
        }
        if self.with_variable {
            write!(f, " ({})", self.variable())?;
        }
        Ok(())
    }
}
