//! Names of settings in the specification of axterminator that are not aliases of one setting: keys of its configuration file, and the
//! providers that it knows.

use super::setting::Kind;
use super::value::Value;
use handeye_core::{Error, Result};
use std::env;

/// The variable that names a provider in the specification.
const BACKEND: &str = "AXTERMINATOR_VLM_BACKEND";
/// A variable of the specification that is a number without effect.
pub(super) const WITHOUT_EFFECT: &str = "AXTERMINATOR_TREE_CACHE_MS";
/// The providers that it may name.
const BACKENDS: [&str; 4] = ["anthropic", "openai", "gemini", "ollama"];

/// What a key of the specification's configuration file is for handeye.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForeignKey {
    /// Another name for the setting of this variable, with values of this kind.
    Alias(&'static str, Kind),
    /// A number without effect.
    WithoutEffect,
}

const KEYS: [(&str, ForeignKey); 5] = [
    ("server.confirm_destructive", ForeignKey::Alias("HANDEYE_CONFIRM", Kind::Switch)),
    ("vlm.rate_limit", ForeignKey::Alias("HANDEYE_VLM_RATE_LIMIT", Kind::Number)),
    ("vlm.backend", ForeignKey::Alias("HANDEYE_AI_PROVIDERS", Kind::Text)),
    ("cache.tree_ttl_ms", ForeignKey::WithoutEffect),
    ("cache.screenshot_debounce_ms", ForeignKey::WithoutEffect),
];

/// What a key of the specification is; `None` if it is none, or has the same name here.
pub(crate) fn key(name: &str) -> Option<ForeignKey> {
    KEYS.iter().find(|(key, _)| *key == name).map(|(_, about)| *about)
}

/// The keys of the specification that are not keys here.
pub(crate) fn keys() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|(key, _)| *key)
}

/// Why the value of a key that is another name cannot be used; `None` if it can.
pub(crate) fn fault(name: &str, value: &Value) -> Option<String> {
    let backend = value.as_text().filter(|_| name == "vlm.backend")?;
    (!is_backend(backend)).then(|| format!("'{name}' must be one of {}", BACKENDS.join(", ")))
}

fn is_backend(text: &str) -> bool {
    BACKENDS.iter().any(|known| text.trim().eq_ignore_ascii_case(known))
}

/// Refuses a provider of the specification that there is not here.
pub(super) fn check_environment() -> Result<()> {
    check(|name| env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
}

fn check(read: impl Fn(&str) -> Option<String>) -> Result<()> {
    match read(BACKEND) {
        Some(text) if !text.is_empty() && !is_backend(&text) => {
            let why =
                format!("must be one of {}; other providers are not supported here", BACKENDS.join(", "));
            Err(Error::invalid_parameter(BACKEND, why)
                .with_next("HANDEYE_AI_PROVIDERS names models of other servers."))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_is_one_of_four() {
        let set = |value: &'static str| check(move |name| (name == BACKEND).then(|| value.to_owned()));
        for known in BACKENDS {
            assert!(set(known).is_ok(), "{known}");
        }
        assert!(set("mlx").is_err_and(|error| error.message.contains("anthropic")));
    }
}
