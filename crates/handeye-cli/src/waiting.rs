//! What a person at a terminal sees while a command waits: a line on standard error that counts the seconds and goes before the answer.

use crate::format::Format;
use crate::output::{Output, complain};
use handeye_engine::AnyOperation;
use std::io::{self, IsTerminal};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long a command may take before the line is shown, and how often it is shown again.
const EVERY: Duration = Duration::from_secs(1);
/// To the beginning of the line, and what stands there is removed.
const CLEAR: &str = "\r\x1b[K";

/// Gives what `work` gives, and shows meanwhile that `operation` waits. Only `wait` does: others answer soon, or ask the person on the same
/// terminal.
pub(crate) async fn shown<T>(
    operation: &dyn AnyOperation,
    output: &Output,
    work: impl Future<Output = T>,
) -> T {
    let is_shown =
        operation.meta().command == "wait" && output.format == Format::Text && io::stderr().is_terminal();
    if !is_shown {
        return work.await;
    }
    let begun = Instant::now();
    let mut is_there = false;
    tokio::pin!(work);
    loop {
        tokio::select! {
            biased;
            result = &mut work => {
                if is_there {
                    complain(CLEAR);
                }
                return result;
            }
            () = sleep(EVERY) => {
                complain(&format!("{CLEAR}Waiting for {} s; Ctrl-C ends it.", begun.elapsed().as_secs()));
                is_there = true;
            }
        }
    }
}
