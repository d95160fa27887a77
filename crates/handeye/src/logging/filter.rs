//! What is logged: the level or the filter that was asked for, within bounds that keep secrets out.

use handeye_cli::settings::LOG_LEVEL;
use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{FilterExt, FilterFn, ParseError, filter_fn};
use tracing_subscriber::layer::Filter;

/// Crates that are never logged. A warning of rmcp quotes what it was sent, and that is what was typed, seen and answered; what
/// the verifier of certificates warns of is in the error of the call.
const UNHEARD: [&str; 2] = ["rmcp", "rustls_platform_verifier"];

/// The filter of a command: what the environment asks for, else `default`; and what is wrong with it, if `default` took its
/// place. The configuration file speaks of the log of a server: what it says would fill the terminal.
pub(super) fn of_command<S: tracing::Subscriber>(default: &str) -> (impl Filter<S>, Option<String>) {
    filter(LOG_LEVEL.about.from_environment().as_deref(), default)
}

/// The filter of a server, just so; the configuration file counts too.
pub(super) fn of_server<S: tracing::Subscriber>(default: &str) -> (impl Filter<S>, Option<String>) {
    // Any text is read: what is wrong with it as a filter is reported here.
    filter(LOG_LEVEL.configured().ok().flatten().as_deref(), default)
}

fn filter<S: tracing::Subscriber>(
    asked: Option<&str>,
    default: &str,
) -> (impl Filter<S> + use<S>, Option<String>) {
    let parsed = parse(asked.unwrap_or(default));
    let fault = parsed.as_ref().err();
    let fault = fault.map(|fault| {
        format!("{} is not a log filter ({fault}); '{default}' is used", LOG_LEVEL.about.variable)
    });
    (parsed.unwrap_or_else(|_| EnvFilter::new(default)).and(harmless()), fault)
}

/// What handeye itself says at debug level.
pub(super) fn own_at_debug<S: tracing::Subscriber>() -> impl Filter<S> {
    EnvFilter::new("handeye=debug").and(harmless())
}

/// A level, by its name here or by that of Peekaboo's logger (`fatal`, `silent`), or a filter of the `tracing` crate.
fn parse(text: &str) -> Result<EnvFilter, ParseError> {
    let text = text.trim();
    let level = match text.to_ascii_lowercase().as_str() {
        "fatal" => "error".to_owned(),
        "warning" => "warn".to_owned(),
        "silent" => "off".to_owned(),
        _ => text.to_owned(),
    };
    EnvFilter::try_new(level)
}

/// Below warnings, libraries log whole messages: requests with their keys, calls with the text that is typed. So only
/// handeye's own crates are logged there, at every level and with every filter.
fn harmless() -> FilterFn<impl Fn(&Metadata<'_>) -> bool> {
    filter_fn(is_harmless).with_max_level_hint(LevelFilter::TRACE)
}

fn is_harmless(record: &Metadata<'_>) -> bool {
    let target = record.target();
    is_of("handeye", target)
        || (*record.level() <= Level::WARN && !UNHEARD.iter().any(|name| is_of(name, target)))
}

/// Whether a target belongs to a crate of this name, or to one whose name begins with it and `_`.
fn is_of(name: &str, target: &str) -> bool {
    target
        .strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::") || rest.starts_with('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_the_names_of_both_worlds() {
        for (asked, meant) in [
            ("fatal", "error"),
            ("FATAL", "error"),
            ("error", "error"),
            ("warn", "warn"),
            ("warning", "warn"),
            ("Info", "info"),
            ("debug", "debug"),
            ("trace", "trace"),
            ("silent", "off"),
            ("handeye_atspi=debug", "handeye_atspi=debug"),
        ] {
            assert_eq!(parse(asked).expect("valid").to_string(), meant, "{asked}");
        }
        assert!(parse("handeye=loud").is_err());
    }

    #[test]
    fn a_crate_is_identified_by_its_name() {
        assert!(is_of("handeye", "handeye::audit"));
        assert!(is_of("handeye", "handeye_linux::keeper"));
        assert!(is_of("handeye", "handeye_x11::worker"));
        assert!(is_of("rmcp", "rmcp"));
        assert!(!is_of("handeye", "handeyeglass"));
        assert!(!is_of("rmcp", "rmcpx::service"));
    }
}
