//! Prompts: guided workflows that a person starts in a client (`AXTerminator` design, section 7).
//!
//! Each leads only through tools that are switched on, and is offered only if those without which it leads nowhere are.
//! [`definition`] says what a prompt is, [`running`] names the applications that it can be about, [`arguments`] checks what it is given, [`script`] puts its words together,
//! [`state`] adds what the application shows now; the others are the prompts.

mod accessibility_audit;
pub(crate) mod argument;
pub(crate) mod arguments;
mod automate_workflow;
mod cross_app_copy;
mod debug_ui;
pub(crate) mod definition;
mod extract_data;
mod navigate_to;
mod running;
mod script;
mod state;
mod test_app;

use crate::Server;
use crate::paging::only_page;
use crate::requester::Requester;
use crate::subscriptions::Topic;
use arguments::Arguments;
use definition::Definition;
use handeye_core::nearness::nearest;
use handeye_core::screen_text;
use rmcp::model::{
    CacheScope, GetPromptRequestParams, GetPromptResult, ListPromptsResult, PaginatedRequestParams,
    PromptMessage, Role,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use script::Script;

/// Every prompt, in the order of the list.
pub(crate) const ALL: &[&Definition] = &[
    &test_app::PROMPT,
    &navigate_to::PROMPT,
    &extract_data::PROMPT,
    &automate_workflow::PROMPT,
    &debug_ui::PROMPT,
    &accessibility_audit::PROMPT,
    &cross_app_copy::PROMPT,
];

/// Applications come and go, and the list names them; a client that wants to know at once is notified.
const LIST_TTL_MS: u64 = 1_000;

impl Server {
    /// The prompts that lead somewhere with the tools that are on, with the applications that they can be about now.
    pub(crate) async fn prompts(
        &self,
        request: Option<&PaginatedRequestParams>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(request)?;
        if self.toolbox().reports_applications() && !Requester::of(context).is_stateless() {
            // Before the list is made, so that nothing falls in between. A newer client asks for it by itself.
            self.follow_list(context, Topic::Prompts).await;
        }
        // A client that lists prompts will soon complete the name of an application.
        self.recall.look_ahead(&self.engine.desk);
        let running = self.running().await;
        let on = ALL.iter().filter(|prompt| prompt.lacks(self.toolbox()).is_none());
        Ok(ListPromptsResult::with_all_items(on.map(|prompt| prompt.listed(&running)).collect())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    /// The prompt of that name, if it leads somewhere with the tools that are on.
    pub(crate) fn prompt(&self, name: &str) -> Result<&'static Definition, ErrorData> {
        let shown = screen_text::line(name, 80);
        let fault =
            |hint: String| ErrorData::invalid_params(format!("unknown prompt '{shown}': {hint}"), None);
        if let Some(prompt) = ALL.iter().find(|prompt| prompt.name == name) {
            return prompt.lacks(self.toolbox()).map_or(Ok(prompt), |why| Err(fault(why)));
        }
        let near = nearest(name, ALL.iter().map(|prompt| prompt.name), 2);
        Err(fault(if near.is_empty() {
            "prompts/list has all of them".to_owned()
        } else {
            format!("did you mean {}?", near.join(" or "))
        }))
    }

    /// `prompts/get`: the steps, and what the applications in question show now.
    pub(crate) async fn written_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResult, ErrorData> {
        let prompt = self.prompt(&request.name)?;
        let arguments = Arguments::check(prompt, request.arguments.unwrap_or_default())?;
        let script = (prompt.write)(&arguments, Script::new(self.toolbox()));
        let steps = self.engine.desk.redactor.text(&script.render()).into_owned();
        let mut messages = vec![PromptMessage::new_text(Role::User, steps)];
        for application in arguments.applications() {
            messages.push(self.state_of(application, context.ct.child_token()).await);
        }
        Ok(GetPromptResult::new(messages).with_description(prompt.description))
    }
}

#[cfg(test)]
mod tests;
