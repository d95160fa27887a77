//! The standard library of a target, as far as a type check needs it.
//!
//! Where `rustup target add` brought it, that is used. Else its metadata is made from the source of the very compiler: that of
//! `rustup component add rust-src`, or that of Debian's package, which needs no more than a Debian mirror. It is kept below the target
//! folder, by the compiler's version.

use crate::failure::{Failure, Result};
use crate::{process, workspace};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The suites of Debian that have current compilers, the more stable one first.
const SUITES: [&str; 2] = ["trixie-backports", "sid"];
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
/// Where the mirror is taken from.
const APT_SOURCES: [&str; 2] = ["/etc/apt/sources.list", "/etc/apt/sources.list.d"];
const DEFAULT_MIRROR: &str = "http://deb.debian.org/debian";

/// A folder for `rustc --sysroot` that has the standard library of `target`; `None` if the compiler has it itself.
///
/// # Errors
/// If it is not there and cannot be made. The message says what to do.
pub(crate) fn sysroot(target: &str) -> Result<Option<PathBuf>> {
    if is_installed(target)? {
        return Ok(None);
    }
    let version = version()?;
    let folder = workspace::target().join("standard-library").join(&version);
    let sysroot = folder.join(target);
    if !sysroot.is_dir() {
        let library = source(&folder, &version)?;
        make(target, &library, &folder.join("build"), &sysroot)?;
    }
    Ok(Some(sysroot))
}

/// What rustc prints.
fn rustc(arguments: &[&str]) -> Result<String> {
    let output = process::output_of(Command::new("rustc").args(arguments).current_dir(workspace::root()));
    output.ok_or_else(|| Failure::new(format!("'rustc {}' fails", arguments.join(" "))))
}

/// Whether the compiler has the standard library of a target.
fn is_installed(target: &str) -> Result<bool> {
    let folder = rustc(&["--print", "target-libdir", "--target", target])?;
    let Ok(entries) = fs::read_dir(folder.trim()) else { return Ok(false) };
    let mut names = entries.flatten().map(|entry| entry.file_name());
    Ok(names.any(|name| name.to_string_lossy().starts_with("libstd-")))
}

/// The version of the compiler, for example `1.95.0`.
fn version() -> Result<String> {
    let about = rustc(&["--version", "--verbose"])?;
    let release = about.lines().find_map(|line| line.strip_prefix("release: "));
    release
        .map(str::to_owned)
        .ok_or_else(|| Failure::new(format!("rustc does not name its version: {about}")))
}

/// The source of the standard library: that of the toolchain, or Debian's, which is fetched into `folder`.
fn source(folder: &Path, version: &str) -> Result<PathBuf> {
    let own = Path::new(rustc(&["--print", "sysroot"])?.trim()).join("lib/rustlib/src/rust/library");
    if own.is_dir() {
        return Ok(own);
    }
    let library = folder.join(format!("usr/src/rustc-{version}/library"));
    if !library.is_dir() {
        fetch(folder, version).map_err(|failure| {
            Failure::new(format!(
                "there is no source of the standard library: {failure}\nWhere static.rust-lang.org can be reached, \
                 `rustup target add` of the target, or `rustup component add rust-src`, does instead."
            ))
        })?;
    }
    Ok(library)
}

/// Unpacks Debian's package of the compiler's source into `folder`. The system's own lists of packages are left alone.
fn fetch(folder: &Path, version: &str) -> Result<()> {
    let apt = Apt::new(folder.join("apt"))?;
    for suite in SUITES {
        let Some(package) = apt.find(suite, version)? else { continue };
        let parts = apt.folder.join("package");
        create(&parts)?;
        process::run(apt.command("apt-get").args(["--quiet", "download", &package]).current_dir(&parts))?;
        let archive = fs::read_dir(&parts).ok().and_then(|mut entries| entries.next()?.ok());
        let archive = archive.ok_or_else(|| Failure::new(format!("apt-get left no file of {package}")))?;
        process::run(Command::new("dpkg").arg("--extract").arg(archive.path()).arg(folder))?;
        return fs::remove_dir_all(&apt.folder)
            .map_err(Failure::io(format_args!("cannot remove {}", apt.folder.display())));
    }
    Err(Failure::new(format!("Debian has no rust-src {version} in {}", SUITES.join(" or "))))
}

/// Apt with lists and a cache of its own.
struct Apt {
    folder: PathBuf,
    mirror: String,
}

