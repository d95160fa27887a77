//! What an application shows now, for a prompt about it: its outline, with references that later calls can use.

use super::arguments::quoted;
use crate::Server;
use crate::reader::CLIENT;
use handeye_call::call::Call;
use handeye_resources::{Address, View};
use rmcp::model::{PromptMessage, Role};
use serde_json::json;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The tool that reads it; nothing is read while that is off.
const READER: &str = "ax_get_tree";
/// How long it may take to read one application. A prompt without its state is better than none.
const PATIENCE: Duration = Duration::from_secs(3);

impl Server {
    /// The outline of an application as an embedded resource, or why there is none.
    pub(super) async fn state_of(&self, application: &str, cancelled: CancellationToken) -> PromptMessage {
        match self.outline_of(application, cancelled).await {
            Ok(outline) => PromptMessage::new_resource(
                Role::User,
                Address::of(application, View::Tree).to_string(),
                Some("text/plain".to_owned()),
                Some(outline),
                None,
                None,
                None,
            ),
            Err(why) => {
                let state = format!("State of {}: {why}", quoted(application));
                PromptMessage::new_text(Role::User, self.engine.desk.redactor.text(&state).into_owned())
            }
        }
    }

    async fn outline_of(&self, application: &str, cancelled: CancellationToken) -> Result<String, String> {
        let unread = || "not read; begin by looking at it.".to_owned();
        let reader = self.toolbox().operation(READER).map_err(|_| unread())?;
        let input = reader.parse_json(json!({ "app": application })).map_err(|error| error.message)?;
        let call = Call::new(CLIENT, cancelled).within(PATIENCE);
        let answered = self.gate.call(&self.engine, reader, input, call).await;
        answered.map(|answer| answer.text.into()).map_err(|error| {
            // Its advice may name a tool that is off; what was found instead helps in any case.
            let found = error.found.iter().map(|line| format!("\n- {line}"));
            format!("{}.{}", error.message, found.collect::<String>())
        })
    }
}
