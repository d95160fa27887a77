//! The content of `handeye://app/{name}/tree`, `…/window/{index}/tree` and `…/state`; what a reader got is remembered.

use super::address::Address;
use super::app_snapshot::AppSnapshot;
use super::looking::PATIENCE;
use super::{state, tree};
use crate::Resources;
use handeye_core::{ConnectedApp, Error, ErrorCode, NodeId, Result};
use serde_json::{Value, json};
use std::sync::Arc;

/// What an application shows.
pub(super) async fn read_tree(resources: &Resources, address: &Address, name: &str) -> Result<Value> {
    let app = resources.engine.desk.connect(name).await?;
    let snapshot = resources.look_at(&app).await?;
    resources.note_read(address, &app, &snapshot).await?;
    Ok(shown(resources, &app, &snapshot, None))
}

/// What one window of an application shows.
pub(super) async fn read_window(
    resources: &Resources,
    address: &Address,
    name: &str,
    index: u32,
) -> Result<Value> {
    let app = resources.engine.desk.connect(name).await?;
    let snapshot = resources.look_at(&app).await?;
    let root = tree::window(&app, &snapshot, index).await?;
    resources.note_read(address, &app, &snapshot).await?;
    let mut content = shown(resources, &app, &snapshot, Some(root));
    content["window"] = json!({ "index": index, "title": snapshot.tree.get(root).map(|node| &*node.name) });
    Ok(content)
}

fn shown(
    resources: &Resources,
    app: &Arc<dyn ConnectedApp>,
    snapshot: &AppSnapshot,
    root: Option<NodeId>,
) -> Value {
    let id = handeye_core::application_id(app.as_ref());
    let minter = resources.engine.desk.own.references.minter(&id, &snapshot.tree);
    let rendered = tree::fitting(snapshot, root, Some(&minter));
    let name = &app.application().name;
    let outline = if rendered.shown == 0 {
        format!("'{name}' shows nothing: no window is open, or all are hidden.")
    } else {
        rendered.text.into()
    };
    json!({
        "app": name,
        "pid": app.application().pid(),
        "outline": outline,
        "shown": rendered.shown,
        "omitted": rendered.omitted,
    })
}

/// The state of an application, also of one that does not answer.
pub(super) async fn read_state(resources: &Resources, address: &Address, name: &str) -> Result<Value> {
    let app = match tokio::time::timeout(PATIENCE, resources.engine.desk.connect(name)).await {
        Ok(connected) => connected?,
        Err(_late) => return Err(no_answer(name)),
    };
    let snapshot = resources.look_or_known(&app).await?;
    resources.note_read(address, &app, &snapshot).await?;
    let id = handeye_core::application_id(app.as_ref());
    let minter = resources.engine.desk.own.references.minter(&id, &snapshot.tree);
    serde_json::to_value(state::of(&app, &snapshot, Some(&minter))).map_err(Error::internal)
}

fn no_answer(name: &str) -> Error {
    Error::new(ErrorCode::AppNotResponding, format!("'{name}' does not answer"))
        .with_next("It is busy, stopped or still starting: read again later.")
}
