//! handeye's engine in process, on a connection of its own.

use crate::Result;
use handeye_act::desk::Desk;
use handeye_act::handles::Handles;
use handeye_act::locate;
use handeye_atspi::AtSpi;
use handeye_core::{Accessibility, ConnectedApp, DetailKinds, NoRules, Rules, Scope, Tree};
use handeye_linux::Keeper;
use handeye_query::{Query, Search, Strategy};
use handeye_x11::X11Desktop;
use serde_json::json;
use std::future::Future;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a tree is read with: place, actions and numbers of everything that is showing.
const DETAILS: DetailKinds = DetailKinds::EXTENTS.union(DetailKinds::ACTIONS).union(DetailKinds::VALUE);
/// How long the events of a load may take to arrive before an unchanged look is measured.
const QUIET: Duration = Duration::from_millis(150);
const WARM_ROUNDS: usize = 9;

fn block_on<F: Future>(work: F) -> Result<F::Output> {
    // The same runtime as the binary's.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    Ok(runtime.block_on(work))
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn showing(tree: &Tree) -> usize {
    tree.nodes().filter(|node| node.is_showing()).count()
}

/// Reads everything that is showing, from nothing and then again.
pub fn tree(name: &str) -> Result<()> {
    block_on(read_tree(name))?
}

async fn read_tree(name: &str) -> Result<()> {
    let scope = Scope { details: DETAILS, ..Scope::SHOWING };
    let begun = Instant::now();
    let keeper = Arc::new(Keeper::new());
    let service = AtSpi::new(Arc::new(X11Desktop::new(None, keeper.clone())), keeper);
    let applications = service.applications().await?;
    let listed = milliseconds(begun);
    let application = applications
        .iter()
        .find(|application| {
            application.name == name || application.pid().is_some_and(|process| process.to_string() == name)
        })
        .ok_or_else(|| format!("no application {name}"))?;
    let app = service.connect_application(application).await?;
    let connected = milliseconds(begun);
    let tree = app.refresh(scope).await?;
    let cold = milliseconds(begun);
    let calls = app.calls();
    tokio::time::sleep(QUIET).await;
    // What an outline asks for comes by events; places never do, so asking for them costs a call an element in view.
    let outline = Scope { details: DetailKinds::VALUE | DetailKinds::TEXT, ..Scope::SHOWING };
    app.refresh(outline).await?;
    let (outline_ms, outline_calls) = again(&app, outline).await?;
    let (warm_ms, warm_calls) = again(&app, scope).await?;
    println!(
        "{}",
        json!({
            "cold_ms": cold, "list_ms": listed, "connect_ms": connected - listed, "details_ms": cold - connected,
            "load_ms": cold - listed, "calls": calls, "nodes": tree.len(), "showing": showing(&tree),
            "warm_ms": warm_ms, "warm_calls": warm_calls, "outline_ms": outline_ms, "outline_calls": outline_calls,
        })
    );
    Ok(())
}

/// Time and calls of a look at what was read before.
async fn again(app: &handeye_atspi::ConnectedApplication, scope: Scope) -> Result<(f64, f64)> {
    let mut times = Vec::new();
    let mut calls = Vec::new();
    for _ in 0..WARM_ROUNDS {
        let before = app.calls();
        let begun = Instant::now();
        black_box(app.refresh(scope).await?);
        times.push(milliseconds(begun));
        calls.push((app.calls() - before) as f64);
    }
    Ok((median(times), median(calls)))
}

/// Finds an element, from nothing and then again: by the whole look-up that gives it out, and in the mirror alone.
pub fn find(name: &str, query: &str) -> Result<()> {
    block_on(find_element(name, query))?
}

async fn find_element(name: &str, query: &str) -> Result<()> {
    let details = DetailKinds::EXTENTS | DetailKinds::VALUE | DetailKinds::TEXT;
    let begun = Instant::now();
    let desk = Desk::new(handeye_linux::platform(&(Arc::new(NoRules) as Arc<dyn Rules>), false));
    let app = desk.connect(name).await?;
    let handles = Handles { references: &desk.own.references, meant: &desk.own.meant, kept: true };
    let found = locate::by_strategy(handles, &app, query, Strategy::Auto, details).await?;
    let cold = milliseconds(begun);
    tokio::time::sleep(QUIET).await;
    let mut warm = Vec::new();
    for _ in 0..WARM_ROUNDS * 3 {
        let begun = Instant::now();
        let app = desk.connect(name).await?;
        let again = locate::by_strategy(handles, &app, query, Strategy::Auto, details).await?;
        warm.push(milliseconds(begun));
        if again.node.id != found.node.id {
            return Err(format!("{query} was another element the second time").into());
        }
    }
    let tree = app.mirror().snapshot();
    let mut in_mirror = Vec::new();
    for _ in 0..WARM_ROUNDS * 3 {
        let begun = Instant::now();
        let parsed = Query::parse(query, Strategy::Auto)?;
        black_box(parsed.find(&tree, Search { limit: 1, ..Search::default() })?);
        in_mirror.push(milliseconds(begun));
    }
    println!(
        "{}",
        json!({
            "cold_ms": cold, "warm_ms": median(warm), "mirror_ms": median(in_mirror), "nodes": tree.len(),
        })
    );
    Ok(())
}
