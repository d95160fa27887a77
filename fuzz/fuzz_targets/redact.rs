//! Texts of applications: whatever they are, what is secret is taken out at whole characters, once and for all, and JSON stays JSON.
#![no_main]

use handeye_redact::Redactor;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static REDACTOR: LazyLock<Redactor> = LazyLock::new(Redactor::default);

fuzz_target!(|text: &str| {
    let once = REDACTOR.text(text).into_owned();
    assert_eq!(REDACTOR.text(&once), once.as_str());
    let mut end = 0;
    for found in REDACTOR.found(text) {
        assert!(found.place.start >= end && text.get(found.place.clone()).is_some());
        end = found.place.end;
    }
    if let Ok(value) = serde_json::from_str::<serde_json::Value>(text)
        && value.is_object()
        && let Some(out) = REDACTOR.text_or_json(text)
    {
        assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{out}");
    }
});
