//! Subscriptions: which clients are notified when a resource or a list has changed.
//!
//! One hub for all clients: `resources/subscribe` of the older revisions and `subscriptions/listen` of the newest one. A resource is
//! watched once, however many clients subscribe, and only while one does.

mod hub;
mod outbox;
mod sink;

pub(crate) use hub::Hub;
pub(crate) use outbox::Topic;

use crate::Server;
use crate::requester;
use crate::subscriptions::hub::{ClientId, MOST_OF_A_CLIENT, Who};
use futures_util::{StreamExt, TryStreamExt, stream};
use handeye_resources::Address;
use handeye_service::scopes;
use rmcp::model::SubscriptionFilter;
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, Peer, RoleServer};
use std::sync::Arc;

/// How many resources of one request are taken up at the same time.
const BEGUN_AT_A_TIME: usize = 4;

impl Server {
    /// `resources/subscribe`, of a client that shook hands.
    pub(crate) async fn begin_subscription(
        &self,
        uri: String,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let address = self.toolbox().resource(&uri).map_err(|error| self.refusal(error, &uri))?;
        let held = requester::scopes(&self.engine.caller, &context);
        scopes::require_resource(&uri, held).map_err(|error| self.refusal(error, &uri))?;
        self.check_watch(&address).map_err(|error| self.refusal(error, &uri))?;
        let client = self.client(&context.peer)?;
        self.hub.subscribe(client, &uri, address, false).await.map_err(|error| self.refusal(error, &uri))
    }

    /// Whether a resource can be watched, and the policy allows what watching it equals.
    fn check_watch(&self, address: &Address) -> handeye_core::Result<()> {
        address.check_watchable()?;
        self.check(&address.judged_as())
    }

    /// `resources/unsubscribe`. It is not an error to end what never began.
    pub(crate) fn end_subscription(&self, uri: &str, context: &RequestContext<RoleServer>) {
        if let Some(session) = context.peer.peer_info()
            && let Some(client) = self.hub.known(&Who::Session(session))
        {
            self.hub.unsubscribe(client, uri);
        }
    }

    /// Records that a client of an older revision has a list, and has to be notified when that changes.
    pub(crate) async fn follow_list(&self, context: &RequestContext<RoleServer>, topic: Topic) {
        let followed = match self.client(&context.peer) {
            Ok(client) => self.hub.follow(client, topic).await,
            Err(refused) => {
                tracing::debug!(code = refused.code.0, "no changes of lists for this client");
                return;
            }
        };
        if let Err(error) = followed {
            tracing::debug!(code = error.code.as_str(), "changes of a list are not announced");
        }
    }

    /// The part of a filter that is served.
    pub(crate) fn accepted_filter(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let is_watchable = |uri: &&String| {
            self.toolbox().resource(uri).and_then(|address| self.check_watch(&address)).is_ok()
        };
        let mut accepted = requested.clone();
        if !self.toolbox().reports_applications() {
            // Both lists change with the applications.
            accepted.resources_list_changed = None;
            accepted.prompts_list_changed = None;
        }
        if let Some(uris) = &mut accepted.resource_subscriptions {
            *uris = uris.iter().filter(is_watchable).take(MOST_OF_A_CLIENT).cloned().collect();
        }
        accepted
    }

    /// `subscriptions/listen`: sends notifications until the client ends it or leaves.
    pub(crate) async fn report_changes(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let client = self
            .hub
            .welcome(Who::Listener, Arc::new(context.sink().clone()))
            .map_err(|error| ErrorData::internal_error(error.message, None))?;
        // However this ends, also when it is dropped.
        let _membership = Membership { hub: Arc::clone(&self.hub), client };
        let accepted = context.accepted().clone();
        let begin = async {
            for topic in topics(&accepted) {
                self.hub.follow(client, topic).await?;
            }
            let uris = accepted.resource_subscriptions.into_iter().flatten();
            // It is too late to answer that an application is not there; it may come.
            let begun: Vec<_> = uris
                .filter_map(|uri| Some((self.toolbox().resource(&uri).ok()?, uri)))
                .map(|(address, uri)| {
                    let hub = Arc::clone(&self.hub);
                    async move { hub.subscribe(client, &uri, address, true).await }
                })
                .collect();
            // A few at a time: each may have to look at the whole desktop.
            stream::iter(begun).buffer_unordered(BEGUN_AT_A_TIME).try_collect::<()>().await
        };
        tokio::select! {
            () = context.cancelled() => return Ok(()),
            taken_up = begin => taken_up.map_err(|error| ErrorData::internal_error(error.message, None))?,
        };
        context.cancelled().await;
        Ok(())
    }

    /// The client at the other end of a session.
    fn client(&self, peer: &Peer<RoleServer>) -> Result<ClientId, ErrorData> {
        let session = peer.peer_info().ok_or_else(|| {
            ErrorData::invalid_request("subscriptions need a session: call initialize first", None)
        })?;
        self.hub
            .welcome(Who::Session(session), Arc::new(peer.clone()))
            .map_err(|error| ErrorData::internal_error(error.message, None))
    }
}

/// Ends everything that was begun for a client.
struct Membership {
    hub: Arc<Hub>,
    client: ClientId,
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.hub.dismiss(self.client);
    }
}

/// The lists whose changes a filter asks for.
fn topics(filter: &SubscriptionFilter) -> impl Iterator<Item = Topic> {
    [
        (filter.tools_list_changed, Topic::Tools),
        (filter.prompts_list_changed, Topic::Prompts),
        (filter.resources_list_changed, Topic::Resources),
    ]
    .into_iter()
    .filter(|(wanted, _)| *wanted == Some(true))
    .map(|(_, topic)| topic)
}
