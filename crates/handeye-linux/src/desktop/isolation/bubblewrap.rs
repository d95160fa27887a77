//! What the sandbox has of the file system, as arguments of `bwrap`.

use super::{Isolation, SharedPath};
use crate::desktop::{display, folder};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Folders of installed software.
const SOFTWARE: [&str; 4] = ["/usr", "/opt", "/nix/store", "/gnu/store"];
/// Folders that are links into `/usr` where the distribution has merged them.
const OF_USR: [&str; 5] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64"];
/// What graphics libraries and toolkits read of the machine, and caches that spare each start seconds.
const READ_TOO: [&str; 6] =
    ["/sys/block", "/sys/bus", "/sys/class", "/sys/dev", "/sys/devices", "/var/cache/fontconfig"];
/// Most entries of `/etc` that are looked at.
const MOST_OF_ETC: usize = 50_000;
/// Most sockets of the accessibility bus; it has one.
const MOST_SOCKETS: usize = 16;
/// Where this program is inside.
pub(in crate::desktop) const OWN_PROGRAM: &str = "/run/handeye-inside";

/// What a sandbox is made for.
pub(super) struct Place<'a> {
    pub(super) isolation: &'a Isolation,
    /// The desktop's folder.
    pub(super) folder: &'a Path,
    pub(super) display: u32,
    /// The user's home folder, as the path where the fresh one is seen.
    pub(super) home: &'a Path,
    /// The file of this program.
    pub(super) program: &'a Path,
    /// The file with the names of hosts.
    pub(super) hosts: &'a Path,
}

/// What a component outside is started with: it has what this process has, but the user's home.
pub(super) fn frame(bwrap: &Path, folder: &Path, program: &Path) -> Vec<OsString> {
    let mut words = Words(vec![bwrap.into()]);
    // Shared memory of the user's programs has numbers, and an X server attaches what a client names.
    words.add(["--dev-bind", "/", "/", "--unshare-ipc", "--die-with-parent"]);
    if home().is_dir() {
        words.add([OsStr::new("--tmpfs"), home().as_os_str()]);
    }
    // Both may lie in the home folder.
    words.mount("bind", folder, folder);
    words.mount("ro-bind", program, program);
    words.0
}

/// The arguments up to the program that runs inside.
pub(super) fn arguments(place: &Place<'_>) -> Vec<OsString> {
    let mut words = Words::default();
    for namespace in ["user", "pid", "net", "ipc", "uts"] {
        words.add([&format!("--unshare-{namespace}")]);
    }
    words.add(["--unshare-cgroup-try", "--hostname", "isolated", "--die-with-parent", "--new-session"]);
    // Only root has any to lose. The one that stays concerns the sandbox's own network: relays of ports below 1024 listen there.
    words.add(["--cap-drop", "ALL", "--cap-add", "CAP_NET_BIND_SERVICE"]);
    if rustix::process::getuid().is_root() {
        // Without it, root cannot make a user namespace with itself in it, and Firefox shows no page. It gives nothing: no program that is
        // started in the sandbox gains privileges.
        words.add(["--cap-add", "CAP_SETFCAP"]);
    }
    words.add([
        "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/dev/shm", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp",
        "--dir", "/run",
    ]);
    for software in SOFTWARE {
        words.read_only(Path::new(software));
    }
    for path in OF_USR {
        match fs::read_link(path) {
            Ok(target) => words.add([OsStr::new("--symlink"), target.as_os_str(), OsStr::new(path)]),
            Err(_) => words.read_only(Path::new(path)),
        }
    }
    words.read_only(Path::new("/etc"));
    for path in READ_TOO {
        words.read_only(Path::new(path));
    }
    words.add(["--symlink", "/run", "/var/run"]);
    if Path::new("/etc/handeye").is_dir() {
        words.hide(Path::new("/etc/handeye"));
    }
    if rustix::process::getuid().is_root() {
        for secret in for_root_alone(Path::new("/etc")) {
            words.hide(&secret);
        }
    }
    if Path::new("/etc/hosts").exists() {
        words.mount("ro-bind", place.hosts, Path::new("/etc/hosts"));
    }
    words.mount("bind", &folder::home_folder(place.folder), place.home);
    words.sockets(place.folder, place.display);
    for SharedPath { path, writable } in &place.isolation.paths {
        words.mount(if *writable { "bind" } else { "ro-bind" }, path, path);
    }
    for own in own_folders() {
        let is_shared =
            |SharedPath { path, .. }: &SharedPath| own.starts_with(path) || path.starts_with(&own);
        if own.exists() && place.isolation.paths.iter().any(is_shared) {
            words.hide(&own);
        }
    }
    words.mount("ro-bind", place.program, Path::new(OWN_PROGRAM));
    // A file at the root could make its programs those of a Flatpak.
    words.add(["--remount-ro", "/"]);
    words.add([OsStr::new("--chdir"), place.home.as_os_str()]);
    words.0
}

