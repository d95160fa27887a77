//! The notifications of the session: its bus is asked for a copy of each `Notify` call and of the answer to it
//! (Desktop Notifications Specification 1.2; `org.freedesktop.DBus.Monitoring` of the D-Bus specification).

use crate::discovery::lineage;
use async_trait::async_trait;
use futures_util::StreamExt;
use handeye_atspi::session_bus;
use handeye_core::notification::KEPT_NOTIFICATIONS;
use handeye_core::{Changes, Error, ErrorCode, Notification, Notifications, Result};
use std::collections::{HashMap, VecDeque};
use std::fmt::Display;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;
use zbus::message::Type;
use zbus::names::{BusName, OwnedUniqueName};
use zbus::zvariant::{DynamicType, Value};
use zbus::{Connection, MatchRule, Message, MessageStream};

/// The service that shows notifications.
const SERVICE: &str = "org.freedesktop.Notifications";
/// The bus daemon: its name, and the interface of its own.
const BUS: &str = "org.freedesktop.DBus";
/// How long the bus may take for one question.
const DEADLINE: Duration = Duration::from_secs(2);
/// Calls that wait for their answer. The oldest is forgotten: the service does not answer it.
const MOST_PENDING: usize = 32;
/// Longest message of which the hints are looked at: they can be a picture of any size.
const LONGEST_WITH_HINTS: usize = 256 * 1024;
/// Most characters of a title or a text.
const LONGEST_TEXT: usize = 1_000;
/// Programs that pass on what sandboxed applications send, by the beginnings of their names.
const MESSENGERS: [&str; 2] = ["xdg-dbus-proxy", "xdg-desktop-portal"];

/// The notifications of the session bus of this process.
pub(crate) struct SessionNotifications {
    seen: Arc<Seen>,
    watching: tokio::sync::Mutex<Option<AbortOnDropHandle<()>>>,
}

/// What was seen.
#[derive(Default)]
struct Seen {
    notifications: Mutex<VecDeque<Notification>>,
    count: watch::Sender<u64>,
}

/// A notification that was sent, and is not answered yet.
struct Pending {
    sender: OwnedUniqueName,
    serial: NonZeroU32,
    notification: Notification,
}

impl SessionNotifications {
    /// Looks at nothing before [`begin`](Notifications::begin).
    pub(crate) fn new() -> Self {
        Self { seen: Arc::default(), watching: tokio::sync::Mutex::default() }
    }
}

#[async_trait]
impl Notifications for SessionNotifications {
    async fn begin(&self) -> Result<()> {
        let mut watching = self.watching.lock().await;
        if watching.as_ref().is_some_and(|task| !task.is_finished()) {
            return Ok(());
        }
        // A monitor may not call anything, so questions have a connection of their own.
        let (calls, messages) = (session_bus().await?, monitor().await?);
        let task = tokio::spawn(watch_messages(calls, messages, Arc::clone(&self.seen)));
        *watching = Some(AbortOnDropHandle::new(task));
        Ok(())
    }

    fn latest(&self) -> u64 {
        *self.seen.count.borrow()
    }

    async fn seen_after(&self, number: u64) -> Result<Vec<Notification>> {
        Ok(self.seen.lock().iter().filter(|seen| seen.number > number).cloned().collect())
    }

    fn changes(&self) -> Changes {
        self.seen.count.subscribe()
    }
}

impl Seen {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Notification>> {
        self.notifications.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, mut notification: Notification) {
        let mut notifications = self.lock();
        let number = *self.count.borrow() + 1;
        notification.number = number;
        if notifications.len() == KEPT_NOTIFICATIONS {
            notifications.pop_front();
        }
        notifications.push_back(notification);
        drop(notifications);
        self.count.send_replace(number);
    }
}

fn refused(why: impl Display) -> Error {
    Error::new(ErrorCode::NotSupported, format!("the session bus does not show notifications: {why}"))
}

/// A connection that gets a copy of what is sent to the service and of what it answers.
async fn monitor() -> Result<MessageStream> {
    let connection = session_bus().await?;
    let calls = MatchRule::builder().msg_type(Type::MethodCall).interface(SERVICE).map_err(refused)?;
    let calls = calls.member("Notify").map_err(refused)?.build();
    let answers = MatchRule::builder().msg_type(Type::MethodReturn).sender(SERVICE).map_err(refused)?.build();
    let rules = [calls.to_string(), answers.to_string()];
    ask_bus(&connection, "org.freedesktop.DBus.Monitoring", "BecomeMonitor", &(&rules[..], 0_u32))
        .await
        .map_err(refused)?;
    Ok(MessageStream::from(connection))
}

