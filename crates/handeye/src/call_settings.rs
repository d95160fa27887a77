//! What the flags, variables and configuration of a command or server settle for its calls, as one value: the process that
//! was called makes it, and the daemon takes it over with the command.

use crate::ledgers;
use clap::ArgMatches;
use handeye_act::confirm::Confirm;
use handeye_cli::settings;
use handeye_core::{Error, ErrorCode, Result};
use handeye_engine::{CaptureSettings, Engine, Fallback};
use handeye_shots::delivery::Delivery;
use handeye_shots::working_directory::WorkingDirectory;
use handeye_vision::{Environment, Languages, Providers, Tesseract, TimeLimit, ollama_address};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The settings of calls.
pub(crate) struct CallSettings {
    delivery: Delivery,
    captures: CaptureSettings,
    confirm: Confirm,
    patience: Duration,
    vision: Environment,
    ocr_languages: Languages,
    find_fallback: Fallback,
    audit_log: Option<handeye_ledger::Settings>,
}

impl CallSettings {
    /// Those of a command or server of this process.
    pub(crate) fn of(arguments: &ArgMatches) -> Result<Self> {
        let (confirm, patience) = handeye_cli::asking(arguments)?;
        Ok(Self {
            delivery: handeye_cli::delivery(arguments)?,
            captures: handeye_cli::captures()?,
            confirm,
            patience,
            vision: vision()?,
            ocr_languages: settings::OCR_LANGUAGES.configured_as(str::parse)?.unwrap_or_default(),
            find_fallback: settings::FIND_FALLBACK.configured_as(str::parse)?.unwrap_or_default(),
            audit_log: handeye_cli::audit_log_settings()?,
        })
    }

    /// The engine with these settings, on the desktop and with the memory of `base`.
    ///
    /// # Errors
    /// If no thread can be started that records actions.
    pub(crate) fn engine(self, base: Engine) -> Result<Engine> {
        let ledger = ledgers::of(self.audit_log)?;
        Ok(Engine {
            delivery: self.delivery,
            captures: self.captures,
            desk: base.desk.confirming(self.confirm).recorded_in(ledger),
            patience: self.patience,
            vision: Arc::new(Providers::new(self.vision)),
            ocr: Arc::new(Tesseract::new(self.ocr_languages)),
            find_fallback: self.find_fallback,
            ..base
        })
    }

    /// The same for the daemon, which is elsewhere: with the working directory, and with the keys of the configured models.
    ///
    /// # Errors
    /// If there is no working directory any more, or a path is not text.
    pub(crate) fn for_daemon(mut self) -> Result<serde_json::Value> {
        let here = std::env::current_dir()
            .map_err(|error| Error::new(ErrorCode::Io, format!("there is no working directory: {error}")))?;
        self.delivery.working_directory = WorkingDirectory::of_client(here);
        serde_json::to_value(Sent {
            variables: self.vision.variables(),
            variable: self.vision.variable,
            models: self.vision.models,
            local: self.vision.local,
            time_limit: self.vision.time_limit,
            delivery: self.delivery,
            captures: self.captures,
            confirm: self.confirm,
            patience: self.patience,
            ocr_languages: self.ocr_languages,
            find_fallback: self.find_fallback,
            audit_log: self.audit_log,
        })
        .map_err(Error::internal)
    }

    /// What a command sent to this process, the daemon.
    pub(crate) fn of_command(sent: serde_json::Value) -> Result<Self> {
        // The parser's own message may quote a key.
        let sent: Sent =
            serde_json::from_value(sent).map_err(|_| Error::internal("the settings are none"))?;
        let variables = sent.variables;
        let vision = Environment {
            variable: sent.variable,
            models: sent.models,
            local: sent.local,
            time_limit: sent.time_limit,
            read: Box::new(move |name| variables.get(name).cloned()),
        };
        Ok(Self {
            delivery: sent.delivery,
            captures: sent.captures,
            confirm: sent.confirm,
            patience: sent.patience,
            vision,
            ocr_languages: sent.ocr_languages,
            find_fallback: sent.find_fallback,
            audit_log: sent.audit_log,
        })
    }
}

/// [`CallSettings`] on their way to the daemon.
#[derive(Serialize, Deserialize)]
struct Sent {
    delivery: Delivery,
    captures: CaptureSettings,
    confirm: Confirm,
    patience: Duration,
    variable: Cow<'static, str>,
    models: Vec<String>,
    local: Option<String>,
    time_limit: TimeLimit,
    variables: BTreeMap<String, String>,
    ocr_languages: Languages,
    find_fallback: Fallback,
    audit_log: Option<handeye_ledger::Settings>,
}

