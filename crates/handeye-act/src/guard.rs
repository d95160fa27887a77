//! The guard: the one place that grants the right to act.

use crate::naming::belongs;
use crate::record::Record;
use crate::window_owners::by_windows;
use handeye_core::platform::INTRODUCTION;
use handeye_core::{
    Accessibility, ActiveWindow, Application, Authority, Error, ErrorCode, Permit, Platform, Result, Rule,
    Screen, Seat, SecurityMode, Standing, Subject, Trust, Window,
};
use std::sync::Arc;

/// Holds the only authority of the desk, so that nothing acts that was not judged here, and what the user lets be done. It knows every
/// application, also those that the caller may not look at.
pub struct Guard {
    authority: Authority,
    trust: Arc<Trust>,
    accessibility: Arc<dyn Accessibility>,
    screen: Arc<dyn Screen>,
    user: Arc<dyn Seat>,
}

impl Guard {
    /// A guard of the whole desktop that lets be done what the user does.
    #[expect(clippy::disallowed_methods, reason = "the one place that grants permits")]
    pub fn new(trust: Arc<Trust>, everything: &Platform) -> Self {
        Self {
            authority: Authority::new(),
            trust,
            accessibility: Arc::clone(&everything.accessibility),
            screen: Arc::clone(&everything.screen),
            user: Arc::clone(&everything.seats.user),
        }
    }

    /// Every application that runs, whether or not the caller may look at it.
    ///
    /// # Errors
    /// As [`Accessibility::applications_within`]; without an accessibility bus applications are known by their windows.
    pub async fn everybody(&self) -> Result<Vec<Application>> {
        match self.accessibility.applications_within(INTRODUCTION).await {
            Err(error) if error.code == ErrorCode::AccessibilityUnavailable => {
                Ok(by_windows(&self.screen.windows().await?, &error))
            }
            listed => listed,
        }
    }

    /// The window that has the user's keyboard, if it is known which one that is.
    ///
    /// # Errors
    /// As [`Seat::state`] and [`Screen::windows`].
    pub async fn active_window(&self) -> Result<Option<Window>> {
        let ActiveWindow::Window(active) = self.user.state().await?.active_window else { return Ok(None) };
        let windows = self.screen.windows().await?;
        Ok(windows.into_iter().find(|window| window.id == active))
    }

    /// What the rules let be done to each of the applications that a window may belong to, with its name. One that nobody is known to own is
    /// judged by its class, and as an unknown process; so is what has no window.
    pub(super) async fn standings_of(&self, window: Option<&Window>) -> Result<Vec<(String, Standing)>> {
        let Some(window) = window else {
            return Ok(vec![("the desktop".to_owned(), self.trust.standing(Subject::default()))]);
        };
        let running = self.everybody().await?;
        // Where a caller may not look at it, its words were taken away.
        let known = self.screen.shown().await?.into_iter().find(|shown| shown.id == window.id);
        let window = known.as_ref().unwrap_or(window);
        let owners = running.iter().filter(|application| belongs(window, application));
        let standings: Vec<_> =
            owners.map(|owner| (owner.name.clone(), self.trust.standing(owner))).collect();
        if standings.is_empty() {
            let name = window.class.clone().unwrap_or_else(|| window.title.clone());
            return Ok(vec![(name, self.trust.standing(window))]);
        }
        Ok(standings)
    }

    /// What the user lets be done.
    pub fn trust(&self) -> &Arc<Trust> {
        &self.trust
    }

    /// The right to do what was authorized just now, and what the audit log has a record of.
    pub(super) fn grant(&self, _: &Record) -> Permit {
        self.authority.grant()
    }

    /// The right to do what changes nothing that could be lost. The audit log does not have it.
    pub(super) fn grant_harmless(&self) -> Permit {
        self.authority.grant()
    }

    /// What the rules let be done to each application of a process, with its name. One that no application is known of has the standing of
    /// an unknown one, as has the process that keeps what handeye was given to copy.
    pub(super) async fn standings_of_process(&self, pid: Option<u32>) -> Result<Vec<(String, Standing)>> {
        let running = self.everybody().await?;
        let of_process = running.iter().filter(|application| pid.is_some() && application.pid() == pid);
        let standings: Vec<_> =
            of_process.map(|owner| (owner.name.clone(), self.trust.standing(owner))).collect();
        if standings.is_empty() {
            return Ok(vec![("an unknown application".to_owned(), self.trust.standing(Subject::default()))]);
        }
        Ok(standings)
    }

    /// Fails in a mode in which nothing is acted on.
    ///
    /// # Errors
    /// [`ErrorCode::Blocked`].
    pub(super) fn check_mode(&self) -> Result<()> {
        match self.trust.mode() {
            SecurityMode::Normal | SecurityMode::Safe => Ok(()),
            mode @ SecurityMode::Sandboxed => Err(Error::new(
                ErrorCode::Blocked,
                format!("the mode is {mode}, in which nothing is acted on: nothing was done"),
            )
            .with_next("Only the operator of handeye can choose another mode, by starting it with one.")),
        }
    }

    /// Fails for an application that may not be acted on, which is called `name`.
    ///
    /// # Errors
    /// [`ErrorCode::Blocked`] with the rule.
    pub(super) fn check_standing(name: &str, standing: &Standing) -> Result<()> {
        match standing.denied.as_ref().or(standing.read_only.as_ref()) {
            Some(rule) => Err(blocked(name, rule)),
            None => Ok(()),
        }
    }
}

/// The error of an application that may not be looked at or acted on (axterminator, section 13.3).
pub fn blocked(name: &str, rule: &Rule) -> Error {
    let shown = handeye_core::screen_text::name(name);
    Error::new(ErrorCode::Blocked, format!("App '{shown}' is blocked by security policy: {rule}"))
        .with_next("Only the user can change that rule. Do not try another way to the same application; ask the user what to do instead.")
}
