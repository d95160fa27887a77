//! The fingerprints of what readers of resources got, and would get now.

use super::address::{Address, View};
use super::app_snapshot::AppSnapshot;
use super::fingerprint::Fingerprint;
use super::{apps, clipboard, state, status, tree};
use crate::Resources;
use handeye_call::call::Call;
use handeye_core::{ConnectedApp, Error, NodeId, Result, Tree};
use serde_json::Value;
use std::sync::Arc;

impl Resources {
    /// Remembers what a reader of a resource of an application got.
    pub(super) async fn note_read(
        &self,
        address: &Address,
        app: &Arc<dyn ConnectedApp>,
        snapshot: &AppSnapshot,
    ) -> Result<()> {
        if let Address::App { view, .. } = address {
            let fingerprint = self.fingerprint_of_look(*view, app, snapshot).await?;
            self.kept.reads.note(address.clone().canonical(), fingerprint);
        }
        Ok(())
    }

    /// The fingerprint of what a reader of `view` would get after this look.
    pub(super) async fn fingerprint_of_look(
        &self,
        view: View,
        app: &Arc<dyn ConnectedApp>,
        snapshot: &AppSnapshot,
    ) -> Result<Fingerprint> {
        Ok(match view {
            View::Tree => of_outline(snapshot, None),
            View::WindowTree(index) => of_outline(snapshot, Some(tree::window(app, snapshot, index).await?)),
            View::State => {
                let state =
                    serde_json::to_string(&state::of(app, snapshot, None)).map_err(Error::internal)?;
                Fingerprint::of(&state)
            }
            View::Events => Fingerprint::of(&self.kept.logs.total(app.as_ref())),
            // Pixels are not watched.
            View::Screenshot => Fingerprint::of(&()),
        })
    }

    /// The fingerprint of what a reader would get now of a resource that belongs to no application.
    pub(super) async fn fingerprint_now(&self, address: &Address, call: &Call) -> Result<Fingerprint> {
        let content = match address {
            Address::Status => status::watched(self).await,
            Address::Apps => apps::listed(self, call).await?,
            Address::Clipboard => clipboard::read(self).await?,
            Address::App { .. } | Address::RecordingStart | Address::RecordingStop => {
                return Err(Error::internal("a look is wanted for this resource"));
            }
        };
        Ok(of_content(address, content))
    }

    /// Remembers what a reader of a resource that belongs to no application got.
    pub(super) fn note_content(&self, address: &Address, content: &Value) {
        self.kept.reads.note(address.clone(), of_content(address, content.clone()));
    }
}

/// That of a content, without what changes by itself.
fn of_content(address: &Address, content: Value) -> Fingerprint {
    let lasting = match address {
        Address::Status => status::lasting(content),
        Address::Apps => apps::lasting(content),
        _ => content,
    };
    Fingerprint::of(&lasting.to_string())
}

/// That of an outline. References are not in it, but the elements that would have one are: another element of the same name
/// has another reference.
fn of_outline(snapshot: &AppSnapshot, root: Option<NodeId>) -> Fingerprint {
    let rendered = tree::fitting(snapshot, root, None);
    let start = root.or(snapshot.tree.root());
    let elements = start.map(|start| actionable(&snapshot.tree, start)).unwrap_or_default();
    Fingerprint::of(&(rendered.text.as_str(), elements))
}

fn actionable(tree: &Tree, start: NodeId) -> Vec<u64> {
    let wanted = tree.descendants(start).filter(|node| node.is_showing() && node.role.is_interactive());
    wanted.map(|node| node.id.get()).collect()
}