/// What shows that a provider can be used where none is named, in the order in which they are asked.
const BY_KEY: [(&str, &str); 4] = [
    ("ANTHROPIC_API_KEY", "anthropic"),
    ("OPENAI_API_KEY", "openai"),
    ("GEMINI_API_KEY", "gemini"),
    ("HANDEYE_OLLAMA_BASE_URL", "ollama"),
];

/// The providers that a key or an address is set for, and the variable that says so.
fn found_by_key(read: impl Fn(&str) -> Option<String>) -> Option<(&'static str, Vec<String>)> {
    let is_set = |name: &str| read(name).is_some_and(|value| !value.trim().is_empty());
    let found: Vec<_> = BY_KEY.iter().filter(|(variable, _)| is_set(variable)).collect();
    let (variable, _) = found.first()?;
    Some((variable, found.iter().map(|(_, provider)| (*provider).to_owned()).collect()))
}

/// The value of the setting that switches providers off, also those that a key is set for.
const NONE: &str = "none";

/// The AI providers that are configured; where none is named, those that a key is set for; else an Ollama of this machine.
///
/// # Errors
/// A setting that cannot be read.
pub(crate) fn vision() -> Result<Environment> {
    let named = settings::AI_PROVIDERS.found()?;
    let is_open = named.is_none();
    let (variable, models) = match named {
        Some((source, models)) if models == [NONE] => (source.name(), Vec::new()),
        Some((source, models)) => (source.name(), models),
        None => {
            found_by_key(settings::variable).unwrap_or((settings::AI_PROVIDERS.about.variable, Vec::new()))
        }
    };
    let local = if is_open && models.is_empty() {
        ollama_address(settings::variable("OLLAMA_HOST").as_deref())
    } else {
        None
    };
    Ok(Environment {
        variable: variable.into(),
        models,
        local,
        time_limit: settings::AI_TIMEOUT.configured()?.map_or(TimeLimit::Usual, TimeLimit::of_seconds),
        read: Box::new(settings::variable),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_key_is_enough_to_use_its_provider() {
        let read = |set: &'static [(&'static str, &'static str)]| {
            move |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            }
        };
        assert_eq!(found_by_key(read(&[("OPENAI_API_KEY", " "), ("HOME", "/")])), None);
        assert_eq!(
            found_by_key(read(&[("HANDEYE_OLLAMA_BASE_URL", "http://localhost:1"), ("OPENAI_API_KEY", "k")])),
            Some(("OPENAI_API_KEY", vec!["openai".to_owned(), "ollama".to_owned()]))
        );
    }

    #[test]
    fn the_daemon_takes_over_what_the_command_has() {
        let delivery = Delivery { directory: "shots".into(), ..Delivery::default() };
        let vision = Environment {
            variable: "PEEKABOO_AI_PROVIDERS".into(),
            models: vec!["openai/gpt-4o".to_owned()],
            local: None,
            time_limit: TimeLimit::of_seconds(Some(7.0)),
            read: Box::new(|name| (name == "OPENAI_API_KEY").then(|| "k".to_owned())),
        };
        let own = CallSettings {
            delivery: delivery.clone(),
            captures: CaptureSettings::default(),
            confirm: Confirm::Always,
            patience: Duration::from_secs(9),
            vision,
            ocr_languages: "deu".parse().expect("a language"),
            find_fallback: Fallback::Text,
            audit_log: Some(handeye_ledger::Settings::at("/state/audit.jsonl".into())),
        };
        let there = CallSettings::of_command(own.for_daemon().expect("sent")).expect("received");
        let here = std::env::current_dir().expect("a working directory");
        assert_eq!(
            there.delivery.working_directory.absolute(Path::new("a")).expect("a path"),
            here.join("a")
        );
        assert_eq!(there.delivery.directory, delivery.directory);
        assert_eq!(there.ocr_languages, "deu".parse().expect("a language"));
        assert_eq!(there.captures, CaptureSettings::default());
        assert_eq!(there.find_fallback, Fallback::Text);
        assert_eq!(there.audit_log, Some(handeye_ledger::Settings::at("/state/audit.jsonl".into())));
        assert_eq!((there.confirm, there.patience), (Confirm::Always, Duration::from_secs(9)));
        assert_eq!(
            (&*there.vision.variable, there.vision.models, there.vision.time_limit),
            (
                "PEEKABOO_AI_PROVIDERS",
                vec!["openai/gpt-4o".to_owned()],
                TimeLimit::Set(Duration::from_secs(7))
            )
        );
        assert_eq!((there.vision.read)("OPENAI_API_KEY").as_deref(), Some("k"));
        assert_eq!((there.vision.read)("HOME"), None);
    }
}
