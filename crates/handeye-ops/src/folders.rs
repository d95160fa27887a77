//! The folders that a client works in (MCP's roots; axterminator, section 16).

use handeye_call::call::Call;
use handeye_call::client::Root;
use handeye_core::{Error, ErrorCode, Result};
use handeye_shots::working_directory::WorkingDirectory;
use percent_encoding::percent_decode_str;
use std::path::{Path, PathBuf};

/// Where a file of a relative path is: below the working directory, or else below one of the client's folders, if it lists them.
/// A client that names an absolute path is free to read there anyway, so its folders give it nothing more. They are asked for in each call
/// that needs them, so a client that changes them need not say so. Nothing but such files is looked for there: no policy, no configuration
/// and no secret.
///
/// # Errors
/// Those of asking; a client that does not answer in time is one without folders.
pub(crate) async fn found(call: &Call, here: &WorkingDirectory, path: String) -> Result<String> {
    if Path::new(&path).is_absolute() || path.is_empty() || !call.client.capabilities().roots {
        return Ok(path);
    }
    let wanted = path.clone();
    let own =
        here.absolute(Path::new(&path)).map_err(|error| Error::new(ErrorCode::Io, error.to_string()))?;
    let is_here = tokio::task::spawn_blocking(move || own.exists()).await.map_err(Error::internal)?;
    if is_here {
        return Ok(path);
    }
    let roots = match call.roots("roots").await {
        Ok(roots) => roots,
        Err(error) if error.code == ErrorCode::InputRequired => return Err(error),
        Err(error) => {
            tracing::debug!(code = error.code.as_str(), "the client listed no folders");
            return Ok(path);
        }
    };
    let folders: Vec<PathBuf> = roots.iter().filter_map(folder).collect();
    let there = tokio::task::spawn_blocking(move || {
        folders.iter().find_map(|folder| within(folder, Path::new(&wanted)))
    })
    .await
    .map_err(Error::internal)?;
    Ok(there.and_then(|there| there.to_str().map(str::to_owned)).unwrap_or(path))
}

/// What is at a relative path below a folder, without links on its way; `None` if nothing is, or if the path leads out of the folder, by a
/// link or by `..`: the client has named this folder and no other.
fn within(folder: &Path, wanted: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok().filter(|folder| folder.is_dir())?;
    folder.join(wanted).canonicalize().ok().filter(|found| found.starts_with(&folder))
}

/// The folder of a root; `None` if it is not on this machine.
fn folder(root: &Root) -> Option<PathBuf> {
    let rest = root.uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = PathBuf::from(percent_decode_str(path).decode_utf8().ok()?.into_owned());
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_of_a_folder_is_found_in_it() {
        let base = tempfile::tempdir().expect("a folder");
        let root = base.path().join("root");
        std::fs::create_dir_all(root.join("below")).expect("made");
        for file in ["outside.png", "root/a.png", "root/below/b.png"] {
            std::fs::write(base.path().join(file), "x").expect("written");
        }
        std::os::unix::fs::symlink("../outside.png", root.join("leads-out.png")).expect("a link");
        std::os::unix::fs::symlink("..", root.join("up")).expect("a link");
        std::os::unix::fs::symlink("below/b.png", root.join("stays.png")).expect("a link");
        std::os::unix::fs::symlink("root", base.path().join("other-name")).expect("a link");
        let found = |folder: &str, path: &str| within(&base.path().join(folder), Path::new(path)).is_some();
        for path in ["a.png", "below/b.png", "below/../a.png", "stays.png"] {
            assert!(found("root", path) && found("other-name", path), "{path}");
        }
        for path in ["leads-out.png", "../outside.png", "up/outside.png", "none.png", "/etc/passwd"] {
            assert!(!found("root", path), "{path}");
        }
        assert!(!found("root/a.png", ""), "a file is no folder");
    }

    #[test]
    fn a_root_is_a_folder_of_this_machine() {
        let of = |uri: &str| folder(&Root { uri: uri.into(), name: None });
        assert_eq!(of("file:///home/a%20b"), Some("/home/a b".into()));
        assert_eq!(of("file://localhost/x"), Some("/x".into()));
        for other in ["https://x/", "file://host/x", "file:relative", "", "file://", "file:///%ff"] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
