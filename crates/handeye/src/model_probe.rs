//! The line of `handeye doctor` about the models that answer questions about pictures.

use crate::call_settings;
use handeye_core::platform::{Probe, ProbeStatus};
use handeye_core::vision::{ModelChoice, Vision};
use handeye_vision::{Environment, Providers, Survey};
use std::time::Instant;

/// What is reported where there are no models.
const NONE: &str = "no model is configured; set HANDEYE_AI_PROVIDERS or the key of a provider to use one";

/// Which models can be asked, and what keeps the others from it. No provider is contacted, as a request would send a key; only where
/// none is configured, an Ollama of this machine is looked for.
///
/// Models are optional, so a fault is a warning at most.
pub(crate) async fn probe() -> Probe {
    let started = Instant::now();
    let (status, detail, advice) = match call_settings::vision() {
        Ok(environment) if environment.local.is_some() => local(environment).await,
        Ok(environment) => judge(&Survey::of(&environment), &environment.variable),
        Err(error) => (ProbeStatus::Warn, error.message, error.next.map(|next| next.to_string())),
    };
    let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Probe { name: "ai_models".into(), status, detail, advice, elapsed_ms }
}

/// The result for an Ollama of this machine.
async fn local(environment: Environment) -> (ProbeStatus, String, Option<String>) {
    match Providers::new(environment).choose(&ModelChoice::default()).await {
        Ok(model) => (ProbeStatus::Ok, format!("{model}, found on this machine"), None),
        Err(_not_there) => (ProbeStatus::Skip, NONE.to_owned(), None),
    }
}

/// The result, the detail and the advice for a survey of what `variable` configures.
fn judge(survey: &Survey, variable: &str) -> (ProbeStatus, String, Option<String>) {
    let models: Vec<String> = survey.complete.iter().map(ToString::to_string).collect();
    if survey.faults.is_empty() && models.is_empty() {
        return (ProbeStatus::Skip, NONE.to_owned(), None);
    }
    let usable = if models.is_empty() { "no model can be asked".to_owned() } else { models.join(", ") };
    if survey.faults.is_empty() {
        return (ProbeStatus::Ok, usable, None);
    }
    let detail = format!("{usable}; {}", survey.faults.join("; "));
    (ProbeStatus::Warn, detail, Some(format!("Correct {variable}, or the settings that this line names.")))
}
