//! Looks at applications that are watched: once for all who watch, whenever the application says something.

use super::app_snapshot::AppSnapshot;
use super::pace::Pace;
use super::pulse::{Beat, Pulse};
use crate::Resources;
use handeye_core::{Application, ConnectedApp, DetailKinds, ErrorCode, Result, Scope};
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::task::AbortOnDropHandle;

/// What is on view, with what it holds.
const ON_VIEW: Scope =
    Scope { root: None, hidden: false, details: DetailKinds::VALUE.union(DetailKinds::TEXT) };

/// Shortest time between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(25);
/// Longest time between looks at an application that sends changes without a pause.
const BETWEEN_LOOKS_AT_MOST: Duration = Duration::from_millis(400);
/// After an event, one more look: toolkits fill in what they have announced.
const FOLLOW_UP: Duration = Duration::from_millis(250);
/// How often an application is looked at whose toolkit does not announce every change.
const SILENT_TOOLKIT: Duration = Duration::from_millis(1_500);
/// After this time without an answer an application counts as busy (axterminator, section 10.2).
const ANSWERS_WITHIN: Duration = Duration::from_millis(500);
/// How long a look may take at an application that answers: a large tree takes its time.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);

impl Resources {
    /// Looks at an application, and writes what is different from the look before into its log.
    pub(super) async fn look_at(&self, app: &Arc<dyn ConnectedApp>) -> Result<AppSnapshot> {
        let tree = app.refresh(ON_VIEW).await?;
        // Without a display the elements are still worth something.
        let windows = self.engine.desk.windows_of(app.application()).await.unwrap_or_default();
        let snapshot = AppSnapshot { tree, windows, answers: true };
        self.kept.logs.note(app.as_ref(), &snapshot);
        Ok(snapshot)
    }

    /// A look at an application; `None` if it is busy: it answers no question within half a second, or not all of them in time.
    pub(super) async fn look_unless_busy(&self, app: &Arc<dyn ConnectedApp>) -> Result<Option<AppSnapshot>> {
        let mut look = pin!(self.look_at(app));
        let begun = Instant::now();
        let in_time = tokio::select! {
            looked = &mut look => Some(looked),
            answers = answers(app.as_ref()) => {
                if answers { timeout_at(begun + PATIENCE, look).await.ok() } else { None }
            }
        };
        match in_time {
            Some(Err(error)) if error.code != ErrorCode::AppNotResponding => Err(error),
            Some(Ok(snapshot)) => Ok(Some(snapshot)),
            Some(Err(_)) | None => Ok(None),
        }
    }

    /// A look at an application; of a busy one what is known from before, with its windows as the display lists them.
    pub(super) async fn look_or_known(&self, app: &Arc<dyn ConnectedApp>) -> Result<AppSnapshot> {
        if let Some(snapshot) = self.look_unless_busy(app).await? {
            return Ok(snapshot);
        }
        let windows = self.engine.desk.windows_of(app.application()).await.unwrap_or_default();
        Ok(AppSnapshot { tree: app.mirror().snapshot(), windows, answers: false })
    }

    /// The pulse of an application, begun with a look if it is not watched yet.
    pub(super) async fn pulse_of(&self, app: &Arc<dyn ConnectedApp>) -> Result<Arc<Pulse>> {
        let id = handeye_core::application_id(app.as_ref());
        let pulses = &self.kept.pulses;
        if let Some(running) = pulses.running(&id) {
            return Ok(running);
        }
        // Counted before the look, so that nothing falls between the look and the first wait.
        let heard = app.mirror().activity().events;
        let snapshot = self.look_at(app).await?;
        let mut pulses = pulses.lock();
        // Another task may have begun one meanwhile.
        if let Some(running) = pulses.get(&id).and_then(Weak::upgrade).filter(|pulse| pulse.app.is_alive()) {
            return Ok(running);
        }
        pulses.retain(|_, pulse| pulse.strong_count() > 0);
        let (sender, beats) = watch::channel(Beat { snapshot, ended: false });
        let looking = tokio::spawn(keep_looking(self.clone(), Arc::clone(app), sender, heard));
        let pulse = Arc::new(Pulse::new(Arc::clone(app), beats, AbortOnDropHandle::new(looking)));
        pulses.insert(id, Arc::downgrade(&pulse));
        Ok(pulse)
    }
}

