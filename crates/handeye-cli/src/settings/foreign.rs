//! Names of settings in the specification of axterminator that are not aliases of one setting: what this version cannot enforce, and
//! keys of its configuration file.

use super::setting::Kind;
use super::value::Value;
use handeye_core::{Error, Result};
use std::env;

/// A restriction of the specification that this version cannot enforce: to ignore it would be to run without it.
struct Unenforced {
    variable: &'static str,
    key: Option<&'static str>,
    /// A value that restricts nothing.
    harmless: &'static str,
}

impl Unenforced {
    const fn of(variable: &'static str, key: Option<&'static str>) -> Self {
        Self { variable, key, harmless: "" }
    }
}

/// Every restriction that is refused. One that becomes a setting leaves this table.
const UNENFORCED: &[Unenforced] = &[
    Unenforced::of("AXTERMINATOR_HTTP_TOKEN", Some("http.token")),
    Unenforced::of("AXTERMINATOR_AUDIT_LOG", None),
];

/// The variable that names a provider in the specification.
const BACKEND: &str = "AXTERMINATOR_VLM_BACKEND";
/// The providers that it may name.
const BACKENDS: [&str; 4] = ["anthropic", "openai", "gemini", "ollama"];

/// What a key of the specification's configuration file is for handeye.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForeignKey {
    /// Another name for the setting of this variable, with values of this kind.
    Alias(&'static str, Kind),
    /// A number without effect.
    WithoutEffect,
    /// A restriction that cannot be enforced, unless it has this value.
    Unenforced(&'static str),
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
    let known = KEYS.iter().find(|(key, _)| *key == name).map(|(_, about)| *about);
    let refused = || UNENFORCED.iter().find(|refused| refused.key == Some(name));
    known.or_else(|| refused().map(|refused| ForeignKey::Unenforced(refused.harmless)))
}

/// The keys of the specification that are not keys here.
pub(crate) fn keys() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|(key, _)| *key).chain(UNENFORCED.iter().filter_map(|refused| refused.key))
}

/// Why the value of a key that is another name cannot be used; `None` if it can.
pub(crate) fn fault(name: &str, value: &Value) -> Option<String> {
    let backend = value.as_text().filter(|_| name == "vlm.backend")?;
    (!is_backend(backend)).then(|| format!("'{name}' must be one of {}", BACKENDS.join(", ")))
}

fn is_backend(text: &str) -> bool {
    BACKENDS.iter().any(|known| text.trim().eq_ignore_ascii_case(known))
}

/// Whether a text restricts nothing.
pub(crate) fn is_harmless(text: &str, harmless: &str) -> bool {
    text.trim().is_empty() || text.trim().eq_ignore_ascii_case(harmless)
}

/// Refuses variables of the specification that restrict what is done and that this version cannot enforce. No value is repeated: one of them
/// is a secret.
pub(super) fn check_environment() -> Result<()> {
    check(|name| env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
}

fn check(read: impl Fn(&str) -> Option<String>) -> Result<()> {
    let is_set = |refused: &&Unenforced| {
        read(refused.variable).is_some_and(|value| !is_harmless(&value, refused.harmless))
    };
    if let Some(refused) = UNENFORCED.iter().find(is_set) {
        let why = "is set, but this version of handeye cannot enforce it";
        return Err(Error::invalid_parameter(refused.variable, why)
            .with_next("Unset it to run without this restriction."));
    }
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
    fn restrictions_that_cannot_be_enforced_are_refused_without_their_value() {
        for refused in UNENFORCED {
            let error = check(|name| (name == refused.variable).then(|| "s3cret".to_owned()));
            let error = error.expect_err(refused.variable);
            assert!(
                error.message.contains(refused.variable) && !error.message.contains("s3cret"),
                "{error:?}"
            );
        }
        assert!(check(|_| None).is_ok() && check(|_| Some(String::new())).is_ok());
    }

    #[test]
    fn a_backend_is_one_of_four() {
        let set = |value: &'static str| check(move |name| (name == BACKEND).then(|| value.to_owned()));
        for known in BACKENDS {
            assert!(set(known).is_ok(), "{known}");
        }
        assert!(set("mlx").is_err_and(|error| error.message.contains("anthropic")));
    }
}
