//! Events: which ones are asked for, and what each says about the mirror.

use super::bus::{A11yBus, unavailable};
use super::object::ObjectKey;
use futures_util::future::try_join_all;
use handeye_core::Result;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::OnceCell;
use zbus::message::Type as MessageType;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};
use zbus::{MatchRule, Message};

/// The events that the mirror needs of every toolkit, and few others: GTK 3 and LibreOffice send thousands of `bounds-changed` while they animate. GTK 4
/// sends them without being asked. Each costs every application on the bus a message, and those of Qt a question to the registry in return.
const OF_ALL: &[&str] = &[
    "object:state-changed",
    "object:children-changed",
    "object:property-change",
    "object:text-changed",
    "object:selection-changed",
    "object:active-descendant-changed",
    "window",
];

/// The events that the mirror needs of toolkits that have them.
const OF_TABLES_AND_PAGES: &[&str] = &[
    "object:model-changed",
    "object:row-inserted",
    "object:row-deleted",
    "object:row-reordered",
    "object:visible-data-changed",
    "document",
];

/// What an application may announce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Announced {
    /// The events of [`OF_ALL`].
    Widgets,
    /// Those of [`OF_TABLES_AND_PAGES`] too.
    TablesAndPages,
}

/// One event, as far as the mirror can use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// The object that it is about.
    pub(super) source: ObjectKey,
    /// What it says.
    pub(super) kind: EventKind,
}

/// What an event says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EventKind {
    /// A state was set or cleared.
    State { name: String, set: bool },
    /// Children came, went or moved.
    Children,
    /// The name is now this, or has to be read where the event does not say.
    Name(Option<Arc<str>>),
    /// The description changed.
    Description,
    /// The role changed.
    Role,
    /// The number changed.
    Value,
    /// The text changed.
    Text,
    /// Other children are selected.
    Selection,
    /// It has another size, or another place.
    Size,
    /// A window came or went.
    Windows,
    /// A window was activated (`true`) or lost that.
    Activation(bool),
    /// A window was minimized (`true`) or came back.
    Minimized(bool),
}

impl EventKind {
    /// Its name, without what it says.
    pub(super) const fn as_str(&self) -> &'static str {
        match self {
            Self::State { .. } => "state",
            Self::Children => "children",
            Self::Name(_) => "name",
            Self::Description => "description",
            Self::Role => "role",
            Self::Value => "value",
            Self::Text => "text",
            Self::Selection => "selection",
            Self::Size => "size",
            Self::Windows => "windows",
            Self::Activation(_) => "activation",
            Self::Minimized(_) => "minimized",
        }
    }
}

/// Asks applications' bridges for events, and the bus for their delivery.
pub(super) struct Subscriptions {
    bus: A11yBus,
    /// Whether every bridge was asked for the events of [`OF_ALL`].
    of_all: OnceCell<()>,
    /// Whether every bridge was asked for those of [`OF_TABLES_AND_PAGES`].
    of_tables_and_pages: OnceCell<()>,
}

impl Subscriptions {
    /// Subscriptions of this process on `bus`.
    pub(super) fn new(bus: A11yBus) -> Self {
        Self { bus, of_all: OnceCell::new(), of_tables_and_pages: OnceCell::new() }
    }

    /// Registers with every bridge for what an application may announce, once for a bus; the registry forgets it when the connection closes. Done when
    /// such an application is followed first: what is announced costs all of them work. Returns whether a bridge may not know of it yet.
    async fn register(&self, announced: Announced) -> Result<bool> {
        let has_more = announced == Announced::TablesAndPages;
        let is_new = !self.of_all.initialized() || (has_more && !self.of_tables_and_pages.initialized());
        let of_all = self.of_all.get_or_try_init(|| self.register_for(OF_ALL));
        let of_more = async {
            if has_more {
                self.of_tables_and_pages.get_or_try_init(|| self.register_for(OF_TABLES_AND_PAGES)).await?;
            }
            Ok(())
        };
        tokio::try_join!(of_all, of_more)?;
        Ok(is_new)
    }

    async fn register_for(&self, events: &[&str]) -> Result<()> {
        let register = async |event: &str| {
            let modern = self.registry_call("RegisterEvent", &(event, Vec::<&str>::new(), "")).await;
            match modern {
                Ok(_) => Ok(()),
                Err(_) => {
                    self.registry_call("RegisterEvent", &(event,)).await.map_err(unavailable).map(|_| ())
                }
            }
        };
        try_join_all(events.iter().map(|event| register(event))).await.map(|_| ())
    }

    async fn registry_call<B>(&self, method: &str, body: &B) -> zbus::Result<Message>
    where
        B: serde::Serialize + zbus::zvariant::DynamicType,
    {
        let call = self.bus.events.call_method(
            Some("org.a11y.atspi.Registry"),
            "/org/a11y/atspi/registry",
            Some("org.a11y.atspi.Registry"),
            method,
            body,
        );
        tokio::time::timeout(std::time::Duration::from_secs(1), call)
            .await
            .unwrap_or_else(|_| Err(zbus::Error::Failure("the registry does not answer".into())))
    }

    /// Has the bus say when a process leaves it.
    pub(super) async fn follow_departures(&self) -> Result<()> {
        let rule = MatchRule::builder()
            .msg_type(MessageType::Signal)
            .sender("org.freedesktop.DBus")
            .and_then(|rule| rule.interface("org.freedesktop.DBus"))
            .and_then(|rule| rule.member("NameOwnerChanged"))
            .map_err(unavailable)?
            .build();
        self.match_call("AddMatch", &rule).await
    }

