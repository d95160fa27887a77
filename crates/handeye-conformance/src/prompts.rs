//! The prompts of the fixtures.

use crate::fault::refused;
use crate::fixtures::Fixtures;
use handeye_mcp::{Asked, Ended};
use rmcp::model::{GetPromptRequestParams, GetPromptResponse, GetPromptResult};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

impl Fixtures {
    pub(crate) async fn fixture_prompt(
        &self,
        asked: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = asked.arguments.clone().unwrap_or_default();
        let argument = |name: &str| {
            let value = arguments.get(name).and_then(Value::as_str);
            value.ok_or_else(|| ErrorData::invalid_params(format!("'{name}' is missing"), None))
        };
        let contents = match asked.name.as_str() {
            "test_input_required_result_prompt" => {
                let about = Value::Object(arguments.clone());
                let request = Asked {
                    method: "prompts/get",
                    name: &asked.name,
                    arguments: &about,
                    responses: asked.input_responses.as_ref(),
                    state: asked.request_state.as_deref(),
                };
                return match self.ask(request, &context).await? {
                    Ended::With(reply) => messages(vec![text(&reply.map_err(refused)?)]).map(Into::into),
                    Ended::Asking(questions) => Ok((*questions).into()),
                };
            }
            "test_prompt_with_arguments" => {
                let (first, second) = (argument("arg1")?, argument("arg2")?);
                vec![text(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
            }
            "test_prompt_with_embedded_resource" => {
                let uri = argument("resourceUri")?;
                let resource = "Embedded resource content for testing.";
                vec![
                    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": "text/plain", "text": resource } }),
                    text("Please process the embedded resource above."),
                ]
            }
            "test_prompt_with_image" => vec![
                json!({ "type": "image", "data": self.data.picture(), "mimeType": "image/png" }),
                text("Please analyze the image above."),
            ],
            _ => vec![text("This is a simple prompt for testing.")],
        };
        messages(contents).map(Into::into)
    }
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn messages(contents: Vec<Value>) -> Result<GetPromptResult, ErrorData> {
    let messages: Vec<Value> =
        contents.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
    serde_json::from_value(json!({ "resultType": "complete", "messages": messages }))
        .map_err(|fault| ErrorData::internal_error(fault.to_string(), None))
}
