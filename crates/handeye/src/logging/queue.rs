//! Log records on their way to a file or a terminal. A full disk or a terminal that is not read must not hold a call up, so a
//! thread of its own writes them; when it falls behind, records are dropped and counted.

use super::file::complain;
use handeye_core::screen_text;
use handeye_redact::Redactor;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;
use tracing_subscriber::fmt::MakeWriter;

/// Most records that wait to be written.
const WAITING: usize = 1_024;
/// Longest record, in bytes.
const LONGEST: usize = 16 * 1024;
/// How long the end of the process waits for the last records.
const LAST_RECORDS: Duration = Duration::from_millis(300);

enum Message {
    Record(Vec<u8>),
    /// Everything before it is to be written; then this one is notified.
    Flush(SyncSender<()>),
}

/// The way to one place for log records. Dropped, it waits until those before have been written.
pub(super) struct Queue {
    sender: Sender,
}

/// Takes records without waiting.
#[derive(Clone)]
pub(super) struct Sender {
    messages: SyncSender<Message>,
    dropped: Arc<AtomicUsize>,
    redactor: Redactor,
}

impl Queue {
    /// Writes to `place` in a thread called `name`; `None`, and a line on standard error, if no thread can be had.
    pub(super) fn start(name: &str, place: impl Write + Send + 'static, redactor: &Redactor) -> Option<Self> {
        let (messages, waiting) = sync_channel(WAITING);
        let dropped = Arc::new(AtomicUsize::new(0));
        let sender = Sender { messages, dropped: Arc::clone(&dropped), redactor: redactor.clone() };
        let started = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || write_records(&waiting, place, &dropped));
        match started {
            Ok(_detached) => Some(Self { sender }),
            Err(fault) => {
                complain(&format!("no thread for the log: {fault}"));
                None
            }
        }
    }

    /// Where records are put.
    pub(super) fn sender(&self) -> Sender {
        self.sender.clone()
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let (done, written) = sync_channel(1);
        // A queue that is full has a writer that is stuck: what waits in it is lost, and so is this request.
        if self.sender.messages.try_send(Message::Flush(done)).is_ok()
            && written.recv_timeout(LAST_RECORDS).is_err()
        {
            complain("the last log records could not be written in time");
        }
    }
}

impl Write for Sender {
    /// The layer writes a record at once.
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        if self.messages.try_send(Message::Record(shortened(record, &self.redactor))).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        Ok(record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Sender {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// The record on one line, whatever words of others are in it, without what is secret in it, and not too long.
fn shortened(record: &[u8], redactor: &Redactor) -> Vec<u8> {
    let whole = String::from_utf8_lossy(record);
    let record = redactor.text(&whole);
    let record = record.as_bytes();
    let kept = String::from_utf8_lossy(&record[..record.len().min(LONGEST)]);
    let line = screen_text::line(kept.trim_end_matches('\n'), LONGEST);
    if record.len() <= LONGEST {
        let end = if record.ends_with(b"\n") { "\n" } else { "" };
        return format!("{line}{end}").into_bytes();
    }
    format!(
        "{} … {} bytes left out\n",
        line.trim_end_matches(char::REPLACEMENT_CHARACTER),
        record.len() - LONGEST
    )
    .into_bytes()
}

fn write_records(messages: &Receiver<Message>, mut place: impl Write, dropped: &AtomicUsize) {
    let mut healthy = true;
    for message in messages {
        let written = match message {
            Message::Record(record) => {
                let gap = match dropped.swap(0, Ordering::Relaxed) {
                    0 => Ok(()),
                    count => place.write_all(format!("({count} log records were dropped here)\n").as_bytes()),
                };
                gap.and_then(|()| place.write_all(&record))
            }
            Message::Flush(done) => {
                let flushed = place.flush();
                // No caller waits any more when the process took too long to end.
                if done.send(()).is_err() {
                    return;
                }
                flushed
            }
        };
        match written {
            Ok(()) => healthy = true,
            Err(fault) if healthy => {
                healthy = false;
                complain(&format!("the log cannot be written: {fault}"));
            }
            // It was reported once.
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Mutex, mpsc};

    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Buffer {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().expect("not poisoned").clone()).expect("UTF-8")
        }
    }

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("not poisoned").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A place that takes nothing until it is let go.
    struct Stuck {
        place: Buffer,
        /// Notified of each write, before it waits.
        reached: mpsc::Sender<()>,
        release: Receiver<()>,
    }

    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // The test may have stopped listening, and the place stays open once the other end is gone.
            self.reached.send(()).unwrap_or_default();
            self.release.recv().unwrap_or_default();
            self.place.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Puts one record; `writeln!` would put each of its pieces.
    fn put(queue: &Queue, record: &str) {
        queue.sender().write_all(format!("{record}\n").as_bytes()).expect("taken");
    }

    #[test]
    fn what_is_secret_is_not_written() {
        let place = Buffer::default();
        let queue = Queue::start("test", place.clone(), &Redactor::default()).expect("a thread");
        put(&queue, "key ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 and more");
        drop(queue);
        assert_eq!(place.text(), "key ‹redacted: GitHub token› and more\n");
    }

    #[test]
    fn what_waits_is_written_at_the_end() {
        let place = Buffer::default();
        let queue = Queue::start("test", place.clone(), &Redactor::default()).expect("a thread");
        for number in 0..100 {
            put(&queue, &format!("record {number}"));
        }
        drop(queue);
        assert_eq!(place.text().lines().count(), 100);
        assert!(place.text().ends_with("record 99\n"));
    }

    #[test]
    fn a_place_that_is_stuck_holds_nobody_up_and_the_gap_is_reported() {
        let (released, release) = mpsc::channel();
        let (reached, writes) = mpsc::channel();
        let place = Buffer::default();
        let stuck = Stuck { place: place.clone(), reached, release };
        let queue = Queue::start("test", stuck, &Redactor::default()).expect("a thread");
        // The writer holds the first record before the queue is filled: else it could still count the gap itself.
        put(&queue, "first");
        writes.recv_timeout(Duration::from_secs(30)).expect("the writer reaches the place");
        for number in 0..WAITING + 200 {
            put(&queue, &format!("record {number}"));
        }
        assert_eq!(queue.sender.dropped.load(Ordering::Relaxed), 200);
        drop(released);
        while !place.text().contains("log records were dropped here") {
            put(&queue, "later");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_record_is_cut_at_its_longest() {
        let text = String::from_utf8(shortened("é".repeat(LONGEST).as_bytes(), &Redactor::default()))
            .expect("UTF-8");
        assert!(text.len() < LONGEST + 100 && text.ends_with("bytes left out\n"), "{}", text.len());
        assert_eq!(shortened(b"short\n", &Redactor::default()), b"short\n");
    }
}
