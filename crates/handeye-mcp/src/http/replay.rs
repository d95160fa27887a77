//! What was sent to clients with a session, kept for a while: one whose connection was lost asks for what came after the last event that it
//! has ("Resumability and Redelivery" in the transports of 2025-03-26 to 2025-11-25). Calls of 2026-07-28 end with their connection.

use async_trait::async_trait;
use futures_util::stream;
use rmcp::model::JsonRpcMessage;
use rmcp::transport::streamable_http_server::session::{
    EventStore, EventStoreError, EventStream, ServerSseMessage,
};
use serde::Serialize;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

/// Most bytes of one caller. The newest event is kept, however large it is.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// Most streams of one caller.
const MOST_STREAMS: usize = 256;
/// Most events of a stream.
const MOST_EVENTS: usize = 128;
/// How long a stream is kept whose call has ended.
const KEPT: Duration = Duration::from_secs(5 * 60);
/// How long a call may take, and so the longest wait for its answer.
const LONGEST_CALL: Duration = Duration::from_secs(600);
/// How the SDK marks the stream of a session that answers no request.
const COMMON: &str = ":common";
/// The event that the SDK begins that stream with.
const FIRST_OF_COMMON: &str = "0";

/// The events of one caller.
#[derive(Default)]
pub(super) struct Replay(Arc<Mutex<Events>>);

#[derive(Default)]
struct Events {
    /// How many there have been.
    count: u64,
    bytes: usize,
    streams: HashMap<String, Sent>,
}

/// What was sent on one stream.
struct Sent {
    events: VecDeque<Kept>,
    /// The newest event that is not kept any more; 0 for none.
    lost: u64,
    used: Instant,
    newest: watch::Sender<u64>,
    /// Whether nothing follows.
    is_over: bool,
}

struct Kept {
    number: u64,
    bytes: usize,
    event: ServerSseMessage,
}

/// A poisoned lock is taken over: what it may leave is an event too few.
fn locked(events: &Mutex<Events>) -> MutexGuard<'_, Events> {
    events.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Events {
    fn add(&mut self, stream: &str, event: &ServerSseMessage) -> String {
        self.streams.retain(|name, sent| name == stream || sent.is_wanted());
        self.count += 1;
        let number = self.count;
        let id = format!("{number}/{stream}");
        let bytes = event.message.as_deref().map_or(0, size);
        let sent = self.streams.entry(stream.to_owned()).or_insert_with(|| Sent {
            events: VecDeque::new(),
            lost: 0,
            used: Instant::now(),
            newest: watch::Sender::new(0),
            is_over: false,
        });
        let mut event = event.clone();
        event.event_id = Some(id.clone());
        let ends =
            matches!(event.message.as_deref(), Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)));
        sent.is_over |= ends && !stream.ends_with(COMMON);
        sent.used = Instant::now();
        sent.events.push_back(Kept { number, bytes, event });
        sent.newest.send_replace(number);
        self.make_room(number);
        id
    }

    /// Drops the oldest events beyond the bounds, but not the event `newest`.
    fn make_room(&mut self, newest: u64) {
        while self.streams.len() > MOST_STREAMS {
            // One whose call still runs, or that a client reads, goes last.
            let idlest =
                self.streams.iter().min_by_key(|(_, sent)| (sent.is_read(), !sent.is_over, sent.used));
            let Some(idlest) = idlest.map(|(name, _)| name.clone()) else { break };
            self.streams.remove(&idlest);
        }
        for sent in self.streams.values_mut().filter(|sent| sent.events.len() > MOST_EVENTS) {
            sent.drop_oldest();
        }
        self.bytes = self.streams.values().flat_map(|sent| &sent.events).map(|kept| kept.bytes).sum();
        while self.bytes > MOST_BYTES {
            let oldest = self.streams.values_mut().filter(|sent| !sent.events.is_empty());
            let oldest = oldest.min_by_key(|sent| sent.events.front().map(|kept| kept.number));
            let Some(oldest) =
                oldest.filter(|sent| sent.events.front().is_some_and(|kept| kept.number < newest))
            else {
                break;
            };
            self.bytes -= oldest.drop_oldest();
        }
    }

    /// The first event of a stream after this one. `Err` if there is none and none follows.
    fn after(&self, stream: &str, number: u64) -> Result<Option<(u64, ServerSseMessage)>, ()> {
        let sent = self.streams.get(stream).ok_or(())?;
        if number < sent.lost {
            return Err(());
        }
        let next = sent.events.iter().find(|kept| kept.number > number);
        match next {
            Some(next) => Ok(Some((next.number, next.event.clone()))),
            None if sent.is_over => Err(()),
            None => Ok(None),
        }
    }
}

impl Sent {
    /// Whether a client reads it again at this moment.
    fn is_read(&self) -> bool {
        self.newest.receiver_count() > 0
    }

    /// Whether a client may still ask for what was sent on it: for a while after its end, and for as long as its call may run.
    fn is_wanted(&self) -> bool {
        let kept = if self.is_over { KEPT } else { LONGEST_CALL };
        self.is_read() || self.used.elapsed() < kept
    }

    /// Drops the oldest event, and returns how large it was.
    fn drop_oldest(&mut self) -> usize {
        let Some(oldest) = self.events.pop_front() else { return 0 };
        self.lost = oldest.number;
        oldest.bytes
    }
}

/// How many bytes a message has.
fn size(message: &impl Serialize) -> usize {
    struct Counter(usize);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, message) {
        Ok(()) => counter.0,
        // Then it is sent to nobody either.
        Err(_unwritable) => 0,
    }
}

