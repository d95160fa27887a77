//! Whatever is done to a log afterwards is found, with its file and line.

mod support;

use handeye_ledger::{Log, verify};
use proptest::prelude::*;
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use support::Scratch;

/// What somebody does to a log.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Flip(u8),
    Remove,
    Swap,
    Repeat,
    Insert,
    CutInside,
    RemoveFile,
}

fn deeds() -> impl Strategy<Value = Deed> {
    prop_oneof![
        (0..8_u8).prop_map(Deed::Flip),
        Just(Deed::Remove),
        Just(Deed::Swap),
        Just(Deed::Repeat),
        Just(Deed::Insert),
        Just(Deed::CutInside),
        Just(Deed::RemoveFile),
    ]
}

/// One step of a writer: it begins an action, ends the oldest one that is open, or ends itself.
#[derive(Debug, Clone, Copy)]
enum Step {
    Begin,
    End,
    Leave,
}

/// A log of several processes whose records come in any order.
fn written(steps: &[(usize, Step)]) -> Scratch {
    let scratch = Scratch::rotated_at(3_000);
    let mut writers: Vec<(Log, Vec<u64>)> = (0..3).map(|_| (scratch.log(), Vec::new())).collect();
    for (writer, step) in steps {
        let (log, open) = &mut writers[*writer];
        match step {
            Step::Begin => {
                let begun = log.intent(&json!({ "tool": "ax_click", "args": { "app": "gedit" } }), false);
                open.push(begun.expect("written").seq);
            }
            Step::End if open.is_empty() => {
                let blocked = json!({ "tool": "ax_click", "result": "blocked" });
                log.outcome(None, &blocked, false).expect("written");
            }
            Step::End => {
                let fields = json!({ "tool": "ax_click", "result": "success" });
                log.outcome(Some(open.remove(0)), &fields, false).expect("written");
            }
            Step::Leave => {
                log.end().expect("written");
                *log = scratch.log();
                open.clear();
            }
        }
    }
    scratch
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let step = prop_oneof![4 => Just(Step::Begin), 4 => Just(Step::End), 1 => Just(Step::Leave)];
    prop::collection::vec((0..3_usize, step), 4..60)
}

/// The lines of all files, with the file and the number of each.
fn lines(scratch: &Scratch) -> Vec<(PathBuf, u64, String)> {
    let mut lines = Vec::new();
    for file in scratch.files() {
        let text = fs::read_to_string(&file).expect("text");
        for (at, line) in text.lines().enumerate() {
            lines.push((file.clone(), at as u64 + 1, line.to_owned()));
        }
    }
    lines
}

/// Writes the lines of a file again.
fn rewrite(file: &PathBuf, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
    let bytes = fs::read(file).expect("mine");
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    change(&mut lines);
    fs::write(file, lines.concat()).expect("mine");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_was_written_is_sound(steps in steps()) {
        let scratch = written(&steps);
        let report = verify(scratch.path(), None).expect("read");
        prop_assert!(report.is_sound(), "{:?}", report);
        prop_assert_eq!(report.records, lines(&scratch).len() as u64);
        let head = report.head.clone();
        let again = verify(scratch.path(), head.as_deref()).expect("read");
        prop_assert_eq!(again.contains, Some(true));
        prop_assert_eq!(verify(scratch.path(), Some("00")).expect("read").is_sound(), false);
    }

    #[test]
    fn what_was_done_to_it_is_found(
        steps in steps(),
        deed in deeds(),
        at in any::<prop::sample::Index>(),
        byte in any::<prop::sample::Index>(),
    ) {
        let scratch = written(&steps);
        let before = lines(&scratch);
        // Whether the last line was removed cannot be seen in what is left: see the next test.
        prop_assume!(before.len() > 2);
        let at = at.index(before.len() - 1);
        let (file, line, _) = before[at].clone();
        let index = usize::try_from(line - 1).expect("small");
        let is_last_of_file = before[at + 1].0 != file;
        match deed {
            Deed::Flip(bit) => rewrite(&file, |lines| {
                let byte = byte.index(lines[index].len());
                lines[index][byte] ^= 1 << bit;
            }),
            Deed::Remove => rewrite(&file, |lines| { lines.remove(index); }),
            Deed::Swap if is_last_of_file => return Ok(()),
            Deed::Swap => rewrite(&file, |lines| lines.swap(index, index + 1)),
            Deed::Repeat => rewrite(&file, |lines| lines.insert(index, lines[index].clone())),
            Deed::Insert => rewrite(&file, |lines| lines.insert(index, b"{\"tool\":\"ax_click\"}\n".to_vec())),
            Deed::CutInside => rewrite(&file, |lines| {
                let kept = byte.index(lines[index].len() - 1);
                lines[index].truncate(kept);
                lines.truncate(index + 1);
            }),
            Deed::RemoveFile => fs::remove_file(&file).expect("mine"),
        }
        // Of one file, nothing is left: as if there had never been a log.
        if matches!(deed, Deed::RemoveFile) && scratch.files().is_empty() {
            return Ok(());
        }
        // Cut at the beginning of a line, a file is one that ends earlier.
        let cut = matches!(deed, Deed::CutInside) && file == scratch.path();
        if cut && fs::read(&file).expect("mine").last().is_none_or(|last| *last == b'\n') {
            return Ok(());
        }
        let report = verify(scratch.path(), None).expect("read");
        let broken = report.broken.clone();
        prop_assert!(broken.is_some(), "{:?} of line {} of {:?}: {:?}", deed, line, file, report);
        let broken = broken.expect("just seen");
        let place = |path: &PathBuf| before.iter().position(|(file, ..)| file == path).unwrap_or(before.len());
        let found = (place(&broken.file), broken.line);
        // What is reported is the line itself, or the one after it, which may be in the next file.
        prop_assert!(found.0 >= place(&file), "{broken:?} and {file:?} {line}");
        if broken.file == file && !matches!(deed, Deed::RemoveFile) {
            prop_assert!((line..=line + 1).contains(&broken.line), "{deed:?}: {broken:?} and {line}");
        } else {
            prop_assert!(found.1 <= 1, "{deed:?}: {broken:?} and {file:?} {line}");
        }
        prop_assert!(!broken.reason.is_empty());
    }

    #[test]
    fn a_kept_hash_shows_that_the_end_was_cut_off(steps in steps(), gone in 1..4_usize) {
        let scratch = written(&steps);
        let head = verify(scratch.path(), None).expect("read").head;
        rewrite(&scratch.path().to_owned(), |lines| lines.truncate(lines.len().saturating_sub(gone).max(1)));
        let whole = verify(scratch.path(), head.as_deref()).expect("read");
        let is_cut = lines(&scratch).len() as u64 != whole.records || whole.contains == Some(false);
        let one_line = fs::read_to_string(scratch.path()).expect("text").lines().count() == 1;
        prop_assert!(is_cut || one_line, "{:?}", whole);
    }

    #[test]
    fn any_bytes_are_judged(bytes in prop::collection::vec(any::<u8>(), 1..2_000)) {
        let scratch = Scratch::new();
        fs::write(scratch.path(), &bytes).expect("mine");
        fs::set_permissions(scratch.path(), std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("mine");
        prop_assert!(!verify(scratch.path(), None).expect("read").is_sound());
    }
}
