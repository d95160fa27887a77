//! What is written, by one process and by several.

mod support;

use handeye_ledger::{Filter, Follower, Log, Settings, read, verify};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, symlink};
use support::{Scratch, act};

#[test]
fn a_process_names_itself_first_and_its_records_follow() {
    let scratch = Scratch::new();
    let mut log = scratch.log();
    act(&mut log, "ax_click");
    log.end().expect("written");
    let lines = scratch.lines();
    let kinds: Vec<_> = lines.iter().map(|line| line["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["event", "intent", "outcome", "event"]);
    assert_eq!((&lines[0]["event"], &lines[0]["pid"]), (&json!("begins"), &json!(std::process::id())));
    assert_eq!((&lines[0]["file"], &lines[2]["intent"]), (&json!(1), &json!(1)));
    assert!(lines.windows(2).all(|pair| pair[1]["prev"] == pair[0]["hash"]));
    let report = verify(scratch.path(), None).expect("read");
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.records, report.processes, report.open, report.unfinished_count), (4, 1, 0, 0));
    assert_eq!(fs::metadata(scratch.path()).expect("there").mode() & 0o777, 0o600);
}

#[test]
fn nothing_is_written_before_the_first_action() {
    let scratch = Scratch::new();
    scratch.log().end().expect("nothing to do");
    assert!(scratch.files().is_empty());
    assert!(verify(scratch.path(), None).expect("read").is_sound());
}

#[test]
fn an_action_whose_process_was_killed_has_no_end_and_the_log_is_sound() {
    let scratch = Scratch::new();
    let mut killed = scratch.log();
    killed.intent(&json!({ "tool": "ax_drag" }), true).expect("written");
    drop(killed);
    act(&mut scratch.log(), "ax_click");
    let report = verify(scratch.path(), None).expect("read");
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.unfinished_count, report.unfinished[0].line, report.open), (1, 2, 2));
}

#[test]
fn a_full_file_is_put_aside_and_nothing_is_lost() {
    let scratch = Scratch::rotated_at(2_000);
    let mut log = scratch.log();
    for number in 0..40 {
        act(&mut log, &format!("ax_{number}"));
    }
    log.end().expect("written");
    assert!(scratch.files().len() > 5, "{:?}", scratch.names());
    assert_eq!(scratch.names()[..2], ["audit.jsonl.000001", "audit.jsonl.000002"]);
    assert!(scratch.files().iter().all(|file| fs::metadata(file).expect("there").len() <= 2_000));
    let report = verify(scratch.path(), None).expect("read");
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.records, 1 + 80 + 1);
    let (newest, _) =
        read(scratch.path(), &Filter { kind: Some("intent".into()), ..Filter::default() }, 2).expect("read");
    let tools: Vec<_> = newest.iter().map(|record| record.fields["tool"].as_str().expect("a tool")).collect();
    assert_eq!(tools, ["ax_38", "ax_39"]);
}

#[test]
fn only_so_many_files_are_kept_and_those_that_went_are_recorded() {
    let scratch = Scratch::rotated_at(2_000);
    let mut log = Log::new(Settings { kept: Some(2), ..scratch.settings.clone() });
    for _ in 0..60 {
        act(&mut log, "ax_click");
    }
    assert_eq!(scratch.files().len(), 3, "{:?}", scratch.names());
    let report = verify(scratch.path(), None).expect("read");
    assert!(report.is_sound(), "{report:?}");
    assert!(report.removed > 3, "{report:?}");
    // One more that is missing was removed by somebody else.
    fs::remove_file(&scratch.files()[0]).expect("mine");
    let broken = verify(scratch.path(), None).expect("read").broken.expect("broken");
    assert!(broken.reason.contains("is missing"), "{broken:?}");
}

#[test]
fn several_processes_share_the_files_and_lose_nothing() {
    const WRITERS: usize = 4;
    const ACTIONS: usize = 60;
    let scratch = Scratch::rotated_at(20_000);
    let mut follower = Follower::new(scratch.path().to_owned()).expect("nothing yet");
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let mut log = scratch.log();
            scope.spawn(move || {
                for number in 0..ACTIONS {
                    act(&mut log, &format!("{writer}/{number}"));
                }
                log.end().expect("written");
            });
        }
    });
    let report = verify(scratch.path(), None).expect("read");
    assert!(report.is_sound(), "{report:?}");
    let all = WRITERS * (2 * ACTIONS + 2);
    assert_eq!((report.records, report.processes, report.open), (all as u64, WRITERS, 0));
    assert!(report.files.len() > 3, "{report:?}");
    let mut counted: HashMap<String, usize> = HashMap::new();
    for line in scratch.lines() {
        *counted.entry(line["tool"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
    }
    counted.remove("");
    assert!(counted.len() == WRITERS * ACTIONS && counted.values().all(|count| *count == 2));
    assert_eq!(follower.appended().expect("read").len(), all, "it follows over each file");
    assert!(follower.appended().expect("read").is_empty());
}

#[test]
fn a_log_that_was_empty_at_first_is_followed_without_repetition() {
    let scratch = Scratch::rotated_at(2_000);
    let mut follower = Follower::new(scratch.path().to_owned()).expect("nothing yet");
    // As a writer leaves it between creating the file and writing to it.
    OpenOptions::new().create_new(true).append(true).mode(0o600).open(scratch.path()).expect("mine");
    assert!(follower.appended().expect("read").is_empty());
    let mut log = scratch.log();
    for _ in 0..20 {
        act(&mut log, "ax_click");
    }
    assert!(scratch.files().len() > 3, "{:?}", scratch.names());
    assert_eq!(follower.appended().expect("read").len(), scratch.lines().len());
    assert!(follower.appended().expect("read").is_empty());
}

#[test]
fn a_torn_line_is_sealed_by_the_next_record() {
    let scratch = Scratch::new();
    let mut log = scratch.log();
    act(&mut log, "ax_click");
    let mut file = OpenOptions::new().append(true).open(scratch.path()).expect("mine");
    file.write_all(b"{\"timestamp\":\"2026-").expect("written");
    let torn = verify(scratch.path(), None).expect("read").broken.expect("not sound as it is");
    assert_eq!((torn.line, torn.file.as_path()), (4, scratch.path()));
    act(&mut log, "ax_type");
    let report = verify(scratch.path(), None).expect("read");
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.torn, [(scratch.path().to_owned(), 4)]);
    assert_eq!(report.records, 6);
}