#[derive(Default)]
struct Words(Vec<OsString>);

impl Words {
    fn add<T: AsRef<OsStr>>(&mut self, words: impl IntoIterator<Item = T>) {
        self.0.extend(words.into_iter().map(|word| word.as_ref().to_owned()));
    }

    /// `how` is the name of an option for a mount, such as `ro-bind`.
    fn mount(&mut self, how: &str, source: &Path, place: &Path) {
        let option = OsString::from(format!("--{how}"));
        self.add([option.as_os_str(), source.as_os_str(), place.as_os_str()]);
    }

    /// Nothing in the place of a file or folder.
    fn hide(&mut self, path: &Path) {
        if path.is_dir() {
            self.add([OsStr::new("--tmpfs"), path.as_os_str()]);
        } else {
            self.mount("ro-bind", Path::new("/dev/null"), path);
        }
    }

    /// The same at the same place, where it is there at all.
    fn read_only(&mut self, path: &Path) {
        self.mount("ro-bind-try", path, path);
    }

    /// The desktop's display and its buses, and nothing else that listens on this machine.
    fn sockets(&mut self, folder: &Path, display: u32) {
        let runtime = folder::runtime_folder(folder);
        let authority = folder.join("Xauthority");
        self.add([OsStr::new("--perms"), OsStr::new("0700"), OsStr::new("--tmpfs"), runtime.as_os_str()]);
        let mut sockets = vec![display::socket(display), runtime.join("bus")];
        let accessibility = fs::read_dir(runtime.join("at-spi")).into_iter().flatten().flatten();
        sockets.extend(accessibility.map(|entry| entry.path()).take(MOST_SOCKETS));
        // Each by itself: in a folder, a program could put its own in the place of one, where handeye would connect to it.
        for path in sockets {
            self.mount("bind", &path, &path);
        }
        self.mount("ro-bind", &authority, &authority);
    }
}

/// What is in a folder for root alone: others cannot read it, and root, which handeye is in many containers, can. A folder beyond
/// [`MOST_OF_ETC`] entries is hidden as a whole.
fn for_root_alone(top: &Path) -> Vec<PathBuf> {
    let mut hidden = Vec::new();
    let mut folders = vec![top.to_owned()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        if seen > MOST_OF_ETC {
            hidden.push(folder);
            continue;
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            // What a link leads to is judged where it is.
            let Ok(about) = entry.metadata() else { continue };
            let needed = if about.is_dir() { 0o005 } else { 0o004 };
            if about.is_symlink() {
                continue;
            }
            if about.mode() & needed != needed {
                hidden.push(entry.path());
            } else if about.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    hidden
}

/// Where handeye keeps its configuration, its rules, its token and its audit log.
fn own_folders() -> Vec<PathBuf> {
    let home = home();
    let of_variable = |name: &str, usual: &str| {
        let named = std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        named.unwrap_or_else(|| home.join(usual))
    };
    let bases = [of_variable("XDG_CONFIG_HOME", ".config"), of_variable("XDG_STATE_HOME", ".local/state")];
    bases.iter().flat_map(|base| [base.join("handeye"), base.join("axterminator")]).collect()
}

/// The folder of the user whose home is replaced.
pub(super) fn home() -> PathBuf {
    std::env::home_dir()
        .filter(|home| home.is_absolute() && *home != Path::new("/"))
        .unwrap_or_else(|| "/home/user".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, create_dir, set_permissions, write};
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn what_others_cannot_read_is_hidden() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for (name, mode) in
            [("open", 0o644), ("shadow", 0o640), ("sub/key", 0o600), ("private/inside", 0o644)]
        {
            let path = at(name);
            path.parent().filter(|parent| !parent.exists()).map_or(Ok(()), create_dir).expect("created");
            write(&path, "x").expect("written");
            set_permissions(&path, Permissions::from_mode(mode)).expect("changed");
        }
        set_permissions(at("private"), Permissions::from_mode(0o700)).expect("changed");
        set_permissions(at("sub"), Permissions::from_mode(0o755)).expect("changed");
        symlink(at("shadow"), at("link")).expect("linked");
        let mut hidden = for_root_alone(folder.path());
        hidden.sort();
        assert_eq!(hidden, [at("private"), at("shadow"), at("sub/key")]);
    }
}