/// Whether an event is of a session's stream that answers no request: by its name, or by the one that the SDK begins that stream with.
pub(super) fn is_common(event: &str, session: &str) -> bool {
    let stream = event.split_once('/').and_then(|(_, stream)| stream.strip_suffix(COMMON));
    event == FIRST_OF_COMMON || stream == Some(session)
}

/// Whether an event may be of a session: that of another session's stream is not.
pub(super) fn may_be_of(event: &str, session: &str) -> bool {
    let stream = event.split_once('/').map_or("", |(_, stream)| stream);
    stream.strip_suffix(COMMON).is_none_or(|owner| owner == session)
}

#[async_trait]
impl EventStore for Replay {
    async fn store_event(&self, stream: &str, event: &ServerSseMessage) -> Result<String, EventStoreError> {
        Ok(locked(&self.0).add(stream, event))
    }

    async fn replay_events_after(&self, last: &str) -> Result<EventStream, EventStoreError> {
        let unknown = || EventStoreError::from("the event is not kept");
        let (number, stream) = last.split_once('/').ok_or_else(unknown)?;
        let (number, stream) = (number.parse::<u64>().map_err(|_| unknown())?, stream.to_owned());
        let newest = {
            let events = locked(&self.0);
            let sent = events.streams.get(&stream).ok_or_else(unknown)?;
            if number < sent.lost || number > *sent.newest.borrow() {
                return Err(unknown());
            }
            sent.newest.subscribe()
        };
        let begin = (Arc::clone(&self.0), stream, number, newest);
        Ok(Box::pin(stream::unfold(begin, |(events, stream, number, mut newest)| async move {
            loop {
                newest.mark_unchanged();
                let next = locked(&events).after(&stream, number).ok()?;
                if let Some((number, event)) = next {
                    return Some((event, (events, stream, number, newest)));
                }
                let changed = newest.changed();
                if stream.ends_with(COMMON) {
                    changed.await.ok()?;
                } else {
                    timeout(LONGEST_CALL, changed).await.ok()?.ok()?;
                }
            }
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::StreamExt;
    use rmcp::model::{ServerJsonRpcMessage, ServerResult};

    fn answer(text: &str) -> ServerSseMessage {
        let message: ServerJsonRpcMessage = JsonRpcMessage::response(
            ServerResult::CustomResult(rmcp::model::CustomResult(text.into())),
            rmcp::model::RequestId::Number(1),
        );
        ServerSseMessage::from_message(message)
    }

    fn priming() -> ServerSseMessage {
        ServerSseMessage::retry(Duration::from_secs(3))
    }

    async fn ids(replay: &Replay, last: &str) -> Vec<String> {
        let events = replay.replay_events_after(last).await.expect("kept");
        events.map(|event| event.event_id.expect("each has one")).collect().await
    }

    #[tokio::test]
    async fn what_came_after_an_event_comes_again_and_then_what_is_new() {
        let replay = Replay::default();
        let first = replay.store_event("a", &priming()).await.expect("kept");
        let other = replay.store_event("b", &answer("b")).await.expect("kept");
        let waiting = replay.replay_events_after(&first).await.expect("kept");
        let last = replay.store_event("a", &answer("a")).await.expect("kept");
        let late: Vec<_> = waiting.map(|event| event.event_id.expect("one")).collect().await;
        assert_eq!(late, std::slice::from_ref(&last), "it ends with the answer");
        assert_eq!(ids(&replay, &first).await, std::slice::from_ref(&last));
        assert!(ids(&replay, &last).await.is_empty() && ids(&replay, &other).await.is_empty());
        for unknown in ["", "1", "x/a", "9/a", "1/c", "-1/a"] {
            assert!(replay.replay_events_after(unknown).await.is_err(), "{unknown}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_kept_is_bounded_and_a_gap_is_an_error() {
        let replay = Replay::default();
        let first = replay.store_event("s:common", &priming()).await.expect("kept");
        for _ in 0..=MOST_EVENTS {
            replay.store_event("s:common", &answer("x")).await.expect("kept");
        }
        assert!(replay.replay_events_after(&first).await.is_err(), "some after it are lost");
        let large = "x".repeat(MOST_BYTES / 2);
        for number in 0..4 {
            replay.store_event(&number.to_string(), &answer(&large)).await.expect("kept");
        }
        assert!(locked(&replay.0).bytes <= MOST_BYTES);
        for number in 0..2 * MOST_STREAMS {
            replay.store_event(&format!("stream {number}"), &answer("x")).await.expect("kept");
        }
        assert!(locked(&replay.0).streams.len() <= MOST_STREAMS);
        tokio::time::advance(LONGEST_CALL).await;
        replay.store_event("new", &answer("x")).await.expect("kept");
        assert_eq!(locked(&replay.0).streams.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_is_kept_for_as_long_as_its_call_may_run_and_as_it_is_read() {
        let replay = Replay::default();
        let first = replay.store_event("slow", &priming()).await.expect("kept");
        tokio::time::advance(KEPT).await;
        replay.store_event("other", &answer("x")).await.expect("kept");
        let waiting = replay.replay_events_after(&first).await.expect("its call may still run");
        tokio::time::advance(LONGEST_CALL / 2).await;
        for number in 0..2 * MOST_STREAMS {
            replay.store_event(&format!("stream {number}"), &answer("x")).await.expect("kept");
        }
        let last = replay.store_event("slow", &answer("late")).await.expect("kept");
        let late: Vec<_> = waiting.map(|event| event.event_id.expect("one")).collect().await;
        assert_eq!(late, [last]);
    }

    #[test]
    fn the_stream_of_another_session_is_not_resumed() {
        assert!(may_be_of("7/s1:common", "s1") && !may_be_of("7/s2:common", "s1"));
        assert!(may_be_of("7/0d4f", "s1"));
    }
}
