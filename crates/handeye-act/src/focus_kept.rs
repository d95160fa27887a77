//! Keeps the focus where the user has it while something goes on in the background.
//!
//! Some toolkits and window managers make a window the active one by themselves: a dialog that opens, a page that something was dropped on. What
//! the user types then goes there. So the user's window is made the active one again at once, and the answer says for how long it was not.

use crate::desk::Desk;
use crate::naming::belongs;
use handeye_core::{Application, Window};
use handeye_tree::describe::quote;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Time between two looks where no event says that another window became the active one.
const PAUSE: Duration = Duration::from_millis(20);
/// How often the focus is given back for one action; a window that takes it again and again has it.
const MOST: u32 = 4;

/// What became of the user's focus.
#[derive(Debug, Default)]
pub(super) struct Taken {
    times: u32,
    lasted: Duration,
    is_lost: bool,
    /// The user's pointer was used in the window that has it now.
    is_chosen: bool,
    /// It is not looked for any more.
    is_over: bool,
}

/// Watches the active window.
pub(super) struct KeptFocus<'a> {
    desk: &'a Desk,
    application: &'a Application,
    user: &'a Window,
    taken: Taken,
}

impl<'a> KeptFocus<'a> {
    /// Keeps it in the window `user`, as far as `application` is concerned.
    pub(super) fn of(desk: &'a Desk, application: &'a Application, user: &'a Window) -> Self {
        Self { desk, application, user, taken: Taken::default() }
    }

    /// Lets `acting` go on and gives the focus back when the application takes it.
    pub(super) async fn beside<T>(&mut self, acting: impl Future<Output = T>) -> T {
        let mut changes = self.desk.platform.screen.changes();
        tokio::pin!(acting);
        loop {
            tokio::select! {
                biased;
                result = &mut acting => {
                    self.look().await;
                    return result;
                }
                Ok(()) = changes.changed() => self.look().await,
                () = sleep(PAUSE) => self.look().await,
            }
        }
    }

    /// The sentence for the answer; `None` if the focus stayed where it was.
    pub(super) fn sentence(self) -> Option<String> {
        let Taken { times, lasted, is_lost, is_chosen, .. } = self.taken;
        let (name, title) = (quote(&self.application.name), quote(&self.user.title));
        if is_lost {
            return Some(format!("'{name}' took the focus from window \"{title}\" and keeps it."));
        }
        if is_chosen {
            return Some(format!(
                "'{name}' has the focus, which window \"{title}\" had: the user's pointer was used in it, so it was left there."
            ));
        }
        (times > 0).then(|| {
            let lasted = lasted.as_millis().max(1);
            format!("'{name}' took the focus from window \"{title}\"; it was given back after {lasted} ms.")
        })
    }

    async fn look(&mut self) {
        if self.taken.is_over || !self.is_taken().await {
            return;
        }
        if self.taken.times >= MOST {
            (self.taken.is_lost, self.taken.is_over) = (true, true);
            return;
        }
        let begun = Instant::now();
        self.taken.times += 1;
        let user = self.desk.platform.seats.user.as_ref();
        if let Err(error) = self.desk.bring_forward(user, self.user.id).await {
            tracing::debug!(code = error.code.as_str(), "the focus could not be given back");
            (self.taken.is_lost, self.taken.is_over) = (true, true);
        }
        self.taken.lasted += begun.elapsed();
    }

    /// Whether a window of the application is the active one, and not because the user has clicked it.
    async fn is_taken(&mut self) -> bool {
        let seat = &self.desk.platform.seats.user;
        let Ok(state) = seat.state().await else { return false };
        let Some(active) = state.active_window.window().filter(|active| *active != self.user.id) else {
            return false;
        };
        let Ok(windows) = self.desk.platform.screen.windows().await else { return false };
        // Where the user's own window is gone, there is nothing to give it back to.
        let is_taken = windows.iter().any(|window| window.id == self.user.id && !window.minimized)
            && windows.iter().any(|window| window.id == active && belongs(window, self.application));
        if is_taken && seat.was_chosen(active).await.unwrap_or(false) {
            (self.taken.is_chosen, self.taken.is_over) = (true, true);
        }
        is_taken && !self.taken.is_over
    }
}
