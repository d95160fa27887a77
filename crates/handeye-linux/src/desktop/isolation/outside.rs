//! The components of an isolated desktop that run outside: without the user's home, should a client get the better of one, and the buses
//! without a network. These start nothing outside that a client asks for.

use super::bubblewrap;
use super::enter;
use crate::desktop::fault::io_error;
use handeye_core::{Error, ErrorCode, Result};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Where distributions keep the configuration of the accessibility bus.
const ACCESSIBILITY: [&str; 2] =
    ["/usr/share/defaults/at-spi2/accessibility.conf", "/etc/at-spi2/accessibility.conf"];
/// Where the services are that a session bus starts on demand. Those of the user's own folders are not inside.
const SERVICES: [&str; 2] = ["/usr/local/share/dbus-1/services", "/usr/share/dbus-1/services"];
/// Services of the desktop itself, which run already, and of the machine's service manager.
const NOT_STARTED: [&str; 2] = ["org.a11y.Bus", "org.freedesktop.systemd1"];
/// Most services that are taken over.
const MOST_SERVICES: usize = 2_000;
/// Largest service file, in bytes.
const LARGEST: u64 = 64 * 1024;
/// A client could have a service preload a library of its own.
const NO_VARIABLES: &str = r#"<policy context="mandatory"><deny send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus" send_member="UpdateActivationEnvironment"/></policy>"#;

/// The launcher of the accessibility bus lets its name be taken, and ends when it is. It has it already when this comes to hold.
const NO_OTHER_LAUNCHER: &str = r#"<policy context="mandatory"><deny own="org.a11y.Bus"/></policy>"#;

/// How the components are started.
#[derive(Debug)]
pub(in crate::desktop) struct Outside {
    /// The configuration of the session bus.
    session: PathBuf,
    /// The folder of the services that it starts.
    services: PathBuf,
    /// That of the accessibility bus, and the place of the usual one.
    accessibility: (PathBuf, PathBuf),
    /// What keeps a component from the user's files.
    frame: Vec<OsString>,
}

impl Outside {
    /// Writes the configuration of both buses into the desktop's folder.
    pub(in crate::desktop) fn write(folder: &Path, bwrap: &Path) -> Result<Self> {
        let place = ACCESSIBILITY.iter().map(PathBuf::from).find(|path| path.is_file()).ok_or_else(|| {
            Error::new(
                ErrorCode::MissingDependency,
                "the configuration of the accessibility bus was not found",
            )
            .with_found(ACCESSIBILITY)
        })?;
        let config = fs::read_to_string(&place).map_err(|error| io_error("read", &place, &error))?;
        let Some((start, end)) = config.rsplit_once("</busconfig>") else {
            return Err(Error::internal(format!("{} is no configuration of a bus", place.display())));
        };
        let own = std::env::current_exe()
            .map_err(|error| Error::internal(format!("own executable unknown: {error}")))?;
        let outside = Self {
            session: folder.join("session.conf"),
            services: folder.join("services"),
            accessibility: (folder.join("accessibility.conf"), place),
            frame: bubblewrap::frame(bwrap, folder, &own),
        };
        write(&outside.accessibility.0, &format!("{start}{NO_VARIABLES}</busconfig>{end}"))?;
        fs::create_dir(&outside.services).map_err(|error| io_error("create", &outside.services, &error))?;
        write_services(folder, &outside.services, &own)?;
        write(&outside.session, &session(&outside.services, "")).map(|()| outside)
    }

    /// Keeps the name of the accessibility bus for the one that has it now. The session bus has to read its configuration again.
    pub(in crate::desktop) fn keep_names(&self) -> Result<()> {
        write(&self.session, &session(&self.services, NO_OTHER_LAUNCHER))
    }

    /// What starts the X server; its arguments follow. It keeps the network: there it sees which displays are taken.
    pub(in crate::desktop) fn x_words(&self, server: &Path) -> Vec<OsString> {
        self.frame.iter().cloned().chain([server.into()]).collect()
    }

    /// What starts the session bus; its arguments follow, and the one that names its configuration is among them.
    pub(in crate::desktop) fn session_words(&self, bus: &Path) -> Vec<OsString> {
        let configuration = format!("--config-file={}", self.session.display());
        self.without_network([bus.into(), configuration.into()])
    }

    /// What starts the accessibility bus. Its launcher has no option for its configuration, so that lies over the usual one.
    pub(in crate::desktop) fn accessibility_words(&self, launcher: &Path) -> Vec<OsString> {
        let (ours, place) = &self.accessibility;
        self.without_network(["--ro-bind".into(), ours.into(), place.into(), launcher.into()])
    }

    fn without_network(&self, words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
        self.frame.iter().cloned().chain(["--unshare-net".into()]).chain(words).collect()
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|error| io_error("write", path, &error))
}

fn session(services: &Path, more: &str) -> String {
    format!(
        r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <keep_umask/>
  <listen>unix:tmpdir=/tmp</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{}</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  {NO_VARIABLES}
  {more}
  <limit name="max_incoming_bytes">1000000000</limit>
  <limit name="max_outgoing_bytes">1000000000</limit>
  <limit name="max_message_size">1000000000</limit>
  <limit name="service_start_timeout">120000</limit>
</busconfig>
"#,
        services.to_string_lossy().replace('&', "&amp;").replace('<', "&lt;")
    )
}

/// Copies the services, each started inside.
fn write_services(folder: &Path, services: &Path, own: &Path) -> Result<()> {
    let mut start = vec![own.to_owned().into_os_string()];
    start.extend(enter::arguments(folder, &[]));
    let start: Vec<String> = start.iter().map(|word| quoted(&word.to_string_lossy())).collect();
    for (name, command) in found_services() {
        let path = services.join(format!("{name}.service"));
        write(&path, &format!("[D-BUS Service]\nName={name}\nExec={} {command}\n", start.join(" ")))?;
    }
    Ok(())
}

/// The name and the command of each service; the first of a name counts, as for the bus.
fn found_services() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let files = SERVICES.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    for file in files.map(|entry| entry.path()).take(MOST_SERVICES) {
        let is_small = file.metadata().is_ok_and(|about| about.is_file() && about.len() <= LARGEST);
        let text = if is_small { fs::read_to_string(&file).unwrap_or_default() } else { String::new() };
        if let Some((name, command)) = service(&text) {
            found.entry(name).or_insert(command);
        }
    }
    found
}

/// The name and the command of a service file.
fn service(text: &str) -> Option<(String, String)> {
    let value = |key: &str| {
        let values =
            text.lines().filter_map(|line| line.trim().strip_prefix(key)?.trim_start().strip_prefix('='));
        values.map(str::trim).find(|value| !value.is_empty()).map(str::to_owned)
    };
    let name = value("Name")?;
    // It becomes the name of a file.
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
        && !name.starts_with('.');
    (is_name && !NOT_STARTED.contains(&name.as_str())).then_some((name, value("Exec")?))
}

/// As a word of the command of a service.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_its_name_and_its_command() {
        let text = "[D-BUS Service]\nName = org.a.B\nExec=/usr/bin/b --x 'y z'\nSystemdService=b.service\n";
        assert_eq!(service(text), Some(("org.a.B".into(), "/usr/bin/b --x 'y z'".into())));
        for bad in
            ["", "Name=org.a.B\n", "Name=../x\nExec=y\n", "Name=org.freedesktop.systemd1\nExec=/bin/false\n"]
        {
            assert_eq!(service(bad), None, "{bad}");
        }
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
