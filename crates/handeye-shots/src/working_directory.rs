//! Where relative paths begin.

use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// The folder in which relative paths begin: that of this process, or that of the client for whom it works.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkingDirectory(Option<PathBuf>);

impl WorkingDirectory {
    /// This folder, which has to be absolute.
    pub fn of_client(folder: PathBuf) -> Self {
        Self(Some(folder))
    }

    /// The folder. Fails where it was that of this process and is gone.
    pub fn folder(&self) -> io::Result<PathBuf> {
        self.0.clone().map_or_else(std::env::current_dir, Ok)
    }

    /// The path from the root on, without looking whether anything is there. An empty one is an error.
    pub fn absolute(&self, path: &Path) -> io::Result<PathBuf> {
        match &self.0 {
            Some(folder) if !path.as_os_str().is_empty() => std::path::absolute(folder.join(path)),
            _ => std::path::absolute(path),
        }
    }

    /// The path as an answer names it: relative to this folder where it is below that.
    pub fn shown(&self, path: &Path) -> String {
        let below = self.folder().ok().and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
        below.as_deref().unwrap_or(path).display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_begins_where_the_client_is() {
        let there = WorkingDirectory::of_client("/client/folder".into());
        let absolute = |path: &str| there.absolute(Path::new(path)).expect("a path");
        assert_eq!(absolute("a/./b.png"), Path::new("/client/folder/a/b.png"));
        assert_eq!(absolute("/a.png"), Path::new("/a.png"));
        assert_eq!(absolute("sub/"), Path::new("/client/folder/sub/"));
        assert!(there.absolute(Path::new("")).is_err());
        assert_eq!(there.shown(Path::new("/client/folder/a.png")), "a.png");
        assert_eq!(there.shown(Path::new("/elsewhere/a.png")), "/elsewhere/a.png");
    }

    #[test]
    fn without_a_client_it_is_that_of_the_process() {
        let here = std::env::current_dir().expect("a working directory");
        let own = WorkingDirectory::default();
        assert_eq!(own.folder().expect("there"), here);
        assert_eq!(own.absolute(Path::new("a")).expect("a path"), here.join("a"));
        assert_eq!(own.shown(&here.join("a")), "a");
    }
}
