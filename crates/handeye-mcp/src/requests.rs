//! Requests that the SDK's types do not fit: of methods that it does not know, or with parameters of another shape.

use crate::requester::Requester;
use crate::tasks::legacy;
use crate::{Server, calls, log_notifications};
use rmcp::model::{CallToolRequestMethod, ConstString, CustomRequest, ServerResult};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

/// Methods that the SDK knows: if a request of one comes as an unknown one, its parameters are wrong.
const KNOWN: [&str; 16] = [
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/update",
    "tools/list",
];

/// Methods that 2026-07-28 removed.
const REMOVED: [&str; 4] = ["initialize", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

impl Server {
    /// Answers a request that the SDK could not read.
    pub(crate) async fn answer_custom(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<Value, ErrorData> {
        let params = request.params.unwrap_or_default();
        if let Some(method) = legacy::method(&request.method) {
            return self.answer_legacy(method, params, context).await;
        }
        if request.method == CallToolRequestMethod::VALUE {
            let answer = ServerResult::from(self.call_misshapen(&params, context).await?);
            return serde_json::to_value(answer)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None));
        }
        let removed = REMOVED.contains(&&*request.method) && Requester::of(&context).is_stateless();
        if KNOWN.contains(&&*request.method) && !removed {
            return Err(ErrorData::invalid_params(
                format!("the parameters of {} are missing or have the wrong shape", request.method),
                None,
            ));
        }
        Err(calls::unknown_method(&request.method))
    }

    /// `logging/setLevel`, which is not a method any more since 2026-07-28.
    #[expect(deprecated, reason = "clients of older revisions ask so")]
    pub(crate) fn set_log_level(
        &self,
        params: &rmcp::model::SetLevelRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if Requester::of(context).is_stateless() {
            return Err(calls::unknown_method("logging/setLevel"));
        }
        let level = serde_json::to_value(params.level).unwrap_or_default();
        self.session.set_log_level(log_notifications::named(level.as_str().unwrap_or_default())?);
        Ok(())
    }
}
