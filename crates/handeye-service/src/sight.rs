//! What a caller may look at: the desktop without the applications that the policy hides from it.
//!
//! Everything that reads has the desktop from its engine alone, so the engine gets a platform on which those are not: no list, tree, picture,
//! resource, completion, subscription and prompt can have anything of them, nor can what is written next.

use async_trait::async_trait;
use handeye_act::applications::by_windows;
use handeye_act::naming::belongs;
use handeye_call::caller::Caller;
use handeye_core::platform::{AccessibilityStatus, CaptureTarget, Changes, INTRODUCTION};
use handeye_core::{
    Accessibility, AccessibilityCapabilities, Application, ConnectedApp, Consent, Error, ErrorCode, Frame,
    Invocation, Monitor, Notification, Notifications, Platform, Rect, Result, Screen, ScreenCapabilities,
    Window, text,
};
use std::sync::Arc;
use std::time::Duration;

/// Decides which applications a caller may look at. What an application shows on the screen is not an input to it.
pub trait Sight: Send + Sync {
    /// Whether this caller may look at this application. One that it may not look at is not there for it.
    fn shows(&self, caller: &Caller, application: &Application) -> bool;
}

/// The platform as a caller may see it. What acts is as it was.
pub(crate) fn restricted(platform: &Platform, sight: Arc<dyn Sight>, caller: &Caller) -> Platform {
    let seen = Arc::new(Seen {
        accessibility: Arc::clone(&platform.accessibility),
        screen: Arc::clone(&platform.screen),
        sight,
        caller: caller.clone(),
    });
    let screen = Arc::clone(&seen) as Arc<dyn Screen>;
    let accessibility = seen as Arc<dyn Accessibility>;
    let notifications =
        SeenNotifications { all: Arc::clone(&platform.notifications), seen: Arc::clone(&accessibility) };
    Platform { accessibility, screen, notifications: Arc::new(notifications), ..platform.clone() }
}

/// A desktop without the applications that a caller may not look at.
struct Seen {
    accessibility: Arc<dyn Accessibility>,
    screen: Arc<dyn Screen>,
    sight: Arc<dyn Sight>,
    caller: Caller,
}

impl Seen {
    fn shows(&self, application: &Application) -> bool {
        self.sight.shows(&self.caller, application)
    }

    /// All that run, by which the owners of windows are known.
    async fn running(&self) -> Result<Vec<Application>> {
        match self.accessibility.applications_within(INTRODUCTION).await {
            // Owners are then known by their windows alone.
            Err(error) if error.code == ErrorCode::AccessibilityUnavailable => Ok(Vec::new()),
            listed => listed,
        }
    }

    /// Whether a window belongs to an application that may not be looked at.
    fn hides(&self, window: &Window, running: &[Application]) -> bool {
        let owners: Vec<&Application> =
            running.iter().filter(|application| belongs(window, application)).collect();
        if owners.is_empty() {
            let why = Error::new(ErrorCode::AppNotAccessible, "it is known by its window alone");
            return by_windows(std::slice::from_ref(window), &why)
                .iter()
                .any(|application| !self.shows(application));
        }
        owners.into_iter().any(|application| !self.shows(application))
    }

    /// Refuses a picture in which something would be seen of an application that may not be looked at.
    async fn check_picture(&self, target: CaptureTarget) -> Result<()> {
        let running = self.running().await?;
        let shown = self.screen.shown().await?;
        let is_seen = |window: &Window| match target {
            CaptureTarget::Desktop => !window.minimized,
            // Where its place is not known, it may be there.
            CaptureTarget::Region(area) => {
                !window.minimized && window.frame().is_none_or(|frame| overlaps(&frame, &area))
            }
            CaptureTarget::Window(id, _) => window.id == id,
        };
        let mut windows = shown;
        if let CaptureTarget::Window(id, _) = target
            && !windows.iter().any(|window| window.id == id)
        {
            windows = self.screen.windows().await?;
        }
        if windows.iter().any(|window| is_seen(window) && self.hides(window, &running)) {
            return Err(Error::new(
                ErrorCode::Blocked,
                "the picture would show an application that the policy hides from this caller",
            )
            .with_next(text![
                Invocation::of("ax_screenshot"),
                " of another application shows its window alone."
            ]));
        }
        Ok(())
    }
}

fn overlaps(one: &Rect, other: &Rect) -> bool {
    one.intersection(other).is_some_and(|both| !both.is_empty())
}

#[async_trait]
impl Accessibility for Seen {
    fn capabilities(&self) -> AccessibilityCapabilities {
        self.accessibility.capabilities()
    }

    fn consents(&self) -> Vec<Consent> {
        self.accessibility.consents()
    }

    async fn status(&self) -> AccessibilityStatus {
        self.accessibility.status().await
    }

    async fn applications_within(&self, patience: Duration) -> Result<Vec<Application>> {
        let mut listed = self.accessibility.applications_within(patience).await?;
        listed.retain(|application| self.shows(application));
        Ok(listed)
    }

    async fn connect(&self, application: &Application) -> Result<Arc<dyn ConnectedApp>> {
        if !self.shows(application) {
            return Err(Error::new(ErrorCode::Blocked, "the policy hides this application from this caller"));
        }
        self.accessibility.connect(application).await
    }

    fn changes(&self) -> Changes {
        self.accessibility.changes()
    }
}

#[async_trait]
impl Screen for Seen {
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
        let mut windows = self.screen.windows().await?;
        let running = self.running().await?;
        windows.retain(|window| !self.hides(window, &running));
        Ok(windows)
    }

    /// All of them, as whatever is drawn over something decides what a click reaches; what is hidden has no words.
    async fn shown(&self) -> Result<Vec<Window>> {
        let mut windows = self.screen.shown().await?;
        let running = self.running().await?;
        for window in windows.iter_mut().filter(|window| self.hides(window, &running)) {
            window.title.clear();
            window.class = None;
        }
        Ok(windows)
    }

    async fn capture(&self, target: CaptureTarget) -> Result<Frame> {
        self.check_picture(target).await?;
        let frame = self.screen.capture(target).await?;
        // A window may have come meanwhile.
        self.check_picture(target).await?;
        Ok(frame)
    }

    fn changes(&self) -> Changes {
        self.screen.changes()
    }
}

/// The notifications of applications that a caller may look at.
struct SeenNotifications {
    all: Arc<dyn Notifications>,
    seen: Arc<dyn Accessibility>,
}

#[async_trait]
impl Notifications for SeenNotifications {
    async fn begin(&self) -> Result<()> {
        self.all.begin().await
    }

    fn latest(&self) -> u64 {
        self.all.latest()
    }

    /// Those that an application sent itself. The program between one and its notification may be one that is hidden, and may have ended.
    async fn seen_after(&self, number: u64) -> Result<Vec<Notification>> {
        let mut notifications = self.all.seen_after(number).await?;
        if !notifications.is_empty() {
            let running = self.seen.applications().await?;
            notifications.retain(|one| one.is_direct(&running) && one.senders(&running).next().is_some());
        }
        Ok(notifications)
    }

    fn changes(&self) -> Changes {
        self.all.changes()
    }
}
