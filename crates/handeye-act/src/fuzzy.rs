//! Which applications a name means to a tool that only looks: fuzzy, and all of them where several answer exactly
//! (Peekaboo 1.0.0-beta.17, sections I.C and II.B). A call that acts looks up strictly, see `targets.rs`.

use crate::desk::Desk;
use crate::naming::{best_graded, names};
use crate::targets::{FRONTMOST, describe, not_found, one_process};
use handeye_core::nearness::{self, Nearness};
use handeye_core::platform::INTRODUCTION;
use handeye_core::{
    Application, ApplicationId, Error, ErrorCode, Invocation, ProcessIdentity, Result, SourceId, TreeAccess,
    Window, text,
};
use std::time::Duration;

/// How a process number is distinguished from a name of digits.
const PROCESS: &str = "pid:";
/// The browsers whose helper processes are passed over.
const BROWSERS: [&str; 9] =
    ["chrome", "safari", "firefox", "edge", "brave", "arc", "opera", "chromium", "vivaldi"];
/// Words in the name of a browser's helper process.
const HELPERS: [&str; 8] =
    ["helper", "renderer", "utility", "plugin", "service", "crashpad", "gpu", "background"];

/// What a name means.
#[derive(Debug, PartialEq, Eq)]
enum Meaning<'a> {
    Nothing,
    These(Vec<&'a Application>),
    Unclear(Vec<&'a Application>),
}

/// What a name means among those that run.
pub enum Found {
    /// All of these.
    These(Vec<Application>),
    /// One of these: they come equally near.
    Unclear(Vec<Application>),
}

impl Desk {
    /// Every running application that `name` means: [`FRONTMOST`], `PID:123` or a process number, all whose name or bundle id
    /// is exactly that (capitals do not matter), an alias of `ax_connect`, else the one whose name comes nearest.
    /// Helper processes of a browser never stand for the browser.
    ///
    /// # Errors
    /// [`ErrorCode::AppAmbiguous`] with the candidates if several applications of different names come equally near,
    /// [`ErrorCode::AppNotFound`] if none does.
    pub async fn applications_named(&self, name: &str) -> Result<Vec<Application>> {
        match self.find_fuzzily(name).await? {
            Found::These(these) => Ok(these),
            Found::Unclear(several) => Err(self.unclear(name.trim(), &several).await),
        }
    }

    /// The error of a name to which several applications of different names come equally near.
    pub async fn unclear(&self, name: &str, several: &[Application]) -> Error {
        self.ambiguous(name, &several.iter().collect::<Vec<_>>(), "PID:NUMBER").await
    }

    /// What a name means, see [`Desk::applications_named`].
    pub async fn find_fuzzily(&self, name: &str) -> Result<Found> {
        let wanted = name.trim();
        if wanted.is_empty() {
            return Err(Error::invalid_parameter("app", "is empty").with_next(text![
                Invocation::of("list"),
                " names the running applications; 'frontmost' is the active one."
            ]));
        }
        let applications = self.running_applications().await?;
        if wanted.eq_ignore_ascii_case(FRONTMOST) {
            return Ok(Found::These(vec![self.frontmost(applications).await?]));
        }
        let exact = exact(wanted, &applications);
        if !exact.is_empty() {
            return Ok(Found::These(exact.into_iter().cloned().collect()));
        }
        if let Some(connection) = self.own.connection(wanted) {
            return Ok(Found::These(vec![connection.application().clone()]));
        }
        match meaning(wanted, &applications) {
            Meaning::These(these) => Ok(Found::These(these.into_iter().cloned().collect())),
            Meaning::Unclear(several) => Ok(Found::Unclear(several.into_iter().cloned().collect())),
            Meaning::Nothing => Err(no_such(wanted, &applications)),
        }
    }
}

impl Desk {
    /// The running applications; those that have windows where no accessibility bus lists the others: pixels need none.
    pub async fn running_applications(&self) -> Result<Vec<Application>> {
        self.running_applications_within(INTRODUCTION).await
    }

    /// [`Desk::running_applications`]; each may take `patience` to say who it is.
    pub async fn running_applications_within(&self, patience: Duration) -> Result<Vec<Application>> {
        match self.platform.accessibility.applications_within(patience).await {
            Err(error) if error.code == ErrorCode::AccessibilityUnavailable => {
                tracing::debug!(code = error.code.as_str(), "applications are known by their windows alone");
                Ok(by_windows(&self.platform.screen.windows().await?, &error))
            }
            listed => listed,
        }
    }
}

/// The id of an application that is known by its windows alone: by its process, or else by this window of it.
fn known_by(window: &Window) -> ApplicationId {
    let key = match window.pid {
        Some(pid) => format!("process {pid}"),
        None => format!("window {}", window.id.number()),
    };
    ApplicationId::new(SourceId::new("windows"), key)
}

/// The applications that have windows, the topmost first, each process once.
pub fn by_windows(windows: &[Window], why: &Error) -> Vec<Application> {
    let mut applications: Vec<Application> = Vec::new();
    for window in windows {
        let name = window.class.as_ref().unwrap_or(&window.title);
        let known = |other: &Application| match window.pid {
            Some(pid) => other.pid() == Some(pid),
            None => other.pid().is_none() && other.name == *name,
        };
        if !applications.iter().any(known) {
            applications.push(Application {
                id: known_by(window),
                name: name.clone(),
                process: window.pid.map(ProcessIdentity::unverified),
                bundle_id: window.class.clone(),
                toolkit: None,
                tree: TreeAccess::Missing {
                    reason: why.message.clone(),
                    advice: why.next.clone().unwrap_or_default(),
                },
            });
        }
    }
    applications
}

/// The applications that are exactly that.
fn exact<'a>(wanted: &str, applications: &'a [Application]) -> Vec<&'a Application> {
    let (number, only_process) = match wanted.get(..PROCESS.len()) {
        Some(prefix) if prefix.eq_ignore_ascii_case(PROCESS) => (wanted[PROCESS.len()..].trim(), true),
        _ => (wanted, false),
    };
    if let Ok(pid) = number.parse::<u32>() {
        let of_process: Vec<_> =
            applications.iter().filter(|application| application.pid() == Some(pid)).collect();
        if !of_process.is_empty() || only_process {
            return distinct(of_process);
        }
    }
    let wanted = wanted.to_lowercase();
    distinct(
        applications
            .iter()
            .filter(|application| names(application).any(|name| name.to_lowercase() == wanted))
            .collect(),
    )
}

