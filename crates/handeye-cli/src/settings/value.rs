//! A value as it was set.

use std::fmt;
use std::str::FromStr;

/// A value in the type in which it was set. A flag and a variable have texts; a key of the configuration file has a type of its own.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number.
    Whole(i64),
    /// A number with a fraction, or one beyond the range of [`Value::Whole`].
    Fraction(f64),
    /// True or false.
    Switch(bool),
    /// A list of texts.
    List(Vec<String>),
}

impl Value {
    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The whole number that it is, also as a text.
    pub(super) fn whole<T: FromStr + TryFrom<i64>>(&self) -> Option<T> {
        match self {
            Self::Text(text) => text.trim().parse().ok(),
            Self::Whole(number) => T::try_from(*number).ok(),
            _ => None,
        }
    }

    /// The number that it is, also as a text.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Text(text) => text.trim().parse().ok(),
            Self::Whole(number) => Some(*number as f64),
            Self::Fraction(number) => Some(*number),
            _ => None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// For errors.
impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => out.write_str(text),
            Self::Whole(number) => number.fmt(out),
            // Large and small ones in the short form.
            Self::Fraction(number) => fmt::Debug::fmt(number, out),
            Self::Switch(on) => on.fmt(out),
            Self::List(texts) => out.write_str(&texts.join(",")),
        }
    }
}
