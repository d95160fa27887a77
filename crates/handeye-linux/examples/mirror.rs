//! Connects to an application, prints its mirror, and times cold and warm reads.
//!
//! `cargo run -p handeye-linux --example mirror -- NAME [--all]`

use handeye_atspi::AtSpi;
use handeye_core::{Accessibility, ConnectedApp, DetailKinds, Node, Scope, Tree};
use handeye_linux::Keeper;
use handeye_x11::X11Desktop;
use std::sync::Arc;
use std::time::Instant;

fn print(tree: &Tree, node: &Node, depth: usize) {
    let details = &node.details;
    println!(
        "{:indent$}{} ({}) {:?} {}/{} {:?} ext={:?} val={:?} text={:?} act={:?} id={:?}",
        "",
        node.role,
        node.native_role,
        node.name,
        node.children.len(),
        node.child_count,
        node.states,
        details.extents.known(),
        details.value.known().map(|value| value.current),
        details.text.known().map(|text| text.shown.chars().take(40).collect::<String>()),
        details.actions.known(),
        details.identifier.known(),
        indent = depth * 2
    );
    for child in tree.children(node.id) {
        print(tree, child, depth + 1);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let hidden = std::env::args().any(|argument| argument == "--all");
    let keeper = Arc::new(Keeper::new());
    let screen = Arc::new(X11Desktop::new(None, keeper.clone()));
    let service = AtSpi::new(screen.clone(), keeper).noticing(screen);
    let begun = Instant::now();
    let applications = service.applications().await?;
    println!("listed in {:?}", begun.elapsed());
    for application in &applications {
        println!("{application:?}");
    }
    let Some(application) = applications.iter().find(|application| {
        application.name == wanted || application.pid().is_some_and(|pid| pid.to_string() == wanted)
    }) else {
        return Ok(());
    };
    let begun = Instant::now();
    let connected = service.connect_application(application).await?;
    let cold = begun.elapsed();
    let calls = connected.calls();
    let scope = Scope { root: None, hidden, details: DetailKinds::all() };
    let begun = Instant::now();
    let tree = connected.refresh(scope).await?;
    let details = begun.elapsed();
    if let Some(root) = tree.root().and_then(|root| tree.get(root)) {
        print(&tree, root, 0);
    }
    println!(
        "{} nodes, connect {cold:?} ({calls} calls), details {details:?} ({} calls)",
        tree.len(),
        connected.calls()
    );
    for _ in 0..3 {
        let begun = Instant::now();
        let before = connected.calls();
        connected
            .refresh(Scope { root: None, hidden: false, details: DetailKinds::TEXT | DetailKinds::VALUE })
            .await?;
        println!("warm {:?} ({} calls)", begun.elapsed(), connected.calls() - before);
    }
    Ok(())
}
