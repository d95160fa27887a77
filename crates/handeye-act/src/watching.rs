//! Watching what the user does, for a recording: only after a person agreed, and one recording at a time.

use crate::desk::Desk;
use handeye_call::call::Call;
use handeye_call::client::{CONFIRM, FieldKind, Form};
use handeye_core::{Error, ErrorCode, Result, UserEvents};
use tokio::sync::OwnedMutexGuard;

/// What the user does, and the right to record it, which ends when this is dropped.
#[derive(Debug)]
pub struct WatchedUser {
    /// What is done from now on.
    pub events: UserEvents,
    _turn: OwnedMutexGuard<()>,
}

/// The person was asked whether what is done may be recorded, and agreed.
#[derive(Debug)]
pub struct Agreed(());

impl Agreed {
    /// For a command that a person typed to have it recorded, or confirmed at the terminal.
    pub const fn at_the_terminal() -> Self {
        Self(())
    }

    /// Asks the person behind a call. Asked whatever the setting `confirm` is: keys are seen.
    ///
    /// # Errors
    /// [`ErrorCode::Blocked`] if nobody can be asked, [`ErrorCode::Declined`] if the person says no.
    pub async fn ask(call: &Call) -> Result<Self> {
        if !call.client.capabilities().form {
            return Err(Error::new(
                ErrorCode::Blocked,
                "a recording needs a person's yes: nothing is recorded",
            )
            .with_next("No person can be asked through this client. A person can run `handeye record` in a terminal."));
        }
        let message = "This will record what you click and type in applications, until it is stopped or for 30 minutes. \
                       Passwords are left out.";
        let form =
            Form::new(message).required(CONFIRM, "Record what I do", FieldKind::YesNo { default: false });
        let answered = call.fill_in("record", "", form).await;
        match answered {
            Ok(fields) if fields.is_yes(CONFIRM) => {
                call.trail.confirmed(true);
                Ok(Self(()))
            }
            Ok(_) => {
                call.trail.confirmed(false);
                Err(Error::new(
                    ErrorCode::Declined,
                    "the person does not want to be recorded: nothing is recorded",
                )
                .with_next("Do not ask again; ask the person what to do instead."))
            }
            Err(error) => Err(error),
        }
    }
}

impl Desk {
    /// Begins to watch the user.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`] where that cannot be done, or another recording runs.
    pub async fn watch_user(&self, _: Agreed) -> Result<WatchedUser> {
        let port = &self.platform.user_input;
        port.watching().require("nothing can be recorded")?;
        let turn = self.memory.claim_user().ok_or_else(already)?;
        let events = port.watch(&self.harmless()).await?;
        Ok(WatchedUser { events, _turn: turn })
    }

    /// Fails where nothing can be recorded now, so that nobody is asked in vain.
    ///
    /// # Errors
    /// As [`watch_user`](Self::watch_user).
    pub fn can_watch_user(&self) -> Result<()> {
        self.platform.user_input.watching().require("nothing can be recorded")?;
        self.memory.claim_user().map(drop).ok_or_else(already)
    }
}

fn already() -> Error {
    Error::new(ErrorCode::Refused, "a recording runs already on this desktop")
        .with_next("Read handeye://recording/stop, or end the `handeye record` that runs.")
}
