//! Watchers: each waits until the content of one resource has become another one.

use super::address::{Address, View};
use super::fingerprint::Fingerprint;
use super::pace::Pace;
use super::pulse::{Beat, Pulse};
use crate::Resources;
use handeye_act::targets::{FRONTMOST, answers};
use handeye_call::call::Call;
use handeye_call::reader::Reader;
use handeye_core::{Changes, Error, ErrorCode, Result};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

/// After a signal, looks again at these times: an application is announced before it says who it is, and one that has left
/// stays in the registry for a moment.
const LATER: [Duration; 3] =
    [Duration::from_millis(150), Duration::from_millis(600), Duration::from_millis(2_500)];
/// How long one look at a resource of no application may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Shortest time between two notifications.
const BETWEEN_CHANGES: Duration = Duration::from_millis(40);
/// Longest time between notifications of a content that changes without a pause.
const BETWEEN_CHANGES_AT_MOST: Duration = Duration::from_secs(1);

/// How long changes are gathered before they are reported (axterminator, section 6.3).
const fn debounce(view: View) -> Duration {
    match view {
        View::State => Duration::from_millis(100),
        View::Tree | View::WindowTree(_) => Duration::from_millis(500),
        View::Events | View::Screenshot => Duration::ZERO,
    }
}

/// Waits for the content of one resource to change. Costs nothing while nothing happens; ends when it is dropped.
pub struct Watcher {
    resources: Resources,
    address: Address,
    source: Source,
    /// That of the content that was reported last.
    last: Option<Fingerprint>,
    /// The content changed between its last read and the beginning of the watch.
    is_due: bool,
    pace: Pace,
}

/// Where signals come from.
enum Source {
    /// An application that runs.
    Running(Running),
    /// An application that does not run now; it may come.
    Awaited(Desk),
    /// The desktop.
    Desk(Desk),
}

/// Signals of an application.
struct Running {
    pulse: Arc<Pulse>,
    beats: watch::Receiver<Beat>,
}

/// Signals of the desktop.
struct Desk {
    news: Vec<Changes>,
    later: VecDeque<Instant>,
}

impl Address {
    /// Says why this resource cannot be watched, if it cannot.
    pub fn check_watchable(&self) -> Result<()> {
        let why = match self {
            Self::App { view: View::Screenshot, name } => format!(
                "pixels are not watched. Watch {} or {} and read the picture when that has changed",
                Self::of(name, View::State),
                Self::of(name, View::Events)
            ),
            Self::App { name, .. } if name.trim().eq_ignore_ascii_case(FRONTMOST) => {
                "the active application changes: name one".to_owned()
            }
            Self::RecordingStart | Self::RecordingStop => "reading it does something".to_owned(),
            _ => return Ok(()),
        };
        Err(Error::new(ErrorCode::NotSupported, format!("'{self}' cannot be subscribed to: {why}")))
    }
}

impl Resources {
    /// Begins to watch a resource: reports what changes after this has returned, and what changed since its last read.
    ///
    /// An application that is not there is an error, or, if it `may_come`, awaited.
    pub async fn watch(&self, address: &Address, may_come: bool) -> Result<Watcher> {
        address.check_watchable()?;
        let address = address.clone().canonical();
        let watches_events = matches!(address, Address::App { view: View::Events, .. });
        if watches_events && let Err(error) = self.begin_notifications().await {
            tracing::info!(reason = error.message, "notifications are not watched");
        }
        let source = match address.application() {
            None => Source::Desk(self.desk(&address)),
            Some(name) => match self.running(name).await {
                Ok(running) => Source::Running(running),
                Err(_) if may_come => Source::Awaited(self.arrivals().soon()),
                Err(error) => return Err(error),
            },
        };
        let mut watcher = Watcher {
            resources: self.clone(),
            address,
            source,
            last: None,
            is_due: false,
            pace: Pace::between(BETWEEN_CHANGES, BETWEEN_CHANGES_AT_MOST),
        };
        watcher.last = watcher.fingerprint().await;
        let read = self.kept.reads.last(&watcher.address);
        watcher.is_due = match (read, watcher.last) {
            (Some(read), Some(now)) => read != now,
            // It was there when it was read.
            (Some(_), None) => true,
            // A caller that may wait got its answer before the watch began: it is notified to be safe, in case something changed meanwhile.
            (None, Some(_)) => may_come,
            (None, None) => false,
        };
        Ok(watcher)
    }

    async fn running(&self, name: &str) -> Result<Running> {
        let app = self.engine.desk.connect(name).await?;
        let pulse = self.pulse_of(&app).await?;
        self.note_notifications(&app).await;
        let mut beats = pulse.beats();
        beats.mark_unchanged();
        Ok(Running { pulse, beats })
    }

