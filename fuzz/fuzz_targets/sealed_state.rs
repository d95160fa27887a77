//! States that a client sends back with its answers: whatever they are, none opens that was not sealed for the same request.
//! A real one is the seed of every input: the fuzzer's bytes overwrite a part of it.

#![no_main]

use handeye_mcp::seal::{Binding, Rounds, Seals};
use libfuzzer_sys::fuzz_target;
use serde_json::json;
use std::collections::BTreeMap;

fuzz_target!(|input: (u16, Vec<u8>, BTreeMap<String, bool>)| {
    let (at, bytes, responses) = input;
    let seals = Seals::default();
    let binding = Binding::of("tools/call", "ax_click", &json!({ "query": "Delete" }), Some("client 1"));
    let rounds =
        Rounds { round: 1, asked: BTreeMap::from([("confirm".into(), "digest".into())]), ..Rounds::default() };
    let sealed = seals.seal(&rounds, &binding).expect("a small state");

    let mut altered = sealed.clone().into_bytes();
    let at = usize::from(at) % altered.len();
    altered.splice(at..(at + bytes.len()).min(sealed.len()), bytes.iter().copied());
    if let Ok(altered) = String::from_utf8(altered) {
        if let Ok(mut opened) = seals.open(&altered, &binding) {
            // Bits of base64 that mean nothing may differ; the content may not.
            assert_eq!(opened, rounds);
            opened.take(&responses.into_iter().map(|(key, value)| (key, json!(value))).collect());
            assert!(opened.known.keys().all(|key| key == "confirm"));
            assert!(seals.open(&sealed, &binding).is_err(), "it was used");
        }
    }
    if let Ok(text) = String::from_utf8(bytes) {
        assert!(text == sealed || seals.open(&text, &binding).is_err());
    }
});
