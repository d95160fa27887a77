//! What labels elements, and which keys reach them: relations and key bindings, which no mirror holds.

use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::object::{ObjectKey, RawReference};
use super::read_call::{GET_ACTION_NAME, GET_ACTIONS, GET_RELATION_SET};
use super::reading::shortened;
use super::wire::burst;
use futures_util::FutureExt;
use handeye_core::{Abilities, Links, Node, NodeId, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// The relation to what labels an element, in AT-SPI's numbering.
const LABELLED_BY: u32 = 2;
/// Most labels of one element.
const MAX_LABELS: usize = 16;
/// Most key bindings of one element, and the longest one in bytes.
const MAX_KEYS: usize = 8;
const MAX_KEY: usize = 80;

/// Most actions of one element whose names are asked for.
const MAX_ACTIONS: usize = 4;

/// What one element answers.
type Answer = (Vec<(u32, Vec<RawReference>)>, Vec<(String, String, String)>);

impl ConnectedApplication {
    /// Asks these elements what labels them and which keys reach them.
    pub(super) async fn read_links(&self, nodes: &[NodeId]) -> Result<HashMap<NodeId, Links>> {
        let renewed = self.renew_old(nodes.iter().take(Links::MAX_ELEMENTS).copied()).await;
        renewed.map_err(|error| self.error(error))?;
        let tree = self.mirror.snapshot();
        let asked: Vec<(&Arc<Node>, ObjectKey)> = nodes
            .iter()
            .take(Links::MAX_ELEMENTS)
            .filter_map(|id| Some((tree.get(*id)?, self.key(*id).ok()?)))
            .collect();
        let calls = asked.iter().map(|(node, key)| self.relations_and_keys(node, key).boxed()).collect();
        let answers = burst(calls).await.map_err(|error| self.error(error))?;
        let answered =
            asked.iter().zip(answers).filter_map(|((node, _), answer)| Some((node.id, answer.ok()?)));
        Ok(answered.map(|(id, answer)| (id, self.understood(answer))).collect())
    }

    async fn relations_and_keys(&self, node: &Node, key: &ObjectKey) -> Result<Answer, CallError> {
        let relations = self.wire.call(key, &GET_RELATION_SET, &());
        // Where the actions are fixed, the toolkit does not answer a call for them.
        let acts = node.abilities.contains(Abilities::ACTION) && self.toolkit.fixed_actions().is_none();
        if !acts {
            return Ok((relations.await?, Vec::new()));
        }
        let (relations, actions) = tokio::join!(relations, self.wire.call(key, &GET_ACTIONS, &()));
        let mut actions = actions?;
        actions.truncate(MAX_ACTIONS);
        for (number, (name, ..)) in (0_i32..).zip(&mut actions) {
            // Chromium leaves the name out there, and Firefox puts key bindings in its place.
            if node.role.is_structural() && (name.is_empty() || name.contains(';')) {
                *name = self.wire.call(key, &GET_ACTION_NAME, &number).await?;
            }
        }
        Ok((relations?, actions))
    }

    fn understood(&self, (relations, actions): Answer) -> Links {
        let mut links = Links::default();
        let labels = relations.into_iter().filter(|(kind, _)| *kind == LABELLED_BY);
        for label in labels.flat_map(|(_, labels)| labels).take(MAX_LABELS) {
            let Some(key) = ObjectKey::from_raw(&label, self.wire.name()) else { continue };
            match self.id(&key) {
                Some(id) => links.labelled_by.push(id),
                None => links.labelled_elsewhere = true,
            }
        }
        let keys = actions.iter().flat_map(|(name, _, keys)| {
            // Firefox puts key bindings where the name belongs.
            let all = if keys.is_empty() && name.contains('<') { name } else { keys };
            all.split(';').map(str::trim).filter(|key| !key.is_empty())
        });
        let named = actions.iter().map(|(name, ..)| name.as_str()).filter(|name| !name.is_empty());
        links.actions = named.map(|name| shortened(name, MAX_KEY).into()).collect();
        links.keys = keys.take(MAX_KEYS).map(|key| shortened(key, MAX_KEY).into()).collect();
        links
    }
}
