//! Two sources in memory, composed into one desktop and one window.

mod memory;

use handeye_core::platform::{NodeAction, Scope, Source};
use handeye_core::testing::{add_line, named, remove};
use handeye_core::{
    Accessibility, Authority, ConnectedApp, DetailKinds, ErrorCode, NodeId, Permit, Point, Tree,
};
use handeye_desktop::Composer;
use memory::{MemoryApp, MemorySource};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

const BROWSER: &str = "
window \"Browser\"
  button \"Reload\"
  document \"Page\"
    text \"as the browser reports it\"
  button \"Close\"
";
const PAGE: &str = "
heading \"Title\"
link \"First\"
";

/// A browser whose page another source knows better.
struct Bench {
    browser: Arc<MemoryApp>,
    page: Arc<MemoryApp>,
    pages: Arc<MemorySource>,
    composer: Composer,
}

impl Bench {
    fn new() -> Self {
        let browser = MemoryApp::new("desktop", "Browser", 1, BROWSER);
        let page = MemoryApp::new("web", "Page", 2, PAGE);
        let desktop = MemorySource::new("desktop", [browser.clone()]);
        let pages = MemorySource::new("web", []);
        pages.show("Page", &page);
        let composer = Composer::new(desktop, [pages.clone() as Arc<dyn Source>]);
        Self { browser, page, pages, composer }
    }

    async fn connect(&self) -> Arc<dyn ConnectedApp> {
        let listed = self.composer.applications().await.expect("a list");
        self.composer.connect(&listed[0]).await.expect("connected")
    }
}

fn permit() -> Permit {
    #[expect(clippy::disallowed_methods, reason = "a test of what a platform does with a permit")]
    Authority::new().grant()
}

fn names(tree: &Tree) -> Vec<String> {
    let root = tree.root().expect("a root");
    tree.descendants(root).skip(1).map(|node| node.name.to_string()).collect()
}

async fn seen(app: &Arc<dyn ConnectedApp>) -> Vec<String> {
    names(&app.refresh(Scope::SHOWING).await.expect("a tree"))
}

#[tokio::test]
async fn readers_see_one_tree() {
    let bench = Bench::new();
    let app = bench.connect().await;
    let expected = ["Browser", "Reload", "Page", "Title", "First", "Close"];
    assert_eq!(names(&app.mirror().snapshot()), expected, "at once");
    assert_eq!(seen(&app).await, expected, "and when it is refreshed");
    assert_eq!(app.application().name, "Browser");
}

#[tokio::test]
async fn a_plug_is_shown_in_its_socket() {
    let host =
        MemoryApp::new("desktop", "Panel", 1, "window \"Panel\"\n  group \"Empty\"\n  group \"Socket\"");
    let socket = named(&host.mirror.snapshot(), "Socket");
    host.mirror.update(|tree| tree.update(socket, |node| node.strangers = 1));
    let plugs = MemorySource::new("plugs", []);
    plugs.show("Socket", &MemoryApp::new("plugs", "Volume", 2, "slider \"Volume\""));
    plugs.show("Empty", &MemoryApp::new("plugs", "Nothing", 3, "button \"Nothing\""));
    let desktop = MemorySource::new("desktop", [host]);
    let composer = Composer::new(desktop, [plugs.clone() as Arc<dyn Source>]);
    let listed = composer.applications().await.expect("a list");
    let app = composer.connect(&listed[0]).await.expect("connected");
    assert_eq!(seen(&app).await, ["Panel", "Empty", "Socket", "Volume"]);
    assert_eq!(
        plugs.asked.load(Ordering::SeqCst),
        1,
        "a group that holds nothing foreign is not asked about"
    );
    assert_eq!(
        app.mirror().snapshot().get(socket).map(|node| node.strangers),
        Some(0),
        "nothing is left out"
    );
}

