//! How a rule names an application.

use crate::desktop_file::{self, Launches};
use handeye_core::{ProcessIdentity, Subject};
use std::fmt;
use std::path::{Path, PathBuf};

/// An application, as a rule names it.
///
/// ```
/// # use handeye_policy::AppPattern;
/// let pattern: AppPattern = "exe:/usr/bin/gnome-calculator".parse().expect("a pattern");
/// assert!(pattern.is_identity());
/// assert!("exe:calculator".parse::<AppPattern>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppPattern {
    /// `exe:/usr/bin/mousepad`: the file that its process runs, or `exe:/opt/suite/`: a file below that folder.
    Executable(PathBuf),
    /// `flatpak:org.gnome.Maps`: the sandbox that it was installed in.
    Flatpak(String),
    /// `snap:firefox`: the snap that its executable is in.
    Snap(String),
    /// `desktop:org.gnome.Calculator`: the program that a desktop file of the system starts.
    DesktopFile {
        /// The name of the file, without its ending.
        id: String,
        /// What that file starts; `None` where there is no such file, or its program cannot be identified.
        launches: Option<Launches>,
    },
    /// Any other text: a name or a class. Every application can take it, so it can restrict, and never allow by what the application says.
    Name(String),
}

/// Where snaps are mounted, read-only.
const SNAPS: &str = "/snap/";

impl AppPattern {
    /// Whether this names what an application cannot claim by itself.
    pub const fn is_identity(&self) -> bool {
        !matches!(self, Self::Name(_))
    }

    /// Whether a restriction for it applies: it may match by what the application calls itself, too.
    pub fn restricts(&self, subject: &Subject<'_>) -> bool {
        let Self::Name(name) = self else {
            return subject.process.is_some_and(|process| self.identifies(process, Proof::Any));
        };
        let own = subject.names.iter().any(|own| is_called(own, name));
        own || subject.process.is_some_and(|process| {
            let executable =
                process.executable.as_deref().map(|path| path.strip_suffix(" (deleted)").unwrap_or(path));
            let file = executable.and_then(|path| path.rsplit('/').next());
            let named =
                file.into_iter().chain(process.sandbox.as_deref()).chain(executable.and_then(snap_of));
            named.into_iter().any(|own| is_called(own, name))
        })
    }

    /// Whether it allows this one: only by what the system reports of its process.
    pub fn allows(&self, subject: &Subject<'_>) -> bool {
        let Some(process) = subject.process else { return false };
        match self {
            // `org.gnome.Calculator` is how the specification writes it: an id, of whichever kind it is one.
            Self::Name(id) => {
                Self::Flatpak(id.clone()).identifies(process, Proof::Needed)
                    || Self::Snap(id.clone()).identifies(process, Proof::Needed)
                    || desktop_file::launches(id)
                        .is_some_and(|launches| runs(&launches, process, Proof::Needed))
            }
            identity => identity.identifies(process, Proof::Needed),
        }
    }

    fn identifies(&self, process: &ProcessIdentity, proof: Proof) -> bool {
        match self {
            Self::Executable(path) => runs_file(path, process, proof),
            Self::Flatpak(id) => process.sandbox.as_deref() == Some(id),
            Self::Snap(name) => {
                has_proof(process, proof)
                    && process.executable.as_deref().and_then(snap_of) == Some(name.as_str())
            }
            Self::DesktopFile { launches, .. } => {
                launches.as_ref().is_some_and(|launches| runs(launches, process, proof))
            }
            Self::Name(_) => false,
        }
    }
}

/// What is needed to believe the path of an executable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// Nothing: what only looks like the application is restricted as it is.
    Any,
    /// The path leads to that file from here.
    Needed,
}

fn has_proof(process: &ProcessIdentity, proof: Proof) -> bool {
    proof == Proof::Any || process.executable_is_here
}

fn runs(launches: &Launches, process: &ProcessIdentity, proof: Proof) -> bool {
    match launches {
        Launches::Executable(path) => runs_file(path, process, proof),
        Launches::Flatpak(id) => process.sandbox.as_deref() == Some(id),
    }
}

/// Whether a process runs this file, or one below it where it is a folder.
fn runs_file(path: &Path, process: &ProcessIdentity, proof: Proof) -> bool {
    let Some(executable) = process.executable.as_deref().filter(|_| has_proof(process, proof)) else {
        return false;
    };
    // The kernel appends that where the file is not there any more; a restriction holds for what still runs.
    let executable = match proof {
        Proof::Any => executable.strip_suffix(" (deleted)").unwrap_or(executable),
        Proof::Needed => executable,
    };
    let executable = Path::new(executable);
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        executable.starts_with(path)
    } else {
        executable == path
    }
}

/// The snap of an executable: `/snap/firefox/4336/usr/lib/firefox/firefox` is in `firefox`.
fn snap_of(executable: &str) -> Option<&str> {
    executable.strip_prefix(SNAPS)?.split_once('/').map(|(name, _)| name)
}

fn is_called(own: &str, name: &str) -> bool {
    let plain = |text: &str| text.trim().strip_suffix(".desktop").unwrap_or(text.trim()).to_lowercase();
    plain(own) == plain(name)
}

/// The path as the kernel reports it for a process that runs the file: without links.
fn resolved(path: &str) -> PathBuf {
    let is_folder = path.ends_with('/');
    match std::fs::canonicalize(path) {
        // A path that ends with a slash is a folder, which is what makes it match everything below.
        Ok(real) if is_folder => real.join(""),
        Ok(real) => real,
        // It may be installed later.
        Err(_) => PathBuf::from(path),
    }
}