/// What a name that is nobody's exactly means.
fn meaning<'a>(wanted: &str, applications: &'a [Application]) -> Meaning<'a> {
    let wanted = wanted.to_lowercase();
    if wanted.starts_with(PROCESS) {
        return Meaning::Nothing;
    }
    if asked_browser(&wanted).is_some() {
        let browsers = applications.iter().filter(|application| !is_helper(&application.name));
        let found = nearest(&wanted, browsers);
        if found != Meaning::Nothing {
            return found;
        }
    }
    nearest(&wanted, applications.iter())
}

fn nearest<'a>(wanted: &str, applications: impl Iterator<Item = &'a Application>) -> Meaning<'a> {
    let these = distinct(best_graded(applications, |name| nearness(wanted, name)));
    let Some(first) = these.first() else { return Meaning::Nothing };
    let name = first.name.to_lowercase();
    if these.iter().all(|application| application.name.to_lowercase() == name) {
        Meaning::These(these)
    } else {
        Meaning::Unclear(these)
    }
}

/// How near `wanted` comes to a name, both in lower case.
fn nearness(wanted: &str, name: &str) -> Option<Nearness> {
    Nearness::of(wanted, name).or_else(|| {
        let slips = nearness::distance(wanted, name);
        (slips <= allowed_slips(wanted)).then_some(Nearness::Slips(slips))
    })
}

/// How many slips still mean the same name.
fn allowed_slips(name: &str) -> usize {
    match name.chars().count() {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    }
}

/// The browser that a name (in lower case) asks for, unless it asks for one of its helpers.
fn asked_browser(wanted: &str) -> Option<&'static str> {
    if is_helper(wanted) {
        return None;
    }
    let mut words = wanted.split(|c: char| !c.is_alphanumeric());
    words.find_map(|word| BROWSERS.into_iter().find(|browser| *browser == word))
}

fn is_helper(name: &str) -> bool {
    let name = name.to_lowercase();
    HELPERS.iter().any(|word| name.contains(word))
}

/// Each process once, represented by its entry with a tree if it has one.
fn distinct(applications: Vec<&Application>) -> Vec<&Application> {
    let mut distinct: Vec<&Application> = Vec::with_capacity(applications.len());
    for application in applications {
        let known =
            distinct.iter_mut().find(|other| application.pid().is_some() && other.pid() == application.pid());
        match known {
            Some(known) => *known = one_process(&[*known, application]).unwrap_or(*known),
            None => distinct.push(application),
        }
    }
    distinct
}