#[tokio::test]
async fn what_is_done_goes_to_the_source_of_the_element() {
    let bench = Bench::new();
    let app = bench.connect().await;
    let tree = app.mirror().snapshot();
    for name in ["Reload", "First", "Page"] {
        let node = named(&tree, name);
        app.perform(&permit(), node, &NodeAction::Invoke(None)).await.expect("performed");
    }
    assert_eq!(*bench.browser.done.lock().expect("unpoisoned"), ["Reload", "Page"]);
    assert_eq!(*bench.page.done.lock().expect("unpoisoned"), ["First"]);
    let source = |name| app.attributes(named(&tree, name));
    assert_eq!(source("Close").await.expect("attributes")["source"], "desktop");
    assert_eq!(source("Title").await.expect("attributes")["source"], "web");
    let own_input = |name| {
        let input = app.input(named(&tree, name))?;
        input.clicks().require("it").err().map(|error| error.message)
    };
    assert_eq!(own_input("First"), None, "no source has input of its own");
    bench.page.own_input.store(true, Ordering::SeqCst);
    assert_eq!((own_input("First").as_deref(), own_input("Reload")), (Some("it: Page"), None));
    let replaced = named(&bench.browser.mirror.snapshot(), "as the browser reports it");
    let refused = app.perform(&permit(), replaced, &NodeAction::Focus).await.expect_err("not seen, not done");
    assert_eq!(refused.code, ErrorCode::StaleReference);
}

#[tokio::test]
async fn one_burst_reads_elements_of_several_sources() {
    let bench = Bench::new();
    let app = bench.connect().await;
    let tree = app.mirror().snapshot();
    let nodes: Vec<NodeId> = ["First", "Reload", "Title"].map(|name| named(&tree, name)).into();
    let read = app.reread(&nodes, DetailKinds::EXTENTS).await.expect("each by its own source");
    assert!(nodes.iter().all(|node| read.contains(*node)));
}

#[tokio::test]
async fn an_element_of_a_graft_is_in_the_window_of_its_carrier() {
    let bench = Bench::new();
    let app = bench.connect().await;
    let node = named(&app.mirror().snapshot(), "First");
    let window = app.window_of(node).await.expect("asked").expect("a window");
    assert_eq!((window.title.as_str(), window.pid), ("Browser", Some(1)));
}

#[tokio::test]
async fn a_point_in_the_carrier_hits_what_the_graft_shows_there() {
    let bench = Bench::new();
    let app = bench.connect().await;
    let tree = app.mirror().snapshot();
    let hit = async |host: &'static str, page: Option<&'static str>| {
        *bench.browser.hit.lock().expect("unpoisoned") = Some(host);
        *bench.page.hit.lock().expect("unpoisoned") = page;
        app.element_at(Point::new(1, 1), None).await.expect("asked").expect("a hit")
    };
    assert_eq!(hit("Reload", Some("First")).await, named(&tree, "Reload"));
    assert_eq!(hit("Page", Some("First")).await, named(&tree, "First"));
    assert_eq!(hit("as the browser reports it", Some("Title")).await, named(&tree, "Title"));
    assert_eq!(hit("as the browser reports it", None).await, named(&tree, "Page"));
}

