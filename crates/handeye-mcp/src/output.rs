//! What a connection writes: whole lines, in the order in which they were given.

use futures_util::future::BoxFuture;
use std::io;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// Lines that may wait for a client that reads slowly; who writes more waits too.
const WAITING: usize = 64;

type Written = oneshot::Sender<io::Result<()>>;

/// Writes lines in a task of its own, so that a line is never torn by who stops waiting for it.
#[derive(Debug)]
pub(crate) struct Output {
    lines: Option<mpsc::Sender<(Vec<u8>, Written)>>,
    task: Option<JoinHandle<()>>,
}

impl Output {
    pub(crate) fn new(writer: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (lines, queue) = mpsc::channel(WAITING);
        Self { lines: Some(lines), task: Some(tokio::spawn(write_all(writer, queue))) }
    }

    /// Writes a line that was made, and its end; ends when the client's side has taken it. `None` writes nothing.
    pub(crate) fn write(&self, line: io::Result<Option<Vec<u8>>>) -> BoxFuture<'static, io::Result<()>> {
        let lines = self.lines.clone();
        Box::pin(async move {
            let Some(mut line) = line? else { return Ok(()) };
            line.push(b'\n');
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            let (written, confirmed) = oneshot::channel();
            lines.ok_or_else(closed)?.send((line, written)).await.map_err(|_closed| closed())?;
            confirmed.await.map_err(|_closed| closed())?
        })
    }

    /// Ends when all that was given is written. Nothing can be written after it.
    pub(crate) async fn close(&mut self) -> io::Result<()> {
        self.lines = None;
        match self.task.take() {
            Some(task) => task.await.map_err(io::Error::other),
            None => Ok(()),
        }
    }
}

async fn write_all(mut writer: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<(Vec<u8>, Written)>) {
    while let Some((line, written)) = queue.recv().await {
        let result = async {
            writer.write_all(&line).await?;
            writer.flush().await
        };
        let result = result.await;
        let failed = result.is_err();
        if written.send(result).is_err() {
            tracing::trace!("nobody waits for a line that was written");
        }
        if failed {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn a_line_is_whole_though_nobody_waits_for_it() {
        let (here, mut there) = tokio::io::duplex(16);
        let mut output = Output::new(here);
        let mut first = output.write(Ok(Some(vec![b'a'; 40])));
        // Polled once, so that it is on its way, and dropped.
        assert!(futures_util::poll!(&mut first).is_pending());
        drop(first);
        let second = output.write(Ok(Some(b"b".to_vec())));
        let read = async {
            let mut text = String::new();
            there.read_to_string(&mut text).await.expect("readable");
            text
        };
        let ended = async {
            second.await.expect("written");
            output.close().await.expect("closed");
        };
        let (text, ()) = tokio::join!(read, ended);
        assert_eq!(text, format!("{}\nb\n", "a".repeat(40)));
    }

    #[tokio::test]
    async fn writing_to_a_client_that_is_gone_is_an_error() {
        let (here, there) = tokio::io::duplex(16);
        let output = Output::new(here);
        drop(there);
        output.write(Ok(Some(b"a".to_vec()))).await.expect_err("gone");
        output.write(Ok(Some(b"b".to_vec()))).await.expect_err("gone");
        output.write(Ok(None)).await.expect("nothing to write");
    }
}
