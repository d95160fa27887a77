//! What has the focus, and what it holds.

use crate::sight::{PATIENCE, Seen, seen};
use crate::target::{self, Kind, Target};
use handeye_core::{Abilities, ConnectedApp, DetailKinds, NodeId, Role, Scope, States, Tree};
use std::sync::Arc;

/// How much of a text is read, in characters.
const READ: u32 = crate::script::MAX_TEXT as u32 + 1;

/// What has the focus in an application.
pub(crate) enum Focus {
    /// This element.
    Element(Box<Seen>),
    /// A text that no step can name, as the editor that opens in a cell of a sheet.
    Editor,
    /// Nothing that is known.
    Unknown,
}

/// What has the focus in an application.
pub(crate) async fn focused(app: &Arc<dyn ConnectedApp>) -> Focus {
    let looking = async {
        let tree = app.refresh(Scope::SHOWING).await.ok()?;
        let holder = focus_holder(&tree)?;
        let is_editor = is_editor(&tree, holder);
        match seen(app, holder).await.ok()? {
            Some(seen) => Some(Focus::Element(Box::new(seen))),
            None => is_editor.then_some(Focus::Editor),
        }
    };
    tokio::time::timeout(PATIENCE, looking).await.ok().flatten().unwrap_or(Focus::Unknown)
}

/// What a key was for, where the application may have reacted to it before that could be asked: `before` is its tree as it was then. The focus
/// counts as it was before where the key has opened a window, or has closed the one that it was for.
pub(crate) fn focused_before(app: &Arc<dyn ConnectedApp>, before: &Arc<Tree>, now: Focus) -> Focus {
    let tree = app.mirror().snapshot();
    let window_of = |tree: &Tree, node| tree.window_of(node).map(|window| window.id);
    let is_of_new_window = match &now {
        Focus::Element(seen) => window_of(&tree, seen.node).is_some_and(|window| !before.contains(window)),
        Focus::Editor | Focus::Unknown => false,
    };
    let holder = focus_holder(before);
    let has_closed =
        holder.and_then(|holder| window_of(before, holder)).is_some_and(|window| !tree.contains(window));
    if !is_of_new_window && !has_closed {
        return now;
    }
    let target = holder.and_then(|node| Some((node, Target::of(&app.application().name, before, node)?)));
    target.map_or(Focus::Unknown, |(node, target)| {
        let target = target.of_application(app.as_ref(), before, node);
        Focus::Element(Box::new(Seen { app: Arc::clone(app), node, target }))
    })
}

/// Whether a text of an application that no step can name has the focus, as far as is known without a look.
pub(crate) fn has_editor(app: &dyn ConnectedApp) -> bool {
    let tree = app.mirror().snapshot();
    focus_holder(&tree).is_some_and(|holder| is_editor(&tree, holder))
}

/// Whether an element is a text that can be changed, and that no step can name.
fn is_editor(tree: &Tree, id: NodeId) -> bool {
    let takes_text = tree.get(id).is_some_and(|node| {
        node.abilities.contains(Abilities::EDITABLE_TEXT) || node.states.contains(States::EDITABLE)
    });
    takes_text && target::worth(tree, id).is_none()
}

fn focus_holder(tree: &Tree) -> Option<NodeId> {
    let holders = tree.nodes().filter(|node| node.states.contains(States::FOCUSED) && !node.role.is_window());
    // What is around a text that is typed into may be focused too: the sheet around the editor of a cell.
    let holder = holders.max_by_key(|node| {
        let in_active = tree.window_of(node.id).is_some_and(|window| window.states.contains(States::ACTIVE));
        // A page may say so still when the focus has gone to a field outside of it (Firefox).
        let is_page = node.role == Role::Document && !node.states.contains(States::EDITABLE);
        (in_active, !is_page, node.abilities.contains(Abilities::EDITABLE_TEXT), node.children.is_empty())
    })?;
    if holder.role != Role::ComboBox {
        return Some(holder.id);
    }
    // Keys go on to its field.
    let mut fields =
        tree.children(holder.id).filter(|child| child.abilities.contains(Abilities::EDITABLE_TEXT));
    Some(fields.next().unwrap_or(holder).id)
}

/// What an element holds now, as a step would set it; never what a protected field holds.
pub(crate) async fn held(seen: &Seen) -> Option<String> {
    let reading = async {
        match seen.target.kind {
            Kind::Line | Kind::Lines => {
                let tree = seen.app.reread(&[seen.node], DetailKinds::empty()).await.ok()?;
                let node = tree.get(seen.node)?;
                // It may hide by now what is typed.
                if node.states.contains(States::PROTECTED) {
                    return None;
                }
                let text = seen.app.read_text(seen.node, 0, READ).await.ok()?;
                // A panel that closes empties its fields.
                (node.is_showing() || !text.is_empty()).then_some(text)
            }
            Kind::InPlace => {
                let tree = seen.app.refresh(Scope::SHOWING).await.ok()?;
                let editor = focus_holder(&tree).filter(|holder| is_editor(&tree, *holder))?;
                seen.app.read_text(editor, 0, READ).await.ok()
            }
            Kind::Switch | Kind::Number => {
                let tree = seen.app.reread(&[seen.node], DetailKinds::VALUE).await.ok()?;
                let node = tree.get(seen.node)?;
                // A number that is being typed becomes the value only when the focus leaves it, or its dialog closes.
                if seen.target.kind == Kind::Number && node.abilities.contains(Abilities::EDITABLE_TEXT) {
                    let typed = seen.app.read_text(seen.node, 0, READ).await.ok()?;
                    if let Ok(number) = typed.trim().parse::<f64>() {
                        return Some(number.to_string());
                    }
                }
                target::held(seen.target.kind, node)
            }
            Kind::Secret | Kind::List | Kind::Opener | Kind::Other => None,
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.ok()?
}
