//! Messages as lines of JSON: what a client sends over standard input, read so that nothing it may send does harm.
//!
//! The SDK's own line transport types a line at once and drops what it cannot type. Here a line is JSON first: so a request that is
//! wrong is answered with the error that JSON-RPC has for it, and what the SDK's types have no place for can be renamed.

use crate::tasks::legacy;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, RequestId};
use serde_json::Value;
use std::io;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// What the bytes of one line are.
#[derive(Debug)]
pub enum Line {
    /// A message.
    Message(Box<ClientJsonRpcMessage>),
    /// Several of them in an array, in their order.
    Batch(Vec<Line>),
    /// A fault that is reported to the sender.
    Wrong(ErrorData, Option<RequestId>),
    /// A message that is ignored: nothing depends on it.
    Nothing,
}

/// Most messages of a batch.
const LONGEST_BATCH: usize = 100;

/// Reads lines, each up to a longest length.
pub struct Lines<R> {
    reader: BufReader<R>,
    longest: usize,
    /// The bytes so far of a line whose end has not come: reading may stop at any point and go on later.
    line: Vec<u8>,
    /// The line is too long: what comes of it is dropped.
    dropping: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of at most `longest` bytes from `reader`.
    pub fn new(reader: R, longest: usize) -> Self {
        Self { reader: BufReader::new(reader), longest, line: Vec::new(), dropping: false }
    }

    /// The next line that says something; `None` at the end. Nothing is lost if the future is dropped.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                // A line without an end was cut off in the middle: it is not a message.
                return Ok(None);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            if !self.dropping && self.line.len() + taken <= self.longest {
                self.line.extend_from_slice(&available[..taken]);
            } else {
                self.dropping = true;
                self.line = Vec::new();
            }
            self.reader.consume(taken);
            if end.is_none() {
                continue;
            }
            if std::mem::take(&mut self.dropping) {
                tracing::warn!(longest = self.longest, "a line was too long and was dropped");
                let message = format!("a message of more than {} bytes is not read", self.longest);
                return Ok(Some(Line::Wrong(ErrorData::invalid_request(message, None), None)));
            }
            let line = read(self.line.trim_ascii());
            self.line.clear();
            if !matches!(line, Line::Nothing) {
                return Ok(Some(line));
            }
        }
    }
}

/// Reads one line.
pub(crate) fn read(line: &[u8]) -> Line {
    // RFC 8259 lets a reader ignore the mark.
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.is_empty() {
        return Line::Nothing;
    }
    let invalid = |why: String| Line::Wrong(ErrorData::invalid_request(why, None), None);
    match serde_json::from_slice(line) {
        Err(_no_json) => Line::Wrong(ErrorData::new(ErrorCode::PARSE_ERROR, "this is not JSON", None), None),
        Ok(Value::Array(messages)) if messages.is_empty() => {
            invalid("a batch has at least one message".into())
        }
        Ok(Value::Array(messages)) if messages.len() > LONGEST_BATCH => {
            invalid(format!("a batch has at most {LONGEST_BATCH} messages"))
        }
        Ok(Value::Array(messages)) => Line::Batch(messages.into_iter().map(message).collect()),
        Ok(value) => message(value),
    }
}

/// Reads one message.
fn message(mut message: Value) -> Line {
    let (id, answerable) = match check(&message) {
        Ok(id) => id,
        Err(why) => return Line::Wrong(ErrorData::invalid_request(why, None), None),
    };
    legacy::incoming(&mut message);
    match serde_json::from_value(message) {
        Ok(message) => Line::Message(Box::new(message)),
        Err(fault) if answerable => {
            tracing::debug!(kind = ?fault.classify(), "a request is wrong");
            Line::Wrong(
                ErrorData::invalid_request("the request is not a JSON-RPC 2.0 request of MCP", None),
                id,
            )
        }
        // A notification or an answer without a known content belongs to no request.
        Err(fault) => {
            // The parser's own words may quote a value.
            tracing::debug!(kind = ?fault.classify(), "a message that is not a request has an unknown form");
            Line::Nothing
        }
    }
}

