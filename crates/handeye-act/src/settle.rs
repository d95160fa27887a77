//! What an action really changed: a look before it, and looks after it until nothing moves any more.

use crate::attribution::{Attribution, ENOUGH};
use crate::desk::Desk;
use crate::expected::Expected;
use crate::observation::{Observation, WindowChanges, is_down};
use crate::restless::{Habits, Restless};
use handeye_call::call::Call;
use handeye_core::platform::Performed;
use handeye_core::{
    ConnectedApp, DetailKinds, Diff, ErrorCode, NodeId, Recreated, Result, Scope, Tree, Window,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How long an action may take to show an effect. Menus and dialogs take up to 100 ms, a busy toolkit more.
const SETTLE: Duration = Duration::from_millis(700);
/// How long nothing may change before the effect counts as complete.
const QUIET: Duration = Duration::from_millis(40);
/// Events come in bursts: how long to let one gather before looking.
const GATHER: Duration = Duration::from_millis(8);
/// Time between looks where no event comes; doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// Longest time between looks.
const LONGEST_PAUSE: Duration = Duration::from_millis(160);

/// How long a button that went down may take to come up again before being down counts as its state: Qt draws an emulated press
/// for 100 ms, calculators for as long, GTK for 250 ms. A click that comes meanwhile is lost, or presses nothing but the button up.
const HOLD: Duration = Duration::from_millis(300);

/// Everything on view, with what it holds: a change of any of it is an effect.
const ON_VIEW: Scope =
    Scope { root: None, hidden: false, details: DetailKinds::VALUE.union(DetailKinds::TEXT) };

/// The application before an action.
pub struct Baseline<'a> {
    desk: &'a Desk,
    app: &'a dyn ConnectedApp,
    watched: Option<NodeId>,
    expected: Expected,
    restless: Arc<Restless>,
    /// When an action before was over that showed no effect which may still come.
    unproven: Option<Instant>,
    tree: Arc<Tree>,
    /// When that was read.
    read: Instant,
    /// `None` if they could not be listed: then nothing is known of what opens and closes.
    windows: Option<Vec<Window>>,
}

impl<'a> Baseline<'a> {
    /// Looks at the application before an action on `watched`. `earlier` is how it was known before this call.
    pub async fn take(
        desk: &'a Desk,
        app: &'a dyn ConnectedApp,
        watched: Option<NodeId>,
        expected: Expected,
        earlier: &Arc<Tree>,
    ) -> Result<Self> {
        let mut tree = app.refresh(ON_VIEW).await?;
        let read = Instant::now();
        let known = desk.memory.habits(app.application());
        let mut habits = known.unwrap_or_else(|| Habits::of(Arc::clone(earlier)));
        habits.note_look(&tree);
        let Habits { restless, unproven, .. } = habits;
        if let Some(node) = watched {
            tree = app.reread(&[node], details_of(expected)).await?;
            if is_down(&tree, node) {
                tree = come_up(app, node, tree).await?;
            }
        }
        let windows = match desk.platform.screen.windows().await {
            Ok(windows) => Some(windows),
            // Effects still show in the tree.
            Err(error) => {
                tracing::debug!(code = error.code.as_str(), "the windows before the action are not known");
                None
            }
        };
        Ok(Self { desk, app, watched, expected, restless, unproven, tree, read, windows })
    }

    /// The tree before the action.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// Runs an action of the pointer or the keyboard to its end and looks until its effect is complete.
    pub async fn observe_input(
        &self,
        call: &Call,
        action: impl Future<Output = Result<()>> + Send,
    ) -> Result<Observation> {
        action.await?;
        Ok(self.settle(end_for(call), Duration::ZERO).await)
    }

    /// Sends a request to the application and looks until its effect is complete.
    ///
    /// A toolkit may open a dialog inside of the request and answer only when that is closed; so the effect is looked for while
    /// the answer is still due, and an effect that shows is worth more than an answer.
    pub async fn observe_request(
        &self,
        call: &Call,
        request: impl Future<Output = Result<Performed>> + Send,
    ) -> Result<Observation> {
        tokio::pin!(request);
        let answered = tokio::select! {
            biased;
            result = &mut request => Some(result),
            () = sleep(SETTLE) => None,
        };
        let result = if let Some(result) = answered {
            result
        } else {
            let observation = self.look().await;
            if observation.is_change() && !observation.unresponsive {
                return Ok(self.settle(end_for(call), Duration::ZERO).await);
            }
            request.await
        };
        match result {
            Ok(performed) => Ok(self.settle(end_for(call), performed.pressed_for).await),
            Err(error) if matches!(error.code, ErrorCode::AppNotResponding | ErrorCode::AppGone) => {
                let observation = self.look().await;
                if observation.is_change() { Ok(observation) } else { Err(error) }
            }
            Err(error) => Err(error),
        }
    }

    /// Looks until the effect is complete, and records the events until then. A button that is
    /// `pressed_for` some time is clicked after that.
    async fn settle(&self, end: Ends, pressed_for: Duration) -> Observation {
        let observation = self.watch(end, pressed_for).await;
        let unproven = match self.expected {
            // It says nothing about the action before, whose effect may still come.
            Expected::Proof => self.unproven,
            _ => (!observation.shows_effect()).then(Instant::now),
        };
        let habits = Habits {
            restless: Arc::clone(&observation.restless),
            tree: Arc::clone(&observation.after),
            at: Instant::now(),
            unproven,
        };
        self.desk.memory.keep_habits(self.app.application(), habits);
        observation
    }

