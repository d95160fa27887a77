//! Scripts: the person reads the whole of one and approves it before it runs (axterminator, section 12, scenarios 5 and 6).

use crate::confirm::Confirm;
use crate::desk::Desk;
use crate::record::{About, NotDone};
use handeye_call::call::Call;
use handeye_call::client::{APPROVE, FieldKind, Form, PROCEED};
use handeye_core::{Error, ErrorCode, Result, Script, ScriptRun, SecurityMode, screen_text};
use std::time::Duration;

/// The field in which the person may give the script another deadline.
const TIMEOUT: &str = "timeout_seconds";
/// The longest deadline of a script.
pub const LONGEST_SCRIPT: Duration = Duration::from_secs(60);
/// Programs that ask for the rights of an administrator.
const ELEVATING: [&str; 6] = ["sudo", "pkexec", "su", "doas", "run0", "gksudo"];

impl Desk {
    /// Runs a script that the person has read and approved.
    ///
    /// # Errors
    /// [`ErrorCode::Blocked`] if nobody can be asked, [`ErrorCode::Declined`] if the person says no; then nothing was run. Others as
    /// [`Scripts::run`](handeye_core::Scripts::run).
    pub async fn run_script(&self, call: &Call, script: Script) -> Result<ScriptRun> {
        let about = || About { durable: true, ..About::way("script") };
        let script = match self.approved(call, script).await {
            Ok(script) => script,
            Err(error) => {
                self.not_granted(call, NotDone(about()), &error).await;
                return Err(error);
            }
        };
        let grant = self.granted(call, about()).await?;
        call.progress.report(1, 2, "Executing".to_owned());
        let run = self.platform.scripts.run(&grant, script).await;
        grant.ended(&run).await;
        call.progress.report(2, 2, "Complete".to_owned());
        run
    }

    /// The script that the person approved, with the deadline that the person gave it.
    async fn approved(&self, call: &Call, script: Script) -> Result<Script> {
        call.trail.flag("script");
        let mode = self.guard.trust().mode();
        if mode >= SecurityMode::Safe {
            return Err(Error::new(
                ErrorCode::Blocked,
                format!("the mode is {mode}, in which scripts are off: nothing was run"),
            )
            .with_next("Only the operator of handeye can choose another mode, by starting it with one."));
        }
        let capabilities = call.client.capabilities();
        if !capabilities.form || (self.confirm == Confirm::Always && capabilities.unproven) {
            return Err(Error::new(
                ErrorCode::Blocked,
                format!("a script needs a person's yes: {}; nothing was run", call.client.without_yes()),
            )
            .with_next("Use a client that shows forms to a person, or ask the person to run the script."));
        }
        let place = screen_text::line(&script.directory.display().to_string(), 200);
        if let Some(program) = elevating(&script.source) {
            call.trail.flag("administrator");
            let form = Form::new(format!(
                "This script asks for administrator rights ({program}). It is shown before it runs."
            ))
            .required(
                PROCEED,
                "Proceed with admin prompt?",
                FieldKind::YesNo { default: false },
            );
            let fields = call.fill_in("script_admin", &script.source, form).await;
            agreed(call, fields.map(|fields| fields.is_yes(PROCEED)))?;
        }
        let seconds = i64::try_from(script.deadline.as_millis().div_ceil(1_000)).unwrap_or(i64::MAX);
        let longest = i64::try_from(LONGEST_SCRIPT.as_secs()).unwrap_or(i64::MAX);
        let form = Form::new(format!(
            "Review this shell script before execution. It begins in {place} as your user."
        ))
        .with_exhibit(script.source.clone())
        .required(APPROVE, "Execute this script?", FieldKind::YesNo { default: false })
        .optional(
            TIMEOUT,
            "Timeout (seconds)",
            FieldKind::Integer { minimum: 1, maximum: longest, default: seconds.clamp(1, longest) },
        );
        let fields = call.fill_in("script", &place, form).await;
        let chosen = fields.as_ref().ok().and_then(|fields| fields.integer(TIMEOUT));
        agreed(call, fields.map(|fields| fields.is_yes(APPROVE)))?;
        call.trail.confirmed(true);
        // What was left as it is in a form of whole seconds is the deadline that the caller asked for.
        let chosen = chosen.filter(|chosen| *chosen != seconds).and_then(|chosen| u64::try_from(chosen).ok());
        let deadline = chosen.map_or(script.deadline, Duration::from_secs);
        call.grace.grant(deadline.saturating_sub(script.deadline));
        Ok(Script { deadline, ..script })
    }
}

/// Passes a yes; everything else is an error.
fn agreed(call: &Call, answered: Result<bool>) -> Result<()> {
    match answered {
        Ok(true) => Ok(()),
        Ok(false) => {
            call.trail.confirmed(false);
            Err(Error::new(ErrorCode::Declined, "the person did not approve the script: nothing was run")
                .with_next("Do not try another way to do the same; ask the person what to do instead."))
        }
        Err(error) => {
            if error.code == ErrorCode::Declined {
                call.trail.confirmed(false);
            }
            Err(error)
        }
    }
}

/// The program in a script that asks for the rights of an administrator, if there is one. A word that only looks like it costs one question.
fn elevating(source: &str) -> Option<&'static str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut words = source.split(|c: char| !is_part(c));
    words.find_map(|word| ELEVATING.into_iter().find(|program| *program == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_administrators_are_found_as_words() {
        for source in ["sudo ls", "a; /usr/bin/pkexec b", "echo $(su -c x)", "x|doas y", "\nsudo\n"] {
            assert!(elevating(source).is_some(), "{source}");
        }
        for source in ["ls", "echo result", "sudoku", "./issue.sh", "pseudo-sudo2"] {
            assert_eq!(elevating(source), None, "{source}");
        }
    }
}
