//! What handeye runs on, for people.

use std::sync::LazyLock;

/// Name and version of the system and the machine, which do not change while this process lives.
static SYSTEM: LazyLock<String> = LazyLock::new(|| {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    format!("{}, {}", pretty_name(&release).unwrap_or("Linux"), std::env::consts::ARCH)
});

/// For example `Debian GNU/Linux 12 (bookworm), x86_64, X11 display :0`.
pub(super) fn describe() -> String {
    match std::env::var("DISPLAY") {
        Ok(display) if !display.is_empty() => format!("{}, X11 display {display}", *SYSTEM),
        _ => format!("{}, no display", *SYSTEM),
    }
}

/// The name in the text of `os-release(5)`.
fn pretty_name(release: &str) -> Option<&str> {
    let value = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches(['"', '\''])).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::pretty_name;

    #[test]
    fn the_name_of_the_system_is_read() {
        assert_eq!(pretty_name("ID=debian\nPRETTY_NAME=\"Debian 12\"\n"), Some("Debian 12"));
        assert_eq!(pretty_name("PRETTY_NAME=Arch"), Some("Arch"));
        assert_eq!(pretty_name("ID=x"), None);
    }
}