impl std::str::FromStr for AppPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (kind, rest) = match text.split_once(':') {
            Some((kind @ ("exe" | "flatpak" | "snap" | "desktop" | "name"), rest)) => (kind, rest.trim()),
            _ if text.starts_with('/') => ("exe", text),
            _ => ("name", text),
        };
        if rest.is_empty() {
            return Err("is empty".to_owned());
        }
        if rest.chars().any(char::is_control) || rest.len() > LONGEST {
            return Err(format!("is not a name or a path of at most {LONGEST} bytes"));
        }
        Ok(match kind {
            "exe" if !rest.starts_with('/') => return Err("must have a whole path behind 'exe:'".to_owned()),
            "exe" => Self::Executable(resolved(rest)),
            "flatpak" => Self::Flatpak(rest.to_owned()),
            "snap" => Self::Snap(rest.to_owned()),
            "desktop" => {
                let id = rest.strip_suffix(".desktop").unwrap_or(rest).to_owned();
                if id.contains('/') {
                    return Err(
                        "must have the name of a desktop file behind 'desktop:', not a path".to_owned()
                    );
                }
                Self::DesktopFile { launches: desktop_file::launches(&id), id }
            }
            _ => Self::Name(rest.to_owned()),
        })
    }
}

/// Longest name or path, in bytes.
const LONGEST: usize = 4096;

/// As it is written.
impl fmt::Display for AppPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Executable(path) => write!(f, "exe:{}", path.display()),
            Self::Flatpak(id) => write!(f, "flatpak:{id}"),
            Self::Snap(name) => write!(f, "snap:{name}"),
            Self::DesktopFile { id, .. } => write!(f, "desktop:{id}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn process(executable: &str) -> ProcessIdentity {
        ProcessIdentity {
            executable: Some(Arc::from(executable)),
            executable_is_here: true,
            ..ProcessIdentity::unverified(7)
        }
    }

    fn pattern(text: &str) -> AppPattern {
        text.parse().expect(text)
    }

    #[test]
    fn a_path_is_that_of_the_running_file_or_of_a_folder_above_it() {
        let vault = process("/opt/vault/bin/vault");
        let subject = Subject { names: vec!["Calculator"], process: Some(&vault) };
        for (text, matches) in [
            ("exe:/opt/vault/bin/vault", true),
            ("/opt/vault/bin/vault", true),
            ("exe:/opt/vault/", true),
            ("exe:/opt/vault", false),
            ("exe:/opt/vault/bin/vaul", false),
            ("exe:/opt/vau/", false),
            ("Calculator", false),
        ] {
            assert_eq!(pattern(text).allows(&subject), matches, "{text}");
        }
        assert!(pattern("calculator").restricts(&subject) && pattern("VAULT").restricts(&subject));
        assert!(!pattern("Calc").restricts(&subject));
    }

    #[test]
    fn a_path_that_leads_to_another_file_allows_nothing_and_is_restricted() {
        let elsewhere = ProcessIdentity { executable_is_here: false, ..process("/opt/vault/bin/vault") };
        let subject = Subject { names: Vec::new(), process: Some(&elsewhere) };
        let vault = pattern("exe:/opt/vault/bin/vault");
        assert!(vault.restricts(&subject) && !vault.allows(&subject));
        let replaced = ProcessIdentity {
            executable: Some("/opt/vault/bin/vault (deleted)".into()),
            ..elsewhere.clone()
        };
        let subject = Subject { names: Vec::new(), process: Some(&replaced) };
        assert!(vault.restricts(&subject) && pattern("vault").restricts(&subject) && !vault.allows(&subject));
    }

    #[test]
    fn sandboxes_are_known_by_what_installed_them() {
        let maps =
            ProcessIdentity { sandbox: Some("org.gnome.Maps".into()), ..ProcessIdentity::unverified(7) };
        let subject = Subject { names: vec!["org.gnome.Weather"], process: Some(&maps) };
        assert!(
            pattern("flatpak:org.gnome.Maps").allows(&subject) && pattern("org.gnome.Maps").allows(&subject)
        );
        assert!(!pattern("org.gnome.Weather").allows(&subject), "that is only what it calls itself");
        assert!(pattern("org.gnome.Weather").restricts(&subject));
        let snap = process("/snap/firefox/4336/usr/lib/firefox/firefox");
        let subject = Subject { names: Vec::new(), process: Some(&snap) };
        assert!(pattern("snap:firefox").allows(&subject) && pattern("firefox").allows(&subject));
        assert!(!pattern("snap:fire").allows(&subject) && !pattern("snap:4336").allows(&subject));
    }

    #[test]
    fn what_is_no_process_is_never_allowed() {
        let subject = Subject { names: vec!["Calculator"], process: None };
        for text in ["Calculator", "exe:/usr/bin/calc", "flatpak:Calculator", "snap:Calculator"] {
            assert!(!pattern(text).allows(&subject), "{text}");
        }
        assert!(pattern("calculator").restricts(&subject));
    }

    #[test]
    fn what_names_nothing_is_an_error() {
        for text in
            ["", "  ", "exe:", "exe:calc", "exe: relative/path", "name:", "desktop:/a/b", "a\nb", "a\u{0}"]
        {
            assert!(text.parse::<AppPattern>().is_err(), "{text:?}");
        }
        assert!("x".repeat(LONGEST + 1).parse::<AppPattern>().is_err());
        assert_eq!(pattern("name:exe:x"), AppPattern::Name("exe:x".to_owned()));
    }
}
