//! An application that is connected, with the calls to it counted and reported ([`running`](handeye_call::running)).

use async_trait::async_trait;
use handeye_call::running::{doing, in_accessibility};
use handeye_core::platform::Performed;
use handeye_core::{
    Application, ApplicationInput, ConnectedApp, DetailKinds, Links, Mirror, NodeAction, NodeId, OnAgentSeat,
    Permit, Point, Result, Scope, Tree, Window, WindowId,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A connected application whose time is counted.
pub(crate) struct Metered(Arc<dyn ConnectedApp>);

impl Metered {
    /// Counts the time of `app`.
    pub(crate) fn of(app: Arc<dyn ConnectedApp>) -> Arc<dyn ConnectedApp> {
        Arc::new(Self(app))
    }
}

#[async_trait]
impl ConnectedApp for Metered {
    fn application(&self) -> &Application {
        self.0.application()
    }

    fn mirror(&self) -> &Mirror {
        self.0.mirror()
    }

    fn is_alive(&self) -> bool {
        self.0.is_alive()
    }

    fn reports_all_changes(&self) -> bool {
        self.0.reports_all_changes()
    }

    fn only_shows(&self, node: NodeId, action: &NodeAction) -> bool {
        self.0.only_shows(node, action)
    }

    fn is_part_of_click(&self, node: NodeId, action: &NodeAction) -> bool {
        self.0.is_part_of_click(node, action)
    }

    fn on_agent_seat(&self) -> OnAgentSeat {
        self.0.on_agent_seat()
    }

    async fn refresh(&self, scope: Scope) -> Result<Arc<Tree>> {
        doing(|| format!("Reading '{}'", self.application().name));
        let tree = in_accessibility(self.0.refresh(scope)).await?;
        doing(|| format!("Going through {} elements", tree.len()));
        Ok(tree)
    }

    async fn reread(&self, nodes: &[NodeId], details: DetailKinds) -> Result<Arc<Tree>> {
        in_accessibility(self.0.reread(nodes, details)).await
    }

    async fn window_of(&self, node: NodeId) -> Result<Option<Window>> {
        in_accessibility(self.0.window_of(node)).await
    }

    async fn attributes(&self, node: NodeId) -> Result<BTreeMap<String, String>> {
        in_accessibility(self.0.attributes(node)).await
    }

    async fn links(&self, nodes: &[NodeId]) -> Result<HashMap<NodeId, Links>> {
        in_accessibility(self.0.links(nodes)).await
    }

    async fn element_at(&self, point: Point, within: Option<WindowId>) -> Result<Option<NodeId>> {
        in_accessibility(self.0.element_at(point, within)).await
    }

    async fn selected_in(&self, container: NodeId) -> Result<Option<NodeId>> {
        in_accessibility(self.0.selected_in(container)).await
    }

    async fn read_text(&self, node: NodeId, start: u32, max_chars: u32) -> Result<String> {
        in_accessibility(self.0.read_text(node, start, max_chars)).await
    }

    async fn perform(&self, permit: &Permit, node: NodeId, action: &NodeAction) -> Result<Performed> {
        doing(|| format!("Waiting for '{}' to act", self.application().name));
        in_accessibility(self.0.perform(permit, node, action)).await
    }

    fn input(&self, node: NodeId) -> Option<Arc<dyn ApplicationInput>> {
        self.0.input(node)
    }
}
