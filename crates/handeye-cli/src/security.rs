//! What the user lets be done, from all the places where that is configured: the system's file, the user's, variables and the configuration.

use crate::settings::{
    ALLOWED_APPS, CONCURRENCY, DENIED_APPS, Origin, PICTURE_LIMIT, QUESTION_RATE_LIMIT, RATE_LIMIT_RPM,
    RATE_LIMIT_RPS, SCRIPT_RATE_LIMIT, SECURITY_FILE, SECURITY_MODE, VLM_RATE_LIMIT,
};
use clap::ArgMatches;
use handeye_core::{Error, ErrorCode, Result, Rules, SecurityMode, Trust};
use handeye_policy::{Kind, Line, PolicyFile, Secrecy, SecurityRules, Source};
use handeye_service::limits::Limits;
use handeye_shots::delivery::Room;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The rules of the system's administrator, which no user can loosen.
const OF_THE_SYSTEM: &str = "/etc/handeye/security.toml";

/// What is configured.
#[derive(Debug, Clone)]
pub struct Security {
    /// The tightest mode that is set anywhere.
    pub mode: SecurityMode,
    /// Every place where a mode is set, with that mode.
    pub modes: Vec<(Origin, SecurityMode)>,
    /// The rules for applications.
    pub rules: Arc<SecurityRules>,
    /// The files that were read, in order.
    pub files: Vec<PathBuf>,
    /// Where there might have been one too.
    pub absent: Vec<PathBuf>,
    /// What is probably not meant in them.
    pub warnings: Vec<String>,
    /// What is secret, and which secrets may be typed where.
    pub secrecy: Secrecy,
}

impl Security {
    /// Reads what is configured for a command or a server, with the flags that it was given.
    ///
    /// # Errors
    /// What is malformed, with its line or its variable; a file that somebody else could have written, or that was named and is not there.
    pub fn configured(matches: Option<&ArgMatches>) -> Result<Self> {
        let mut modes: Vec<_> = matches.and_then(|matches| SECURITY_MODE.flag(matches)).into_iter().collect();
        modes.extend(SECURITY_MODE.every()?.into_iter().map(|(source, mode)| (Origin::from(source), mode)));
        let mut lines = Vec::new();
        let (mut files, mut absent) = (Vec::new(), Vec::new());
        let mut warnings = Vec::new();
        let mut secrecy = Secrecy::default();
        for (path, is_required) in places()? {
            match PolicyFile::read(&path)? {
                Some(file) => {
                    modes.extend(file.mode.map(|mode| {
                        let line = file.mode_line.unwrap_or(1);
                        (Origin::File { path: path.clone(), line, key: "mode".to_owned() }, mode)
                    }));
                    lines.extend(file.lines);
                    secrecy.add(file.secrecy);
                    warnings.extend(file.warnings.iter().map(|why| format!("{}: {why}", path.display())));
                    files.push(path);
                }
                None if is_required => {
                    return Err(Error::new(
                        ErrorCode::InvalidParameter,
                        format!("the file of rules {} is not there", path.display()),
                    )
                    .with_next("Write it, or unset HANDEYE_SECURITY_FILE."));
                }
                None => absent.push(path),
            }
        }
        for (kind, setting) in [(Kind::Allowed, ALLOWED_APPS), (Kind::Denied, DENIED_APPS)] {
            let Some((source, names)) = setting.found()? else { continue };
            for name in names {
                let pattern = name.parse().map_err(|why| source.fault(format!("'{name}' {why}")))?;
                lines.push(Line { kind, pattern, source: Source::Variable(source.name().to_owned()) });
            }
        }
        let mode = modes.iter().map(|(_, mode)| *mode).max().unwrap_or_default();
        Ok(Self { mode, modes, rules: Arc::new(SecurityRules::new(lines)), files, absent, warnings, secrecy })
    }

    /// The rules, as those ask who look and act.
    pub fn rules(&self) -> Arc<dyn Rules> {
        Arc::clone(&self.rules) as Arc<dyn Rules>
    }

    /// All of it, for one process.
    pub fn trust(&self) -> Arc<Trust> {
        Arc::new(Trust::new(self.mode, self.rules()))
    }

    /// What distinguishes it from another configuration: processes that are shared must not be where they differ.
    pub fn distinction(&self) -> String {
        let lines: Vec<String> = self.rules.lines().iter().map(ToString::to_string).collect();
        format!("{}\n{}\n{:?}", self.mode, lines.join("\n"), self.secrecy)
    }
}

/// How much one caller may ask for.
///
/// # Errors
/// A setting that cannot be understood.
pub fn limits() -> Result<Limits> {
    let usual = Limits::default();
    Ok(Limits {
        per_second: RATE_LIMIT_RPS.configured()?.unwrap_or(usual.per_second),
        per_minute: RATE_LIMIT_RPM.configured()?.unwrap_or(usual.per_minute),
        at_a_time: CONCURRENCY.configured()?.unwrap_or(usual.at_a_time),
        models_per_minute: VLM_RATE_LIMIT.configured()?.unwrap_or(usual.models_per_minute),
        scripts_per_minute: SCRIPT_RATE_LIMIT.configured()?.unwrap_or(usual.scripts_per_minute),
        questions_per_minute: QUESTION_RATE_LIMIT.configured()?.unwrap_or(usual.questions_per_minute),
    })
}

/// How many bytes the pictures of one caller may use.
///
/// # Errors
/// A setting that cannot be understood.
pub fn picture_room() -> Result<u64> {
    Ok(PICTURE_LIMIT.configured()?.unwrap_or(Room::USUAL))
}

/// Where rules are, and whether they have to be there.
fn places() -> Result<Vec<(PathBuf, bool)>> {
    let mut places = vec![(PathBuf::from(OF_THE_SYSTEM), false)];
    match SECURITY_FILE.configured()? {
        Some(named) => places.push((named, true)),
        None => places.extend(usual_place().map(|usual| (usual, false))),
    }
    Ok(places)
}

/// Where the user's rules are when nobody says otherwise; `None` without a home directory.
pub(crate) fn usual_place() -> Option<PathBuf> {
    crate::configuration::folder().map(|folder| folder.join("handeye/security.toml"))
}

/// The rules of one file, to be checked before they hold.
///
/// # Errors
/// As [`PolicyFile::read`]; a file that is not there.
pub(crate) fn checked(path: &Path) -> Result<PolicyFile> {
    PolicyFile::read(path)?.ok_or_else(|| {
        Error::new(ErrorCode::InvalidParameter, format!("there is no file {}", path.display()))
    })
}