    /// Looks again and again until the effect showed and then nothing changed for a while, or until `end`. What may have come by
    /// itself is watched for some time longer where nothing else shows an effect.
    async fn watch(&self, end: Ends, pressed_for: Duration) -> Observation {
        let mut events = self.app.mirror().watch();
        let mut pause = FIRST_PAUSE;
        let mut last: Option<Observation> = None;
        let mut up_by = None;
        let restless = Arc::clone(&self.restless);
        let mut attribution =
            Attribution::new(self.expected, restless, self.read, pressed_for, self.unproven);
        let mut spoke = false;
        loop {
            let activity = self.app.mirror().activity();
            let began = Instant::now();
            let mut observation = self.look().await;
            let news = spoke.then(|| Instant::from_std(activity.last_event));
            attribution.note(&mut observation, began, news);
            let changed = observation.shows_effect();
            let steady = last.as_ref().is_some_and(|last| last.same_as(&observation));
            let is_held = observation.went_down()
                && Instant::now() < *up_by.get_or_insert_with(|| (Instant::now() + HOLD).min(end.settled));
            let is_complete = changed && steady && !is_held;
            let decision = if changed { None } else { attribution.decision() };
            let is_over = Instant::now() >= if decision.is_some() { end.decided } else { end.settled };
            if observation.ended || observation.unresponsive || is_complete || is_over {
                observation.restless = attribution.learnt(began);
                return observation;
            }
            last = Some(observation);
            let patience = match decision {
                _ if changed => QUIET,
                // What comes when it is up is to be seen at once.
                _ if is_held => FIRST_PAUSE,
                Some(decision) => decision.saturating_duration_since(Instant::now()).clamp(GATHER, pause),
                None => pause,
            };
            // Looking changes the mirror as well: only what the application says is news.
            let news = events.wait_for(|now| now.events != activity.events);
            spoke = matches!(timeout(patience, news).await, Ok(Ok(_)));
            if spoke {
                sleep(GATHER).await;
                if changed {
                    // Still moving: the quiet time starts again.
                    last = None;
                }
            } else {
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }

    /// Compares the application as it is now with the one before the action.
    async fn look(&self) -> Observation {
        let (after, trouble) = match self.read().await {
            Ok(tree) => (tree, None),
            Err(error) => (self.app.mirror().snapshot(), Some(error.code)),
        };
        let ended = !self.app.is_alive() || trouble == Some(ErrorCode::AppGone);
        let windows = match (&self.windows, self.desk.platform.screen.windows().await) {
            (Some(before), Ok(now)) => WindowChanges::between(before, &now, self.app.application()),
            (None, _) | (_, Err(_)) => WindowChanges::default(),
        };
        let mut diff = if ended { Diff::default() } else { Diff::between(&self.tree, &after) };
        if let Some(watched) = self.watched.filter(|_| !ended) {
            diff.include_hidden(&self.tree, &after, watched);
        }
        let recreated = diff.match_recreated(&self.tree, &after);
        let is_watched = |pair: &&Recreated| Some(pair.old.id) == self.watched;
        let target = recreated.iter().find(is_watched).map(|pair| pair.new).or(self.watched);
        Observation {
            before: Arc::clone(&self.tree),
            after,
            diff,
            windows,
            target,
            expected: self.expected,
            restless: Arc::clone(&self.restless),
            doubtful: Arc::default(),
            may_be_late: false,
            ended,
            unresponsive: trouble.is_some() && !ended,
        }
    }

    async fn read(&self) -> Result<Arc<Tree>> {
        let tree = self.app.refresh(ON_VIEW).await?;
        match self.watched {
            Some(node) if tree.contains(node) => {
                match self.app.reread(&[node], details_of(self.expected)).await {
                    // Gone since the refresh: the next tree shows that.
                    Err(error) if error.code == ErrorCode::StaleReference => Ok(self.app.mirror().snapshot()),
                    other => other,
                }
            }
            _ => Ok(tree),
        }
    }
}

/// What is read of the target. Of what is dragged the place is evidence too.
fn details_of(expected: Expected) -> DetailKinds {
    if expected == Expected::Drag { ON_VIEW.details | DetailKinds::EXTENTS } else { ON_VIEW.details }
}

/// Waits until a button is up again that an action before may have pressed down, so that the next press is one. Returns the tree
/// after that. A button that nothing has pressed recently is down for good, and is not waited for.
async fn come_up(app: &dyn ConnectedApp, node: NodeId, tree: Arc<Tree>) -> Result<Arc<Tree>> {
    let end = Instant::from_std(app.mirror().activity().last_event) + HOLD;
    let mut events = app.mirror().watch();
    let mut tree = tree;
    let mut waited = false;
    while is_down(&tree, node) && Instant::now() < end {
        waited = true;
        let heard = app.mirror().activity().events;
        let pause = FIRST_PAUSE.min(end.saturating_duration_since(Instant::now()));
        // Whether it was an event or the time that ended the wait, the element is read again.
        let news = events.wait_for(|activity| activity.events != heard);
        if let Ok(Err(_)) = timeout(pause, news).await {
            break;
        }
        tree = app.reread(&[node], ON_VIEW.details).await?;
    }
    // What came with the release belongs to the action before.
    if waited { app.refresh(ON_VIEW).await } else { Ok(tree) }
}

/// When to stop looking, early enough before the deadline of a call to answer.
#[derive(Debug, Clone, Copy)]
struct Ends {
    /// When an effect that has not shown is not waited for any more.
    settled: Instant,
    /// When what is in doubt is not watched any more.
    decided: Instant,
}

fn end_for(call: &Call) -> Ends {
    let most = call.remaining().saturating_sub(QUIET);
    let now = Instant::now();
    Ends { settled: now + SETTLE.min(most), decided: now + (SETTLE + ENOUGH).min(most) }
}
