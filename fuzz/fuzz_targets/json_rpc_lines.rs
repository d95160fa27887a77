//! What a client sends over standard input: whatever the bytes are, each line is a message, a fault that has a code of JSON-RPC, or
//! nothing; and no line takes the next one with it.

#![no_main]

use handeye_mcp::lines::{Line, Lines};
use libfuzzer_sys::fuzz_target;

/// Short, so that lines that are too long are met often.
const LONGEST: usize = 256;

fuzz_target!(|bytes: &[u8]| {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let sane = br#"{"jsonrpc":"2.0","id":"sane","method":"ping"}"#;
        let all = [bytes, b"\n", sane, b"\n"].concat();
        let mut lines = Lines::new(&all[..], LONGEST);
        let mut last = None;
        while let Some(line) = lines.next().await.expect("bytes can be read") {
            if let Line::Wrong(error, _) = &line {
                assert!(matches!(error.code.0, -32700 | -32600), "{error:?}");
            }
            last = Some(line);
        }
        assert!(matches!(last, Some(Line::Message(_))), "the request after it was lost: {last:?}");
    });
});
