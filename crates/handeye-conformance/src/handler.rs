//! The server that the suite talks to: the fixtures by their names, and everything else the real server's.

use crate::fault::internal;
use crate::fixtures::Fixtures;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam,
    CompleteRequestParams, CompleteResult, CustomRequest, CustomResult, GetPromptRequestParams,
    GetPromptResponse, GetTaskParams, GetTaskResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

/// What the suite subscribes to, and the resource that it gets for it: one that is there without a desktop too.
const WATCHED_FIXTURE: &str = "test://watched-resource";
const WATCHED: &str = "handeye://system/status";

type Context = RequestContext<RoleServer>;
type Page = Option<PaginatedRequestParams>;

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        self.server.get_info()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.data.tools.iter().find(|tool| tool.name == name).cloned().or_else(|| self.server.get_tool(name))
    }

    async fn list_tools(&self, page: Page, context: Context) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.server.list_tools(page, context).await?;
        listed.tools.extend(self.data.tools.iter().cloned());
        Ok(listed)
    }

    async fn call_tool(
        &self,
        called: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.data.tools.iter().any(|tool| tool.name == called.name) {
            self.call_fixture(called, context).await
        } else {
            self.server.call_tool(called, context).await
        }
    }

    async fn list_prompts(&self, page: Page, context: Context) -> Result<ListPromptsResult, ErrorData> {
        let mut listed = self.server.list_prompts(page, context).await?;
        listed.prompts.extend(self.data.prompts.iter().cloned());
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        asked: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        if self.data.prompts.iter().any(|prompt| prompt.name == asked.name) {
            self.fixture_prompt(asked, context).await
        } else {
            self.server.get_prompt(asked, context).await
        }
    }

    async fn complete(
        &self,
        asked: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        if self.is_fixture(&asked.r#ref) {
            return Ok(CompleteResult::default());
        }
        self.server.complete(asked, context).await
    }

    async fn list_resources(&self, page: Page, context: Context) -> Result<ListResourcesResult, ErrorData> {
        let mut listed = self.server.list_resources(page, context).await?;
        listed.resources.extend(self.data.resources.iter().cloned());
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        page: Page,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut listed = self.server.list_resource_templates(page, context).await?;
        listed.resource_templates.extend(self.data.templates.iter().cloned());
        Ok(listed)
    }

    async fn read_resource(
        &self,
        asked: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match self.fixture_resource(&asked.uri) {
            Some(contents) => Ok(contents.into()),
            None => self.server.read_resource(asked, context).await,
        }
    }

    async fn subscribe(&self, mut asked: SubscribeRequestParams, context: Context) -> Result<(), ErrorData> {
        if asked.uri == WATCHED_FIXTURE {
            WATCHED.clone_into(&mut asked.uri);
        }
        self.server.subscribe(asked, context).await
    }

    async fn unsubscribe(
        &self,
        mut asked: UnsubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        if asked.uri == WATCHED_FIXTURE {
            WATCHED.clone_into(&mut asked.uri);
        }
        self.server.unsubscribe(asked, context).await
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.server.accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.server.listen(context).await
    }

    async fn set_level(&self, asked: SetLevelRequestParams, context: Context) -> Result<(), ErrorData> {
        self.server.set_level(asked, context).await
    }

    async fn get_task(&self, asked: GetTaskParams, context: Context) -> Result<GetTaskResult, ErrorData> {
        self.server.get_task(asked, context).await
    }

    async fn update_task(&self, asked: UpdateTaskParams, context: Context) -> Result<(), ErrorData> {
        self.server.update_task(asked, context).await
    }

    async fn cancel_task(&self, asked: CancelTaskParams, context: Context) -> Result<(), ErrorData> {
        self.server.cancel_task(asked, context).await
    }

    async fn on_custom_request(
        &self,
        asked: CustomRequest,
        context: Context,
    ) -> Result<CustomResult, ErrorData> {
        let mut answer = self.server.on_custom_request(asked, context).await?;
        // Older clients' list of tools comes this way.
        if let Some(Value::Array(tools)) = answer.0.get_mut("tools") {
            for tool in &self.data.tools {
                tools.push(serde_json::to_value(tool).map_err(internal)?);
            }
        }
        Ok(answer)
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        self.server.on_cancelled(notification, context).await;
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.server.on_initialized(context).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.server.on_roots_list_changed(context).await;
    }
}
