//! The file with the server's token: made when it is first needed, and readable by its owner alone.

use crate::own_file::{self, Problem, Readers, Rules};
use crate::token::Token;
use handeye_core::{Error, ErrorCode, Result};
use rustix::fs::{Mode, OFlags, open, unlink};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// The name of the file in the user's folder for state.
pub const TOKEN_FILE: &str = "http-token";

/// The largest file that can be one, in bytes.
const LARGEST: u64 = 4096;
/// How long another process may take from creating the file to writing it.
const WRITTEN: Duration = Duration::from_secs(2);

/// The token of a file, which is created with a new token if there is none. Blocks, for two seconds at most.
///
/// # Errors
/// [`ErrorCode::Refused`] for a file that is a link, belongs to another user, or can be read or written by others;
/// [`ErrorCode::Io`] if it cannot be read or made; [`ErrorCode::InvalidParameter`] if it does not contain a token.
pub fn token_of_file(path: &Path) -> Result<Token> {
    let until = Instant::now() + WRITTEN;
    loop {
        match read(path)? {
            Found::Token(token) => return Ok(token),
            Found::Nothing => {
                if let Some(token) = create(path)? {
                    return Ok(token);
                }
                // Another process was faster: what it writes is the token.
            }
            Found::Empty if Instant::now() < until => std::thread::sleep(WRITTEN / 100),
            Found::Empty => {
                return Err(unsuitable(path, "is empty").with_next(format!("Remove {}.", path.display())));
            }
        }
    }
}

/// What is at the place of the file.
enum Found {
    Token(Token),
    Nothing,
    Empty,
}

fn read(path: &Path) -> Result<Found> {
    let file = match own_file::open(path, Rules { links: false, root: false, readers: Readers::Owner }) {
        Ok(file) => file,
        Err(Problem::Fault(fault)) if fault.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(Problem::Fault(fault)) => return Err(unusable(path, "read", &fault)),
        Err(Problem::Unsuitable(why)) => return Err(refused(path, why)),
    };
    let mut text = String::new();
    file.take(LARGEST + 1).read_to_string(&mut text).map_err(|fault| unusable(path, "read", &fault))?;
    if text.trim().is_empty() {
        return Ok(Found::Empty);
    }
    let token = Token::chosen(&text).map_err(|why| {
        unsuitable(path, &format!("contains no token: it {why}"))
            .with_next(format!("Remove {}; a new one is made at the next start.", path.display()))
    })?;
    Ok(Found::Token(token))
}

/// Makes the file; `None` if there is one meanwhile.
fn create(path: &Path) -> Result<Option<Token>> {
    let token = Token::random()?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = match open(path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => File::from(file),
        Err(Errno::EXIST) => return Ok(None),
        Err(fault) => return Err(unusable(path, "made", &fault.into())),
    };
    let written = file.write_all(format!("{}\n", token.reveal()).as_bytes()).and_then(|()| file.sync_all());
    if let Err(fault) = written {
        // A part of a token is none, and would be in the way of the next start.
        if let Err(left) = unlink(path) {
            tracing::warn!(%left, "an incomplete token file cannot be removed");
        }
        return Err(unusable(path, "written", &fault));
    }
    Ok(Some(token))
}

fn describe(path: &Path, what: &str) -> String {
    format!("the token file {} {what}", path.display())
}

fn refused(path: &Path, why: &str) -> Error {
    let next = format!(
        "Remove {}; a new one is made at the next start, and the token in the old one has to be considered known.",
        path.display()
    );
    Error::new(ErrorCode::Refused, describe(path, why)).with_next(next)
}

fn unsuitable(path: &Path, why: &str) -> Error {
    Error::new(ErrorCode::InvalidParameter, describe(path, why))
}

fn unusable(path: &Path, what: &str, fault: &io::Error) -> Error {
    Error::new(ErrorCode::Io, describe(path, &format!("cannot be {what}: {fault}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn scratch() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let path = folder.path().join(TOKEN_FILE);
        (folder, path)
    }

    #[test]
    fn it_is_made_once_and_for_its_owner() {
        let (_folder, path) = scratch();
        let token = token_of_file(&path).expect("made");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        assert!(token_of_file(&path).expect("there").is(token.reveal()));
    }

    #[test]
    fn those_who_start_at_once_have_the_same() {
        let (_folder, path) = scratch();
        let tokens: Vec<Token> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16).map(|_| scope.spawn(|| token_of_file(&path))).collect();
            threads.into_iter().map(|thread| thread.join().expect("ends").expect("a token")).collect()
        });
        assert!(tokens.iter().all(|token| token.is(tokens[0].reveal())));
    }

    #[test]
    fn what_others_may_have_read_or_put_there_is_refused() {
        let refusal = |path: &Path| {
            let error = token_of_file(path).expect_err("refused");
            assert_eq!(error.code, ErrorCode::Refused, "{error}");
            error.message
        };
        for mode in [0o644, 0o640, 0o660, 0o604, 0o602] {
            let (_folder, path) = scratch();
            let token = token_of_file(&path).expect("made");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("mine");
            let message = refusal(&path);
            assert!(message.contains("by other users") && !message.contains(token.reveal()), "{message}");
        }
        let (folder, path) = scratch();
        let elsewhere = folder.path().join("elsewhere");
        token_of_file(&elsewhere).expect("made");
        symlink(&elsewhere, &path).expect("a link");
        assert!(refusal(&path).contains("link"));
        let (folder, path) = scratch();
        symlink(folder.path().join("nowhere"), &path).expect("a link");
        assert!(refusal(&path).contains("link"), "and nothing is made at its end");
        assert!(!folder.path().join("nowhere").exists());
        let (_folder, path) = scratch();
        fs::create_dir(&path).expect("a folder");
        assert!(refusal(&path).contains("not a file"));
    }

    #[test]
    fn a_file_without_a_token_is_no_token() {
        for text in ["short", "with blanks in it, and long enough to be a token otherwise", "\n\n"] {
            let (_folder, path) = scratch();
            token_of_file(&path).expect("made");
            fs::write(&path, text).expect("mine");
            let error = token_of_file(&path).expect_err("no token");
            assert_eq!(error.code, ErrorCode::InvalidParameter, "{error}");
            assert!(text.trim().is_empty() || !error.message.contains(text), "{error}");
        }
        let (_folder, path) = scratch();
        token_of_file(&path).expect("made");
        fs::write(&path, [0xff; 64]).expect("mine");
        assert_eq!(token_of_file(&path).expect_err("no text").code, ErrorCode::Io);
    }
}
