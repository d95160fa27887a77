//! Which clients are installed, and whether handeye is among their servers.

use crate::document::Server;
use crate::environment::Environment;
use crate::file;
use crate::file_location::Surroundings;
use crate::table::{CLIENTS, Client};
use crate::{document, edit};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What is known of one client.
#[derive(Debug)]
pub struct Status {
    /// The client.
    pub client: &'static Client,
    /// Whether it is installed, as far as its program, its folders or its file show.
    pub installed: bool,
    /// The file with its servers.
    pub path: Option<PathBuf>,
    /// Whether handeye is among them.
    pub state: RegistrationState,
    /// What the entry starts, if it starts something.
    pub server: Option<Server>,
    /// The environment that the client starts it with.
    pub environment: Environment,
    /// Why the file cannot be used.
    pub fault: Option<String>,
}

/// Whether handeye is among the servers of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RegistrationState {
    /// There is no entry.
    Absent,
    /// There is one, and what it starts exists.
    Ready,
    /// There is one that starts a program which does not exist.
    Broken,
    /// There is another server of that name.
    Foreign,
    /// The file cannot be read or understood.
    Unreadable,
}

impl RegistrationState {
    /// The name of the state in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Ready => "ready",
            Self::Broken => "broken",
            Self::Foreign => "foreign",
            Self::Unreadable => "unreadable",
        }
    }
}

/// What is known of every client, with the entry `name`.
pub fn status(surroundings: &Surroundings, name: &str) -> Vec<Status> {
    CLIENTS.iter().map(|client| Status::of(client, surroundings, name)).collect()
}

impl Status {
    /// What is known of one client, with the entry `name`.
    pub fn of(client: &'static Client, surroundings: &Surroundings, name: &str) -> Self {
        let path = surroundings.choose(client.files);
        let exists = |place: &crate::file_location::FileLocation| {
            surroundings.resolve(*place).is_some_and(|path| path.exists())
        };
        let has_file = path.as_ref().is_some_and(|path| path.exists());
        let installed =
            has_file || client.traces.iter().any(exists) || surroundings.has_program(client.programs);
        let none = Self {
            client,
            installed,
            path: path.clone(),
            state: RegistrationState::Absent,
            server: None,
            environment: Environment::new(),
            fault: None,
        };
        match path.map_or(Ok(None), |path| text(client, &path)) {
            Ok(None) => none,
            Ok(Some(parsed)) => match document::entry(&parsed, client, name) {
                Some(entry) => none.with_entry(entry, surroundings),
                None => none,
            },
            Err(why) => Self { state: RegistrationState::Unreadable, fault: Some(why), ..none },
        }
    }

    fn with_entry(self, entry: &serde_json::Value, surroundings: &Surroundings) -> Self {
        let environment = self.client.passes.environment(entry);
        let Some(server) = document::server(entry) else {
            return Self { state: RegistrationState::Foreign, ..self };
        };
        let state = match (server.is_handeye(), surroundings.finds(&server.command)) {
            (false, _) => RegistrationState::Foreign,
            (true, true) => RegistrationState::Ready,
            (true, false) => RegistrationState::Broken,
        };
        Self { state, server: Some(server), environment, ..self }
    }
}

/// What the file says, if there is one; otherwise why it cannot be used.
fn text(client: &Client, path: &Path) -> Result<Option<serde_json::Value>, String> {
    // Only reading: a link may be followed.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    match file::read(&target) {
        Ok(Some(text)) => edit::read(client, &text).map(Some),
        Ok(None) => Ok(None),
        Err(error) => Err(error.message),
    }
}
