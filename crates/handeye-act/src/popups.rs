//! Menus and other popups that a background action opens.
//!
//! An open menu holds the keyboard of the whole desktop: what the user types in another window goes into it, and "a" may be
//! the key of one of its items. So what opens is closed again at once, and what stays open is reported.

use crate::desk::Desk;
use crate::naming::belongs;
use handeye_core::{
    Application, Argument, Dismissal, Invocation, Permit, Result, Text, Window, WindowId, text,
};
use handeye_tree::describe::quote;
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Time between two looks while an action is under way: an open menu takes what is typed meanwhile.
const PAUSE: Duration = Duration::from_millis(10);
/// How often a window is tried that turns out not to hold the keyboard: a menu takes it a moment after it is drawn.
const TRIES: u32 = 8;
/// Most presses of Escape for one action; each closes one menu.
const MOST_PRESSES: u32 = 6;
/// How long a popup may take to go.
const PATIENCE: Duration = Duration::from_millis(600);

/// The window that the user is in, if it is not one of `application`.
pub async fn user_elsewhere(desk: &Desk, application: &Application) -> Option<Window> {
    match desk.platform.screen.windows().await {
        Ok(windows) => windows.into_iter().find(|window| window.active && !belongs(window, application)),
        // Where no windows can be listed, nobody is known to be elsewhere.
        Err(error) => {
            tracing::debug!(code = error.code.as_str(), "the active window is not known");
            None
        }
    }
}

/// What became of the popups of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// There was none that holds the keyboard.
    None,
    /// They were closed again.
    Closed,
    /// One is still open.
    Left,
}

/// Which popups are closed, by what was open at some moment; none if that is not known.
pub(super) enum Which {
    /// Those that were not open then.
    OpenedAfter(Option<HashSet<WindowId>>),
    /// Those that were open then and are still.
    OpenSince(Option<HashSet<WindowId>>),
}

/// Closes popups of one application.
pub(super) struct Watch<'a> {
    desk: &'a Desk,
    permit: &'a Permit,
    application: &'a Application,
    which: Which,
    /// What the window manager knows, and so may stay.
    managed: HashSet<WindowId>,
    /// How often each new window was tried.
    tried: HashMap<WindowId, u32>,
    presses: u32,
    /// The last look found one that could not be closed.
    is_left: bool,
}

impl<'a> Watch<'a> {
    /// Closes `which` popups of `application`.
    pub(super) fn on(desk: &'a Desk, permit: &'a Permit, application: &'a Application, which: Which) -> Self {
        Self {
            desk,
            permit,
            application,
            which,
            managed: HashSet::new(),
            tried: HashMap::new(),
            presses: 0,
            is_left: false,
        }
    }

    /// Lets `acting` go on and closes what comes up meanwhile.
    pub(super) async fn beside<T>(&mut self, acting: impl Future<Output = T>) -> T {
        tokio::pin!(acting);
        loop {
            tokio::select! {
                biased;
                result = &mut acting => return result,
                () = sleep(PAUSE) => self.look().await,
            }
        }
    }

    /// Closes what is still open, waits until it is gone, and returns what became of them.
    pub(super) async fn end(&mut self) -> Fate {
        let end = Instant::now() + PATIENCE;
        loop {
            self.look().await;
            if !self.is_left || Instant::now() >= end {
                break;
            }
            sleep(PAUSE).await;
        }
        match (self.is_left, self.presses) {
            (true, _) => Fate::Left,
            (false, 0) => Fate::None,
            (false, _) => Fate::Closed,
        }
    }

    /// Closes the topmost new popup that holds the keyboard.
    async fn look(&mut self) {
        self.is_left = false;
        let Ok(mut new) = shown(self.desk, self.application).await else { return };
        new.retain(|window| self.is_meant(window.id) && self.tries(window.id) < TRIES);
        if new.is_empty() {
            return;
        }
        // A window that the manager knows is a dialog, and may stay.
        let Ok(managed) = self.desk.platform.screen.windows().await else { return };
        self.managed.extend(managed.into_iter().map(|window| window.id));
        new.retain(|window| self.is_meant(window.id));
        for popup in new {
            if self.presses >= MOST_PRESSES {
                self.is_left = true;
                return;
            }
            match self.desk.platform.seats.user.dismiss(self.permit, popup.id).await {
                Ok(Dismissal::Pressed) => {
                    self.presses += 1;
                    self.is_left = true;
                    return;
                }
                Ok(Dismissal::Free) => *self.tried.entry(popup.id).or_default() += 1,
                Ok(Dismissal::Unsure) => self.is_left = true,
                Err(error) => {
                    tracing::debug!(code = error.code.as_str(), "a popup could not be closed");
                    self.is_left = true;
                }
            }
        }
    }

    fn is_meant(&self, id: WindowId) -> bool {
        let is_meant = match &self.which {
            Which::OpenedAfter(open) => open.as_ref().is_some_and(|open| !open.contains(&id)),
            Which::OpenSince(open) => open.as_ref().is_some_and(|open| open.contains(&id)),
        };
        is_meant && !self.managed.contains(&id)
    }

    fn tries(&self, id: WindowId) -> u32 {
        self.tried.get(&id).copied().unwrap_or_default()
    }
}

/// What an application shows, menus included.
async fn shown(desk: &Desk, application: &Application) -> Result<Vec<Window>> {
    let shown = desk.platform.screen.shown().await.inspect_err(|error| {
        tracing::debug!(code = error.code.as_str(), "the open menus are not known");
    })?;
    Ok(shown.into_iter().filter(|window| belongs(window, application)).collect())
}

/// The windows and menus of an application that are open now; `None` if they cannot be listed.
pub(super) async fn open_now(desk: &Desk, application: &Application) -> Option<HashSet<WindowId>> {
    let open = shown(desk, application).await.ok()?;
    Some(open.into_iter().map(|window| window.id).collect())
}

/// A sentence for the answer; `None` if there is nothing to report. `user` is the window that the user is in.
pub(super) fn sentence(fate: Fate, application: &Application, user: &Window) -> Option<Text> {
    let title = quote(&user.title);
    match fate {
        Fate::None => None,
        Fate::Closed => Some(text![
            format!(
                "It opened a menu, which takes the keyboard from window \"{title}\", so that was closed again; "
            ),
            Argument::new("mode", "focus"),
            " leaves it open."
        ]),
        Fate::Left => {
            let name = quote(&application.name);
            let app = application.pid().map_or_else(|| application.name.clone(), |pid| pid.to_string());
            Some(text![
                format!("A menu of '{name}' is still open and takes what is typed in window \"{title}\": "),
                Invocation::of("ax_key_press").with("app", app).with("key", "escape").with("mode", "focus"),
                " closes it."
            ])
        }
    }
}
