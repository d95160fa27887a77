//! Values of settings as a reader sees them.

use super::value::Value;
use crate::format::Format;
use handeye_act::confirm::Confirm;
use handeye_auth::Token;
use handeye_core::SecurityMode;
use handeye_shots::delivery::{Keep, Responses};
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

/// A value that can be shown beside the text or the number that it was read from.
pub trait Shown {
    /// What is shown of it. Without a form of its own, that is what was set, `set`; a text that is a number is one.
    fn shown(&self, set: &Value) -> serde_json::Value {
        match set {
            Value::Text(text) => match text.trim().parse::<serde_json::Number>() {
                Ok(number) => number.into(),
                Err(_) => text.as_str().into(),
            },
            Value::Whole(number) => (*number).into(),
            Value::Fraction(number) => (*number).into(),
            Value::Switch(on) => (*on).into(),
            Value::List(texts) => texts.as_slice().into(),
        }
    }
}

impl Shown for Duration {}
impl Shown for Format {}
impl Shown for Keep {}
impl Shown for NonZeroU32 {}
impl Shown for Responses {}
impl Shown for Token {}
impl Shown for u16 {}
impl Shown for u64 {}
impl Shown for Option<Duration> {}
impl Shown for Option<f64> {}
impl Shown for Option<usize> {}

impl Shown for String {
    fn shown(&self, _set: &Value) -> serde_json::Value {
        self.as_str().into()
    }
}

impl Shown for PathBuf {
    fn shown(&self, _set: &Value) -> serde_json::Value {
        self.display().to_string().into()
    }
}

impl Shown for Option<PathBuf> {
    fn shown(&self, _set: &Value) -> serde_json::Value {
        self.as_ref().map_or_else(|| "off".to_owned(), |path| path.display().to_string()).into()
    }
}

impl Shown for bool {
    fn shown(&self, _set: &Value) -> serde_json::Value {
        (*self).into()
    }
}

impl Shown for Vec<String> {
    fn shown(&self, _set: &Value) -> serde_json::Value {
        self.as_slice().into()
    }
}

impl Shown for Confirm {
    fn shown(&self, _set: &Value) -> serde_json::Value {
        self.as_str().into()
    }
}

impl Shown for SecurityMode {
    fn shown(&self, _set: &Value) -> serde_json::Value {
        self.as_str().into()
    }
}

impl Shown for SocketAddr {
    fn shown(&self, _set: &Value) -> serde_json::Value {
        self.to_string().into()
    }
}

impl Shown for IpAddr {
    fn shown(&self, _set: &Value) -> serde_json::Value {
        self.to_string().into()
    }
}
