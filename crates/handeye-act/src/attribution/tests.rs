//! Which changes are put down to an action.

use super::*;
use crate::observation::WindowChanges;
use handeye_core::testing::{add_line, named, tree};
use handeye_core::{Detail, TextContent};

const WINDOW: &str = "window \"Main\"\n  button \"Go\"\n  text \"one\"\n  text \"other\"";

/// A look at `before` with the text `text` changed to `name`.
fn look(before: &Arc<Tree>, text: NodeId, name: &str) -> Observation {
    let mut after = (**before).clone();
    after.update(text, |node| node.name = name.into());
    observed(before, after)
}

fn observed(before: &Arc<Tree>, after: Tree) -> Observation {
    Observation {
        before: Arc::clone(before),
        diff: Diff::between(before, &after),
        after: Arc::new(after),
        windows: WindowChanges::default(),
        target: Some(named(before, "Go")),
        expected: Expected::Press,
        restless: Arc::default(),
        doubtful: Arc::default(),
        may_be_late: false,
        ended: false,
        unresponsive: false,
    }
}

fn known(before: &Tree) -> Arc<Restless> {
    let mut restless = Restless::default();
    restless.suspect(before, before, false);
    Arc::new(restless)
}

async fn pass(millis: u64) {
    tokio::time::advance(Duration::from_millis(millis)).await;
}

#[tokio::test(start_paused = true)]
async fn what_stood_still_for_long_was_changed_by_the_action() {
    let before = Arc::new(tree(WINDOW));
    let text = named(&before, "one");
    let restless = known(&before);
    pass(2_000).await;
    let mut attribution = Attribution::new(Expected::Press, restless, Instant::now(), Duration::ZERO, None);
    pass(50).await;
    let mut seen = look(&before, text, "two");
    attribution.note(&mut seen, Instant::now(), None);
    assert!(seen.shows_effect());
}

#[tokio::test(start_paused = true)]
async fn what_changes_again_goes_on_by_itself() {
    let before = Arc::new(tree(WINDOW));
    let text = named(&before, "one");
    let mut attribution =
        Attribution::new(Expected::Press, known(&before), Instant::now(), Duration::ZERO, None);
    pass(100).await;
    let mut seen = look(&before, text, "two");
    attribution.note(&mut seen, Instant::now(), None);
    assert!(!seen.shows_effect(), "it may go on");
    assert!(attribution.decision().is_some());
    pass(700).await;
    let mut again = look(&before, text, "three");
    attribution.note(&mut again, Instant::now(), None);
    assert!(!again.shows_effect(), "it goes on");
    assert!(attribution.decision().is_none());
}

