//! The element that has the keyboard focus.

use super::actor::Actor;
use crate::locate::{self, Located};
use handeye_core::{Abilities, DetailKinds, Result, Scope, States};

/// The element that says that it has the focus; where several do, the one of the active window that takes text.
pub async fn focused(actor: &Actor<'_>) -> Result<Option<Located>> {
    let tree = actor.app.refresh(Scope::SHOWING).await?;
    let holder = tree
        .nodes()
        .filter(|node| node.states.contains(States::FOCUSED) && !node.role.is_window())
        .max_by_key(|node| {
            let in_active =
                tree.window_of(node.id).is_some_and(|window| window.states.contains(States::ACTIVE));
            (in_active, node.abilities.contains(Abilities::EDITABLE_TEXT), node.children.is_empty())
        });
    let Some(holder) = holder else { return Ok(None) };
    let details = DetailKinds::TEXT | DetailKinds::VALUE | DetailKinds::EXTENTS;
    locate::known(actor.handles(), &actor.app, holder.id, details).await.map(Some)
}
