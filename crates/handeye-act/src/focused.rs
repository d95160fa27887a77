//! The element that has the keyboard focus.

use super::actor::Actor;
use crate::locate::{self, Located};
use handeye_core::{Abilities, DetailKinds, ErrorCode, Result, Scope, States};

/// How often the element with the focus is looked for that is gone before it is read: suggestions below a field come and go while a browser gets them.
const ATTEMPTS: usize = 3;

/// The element that says that it has the focus; where several do, the one of the active window that takes text.
pub async fn focused(actor: &Actor<'_>) -> Result<Option<Located>> {
    let mut found = once(actor).await;
    for _ in 1..ATTEMPTS {
        if !found.as_ref().is_err_and(|error| error.code == ErrorCode::StaleReference) {
            break;
        }
        found = once(actor).await;
    }
    found
}

async fn once(actor: &Actor<'_>) -> Result<Option<Located>> {
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