/// The id of a message, and whether its sender waits for an answer; or why it is not a message.
fn check(message: &Value) -> Result<(Option<RequestId>, bool), &'static str> {
    let Value::Object(fields) = message else {
        return Err("a message is a JSON object");
    };
    let id = match fields.get("id") {
        None => None,
        Some(Value::String(text)) => Some(RequestId::String(text.as_str().into())),
        Some(number) => {
            Some(RequestId::Number(whole(number).ok_or("'id' must be a string or a whole number")?))
        }
    };
    let asks = fields.contains_key("method");
    if !asks && !fields.contains_key("result") && !fields.contains_key("error") {
        return Err("a message has a 'method', a 'result' or an 'error'");
    }
    let answerable = asks && id.is_some();
    Ok((id, answerable))
}

/// A whole number, also as clients write it that know no other kind than floats.
fn whole(number: &Value) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = || number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < EXACT);
    number.as_i64().or_else(|| float().map(|float| float as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn wrong(line: &[u8]) -> (i32, Option<RequestId>) {
        match read(line) {
            Line::Wrong(error, id) => (error.code.0, id),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_no_message_is_answered_as_json_rpc_has_it() {
        for line in
            [&b"{"[..], b"nonsense", b"\xFF\xFE", br#"{"id":1,"method":"a\xFF"}"#, b"{\"a\":\"\xC3\x28\"}"]
        {
            assert_eq!(wrong(line), (-32700, None), "{line:?}");
        }
        for line in [
            &b"7"[..],
            b"null",
            b"{}",
            b"[]",
            br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        ] {
            assert_eq!(wrong(line), (-32600, None), "{line:?}");
        }
        let id = Some(RequestId::Number(4));
        assert_eq!(wrong(br#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#), (-32600, id.clone()));
        assert_eq!(wrong(br#"{"id":4,"method":"ping"}"#), (-32600, id.clone()));
        assert_eq!(wrong(br#"{"jsonrpc":"2.0","id":4,"method":7}"#), (-32600, id));
    }

    #[test]
    fn a_batch_is_read_message_by_message() {
        let batch = br#"[{"jsonrpc":"2.0","id":1,"method":"ping"},7,[],{"jsonrpc":"2.0","method":7}]"#;
        let Line::Batch(lines) = read(batch) else { panic!("no batch") };
        let [Line::Message(_), Line::Wrong(_, None), Line::Wrong(_, None), Line::Nothing] = &lines[..] else {
            panic!("{lines:?}")
        };
        let many = format!("[{}]", vec!["7"; LONGEST_BATCH + 1].join(","));
        assert_eq!(wrong(many.as_bytes()), (-32600, None));
    }

    #[test]
    fn what_nobody_waits_for_is_passed_over() {
        for line in [
            &b""[..],
            b"\xEF\xBB\xBF",
            br#"{"jsonrpc":"2.0","method":7}"#,
            br#"{"jsonrpc":"3","result":{},"id":1}"#,
        ] {
            assert!(matches!(read(line), Line::Nothing), "{line:?}");
        }
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_reported_once_and_the_next_is_read() {
        let long = "x".repeat(50_000);
        let text = format!("{long}\n{}\n", json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
        let mut lines = Lines::new(text.as_bytes(), 1000);
        let first = lines.next().await.expect("it can be read");
        assert!(matches!(first, Some(Line::Wrong(_, None))), "{first:?}");
        let second = lines.next().await.expect("it can be read");
        assert!(matches!(second, Some(Line::Message(_))), "{second:?}");
        assert!(lines.next().await.expect("it can be read").is_none());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_their_end(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let count = bytes.split(|byte| *byte == b'\n').count() - 1;
            let lines = tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(async {
                let mut lines = Lines::new(&bytes[..], 64);
                let mut found = 0;
                while lines.next().await.expect("bytes can be read").is_some() {
                    found += 1;
                }
                found
            });
            prop_assert!(lines <= count);
        }

        #[test]
        fn a_request_always_gets_its_outcome(
            id in 0..9i64,
            method in "[a-z/]{0,12}|tools/call|tools/list|tasks/get|initialize|logging/setLevel",
            params in "null|7|\\[\\]|\\{\\}|\\{\"task\":\\{\\}\\}|\\{\"_meta\":5\\}|\\{\"name\":1,\"arguments\":\\[\\]\\}|\"x\"",
        ) {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
            match read(line.as_bytes()) {
                Line::Message(message) => prop_assert!(matches!(*message, ClientJsonRpcMessage::Request(_)), "{line}"),
                Line::Wrong(_, reported) => prop_assert_eq!(reported, Some(RequestId::Number(id))),
                other => prop_assert!(false, "{} is {:?}", line, other),
            }
        }
    }
}
