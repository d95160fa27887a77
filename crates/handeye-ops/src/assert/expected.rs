//! How an element should be.

use clap::Args;
use handeye_core::{Error, Result, Role, screen_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an element should be; what is absent is not checked.
#[derive(Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(super) struct Assertions {
    #[arg(long, help = "Whether there is one")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exists: Option<bool>,
    #[arg(long, help = "Whether it is not greyed out")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) enabled: Option<bool>,
    #[arg(long, help = "Whether it has the keyboard's focus")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) focused: Option<bool>,
    #[arg(long, help = "What it holds, as `get` returns it")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<String>,
    #[arg(long, help = "Its whole title")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    #[arg(long, help = "Its role: button, textbox, AXButton, …")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) role: Option<String>,
    #[arg(long, help = "Whether it is shown")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) visible: Option<bool>,
    /// Also in what it holds
    #[arg(long, help = "A text in its title, its value, or anything shown in it")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) contains_text: Option<String>,
}

impl Assertions {
    /// Fails if nothing is asserted, or what cannot hold together.
    pub(super) fn check(&self) -> Result<()> {
        let invalid = |why: &str| Error::invalid_parameter("assertions", why);
        if self.exists.is_none() && !self.is_about_the_element() {
            return Err(invalid("asserts nothing").with_next(
                "Give at least one of exists, enabled, focused, value, title, role, visible, contains_text.",
            ));
        }
        if self.exists == Some(false) && self.is_about_the_element() {
            return Err(invalid("an element that does not exist has no other properties")
                .with_next("Leave out 'exists', or all the others."));
        }
        if self.contains_text.as_deref() == Some("") {
            return Err(invalid("'contains_text' is empty, which every element contains"));
        }
        match &self.role {
            Some(role) if !Role::is_known_name(role) => {
                Err(invalid(&format!("no role is called '{}'", screen_text::line(role, 40))).with_next(
                    "Use the role of an outline, as button or textbox, or its macOS name, as AXButton.",
                ))
            }
            _ => Ok(()),
        }
    }

    /// Whether it is only about whether there is one.
    pub(super) fn is_existence_alone(&self) -> bool {
        !self.is_about_the_element()
    }

    fn is_about_the_element(&self) -> bool {
        let states = [self.enabled, self.focused, self.visible];
        let texts = [&self.value, &self.title, &self.role, &self.contains_text];
        states.iter().any(Option::is_some) || texts.iter().any(|text| text.is_some())
    }
}
