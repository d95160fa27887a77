//! `resources/list`, `resources/templates/list` and `resources/read`.

use crate::Server;
use crate::ask::{Asked, Ended};
use crate::reader::CLIENT;
use crate::requester::{self, Requester};
use crate::subscriptions::Topic;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handeye_call::call::Call;
use handeye_call::outcome::Answer;
use handeye_resources::catalog::{Audience, Definition, Listed};
use handeye_resources::wanted;
use handeye_service::scopes;
use rmcp::model::{
    Annotations, CacheScope, ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate, Role,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use std::sync::Arc;

/// The templates are compiled in, so a client may keep them for as long as this process lives.
const TEMPLATES_TTL_MS: u64 = 3_600_000;
/// Applications come and go; a client that wants to know at once is notified.
const LIST_TTL_MS: u64 = 1_000;

impl Server {
    pub(crate) async fn resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        whole_list(request)?;
        let reports_applications = self.toolbox().reports_applications();
        if reports_applications && !Requester::of(context).is_stateless() {
            // Before the list is made, so that nothing falls in between. A newer client asks for it by itself.
            self.follow_list(context, Topic::Resources).await;
        }
        let mut resources: Vec<Resource> = self.toolbox().resources().map(resource).collect();
        if reports_applications {
            match self.resources.listed().await {
                Ok(listed) => {
                    let on = listed
                        .into_iter()
                        .filter(|listed| self.toolbox().has_resource(listed.address.definition()))
                        .filter(|listed| self.check(&listed.address.judged_as()).is_ok())
                        // Its address has the name, and another one would lead nowhere.
                        .filter(|listed| !self.engine.desk.redactor.is_secret(&listed.name));
                    resources.extend(on.map(|listed| self.of_application(listed)));
                }
                // The other resources are listed anyway; the status says why these are missing.
                Err(error) => {
                    tracing::debug!(code = error.code.as_str(), "applications are not listed as resources");
                }
            }
        }
        Ok(ListResourcesResult::with_all_items(resources)
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    pub(crate) fn resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        whole_list(request)?;
        Ok(ListResourceTemplatesResult::with_all_items(self.toolbox().templates().map(template).collect())
            .with_ttl_ms(TEMPLATES_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    pub(crate) async fn read(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let held = requester::scopes(&self.engine.caller, &context);
        let allowed = self.toolbox().resource(&uri).and_then(|_| scopes::require_resource(&uri, held));
        allowed.map_err(|error| self.refusal(error, &uri))?;
        let revision = Requester::of(&context).version;
        let asked = Asked {
            method: "resources/read",
            name: &uri,
            arguments: &Value::Null,
            responses: request.input_responses.as_ref(),
            state: request.request_state.as_deref(),
        };
        let mut asking = self.asking(&context, asked)?;
        let client = asking.client();
        let ended = asking
            .run(async |remaining| {
                let call = Call {
                    offered: self.toolbox().offered(),
                    scopes: held,
                    client: Arc::clone(&client),
                    ..Call::new(CLIENT, context.ct.clone()).within(remaining)
                };
                let input = wanted(uri.as_str(), Some(revision.as_str()));
                self.gate.call(&self.engine, &self.resources, input, call).await
            })
            .await;
        let answered = match ended {
            Ended::With(answered) => answered,
            Ended::Asking(questions) => return Ok((*questions).into()),
        };
        let contents = contents(answered.map_err(|error| self.refusal(error, &uri))?, uri);
        let result = ReadResourceResult::new(contents).with_ttl_ms(0).with_cache_scope(CacheScope::Private);
        Ok(result.into())
    }
}

impl Server {
    fn of_application(&self, listed: Listed) -> Resource {
        Resource::new(listed.address.to_string(), listed.name)
            .with_title(self.engine.desk.redactor.text(&listed.title).into_owned())
            .with_description(listed.description)
            .with_mime_type(listed.mime_type)
            .with_annotations(annotations(Audience::Assistant, listed.priority))
    }
}

/// All lists are returned whole, so no cursor was ever issued.
fn whole_list(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params(
            "there is no such cursor: this list has one page, ask without one",
            None,
        )),
    }
}

fn contents(answer: Answer, uri: String) -> Vec<ResourceContents> {
    let Some(picture) = answer.pictures.into_iter().next() else {
        return vec![
            ResourceContents::text(String::from(answer.text), uri).with_mime_type("application/json"),
        ];
    };
    let blob = ResourceContents::blob(STANDARD.encode(&picture.bytes), uri).with_mime_type(picture.mime_type);
    vec![match picture.about {
        Some(Value::Object(about)) => blob.with_meta(about.into()),
        _ => blob,
    }]
}

fn annotations(audience: Audience, priority: f32) -> Annotations {
    let audience = match audience {
        Audience::Assistant => vec![Role::Assistant],
        Audience::Both => vec![Role::User, Role::Assistant],
    };
    Annotations::default().with_audience(audience).with_priority(priority)
}

fn resource(definition: &Definition) -> Resource {
    Resource::new(definition.uri, definition.name)
        .with_title(definition.title)
        .with_description(definition.description)
        .with_mime_type(definition.mime_type)
        .with_annotations(annotations(definition.audience, definition.priority))
}

fn template(definition: &Definition) -> ResourceTemplate {
    ResourceTemplate::new(definition.uri, definition.name)
        .with_title(definition.title)
        .with_description(definition.description)
        .with_mime_type(definition.mime_type)
        .with_annotations(annotations(definition.audience, definition.priority))
}
