//! What the server is and what it is configured for, in the form of Peekaboo 1.1.2, section I.B.6.

use handeye_core::vision::{Model, ModelChoice};
use handeye_engine::Engine;

/// The server's status: its name, its version and the AI providers that may be asked about pictures.
pub(crate) async fn server_status(engine: &Engine) -> String {
    let configured = engine.vision.configured();
    if !configured.is_empty() {
        return status(&configured);
    }
    // One on this machine that nobody configured is found when it is asked for.
    match engine.vision.choose(&ModelChoice::default()).await {
        Ok(model) => status(&[model]),
        Err(_not_there) => status(&[]),
    }
}

fn status(models: &[Model]) -> String {
    let providers = if models.is_empty() {
        "None Configured. Set HANDEYE_AI_PROVIDERS ENV.".to_owned()
    } else {
        models.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    format!(
        "\n\n--- handeye MCP Server Status ---\nName: handeye\nVersion: {}\n\
         Configured AI Providers (from HANDEYE_AI_PROVIDERS ENV): {providers}\n---",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_has_the_specified_form() {
        let lines = |models: &[Model]| status(models).lines().map(str::to_owned).collect::<Vec<_>>();
        let version = concat!("Version: ", env!("CARGO_PKG_VERSION"));
        let none = "Configured AI Providers (from HANDEYE_AI_PROVIDERS ENV): None Configured. Set HANDEYE_AI_PROVIDERS ENV.";
        assert_eq!(
            lines(&[]),
            ["", "", "--- handeye MCP Server Status ---", "Name: handeye", version, none, "---"]
        );
        let model = |provider: &str, name: &str| Model { provider: provider.into(), name: name.into() };
        assert_eq!(
            lines(&[model("ollama", "llava:latest"), model("openai", "gpt-4o")])[5],
            "Configured AI Providers (from HANDEYE_AI_PROVIDERS ENV): ollama/llava:latest, openai/gpt-4o"
        );
    }
}