fn no_such(wanted: &str, applications: &[Application]) -> Error {
    match asked_browser(&wanted.to_lowercase()) {
        Some(browser) => {
            let mut name = browser.to_owned();
            name[..1].make_ascii_uppercase();
            Error::new(ErrorCode::AppNotFound, format!("{name} browser is not running or not found"))
                .with_found(applications.iter().take(12).map(describe))
                .with_next("Start it, or name another application.")
        }
        None => not_found(wanted, applications),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::testing::application;

    fn pids(applications: &[&Application]) -> Vec<u32> {
        applications.iter().filter_map(|application| application.pid()).collect()
    }

    /// The processes that a name means, or the candidates between which it does not decide.
    fn meant(wanted: &str, applications: &[Application]) -> std::result::Result<Vec<u32>, Vec<u32>> {
        let exact = exact(wanted, applications);
        if !exact.is_empty() {
            return Ok(pids(&exact));
        }
        match meaning(wanted, applications) {
            Meaning::These(these) => Ok(pids(&these)),
            Meaning::Unclear(several) => Err(pids(&several)),
            Meaning::Nothing => Ok(Vec::new()),
        }
    }

    fn office() -> Vec<Application> {
        vec![
            application("claude", 1, "claude-cli"),
            application("Claude", 2, "com.example.Claude"),
            application("Mousepad", 3, "org.xfce.mousepad.desktop"),
            application("LibreOffice Writer", 4, "libreoffice-writer"),
            application("LibreOffice Calc", 5, "libreoffice-calc"),
            application("xterm", 6, "XTerm"),
            application("xterm", 7, "XTerm"),
        ]
    }

    #[test]
    fn several_exact_matches_are_all_meant() {
        assert_eq!(meant("CLAUDE", &office()), Ok(vec![1, 2]));
        assert_eq!(meant("xterm", &office()), Ok(vec![6, 7]));
    }

    #[test]
    fn a_bundle_id_and_a_process_number_are_exact() {
        assert_eq!(meant("org.xfce.mousepad", &office()), Ok(vec![3]));
        assert_eq!(meant("PID:4", &office()), Ok(vec![4]));
        assert_eq!(meant("pid: 4", &office()), Ok(vec![4]));
        assert_eq!(meant("5", &office()), Ok(vec![5]));
        assert_eq!(meant("PID:99", &office()), Ok(vec![]));
        assert_eq!(meant("PID:claude", &office()), Ok(vec![]));
    }

    #[test]
    fn what_comes_nearest_is_meant() {
        assert_eq!(meant("mouse", &office()), Ok(vec![3]));
        assert_eq!(meant("calc", &office()), Ok(vec![5]));
        assert_eq!(meant("riter", &office()), Ok(vec![4]));
        assert_eq!(meant("muosepad", &office()), Ok(vec![3]));
        assert_eq!(meant("xter", &office()), Ok(vec![6, 7]), "both are the same application");
        assert_eq!(meant("inkscape", &office()), Ok(vec![]));
        assert_eq!(meant("xrm", &office()), Ok(vec![]), "too short for a slip");
    }

    #[test]
    fn equally_near_ones_of_different_names_are_unclear() {
        assert_eq!(meant("libreoffice", &office()), Err(vec![4, 5]));
    }

    #[test]
    fn a_browser_wins_over_its_helpers() {
        let browsers = vec![
            application("Google Chrome Helper (Renderer)", 10, "chrome-helper"),
            application("Google Chrome", 11, "com.google.Chrome.app"),
            application("chrome_crashpad_handler", 12, "crashpad"),
            application("Firefox GPU", 13, "gpu"),
            application("Mail Service", 14, "mail"),
            application("Mail", 15, "mail-reader"),
        ];
        assert_eq!(meant("chrome", &browsers), Ok(vec![11]));
        assert_eq!(meant("google chrome", &browsers), Ok(vec![11]));
        assert_eq!(meant("Chrome Helper", &browsers), Ok(vec![10]), "asked for by its name");
        assert_eq!(meant("firefox", &browsers), Ok(vec![13]), "nothing else is left");
        assert_eq!(meant("ail", &browsers), Err(vec![14, 15]), "other applications are not filtered");
    }

    #[test]
    fn a_missing_browser_is_reported_as_one() {
        for (wanted, message) in [
            ("chrome", "Chrome browser is not running or not found"),
            ("Microsoft Edge", "Edge browser is not running or not found"),
        ] {
            let error = no_such(wanted, &office());
            assert_eq!((error.code, error.message.as_str()), (ErrorCode::AppNotFound, message));
        }
        assert!(no_such("operations", &office()).message.contains("'operations'"));
    }

    #[test]
    fn two_entries_of_one_process_are_one_application() {
        let mut shell = application("soffice", 8, "soffice");
        shell.tree = TreeAccess::Missing { reason: String::new(), advice: "".into() };
        let both = vec![shell, application("soffice", 8, "soffice")];
        let found = exact("soffice", &both);
        assert_eq!(pids(&found), [8]);
        assert_eq!(found[0].tree, TreeAccess::Available);
    }
}
