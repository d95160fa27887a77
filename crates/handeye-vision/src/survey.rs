//! Which of the configured models have all that a question requires, found out without a request.

use crate::configuration::{Configuration, Environment};
use crate::providers::{headers, missing_key};
use handeye_core::vision::Model;

/// The configured models, judged by the configuration alone. Whether a provider answers, and accepts its key, is not known.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The models that can be asked, in the order in which they are tried.
    pub complete: Vec<Model>,
    /// Why the others cannot, and what else is wrong with the configuration: one sentence each, without keys. At most one for each model
    /// that is read, and two more.
    pub faults: Vec<String>,
}

impl Survey {
    /// Reads the configuration. Sends nothing.
    pub fn of(environment: &Environment) -> Self {
        let Configuration { entries, mut faults, .. } = Configuration::new(environment);
        let mut complete = Vec::new();
        for entry in entries {
            let fault = missing_key(&entry.provider)
                .or_else(|| headers(&entry.provider).err().map(|error| error.message));
            match fault {
                Some(why) => faults.push(format!("{}: {why}", entry.model)),
                None => complete.push(entry.model),
            }
        }
        Self { complete, faults }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::TimeLimit;

    #[test]
    fn a_model_without_a_usable_key_is_a_fault_and_the_rest_is_kept() {
        let models = ["openai/gpt-4o", "anthropic/claude", "gemini/flash", "ollama/llava", "bogus"];
        let survey = Survey::of(&Environment {
            variable: "HANDEYE_AI_PROVIDERS".into(),
            models: models.map(str::to_owned).to_vec(),
            local: None,
            time_limit: TimeLimit::Usual,
            read: Box::new(|name| match name {
                "OPENAI_API_KEY" => Some("s3cret".to_owned()),
                "GEMINI_API_KEY" => Some("s3cret\nX: y".to_owned()),
                _ => None,
            }),
        });
        let complete: Vec<_> = survey.complete.iter().map(ToString::to_string).collect();
        assert_eq!(complete, ["openai/gpt-4o", "ollama/llava"]);
        assert_eq!(survey.faults.len(), 3, "{:?}", survey.faults);
        assert!(survey.faults.iter().any(|fault| fault == "anthropic/claude: ANTHROPIC_API_KEY is not set"));
        assert!(survey.faults.iter().any(|fault| fault.contains("GEMINI_API_KEY contains")));
        assert!(!survey.faults.iter().any(|fault| fault.contains("s3cret")));
    }
}