#[tokio::test(start_paused = true)]
async fn what_changes_twice_more_goes_on_by_itself_unless_it_had_stood_still_for_long() {
    for (stood_still, is_effect) in [(400, false), (2_000, true)] {
        let before = Arc::new(tree(WINDOW));
        let text = named(&before, "one");
        let restless = known(&before);
        pass(stood_still).await;
        let mut attribution =
            Attribution::new(Expected::Press, restless, Instant::now(), Duration::ZERO, None);
        pass(10).await;
        let mut seen = look(&before, text, "two");
        attribution.note(&mut seen, Instant::now(), None);
        assert!(seen.shows_effect(), "it came at once");
        for name in ["three", "four"] {
            pass(100).await;
            seen = look(&before, text, name);
            attribution.note(&mut seen, Instant::now(), None);
        }
        assert_eq!(seen.shows_effect(), is_effect, "after {stood_still} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn a_panel_that_loads_is_no_window_of_the_action() {
    let before = Arc::new(tree(WINDOW));
    let opened = |parent: NodeId| {
        let mut after = (*before).clone();
        add_line(&mut after, parent, "window \"Storage\"");
        observed(&before, after)
    };
    let root = before.root().expect("an application");
    for (parent, is_effect) in [(root, true), (named(&before, "Main"), false)] {
        let unproven = Some(Instant::now());
        let mut attribution =
            Attribution::new(Expected::Press, known(&before), Instant::now(), Duration::ZERO, unproven);
        pass(400).await;
        attribution.note(&mut opened(parent), Instant::now(), None);
        let mut seen = opened(parent);
        pass(20).await;
        attribution.note(&mut seen, Instant::now(), None);
        assert_eq!(seen.shows_effect(), is_effect);
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_made_anew_goes_on_though_it_looks_the_same() {
    let before = Arc::new(tree("window \"Main\"\n  button \"Go\"\n  list \"News\""));
    let filled = || {
        let mut after = (*before).clone();
        add_line(&mut after, named(&before, "News"), "listitem \"a\"");
        observed(&before, after)
    };
    let mut attribution =
        Attribution::new(Expected::Press, known(&before), Instant::now(), Duration::ZERO, None);
    for _ in 0..20 {
        pass(100).await;
        let mut seen = filled();
        attribution.note(&mut seen, Instant::now(), None);
        assert!(!seen.shows_effect(), "it is filled again and again");
    }
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_had_stalled_goes_on_by_itself() {
    let before = Arc::new(tree(WINDOW));
    let text = named(&before, "one");
    for (delay, is_effect) in [(600, false), (100, true)] {
        let restless = known(&before);
        pass(1_500).await;
        let mut attribution =
            Attribution::new(Expected::Press, restless, Instant::now(), Duration::ZERO, None);
        pass(delay).await;
        attribution.note(&mut look(&before, text, "two"), Instant::now(), None);
        pass(700).await;
        let mut again = look(&before, text, "three");
        attribution.note(&mut again, Instant::now(), None);
        assert_eq!(again.shows_effect(), is_effect, "after {delay} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_in_between_goes_on_all_the_same() {
    let before = Arc::new(tree("window \"Main\"\n  button \"Go\"\n  text \"clock\": \"one\""));
    let text = named(&before, "clock");
    let holds = |value: Option<&str>| {
        let mut after = (*before).clone();
        after.update(text, |node| {
            node.details.text = value.map_or(Detail::Absent, |value| {
                Detail::Known(TextContent { shown: value.into(), total_chars: value.len() as u32 })
            });
        });
        observed(&before, after)
    };
    let mut attribution =
        Attribution::new(Expected::Press, known(&before), Instant::now(), Duration::ZERO, None);
    for value in [Some("two"), None, Some("three")] {
        pass(500).await;
        let mut seen = holds(value);
        attribution.note(&mut seen, Instant::now(), None);
        assert!(!seen.shows_effect(), "{value:?}");
    }
    assert!(attribution.decision().is_none());
}

#[tokio::test(start_paused = true)]
async fn what_has_moved_by_itself_has_to_come_soon() {
    let before = Arc::new(tree(WINDOW));
    let text = named(&before, "one");
    let mut restless = known(&before);
    pass(2_000).await;
    Arc::make_mut(&mut restless).stir(text);
    let mut attribution = Attribution::new(Expected::Press, restless, Instant::now(), Duration::ZERO, None);
    pass(400).await;
    attribution.note(&mut look(&before, text, "one"), Instant::now(), None);
    pass(20).await;
    let mut seen = look(&before, text, "two");
    attribution.note(&mut seen, Instant::now(), None);
    assert!(attribution.decision().is_none(), "it is not worth a wait");
    pass(ENOUGH.as_millis() as u64).await;
    attribution.note(&mut seen, Instant::now(), None);
    assert!(!seen.shows_effect());
}

#[tokio::test(start_paused = true)]
async fn what_stands_still_after_it_is_believed_in_the_end() {
    let before = Arc::new(tree(WINDOW));
    let text = named(&before, "one");
    let mut attribution =
        Attribution::new(Expected::Press, known(&before), Instant::now(), Duration::ZERO, None);
    let mut seen = look(&before, text, "two");
    attribution.note(&mut seen, Instant::now(), None);
    assert!(!seen.shows_effect());
    pass(ENOUGH.as_millis() as u64).await;
    attribution.note(&mut seen, Instant::now(), None);
    assert!(seen.shows_effect());
}

#[tokio::test(start_paused = true)]
async fn a_late_change_may_be_that_of_the_action_before() {
    let before = Arc::new(tree(WINDOW));
    let text = named(&before, "one");
    let restless = known(&before);
    pass(60_000).await;
    let mut attribution = Attribution::new(
        Expected::Press,
        Arc::clone(&restless),
        Instant::now(),
        Duration::ZERO,
        Some(Instant::now()),
    );
    pass(500).await;
    attribution.note(&mut look(&before, text, "one"), Instant::now(), None);
    pass(50).await;
    let mut seen = look(&before, text, "two");
    attribution.note(&mut seen, Instant::now(), None);
    assert!(!seen.shows_effect());
    let mut attribution =
        Attribution::new(Expected::Press, restless, Instant::now(), Duration::ZERO, Some(Instant::now()));
    let mut seen = look(&before, text, "two");
    attribution.note(&mut seen, Instant::now(), None);
    assert!(seen.shows_effect(), "this one came at once");
}
