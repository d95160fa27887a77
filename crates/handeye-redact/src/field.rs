//! How the policy file names a field: by its role, its name or both.

use handeye_core::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A field of an application, named by its label, its role or both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FieldPattern {
    /// The label of a field that takes text: `"Password"`.
    Name(String),
    /// `{ role = "textbox", name = "Password" }`.
    Parts(FieldParts),
}

/// What is known of a field.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldParts {
    /// Its role, as outlines name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl FieldPattern {
    /// What keeps it from naming a field.
    ///
    /// # Errors
    /// The reason, as a sentence.
    pub fn check(&self) -> Result<(), String> {
        let (role, name) = self.parts();
        if let Some(role) = role
            && !Role::is_known_name(role)
        {
            return Err(format!("'{role}' is not a role"));
        }
        if role.is_none() && name.is_none_or(|name| normal(name).is_empty()) {
            return Err("a field needs a name or a role".to_owned());
        }
        Ok(())
    }

    fn parts(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Self::Name(name) => (None, Some(name)),
            Self::Parts(parts) => (parts.role.as_deref(), parts.name.as_deref()),
        }
    }

    /// Whether a field of this role is named by it that has one of these labels.
    pub fn matches<'a>(&self, role: Role, labels: impl IntoIterator<Item = &'a str>) -> bool {
        let (wanted, name) = self.parts();
        let is_of_role = wanted.is_none_or(|wanted| role.answers_to(wanted));
        let name = name.map(normal);
        is_of_role && name.is_none_or(|name| labels.into_iter().any(|label| normal(label) == name))
    }
}

/// `field "Password"`, `textbox "Password"`, `any textbox`.
impl fmt::Display for FieldPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            (None, Some(name)) => write!(f, "field \"{name}\""),
            (Some(role), Some(name)) => write!(f, "{role} \"{name}\""),
            (Some(role), None) => write!(f, "any {role}"),
            (None, None) => f.write_str("no field"),
        }
    }
}

/// A label in the form in which labels are compared: without its colon, star and mnemonic, in lower case.
pub(crate) fn normal(label: &str) -> String {
    let kept = label.chars().filter(|c| !matches!(c, '_' | '&'));
    let kept: String = kept.flat_map(char::to_lowercase).collect();
    let trimmed = kept.trim().trim_end_matches(|c: char| matches!(c, ':' | '*' | '：') || c.is_whitespace());
    trimmed.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_known_in_each_form() {
        let password = FieldPattern::Name("Password".into());
        for label in ["Password", "password:", "_Password *", " Pass&word : "] {
            assert!(password.matches(Role::TextBox, [label]), "{label}");
        }
        assert!(!password.matches(Role::TextBox, ["Password hint", ""]));
        let parts = FieldParts { role: Some("textbox".into()), name: None };
        let any = FieldPattern::Parts(parts);
        assert!(any.matches(Role::TextBox, []) && !any.matches(Role::Button, ["x"]));
    }

    #[test]
    fn what_names_no_field_is_reported() {
        assert!(FieldPattern::Name(" : ".into()).check().is_err());
        let role = |role: &str| FieldPattern::Parts(FieldParts { role: Some(role.into()), name: None });
        assert!(role("textbox").check().is_ok());
        assert_eq!(role("nonsense").check(), Err("'nonsense' is not a role".to_owned()));
        assert!(FieldPattern::Parts(FieldParts::default()).check().is_err());
    }
}
