//! What suggestions are made of: the applications and windows of a moment ago, and the mirrors of applications.

use handeye_act::desk::Desk;
use handeye_act::naming::{belongs, names};
use handeye_act::targets::only_fit;
use handeye_act::window_owners::by_windows;
use handeye_core::platform::{INTRODUCTION, Scope};
use handeye_core::{Application, ConnectedApp, Error, ErrorCode, Result, Tree, Window};
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// A tree, or nothing where there is none.
type KnownTree = Option<Arc<Tree>>;

/// How old what is remembered may be before it is looked at again, behind the answer.
const FRESH: Duration = Duration::from_secs(1);
/// How long an application may take to say who it is at the first look, for which a user waits: one that hangs holds up no
/// other, and is suggested by what its process and its window are called.
const FIRST_INTRODUCTION: Duration = Duration::from_millis(100);
/// How long the first question about something waits for the look.
const FIRST_LOOK: Duration = Duration::from_millis(250);
/// How long a look may take.
const LONGEST_LOOK: Duration = Duration::from_secs(5);
/// Most applications that are looked at for suggestions; their names come from clients.
const MOST_APPLICATIONS: usize = 32;

/// What is remembered for suggestions. Cheap to clone: clones share it.
#[derive(Clone, Default)]
pub struct Recall {
    running: Arc<Cell<Seen>>,
    trees: Arc<Mutex<HashMap<String, Arc<Cell<KnownTree>>>>>,
}

/// The applications and the windows at one moment, the topmost first.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) applications: Vec<Application>,
    pub(super) windows: Vec<Window>,
}

impl Seen {
    /// How many windows the application has that `name` means.
    pub(super) fn windows_of(&self, desk: &Desk, name: &str) -> usize {
        let connected = desk.own.connection(name);
        let named = |application: &&Application| {
            names(application).any(|known| known.eq_ignore_ascii_case(name))
                || application.pid().is_some_and(|pid| pid.to_string() == name)
        };
        let application = connected
            .as_ref()
            .map(|connection| connection.application())
            .or_else(|| self.applications.iter().find(named));
        application.map_or(0, |application| {
            self.windows.iter().filter(|window| belongs(window, application)).count()
        })
    }
}

impl Recall {
    /// The applications and windows of a moment ago.
    pub(super) async fn seen(&self, desk: &Desk) -> Arc<Seen> {
        let look = self.look_around(desk);
        self.running.value(look).await
    }

    /// Looks at the applications in the background, for the next question.
    pub fn look_ahead(&self, desk: &Desk) {
        self.running.renew(self.look_around(desk));
    }

    /// The next look.
    fn look_around(&self, desk: &Desk) -> impl Future<Output = Seen> + Send + use<> {
        let (desk, running) = (desk.clone(), Arc::clone(&self.running));
        async move {
            let is_first = !running.is_known();
            if is_first {
                // A waiting caller has something to choose from, however long the applications take.
                running.offer(look_at_windows(&desk).await);
            }
            look_around(&desk, if is_first { FIRST_INTRODUCTION } else { INTRODUCTION }).await
        }
    }

    /// The tree of an application: its mirror, if it is connected, as it is; that is brought up to date behind it.
    pub(super) async fn tree(&self, desk: &Desk, application: &str) -> KnownTree {
        let cell = self.cell_of(application)?;
        let (recall, desk, name) = (self.clone(), desk.clone(), application.to_owned());
        let connection = desk.own.connection(&name);
        let read = async move {
            let app = recall.connect(&desk, &name).await.ok()?;
            app.refresh(Scope::SHOWING).await.ok()
        };
        match connection {
            Some(connection) => {
                let snapshot = connection.mirror().snapshot();
                if !snapshot.is_empty() {
                    cell.renew(read);
                    return Some(snapshot);
                }
                cell.value(read).await.as_ref().clone()
            }
            None => cell.value(read).await.as_ref().clone(),
        }
    }

    /// Connects to an application, which is looked up among those of a moment ago: another one that hangs would hold it up.
    async fn connect(&self, desk: &Desk, name: &str) -> Result<Arc<dyn ConnectedApp>> {
        if let Some(connection) = desk.own.connection(name) {
            return Ok(connection);
        }
        let seen = self.seen(desk).await;
        let Some(application) = only_fit(name, &seen.applications) else {
            return desk.connect(name).await;
        };
        let connection = desk.connect_application(application).await?;
        desk.own.keep_connection(name, &connection);
        Ok(connection)
    }

