//! What has the focus, and what it holds.

use crate::focus_history::Held;
use crate::sight::{PATIENCE, Seen, seen};
use crate::target::{self, Kind, Target};
use handeye_core::{Abilities, ConnectedApp, DetailKinds, Node, NodeId, Result, Role, Scope, States, Tree};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How much of a text is read, in characters.
const READ: u32 = crate::script::MAX_TEXT as u32 + 1;

/// For how long a panel may show its fields after it has emptied them: Firefox empties that of a bookmark before it hides it, which takes longer
/// where the machine is busy.
const CLOSES_WITHIN: Duration = Duration::from_millis(700);
/// Time between two looks at such a field.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

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
        let tree = app.refresh(Scope::SHOWING).await?;
        let Some(holder) = focus_holder(&tree) else { return Ok(Focus::Unknown) };
        Ok(match seen(app, holder).await? {
            Some(seen) => Focus::Element(Box::new(seen)),
            None if is_editor(&tree, holder) => Focus::Editor,
            None => Focus::Unknown,
        })
    };
    in_time(looking, "what has the focus is not known").await.unwrap_or(Focus::Unknown)
}

/// What was looked for, if it was found in time. The user goes on meanwhile, so that there is nobody to report a failure to.
async fn in_time<T>(looking: impl Future<Output = Result<T>>, otherwise: &str) -> Option<T> {
    match tokio::time::timeout(PATIENCE, looking).await {
        Ok(Ok(found)) => Some(found),
        Ok(Err(error)) => {
            tracing::debug!(code = error.code.as_str(), "{otherwise}");
            None
        }
        Err(_) => {
            tracing::debug!("{otherwise} in time");
            None
        }
    }
}

/// The field that a character went into, of what may have had the focus when it was typed; the likeliest is the first.
pub(crate) fn field_of(app: &Arc<dyn ConnectedApp>, around: &[Held]) -> Option<Seen> {
    around.iter().find_map(|held| {
        let node = held.holder?;
        let target = Target::of(&app.application().name, &held.tree, node)?;
        takes_text(&target).then(|| {
            let target = target.of_application(app.as_ref(), &held.tree, node);
            Seen { app: Arc::clone(app), node, target }
        })
    })
}

/// Whether an element is a field that text is typed into.
pub(crate) fn is_field(tree: &Tree, node: NodeId) -> bool {
    Target::of("", tree, node).is_some_and(|target| takes_text(&target))
}