    /// Has the bus deliver what the registry says of the applications that come and go.
    pub(super) async fn follow_arrivals(&self) -> Result<()> {
        let rule = MatchRule::builder()
            .msg_type(MessageType::Signal)
            .sender("org.a11y.atspi.Registry")
            .and_then(|rule| rule.interface("org.a11y.atspi.Event.Object"))
            .and_then(|rule| rule.member("ChildrenChanged"))
            .map_err(unavailable)?
            .build();
        self.match_call("AddMatch", &rule).await
    }

    /// Has applications announce their changes, and the bus deliver what the process `sender` announces to this one. Returns whether `sender` may
    /// not know of it yet: it does when it has answered something that it is asked over the bus from now on.
    pub(super) async fn follow(&self, sender: &str, announced: Announced) -> Result<bool> {
        let rules = event_rules(sender)?;
        let matched = try_join_all(rules.iter().map(|rule| self.match_call("AddMatch", rule)));
        let (is_new, _) = tokio::try_join!(self.register(announced), matched)?;
        Ok(is_new)
    }

    /// Ends [`follow`](Self::follow) for a process that has left: rules that match nothing any more still count against our limit.
    pub(super) async fn unfollow(&self, sender: &str) -> Result<()> {
        for rule in event_rules(sender)? {
            if let Err(error) = self.match_call("RemoveMatch", &rule).await {
                tracing::debug!(sender, %error, "a match rule stays behind");
            }
        }
        Ok(())
    }

    async fn match_call(&self, method: &str, rule: &MatchRule<'_>) -> Result<()> {
        let rule = rule.to_string();
        let call = self.bus.events.call_method(
            Some("org.freedesktop.DBus"),
            "/org/freedesktop/DBus",
            Some("org.freedesktop.DBus"),
            method,
            &rule,
        );
        tokio::time::timeout(std::time::Duration::from_secs(1), call)
            .await
            .map_err(|_| unavailable("the bus does not answer"))?
            .map_err(unavailable)?;
        Ok(())
    }
}

/// The rules that have the bus deliver all accessibility events of one process.
fn event_rules(sender: &str) -> Result<Vec<MatchRule<'_>>> {
    ["org.a11y.atspi.Event.Object", "org.a11y.atspi.Event.Window", "org.a11y.atspi.Event.Document"]
        .into_iter()
        .map(|interface| {
            let rule = MatchRule::builder().msg_type(MessageType::Signal).sender(sender);
            Ok(rule.and_then(|rule| rule.interface(interface)).map_err(unavailable)?.build())
        })
        .collect()
}

/// The body of every event, in the layout of today and in that of older bridges; only the first four parts matter.
fn parts(message: &Message) -> Option<(String, i32, OwnedValue)> {
    let body = message.body();
    match body.signature().to_string_no_parens().as_str() {
        "siiva{sv}" => {
            let (detail, first, _, value, _): (String, i32, i32, OwnedValue, HashMap<String, OwnedValue>) =
                body.deserialize().ok()?;
            Some((detail, first, value))
        }
        "siiv(so)" => {
            let (detail, first, _, value, _): (String, i32, i32, OwnedValue, (String, OwnedObjectPath)) =
                body.deserialize().ok()?;
            Some((detail, first, value))
        }
        _ => None,
    }
}

/// Reads an event, or `None` if it is not one that the mirror can use.
pub(super) fn decode(message: &Message) -> Option<Event> {
    let header = message.header();
    let interface = header.interface()?.as_str().strip_prefix("org.a11y.atspi.Event.")?;
    // GTK 4 writes members in lower case.
    let member = header.member()?.as_str().to_ascii_lowercase();
    let source =
        ObjectKey { bus: Arc::from(header.sender()?.as_str()), path: Arc::from(header.path()?.as_str()) };
    let (detail, first, value) = parts(message)?;
    let kind = match (interface, member.as_str()) {
        ("Object", "statechanged") => EventKind::State { name: detail, set: first != 0 },
        (
            "Object",
            "childrenchanged" | "modelchanged" | "rowinserted" | "rowdeleted" | "rowreordered"
            | "visibledatachanged",
        )
        | ("Document", "loadcomplete" | "reload") => EventKind::Children,
        ("Object", "propertychange") => match detail.as_str() {
            "accessible-name" => EventKind::Name(text_of(&value)),
            "accessible-description" => EventKind::Description,
            "accessible-role" => EventKind::Role,
            "accessible-value" => EventKind::Value,
            _ => return None,
        },
        ("Object", "boundschanged") => EventKind::Size,
        ("Object", "textchanged") => EventKind::Text,
        ("Object", "selectionchanged" | "activedescendantchanged") => EventKind::Selection,
        ("Window", "create" | "destroy") => EventKind::Windows,
        ("Window", "activate") => EventKind::Activation(true),
        ("Window", "deactivate") => EventKind::Activation(false),
        ("Window", "minimize") => EventKind::Minimized(true),
        ("Window", "restore" | "maximize") => EventKind::Minimized(false),
        _ => return None,
    };
    Some(Event { source, kind })
}

/// The text in an event's value. Some bridges leave it out; an empty one may mean either.
fn text_of(value: &Value<'_>) -> Option<Arc<str>> {
    match value {
        Value::Str(text) if !text.is_empty() => Some(super::reading::bounded(text.as_str())),
        Value::Value(inner) => text_of(inner),
        _ => None,
    }
}