    fn cell_of(&self, application: &str) -> Option<Arc<Cell<KnownTree>>> {
        let key = application.trim().to_lowercase();
        if key.is_empty() {
            return None;
        }
        let mut trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        if trees.len() >= MOST_APPLICATIONS && !trees.contains_key(&key) {
            // A look under way goes on; what it finds is forgotten.
            trees.clear();
        }
        Some(Arc::clone(trees.entry(key).or_default()))
    }
}

/// What the windows alone show, which needs no application to answer.
async fn look_at_windows(desk: &Desk) -> Seen {
    let windows = desk.platform.screen.windows().await.unwrap_or_default();
    let why = Error::new(ErrorCode::AppNotAccessible, "it was not looked at yet");
    Seen { applications: by_windows(&windows, &why), windows }
}

async fn look_around(desk: &Desk, patience: Duration) -> Seen {
    let applications = desk.running_applications_within(patience).await.unwrap_or_default();
    let windows = desk.platform.screen.windows().await.unwrap_or_default();
    let stacking = |application: &Application| {
        windows.iter().position(|window| belongs(window, application)).unwrap_or(usize::MAX)
    };
    let mut applications: Vec<(usize, String, Application)> = applications
        .into_iter()
        .map(|application| (stacking(&application), application.name.to_lowercase(), application))
        .collect();
    applications.sort_by(|(stacking, name, _), (other_stacking, other_name, _)| {
        stacking.cmp(other_stacking).then_with(|| name.cmp(other_name))
    });
    Seen { applications: applications.into_iter().map(|(_, _, application)| application).collect(), windows }
}

/// A value that is looked up now and then, by one task at a time.
struct Cell<T> {
    state: Mutex<Lookup<T>>,
    /// Wakes when a look has ended.
    looked: watch::Sender<()>,
}

/// The last value of a [`Cell`], and the look that renews it.
struct Lookup<T> {
    value: Arc<T>,
    /// When it was looked up; never yet, if none.
    at: Option<Instant>,
    looking: bool,
}

impl<T: Default> Default for Cell<T> {
    fn default() -> Self {
        let state = Lookup { value: Arc::default(), at: None, looking: false };
        Self { state: Mutex::new(state), looked: watch::Sender::new(()) }
    }
}

impl<T: Default + Send + Sync + 'static> Cell<T> {
    /// The value as it is, renewed behind the answer if it is old; if there is none yet, waits for it a moment.
    async fn value(self: &Arc<Self>, look: impl Future<Output = T> + Send + 'static) -> Arc<T> {
        let mut looked = self.looked.subscribe();
        self.renew(look);
        if self.state().at.is_none() {
            // At its end, nothing is known yet.
            let _in_time = tokio::time::timeout(FIRST_LOOK, looked.changed()).await;
        }
        Arc::clone(&self.state().value)
    }

    /// Sets what holds until the first look has ended.
    fn offer(&self, draft: T) {
        let mut state = self.state();
        if state.at.is_none() {
            state.value = Arc::new(draft);
        }
    }

    /// Whether it was looked up before.
    fn is_known(&self) -> bool {
        self.state().at.is_some()
    }

    /// Begins to look, unless it is fresh or being looked at.
    fn renew(self: &Arc<Self>, look: impl Future<Output = T> + Send + 'static) {
        {
            let mut state = self.state();
            if state.looking || state.at.is_some_and(|at| at.elapsed() < FRESH) {
                return;
            }
            state.looking = true;
        }
        let cell = Arc::clone(self);
        tokio::spawn(async move {
            let found = tokio::time::timeout(LONGEST_LOOK, look).await;
            {
                let mut state = cell.state();
                // What could not be looked at is not asked for again at every key either.
                state.at = Some(Instant::now());
                state.looking = false;
                if let Ok(found) = found {
                    state.value = Arc::new(found);
                }
            }
            cell.looked.send_replace(());
        });
    }

    fn state(&self) -> MutexGuard<'_, Lookup<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
