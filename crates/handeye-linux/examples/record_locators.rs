//! Writes the tree of a process as a recording for the corpus of `handeye-locator`: `record_locators PID`. Waits until the tree stops to grow.
//!
//! A line for each element, in document order: depth, native role, flags, extents, identifier, name, description, separated by tabs.

use handeye_core::{ConnectedApp, DetailKinds, Node, NodeId, Scope, Tree};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// How often the tree is looked at.
const LOOKS: usize = 60;
/// Most elements of a recording.
const MOST: usize = 1_500;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pid: u32 = std::env::args().nth(1).ok_or("usage: record_locators PID")?.parse()?;
    let platform = handeye_linux::platform(&(std::sync::Arc::new(handeye_core::NoRules) as _), false);
    let details = DetailKinds::EXTENTS | DetailKinds::IDENTIFIER | DetailKinds::ACTIONS;
    let scope = Scope { hidden: true, details, ..Scope::SHOWING };
    let mut before = 0;
    let mut same = 0;
    let mut app: Option<Arc<dyn ConnectedApp>> = None;
    for _look in 0..LOOKS {
        tokio::time::sleep(Duration::from_millis(250)).await;
        if app.is_none() {
            let applications = platform.accessibility.applications().await.unwrap_or_default();
            if let Some(found) = applications.iter().find(|application| application.pid() == Some(pid)) {
                app = platform.accessibility.connect(found).await.ok();
            }
        }
        let Some(app) = &app else { continue };
        let Ok(tree) = app.refresh(scope).await else { continue };
        same = if tree.len() == before && tree.windows().next().is_some() { same + 1 } else { 0 };
        before = tree.len();
        if same >= 3 {
            print!("{}", written(&tree));
            return Ok(());
        }
    }
    Err(format!("process {pid} shows no tree that stays the same").into())
}

fn written(tree: &Tree) -> String {
    let mut out = String::new();
    let Some(root) = tree.root() else { return out };
    let mut stack: Vec<(usize, NodeId)> = vec![(0, root)];
    let mut count = 0;
    while let Some((depth, id)) = stack.pop() {
        let Some(node) = tree.get(id) else { continue };
        if count == MOST {
            break;
        }
        count += 1;
        line(&mut out, depth, node);
        stack.extend(node.children.iter().rev().map(|child| (depth + 1, *child)));
    }
    out
}

fn line(out: &mut String, depth: usize, node: &Node) {
    let clean = |text: &str| -> String {
        text.chars().take(80).map(|c| if c.is_control() { ' ' } else { c }).collect()
    };
    let extents = node.details.extents.known().map(|extents| (extents.corner(), extents.size()));
    let extents =
        extents.map(|((x, y), size)| format!("{x},{y},{},{}", size.width, size.height)).unwrap_or_default();
    let identifier = node.details.identifier.known().map(|text| clean(text)).unwrap_or_default();
    let showing = if node.is_showing() { "s" } else { "" };
    let written = writeln!(
        out,
        "{depth}\t{}\t{showing}{}\t{extents}\t{identifier}\t{}\t{}",
        node.native_role,
        node.abilities.bits(),
        clean(&node.name),
        clean(&node.description)
    );
    written.expect("writing to a string cannot fail");
}
