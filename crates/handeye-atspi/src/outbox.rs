//! What is to be sent over a socket: gathered until the task that sends it has its turn, and then written at once.
//!
//! What was put in before the end is written, as far as the peer takes it at once: of one that does not read, nothing is kept open.

use std::io::{ErrorKind, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::UnixStream;
use tokio::sync::Notify;

/// From how many waiting bytes on nothing is put to them until they were written.
const FULL: usize = 256 << 10;

/// The way out of a socket.
#[derive(Debug)]
pub(super) struct Outbox(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    /// Something waits, or nothing will come any more.
    filled: Notify,
    /// There is room again, or there will never be.
    emptied: Notify,
    /// Writing has failed.
    failure: Notify,
}

/// Whether the other way of the same socket still works.
#[derive(Debug)]
pub(super) struct Health(Arc<Shared>);

impl Health {
    /// Waits until writing has failed, which may be never: then nothing that was asked will be answered.
    pub(super) async fn failed(&self) -> ErrorKind {
        loop {
            if let Some(failed) = self.0.waiting().failed {
                return failed;
            }
            self.0.failure.notified().await;
        }
    }
}

#[derive(Debug, Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// Whether nothing will come any more.
    ended: bool,
    /// Why writing has ended.
    failed: Option<ErrorKind>,
}

impl Outbox {
    /// The way out of `stream`. Has to be called in a runtime, which writes.
    pub(super) fn of(stream: Arc<UnixStream>) -> Self {
        let shared = Arc::new(Shared::default());
        tokio::spawn(Arc::clone(&shared).write_to(stream));
        Self(shared)
    }

    /// What the reader of the socket has to know of it; for one reader.
    pub(super) fn health(&self) -> Health {
        Health(Arc::clone(&self.0))
    }

    /// Puts in a whole message, or nothing of it where this is given up. Waits while too much has not been written yet.
    ///
    /// # Errors
    /// That of the socket, once writing has failed.
    pub(super) async fn put(&self, message: &[u8]) -> Result<()> {
        let mut has_waited = false;
        loop {
            {
                let mut waiting = self.0.waiting();
                if waiting.failed.is_some() || waiting.bytes.len() < FULL {
                    let put = waiting.failed.map_or(Ok(()), |failed| Err(failed.into()));
                    if put.is_ok() {
                        waiting.bytes.extend_from_slice(message);
                        self.0.filled.notify_one();
                    }
                    if has_waited {
                        // Others may wait too, and one is woken at a time.
                        self.0.emptied.notify_one();
                    }
                    return put;
                }
            }
            has_waited = true;
            self.0.emptied.notified().await;
        }
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        self.0.waiting().ended = true;
        self.0.filled.notify_one();
    }
}

impl Shared {
    async fn write_to(self: Arc<Self>, stream: Arc<UnixStream>) {
        let mut batch = Vec::new();
        loop {
            let ended = {
                let mut waiting = self.waiting();
                std::mem::swap(&mut waiting.bytes, &mut batch);
                waiting.ended
            };
            if batch.is_empty() {
                if ended {
                    return;
                }
                self.filled.notified().await;
                continue;
            }
            self.emptied.notify_one();
            match self.write_all(&stream, &batch).await {
                // Room for a long text is not kept.
                Ok(true) if batch.capacity() > FULL => batch = Vec::new(),
                Ok(true) => batch.clear(),
                Ok(false) => return,
                Err(error) => {
                    self.waiting().failed = Some(error.kind());
                    self.emptied.notify_one();
                    self.failure.notify_one();
                    return;
                }
            }
        }
    }

