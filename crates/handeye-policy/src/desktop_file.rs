//! What a desktop file of the system starts. Only folders count that the user cannot write to: a file that an application may put there itself
//! proves nothing.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where the system has desktop files.
const FOLDERS: [&str; 4] = [
    "/usr/share/applications",
    "/usr/local/share/applications",
    "/var/lib/flatpak/exports/share/applications",
    "/var/lib/snapd/desktop/applications",
];
/// Where programs are that a desktop file names without their folder.
const PROGRAMS: [&str; 6] =
    ["/usr/local/bin", "/usr/bin", "/bin", "/usr/games", "/usr/local/sbin", "/usr/sbin"];
/// Most bytes of a desktop file; those with names in a hundred languages have a tenth of it.
const MAX_BYTES: u64 = 256 << 10;
/// Programs that start another one, which is then what runs.
const LAUNCHERS: [&str; 6] = ["env", "sh", "bash", "dash", "flatpak", "snap"];

/// What a desktop file starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launches {
    /// A program, without links.
    Executable(PathBuf),
    /// A Flatpak.
    Flatpak(String),
}

/// What the desktop file of this name starts. `None` where there is none, or where another program is started by what it names: a script
/// cannot be identified by the process that runs it.
pub(crate) fn launches(id: &str) -> Option<Launches> {
    FOLDERS.iter().find_map(|folder| read(&Path::new(folder).join(format!("{id}.desktop"))))
}

fn read(path: &Path) -> Option<Launches> {
    let mut text = String::new();
    File::open(path).ok()?.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    let value = |key: &str| {
        let entry = text.lines().skip_while(|line| line.trim() != "[Desktop Entry]").skip(1);
        let mut entry = entry.take_while(|line| !line.trim_start().starts_with('['));
        entry.find_map(|line| {
            let (name, value) = line.split_once('=')?;
            (name.trim() == key).then(|| value.trim().to_owned())
        })
    };
    if let Some(id) = value("X-Flatpak") {
        return Some(Launches::Flatpak(id));
    }
    let program = program(&value("Exec")?)?;
    let path = if program.starts_with('/') {
        PathBuf::from(program)
    } else {
        PROGRAMS.iter().map(|folder| Path::new(folder).join(&program)).find(|path| path.is_file())?
    };
    let real = std::fs::canonicalize(path).ok()?;
    let launcher = real.file_name()?.to_str()?;
    (!LAUNCHERS.contains(&launcher) && !is_script(&real)).then_some(Launches::Executable(real))
}

/// The first word of a command, without the quotes around it.
fn program(command: &str) -> Option<String> {
    let command = command.trim_start();
    let word = match command.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => command.split_whitespace().next(),
    };
    word.filter(|word| !word.is_empty()).map(str::to_owned)
}

/// Whether a file is run by another program, which is then the one of the process.
fn is_script(path: &Path) -> bool {
    let mut beginning = [0; 2];
    File::open(path).and_then(|mut file| file.read_exact(&mut beginning)).is_ok() && beginning == *b"#!"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Launches> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.desktop");
        std::fs::write(&path, text).expect("written");
        read(&path)
    }

    #[test]
    fn a_desktop_file_leads_to_the_program_that_it_starts() {
        let ls = std::fs::canonicalize("/usr/bin/ls").expect("there is one");
        for exec in ["ls %U", "/usr/bin/ls --color", "\"/usr/bin/ls\" -l"] {
            let text =
                format!("[Desktop Entry]\nName=x\nExec={exec}\n[Desktop Action new]\nExec=/bin/true\n");
            assert_eq!(of(&text), Some(Launches::Executable(ls.clone())), "{exec}");
        }
        let flatpak = "[Desktop Entry]\nExec=/usr/bin/flatpak run org.x.Y\nX-Flatpak=org.x.Y\n";
        assert_eq!(of(flatpak), Some(Launches::Flatpak("org.x.Y".to_owned())));
    }

    #[test]
    fn a_program_that_starts_another_one_identifies_nothing() {
        for text in [
            "",
            "[Desktop Entry]\nName=x\n",
            "[Desktop Entry]\nExec=\n",
            "[Desktop Entry]\nExec=env X=1 ls\n",
            "[Desktop Entry]\nExec=no-such-program-at-all\n",
            "[Other]\nExec=ls\n",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