impl Apt {
    fn new(folder: PathBuf) -> Result<Self> {
        for part in ["lists/partial", "cache/archives/partial"] {
            create(&folder.join(part))?;
        }
        Ok(Self { folder, mirror: mirror() })
    }

    /// The package, with its version, in which a suite has the source of a compiler.
    fn find(&self, suite: &str, version: &str) -> Result<Option<String>> {
        let sources = self.folder.join("sources.list");
        fs::write(&sources, format!("deb [signed-by={KEYRING}] {} {suite} main\n", self.mirror))
            .map_err(Failure::io(format_args!("cannot write {}", sources.display())))?;
        process::run(self.command("apt-get").args(["--quiet", "--quiet", "update"]))?;
        let listed = process::output_of(self.command("apt-cache").args(["madison", "rust-src"]));
        let listed = listed.ok_or_else(|| Failure::new("apt-cache fails"))?;
        let mut versions = listed.lines().filter_map(|line| line.split('|').nth(1)).map(str::trim);
        let is_of_compiler = |package: &&str| package.split(['+', '-']).next() == Some(version);
        Ok(versions.find(is_of_compiler).map(|package| format!("rust-src={package}")))
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let place = |name: &str, below: &str| format!("{name}={}", self.folder.join(below).display());
        for option in [
            place("Dir::Etc::sourcelist", "sources.list"),
            "Dir::Etc::sourceparts=/dev/null".to_owned(),
            place("Dir::State::lists", "lists"),
            place("Dir::Cache", "cache"),
            "Acquire::Languages=none".to_owned(),
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false".to_owned(),
            "APT::Sandbox::User=root".to_owned(),
        ] {
            command.args(["-o", &option]);
        }
        command
    }
}

/// The Debian mirror that this machine uses.
fn mirror() -> String {
    let files = APT_SOURCES.iter().flat_map(|place| {
        let entries = fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
        std::iter::once(PathBuf::from(place)).chain(entries)
    });
    let texts = files.filter_map(|file| fs::read_to_string(file).ok());
    texts.into_iter().find_map(|text| mirror_in(&text)).unwrap_or_else(|| DEFAULT_MIRROR.to_owned())
}

/// The first address of Debian's archive in a list of sources, of the one-line form or of the other.
fn mirror_in(sources: &str) -> Option<String> {
    let lines = sources.lines().filter(|line| line.starts_with("deb ") || line.starts_with("URIs:"));
    let mut words = lines.flat_map(str::split_whitespace).map(|word| word.trim_end_matches('/'));
    words.find(|word| word.starts_with("http") && word.ends_with("/debian")).map(str::to_owned)
}

/// Makes a sysroot with the metadata of the standard library of `target` from its source.
fn make(target: &str, library: &Path, build: &Path, sysroot: &Path) -> Result<()> {
    let mut command = workspace::cargo();
    command
        .args(["check", "--quiet", "--target", target, "--manifest-path"])
        .arg(library.join("sysroot/Cargo.toml"))
        .arg("--target-dir")
        .arg(build)
        // The library uses what only it may, and is not ours to lint.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", "-Zforce-unstable-if-unmarked\u{1f}--cap-lints=allow");
    process::run(&mut command)?;
    let unfinished = sysroot.with_extension("part");
    let libraries = unfinished.join("lib/rustlib").join(target).join("lib");
    create(&libraries)?;
    let made = build.join(target).join("debug/deps");
    let entries = fs::read_dir(&made).map_err(Failure::io(format_args!("cannot read {}", made.display())))?;
    for entry in entries.flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "rmeta") {
            fs::copy(entry.path(), libraries.join(entry.file_name()))
                .map_err(Failure::io(format_args!("cannot copy {}", entry.path().display())))?;
        }
    }
    fs::rename(&unfinished, sysroot)
        .map_err(Failure::io(format_args!("cannot rename {}", unfinished.display())))?;
    fs::remove_dir_all(build).map_err(Failure::io(format_args!("cannot remove {}", build.display())))
}

fn create(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(Failure::io(format_args!("cannot create {}", folder.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_is_found_in_both_forms_of_lists() {
        let mirror = |sources: &str| mirror_in(sources).unwrap_or_default();
        assert_eq!(
            mirror("# http://no/debian\ndeb [arch=amd64] http://a.example/debian/ bookworm main"),
            "http://a.example/debian"
        );
        let other = "Types: deb\nURIs: https://b.example/debian\nSuites: bookworm\n";
        assert_eq!(mirror(other), "https://b.example/debian");
        assert_eq!(mirror("deb http://c.example/debian-security bookworm-security main"), "");
    }
}
