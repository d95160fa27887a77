//! The server: which tools there are, and what happens when one is called.

use crate::ask::seal::Seals;
use crate::client_session::ClientSession;
use crate::paging::only_page;
use crate::profile::{Form, Profile, Profiles};
use crate::subscriptions::Hub;
use crate::tasks::Tasks;
use crate::{instructions, skills, tools};
use handeye_call::call::{Call, Face};
use handeye_engine::{Engine, JudgedAs};
use handeye_resources::Resources;
use handeye_resources::suggestions::Recall;
use handeye_service::gate::Gate;
use handeye_service::toolbox::Toolbox;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, GetPromptRequestParams, GetPromptResponse,
    GetSkillRequestParams, GetSkillResult, GetTaskParams, GetTaskResult, Implementation, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
    UpdateTaskParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The list of tools is compiled in, so a client may keep it for as long as this process lives.
const TOOLS_TTL_MS: u64 = 3_600_000;

/// An MCP server over the operations of a toolbox, for one caller. Cheap to clone: what is remembered between calls is shared.
#[derive(Clone)]
pub struct Server {
    pub(crate) engine: Arc<Engine>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) toolbox: Arc<Toolbox>,
    /// What can be read and watched.
    pub(crate) resources: Resources,
    /// What completions are made of.
    pub(crate) recall: Recall,
    tools: Arc<Listed>,
    profiles: Profiles,
    instructions: Arc<str>,
    pub(crate) seals: Arc<Seals>,
    pub(crate) tasks: Tasks,
    pub(crate) session: Arc<ClientSession>,
    pub(crate) hub: Arc<Hub>,
}

/// The list of tools in each form.
struct Listed {
    text: Vec<Tool>,
    text_and_fields: Vec<Tool>,
}

impl Listed {
    fn of(toolbox: &Toolbox) -> Self {
        let list = |form| toolbox.operations().map(|operation| tools::tool(operation, form)).collect();
        Self { text: list(Form::Text), text_and_fields: list(Form::TextAndFields) }
    }

    fn in_form(&self, form: Form) -> &[Tool] {
        match form {
            Form::Text => &self.text,
            Form::TextAndFields => &self.text_and_fields,
        }
    }
}

/// What the server can do. Its tools last as long as it does; its resources come and go with the applications.
fn capabilities() -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::builder()
        .enable_tools()
        .enable_resources()
        .enable_resources_subscribe()
        .enable_resources_list_changed()
        .enable_prompts()
        .enable_completions()
        .enable_skills()
        .enable_tasks()
        .build();
    capabilities.logging = Some(JsonObject::new());
    capabilities
}

impl Server {
    /// A server for the caller of `engine` that works on it, passes every call through `gate` and offers what is in `toolbox`.
    pub fn new(engine: &Engine, gate: Arc<Gate>, toolbox: Toolbox) -> Self {
        // What is read outside of calls sees no more than they do.
        let engine = Arc::new(gate.overseen(engine).into_owned());
        let instructions =
            instructions::instructions(&toolbox, engine.desk.confirm, &engine.vision.configured()).into();
        let tasks = Tasks::default();
        let session = Arc::new(ClientSession::new(engine.caller.clone(), tasks.clone()));
        let resources = Resources::new(engine.as_ref().clone());
        Self {
            hub: Hub::new(resources.clone()),
            engine,
            gate,
            tools: Arc::new(Listed::of(&toolbox)),
            profiles: Profiles::default(),
            toolbox: Arc::new(toolbox),
            resources,
            recall: Recall::default(),
            instructions,
            seals: Arc::default(),
            tasks,
            session,
        }
    }

    /// The same server, with these profiles of clients.
    #[must_use]
    pub fn with_profiles(self, profiles: Profiles) -> Self {
        Self { profiles, ..self }
    }

    /// What is known of the client that makes a request.
    pub(crate) fn profile(&self, context: &RequestContext<RoleServer>) -> &'static Profile {
        self.profiles.of(context.client_info().as_ref().map(|client| client.name.as_str()))
    }

    /// The same server, for one more client.
    #[must_use]
    pub fn for_session(&self) -> Self {
        let session = ClientSession::new(self.engine.caller.clone(), self.tasks.clone());
        Self { session: Arc::new(session), ..self.clone() }
    }

    /// Asks the policy about what equals a call.
    pub(crate) fn check(&self, equal: &JudgedAs) -> handeye_core::Result<()> {
        let call = Call::new(Face::Mcp, CancellationToken::new());
        self.gate.check(&self.engine, equal.meta, equal.application.as_deref(), &call)
    }

    /// Stops every task of every client.
    pub fn end_tasks(&self) {
        self.tasks.end();
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut implementation = Implementation::new("handeye", env!("CARGO_PKG_VERSION"));
        implementation.title = Some("handeye: eyes and hands on a real desktop".into());
        ServerConfig::new(capabilities())
            .with_server_info(implementation)
            .with_instructions(&*self.instructions)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.text_and_fields.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(request.as_ref())?;
        let listed = self.tools.in_form(self.profile(&context).form).to_vec();
        // Another client may get other schemas.
        Ok(ListToolsResult::with_all_items(listed)
            .with_ttl_ms(TOOLS_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(request.into(), context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.resources(request, &context).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.resource_templates(request)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match skills::read(&request.uri) {
            Some(skill) => Ok(skill.into()),
            None => self.read(request.uri, context).await.map(Into::into),
        }
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        only_page(request.as_ref())?;
        Ok(skills::list())
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        skills::get(&request.uri)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.prompts(request.as_ref())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.written_prompt(request, context).await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.completions(request).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.get_task_of_bearer(&request.task_id)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.update_task_of_bearer(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.cancel_task_of_bearer(&request.task_id)
    }

    #[expect(deprecated, reason = "clients of older revisions ask so")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.set_log_level(&request, &context)
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.begin_subscription(request.uri, context).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.end_subscription(&request.uri, &context);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(self.accepted_filter(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.report_changes(context).await
    }

    /// A request whose parameters have the wrong shape arrives here, as does one of an unknown method.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.answer_custom(request, context).await.map(CustomResult::new)
    }
}
