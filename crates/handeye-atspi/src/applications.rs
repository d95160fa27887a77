//! The running applications: those on the accessibility bus, and those that only have windows.

use super::bus::{A11yBus, REGISTRY};
use super::call_error::CallError;
use super::introduced::Lasting;
use super::object::{ObjectKey, ROOT_PATH};
use super::process::{Libraries, Process, is_interpreter};
use super::read_call::{CHILD_COUNT, GET_CHILDREN, NAME, TOOLKIT_NAME, VERSION};
use super::toolkit::Toolkit;
use super::wire::Wire;
use futures_util::FutureExt;
use futures_util::future::join_all;
use handeye_core::{
    Advice, Application, ApplicationId, Error, ErrorCode, Invocation, ProcessIdentity, Result, SourceId,
    TreeAccess, Window, screen_text, text,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// What this source is called.
pub(super) const SOURCE: SourceId = SourceId::new("atspi");
/// Most applications that are listed.
const MAX_APPLICATIONS: usize = 500;
/// A Chromium that exposes its pages has more elements than this; its empty shell has four.
const SHELL_NODES: usize = 6;

/// What each application on the bus reports of itself, asked for no longer than `patience`.
pub(super) async fn introductions(bus: &A11yBus, patience: Duration) -> Result<Vec<Introduction>> {
    let registry: Arc<str> = Arc::from(REGISTRY);
    let wire = Wire::over_bus(bus.calls.clone(), Arc::clone(&registry));
    let desktop = ObjectKey { bus: registry, path: Arc::from(ROOT_PATH) };
    let raw = wire.call(&desktop, &GET_CHILDREN, &()).await.map_err(|error| {
        super::bus::unavailable(format!("the registry does not list applications: {error:?}"))
    })?;
    let own = bus.calls.connection.unique_name().map(ToString::to_string).unwrap_or_default();
    let names: Vec<Arc<str>> = raw
        .into_iter()
        .map(|child| Arc::from(child.bus))
        .filter(|name: &Arc<str>| !name.is_empty() && **name != *own)
        .take(MAX_APPLICATIONS)
        .collect();
    bus.introduced.keep(&names);
    Ok(join_all(names.into_iter().map(|name| Introduction::of(bus, name, patience).boxed())).await)
}

/// These applications, and, of `windows`, those that are not on the bus.
pub(super) async fn listed(introductions: Vec<Introduction>, windows: &[Window]) -> Vec<Application> {
    let mut all: Vec<Application> =
        introductions.into_iter().map(|introduction| introduction.application(windows)).collect();
    all.sort_by(|a, b| (&a.name, a.pid()).cmp(&(&b.name, b.pid())));
    let missing = without_tree(windows, &all).await;
    all.extend(missing);
    all
}

/// Asks one process who it is, for no longer than `patience`.
pub(super) async fn introduce(
    bus: &A11yBus,
    name: Arc<str>,
    windows: &[Window],
    patience: Duration,
) -> Application {
    Introduction::of(bus, name, patience).await.application(windows)
}

/// What one process on the bus reports of itself, and `/proc` of the process.
pub(super) struct Introduction {
    name: Arc<str>,
    pid: Option<u32>,
    process: Process,
    /// `None` of one that did not answer within the time that it was given.
    answers: Option<Answers>,
    patience: Duration,
}

struct Answers {
    label: String,
    /// Its toolkit with the version; empty where it names none.
    toolkit: String,
    /// Whether it lists no window.
    is_empty: bool,
    tree: TreeAccess,
}

impl Introduction {
    async fn of(bus: &A11yBus, name: Arc<str>, patience: Duration) -> Self {
        let wire = Wire::over_bus(bus.calls.clone(), Arc::clone(&name));
        let root = ObjectKey::root(&name);
        let known = bus.introduced.get(&name);
        let made_with = async {
            if let Some(known) = &known {
                (Ok(known.toolkit_name.clone()), Ok(known.version.clone()))
            } else {
                tokio::join!(wire.property(&root, &TOOLKIT_NAME), wire.property(&root, &VERSION))
            }
        };
        let windows = async {
            match &known {
                // After that an empty list does not mean that it is starting.
                Some(known) if known.had_window => None,
                _ => wire.property(&root, &CHILD_COUNT).await.ok(),
            }
        };
        let asked = tokio::time::timeout(patience, async {
            tokio::join!(wire.property(&root, &NAME), made_with, windows)
        });
        let who = async {
            let pid = match &known {
                Some(known) => Some(known.pid),
                None => bus.process_of(&name).await,
            };
            // Read each time: what a process runs is judged by the owner's rules.
            let process = match pid {
                Some(pid) => Process::look_at(pid).await,
                None => Process::default(),
            };
            (pid, process)
        };
        let ((pid, process), asked) = tokio::join!(who, asked);
        let (label, (toolkit_name, version), windows) = match asked {
            Ok(answers) if !answers.0.as_ref().is_err_and(CallError::is_fatal) => answers,
            Ok(_) | Err(_) => return Self { name, pid, process, answers: None, patience },
        };
        let label = label
            .ok()
            .filter(|label| !label.is_empty())
            .or_else(|| process.name.clone())
            .unwrap_or_else(|| name.to_string());
        let is_introduced = toolkit_name.is_ok() && version.is_ok();
        let (toolkit_name, version) = (toolkit_name.unwrap_or_default(), version.unwrap_or_default());
        let toolkit = Toolkit::identify(&toolkit_name, &version, &label, process.name.as_deref());
        let may_be_a_shell =
            toolkit == Toolkit::Chromium && !known.as_ref().is_some_and(|known| known.has_tree);
        // `None` where it did not show in time which of the two it is.
        let tree = if may_be_a_shell {
            tokio::time::timeout(patience, chromium_access(&wire, &root)).await.ok()
        } else {
            Some(TreeAccess::Available)
        };
        let has_tree = tree == Some(TreeAccess::Available);
        let answers = Answers {
            label,
            toolkit: format!("{toolkit_name} {version}").trim().to_owned(),
            is_empty: toolkit != Toolkit::Chromium && windows == Some(0),
            tree: tree.unwrap_or(TreeAccess::Available),
        };
        let had_window =
            windows.map_or_else(|| known.as_ref().is_some_and(|known| known.had_window), |count| count > 0);
        let is_news = known.is_none_or(|known| known.has_tree != has_tree || known.had_window != had_window);
        let lasts = is_introduced && !toolkit_name.is_empty() && !process.is_starting();
        if let Some(pid) = pid.filter(|_| is_news && lasts) {
            bus.introduced.note(&name, Lasting { pid, toolkit_name, version, has_tree, had_window });
        }
        Self { name, pid, process, answers: Some(answers), patience }
    }

    /// The application as it is listed beside these windows.
    fn application(self, windows: &[Window]) -> Application {
        let Self { name, pid, process, answers, patience } = self;
        let (label, toolkit, tree) = match answers {
            Some(Answers { is_empty: true, label, toolkit, .. }) if has_window(pid, windows) => {
                let tree = TreeAccess::Missing {
                    reason: "it is on the accessibility bus but shows no window there".into(),
                    advice: "It may still be starting: try again in a second.".into(),
                };
                (screen_text::name(&label), toolkit, tree)
            }
            Some(Answers { label, toolkit, tree, .. }) => (screen_text::name(&label), toolkit, tree),
            None => {
                let class = pid.and_then(|pid| class(pid, windows));
                let label = outside_name(process.name.as_deref(), class).unwrap_or_else(|| name.to_string());
                let tree = TreeAccess::Missing {
                    reason: format!("it did not answer within {} ms", patience.as_millis()),
                    advice: "It hangs, is stopped or is very busy: try again later.".into(),
                };
                (label, String::new(), tree)
            }
        };
        Application {
            id: ApplicationId::new(SOURCE, name),
            name: label,
            process: pid.map(|pid| process.identity(pid)),
            bundle_id: bundle_id(pid, &process, windows),
            toolkit: Some(screen_text::name(&toolkit)).filter(|toolkit| !toolkit.is_empty()),
            tree,
        }
    }
}

/// What an application is called that does not introduce itself: by its executable, or by the class of its window where that is
/// an interpreter, which names what it runs no better than its window does.
fn outside_name(process: Option<&str>, class: Option<String>) -> Option<String> {
    process
        .filter(|process| !is_interpreter(process))
        .map(str::to_owned)
        .or(class)
        .or_else(|| process.map(str::to_owned))
}

/// Chromium registers even when it exposes nothing but its frame. Counts a few elements to find out.
async fn chromium_access(wire: &Wire, root: &ObjectKey) -> TreeAccess {
    let mut found = 0;
    let mut level = vec![root.clone()];
    while !level.is_empty() && found <= SHELL_NODES {
        found += level.len();
        let children =
            join_all(level.iter().take(SHELL_NODES).map(|key| super::reading::read_children(wire, key)))
                .await;
        level = children.into_iter().filter_map(Result::<_, CallError>::ok).flatten().flatten().collect();
    }
    if found > SHELL_NODES {
        TreeAccess::Available
    } else {
        TreeAccess::Missing {
            reason: "Chromium was started without its accessibility tree".into(),
            advice: "Start it with --force-renderer-accessibility (while org.a11y.Status IsEnabled is true)."
                .into(),
        }
    }
}

fn has_window(pid: Option<u32>, windows: &[Window]) -> bool {
    pid.is_some() && windows.iter().any(|window| window.pid == pid)
}

/// The id of an application that is not on the accessibility bus: its process, which is none of the names that the bus gives.
fn off_the_bus(process: &ProcessIdentity) -> ApplicationId {
    let key = match process.started {
        Some(started) => format!("process {} since {started}", process.pid),
        None => format!("process {}", process.pid),
    };
    ApplicationId::new(SOURCE, key)
}

/// The unique name of an application on the accessibility bus; `None` if it is not there.
pub(super) fn bus_name(id: &ApplicationId) -> Option<&Arc<str>> {
    Some(id.key()).filter(|key| key.starts_with(':'))
}

/// Processes that have windows but are not on the accessibility bus.
async fn without_tree(windows: &[Window], known: &[Application]) -> Vec<Application> {
    let mut processes: HashMap<u32, &Window> = HashMap::new();
    for window in windows.iter().rev() {
        if let Some(pid) = window.pid {
            processes.insert(pid, window);
        }
    }
    processes.retain(|pid, _| !known.iter().any(|other| other.pid() == Some(*pid)));
    let described = processes.into_iter().map(|(pid, window)| async move {
        let process = Process::look_at(pid).await;
        let name = outside_name(process.name.as_deref(), window.class.clone())
            .unwrap_or_else(|| window.title.clone());
        let (reason, advice) = why_missing(&name, Libraries::of(pid).await);
        let process = process.identity(pid);
        Application {
            id: off_the_bus(&process),
            name,
            process: Some(process),
            bundle_id: window.class.clone(),
            toolkit: None,
            tree: TreeAccess::Missing { reason: reason.into(), advice },
        }
    });
    let mut missing = join_all(described).await;
    missing.sort_by_key(Application::pid);
    missing
}

pub(super) fn no_tree(application: &Application) -> Error {
    let (reason, advice) = match &application.tree {
        TreeAccess::Missing { reason, advice } => (reason.as_str(), advice.clone()),
        TreeAccess::Available => {
            let next = text!["Call ", Invocation::of("ax_list_apps"), " to see what runs."];
            ("it is not on the accessibility bus", next.into())
        }
    };
    Error::new(
        ErrorCode::AppNotAccessible,
        format!("{} shows no accessibility tree: {reason}", application.name),
    )
    .with_next(advice)
}

/// Why an application has windows but no tree, as far as its name and its libraries show.
fn why_missing(name: &str, libraries: Libraries) -> (&'static str, Advice) {
    match libraries {
        Libraries::Gtk2 => {
            return (
                "it uses GTK 2, which does not register with the accessibility bus by itself",
                "Install libgail-common and libatk-adaptor, then restart it with GTK_MODULES=gail:atk-bridge.".into(),
            );
        }
        Libraries::Java => {
            return (
                "it runs in Java, which does not register with the accessibility bus by itself",
                "Install libatk-wrapper-java-jni, then restart it with JAVA_TOOL_OPTIONS='-Xbootclasspath/a:/usr/share/java/java-atk-wrapper.jar -Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper'.".into(),
            );
        }
        Libraries::Qt => {
            return (
                "it uses Qt and is not on the accessibility bus",
                "Restart it with QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1.".into(),
            );
        }
        Libraries::Inaccessible => {
            return (
                "its toolkit (Athena, Motif, Tk, FLTK or FOX) has no accessibility",
                pictures_and_points(),
            );
        }
        Libraries::Chromium | Libraries::Others => {}
    }
    let name = name.to_lowercase();
    if name.contains("chrom") || name.contains("electron") || name.contains("code") {
        (
            "Chromium and Electron register with the accessibility bus only if it was switched on when they started",
            "Switch it on (`handeye doctor` says how), then restart it with --force-renderer-accessibility."
                .into(),
        )
    } else if name.contains("firefox") || name.contains("thunderbird") {
        (
            "Firefox registers with the accessibility bus only if it was switched on when it started",
            "Switch it on (`handeye doctor` says how), then restart it.".into(),
        )
    } else {
        (
            "it has a window but is not on the accessibility bus: its toolkit may have no accessibility",
            pictures_and_points(),
        )
    }
}

/// The way into a window without a tree.
fn pictures_and_points() -> Advice {
    text![
        Invocation::of("ax_screenshot"),
        " shows it, and ",
        Invocation::of("ax_click_at").with("mode", "focus"),
        " clicks in it."
    ]
    .into()
}

/// Desktop file id where the launcher passed it to the process, else the class of its window, else its executable.
fn bundle_id(pid: Option<u32>, process: &Process, windows: &[Window]) -> Option<String> {
    process.launched_as.clone().or_else(|| class(pid?, windows)).or_else(|| process.name.clone())
}

/// Class of a process's topmost window.
fn class(pid: u32, windows: &[Window]) -> Option<String> {
    windows.iter().find(|window| window.pid == Some(pid)).and_then(|window| window.class.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_is_called_by_its_window() {
        let called =
            |process: Option<&str>, class: Option<&str>| outside_name(process, class.map(str::to_owned));
        assert_eq!(called(Some("mousepad"), Some("Mousepad")).as_deref(), Some("mousepad"));
        assert_eq!(called(Some("python3"), Some("Calibre")).as_deref(), Some("Calibre"));
        assert_eq!(called(Some("python3"), None).as_deref(), Some("python3"));
        assert_eq!(called(None, Some("Calibre")).as_deref(), Some("Calibre"));
        assert_eq!(called(None, None), None);
    }

    #[test]
    fn an_application_off_the_bus_is_its_process() {
        let process = ProcessIdentity { started: Some(10), ..ProcessIdentity::unverified(7) };
        let later = ProcessIdentity { started: Some(11), ..process.clone() };
        assert_ne!(off_the_bus(&process), off_the_bus(&later), "its number was used again");
        assert_eq!(bus_name(&off_the_bus(&process)), None, "nobody is asked for it on the bus");
        let on_bus = ApplicationId::new(SOURCE, ":1.7");
        assert_eq!(bus_name(&on_bus).map(|name| &**name), Some(":1.7"));
    }
}
