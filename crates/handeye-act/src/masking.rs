//! Answers and pictures without what hidden fields hold: protected fields, fields for passwords, and those that the policy names.
//!
//! All pixels come from the platform's screen, so that is where they are masked: before they are delivered, shown to a model, read or compared.

use crate::desk::{Desk, DeskMemory};
use crate::naming::belongs;
use crate::placing::on_screen;
use async_trait::async_trait;
use futures_util::future::join_all;
use handeye_core::platform::{CaptureTarget, Changes};
use handeye_core::{
    Accessibility, Application, ConnectedApp, Consent, DetailKinds, Extents, Frame, Monitor, Node, NodeId,
    Platform, Rect, Result, Scope, Screen, ScreenCapabilities, TreeAccess, Window,
};
use handeye_redact::{HiddenFields, Redactor, Vault};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long one application may take to show where its fields are. A picture of one that hangs is taken without: it shows why it hangs.
const PATIENCE: Duration = Duration::from_millis(500);
/// What toolkits call a field whose characters they draw as dots now.
const DRAWN_AS_DOTS: &str = "password text";
/// Most fields of an application that are masked.
const MOST: usize = 500;

impl Desk {
    /// The same desktop with what this process keeps secret: pictures are masked, wherever they are taken for.
    #[must_use]
    pub fn keeping(self, redactor: Redactor, vault: Vault, hidden: HiddenFields) -> Self {
        let screen = MaskedScreen::over(&self.platform, Arc::clone(&self.memory), hidden.clone());
        let platform = Platform { screen: Arc::new(screen), ..self.platform };
        Self { platform, redactor, vault, hidden, ..self }
    }

    /// What is taken out of an answer of now: all that the redactor knows, and what hidden fields of connected applications hold that their
    /// toolkits do not protect.
    pub fn redacting(&self) -> Redactor {
        let values: Vec<String> = self
            .memory
            .connections()
            .iter()
            .flat_map(|app| {
                let is_hidden = self.hidden.of(app.application());
                let tree = app.mirror().snapshot();
                // A label is no secret, whatever it labels.
                let is_secret =
                    |node: &Node, text: &str| !text.trim().is_empty() && text.trim() != node.name.trim();
                let held = |node: &Node| node.value_text().filter(|text| is_secret(node, text));
                tree.nodes().filter(|node| is_hidden(node)).filter_map(|node| held(node)).collect::<Vec<_>>()
            })
            .collect();
        if values.is_empty() {
            return self.redactor.clone();
        }
        self.redactor.knowing("of a hidden field", values.iter().map(String::as_str))
    }
}

/// A screen whose pictures have no hidden fields.
struct MaskedScreen {
    screen: Arc<dyn Screen>,
    accessibility: Arc<dyn Accessibility>,
    memory: Arc<DeskMemory>,
    hidden: HiddenFields,
}

/// Where something is that is masked.
type Areas = HashSet<Extents>;

impl MaskedScreen {
    /// The screen of a platform, of whose applications `memory` has the connections.
    fn over(platform: &Platform, memory: Arc<DeskMemory>, hidden: HiddenFields) -> Self {
        Self {
            screen: Arc::clone(&platform.screen),
            accessibility: Arc::clone(&platform.accessibility),
            memory,
            hidden,
        }
    }

    /// The applications whose fields are looked for in a picture: those of the windows in it that are connected, and where fields are named by
    /// the user, all others that show a tree too. Without that, a picture would wait for every application that nobody asked about.
    async fn seen(&self, target: CaptureTarget) -> Vec<Arc<dyn ConnectedApp>> {
        let known = self.memory.connections();
        if known.is_empty() && self.hidden.is_empty() {
            return known;
        }
        let windows = match target {
            CaptureTarget::Window(..) => self.screen.windows().await,
            CaptureTarget::Desktop | CaptureTarget::Region(_) => self.screen.shown().await,
        };
        let is_in = |window: &Window| match target {
            CaptureTarget::Window(id, _) => window.id == id,
            CaptureTarget::Region(area) => {
                window.frame().is_none_or(|frame| frame.intersection(&area).is_some())
            }
            CaptureTarget::Desktop => true,
        };
        let windows: Vec<Window> = windows.unwrap_or_default().into_iter().filter(is_in).collect();
        let is_seen = |application: &Application| windows.iter().any(|window| belongs(window, application));
        if self.hidden.is_empty() {
            return known.into_iter().filter(|app| is_seen(app.application())).collect();
        }
        // Without a list nothing has a tree, and so no field is known.
        let running = self.accessibility.applications().await.unwrap_or_default();
        let shows_tree = |application: &Application| application.tree == TreeAccess::Available;
        let seen: Vec<Application> = running
            .into_iter()
            .filter(|application| shows_tree(application) && is_seen(application))
            .collect();
        self.connected(&seen).await
    }

