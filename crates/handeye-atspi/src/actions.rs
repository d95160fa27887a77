//! Making an element do something in the background.

use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::object::ObjectKey;
use super::read_call::{CARET_OFFSET, CHARACTER_COUNT, GET_ACTIONS, GET_INDEX_IN_PARENT, GET_ROW_AT_INDEX};
use super::toolkit::Toolkit;
use handeye_core::platform::Performed;
use handeye_core::{Abilities, Error, ErrorCode, Node, NodeAction, NodeId, Result, States};
use std::sync::Arc;

/// Names that toolkits give to the action that a click would be, in order of preference.
const DEFAULT_ACTIONS: &[&str] =
    &["click", "press", "activate", "toggle", "jump", "open", "dodefault", "do default"];
/// Scroll so that the element is anywhere in view (`ScrollType` 6).
const SCROLL_ANYWHERE: u32 = 6;
const ACTION: &str = "org.a11y.atspi.Action";
const COMPONENT: &str = "org.a11y.atspi.Component";
const EDITABLE_TEXT: &str = "org.a11y.atspi.EditableText";
const SELECTION: &str = "org.a11y.atspi.Selection";
const TABLE: &str = "org.a11y.atspi.Table";
const VALUE: &str = "org.a11y.atspi.Value";

impl ConnectedApplication {
    /// Runs one action; see [`ConnectedApp::perform`](handeye_core::ConnectedApp::perform).
    pub(super) async fn perform_action(&self, id: NodeId, action: &NodeAction) -> Result<Performed> {
        let key = self.object(id).await?;
        // What an element can do is known once it was read whole.
        let is_sketched = self.book().is_sketched(id);
        if is_sketched {
            let whole = self.reread_selves(vec![(key.clone(), id)]).await;
            whole.map_err(|error| self.error(error))?;
        }
        let tree = self.mirror.snapshot();
        let node = Arc::clone(tree.get(id).ok_or_else(|| self.error(CallError::NoSuchObject))?);
        match action {
            NodeAction::Invoke(name) => self.invoke(&key, &node, name.as_deref()).await,
            NodeAction::Focus => self.ask(&key, COMPONENT, "GrabFocus", ()).await,
            NodeAction::SetText(text) => {
                require(&node, Abilities::EDITABLE_TEXT, "has no text that can be set")?;
                self.ask(&key, EDITABLE_TEXT, "SetTextContents", text.clone()).await
            }
            NodeAction::InsertText(text) => self.insert_text(&key, &node, text).await,
            NodeAction::SetValue(value) => {
                require(&node, Abilities::VALUE, "has no number that can be set")?;
                self.set_value(&key, *value).await
            }
            NodeAction::Select { extend } => self.select(&node, id, *extend).await,
            NodeAction::Deselect => self.deselect(&node, id).await,
            NodeAction::ScrollIntoView => self.ask(&key, COMPONENT, "ScrollTo", SCROLL_ANYWHERE).await,
        }
    }

    /// Whether a modal dialog of the application is open, by its own word, which may be late, or by that of the display.
    async fn in_dialog(&self) -> bool {
        let known = {
            let tree = self.mirror.snapshot();
            tree.windows().any(|window| window.is_showing() && window.states.contains(States::MODAL))
        };
        let windows = async {
            match self.screen.windows().await {
                Ok(windows) => windows,
                Err(error) => {
                    tracing::debug!(code = error.code.as_str(), "the display reports no dialogs");
                    Vec::new()
                }
            }
        };
        known || windows.await.iter().any(|window| window.modal && window.pid == self.application.pid())
    }

    /// Asks for something that is answered with yes or no.
    async fn ask<B>(
        &self,
        key: &ObjectKey,
        interface: &'static str,
        method: &'static str,
        body: B,
    ) -> Result<Performed>
    where
        B: serde::Serialize + zbus::zvariant::DynamicType + Send + Sync + 'static,
    {
        let short = interface.rsplit('.').next().unwrap_or(interface);
        self.outcome_of(
            self.wire.act(key, interface, method, body, self.in_dialog().await).await,
            &format!("{short}.{method}"),
        )
    }