/// Whether an application answers a short question within half a second. One of which no element is known is not asked, and counts as one
/// that does as long as a look may take.
async fn answers(app: &dyn ConnectedApp) -> bool {
    let Some(root) = app.mirror().snapshot().root() else { return true };
    match timeout(ANSWERS_WITHIN, app.attributes(root)).await {
        Ok(Err(error)) => error.code != ErrorCode::AppNotResponding,
        Ok(Ok(_)) => true,
        Err(_late) => false,
    }
}

/// Why an application is looked at again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Woken {
    /// The application or the display announced something.
    News,
    /// The user was notified of something.
    Notification,
    /// It was quiet for a while.
    Quiet,
}

impl Woken {
    /// By a source of news, if that has not ended.
    fn by(is_news: bool) -> Self {
        if is_news { Self::News } else { Self::Quiet }
    }
}

fn log_silent_toolkit(application: &Application) {
    let toolkit = application.toolkit.as_deref().unwrap_or("its toolkit");
    let every_ms = u64::try_from(SILENT_TOOLKIT.as_millis()).unwrap_or(u64::MAX);
    tracing::info!(
        app = application.name,
        toolkit,
        every_ms,
        "events do not announce every change: looked at now and then while it is watched"
    );
}

/// Looks whenever the application or the display says something, and now and then where the toolkit is silent.
async fn keep_looking(
    resources: Resources,
    app: Arc<dyn ConnectedApp>,
    sender: watch::Sender<Beat>,
    mut heard: u64,
) {
    let mut events = app.mirror().watch();
    let mut windows = resources.engine.desk.platform.screen.changes();
    let mut notifications = resources.engine.desk.platform.notifications.changes();
    let mut pace = Pace::between(BETWEEN_LOOKS, BETWEEN_LOOKS_AT_MOST);
    let reports_all_changes = app.reports_all_changes();
    if !reports_all_changes {
        log_silent_toolkit(app.application());
    }
    let mut display_reports = true;
    let mut notifications_come = true;
    let mut follow_up = true;
    loop {
        let rest = if follow_up { FOLLOW_UP } else { SILENT_TOOLKIT };
        let woken = tokio::select! {
            news = events.wait_for(|activity| activity.events != heard) => Woken::by(news.is_ok()),
            news = windows.changed(), if display_reports => {
                display_reports = news.is_ok();
                Woken::by(display_reports)
            }
            news = notifications.changed(), if notifications_come => {
                notifications_come = news.is_ok();
                Woken::Notification
            }
            () = sleep(rest), if follow_up || !reports_all_changes => Woken::Quiet,
        };
        if woken == Woken::Notification {
            // It changes nothing that a look would show.
            if resources.note_notifications(&app).await {
                sender.send_modify(|_| ());
            }
            continue;
        }
        let spoke = woken == Woken::News;
        if spoke {
            pace.step().await;
        }
        heard = app.mirror().activity().events;
        windows.mark_unchanged();
        let begun = Instant::now();
        let looked = resources.look_unless_busy(&app).await;
        pace.took(begun.elapsed());
        follow_up = spoke;
        let has_ended = !app.is_alive() || matches!(&looked, Err(error) if error.code == ErrorCode::AppGone);
        if has_ended {
            resources.kept.logs.note_end(app.as_ref());
            sender.send_modify(|beat| beat.ended = true);
            return;
        }
        if let Ok(Some(snapshot)) = looked {
            sender.send_if_modified(|beat| {
                let is_news = !snapshot.is_same_as(&beat.snapshot);
                beat.snapshot = snapshot;
                is_news
            });
        } else {
            let windows = resources.engine.desk.windows_of(app.application()).await.unwrap_or_default();
            sender.send_modify(|beat| {
                beat.snapshot.answers = false;
                beat.snapshot.windows = windows;
            });
        }
    }
}
