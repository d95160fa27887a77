//! The folders that a client works in (MCP's roots; axterminator, section 16).

use handeye_call::call::Call;
use handeye_call::client::Root;
use handeye_core::{Error, ErrorCode, Result};
use handeye_shots::working_directory::WorkingDirectory;
use percent_encoding::percent_decode_str;
use std::path::{Path, PathBuf};

/// Where a file of a relative path is: below the working directory, or else below one of the client's folders, if it lists them.
/// A client that names an absolute path is free to read there anyway, so its folders give it nothing more.
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
    let candidates: Vec<PathBuf> =
        roots.iter().filter_map(folder).map(|folder| folder.join(&wanted)).collect();
    let there =
        tokio::task::spawn_blocking(move || candidates.into_iter().find(|candidate| candidate.exists()))
            .await
            .map_err(Error::internal)?;
    Ok(there.and_then(|there| there.to_str().map(str::to_owned)).unwrap_or(path))
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
    fn a_root_is_a_folder_of_this_machine() {
        let of = |uri: &str| folder(&Root { uri: uri.into(), name: None });
        assert_eq!(of("file:///home/a%20b"), Some("/home/a b".into()));
        assert_eq!(of("file://localhost/x"), Some("/x".into()));
        for other in ["https://x/", "file://host/x", "file:relative", "", "file://", "file:///%ff"] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
