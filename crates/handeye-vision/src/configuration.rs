//! Which models are configured: `HANDEYE_AI_PROVIDERS=ollama/qwen2.5vl:7b,openai/gpt-4o`.

pub use crate::provider::ReadVariable;
use crate::provider::{self, Provider};
use handeye_core::vision::Model;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long a model may take for one answer by default.
const USUAL_TIME: Duration = Duration::from_secs(60);
/// The longest that it can be given: a call takes ten minutes at most, and has to report the end.
const LONGEST_TIME: f64 = 570.0;
/// Most models that are read; more are not a configuration but an accident.
const MAX_ENTRIES: usize = 32;

/// What the environment says.
pub struct Environment {
    /// The variable that names the models, as messages call it.
    pub variable: Cow<'static, str>,
    /// The models, each as `provider/model`.
    pub models: Vec<String>,
    /// Where an Ollama of this machine is looked for at the first question where there are no models; `None`: nowhere.
    pub local: Option<String>,
    /// How long a model may take for one answer.
    pub time_limit: TimeLimit,
    /// Reads another variable: a key or an address.
    pub read: Box<ReadVariable<'static>>,
}

impl Environment {
    /// What the configured models read of the environment, keys among it: all that another process needs to ask them in place
    /// of this one.
    pub fn variables(&self) -> BTreeMap<String, String> {
        let read = Mutex::new(BTreeMap::new());
        let recorded = |name: &str| {
            let value = (self.read)(name)?;
            read.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), value.clone());
            Some(value)
        };
        for text in considered(&self.models) {
            // The caller reports what is wrong with it.
            drop(entry(text, &recorded));
        }
        read.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a model may take for one answer, as it was set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeLimit {
    /// Nothing is set: 60 seconds.
    #[default]
    Usual,
    /// This long.
    Set(Duration),
    /// What is set is not a number of seconds. The usual time holds, and the fault is reported.
    NotANumber,
}

impl TimeLimit {
    /// That of a number of seconds, at most 570; `None` stands for what is not a number.
    pub fn of_seconds(seconds: Option<f64>) -> Self {
        match seconds {
            Some(seconds) if seconds.is_finite() && seconds > 0.0 => {
                Self::Set(Duration::from_secs_f64(seconds.min(LONGEST_TIME)))
            }
            _ => Self::NotANumber,
        }
    }
}

/// A configured model.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) provider: Provider,
    pub(crate) model: Model,
}

/// Everything that is configured.
#[derive(Debug)]
pub(crate) struct Configuration {
    /// The models, in the order in which they are tried.
    pub(crate) entries: Vec<Entry>,
    /// What could not be understood, one sentence each.
    pub(crate) faults: Vec<String>,
    /// How long a model may take for one answer.
    pub(crate) time_limit: Duration,
}

impl Configuration {
    /// Reads the environment. What cannot be understood becomes a fault and hinders nothing else.
    pub(crate) fn new(environment: &Environment) -> Self {
        let mut faults = Vec::new();
        let time_limit = match environment.time_limit {
            TimeLimit::Usual => USUAL_TIME,
            TimeLimit::Set(limit) => limit,
            TimeLimit::NotANumber => {
                faults.push(format!(
                    "HANDEYE_AI_TIMEOUT is not a number of seconds, so {} hold",
                    USUAL_TIME.as_secs()
                ));
                USUAL_TIME
            }
        };
        let mut entries = Vec::new();
        for text in considered(&environment.models) {
            match entry(text, &environment.read) {
                Ok(entry) => entries.push(entry),
                Err(why) => faults.push(format!("'{}' is ignored: {why}", shown(text))),
            }
        }
        if environment.models.len() > MAX_ENTRIES {
            faults.push(format!("more than {MAX_ENTRIES} models: the rest is ignored"));
        }
        Self { entries, faults, time_limit }
    }
}

/// The entries that are read.
fn considered(models: &[String]) -> impl Iterator<Item = &str> {
    models.iter().take(MAX_ENTRIES).map(String::as_str)
}

/// Reads `provider/model`. The model may hold `/` and `:`, and may be left out where the provider has a usual one.
fn entry(text: &str, read: &ReadVariable<'_>) -> Result<Entry, String> {
    let (provider, model) = text.split_once('/').unwrap_or((text, ""));
    let provider = provider::set_up(&provider::canonical(provider), read)?;
    let model = match (model.trim(), provider.default_model) {
        ("", Some(usual)) => usual,
        ("", None) => return Err("it names no model; write provider/model".to_owned()),
        (model, _) => model,
    };
    let model = provider.model(model);
    Ok(Entry { provider, model })
}

