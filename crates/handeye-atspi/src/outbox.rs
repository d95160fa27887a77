//! What is to be sent over a socket: gathered until the task that sends it has its turn, and then written at once.

use std::io::{ErrorKind, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::UnixStream;
use tokio::sync::Notify;

/// From how many waiting bytes on nothing is put to them until they were written.
const FULL: usize = 256 << 10;

/// The way out of a socket. What was put into it is written although it is dropped.
#[derive(Debug)]
pub(super) struct Outbox(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    /// Something waits, or nothing will come any more.
    filled: Notify,
    /// There is room again, or there will never be.
    emptied: Notify,
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

    /// Puts in a whole message, or nothing of it where this is given up. Waits while too much has not been written yet.
    ///
    /// # Errors
    /// That of the socket, once writing has failed.
    pub(super) async fn put(&self, message: &[u8]) -> Result<()> {
        loop {
            {
                let mut waiting = self.0.waiting();
                if let Some(failed) = waiting.failed {
                    return Err(failed.into());
                }
                if waiting.bytes.len() < FULL {
                    waiting.bytes.extend_from_slice(message);
                    break;
                }
            }
            self.0.emptied.notified().await;
        }
        self.0.filled.notify_one();
        Ok(())
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
            if let Err(error) = write_all(&stream, &batch).await {
                self.waiting().failed = Some(error.kind());
                self.emptied.notify_one();
                return;
            }
            batch.clear();
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn write_all(stream: &UnixStream, mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        match stream.try_write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => stream.writable().await?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::io::AsyncReadExt;

    fn pair() -> (Outbox, UnixStream) {
        let (near, far) = UnixStream::pair().expect("two sockets");
        (Outbox::of(Arc::new(near)), far)
    }

    #[tokio::test]
    async fn what_is_put_in_at_once_is_read_at_once() {
        let (outbox, mut far) = pair();
        for message in [b"one ", b"two ", b"six "] {
            outbox.put(message).await.expect("room");
        }
        let mut read = [0; 100];
        let length = far.read(&mut read).await.expect("an answer");
        assert_eq!(&read[..length], b"one two six ");
    }

    #[tokio::test]
    async fn what_is_in_it_is_written_although_it_is_dropped() {
        let (outbox, mut far) = pair();
        outbox.put(b"the last one").await.expect("room");
        drop(outbox);
        let mut read = Vec::new();
        far.read_to_end(&mut read).await.expect("the end");
        assert_eq!(read, b"the last one");
    }

    #[tokio::test]
    async fn who_does_not_read_is_sent_no_more_than_there_is_room_for() {
        let (outbox, mut far) = pair();
        let message = vec![7; 64 << 10];
        let fill = async {
            loop {
                outbox.put(&message).await.expect("room");
            }
        };
        let filled = tokio::time::timeout(Duration::from_millis(200), fill).await;
        assert!(filled.is_err());
        assert!(outbox.0.waiting().bytes.len() < FULL + message.len());
        // A message that was given up has left nothing behind.
        drop(outbox);
        let mut read = Vec::new();
        far.read_to_end(&mut read).await.expect("the end");
        assert_eq!(read.len() % message.len(), 0);
        assert!(read.len() > FULL);
    }

    #[tokio::test]
    async fn who_has_left_is_reported() {
        let (outbox, far) = pair();
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
        assert_eq!(failed, ErrorKind::BrokenPipe);
    }
}