    async fn set_value(&self, key: &ObjectKey, value: f64) -> Result<Performed> {
        let body = (VALUE, "CurrentValue", zbus::zvariant::Value::F64(value));
        let answer = self
            .wire
            .act::<_, ()>(key, "org.freedesktop.DBus.Properties", "Set", body, self.in_dialog().await)
            .await;
        self.outcome_of(answer.map(|answer| answer.map(|()| true)), "Value.CurrentValue")
    }

    /// What an answer of yes or no, none at all, or an error means for the caller.
    fn outcome_of(&self, answer: Result<Option<bool>, CallError>, by: &str) -> Result<Performed> {
        match answer {
            Ok(Some(acknowledged)) => {
                Ok(Performed { by: by.to_owned(), acknowledged, ..Performed::default() })
            }
            Ok(None) => Ok(Performed { by: format!("{by}, still at work"), ..Performed::default() }),
            Err(CallError::NoSuchObject) => Err(Error::new(
                ErrorCode::NotSupported,
                format!("{} offers no {by} for this element", self.application.name),
            )),
            Err(error) => Err(self.error(error)),
        }
    }

    async fn invoke(&self, key: &ObjectKey, node: &Node, name: Option<&str>) -> Result<Performed> {
        require(node, Abilities::ACTION, "offers no action")?;
        let toolkit = self.toolkit_of(key);
        let actions = match toolkit.fixed_actions() {
            Some(_) => Vec::new(),
            None => self.wire.call(key, &GET_ACTIONS, &()).await.map_err(|error| self.error(error))?,
        };
        let names: Vec<&str> = match toolkit.fixed_actions() {
            Some(fixed) => fixed.to_vec(),
            None => {
                actions.iter().map(|(name, _, _)| toolkit.normalise_action(node.abilities, name)).collect()
            }
        };
        let index = match name {
            Some(name) => {
                names.iter().position(|known| known.eq_ignore_ascii_case(name)).ok_or_else(|| {
                    Self::cannot(node, &format!("offers no action '{name}'"))
                        .with_found(names.iter().filter(|name| !name.is_empty()).copied())
                })?
            }
            None => default_action(&names, toolkit.prefers_toggle(node.role)).ok_or_else(|| {
                Self::cannot(node, "offers no action that a click would be")
                    .with_found(names.iter().take(8).copied())
            })?,
        };
        let by = match names.get(index) {
            Some(name) if !name.is_empty() => format!("Action.DoAction({name})"),
            _ => format!("Action.DoAction({index})"),
        };
        let answer = self.wire.act(key, ACTION, "DoAction", index as i32, self.in_dialog().await).await;
        Ok(Performed {
            pressed_for: self.toolkit.draws_press_for(node.role),
            ..self.outcome_of(answer, &by)?
        })
    }

    async fn insert_text(&self, key: &ObjectKey, node: &Node, text: &str) -> Result<Performed> {
        require(node, Abilities::EDITABLE_TEXT, "has no text that can be typed into")?;
        let total: i32 = self.wire.property(key, &CHARACTER_COUNT).await.unwrap_or(0);
        let caret: i32 = self.wire.property(key, &CARET_OFFSET).await.unwrap_or(total);
        let position =
            if (0..=total).contains(&caret) && node.states.contains(States::FOCUSED) { caret } else { total };
        // Each toolkit counts its own text: in characters, in UTF-16 units or in bytes. For one that is not known, the
        // largest: what is more than the text is cut off, what is less cuts the text, in the middle of a character too.
        let length = match self.toolkit {
            Toolkit::Gtk4 => text.chars().count(),
            Toolkit::Qt => text.encode_utf16().count(),
            _ => text.len(),
        } as i32;
        self.ask(key, EDITABLE_TEXT, "InsertText", (position, text.to_owned(), length)).await
    }

