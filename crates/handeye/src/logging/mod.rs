//! Where handeye logs: a command to standard error, a server to a file, `--json-output` into its answer. Never to standard
//! output, which belongs to answers and to the protocol.

mod file;
mod filter;
mod queue;

use crate::redaction;
use file::LogFile;
use handeye_cli::settings::CONSOLE_LOGGING;
use handeye_cli::{DebugLogs, log_file, prepare_log_folder};
use queue::Queue;
use std::io::{self, IsTerminal, Write};
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

/// What a command logs by default.
const COMMAND_LEVEL: &str = "warn";
/// What a server logs by default.
const SERVER_LEVEL: &str = "info";

/// What writes the log. Keep it to the end of the process: what waits to be written is written when it is dropped.
#[must_use]
pub(crate) struct Log {
    _queues: Vec<Queue>,
}

/// Logs of a command: to standard error, as the environment asks for it.
pub(crate) fn start_for_command() -> Log {
    let (filter, fault) = filter::of_command(COMMAND_LEVEL);
    let colours = io::stderr().is_terminal();
    let layer = tracing_subscriber::fmt::layer().with_writer(|| Clean(io::stderr())).with_ansi(colours);
    tracing_subscriber::registry().with(layer.with_filter(filter)).init();
    warn_of(&[fault]);
    Log { _queues: Vec::new() }
}

/// Logs of a command with `--json-output`: into its answer, and nothing to standard error (Peekaboo 1.1.2, section II.A.7).
pub(crate) fn start_for_json_output(logs: DebugLogs) -> Log {
    let layer = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .without_time()
        .with_writer(move || Entry(logs.clone()))
        .with_filter(filter::own_at_debug());
    tracing_subscriber::registry().with(layer).init();
    Log { _queues: Vec::new() }
}

/// Logs of the daemon: to a file as a server's, and what belongs to a call into its answer where the command asks for that.
pub(crate) fn start_for_daemon() -> Log {
    let file = open_file().ok().and_then(|file| Queue::start("log", file, &redaction::redactor()));
    let (file_filter, fault) = filter::of_server(SERVER_LEVEL);
    let of_call = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .without_time()
        .with_writer(|| Entry(DebugLogs::of_this_task().unwrap_or_default()))
        .with_filter(filter::own_at_debug());
    tracing_subscriber::registry()
        .with(file.as_ref().map(|queue| plain(queue.sender()).with_filter(file_filter)))
        .with(of_call)
        .init();
    warn_of(&[fault]);
    Log { _queues: file.into_iter().collect() }
}

fn open_file() -> io::Result<LogFile> {
    prepare_log_folder()?;
    LogFile::open(log_file())
}

/// Logs of a server: to a file, and to standard error too where that is asked for (Peekaboo 1.1.2, sections I.B.4 and 5). If
/// there can be no file, the reason goes to standard error, and the server runs without.
pub(crate) fn start_for_server() -> Log {
    let file = open_file().map_or_else(
        |fault| {
            file::complain(&format!("{fault}; the server runs without a log file"));
            None
        },
        |file| Queue::start("log", file, &redaction::redactor()),
    );
    let (console_wanted, console_fault) = console_wanted();
    let console =
        if console_wanted { Queue::start("console log", io::stderr(), &redaction::redactor()) } else { None };
    let (file_filter, fault) = filter::of_server(SERVER_LEVEL);
    let (console_filter, _) = filter::of_server(SERVER_LEVEL);
    tracing_subscriber::registry()
        .with(file.as_ref().map(|queue| plain(queue.sender()).with_filter(file_filter)))
        .with(console.as_ref().map(|queue| plain(queue.sender()).with_filter(console_filter)))
        .init();
    warn_of(&[fault, console_fault]);
    Log { _queues: file.into_iter().chain(console).collect() }
}

fn plain<S, W>(writer: W) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + 'static,
{
    let stamp = TimeAndProcess { process: std::process::id() };
    tracing_subscriber::fmt::layer().with_ansi(false).with_timer(stamp).with_writer(writer)
}

fn console_wanted() -> (bool, Option<String>) {
    match CONSOLE_LOGGING.configured() {
        Ok(wanted) => (wanted.unwrap_or(false), None),
        Err(fault) => (false, Some(fault.message)),
    }
}

fn warn_of(faults: &[Option<String>]) {
    for fault in faults.iter().flatten() {
        tracing::warn!("{fault}");
    }
}

/// Several servers write one file: each line names the one that wrote it.
struct TimeAndProcess {
    process: u32,
}

impl FormatTime for TimeAndProcess {
    fn format_time(&self, writer: &mut Writer<'_>) -> std::fmt::Result {
        SystemTime.format_time(writer)?;
        write!(writer, " [{}]", self.process)
    }
}

/// A place for log records, which get there without what is secret in them.
struct Clean<W>(W);

impl<W: Write> Write for Clean<W> {
    /// The layer writes a record at once.
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(record);
        self.0.write_all(redaction::redactor().text(&text).as_bytes())?;
        Ok(record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// One entry of the log on its way into an answer.
struct Entry(DebugLogs);

impl Write for Entry {
    /// The layer writes an entry at once.
    fn write(&mut self, entry: &[u8]) -> io::Result<usize> {
        let entry_text = String::from_utf8_lossy(entry);
        self.0.add(redaction::redactor().text(entry_text.trim()).as_ref());
        Ok(entry.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
