//! The accessibility service of this session: one bus, and one connection for each application in use.

use super::agent_seat;
use super::applications::{self, SOURCE, bus_name};
use super::bus::{A11yBus, REGISTRY, is_switched_on, session_bus};
use super::bus_session::BusSession;
use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::delivery::{Listeners, deliver};
use super::direct::DirectAddress;
use super::events::Subscriptions;
use super::line_keeper::LineKeeper;
use super::object::ObjectKey;
use super::process::{Libraries, is_starting};
use super::read_call::{GET_APPLICATION_BUS_ADDRESS, NAME};
use super::switch;
use super::toolkit::Toolkit;
use super::true_read::Stillness;
use super::wire::Wire;
use async_trait::async_trait;
use handeye_core::platform::{AccessibilityStatus, Carrier, INTRODUCTION, Performed};
use handeye_core::{
    Accessibility, AccessibilityCapabilities, Application, ApplicationInput, Changes, ConnectedApp, Consent,
    DetailKinds, DrawingWatch, Error, Links, Mirror, NoRules, NodeAction, NodeId, OnAgentSeat, Permit, Point,
    Result, Rules, Scope, Screen, Source, SourceId, Tree, TreeAccess, Window, WindowId,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use zbus::MessageStream;

/// How long an application may take to offer a connection of its own.
const DIRECT_DEADLINE: Duration = Duration::from_millis(500);

/// How long an application that showed no tree gets to show one when a call wants to use it.
const SECOND_CHANCE: Duration = Duration::from_millis(1500);

/// The accessibility service of this session. Connects when it is prepared or used first, and again when its bus has gone.
pub struct AtSpi {
    screen: Arc<dyn Screen>,
    keeper: Arc<dyn LineKeeper>,
    drawings: Option<Arc<dyn DrawingWatch>>,
    /// Whose elements are in no tree.
    rules: Arc<dyn Rules>,
    not_found: Option<Error>,
    session: tokio::sync::Mutex<Option<BusSession>>,
    /// Counts what the bus and its registry say of applications that come and go.
    arrivals: watch::Sender<u64>,
}

impl AtSpi {
    /// A service that will use `screen` to find out which window belongs to which application, and `keeper` to keep connections with
    /// dialogs behind them.
    pub fn new(screen: Arc<dyn Screen>, keeper: Arc<dyn LineKeeper>) -> Self {
        Self {
            screen,
            keeper,
            drawings: None,
            rules: Arc::new(NoRules),
            not_found: None,
            session: tokio::sync::Mutex::default(),
            arrivals: watch::Sender::new(0),
        }
    }

    /// The same, which asks an application nothing where that cannot have changed since it was read last: it has neither run nor, while it was read,
    /// drawn anything, as `drawings` noticed.
    #[must_use]
    pub fn noticing(self, drawings: Arc<dyn DrawingWatch>) -> Self {
        Self { drawings: Some(drawings), ..self }
    }

    /// The same without elements of processes that these rules deny, whatever they are shown in.
    #[must_use]
    pub fn admitting(self, rules: Arc<dyn Rules>) -> Self {
        Self { rules, ..self }
    }

    /// The same, where the environment names no session bus and a search found none: `not_found` is what a call reports then.
    #[must_use]
    pub fn without_session(self, not_found: Option<Error>) -> Self {
        Self { not_found, ..self }
    }

    /// The bus, connected again when the last connection has ended.
    async fn bus(&self) -> Result<A11yBus> {
        let mut session = self.session.lock().await;
        if let Some(current) = session.as_ref().filter(|session| session.is_connected()) {
            return Ok(current.bus.clone());
        }
        *session = None;
        let bus = A11yBus::connect(self.not_found.as_ref()).await?;
        *session = Some(self.open_session(bus.clone()).await?);
        Ok(bus)
    }

    /// What is known of the programs on a bus: nothing yet. Who comes and goes is followed from now on, and no application notices that.
    async fn open_session(&self, bus: A11yBus) -> Result<BusSession> {
        let listeners = Listeners::default();
        let messages = MessageStream::from(&bus.events);
        let subscriptions = Subscriptions::new(bus.clone());
        tokio::try_join!(subscriptions.follow_departures(), subscriptions.follow_arrivals())?;
        let registry = bus.owner_of(REGISTRY).await.unwrap_or_default();
        let delivery =
            tokio::spawn(deliver(messages, Arc::clone(&listeners), self.arrivals.clone(), registry));
        Ok(BusSession {
            bus,
            subscriptions: Arc::new(subscriptions),
            listeners,
            connected: HashMap::new(),
            turns: HashMap::new(),
            delivery,
        })
    }

    async fn prepare_bus(&self) {
        // A first call waits for this connection instead of making another one.
        let mut session = self.session.lock().await;
        if session.is_some() {
            return;
        }
        let prepared = async {
            match A11yBus::connect_if_running(self.not_found.as_ref()).await? {
                Some(bus) => self.open_session(bus).await.map(Some),
                None => Ok(None),
            }
        };
        match prepared.await {
            Ok(Some(opened)) => *session = Some(opened),
            Ok(None) => tracing::debug!("the accessibility bus does not run yet"),
            Err(error) => tracing::debug!(%error, "the accessibility bus cannot be reached yet"),
        }
    }

    async fn prepare_screen(&self) {
        if let Err(error) = self.screen.windows().await {
            tracing::debug!(%error, "the screen cannot be reached yet");
        }
        if let Some(drawings) = &self.drawings
            && let Err(error) = drawings.prepare().await
        {
            tracing::debug!(%error, "what is drawn cannot be noticed yet");
        }
    }

    /// Looks again, with more patience, at an application that showed no tree: a busy one may only have been slow to
    /// answer, and one that has just started may reach the bus in a moment.
    async fn second_chance(&self, application: &Application) -> Result<Application> {
        let bus = self.bus().await?;
        let deadline = Instant::now() + SECOND_CHANCE;
        loop {
            let windows = self.screen.windows().await.unwrap_or_default();
            let known = match bus_name(&application.id) {
                Some(name) => {
                    Some(applications::introduce(&bus, Arc::clone(name), &windows, SECOND_CHANCE).await)
                }
                None => {
                    applications::listed(applications::introductions(&bus, INTRODUCTION).await?, &windows)
                        .await
                        .into_iter()
                        .find(|known| known.is_same(application))
                }
            };
            match known {
                Some(found) if found.tree == TreeAccess::Available => return Ok(found),
                Some(found) if bus_name(&found.id).is_some() && found.toolkit.is_none() => {
                    return Err(CallError::NotResponding.about(&application.name));
                }
                _ if Instant::now() > deadline || !may_still_come(application).await => {
                    return Err(applications::no_tree(application));
                }
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    /// As [`Accessibility::connect`], with the type of this platform.
    pub async fn connect_application(&self, application: &Application) -> Result<Arc<ConnectedApplication>> {
        let Some(name) = bus_name(&application.id).cloned() else {
            return Err(applications::no_tree(application));
        };
        let bus = self.bus().await?;
        // Two calls that meet here want one connection, not two of which one is deaf. Other applications are not held up.
        let turn = {
            let mut session = self.session.lock().await;
            let session = session.as_mut().ok_or_else(bus_has_gone)?;
            Arc::clone(session.turns.entry(Arc::clone(&name)).or_default())
        };
        let _turn = turn.lock().await;
        let (subscriptions, listeners, departed) = {
            let mut session = self.session.lock().await;
            let session = session.as_mut().ok_or_else(bus_has_gone)?;
            if let Some(known) = session.connected.get(&name).filter(|known| known.alive()) {
                return Ok(Arc::clone(known));
            }
            (Arc::clone(&session.subscriptions), Arc::clone(&session.listeners), session.forget_departed())
        };
        for departed in departed {
            subscriptions.unfollow(&departed).await?;
        }
        let application = with_toolkit(&bus, &name, application).await?;
        let toolkit = Toolkit::of(&application);
        let direct = async {
            if toolkit.may_have_direct_connection() {
                direct_wire(&bus, &name, application.pid(), &self.keeper).await
            } else {
                None
            }
        };
        let shown_by = application.pid().filter(|pid| bus.introduced.had_window(*pid));
        let stillness = Stillness::noticing(self.drawings.clone(), shown_by);
        // What it announces before there is a mirror is read afterwards.
        let (wire, followed, ()) = tokio::join!(
            direct,
            subscriptions.follow(&name, Toolkit::announced_by(&application)),
            stillness.prepare(application.pid())
        );
        let over_bus = Wire::over_bus(bus.calls.clone(), Arc::clone(&name));
        let is_news = match followed {
            Ok(is_news) => is_news,
            Err(error) => {
                subscriptions.unfollow(&name).await?;
                return Err(error);
            }
        };
        if is_news && wire.is_some() {
            // A direct connection may overtake what the registry has sent it over the bus, and would announce no change that it made in between.
            let answer = over_bus.property(&ObjectKey::root(&name), &NAME).await;
            answer.map_err(|error| error.about(&application.name))?;
        }
        let wire = wire.unwrap_or(over_bus);
        let (screen, rules) = (Arc::clone(&self.screen), Arc::clone(&self.rules));
        let connected = Arc::new_cyclic(|me| {
            ConnectedApplication::new(me, application, toolkit, wire, screen, rules, stillness)
        });
        listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name.to_string(), Arc::downgrade(&connected));
        if let Err(error) = connected.read_first().await {
            subscriptions.unfollow(&name).await?;
            return Err(error);
        }
        let mut session = self.session.lock().await;
        session.as_mut().ok_or_else(bus_has_gone)?.connected.insert(name, Arc::clone(&connected));
        Ok(connected)
    }
}

/// The application with what it is made with: one that was only starting when it was listed may not have named that yet.
async fn with_toolkit(bus: &A11yBus, name: &Arc<str>, application: &Application) -> Result<Application> {
    let application = match application.toolkit {
        Some(_) => application.clone(),
        None => applications::introduce(bus, Arc::clone(name), &[], SECOND_CHANCE).await,
    };
    if application.toolkit.is_none() && application.tree != TreeAccess::Available {
        // That decides how it is read for as long as it lives, so it is not guessed.
        return Err(CallError::NotResponding.about(&application.name));
    }
    Ok(application)
}

/// Whether an application that shows no tree may do so in a moment.
async fn may_still_come(application: &Application) -> bool {
    let Some(pid) = application.pid() else { return false };
    is_starting(pid) && Libraries::of(pid).await != Libraries::Inaccessible
}

fn bus_has_gone() -> Error {
    super::bus::unavailable("it has just ended")
}

/// Calls straight to the application, where it offers a connection and lets us in. A confined application may refuse.
async fn direct_wire(
    bus: &A11yBus,
    name: &Arc<str>,
    process: Option<u32>,
    keeper: &Arc<dyn LineKeeper>,
) -> Option<Wire> {
    let over_bus = Wire::over_bus(bus.calls.clone(), Arc::clone(name));
    let root = ObjectKey::root(name);
    let address =
        over_bus.call_within(&root, &GET_APPLICATION_BUS_ADDRESS, &(), DIRECT_DEADLINE).await.ok()?;
    let address = DirectAddress::parse(&address, process?)?;
    let (direct, _) = address.open().await?;
    Some(Wire::over_direct(bus.calls.clone(), direct, address, Arc::clone(name), Arc::clone(keeper)))
}

#[async_trait]
impl Accessibility for AtSpi {
    /// Every client of the accessibility bus may read and act.
    fn capabilities(&self) -> AccessibilityCapabilities {
        AccessibilityCapabilities::ALL
    }

    fn consents(&self) -> Vec<Consent> {
        vec![switch::SWITCH]
    }

    async fn status(&self) -> AccessibilityStatus {
        if let Err(error) = self.bus().await {
            let suggestion = format!("{} {}", error.message, error.next.unwrap_or_default());
            return AccessibilityStatus { enabled: false, suggestion };
        }
        let switched_on = match session_bus().await {
            Ok(session) => is_switched_on(&session).await.unwrap_or(false),
            Err(_) => false,
        };
        let suggestion = if switched_on { String::new() } else { switch::is_off() };
        AccessibilityStatus { enabled: true, suggestion }
    }

    async fn prepare(&self) {
        tokio::join!(self.prepare_bus(), self.prepare_screen());
    }

    async fn applications_within(&self, patience: Duration) -> Result<Vec<Application>> {
        let introductions = async {
            let bus = self.bus().await?;
            let introductions = applications::introductions(&bus, patience).await?;
            Ok::<_, Error>((bus, introductions))
        };
        let (introduced, windows) = tokio::join!(introductions, self.screen.windows());
        let ((bus, introductions), windows) = (introduced?, windows.unwrap_or_default());
        bus.introduced.note_windows(&windows);
        Ok(applications::listed(introductions, &windows).await)
    }

    async fn connect(&self, application: &Application) -> Result<Arc<dyn ConnectedApp>> {
        match application.tree {
            TreeAccess::Available => Ok(self.connect_application(application).await?),
            TreeAccess::Missing { .. } => {
                Ok(self.connect_application(&self.second_chance(application).await?).await?)
            }
        }
    }

    async fn on_agent_seat(&self, pid: u32) -> Result<Option<OnAgentSeat>> {
        // Without the bus it is known by its process alone.
        Ok(agent_seat::of_process(pid, &self.applications().await.unwrap_or_default()).await)
    }

    fn changes(&self) -> Changes {
        self.arrivals.subscribe()
    }
}

#[async_trait]
impl Source for AtSpi {
    fn id(&self) -> SourceId {
        SOURCE
    }

    /// What is embedded by AT-SPI itself (plugs in sockets) is in its trees already.
    async fn graft(&self, _carrier: &Carrier<'_>) -> Result<Option<Arc<dyn ConnectedApp>>> {
        Ok(None)
    }
}

#[async_trait]
impl ConnectedApp for ConnectedApplication {
    fn application(&self) -> &Application {
        &self.application
    }

    fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    fn is_alive(&self) -> bool {
        self.alive()
    }

    fn reports_all_changes(&self) -> bool {
        self.toolkit.trust().is_all()
    }

    fn on_agent_seat(&self) -> OnAgentSeat {
        agent_seat::of(self.toolkit, self.application())
    }

    fn only_shows(&self, node: NodeId, action: &NodeAction) -> bool {
        self.toolkit.only_shows(&self.mirror.snapshot(), node, action)
    }

    fn is_part_of_click(&self, node: NodeId, action: &NodeAction) -> bool {
        self.mirror.snapshot().get(node).is_some_and(|node| self.toolkit.is_part_of_click(node.role, action))
    }

    async fn refresh(&self, scope: Scope) -> Result<Arc<Tree>> {
        self.refresh_scope(scope).await
    }

    async fn reread(&self, nodes: &[NodeId], details: DetailKinds) -> Result<Arc<Tree>> {
        self.reread_nodes(nodes, details).await
    }

    async fn window_of(&self, node: NodeId) -> Result<Option<Window>> {
        let tree = self.mirror.snapshot();
        let Some(window) = tree.window_of(node) else { return Ok(None) };
        self.window_for(window).await.map_err(|error| self.error(error))
    }

    async fn attributes(&self, node: NodeId) -> Result<BTreeMap<String, String>> {
        self.read_attributes(node).await
    }

    async fn links(&self, nodes: &[NodeId]) -> Result<HashMap<NodeId, Links>> {
        self.read_links(nodes).await
    }

    async fn element_at(&self, point: Point, within: Option<WindowId>) -> Result<Option<NodeId>> {
        self.find_at(point, within).await
    }

    async fn selected_in(&self, container: NodeId) -> Result<Option<NodeId>> {
        self.read_selected(container).await
    }

    async fn read_text(&self, node: NodeId, start: u32, max_chars: u32) -> Result<String> {
        let key = self.object(node).await?;
        let text = super::details::read_text_range(&self.wire, &key, start, max_chars)
            .await
            .map_err(|error| self.error(error))?;
        Ok(text.map(|(text, _)| text).unwrap_or_default())
    }

    async fn perform(&self, _: &Permit, node: NodeId, action: &NodeAction) -> Result<Performed> {
        self.perform_action(node, action).await
    }

    /// AT-SPI's own synthetic events go to whatever is active.
    fn input(&self, _node: NodeId) -> Option<Arc<dyn ApplicationInput>> {
        None
    }
}
