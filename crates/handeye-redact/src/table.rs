//! The tables `[redact]` and `[[secrets]]` of the policy file.

use crate::field::FieldPattern;
use handeye_core::SecretPlace;
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_spanned::Spanned;
use std::ops::Range;

/// Most patterns of a policy.
const MOST_PATTERNS: usize = 100;
/// Most memory of a compiled pattern, in bytes.
const LARGEST_PATTERN: usize = 1024 * 1024;
/// Longest name of a secret, in bytes.
const LONGEST_NAME: usize = 64;

/// The table `[redact]`: what is taken out of answers, logs and pictures besides tokens and keys.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RedactTable {
    /// Fields whose content never leaves: as if their application had marked them as protected.
    #[schemars(with = "Vec<RedactField>")]
    pub fields: Vec<Spanned<RedactField>>,
    /// Regular expressions of what is secret, in the syntax of the `regex` crate.
    #[schemars(with = "Vec<String>")]
    pub patterns: Vec<Spanned<String>>,
    /// Whether long random words are secret.
    pub entropy: bool,
}

impl Default for RedactTable {
    fn default() -> Self {
        Self { fields: Vec::new(), patterns: Vec::new(), entropy: true }
    }
}

/// A field that is named in the table `[redact]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RedactField {
    /// In every application, by its label.
    Everywhere(String),
    /// In one application, or with a role.
    Parts(RedactFieldParts),
}

/// What is known of a field that is named in the table `[redact]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedactFieldParts {
    /// The application, by what it cannot claim for itself; every one if it is not there.
    #[serde(default)]
    pub app: Option<String>,
    /// Its role, as outlines name it.
    #[serde(default)]
    pub role: Option<String>,
    /// Its label.
    #[serde(default)]
    pub name: Option<String>,
}

impl RedactField {
    /// The application that it is in, `None` for every one.
    pub fn application(&self) -> Option<&str> {
        match self {
            Self::Everywhere(_) => None,
            Self::Parts(parts) => parts.app.as_deref(),
        }
    }

    /// Which field it is there.
    pub fn pattern(&self) -> FieldPattern {
        match self {
            Self::Everywhere(name) => FieldPattern::Name(name.clone()),
            Self::Parts(parts) => FieldPattern::Parts(crate::field::FieldParts {
                role: parts.role.clone(),
                name: parts.name.clone(),
            }),
        }
    }
}

/// One of `[[secrets]]`: a secret that can be typed by its name, into one field of one application.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecretTable {
    /// What it is typed by: `{{secret:NAME}}`.
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// Where it is kept: `file:PATH`, `env:NAME` or `keyring:SERVICE/ACCOUNT`.
    #[schemars(with = "String")]
    pub from: Spanned<String>,
    /// The application that it may be typed into, by what that cannot claim for itself.
    #[schemars(with = "String")]
    pub app: Spanned<String>,
    /// The field that it may be typed into.
    #[schemars(with = "FieldPattern")]
    pub field: Spanned<FieldPattern>,
}

/// What is wrong in a table, and where in the file, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternFault {
    /// The place.
    pub place: Range<usize>,
    /// What is wrong, as a sentence.
    pub why: String,
}

impl SecretTable {
    /// The place that `from` names.
    ///
    /// # Errors
    /// What keeps the entry from being used, and where that is.
    pub fn place(&self) -> Result<SecretPlace, PatternFault> {
        let fault = |of: Range<usize>, why: String| PatternFault { place: of, why };
        let name = self.name.get_ref();
        if !is_name(name) {
            let why = format!(
                "the name of a secret has letters, digits, '-', '_' and '.' only, at most {LONGEST_NAME} of them"
            );
            return Err(fault(self.name.span(), why));
        }
        self.field.get_ref().check().map_err(|why| fault(self.field.span(), why))?;
        place(self.from.get_ref()).map_err(|why| fault(self.from.span(), why))
    }
}

/// Whether a secret may be called so.
pub fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_part)
}

fn place(from: &str) -> Result<SecretPlace, String> {
    match from.split_once(':') {
        Some(("file", path)) if path.starts_with('/') || path.starts_with("~/") => {
            Ok(SecretPlace::File(path.into()))
        }
        Some(("file", _)) => Err("'file:' needs a path that begins with '/' or '~/'".to_owned()),
        Some(("env", name)) if is_variable(name) => Ok(SecretPlace::Variable(name.to_owned())),
        Some(("env", _)) => Err("'env:' needs the name of a variable".to_owned()),
        Some(("keyring", item)) => match item.split_once('/') {
            Some((service, account)) if !service.is_empty() && !account.is_empty() => {
                Ok(SecretPlace::Keyring { service: service.to_owned(), account: account.to_owned() })
            }
            _ => Err("'keyring:' needs SERVICE/ACCOUNT".to_owned()),
        },
        _ => Err("a secret comes from 'file:PATH', 'env:NAME' or 'keyring:SERVICE/ACCOUNT'".to_owned()),
    }
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The patterns, compiled.
pub(crate) fn compiled(patterns: &[Spanned<String>]) -> Result<Vec<Regex>, PatternFault> {
    let fault = |of: &Spanned<String>, why: String| PatternFault { place: of.span(), why };
    if let Some(first) = patterns.get(MOST_PATTERNS) {
        return Err(fault(first, format!("at most {MOST_PATTERNS} patterns are allowed")));
    }
    patterns
        .iter()
        .map(|written| {
            let built = RegexBuilder::new(written.get_ref()).size_limit(LARGEST_PATTERN).build();
            let pattern =
                built.map_err(|error| fault(written, format!("not a regular expression: {error}")))?;
            if pattern.is_match("") {
                return Err(fault(written, "it matches an empty text, so everything is secret".to_owned()));
            }
            Ok(pattern)
        })
        .collect()
}