    /// Returns whether all was written; if not, nobody waits for it any more and the peer does not take it.
    async fn write_all(&self, stream: &UnixStream, mut bytes: &[u8]) -> Result<bool> {
        while !bytes.is_empty() {
            match stream.try_write(bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if self.waiting().ended {
                        return Ok(false);
                    }
                    // More that is put in wakes this too, for nothing.
                    tokio::select! {
                        ready = stream.writable() => ready?,
                        () = self.filled.notified() => {}
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use std::sync::Weak;
    use std::time::Duration;
    use tokio::io::AsyncReadExt;

    /// An outbox, whether its socket is still in use, and the other end of that.
    fn pair() -> (Outbox, Weak<UnixStream>, UnixStream) {
        let (near, far) = UnixStream::pair().expect("two sockets");
        let near = Arc::new(near);
        let in_use = Arc::downgrade(&near);
        (Outbox::of(near), in_use, far)
    }

    #[tokio::test]
    async fn what_is_put_in_at_once_is_written_at_once() {
        let (outbox, _, mut far) = pair();
        let mut read = [0; 100];
        for message in [b"one ", b"two ", b"six "] {
            outbox.put(message).await.expect("room");
            let early = far.try_read(&mut read).expect_err("it is gathered");
            assert_eq!(early.kind(), ErrorKind::WouldBlock);
        }
        let length = far.read(&mut read).await.expect("an answer");
        assert_eq!(&read[..length], b"one two six ");
    }

    #[tokio::test]
    async fn what_is_in_it_is_written_although_it_is_dropped() {
        let (outbox, _, mut far) = pair();
        outbox.put(b"the last one").await.expect("room");
        drop(outbox);
        let mut read = Vec::new();
        far.read_to_end(&mut read).await.expect("the end");
        assert_eq!(read, b"the last one");
    }

    /// Puts in such messages until there is no room although the task that writes has had its turn.
    async fn fill(outbox: &Outbox, message: &[u8]) {
        let mut refused = 0;
        while refused < 3 {
            match outbox.put(message).now_or_never() {
                Some(put) => put.expect("nothing has failed"),
                None => refused += 1,
            }
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn who_does_not_read_is_sent_no_more_than_there_is_room_for() {
        let (outbox, _, mut far) = pair();
        let message = vec![7; 64 << 10];
        fill(&outbox, &message).await;
        assert!(outbox.0.waiting().bytes.len() < FULL + message.len());
        let mut read = vec![0; message.len()];
        far.read_exact(&mut read).await.expect("what was written");
        assert_eq!(read, message);
        far.read_exact(&mut vec![0; FULL]).await.expect("the rest follows");
        outbox.put(&message).await.expect("room again");
    }

    #[tokio::test]
    async fn a_socket_is_not_kept_open_for_who_does_not_read() {
        let (outbox, in_use, _far) = pair();
        fill(&outbox, &vec![7; 64 << 10]).await;
        drop(outbox);
        let closed = async {
            while in_use.strong_count() > 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(5), closed).await.expect("it is closed");
    }

    #[tokio::test]
    async fn all_who_wait_for_room_are_woken() {
        for reads in [true, false] {
            let (outbox, _, mut far) = pair();
            let message = vec![7; 64 << 10];
            fill(&outbox, &message).await;
            let outbox = Arc::new(outbox);
            let put = || {
                let (outbox, message) = (Arc::clone(&outbox), message.clone());
                tokio::spawn(async move { outbox.put(&message).await.is_ok() })
            };
            let waiting: Vec<_> = (0..10).map(|_| put()).collect();
            tokio::task::yield_now().await;
            if reads {
                tokio::spawn(async move { tokio::io::copy(&mut far, &mut tokio::io::sink()).await });
            } else {
                drop(far);
            }
            for put in waiting {
                let put = tokio::time::timeout(Duration::from_secs(5), put).await;
                assert_eq!(put.expect("it is woken").expect("it ends"), reads);
            }
        }
    }

    #[tokio::test]
    async fn who_has_left_is_reported_to_both_ways() {
        let (outbox, _, far) = pair();
        let health = outbox.health();
        drop(far);
        let send = async {
            loop {
                if let Err(error) = outbox.put(b"is somebody there?").await {
                    return error.kind();
                }
                tokio::task::yield_now().await;
            }
        };
        let failed = tokio::time::timeout(Duration::from_secs(5), send).await.expect("it is noticed");
        assert_eq!((failed, health.failed().await), (ErrorKind::BrokenPipe, ErrorKind::BrokenPipe));
    }
}
