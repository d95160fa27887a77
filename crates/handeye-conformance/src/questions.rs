//! Questions of the fixtures to the client, asked by the helper that handeye's own tools ask with.

use crate::answer::text;
use crate::fault::refused;
use crate::fixtures::Fixtures;
use crate::question::{Method, Question, Questions};
use handeye_core::{Error, ErrorCode, Result};
use handeye_mcp::{Asked, Ended, RawQuestions};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputRequests, InputRequiredResult,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value, json};

impl Fixtures {
    /// Asks what the fixture asks, and says what was answered.
    pub(crate) async fn ask(
        &self,
        asked: Asked<'_>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Ended<String>, ErrorData> {
        let Some(questions) = self.data.questions.get(asked.name) else {
            return Err(ErrorData::invalid_params(format!("'{}' asks nothing", asked.name), None));
        };
        let mut questions = questions.clone();
        for question in questions.rounds.iter_mut().flatten() {
            fill_in(&mut question.params, asked.arguments);
        }
        if asked.name == "test_input_required_result_capabilities" {
            let can = context.client_capabilities().unwrap_or_default();
            for round in &mut questions.rounds {
                round.retain(|question| match question.method {
                    Method::Elicit => can.elicitation.is_some(),
                    Method::Sample => can.sampling.is_some(),
                    Method::ListRoots => can.roots.is_some(),
                });
            }
        }
        let checked = if asked.state.is_some() { " state-ok" } else { "" };
        let mut asking = self.server.asking(context, asked)?;
        let raw = asking.raw();
        let ended = asking.run(|_remaining| ask_all(raw.clone(), questions.rounds.clone())).await;
        Ok(match ended {
            Ended::With(answers) => Ended::With(
                answers.map(|answers| format!("{} {}{checked}", questions.says, Value::Object(answers))),
            ),
            Ended::Asking(pending) => Ended::Asking(pending),
        })
    }

    /// Asks what the tool asks, and answers with what was answered.
    pub(crate) async fn ask_for_tool(
        &self,
        called: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(called.arguments.unwrap_or_default());
        let request = Asked {
            method: "tools/call",
            name: &called.name,
            arguments: &arguments,
            responses: called.input_responses.as_ref(),
            state: called.request_state.as_deref(),
        };
        match self.ask(request, context).await? {
            Ended::With(Ok(reply)) => Ok(text(&reply)),
            Ended::With(Err(fault)) if fault.code == ErrorCode::InvalidParameter => Err(refused(fault)),
            Ended::With(Err(fault)) => {
                Ok(CallToolResult::error(vec![ContentBlock::text(fault.to_string())]).into())
            }
            Ended::Asking(questions) => Ok((*questions).into()),
        }
    }
}

async fn ask_all(raw: RawQuestions, rounds: Vec<Vec<Question>>) -> Result<Map<String, Value>> {
    let mut answers = Map::new();
    for round in rounds {
        let mut replies = Vec::new();
        for question in round {
            let reply = raw.ask(&question.key, question.method.name(), question.params.clone()).await;
            replies.push((question, reply));
        }
        for (question, reply) in replies {
            let answer = reply?;
            if !question.method.is_an_answer(&answer) {
                return Err(Error::invalid_parameter(&question.key, "is not answered by that"));
            }
            answers.insert(question.key, answer);
        }
    }
    Ok(answers)
}

impl Questions {
    /// What it asks first, as a task asks it.
    pub(crate) fn of_task(&self) -> serde_json::Result<InputRequiredResult> {
        let mut requests = InputRequests::new();
        for question in self.rounds.iter().take(1).flatten() {
            let request = json!({ "method": question.method.name(), "params": question.params });
            requests.insert(question.key.clone(), serde_json::from_value(request)?);
        }
        Ok(InputRequiredResult::new(Some(requests), None))
    }
}

/// Puts arguments of the call where `{name}` stands for them.
fn fill_in(params: &mut Value, arguments: &Value) {
    match params {
        Value::String(text) => {
            let name = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
            if let Some(given) = name.and_then(|name| arguments.get(name)).and_then(Value::as_str) {
                *text = given.to_owned();
            }
        }
        Value::Array(parts) => parts.iter_mut().for_each(|part| fill_in(part, arguments)),
        Value::Object(fields) => fields.values_mut().for_each(|field| fill_in(field, arguments)),
        _ => {}
    }
}
