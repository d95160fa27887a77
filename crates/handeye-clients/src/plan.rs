//! What an installation or its opposite would change, and the change itself.

use crate::document::{Server, entry, server};
use crate::file_location::Surroundings;
use crate::table::Client;
use crate::{diff, edit, file};
use handeye_core::{Error, ErrorCode, Result};
use serde::Serialize;
use std::path::PathBuf;

/// A change of one client's file that was worked out and not made yet.
#[derive(Debug)]
pub struct Plan {
    /// The client.
    pub client: &'static Client,
    /// Its file.
    pub path: PathBuf,
    /// What is done to it.
    pub change: Change,
    before: Option<String>,
    after: Option<String>,
    /// Whether an installation made all that is lost by the change, so that nothing of the user needs a backup.
    is_reproducible: bool,
}

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// An entry is added.
    Added,
    /// The entry of handeye, or with force another one, is replaced.
    Replaced,
    /// The entry is removed.
    Removed,
    /// It already is as it should be.
    None,
}

/// Works out how `server` is written into the file of a client as `name`.
///
/// # Errors
/// If the file cannot be read or is not what it should be, or if it has another server of that name and `force` is not given.
pub fn plan_install(
    client: &'static Client,
    surroundings: &Surroundings,
    name: &str,
    server: &Server,
    force: bool,
) -> Result<Plan> {
    let plan = Plan::read(client, surroundings)?;
    if client.needs_file && plan.before.is_none() {
        let message = format!(
            "{} does not exist, and {} needs more than its servers in it",
            plan.path.display(),
            client.name
        );
        return Err(Error::new(ErrorCode::Io, message)
            .with_next(format!("Set up {} first, then run the command again.", client.name)));
    }
    let found = plan.entry(name)?;
    let text = plan.before.as_deref().unwrap_or_default();
    let mut is_reproducible = false;
    let (change, after) = match &found {
        Some(Some(found)) if found == server => return Ok(plan),
        None => (Change::Added, edit::insert(client, text, name, server)),
        Some(found) => {
            check_own(&plan, name, found.as_ref(), force, "replace")?;
            let own = found.as_ref().filter(|found| found.is_handeye());
            let original = own.and_then(|own| plan.original(name, own));
            is_reproducible = original.is_some();
            let after = match (own, original) {
                // It is as an installation left it, and is again after this one, so that the bytes of before can be had back.
                (_, Some(original)) => edit::insert(client, &original.unwrap_or_default(), name, server),
                (Some(_), None) => edit::update(client, text, name, server),
                (None, None) => edit::insert(client, text, name, server),
            };
            (Change::Replaced, after)
        }
    };
    let after = Some(after.map_err(|why| plan.unusable(&why))?);
    Ok(Plan { change, after, is_reproducible, ..plan })
}

/// Works out how the entry `name` is removed from the file of a client. If the file is as an installation left it, it gets
/// the bytes that it had before.
///
/// # Errors
/// As [`plan_install`].
pub fn plan_uninstall(
    client: &'static Client,
    surroundings: &Surroundings,
    name: &str,
    force: bool,
) -> Result<Plan> {
    let plan = Plan::read(client, surroundings)?;
    let Some(found) = plan.entry(name)? else { return Ok(plan) };
    check_own(&plan, name, found.as_ref(), force, "remove")?;
    let text = plan.before.clone().unwrap_or_default();
    let original = found.and_then(|server| plan.original(name, &server));
    let is_reproducible = original.is_some();
    let after = match original {
        Some(original) => original,
        None => Some(edit::remove(client, &text, name).map_err(|why| plan.unusable(&why))?),
    };
    Ok(Plan { change: Change::Removed, after, is_reproducible, ..plan })
}

/// Refuses to touch an entry of another server. `what` is what --force does to it.
fn check_own(plan: &Plan, name: &str, found: Option<&Server>, force: bool, what: &str) -> Result<()> {
    if force || found.is_some_and(Server::is_handeye) {
        return Ok(());
    }
    let starts = found
        .map_or_else(|| "it starts no program".to_owned(), |found| format!("it starts {}", found.line()));
    let message =
        format!("{} has another server called '{name}' ({starts}); nothing was changed", plan.path.display());
    Err(Error::new(ErrorCode::InvalidParameter, message)
        .with_next(format!("Choose another name with --name, or {what} that entry with --force.")))
}

impl Plan {
    /// What is there, and nothing to be done.
    fn read(client: &'static Client, surroundings: &Surroundings) -> Result<Self> {
        let path = surroundings.choose(client.files).ok_or_else(|| {
            Error::new(ErrorCode::Io, format!("the file of {} cannot be located", client.name))
        })?;
        let before = file::read(&path)?;
        Ok(Self { client, path, change: Change::None, after: before.clone(), before, is_reproducible: false })
    }

    /// The entry `name`: outside `None` if there is none, inside `None` if it starts no program.
    #[expect(clippy::option_option, reason = "an entry that starts nothing is another answer than none")]
    pub(crate) fn entry(&self, name: &str) -> Result<Option<Option<Server>>> {
        let text = self.before.as_deref().unwrap_or_default();
        let parsed = edit::read(self.client, text).map_err(|why| self.unusable(&why))?;
        Ok(entry(&parsed, self.client, name).map(server))
    }

    /// What was there before an installation that explains every byte that is there now: a backup, or (inside `None`) no file.
    #[expect(clippy::option_option, reason = "no file is another answer than an unknown one")]
    fn original(&self, name: &str, server: &Server) -> Option<Option<String>> {
        let explains = |text: &str| {
            let parsed = edit::read(self.client, text).ok()?;
            let has_none = entry(&parsed, self.client, name).is_none();
            let installed = edit::insert(self.client, text, name, server).ok()?;
            (has_none && Some(installed) == self.before).then_some(())
        };
        let kept = file::backups(&self.path).into_iter().map(|(_, text)| text);
        if let Some(text) = kept.into_iter().find(|text| explains(text).is_some()) {
            return Some(Some(text));
        }
        explains("").map(|()| None)
    }

    fn unusable(&self, why: &str) -> Error {
        let message = format!("{} was not changed: {why}", self.path.display());
        Error::new(ErrorCode::Io, message).with_next(format!(
            "Correct the file, or add handeye to {} by its own settings.",
            self.client.name
        ))
    }

    /// The change in the form of `diff -u`; empty if there is none.
    pub fn diff(&self) -> String {
        if self.before == self.after {
            return String::new();
        }
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        diff::unified(&self.path.display().to_string(), &text(&self.before), &text(&self.after))
    }

    /// Whether the file itself goes, as an installation made it and nothing else is in it.
    pub fn removes_file(&self) -> bool {
        self.before.is_some() && self.after.is_none()
    }

    /// Makes the change. Returns where the file is kept as it was, unless there was none or it can be made again.
    ///
    /// # Errors
    /// If the file is read-only, was changed in the meantime, or cannot be written; it is as it was then.
    pub fn write(&self) -> Result<Option<PathBuf>> {
        if self.before == self.after {
            return Ok(None);
        }
        file::check_writable(&self.path)?;
        file::check_unchanged(&self.path, self.before.as_deref())?;
        let backup = match &self.before {
            Some(before) if !self.is_reproducible => Some(file::back_up(&self.path, before)?),
            _ => None,
        };
        match &self.after {
            Some(after) => file::replace(&self.path, self.before.as_deref(), after)?,
            None => file::remove(&self.path, self.before.as_deref())?,
        }
        Ok(backup)
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
