//! Which window of the display server shows an element, and how its extents have to be moved.

use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::correction::Correction;
use super::details::read_raw_extents;
use super::toolkit::Toolkit;
use futures_util::future::{join_all, try_join_all};
use handeye_core::{Abilities, Node, NodeId, Rect, Tree, Window, screen_text};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

impl ConnectedApplication {
    /// The windows of the display server that belong to this application. Empty where there is no display.
    pub(super) async fn own_windows(&self) -> Vec<Window> {
        let Ok(windows) = self.screen.windows().await else { return Vec::new() };
        windows
            .into_iter()
            .filter(|window| window.pid.is_some() && window.pid == self.application.pid())
            .collect()
    }

    /// The display server's window for a window of the tree: the same title, else the nearest size.
    fn match_window<'a>(node: &Node, reported: Option<Rect>, windows: &'a [Window]) -> Option<&'a Window> {
        let titled: Vec<&Window> =
            windows.iter().filter(|window| window.title == screen_text::title(&node.name)).collect();
        let candidates = if titled.is_empty() { windows.iter().collect() } else { titled };
        let difference = |window: &Window| {
            reported.zip(window.content()).map_or(0, |(reported, content)| {
                let size = content.width.abs_diff(reported.width) + content.height.abs_diff(reported.height);
                let place = content.x.abs_diff(reported.x) / 8 + content.y.abs_diff(reported.y) / 8;
                u64::from(size) + u64::from(place)
            })
        };
        candidates.into_iter().min_by_key(|window| difference(window))
    }

    /// The window of the display server that shows the window element `node`.
    pub(super) async fn window_for(&self, node: &Node) -> Result<Option<Window>, CallError> {
        let windows = self.own_windows().await;
        let Some(key) = self.book().key(node.id).cloned() else { return Ok(None) };
        let reported = if windows.len() > 1 { read_raw_extents(&self.wire, &key).await? } else { None };
        Ok(Self::match_window(node, reported, &windows).cloned())
    }

    /// How extents have to be moved: for each of the given windows, and for parts of it that have an origin of their own.
    pub(super) async fn corrections(
        &self,
        tree: &Tree,
        windows: &HashSet<NodeId>,
    ) -> Result<HashMap<NodeId, Correction>, CallError> {
        let mut corrections = self.known_corrections();
        corrections.retain(|window, _| windows.contains(window));
        if windows.iter().all(|window| corrections.contains_key(window)) {
            return Ok(corrections);
        }
        let wanted = |node: &&Arc<Node>| {
            windows.contains(&node.id) && node.is_showing() && node.abilities.contains(Abilities::COMPONENT)
        };
        let shown: Vec<&Arc<Node>> = tree.windows().filter(wanted).collect();
        let looks = shown.iter().map(|node| self.look_at_window(tree, node));
        let (on_screen, looks) = tokio::join!(self.own_windows(), join_all(looks));
        for (node, look) in shown.into_iter().zip(looks) {
            let (reported, shifts) = look?;
            let Some(reported) = reported else { continue };
            let Some(window) = Self::match_window(node, Some(reported), &on_screen) else { continue };
            let correction = match window.content() {
                Some(content) => Correction::for_window(self.toolkit, content, reported),
                None => Correction::UNKNOWN,
            };
            corrections.insert(node.id, correction);
            corrections.extend(shifts.into_iter().map(|(pane, (dx, dy))| (pane, correction.shifted(dx, dy))));
            if self.toolkit == Toolkit::Chromium && correction != Correction::NONE {
                // Its own buttons and menus are reported in logical pixels, what pages show in physical ones.
                let pages = tree.descendants(node.id).filter(|part| &*part.native_role == "document web");
                corrections.extend(pages.map(|page| (page.id, Correction::NONE)));
            }
        }
        if self.toolkit.has_lasting_corrections() {
            let mut known = self.corrections.lock().unwrap_or_else(PoisonError::into_inner);
            known.retain(|window, _| tree.contains(*window));
            // A scaled Chromium may open another page at any time.
            let lasts = |correction: &Correction| {
                correction.is_but_a_scale()
                    && (self.toolkit != Toolkit::Chromium || *correction == Correction::NONE)
            };
            known.extend(
                corrections
                    .iter()
                    .filter(|(window, correction)| windows.contains(window) && lasts(correction)),
            );
        }
        Ok(corrections)
    }

    fn known_corrections(&self) -> HashMap<NodeId, Correction> {
        self.corrections.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Where a window says it is, and by how much its parts are off that have an origin of their own.
    async fn look_at_window(
        &self,
        tree: &Tree,
        window: &Node,
    ) -> Result<(Option<Rect>, Vec<(NodeId, (i32, i32))>), CallError> {
        tokio::try_join!(self.raw_extents(window.id), self.shifts_of_root_panes(tree, window.id))
    }

    /// LibreOffice places what it draws itself as if there were no menu bar above it: the pane that holds it lies elsewhere
    /// than the GTK widget around the pane, which is right.
    async fn shifts_of_root_panes(
        &self,
        tree: &Tree,
        window: NodeId,
    ) -> Result<Vec<(NodeId, (i32, i32))>, CallError> {
        if self.toolkit != Toolkit::LibreOffice {
            return Ok(Vec::new());
        }
        let panes = tree.descendants(window).filter(|node| &*node.native_role == "root pane").take(16);
        let shift = async |pane: NodeId, around: NodeId| {
            let (inner, outer) = tokio::try_join!(self.raw_extents(pane), self.raw_extents(around))?;
            let shift = inner.zip(outer).map(|(inner, outer)| (outer.x - inner.x, outer.y - inner.y));
            Ok::<_, CallError>(shift.map(|shift| (pane, shift)))
        };
        let shifts = try_join_all(panes.filter_map(|pane| Some(shift(pane.id, pane.parent?)))).await?;
        Ok(shifts.into_iter().flatten().collect())
    }

    async fn raw_extents(&self, id: NodeId) -> Result<Option<Rect>, CallError> {
        let key = self.book().key(id).cloned();
        match key {
            Some(key) => read_raw_extents(&self.wire, &key).await,
            None => Ok(None),
        }
    }

    /// The correction that holds for `node`: that of its nearest ancestor which has one.
    pub(super) fn nearest(
        corrections: &HashMap<NodeId, Correction>,
        tree: &Tree,
        node: NodeId,
    ) -> Correction {
        corrections
            .get(&node)
            .or_else(|| tree.ancestors(node).find_map(|ancestor| corrections.get(&ancestor.id)))
            .copied()
            .unwrap_or(Correction::NONE)
    }
}
