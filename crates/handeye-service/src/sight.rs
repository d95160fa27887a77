//! What a caller may look at: the desktop without the applications that the policy hides from it.
//!
//! Everything that reads has the desktop from its engine alone, so the engine gets a platform on which those are not: no list, tree, picture,
//! resource, completion, subscription and prompt can have anything of them, nor can what is written next.

use async_trait::async_trait;
use handeye_act::blocked;
use handeye_act::naming::belongs;
use handeye_act::targets::{FRONTMOST, answers, only_fit};
use handeye_act::window_owners::by_windows;
use handeye_call::caller::Caller;
use handeye_core::platform::{AccessibilityStatus, CaptureTarget, Changes, INTRODUCTION};
use handeye_core::{
    Accessibility, AccessibilityCapabilities, Application, ConnectedApp, Consent, Error, ErrorCode, Frame,
    Invocation, Monitor, Notification, Notifications, OnAgentSeat, Platform, Rect, Result, Rule, Screen,
    ScreenCapabilities, Window, text,
};
use handeye_engine::Engine;
use std::sync::Arc;
use std::time::Duration;

/// Decides which applications a caller may look at. What an application shows on the screen is not an input to it.
pub trait Sight: Send + Sync {
    /// Whether this caller may look at this application. One that it may not look at is not there for it.
    fn shows(&self, caller: &Caller, application: &Application) -> bool;

    /// The rule by which a caller may not look at an application, if it may know that there is one: naming the application is then answered with
    /// it. `None` to answer as for one that is not there.
    fn rule(&self, _caller: &Caller, _application: &Application) -> Option<Rule> {
        None
    }
}

/// The error of a caller that named an application which it may not look at; `None` if it named none that it may know of.
pub(crate) async fn why_not_found(engine: &Engine, sight: &dyn Sight, name: &str) -> Option<Error> {
    let everybody = engine.desk.guard.everybody().await.ok()?;
    let hidden: Vec<Application> =
        everybody.into_iter().filter(|application| !sight.shows(&engine.caller, application)).collect();
    let meant = if name.eq_ignore_ascii_case(FRONTMOST) {
        let active = engine.desk.guard.active_window().await.ok()??;
        hidden.iter().find(|application| belongs(&active, application))
    } else {
        only_fit(name, &hidden)
            .or_else(|| hidden.iter().find(|one| answers(name, std::slice::from_ref(*one))))
    };
    let application = meant?;
    Some(blocked(&application.name, &sight.rule(&engine.caller, application)?))
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

    /// Where something would be seen in a picture of applications that may not be looked at: their windows without what other windows cover.
    ///
    /// # Errors
    /// [`ErrorCode::Blocked`] if the picture is of such a window, or it is not known where one is.
    async fn hidden_in(&self, target: CaptureTarget) -> Result<Vec<Rect>> {
        let running = self.running().await?;
        let mut windows = self.screen.shown().await?;
        if let CaptureTarget::Window(id, _) = target {
            if !windows.iter().any(|window| window.id == id) {
                windows = self.screen.windows().await?;
            }
            let is_hidden = windows.iter().any(|window| window.id == id && self.hides(window, &running));
            return if is_hidden { Err(blocked_picture()) } else { Ok(Vec::new()) };
        }
        let mut parts = Vec::new();
        let mut above = Vec::new();
        for window in windows.iter().filter(|window| !window.minimized) {
            if self.hides(window, &running) {
                let frame = window.frame().ok_or_else(blocked_picture)?;
                parts.extend(uncovered(frame, &above));
            } else if window.stacking.is_some() {
                above.extend(window.content());
            }
        }
        Ok(parts)
    }
}

/// Most parts of a window that are distinguished; one that is in more is masked as a whole.
const MOST_PARTS: usize = 1_000;

/// The parts of an area that none of the others covers.
fn uncovered(area: Rect, covers: &[Rect]) -> Vec<Rect> {
    let mut parts = vec![area];
    for cover in covers {
        parts = parts.into_iter().flat_map(|part| without(part, *cover)).collect();
        if parts.len() > MOST_PARTS {
            return vec![area];
        }
    }
    parts
}

/// What is left of an area without another one: at most four parts.
fn without(area: Rect, cover: Rect) -> Vec<Rect> {
    let Some(both) = area.intersection(&cover).filter(|both| !both.is_empty()) else { return vec![area] };
    let band = |top: i32, bottom: i32, left: i32, right: i32| {
        (bottom > top && right > left)
            .then(|| Rect::new(left, top, left.abs_diff(right), top.abs_diff(bottom)))
    };
    [
        band(area.y, both.y, area.x, area.right()),
        band(both.bottom(), area.bottom(), area.x, area.right()),
        band(both.y, both.bottom(), area.x, both.x),
        band(both.y, both.bottom(), both.right(), area.right()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn blocked_picture() -> Error {
    Error::new(
        ErrorCode::Blocked,
        "the picture would show an application that the policy hides from this caller",
    )
    .with_next(text![Invocation::of("ax_screenshot"), " of another application shows its window alone."])
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

    async fn prepare(&self) {
        self.accessibility.prepare().await;
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

    async fn on_agent_seat(&self, pid: u32) -> Result<Option<OnAgentSeat>> {
        self.accessibility.on_agent_seat(pid).await
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
        let before = self.hidden_in(target).await?;
        let mut frame = self.screen.capture(target).await?;
        // A window may have come or moved meanwhile.
        let after = self.hidden_in(target).await?;
        for place in before.into_iter().chain(after) {
            frame.mask(place.into());
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_rect() -> impl Strategy<Value = Rect> {
        (0..12_i32, 0..12_i32, 1..8_u32, 1..8_u32)
            .prop_map(|(x, y, width, height)| Rect::new(x, y, width, height))
    }

    fn has(rect: &Rect, x: i32, y: i32) -> bool {
        x >= rect.x && x < rect.right() && y >= rect.y && y < rect.bottom()
    }

    proptest! {
        #[test]
        fn every_point_is_in_one_part_or_covered(area in any_rect(), covers in proptest::collection::vec(any_rect(), 0..5)) {
            let parts = uncovered(area, &covers);
            for (x, y) in (0..20).flat_map(|x| (0..20).map(move |y| (x, y))) {
                let seen = has(&area, x, y) && !covers.iter().any(|cover| has(cover, x, y));
                prop_assert_eq!(parts.iter().filter(|part| has(part, x, y)).count(), usize::from(seen));
            }
        }
    }
}
