//! The parameters: what is audited, against what, and how that is reported.

use crate::shared::is_default;
use clap::{Args, ValueEnum};
use handeye_audit::Standard;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What to audit, and against what.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    pub(super) app: String,
    #[arg(
        long,
        value_enum,
        default_value_t,
        help = "What to audit: all windows, the topmost one, or an element"
    )]
    #[serde(default)]
    pub(super) scope: Scope,
    /// For scope element
    #[arg(long, value_name = "QUERY", help = "The element, for --scope element")]
    pub(super) query: Option<String>,
    #[arg(
        long = "standard",
        value_enum,
        value_name = "STANDARD",
        help = "Audit against this; may be repeated"
    )]
    #[arg(default_values_t = standards())]
    #[serde(default = "standards")]
    pub(super) standards: Vec<Against>,
    /// Also a picture with numbered issues
    #[arg(long, help = "Save a picture with the numbers of the issues")]
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) annotate: bool,
    #[arg(
        long = "report",
        id = "report_format",
        value_enum,
        default_value_t,
        help = "How the text is written"
    )]
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) format: Form,
    /// Write it to this new file
    #[arg(long, short, value_name = "PATH", help = "Write the report to this new file")]
    pub(super) output: Option<PathBuf>,
}

/// How much of the application is audited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub(super) enum Scope {
    /// Every window that shows.
    Full,
    /// The topmost window.
    #[default]
    FocusedWindow,
    /// One element and what is in it.
    Element,
}

/// A standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub(super) enum Against {
    WcagA,
    WcagAa,
    WcagAaa,
    Section508,
}

impl From<Against> for Standard {
    fn from(against: Against) -> Self {
        match against {
            Against::WcagA => Self::WcagA,
            Against::WcagAa => Self::WcagAa,
            Against::WcagAaa => Self::WcagAaa,
            Against::Section508 => Self::Section508,
        }
    }
}

fn standards() -> Vec<Against> {
    vec![Against::WcagAa]
}

impl std::fmt::Display for Against {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::WcagA => "wcag_a",
            Self::WcagAa => "wcag_aa",
            Self::WcagAaa => "wcag_aaa",
            Self::Section508 => "section508",
        })
    }
}

/// How the text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum Form {
    #[default]
    Text,
    Markdown,
    Sarif,
}