    /// The container that holds the selection for an element, and the element's place in it.
    async fn selection_of(&self, node: &Node, id: NodeId) -> Result<ContainerPosition> {
        let tree = self.mirror.snapshot();
        let Some((around, part)) = tree.selector_of(id) else {
            return Err(Self::cannot(node, "is in no container whose items can be selected"));
        };
        let part = self.wire.call(&self.key(part)?, &GET_INDEX_IN_PARENT, &()).await;
        let index = part.map_err(|error| self.error(error))?;
        let has_rows = around.abilities.contains(Abilities::TABLE);
        Ok(ContainerPosition { container: self.key(around.id)?, index, has_rows })
    }

    async fn select(&self, node: &Node, id: NodeId, extend: bool) -> Result<Performed> {
        let place = self.selection_of(node, id).await?;
        if !extend {
            // A container that always has something selected (tabs, combo boxes) refuses; selecting replaces there.
            match self
                .wire
                .act::<_, bool>(&place.container, SELECTION, "ClearSelection", (), self.in_dialog().await)
                .await
            {
                Err(error) if error.is_fatal() => return Err(self.error(error)),
                _ => {}
            }
        }
        self.ask_for_row(&place, "SelectChild", "AddRowSelection").await
    }

    async fn deselect(&self, node: &Node, id: NodeId) -> Result<Performed> {
        let place = self.selection_of(node, id).await?;
        self.ask_for_row(&place, "DeselectChild", "RemoveRowSelection").await
    }

    /// Asks a container for a change of its selection by the child, and a table that says no to that by the row: the trees
    /// and lists of GTK 3 know rows only.
    async fn ask_for_row(
        &self,
        place: &ContainerPosition,
        by_child: &'static str,
        by_row: &'static str,
    ) -> Result<Performed> {
        let answer = self
            .wire
            .act::<_, bool>(&place.container, SELECTION, by_child, place.index, self.in_dialog().await)
            .await;
        let says_no = matches!(answer, Ok(Some(false)));
        let performed = self.outcome_of(answer, &format!("Selection.{by_child}"))?;
        if !says_no || !place.has_rows {
            return Ok(performed);
        }
        let row: i32 = match self.wire.call(&place.container, &GET_ROW_AT_INDEX, &place.index).await {
            Ok(row) => row,
            Err(error) if error.is_fatal() => return Err(self.error(error)),
            Err(_) => return Ok(performed),
        };
        if row < 0 { Ok(performed) } else { self.ask(&place.container, TABLE, by_row, row).await }
    }
}

/// Where an element is in the container that holds the selection.
struct ContainerPosition {
    container: ObjectKey,
    /// Its number among the children.
    index: i32,
    /// The container has rows.
    has_rows: bool,
}

fn require(node: &Node, ability: Abilities, lack: &str) -> Result<()> {
    if node.abilities.contains(ability) { Ok(()) } else { Err(ConnectedApplication::cannot(node, lack)) }
}

/// The action that a click would be: the one that switches, if the toolkit `prefers_toggle`, or one of the known names, else the first one where it has no name of its own (LibreOffice,
/// Firefox and Chromium leave it out). GTK 4 lists window-wide actions such as `clipboard.copy`, which a click is not.
fn default_action(names: &[&str], prefers_toggle: bool) -> Option<usize> {
    prefers_toggle
        .then_some(&"toggle")
        .into_iter()
        .chain(DEFAULT_ACTIONS)
        .find_map(|wanted| names.iter().position(|name| name.eq_ignore_ascii_case(wanted)))
        .or_else(|| (!names.is_empty() && (names[0].is_empty() || !names[0].contains('.'))).then_some(0))
}

#[cfg(test)]
mod tests {
    use super::default_action;

    #[test]
    fn the_default_action_is_the_one_that_a_click_would_be() {
        assert_eq!(default_action(&["clipboard.copy", "Click"], false), Some(1));
        assert_eq!(default_action(&["", "showmenu"], false), Some(0));
        assert_eq!(default_action(&["Press"], true), Some(0));
        assert_eq!(default_action(&["clipboard.copy", "win.close"], false), None);
        assert_eq!(default_action(&[], true), None);
        assert_eq!(default_action(&["Press", "Toggle"], false), Some(0));
        assert_eq!(default_action(&["Press", "Toggle"], true), Some(1));
    }
}