/// Calls the bus itself.
async fn ask_bus(
    connection: &Connection,
    interface: &str,
    method: &str,
    body: &(impl serde::Serialize + DynamicType),
) -> zbus::Result<Message> {
    let called = connection.call_method(Some(BUS), "/org/freedesktop/DBus", Some(interface), method, body);
    let late = |_elapsed| zbus::Error::Failure("the bus does not answer in time".to_owned());
    tokio::time::timeout(DEADLINE, called).await.map_err(late)?
}

/// Notes what is sent until the bus ends.
async fn watch_messages(calls: Connection, mut messages: MessageStream, seen: Arc<Seen>) {
    let mut pending: VecDeque<Pending> = VecDeque::new();
    while let Some(message) = messages.next().await {
        let message = match message {
            Ok(message) => message,
            Err(error) => {
                tracing::debug!(%error, "a message of the session bus is skipped");
                continue;
            }
        };
        match message.message_type() {
            Type::MethodCall => {
                if let Some(sent) = read_call(&calls, &message).await {
                    if pending.len() == MOST_PENDING {
                        pending.pop_front();
                    }
                    pending.push_back(sent);
                }
            }
            Type::MethodReturn => {
                if let Some(notification) = answered(&mut pending, &message) {
                    seen.add(notification);
                }
            }
            Type::Error | Type::Signal => {}
        }
    }
    tracing::debug!("notifications are not watched any more: the session bus ended");
}

/// The notification that a call sends. `None` for other calls, and for one that does not hold what it must.
async fn read_call(calls: &Connection, message: &Message) -> Option<Pending> {
    let header = message.header();
    let sent = header.sender().filter(|_| header.member().is_some_and(|member| member == "Notify"))?;
    // What it holds is in no log, and the error may repeat it.
    let Ok(notification) = read_content(message) else {
        tracing::debug!("a notification cannot be read");
        return None;
    };
    let serial = header.primary().serial_num();
    let sender = OwnedUniqueName::from(sent.to_owned());
    let (processes, by_messenger) = processes_of(calls, &sender).await;
    let on_behalf_of = notification.on_behalf_of.clone().filter(|_| by_messenger);
    Some(Pending { sender, serial, notification: Notification { processes, on_behalf_of, ..notification } })
}

/// What `Notify` was called with.
fn read_content(message: &Message) -> zbus::Result<Notification> {
    type Start<'a> = (&'a str, u32, &'a str, &'a str, &'a str);
    type All<'a> = (&'a str, u32, &'a str, &'a str, &'a str, Vec<&'a str>, HashMap<&'a str, Value<'a>>, i32);
    let body = message.body();
    let (name, title, text, entry) = if body.len() <= LONGEST_WITH_HINTS {
        let (name, _, _, title, text, _, hints, _): All<'_> = body.deserialize()?;
        let entry = match hints.get("desktop-entry") {
            Some(Value::Str(entry)) => Some(entry.to_string()),
            _ => None,
        };
        (name, title, text, entry)
    } else {
        let (name, _, _, title, text): Start<'_> = body.deserialize_unchecked()?;
        (name, title, text, None)
    };
    let cut = |text: &str| text.chars().take(LONGEST_TEXT).collect::<String>();
    Ok(Notification {
        number: 0,
        id: 0,
        processes: Vec::new(),
        on_behalf_of: entry.or_else(|| Some(cut(name))).filter(|name| !name.is_empty()),
        title: cut(title),
        body: cut(text),
    })
}

/// The notification that this message says is taken.
fn answered(pending: &mut VecDeque<Pending>, answer: &Message) -> Option<Notification> {
    let header = answer.header();
    let serial = header.reply_serial()?;
    let BusName::Unique(to) = header.destination()? else { return None };
    let at = pending.iter().position(|sent| sent.serial == serial && sent.sender.as_str() == to.as_str())?;
    let notification = pending.remove(at)?.notification;
    match answer.body().deserialize() {
        Ok(id) => Some(Notification { id, ..notification }),
        Err(error) => {
            tracing::debug!(%error, "the answer to a notification has no number");
            None
        }
    }
}