/// Waits until the composed tree has these names, without a refresh by a caller.
async fn until(app: &Arc<dyn ConnectedApp>, expected: &[&str]) {
    let mut changes = app.mirror().watch();
    let all = async {
        while names(&app.mirror().snapshot()) != expected {
            changes.changed().await.expect("the application is there");
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(5), all).await;
    assert!(waited.is_ok(), "{:?}", names(&app.mirror().snapshot()));
}

#[tokio::test]
async fn events_of_every_source_change_the_one_mirror() {
    let bench = Bench::new();
    let app = bench.connect().await;
    let events = app.mirror().activity().events;
    bench.page.mirror.update(|tree| {
        let root = tree.root().expect("a root");
        add_line(tree, root, "link \"Second\"");
    });
    bench.page.mirror.note_events(1);
    until(&app, &["Browser", "Reload", "Page", "Title", "First", "Second", "Close"]).await;
    assert_eq!(app.refresh(Scope::SHOWING).await.map(|_| app.mirror().activity().events), Ok(events + 1));
    bench.browser.mirror.update(|tree| {
        let close = named(tree, "Close");
        remove(tree, close);
    });
    until(&app, &["Browser", "Reload", "Page", "Title", "First", "Second"]).await;
}

#[tokio::test]
async fn a_graft_that_ends_leaves_what_the_host_shows_and_another_may_come() {
    let bench = Bench::new();
    let app = bench.connect().await;
    bench.page.end();
    bench.pages.grafts.lock().expect("unpoisoned").clear();
    let own = ["Browser", "Reload", "Page", "as the browser reports it", "Close"];
    assert_eq!(seen(&app).await, own);
    bench.pages.show("Page", &MemoryApp::new("web", "Next page", 3, "heading \"Next\""));
    assert_eq!(seen(&app).await, ["Browser", "Reload", "Page", "Next", "Close"]);
}

#[tokio::test]
async fn a_graft_that_hangs_costs_no_other_source_anything() {
    let bench = Bench::new();
    let app = bench.connect().await;
    bench.page.silent.store(true, Ordering::SeqCst);
    let own = ["Browser", "Reload", "Page", "as the browser reports it", "Close"];
    assert_eq!(seen(&app).await, own);
    bench.page.silent.store(false, Ordering::SeqCst);
    assert_eq!(seen(&app).await, ["Browser", "Reload", "Page", "Title", "First", "Close"]);
}

#[tokio::test]
async fn an_element_is_asked_about_once_until_a_source_has_news() {
    let bench = Bench::new();
    bench.pages.grafts.lock().expect("unpoisoned").clear();
    let app = bench.connect().await;
    seen(&app).await;
    seen(&app).await;
    assert_eq!(bench.pages.asked.load(Ordering::SeqCst), 1, "one document, asked about once");
    bench.pages.changes.send_modify(|count| *count += 1);
    seen(&app).await;
    assert_eq!(bench.pages.asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_tree_never_holds_itself() {
    let bench = Bench::new();
    bench.pages.show("Page", &bench.browser);
    let app = bench.connect().await;
    assert_eq!(seen(&app).await, ["Browser", "Reload", "Page", "as the browser reports it", "Close"]);
}

#[tokio::test]
async fn a_source_that_fails_hides_no_other_one() {
    let first = MemorySource::new("first", [MemoryApp::new("first", "One", 1, "window \"One\"")]);
    let second = MemorySource::new("second", [MemoryApp::new("second", "Two", 2, "window \"Two\"")]);
    let composer = Composer::new(first.clone(), [second.clone() as Arc<dyn Source>]);
    let listed = async || {
        let list = composer.applications().await;
        list.map(|list| list.into_iter().map(|app| app.name).collect::<Vec<_>>())
    };
    assert_eq!(listed().await, Ok(vec!["One".to_owned(), "Two".to_owned()]));
    first.fails.store(true, Ordering::SeqCst);
    assert_eq!(listed().await, Ok(vec!["Two".to_owned()]));
    let status = composer.status().await;
    assert_eq!((status.enabled, status.suggestion.as_str()), (true, "Switch first on."));
    let consents: Vec<&str> = composer.consents().iter().map(|consent| consent.name).collect();
    assert_eq!(consents, ["first", "second"], "what each source needs");
    second.fails.store(true, Ordering::SeqCst);
    assert_eq!(listed().await.map_err(|error| error.code), Err(ErrorCode::AccessibilityUnavailable));
    assert!(!composer.status().await.enabled);
}

#[tokio::test]
async fn trees_are_there_as_long_as_one_source_has_them() {
    let (first, second) = (MemorySource::new("first", []), MemorySource::new("second", []));
    let composer = Composer::new(first.clone(), [second.clone() as Arc<dyn Source>]);
    let refused = || {
        let trees = composer.capabilities().trees;
        trees.require("no tree can be read").err().map(|error| error.message)
    };
    for source in [&first, &second] {
        assert_eq!(refused(), None);
        source.ungranted.store(true, Ordering::SeqCst);
    }
    assert_eq!(refused().as_deref(), Some("no tree can be read: first is missing"));
}

#[tokio::test]
async fn every_source_is_heard() {
    let bench = Bench::new();
    let mut changes = bench.composer.changes();
    // The one that is not the first.
    tokio::task::yield_now().await;
    bench.pages.changes.send_modify(|count| *count += 1);
    tokio::time::timeout(Duration::from_secs(5), changes.changed()).await.expect("in time").expect("heard");
}

#[tokio::test]
async fn a_single_source_is_passed_on_as_it_is() {
    let app = MemoryApp::new("only", "App", 1, BROWSER);
    let composer = Composer::new(MemorySource::new("only", [app.clone()]), []);
    let listed = composer.applications().await.expect("a list");
    let connected = composer.connect(&listed[0]).await.expect("connected");
    assert!(std::ptr::eq(connected.mirror(), &raw const app.mirror), "nothing stands in between");
    assert_eq!(app.refreshed.load(Ordering::SeqCst), 0);
}
