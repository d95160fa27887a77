//! The log as the engine has it.

mod support;

use handeye_core::{Ledger, LedgerEntry, LedgerOutcome, LedgerResult, LedgerRisk, LedgerTarget};
use handeye_ledger::{Recorder, Settings, verify};
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::Duration;
use support::Scratch;

const PATIENCE: Duration = Duration::from_secs(10);

fn entry(durable: bool) -> Arc<LedgerEntry> {
    let target = LedgerTarget { application: Some("gedit".into()), pid: Some(7), ..LedgerTarget::default() };
    Arc::new(LedgerEntry {
        session_id: "stdio".into(),
        tool: "ax_click",
        target: Some(target),
        route: Some("seat"),
        durable,
        ..LedgerEntry::default()
    })
}

fn outcome(result: LedgerResult) -> LedgerOutcome {
    LedgerOutcome { result, error: None, effect: Some("confirmed"), duration_ms: 1.5 }
}

fn recorder(scratch: &Scratch, required: bool) -> Recorder {
    Recorder::start(scratch.settings.clone(), required).expect("a thread")
}

#[tokio::test]
async fn an_action_has_a_record_before_and_one_after() {
    let scratch = Scratch::new();
    let recorder = recorder(&scratch, true);
    let risk = LedgerRisk { confirmed: Some(true), security_flags: vec!["destructive_keyword"] };
    let (open, begun) = recorder.intent(entry(true), risk.clone());
    let begun = begun.written().await;
    assert_eq!(begun.fault, None);
    assert_eq!((&begun.record["kind"], &begun.record["seq"]), (&"intent".into(), &1.into()));
    let ended = open.end(outcome(LedgerResult::Success), risk).written().await.record;
    assert_eq!((&ended["result"], &ended["intent"]), (&"success".into(), &1.into()));
    assert_eq!(ended["target"]["application"], "gedit");
    assert_eq!(ended["security_flags"][0], "destructive_keyword");
    assert!(recorder.close(PATIENCE));
    let report = verify(scratch.path(), None).expect("read");
    assert!(report.is_sound() && report.records == 4 && report.open == 0, "{report:?}");
}

#[tokio::test]
async fn what_is_not_awaited_is_written_too() {
    let scratch = Scratch::new();
    let recorder = recorder(&scratch, false);
    for _ in 0..50 {
        let (open, begun) = recorder.intent(entry(false), LedgerRisk::default());
        drop(begun);
        drop(open.end(outcome(LedgerResult::Cancelled), LedgerRisk::default()));
        drop(recorder.not_done(entry(false), outcome(LedgerResult::Blocked), LedgerRisk::default()));
    }
    assert!(recorder.close(PATIENCE));
    let report = verify(scratch.path(), None).expect("read");
    assert!(report.is_sound() && report.records == 152 && report.unfinished_count == 0, "{report:?}");
    let late = recorder.not_done(entry(false), outcome(LedgerResult::Blocked), LedgerRisk::default());
    assert!(late.written().await.fault.is_some(), "it was closed");
}

#[tokio::test]
async fn a_place_that_is_not_safe_refuses_in_every_mode() {
    let scratch = Scratch::new();
    symlink("/dev/null", scratch.path()).expect("a link");
    let recorder = recorder(&scratch, false);
    let (_open, begun) = recorder.intent(entry(false), LedgerRisk::default());
    let fault = begun.written().await.fault.expect("a fault");
    assert!(fault.refuse && fault.message.contains("link"), "{fault:?}");
    assert!(recorder.condition().fault.is_some());
}

#[tokio::test]
async fn what_cannot_be_written_refuses_where_it_is_required() {
    let scratch = Scratch::new();
    // A file where the folder should be.
    let file = scratch.path().with_file_name("file");
    fs::write(&file, "").expect("written");
    let settings = Settings::at(file.join("audit.jsonl"));
    let recorder = Recorder::start(settings, false).expect("a thread");
    let fault =
        recorder.intent(entry(false), LedgerRisk::default()).1.written().await.fault.expect("a fault");
    assert!(!fault.refuse, "{fault:?}");
    recorder.require();
    let fault =
        recorder.intent(entry(false), LedgerRisk::default()).1.written().await.fault.expect("a fault");
    assert!(fault.refuse && recorder.condition().required && recorder.condition().lost == 2, "{fault:?}");
    // It works again, and says what was lost.
    fs::remove_file(&file).expect("mine");
    assert_eq!(recorder.intent(entry(false), LedgerRisk::default()).1.written().await.fault, None);
    assert_eq!(recorder.condition().fault, None);
}
