//! `security.toml`: what may be in it, and whose file it must be.

use crate::pattern::AppPattern;
use crate::rules::{Kind, Line};
use crate::secrecy::Secrecy;
use crate::source::Source;
use handeye_core::{Error, ErrorCode, Result, SecurityMode};
use handeye_redact::{RedactTable, SecretTable};
use rustix::fs::{Mode, OFlags};
use serde::Deserialize;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use toml::Spanned;

/// Most bytes of the file.
const MAX_BYTES: u64 = 256 << 10;
/// Most applications in one list.
const MAX_ENTRIES: usize = 1_000;

/// The rules of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyFile {
    /// The mode that it demands at least.
    pub mode: Option<SecurityMode>,
    /// The line of that mode.
    pub mode_line: Option<usize>,
    /// Its rules for applications, in the order of its lines.
    pub lines: Vec<Line>,
    /// What is probably not meant: an entry that cannot match anything on this system.
    pub warnings: Vec<String>,
    /// What is secret, and which secrets may be typed where.
    pub secrecy: Secrecy,
}

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    mode: Option<Spanned<String>>,
    #[serde(default)]
    apps: Apps,
    #[serde(default)]
    redact: RedactTable,
    #[serde(default)]
    secrets: Vec<SecretTable>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Apps {
    #[serde(default)]
    allowed: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    denied: Vec<Spanned<String>>,
    #[serde(default)]
    read_only: Vec<Spanned<String>>,
    #[serde(default)]
    ask_first: Vec<Spanned<String>>,
    #[serde(default)]
    no_clipboard: Vec<Spanned<String>>,
}

impl PolicyFile {
    /// Reads a file; `None` if there is none.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`] with line and reason for what is malformed; [`ErrorCode::Blocked`] for a file that is a link, that
    /// another user than root owns, or that others may write: somebody else would make the rules.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let fault =
            |why: String| Error::new(ErrorCode::InvalidParameter, format!("{} {why}", path.display()));
        if path.to_str().is_none() {
            return Err(fault("has a path that is not text".to_owned()));
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut file = match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(rustix::io::Errno::LOOP) => return Err(untrusted(path, "is a link")),
            Err(error) => return Err(fault(format!("cannot be read: {error}"))),
        };
        check_owner(path, &file)?;
        let mut text = Vec::new();
        let read = file.by_ref().take(MAX_BYTES + 1).read_to_end(&mut text);
        read.map_err(|error| fault(format!("cannot be read: {error}")))?;
        if text.len() as u64 > MAX_BYTES {
            return Err(fault(format!("is larger than {} KiB", MAX_BYTES / 1024)));
        }
        let text = String::from_utf8(text).map_err(|_| fault("is not UTF-8".to_owned()))?;
        Self::parse(path, &text).map(Some)
    }

    /// Reads the text of a file that is or would be at `path`.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`] with line and reason.
    pub fn parse(path: &Path, text: &str) -> Result<Self> {
        let line_of = |at: usize| text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
        let fault = |line: usize, why: &str| {
            Error::new(ErrorCode::InvalidParameter, format!("line {line} of {}: {why}", path.display()))
                .with_next("docs/reference/security-file.md has every key.")
        };
        let written: Written = toml::from_str(text)
            .map_err(|error| fault(error.span().map_or(1, |span| line_of(span.start)), error.message()))?;
        let mode = match &written.mode {
            Some(mode) => {
                Some(mode.get_ref().parse().map_err(|why: String| fault(line_of(mode.span().start), &why))?)
            }
            None => None,
        };
        let mode_line = written.mode.as_ref().map(|mode| line_of(mode.span().start));
        let mut warnings = Vec::new();
        if written.apps.allowed.as_ref().is_some_and(Vec::is_empty) {
            warnings.push("'allowed' is empty, which allows every application".to_owned());
        }
        let Apps { allowed, denied, read_only, ask_first, no_clipboard } = written.apps;
        let lists = [
            (Kind::Allowed, allowed.unwrap_or_default()),
            (Kind::Denied, denied),
            (Kind::ReadOnly, read_only),
            (Kind::AskFirst, ask_first),
            (Kind::NoClipboard, no_clipboard),
        ];
        let mut lines = Vec::new();
        for (kind, entries) in lists {
            if entries.len() > MAX_ENTRIES {
                let why = format!("'{}' names more than {MAX_ENTRIES} applications", kind.as_str());
                return Err(fault(1, &why));
            }
            for entry in entries {
                let line = line_of(entry.span().start);
                let pattern: AppPattern = entry
                    .get_ref()
                    .parse()
                    .map_err(|why: String| fault(line, &format!("'{}' {why}", entry.get_ref())))?;
                let rule = Line { kind, pattern, source: Source::File { path: path.to_owned(), line } };
                warnings.extend(doubt(&rule).map(|why| format!("line {line}: {why}")));
                lines.push(rule);
            }
        }
        let secrecy = Secrecy::of(
            |at| Source::File { path: path.to_owned(), line: line_of(at) }.to_string(),
            written.redact,
            &written.secrets,
        )
        .map_err(|found| fault(line_of(found.place.start), &found.why))?;
        Ok(Self { mode, mode_line, lines, warnings, secrecy })
    }
}

