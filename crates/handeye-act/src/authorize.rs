//! The right to act on a desktop, after the person was asked who has to be, and after it was recorded.

use crate::confirm::Deed;
use crate::consent::{self, Demands};
use crate::desk::Desk;
use crate::elevation::Prompt;
use crate::guard::{Guard, blocked};
use crate::record::{self, About, Grant, NotDone, Record, To, not_done};
use handeye_call::call::Call;
use handeye_core::{ConnectedApp, Error, NodeId, Permit, Result, SecurityMode, Standing, Window};
use std::sync::Arc;

/// What something is about to be done to.
#[derive(Clone, Copy)]
pub(super) enum Whom<'a> {
    /// An application that shows its tree.
    Application(&'a Arc<dyn ConnectedApp>),
    /// Whatever owns this window; `None` for the bare desktop, and where it is not known which window it is.
    Window(Option<&'a Window>),
}

impl<'a> Whom<'a> {
    /// The application, where it shows its tree.
    pub(super) const fn application(self) -> Option<&'a Arc<dyn ConnectedApp>> {
        match self {
            Self::Application(app) => Some(app),
            Self::Window(_) => None,
        }
    }
}

impl Desk {
    /// The right to do something to an application, or to what no application is known for. Call it after what will be hit was found, and
    /// before anything is done to it.
    ///
    /// # Errors
    /// [`ErrorCode::Declined`](handeye_core::ErrorCode::Declined) if a person says no,
    /// [`ErrorCode::Blocked`](handeye_core::ErrorCode::Blocked) if the mode or a rule of the user forbids it, if a person has to be asked and
    /// cannot be, or if it cannot be recorded and must be.
    pub(super) async fn authorize(
        &self,
        call: &Call,
        whom: Whom<'_>,
        deed: &Deed,
        about: About,
    ) -> Result<Grant> {
        match self.allow(call, whom, deed).await {
            Ok(()) => self.granted(call, about).await,
            Err(error) => {
                self.not_granted(call, NotDone(about), &error).await;
                Err(error)
            }
        }
    }

    /// Judges a deed. What is not allowed is an error; nothing is recorded.
    pub(super) async fn allow(&self, call: &Call, whom: Whom<'_>, deed: &Deed) -> Result<()> {
        let standing = match self.judge(whom, deed).await {
            Ok(standing) => standing,
            Err(error) => {
                call.trail.flag("blocked_by_policy");
                return Err(error);
            }
        };
        let prompt = match whom {
            Whom::Application(app) => Prompt::of_application(app, deed),
            Whom::Window(window) => Prompt::of_window(window),
        };
        let mode = self.guard.trust().mode();
        let demands = Demands::of(self.confirm, mode, standing.ask_first, prompt);
        consent::before(self, call, whom.application(), deed, &demands).await
    }

    /// What the rules let be done to what will be hit.
    async fn judge(&self, whom: Whom<'_>, deed: &Deed) -> Result<Standing> {
        self.guard.check_mode()?;
        let standings = match whom {
            Whom::Application(app) => self.standings_of(app, deed),
            Whom::Window(window) if self.guard.trust().rules().restrict() => {
                self.guard.standings_of(window).await?
            }
            Whom::Window(_) => Vec::new(),
        };
        let tree = whom.application().map(|app| app.mirror().snapshot()).unwrap_or_default();
        let mut all = Standing::default();
        for (name, standing) in standings {
            Guard::check_standing(&name, &standing)?;
            if let Some(rule) = standing.no_clipboard.as_ref().filter(|_| deed.uses_clipboard(&tree)) {
                return Err(blocked(&name, rule));
            }
            all = all.and(standing);
        }
        Ok(all)
    }

    /// The application, and the owner of what is hit in it: an element of another process is its owner's, whatever window it is shown in.
    fn standings_of(&self, app: &Arc<dyn ConnectedApp>, deed: &Deed) -> Vec<(String, Standing)> {
        let trust = self.guard.trust();
        let application = app.application();
        let mut standings = vec![(application.name.clone(), trust.standing(application))];
        let tree = app.mirror().snapshot();
        let owners = deed.hits().into_iter().filter_map(|hit: NodeId| tree.get(hit)?.owner.clone());
        standings.extend(owners.map(|owner| (owner.to_string(), trust.standing(&*owner))));
        standings
    }

    /// Records what is about to be done, and grants the right to do it.
    ///
    /// # Errors
    /// [`ErrorCode::Blocked`](handeye_core::ErrorCode::Blocked) if it could not be recorded and must be.
    pub(super) async fn granted(&self, call: &Call, about: About) -> Result<Grant> {
        if self.guard.trust().mode() >= SecurityMode::Safe {
            // Nothing is done there that was not recorded (axterminator, section 13.2).
            self.ledger.require();
        }
        let record = Record::begin(self.records(), call, about).await?;
        Ok(Grant::new(self.guard.grant(&record), record))
    }

    /// Records an action that was not begun, if a person or a policy is the cause.
    pub async fn not_granted(&self, call: &Call, about: NotDone, error: &Error) {
        not_done(self.records(), call, about.0, error).await;
    }

    /// Where this desk's actions are recorded.
    fn records(&self) -> To<'_> {
        To { ledger: self.ledger.as_ref(), redactor: &self.redactor }
    }

    /// Records that a call asked a person and got no answer, so that nothing more was done. Does not wait for the record.
    pub fn unanswered(&self, call: &Call) {
        record::unanswered(self.records(), call);
    }

    /// The right to write a picture to a file of the user: a new one, or one in the place of a picture.
    ///
    /// # Errors
    /// [`ErrorCode::Blocked`](handeye_core::ErrorCode::Blocked) if it cannot be recorded and must be.
    pub async fn may_write_pictures(&self, call: &Call) -> Result<Grant> {
        self.granted(call, About::way("file")).await
    }

    /// The right to replace what is on the clipboard, which every application does without a question.
    ///
    /// # Errors
    /// [`ErrorCode::Blocked`](handeye_core::ErrorCode::Blocked) in a mode in which nothing is acted on, or if it cannot be recorded and must be.
    pub(super) async fn may_copy(&self, call: &Call) -> Result<Grant> {
        self.guard.check_mode()?;
        self.granted(call, About::way("clipboard")).await
    }

    /// The right to bring up a window or to read what was copied: nothing is lost by that, and it is not recorded.
    pub(super) fn harmless(&self) -> Permit {
        self.guard.grant_harmless()
    }
}