/// A faulty entry as it may be shown: a user may have put a key there.
fn shown(text: &str) -> String {
    const ENOUGH: usize = 60;
    crate::secret::scrubbed(text, &[]).chars().filter(|c| !c.is_control()).take(ENOUGH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(models: &str, variables: &'static [(&'static str, &'static str)]) -> Configuration {
        Configuration::new(&Environment {
            variable: "HANDEYE_AI_PROVIDERS".into(),
            models: models.split(',').map(str::trim).filter(|m| !m.is_empty()).map(str::to_owned).collect(),
            local: None,
            time_limit: TimeLimit::Usual,
            read: Box::new(|name| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            }),
        })
    }

    fn models(configuration: &Configuration) -> Vec<String> {
        configuration.entries.iter().map(|entry| entry.model.to_string()).collect()
    }

    #[test]
    fn only_what_the_models_ask_for_is_reported() {
        let environment = Environment {
            variable: "HANDEYE_AI_PROVIDERS".into(),
            models: ["openai/gpt-4o", "my-gpu/m"].map(str::to_owned).into(),
            local: None,
            time_limit: TimeLimit::Usual,
            read: Box::new(|name| {
                (!name.contains("BASE_URL") || name.contains("MY_GPU")).then(|| "http://x".into())
            }),
        };
        let requested: Vec<String> = environment.variables().into_keys().collect();
        assert_eq!(requested, ["HANDEYE_MY_GPU_API_KEY", "HANDEYE_MY_GPU_BASE_URL", "OPENAI_API_KEY"]);
    }

    #[test]
    fn models_keep_their_order_and_may_hold_slashes_and_colons() {
        let read = read(
            " ollama/qwen2.5vl:7b , OpenAI/gpt-4o,, google/gemini-2.5-pro,vllm/Qwen/Qwen2.5-VL-7B:awq ",
            &[],
        );
        assert_eq!(
            models(&read),
            ["ollama/qwen2.5vl:7b", "openai/gpt-4o", "gemini/gemini-2.5-pro", "vllm/Qwen/Qwen2.5-VL-7B:awq"]
        );
        assert!(read.faults.is_empty());
    }

    #[test]
    fn a_provider_without_a_model_gets_its_usual_one() {
        assert_eq!(models(&read("openai,ollama/", &[])), ["openai/gpt-4o", "ollama/llava:latest"]);
    }

    #[test]
    fn what_cannot_be_understood_is_reported_and_hinders_nothing() {
        let read = read("/x,nobody/m,lmstudio,op en/x,openai/gpt-4o,openai_compatible/m", &[]);
        assert_eq!(models(&read), ["openai/gpt-4o"]);
        let faults = read.faults.join("\n");
        assert_eq!(read.faults.len(), 5, "{faults}");
        for part in [
            "set HANDEYE_NOBODY_BASE_URL",
            "'lmstudio' is ignored: it names no model",
            "HANDEYE_OPENAI_COMPATIBLE_BASE_URL is not set",
        ] {
            assert!(faults.contains(part), "{part} in {faults}");
        }
    }

    #[test]
    fn any_name_with_an_address_is_a_compatible_server() {
        let read = read(
            "my-gpu/m",
            &[("HANDEYE_MY_GPU_BASE_URL", "http://gpu:9000"), ("HANDEYE_MY_GPU_API_KEY", " k ")],
        );
        let provider = &read.entries[0].provider;
        assert_eq!(provider.url(&["chat", "completions"]).as_str(), "http://gpu:9000/v1/chat/completions");
        assert!(provider.key.is_some() && !provider.needs_key);
    }

    #[test]
    fn an_address_may_end_with_a_slash_or_lack_the_version() {
        for (given, asked) in [
            ("http://h:1", "http://h:1/v1/messages"),
            ("http://h:1/", "http://h:1/v1/messages"),
            ("http://h:1/v1", "http://h:1/v1/messages"),
            ("http://h:1/proxy/v1/", "http://h:1/proxy/v1/messages"),
        ] {
            let read = |name: &str| (name == "HANDEYE_ANTHROPIC_BASE_URL").then(|| given.to_owned());
            let provider = provider::set_up("anthropic", &read).expect("an address");
            assert_eq!(provider.url(&["messages"]).as_str(), asked);
        }
    }

    #[test]
    fn an_address_with_a_secret_in_it_is_refused_without_showing_it() {
        for address in ["http://user:s3cr3t@h", "http://h/v1?key=s3cr3t", "ftp://h", "no address"] {
            let read = |name: &str| (name == "HANDEYE_VLLM_BASE_URL").then(|| address.to_owned());
            let fault = provider::set_up("vllm", &read).expect_err("refused");
            assert!(fault.starts_with("HANDEYE_VLLM_BASE_URL ") && !fault.contains("s3cr3t"), "{fault}");
        }
    }

    #[test]
    fn a_time_limit_is_a_number_of_seconds() {
        let time_limit = |text: &str| TimeLimit::of_seconds(text.trim().parse().ok());
        assert_eq!(time_limit(" 1.5 "), TimeLimit::Set(Duration::from_millis(1500)));
        assert_eq!(time_limit("99999"), TimeLimit::Set(Duration::from_secs_f64(LONGEST_TIME)));
        for wrong in ["", "0", "-1", "soon", "inf", "NaN"] {
            assert_eq!(time_limit(wrong), TimeLimit::NotANumber, "{wrong}");
        }
    }
}