/// Why a rule is probably not what was meant.
fn doubt(rule: &Line) -> Option<String> {
    let pattern = &rule.pattern;
    match (pattern, rule.kind) {
        (AppPattern::DesktopFile { launches: None, id }, _) => Some(format!(
            "no program can be identified by the desktop file {id}.desktop of the system; name what runs with exe:, as `handeye policy explain --app NAME` shows it"
        )),
        (AppPattern::Executable(path), _) if !path.exists() => {
            Some(format!("there is no {}", path.display()))
        }
        (AppPattern::Name(name), Kind::Allowed) if crate::desktop_file::launches(name).is_none() => {
            Some(format!(
                "'{name}' is allowed only as a Flatpak, a Snap or a desktop file of that id; a name proves nothing, as every application can take it"
            ))
        }
        _ => None,
    }
}

fn untrusted(path: &Path, why: &str) -> Error {
    Error::new(ErrorCode::Blocked, format!("{} {why}: somebody else could have written it", path.display()))
        .with_next("Make it a file of your own that others cannot write: chmod 600.")
}

fn check_owner(path: &Path, file: &File) -> Result<()> {
    let about = file.metadata().map_err(|error| {
        Error::new(ErrorCode::Io, format!("{} cannot be looked at: {error}", path.display()))
    })?;
    if !about.is_file() {
        return Err(untrusted(path, "is not a file"));
    }
    let user = rustix::process::geteuid().as_raw();
    if about.uid() != 0 && about.uid() != user {
        return Err(untrusted(path, &format!("belongs to the user {}", about.uid())));
    }
    if about.mode() & 0o022 != 0 {
        return Err(untrusted(path, "may be written by others"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn parse(text: &str) -> Result<PolicyFile> {
        PolicyFile::parse(Path::new("/etc/security.toml"), text)
    }

    #[test]
    fn rules_know_their_lines() {
        let text = "mode = 'safe'\n[apps]\nallowed = ['exe:/usr/bin/calc']\ndenied = [\n  'name:1Password',\n  'Vault',\n]\n\
                    read_only = ['flatpak:org.x.Y']\nask_first = ['snap:z']\nno_clipboard = ['Mail']\n";
        let file = parse(text).expect("sound");
        assert_eq!((file.mode, file.mode_line), (Some(SecurityMode::Safe), Some(1)));
        let shown: Vec<String> = file.lines.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "allowed \"exe:/usr/bin/calc\" (line 3 of /etc/security.toml)",
                "denied \"1Password\" (line 5 of /etc/security.toml)",
                "denied \"Vault\" (line 6 of /etc/security.toml)",
                "read_only \"flatpak:org.x.Y\" (line 8 of /etc/security.toml)",
                "ask_first \"snap:z\" (line 9 of /etc/security.toml)",
                "no_clipboard \"Mail\" (line 10 of /etc/security.toml)",
            ]
        );
        assert_eq!(parse("").expect("sound"), PolicyFile::default());
    }

    #[test]
    fn what_is_malformed_is_reported_with_its_line() {
        for (text, line, why) in [
            ("mode = 'nromal'", 1, "is not a mode"),
            ("\nmod = 'safe'", 2, "unknown field `mod`"),
            ("[apps]\ndenyed = ['x']", 2, "unknown field"),
            ("[apps]\ndenied = 'x'", 2, "invalid type"),
            ("[apps]\ndenied = ['a',\n'exe:b']", 3, "whole path"),
            ("[apps]\ndenied = ['']", 2, "is empty"),
            ("[apps\n", 1, ""),
            ("mode = 5", 1, "invalid type"),
        ] {
            let error = parse(text).expect_err(text);
            let place = format!("line {line} of /etc/security.toml");
            assert!(error.message.contains(&place) && error.message.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn doubtful_entries_are_pointed_out() {
        let file = parse(
            "[apps]\nallowed = ['Calculator']\ndenied = ['desktop:no.such.App', 'exe:/no/such/file', 'Vault']\n",
        );
        let warnings = file.expect("sound").warnings;
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert_eq!(parse("[apps]\nallowed = []\n").expect("sound").warnings.len(), 1);
        assert!(warnings[0].starts_with("line 2: ") && warnings[1].contains("no.such.App"), "{warnings:?}");
    }

    #[test]
    fn a_file_that_somebody_else_could_have_written_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("security.toml");
        assert_eq!(PolicyFile::read(&path), Ok(None));
        std::fs::write(&path, "mode = 'safe'\n").expect("written");
        let allow = |mode| std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("changed");
        allow(0o644);
        assert_eq!(
            PolicyFile::read(&path).expect("sound").and_then(|file| file.mode),
            Some(SecurityMode::Safe)
        );
        for (mode, why) in [(0o666, "others"), (0o620, "others")] {
            allow(mode);
            let error = PolicyFile::read(&path).expect_err("others may write it");
            assert!(error.code == ErrorCode::Blocked && error.message.contains(why), "{error}");
        }
        allow(0o600);
        let link = folder.path().join("link.toml");
        symlink(&path, &link).expect("a link");
        assert!(PolicyFile::read(&link).expect_err("a link").message.contains("is a link"));
        assert!(PolicyFile::read(folder.path()).expect_err("a folder").message.contains("is not a file"));
        std::fs::write(&path, vec![b'#'; MAX_BYTES as usize + 1]).expect("written");
        assert!(PolicyFile::read(&path).expect_err("too large").message.contains("larger than"));
        std::fs::write(&path, b"mode = '\xff'").expect("written");
        assert!(PolicyFile::read(&path).expect_err("no text").message.contains("UTF-8"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,80}") {
            drop(parse(&text));
            drop(parse(&format!("[apps]\ndenied = ['{text}']")));
        }
    }
}
