//! Where files of clients are.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A place below a folder that depends on the user.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FileLocation {
    /// Below the home folder.
    Home(&'static str),
    /// Below the folder for configuration.
    Config(&'static str),
    /// Below the folder that a variable names; nowhere if it is not set.
    Moved(&'static str, &'static str),
}

/// What the environment says of places.
#[derive(Debug, Clone)]
pub struct Surroundings {
    home: PathBuf,
    config: PathBuf,
    path: OsString,
    variable: fn(&str) -> Option<OsString>,
}

impl Surroundings {
    /// Those of this process; `None` if it has no home folder.
    pub fn of_this_process() -> Option<Self> {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME")?;
        let config = folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        Some(Self { home, config, path, variable: |name| std::env::var_os(name) })
    }

    /// Those of a home folder alone.
    #[cfg(test)]
    pub(crate) fn of_home(home: &Path) -> Self {
        Self { home: home.into(), config: home.join(".config"), path: OsString::new(), variable: |_| None }
    }

    pub(crate) fn resolve(&self, place: FileLocation) -> Option<PathBuf> {
        match place {
            FileLocation::Home(below) => Some(self.home.join(below)),
            FileLocation::Config(below) => Some(self.config.join(below)),
            FileLocation::Moved(variable, below) => {
                let folder = (self.variable)(variable).map(PathBuf::from)?;
                folder.is_absolute().then(|| folder.join(below))
            }
        }
    }

    /// The first of these places that exists, else the first that can be named.
    pub(crate) fn choose(&self, places: &[FileLocation]) -> Option<PathBuf> {
        // A variable that moves a folder says where the file is, whether it exists or not.
        let moved = places.iter().find(|place| matches!(place, FileLocation::Moved(..)));
        if let Some(path) = moved.and_then(|place| self.resolve(*place)) {
            return Some(path);
        }
        let mut paths = places.iter().filter_map(|place| self.resolve(*place));
        let first = paths.next()?;
        let exists = |path: &PathBuf| path.symlink_metadata().is_ok();
        Some(if exists(&first) { first } else { paths.find(exists).unwrap_or(first) })
    }

    /// Whether one of these programs is on the `PATH`.
    pub(crate) fn has_program(&self, programs: &[&str]) -> bool {
        let folders: Vec<PathBuf> = std::env::split_paths(&self.path).collect();
        programs.iter().any(|program| folders.iter().any(|folder| is_executable(&folder.join(program))))
    }

    /// The program that a client starts for `command`, if it is there.
    pub(crate) fn finds(&self, command: &str) -> bool {
        if command.contains('/') { is_executable(Path::new(command)) } else { self.has_program(&[command]) }
    }
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
