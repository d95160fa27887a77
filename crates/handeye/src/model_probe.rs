//! The line of `handeye doctor` about the models that answer questions about pictures.

use crate::call_settings;
use handeye_core::platform::{Probe, ProbeStatus};
use handeye_vision::Survey;
use std::time::Instant;

/// Which models can be asked, and what keeps the others from it. No provider is contacted: a request would send a key.
///
/// Models are optional, so a fault is a warning at most.
pub(crate) fn probe() -> Probe {
    let started = Instant::now();
    let (status, detail, advice) = match call_settings::vision() {
        Ok(environment) => judge(&Survey::of(&environment), &environment.variable),
        Err(error) => (ProbeStatus::Warn, error.message, error.next.map(|next| next.to_string())),
    };
    let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Probe { name: "ai_models".into(), status, detail, advice, elapsed_ms }
}

/// The result, the detail and the advice for a survey of what `variable` configures.
fn judge(survey: &Survey, variable: &str) -> (ProbeStatus, String, Option<String>) {
    let models: Vec<String> = survey.complete.iter().map(ToString::to_string).collect();
    if survey.faults.is_empty() && models.is_empty() {
        let detail = "no model is configured; set HANDEYE_AI_PROVIDERS or the key of a provider to use one";
        return (ProbeStatus::Skip, detail.to_owned(), None);
    }
    let usable = if models.is_empty() { "no model can be asked".to_owned() } else { models.join(", ") };
    if survey.faults.is_empty() {
        return (ProbeStatus::Ok, usable, None);
    }
    let detail = format!("{usable}; {}", survey.faults.join("; "));
    (ProbeStatus::Warn, detail, Some(format!("Correct {variable}, or the settings that this line names.")))
}