/// The process behind a name of the bus and those that started it, and whether it passes on what others send. None if it has ended.
async fn processes_of(calls: &Connection, sender: &OwnedUniqueName) -> (Vec<u32>, bool) {
    let asked = ask_bus(calls, BUS, "GetConnectionUnixProcessID", &sender.as_str()).await;
    let found = match asked.and_then(|answer| answer.body().deserialize()) {
        Ok(pid) => tokio::task::spawn_blocking(move || (lineage(pid), is_messenger(pid))).await,
        Err(error) => {
            tracing::debug!(%error, "the sender of a notification is not known");
            return Default::default();
        }
    };
    found.unwrap_or_else(|error| {
        tracing::warn!(%error, "the sender of a notification was not looked at");
        Default::default()
    })
}

fn is_messenger(pid: u32) -> bool {
    let executable = std::fs::read_link(format!("/proc/{pid}/exe")).ok();
    let name = executable.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
    name.is_some_and(|name| MESSENGERS.iter().any(|messenger| name.starts_with(messenger)))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Body<'a> = (&'a str, u32, &'a str, &'a str, &'a str, Vec<&'a str>, HashMap<&'a str, Value<'a>>, i32);

    fn body<'a>(name: &'a str, text: &'a str, hints: &[(&'a str, Value<'a>)]) -> Body<'a> {
        let hints = hints.iter().map(|(key, hint)| (*key, hint.try_clone().expect("no file"))).collect();
        (name, 0, "icon", "Title", text, Vec::new(), hints, -1)
    }

    fn call(body: &(impl serde::Serialize + DynamicType)) -> Message {
        let call = Message::method_call("/org/freedesktop/Notifications", "Notify").expect("a name");
        call.sender(":1.5").expect("a sender").build(body).expect("a message")
    }

    #[test]
    fn a_call_is_read_with_the_name_of_its_desktop_file() {
        let hints = [("desktop-entry", Value::from("org.a")), ("urgency", Value::from(2_u8))];
        let read = read_content(&call(&body("Name", "text", &hints))).expect("readable");
        assert_eq!((read.title.as_str(), read.body.as_str()), ("Title", "text"));
        assert_eq!(read.on_behalf_of.as_deref(), Some("org.a"));
        let wrong = [("desktop-entry", Value::from(7_u32))];
        let read = read_content(&call(&body("Name", "", &wrong))).expect("readable");
        assert_eq!(read.on_behalf_of.as_deref(), Some("Name"));
        assert_eq!(read_content(&call(&body("", "", &[]))).expect("readable").on_behalf_of, None);
    }

    #[test]
    fn long_texts_are_cut_and_large_hints_are_not_looked_at() {
        let long = "\u{e9}".repeat(LONGEST_TEXT + 1);
        let read = read_content(&call(&body("Name", &long, &[]))).expect("readable");
        assert_eq!(read.body.chars().count(), LONGEST_TEXT);
        let picture =
            [("desktop-entry", Value::from("org.a")), ("image", Value::from(vec![0_u8; LONGEST_WITH_HINTS]))];
        let read = read_content(&call(&body("Name", "text", &picture))).expect("readable");
        assert_eq!((read.body.as_str(), read.on_behalf_of.as_deref()), ("text", Some("Name")));
    }

    #[test]
    fn what_is_no_notification_is_an_error() {
        assert!(read_content(&call(&("Name", 0_u32))).is_err());
        assert!(read_content(&call(&(1_u32, "Name"))).is_err());
        let start = ("Name", 0_u32, vec![0_u8; LONGEST_WITH_HINTS]);
        assert!(read_content(&call(&start)).is_err());
    }

    #[test]
    fn an_answer_belongs_to_the_call_of_its_sender() {
        let sent = call(&body("Name", "text", &[]));
        let mut pending = VecDeque::from([Pending {
            sender: OwnedUniqueName::try_from(":1.5").expect("a name"),
            serial: sent.header().primary().serial_num(),
            notification: read_content(&sent).expect("readable"),
        }]);
        let answer = Message::method_return(&sent.header()).expect("a reply");
        let to_another = Message::method_return(&sent.header()).expect("a reply");
        let to_another = to_another.destination(":1.6").expect("a name").build(&7_u32).expect("a message");
        assert_eq!(answered(&mut pending, &to_another), None);
        let answer = answer.build(&7_u32).expect("a message");
        assert_eq!(answered(&mut pending, &answer).map(|taken| taken.id), Some(7));
        assert_eq!(answered(&mut pending, &answer), None, "once");
    }
}