    /// Whether an application of that name may be running. Asked by every watcher that waits for one when something changes, so the
    /// list is made once for all.
    async fn runs_perhaps(&self, name: &str) -> bool {
        /// How old the list may be. A watcher that it wakes too early looks again later.
        const FRESH: Duration = Duration::from_millis(50);
        let mut running = self.kept.running.lock().await;
        if running.as_ref().is_none_or(|(made, _)| made.elapsed() > FRESH) {
            let listed = self.engine.desk.platform.accessibility.applications().await.unwrap_or_default();
            *running = Some((Instant::now(), listed));
        }
        running.as_ref().is_some_and(|(_, listed)| answers(name, listed))
    }

    /// The signal for a resource that belongs to no application.
    fn desk(&self, address: &Address) -> Desk {
        match address {
            Address::Clipboard => Desk::of(vec![self.engine.desk.platform.clipboard.changes()]),
            _ => self.arrivals(),
        }
    }

    /// The signal that an application came or left. Those without a tree are noticed by their windows.
    fn arrivals(&self) -> Desk {
        Desk::of(vec![
            self.engine.desk.platform.accessibility.changes(),
            self.engine.desk.platform.screen.changes(),
        ])
    }
}

impl Desk {
    const fn of(news: Vec<Changes>) -> Self {
        Self { news, later: VecDeque::new() }
    }

    /// Looks a few times although there is no signal yet.
    fn soon(mut self) -> Self {
        self.look_later();
        self
    }

    fn look_later(&mut self) {
        let now = Instant::now();
        self.later = LATER.iter().map(|pause| now + *pause).collect();
    }

    /// Waits for a signal, or for one of the times after one.
    async fn changed(&mut self) {
        let later = self.later.front().copied();
        let pause = async {
            match later {
                Some(later) => sleep_until(later).await,
                None => std::future::pending().await,
            }
        };
        let any = futures_util::future::select_all(self.news.iter_mut().map(|news| {
            Box::pin(async move {
                if news.changed().await.is_err() {
                    // Its source has ended: no signals any more.
                    std::future::pending::<()>().await;
                }
            })
        }));
        let are_news = tokio::select! {
            _ = any => true,
            () = pause => false,
        };
        if are_news {
            self.look_later();
        } else {
            self.later.pop_front();
        }
    }
}

impl Watcher {
    /// Waits until the content is another one than it was, or than it was read.
    pub async fn changed(&mut self) {
        if std::mem::take(&mut self.is_due) {
            return;
        }
        loop {
            let has_ended = match &mut self.source {
                Source::Running(running) => {
                    // An error is the end of its looks, which its last beat reports.
                    let lasts = running.beats.changed().await.is_ok();
                    if let Address::App { view, .. } = &self.address
                        && !running.beats.borrow().ended
                    {
                        sleep(debounce(*view)).await;
                    }
                    !lasts || running.beats.borrow_and_update().ended
                }
                Source::Awaited(desk) => {
                    desk.changed().await;
                    self.look_for_it().await;
                    false
                }
                Source::Desk(desk) => {
                    desk.changed().await;
                    false
                }
            };
            if has_ended {
                self.source = Source::Awaited(self.resources.arrivals().soon());
                self.last = None;
                return;
            }
            let now = self.fingerprint().await;
            if now.is_none() || now == self.last {
                continue;
            }
            self.pace.step().await;
            // What came while waiting for the turn is reported with it.
            self.last = self.fingerprint().await.or(now);
            return;
        }
    }

    /// Takes up an application that has come.
    async fn look_for_it(&mut self) {
        let Some(name) = self.address.application() else { return };
        if !self.resources.runs_perhaps(name).await {
            return;
        }
        match self.resources.running(name).await {
            Ok(running) => self.source = Source::Running(running),
            Err(error) => {
                tracing::debug!(app = name, code = error.code.as_str(), "still awaited");
                // It is there but cannot be used yet; there may be no signal when it can.
                if let Source::Awaited(desk) = &mut self.source {
                    desk.look_later();
                }
            }
        }
    }

    /// That of the content now; `None` if it cannot be determined, which is not a change.
    async fn fingerprint(&self) -> Option<Fingerprint> {
        match (&self.source, &self.address) {
            (Source::Running(running), Address::App { view, .. }) => {
                let beat = running.beats.borrow().clone();
                let made =
                    self.resources.fingerprint_of_look(*view, &running.pulse.app, &beat.snapshot).await;
                // A window that is closed is a change as well.
                Some(made.unwrap_or_else(|error| Fingerprint::of(error.code.as_str())))
            }
            (Source::Desk(_), address) => {
                let call = Call::new(Reader::MODEL, CancellationToken::new()).within(PATIENCE);
                let made =
                    tokio::time::timeout(PATIENCE, self.resources.fingerprint_now(address, &call)).await;
                match made {
                    Ok(Ok(fingerprint)) => Some(fingerprint),
                    Ok(Err(error)) => Some(Fingerprint::of(error.code.as_str())),
                    Err(_late) => None,
                }
            }
            _ => None,
        }
    }
}