fn takes_text(target: &Target) -> bool {
    matches!(target.kind, Kind::Secret | Kind::Line | Kind::Lines | Kind::Number)
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

/// The element that the keyboard's focus is on, in a tree of an application.
pub(crate) fn focus_holder(tree: &Tree) -> Option<NodeId> {
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
    in_time(read(seen), "what a field holds is not known").await.flatten()
}

async fn read(seen: &Seen) -> Result<Option<String>> {
    let app = &seen.app;
    match seen.target.kind {
        Kind::Line | Kind::Lines => {
            let tree = app.reread(&[seen.node], DetailKinds::empty()).await?;
            // It may hide by now what is typed.
            if tree.get(seen.node).is_none_or(|node| hides(node)) {
                return Ok(None);
            }
            read_shown(app.as_ref(), seen.node).await
        }
        Kind::InPlace => {
            let tree = app.refresh(Scope::SHOWING).await?;
            let editor = focus_holder(&tree).filter(|holder| is_editor(&tree, *holder));
            match editor.and_then(|editor| tree.get(editor)).filter(|editor| !hides(editor)) {
                Some(editor) => read_shown(app.as_ref(), editor.id).await,
                None => Ok(None),
            }
        }
        Kind::Switch | Kind::Number => {
            let tree = app.reread(&[seen.node], DetailKinds::VALUE).await?;
            let Some(node) = tree.get(seen.node).filter(|node| !hides(node)) else { return Ok(None) };
            // A number that is being typed becomes the value only when the focus leaves it, or its dialog closes.
            if seen.target.kind == Kind::Number && node.abilities.contains(Abilities::EDITABLE_TEXT) {
                let typed = app.read_text(seen.node, 0, READ).await?;
                if let Ok(number) = typed.trim().parse::<f64>() {
                    return Ok(Some(number.to_string()));
                }
            }
            Ok(target::held(seen.target.kind, node))
        }
        Kind::Secret | Kind::List | Kind::Opener | Kind::Other => Ok(None),
    }
}

/// The text of a field; `None` where that is not known, as it is no longer there.
async fn read_shown(app: &dyn ConnectedApp, field: NodeId) -> Result<Option<String>> {
    let text = app.read_text(field, 0, READ).await?;
    if !text.is_empty() {
        return Ok(Some(text));
    }
    // A panel that closes empties its fields, and may have done so since it was looked at. The editor of a cell closes with the cell.
    let end = Instant::now() + CLOSES_WITHIN;
    loop {
        let tree = app.reread(&[field], DetailKinds::empty()).await?;
        if !tree.get(field).is_some_and(|node| node.is_showing()) {
            return Ok(None);
        }
        if Instant::now() >= end {
            return Ok(Some(text));
        }
        sleep(LOOK_AGAIN).await;
    }
}

/// Whether an element hides what it holds, as a field for a password.
fn hides(node: &Node) -> bool {
    node.states.contains(States::PROTECTED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_fake::{FakeApp, Manners};

    fn field() -> (Arc<FakeApp>, Seen) {
        let app = FakeApp::new("editor", 1, Manners::Complete);
        let window = app.open_window("editor");
        let node = app.add(window, Role::TextBox, "Name");
        app.set_text(node, "Order form");
        let connected: Arc<dyn ConnectedApp> = app.clone();
        let target = Target::of("editor", &app.truth(), node).expect("a field has a name");
        assert_eq!(target.kind, Kind::Line);
        (app, Seen { app: connected, node, target })
    }

    #[tokio::test]
    async fn a_field_that_somebody_has_emptied_holds_nothing() {
        let (app, seen) = field();
        assert_eq!(held(&seen).await.as_deref(), Some("Order form"));
        app.set_text(seen.node, "");
        assert_eq!(held(&seen).await.as_deref(), Some(""));
    }

    #[tokio::test]
    async fn what_a_field_held_is_not_known_once_its_panel_has_closed() {
        let (app, seen) = field();
        app.close_when_read(seen.node);
        assert_eq!(held(&seen).await, None);
    }

    #[tokio::test]
    async fn what_a_field_held_is_not_known_where_its_panel_closes_after_it_has_emptied_it() {
        let (app, seen) = field();
        app.set_text(seen.node, "");
        let closing = async {
            sleep(LOOK_AGAIN * 2).await;
            app.edit(seen.node, |node| node.states.remove(States::SHOWING));
        };
        assert_eq!(tokio::join!(held(&seen), closing).0, None);
    }

    #[tokio::test]
    async fn what_the_editor_of_a_cell_held_is_not_known_once_it_has_closed() {
        let (app, seen) = field();
        app.edit(seen.node, |node| {
            node.role = Role::Paragraph;
            node.name = "".into();
            node.states |= States::FOCUSED | States::EDITABLE;
        });
        let seen = Seen { target: seen.target.clone().in_place(), ..seen };
        assert_eq!(held(&seen).await.as_deref(), Some("Order form"));
        app.close_when_read(seen.node);
        assert_eq!(held(&seen).await, None);
    }

    #[tokio::test]
    async fn what_a_field_holds_is_not_read_once_it_hides_that() {
        let (app, seen) = field();
        app.edit(seen.node, |node| node.states.insert(States::PROTECTED));
        assert_eq!(held(&seen).await, None);
    }
}