    /// The connections to these applications; those that cannot be had in time are left out.
    async fn connected(&self, seen: &[Application]) -> Vec<Arc<dyn ConnectedApp>> {
        let connecting = seen.iter().map(|application| async {
            if let Some(known) = self.memory.connection(application) {
                return Some(known);
            }
            match timeout(PATIENCE, self.accessibility.connect(application)).await {
                Ok(Ok(app)) => Some(self.memory.share(app)),
                Ok(Err(error)) => {
                    tracing::debug!(code = error.code.as_str(), "the fields of an application are not known");
                    None
                }
                Err(_late) => {
                    tracing::warn!("an application was too slow to show where its protected fields are");
                    None
                }
            }
        });
        join_all(connecting).await.into_iter().flatten().collect()
    }

    /// Where hidden fields are now.
    async fn areas(&self, apps: &[Arc<dyn ConnectedApp>], renew: bool) -> Areas {
        let finding = apps.iter().map(|app| async move {
            let found = timeout(PATIENCE, self.areas_of(app.as_ref(), renew)).await;
            found.unwrap_or_else(|_late| Ok(Areas::new())).unwrap_or_else(|error| {
                tracing::debug!(code = error.code.as_str(), "the fields of an application are not known");
                Areas::new()
            })
        });
        join_all(finding).await.into_iter().flatten().collect()
    }

    async fn areas_of(&self, app: &dyn ConnectedApp, renew: bool) -> Result<Areas> {
        let tree = if renew { app.refresh(Scope::SHOWING).await? } else { app.mirror().snapshot() };
        let is_hidden = self.hidden.of(app.application());
        // A picture of dots shows nothing, and is the same whether handeye knows the application or not.
        let shown = tree
            .nodes()
            .filter(|node| node.is_showing() && is_hidden(node) && &*node.native_role != DRAWN_AS_DOTS);
        let ids: Vec<NodeId> = shown.map(|node| node.id).take(MOST).collect();
        if ids.is_empty() {
            return Ok(Areas::new());
        }
        let tree = app.reread(&ids, DetailKinds::EXTENTS).await?;
        let mut areas = Areas::new();
        for node in ids.iter().filter_map(|id| tree.get(*id)) {
            areas.extend(node.details.extents.known().copied());
            if let Some(place) = on_screen(app, node).await? {
                areas.insert(Extents::OnScreen(place));
            }
        }
        Ok(areas)
    }
}

#[async_trait]
impl Screen for MaskedScreen {
    async fn capabilities(&self) -> Result<ScreenCapabilities> {
        self.screen.capabilities().await
    }

    fn consents(&self) -> Vec<Consent> {
        self.screen.consents()
    }

    async fn monitors(&self) -> Result<Vec<Monitor>> {
        self.screen.monitors().await
    }

    async fn windows(&self) -> Result<Vec<Window>> {
        self.screen.windows().await
    }

    async fn shown(&self) -> Result<Vec<Window>> {
        self.screen.shown().await
    }

    async fn capture(&self, target: CaptureTarget) -> Result<Frame> {
        let apps = self.seen(target).await;
        let before = self.areas(&apps, true).await;
        let mut frame = self.screen.capture(target).await?;
        // A field may have come or moved while the pixels were read.
        let after = self.areas(&apps, false).await;
        for area in before.union(&after) {
            frame.mask(with_edge(*area));
        }
        Ok(frame)
    }

    fn changes(&self) -> Changes {
        self.screen.changes()
    }
}

/// The same with a unit around it: letters reach into the edge of some fields.
fn with_edge(area: Extents) -> Extents {
    match area {
        Extents::OnScreen(place) => Extents::OnScreen(Rect::new(
            place.x.saturating_sub(1),
            place.y.saturating_sub(1),
            place.width.saturating_add(2),
            place.height.saturating_add(2),
        )),
        Extents::InWindow(place) => Extents::InWindow(Rect::new(
            place.x.saturating_sub(1),
            place.y.saturating_sub(1),
            place.width.saturating_add(2),
            place.height.saturating_add(2),
        )),
    }
}
