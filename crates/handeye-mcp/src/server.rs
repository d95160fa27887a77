//! The server of one caller: what it works on, and what is remembered between its calls.

use crate::ask::seal::Seals;
use crate::client_session::ClientSession;
use crate::profile::{Form, Profile, Profiles};
use crate::reader::CLIENT;
use crate::subscriptions::Hub;
use crate::tasks::Tasks;
use crate::{instructions, tools};
use handeye_call::call::Call;
use handeye_core::SecurityMode;
use handeye_engine::{Engine, JudgedAs};
use handeye_resources::Resources;
use handeye_resources::suggestions::Recall;
use handeye_service::gate::Gate;
use handeye_service::toolbox::Toolbox;
use rmcp::RoleServer;
use rmcp::model::Tool;
use rmcp::service::RequestContext;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// An MCP server over the operations of a toolbox, for one caller. Cheap to clone: what is remembered between calls is shared.
#[derive(Clone)]
pub struct Server {
    pub(crate) engine: Arc<Engine>,
    pub(crate) gate: Arc<Gate>,
    /// What is offered in each mode, the loosest first.
    offers: Arc<[Offer; SecurityMode::ALL.len()]>,
    /// What can be read and watched.
    pub(crate) resources: Resources,
    /// What completions are made of.
    pub(crate) recall: Recall,
    profiles: Profiles,
    pub(crate) seals: Arc<Seals>,
    pub(crate) tasks: Tasks,
    pub(crate) session: Arc<ClientSession>,
    pub(crate) hub: Arc<Hub>,
}

/// What is offered in one mode.
struct Offer {
    toolbox: Toolbox,
    tools: Listed,
    instructions: Arc<str>,
}

impl Offer {
    fn of(engine: &Engine, toolbox: Toolbox) -> Self {
        let instructions =
            instructions::instructions(&toolbox, engine.desk.confirm, &engine.vision.configured()).into();
        Self { tools: Listed::of(&toolbox), toolbox, instructions }
    }
}

/// The list of tools in each form.
pub(crate) struct Listed {
    text: Vec<Tool>,
    pub(crate) text_and_fields: Vec<Tool>,
}

impl Listed {
    fn of(toolbox: &Toolbox) -> Self {
        let list = |form| toolbox.operations().map(|operation| tools::tool(operation, form)).collect();
        Self { text: list(Form::Text), text_and_fields: list(Form::TextAndFields) }
    }

    /// The list for a client that gets answers in this form.
    pub(crate) fn in_form(&self, form: Form) -> &[Tool] {
        match form {
            Form::Text => &self.text,
            Form::TextAndFields => &self.text_and_fields,
        }
    }
}

impl Server {
    /// A server for the caller of `engine` that works on it, passes every call through `gate` and offers what is in `toolbox`.
    pub fn new(engine: &Engine, gate: Arc<Gate>, toolbox: &Toolbox) -> Self {
        // What is read outside of calls sees no more than they do.
        let engine = Arc::new(gate.overseen(engine).into_owned());
        let offers = SecurityMode::ALL.map(|mode| Offer::of(&engine, toolbox.in_mode(mode)));
        let tasks = Tasks::default();
        let session = Arc::new(ClientSession::new(engine.caller.clone(), tasks.clone()));
        let resources = Resources::new(engine.as_ref().clone());
        Self {
            hub: Hub::new(resources.clone(), engine.desk.guard.trust().modes()),
            engine,
            gate,
            offers: Arc::new(offers),
            profiles: Profiles::default(),
            resources,
            recall: Recall::default(),
            seals: Arc::default(),
            tasks,
            session,
        }
    }

    /// What is offered in the mode of now.
    fn offer(&self) -> &Offer {
        &self.offers[self.engine.desk.guard.trust().mode() as usize]
    }

    /// The operations that are on in the mode of now.
    pub(crate) fn toolbox(&self) -> &Toolbox {
        &self.offer().toolbox
    }

    /// The tools that are on in the mode of now.
    pub(crate) fn tools(&self) -> &Listed {
        &self.offer().tools
    }

    /// What a model reads about the server before it sees the first tool.
    pub(crate) fn instructions(&self) -> &str {
        &self.offer().instructions
    }

    /// The same server, with these profiles of clients.
    #[must_use]
    pub fn with_profiles(self, profiles: Profiles) -> Self {
        Self { profiles, ..self }
    }

    /// The same server for another caller, who works on `engine`. Tasks alone are counted together.
    #[must_use]
    pub fn for_caller(&self, engine: &Engine) -> Self {
        let other =
            Self::new(engine, Arc::clone(&self.gate), &self.offers[SecurityMode::Normal as usize].toolbox);
        let session = Arc::new(ClientSession::new(engine.caller.clone(), self.tasks.clone()));
        Self { profiles: self.profiles, tasks: self.tasks.clone(), session, ..other }
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
        let call = Call::new(CLIENT, CancellationToken::new());
        self.gate.check(&self.engine, equal.meta, equal.application.as_deref(), &call)
    }

    /// Stops every task of every client.
    pub fn end_tasks(&self) {
        self.tasks.end();
    }
}
