//! How a query is read, and which way it matched.

use serde::{Deserialize, Serialize};

/// How a query is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// Every way that the text allows, the most exact one first.
    #[default]
    Auto,
    /// The whole title, to the letter.
    Exact,
    /// A part of the title, in any case.
    Contains,
    /// A regular expression on the title, else on the value.
    Regex,
    /// A role.
    Role,
    /// The identifier that its developer gave it.
    Identifier,
    /// An XPath expression.
    Xpath,
}

/// Which way a query matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Matched {
    /// The reference of an element.
    Reference,
    /// Its identifier.
    Identifier,
    /// The whole title.
    TitleExact,
    /// A role and a title.
    RoleTitle,
    /// A part of the title.
    TitleContains,
    /// What it holds or how it is described.
    Semantic,
    /// A similar title.
    Fuzzy,
    /// A role.
    Role,
    /// A regular expression.
    Regex,
    /// An XPath expression.
    Xpath,
    /// An expression.
    Compound,
}

impl Matched {
    /// The name as answers give it, for example `title_exact`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Identifier => "identifier",
            Self::TitleExact => "title_exact",
            Self::RoleTitle => "role_title",
            Self::TitleContains => "title_contains",
            Self::Semantic => "semantic",
            Self::Fuzzy => "fuzzy",
            Self::Role => "role",
            Self::Regex => "regex",
            Self::Xpath => "xpath",
            Self::Compound => "compound",
        }
    }
}