#[test]
fn a_file_that_was_removed_is_missed() {
    let scratch = Scratch::new();
    let mut log = scratch.log();
    act(&mut log, "ax_click");
    fs::remove_file(scratch.path()).expect("mine");
    act(&mut log, "ax_click");
    let broken = verify(scratch.path(), None).expect("read").broken.expect("broken");
    assert!(broken.line == 1 && broken.reason.contains("those before it are missing"), "{broken:?}");
}

#[test]
fn a_rotation_that_was_cut_off_is_taken_up() {
    let scratch = Scratch::rotated_at(2_000);
    act(&mut scratch.log(), "ax_click");
    // The process ended after the first of two steps.
    let aside = scratch.path().with_file_name("audit.jsonl.000001");
    fs::hard_link(scratch.path(), &aside).expect("a second name");
    fs::write(scratch.path().with_file_name("audit.jsonl.new"), "left over").expect("written");
    assert!(verify(scratch.path(), None).expect("read").is_sound());
    let mut log = scratch.log();
    for _ in 0..10 {
        act(&mut log, "ax_click");
    }
    let report = verify(scratch.path(), None).expect("read");
    assert!(report.is_sound() && report.records == 3 + 21, "{report:?}");
}

#[test]
fn no_other_name_of_the_file_is_accepted() {
    let scratch = Scratch::new();
    let victim = scratch.path().with_file_name("victim");
    fs::write(&victim, "").expect("written");
    fs::set_permissions(&victim, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("mine");
    fs::hard_link(&victim, scratch.path()).expect("a second name");
    let fault = scratch.log().intent(&json!({}), false).expect_err("refused");
    assert!(fault.is_unsafe() && fs::read_to_string(&victim).expect("text").is_empty(), "{fault}");
    fs::remove_file(scratch.path()).expect("mine");
    symlink(&victim, scratch.path()).expect("a link");
    assert!(scratch.log().intent(&json!({}), false).expect_err("refused").is_unsafe());
    assert!(verify(scratch.path(), None).is_err());
}

#[test]
fn a_lock_that_is_held_costs_a_deadline_and_no_more() {
    let scratch = Scratch::new();
    let mut log = scratch.log();
    act(&mut log, "ax_click");
    let holder = fs::File::open(scratch.path()).expect("mine");
    holder.lock().expect("free");
    assert!(log.intent(&json!({ "tool": "lost" }), false).expect_err("held").to_string().contains("lock"));
    assert_eq!(log.lost(), 1);
    drop(holder);
    act(&mut log, "ax_type");
    let lines = scratch.lines();
    let lost: Vec<&Value> = lines.iter().filter(|line| line["event"] == "lost").collect();
    assert!(lost.len() == 1 && lost[0]["records"] == 1, "{lost:?}");
    assert!(verify(scratch.path(), None).expect("read").is_sound());
}

#[test]
fn what_cannot_be_put_aside_grows() {
    let scratch = Scratch::rotated_at(2_000);
    let mut log = scratch.log();
    act(&mut log, "ax_click");
    fs::create_dir(scratch.path().with_file_name("audit.jsonl.000001")).expect("in the way");
    for _ in 0..10 {
        act(&mut log, "ax_click");
    }
    assert!(fs::metadata(scratch.path()).expect("there").len() > 2_000);
    fs::remove_dir(scratch.path().with_file_name("audit.jsonl.000001")).expect("mine");
    let report = verify(scratch.path(), None).expect("read");
    assert!(report.is_sound() && report.records == 23, "{report:?}");
}

#[test]
fn a_record_that_is_too_long_is_refused_and_the_chain_goes_on() {
    let scratch = Scratch::new();
    let mut log = scratch.log();
    act(&mut log, "ax_click");
    log.intent(&json!({ "tool": "x".repeat(40_000) }), false).expect_err("too long");
    act(&mut log, "ax_click");
    assert!(verify(scratch.path(), None).expect("read").is_sound());
}
