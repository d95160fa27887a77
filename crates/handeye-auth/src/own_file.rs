//! Files that have to be in the hands of the user alone, checked on the open file and not on its path.

use rustix::fs::{FileType, Mode, OFlags, fstat, open as open_at};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::File;
use std::io;
use std::path::Path;

/// What a file has to be.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Whether its path may end in a link.
    pub links: bool,
    /// Whether it may belong to root, who can read every file anyway.
    pub root: bool,
    /// Who may read it. Nobody but its owner may write it.
    pub readers: Readers,
}

/// Who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Its owner alone.
    Owner,
    /// Its group too.
    Group,
    /// Everybody.
    Everybody,
}

impl Readers {
    fn permissions(self) -> Mode {
        match self {
            Self::Owner => Mode::RWXU,
            Self::Group => Mode::RWXU | Mode::RGRP,
            Self::Everybody => Mode::RWXU | Mode::RGRP | Mode::ROTH | Mode::XGRP | Mode::XOTH,
        }
    }
}

/// Why a file cannot be used.
#[derive(Debug)]
pub enum Problem {
    /// It is not what it has to be. The text completes a sentence about the file.
    Unsuitable(&'static str),
    /// The system does not open it.
    Fault(io::Error),
}

/// Opens a file to read it, if it is what it has to be. Never waits for anybody: a pipe is not a file.
///
/// # Errors
/// Why it cannot be used.
pub fn open(path: &Path, rules: Rules) -> Result<File, Problem> {
    let follows = if rules.links { OFlags::empty() } else { OFlags::NOFOLLOW };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK | follows;
    let file = match open_at(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::LOOP) if !rules.links => {
            return Err(Problem::Unsuitable("is a link, and links are not followed"));
        }
        Err(fault) => return Err(Problem::Fault(fault.into())),
    };
    let about = fstat(&file).map_err(|fault| Problem::Fault(fault.into()))?;
    if FileType::from_raw_mode(about.st_mode) != FileType::RegularFile {
        return Err(Problem::Unsuitable("is not a file"));
    }
    let is_ours = about.st_uid == geteuid().as_raw() || (rules.root && about.st_uid == 0);
    if !is_ours {
        return Err(Problem::Unsuitable("belongs to another user"));
    }
    let forbidden = (Mode::RWXG | Mode::RWXO) - rules.readers.permissions();
    if Mode::from_raw_mode(about.st_mode).intersects(forbidden) {
        return Err(Problem::Unsuitable("can be used by other users"));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn rules_are_about_the_open_file() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (path, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&path, "x").expect("mine");
        symlink(&path, &link).expect("a link");
        let rules = Rules { links: true, root: true, readers: Readers::Group };
        for (mode, allowed) in [(0o600, true), (0o640, true), (0o644, false), (0o660, false), (0o601, false)]
        {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("mine");
            assert_eq!(open(&link, rules).is_ok(), allowed, "{mode:o}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("mine");
        let open_to_all = Rules { readers: Readers::Everybody, ..rules };
        for (mode, allowed) in [(0o644, true), (0o755, true), (0o664, false), (0o646, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("mine");
            assert_eq!(open(&path, open_to_all).is_ok(), allowed, "{mode:o}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("mine");
        let strict = Rules { links: false, ..rules };
        assert!(matches!(open(&link, strict), Err(Problem::Unsuitable(why)) if why.contains("link")));
        assert!(matches!(open(folder.path(), rules), Err(Problem::Unsuitable("is not a file"))));
        let missing = open(&folder.path().join("none"), rules);
        assert!(matches!(missing, Err(Problem::Fault(fault)) if fault.kind() == io::ErrorKind::NotFound));
    }
}
