//! Which application a call means.

use crate::desk::Desk;
use crate::guard::blocked;
use crate::metered::Metered;
use crate::naming::{belongs, best_graded, is_started_as, names};
use handeye_call::running::{doing, in_accessibility};
use handeye_core::nearness::nearest;
use handeye_core::{
    Application, Argument, ConnectedApp, Error, ErrorCode, Invocation, NodeId, Result, TreeAccess, Window,
    screen_text, text,
};
use std::sync::Arc;
use std::time::Duration;

/// The name that means the application of the active window.
pub const FRONTMOST: &str = "frontmost";

/// How many characters of a name that a caller gave an error repeats.
const QUOTED: usize = 100;
/// How many applications an error or a question lists.
pub const LISTED: usize = 12;

/// How long an application may take to say who it is when an alias is compared with what runs; one that hangs is known by its
/// process and its window.
const ALIAS_PATIENCE: Duration = Duration::from_millis(100);

/// How well a name fits an application; the smaller the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Exact,
    Prefix,
    Contains,
}

/// What a name means.
pub enum Meant {
    /// This application.
    One(Application),
    /// One of these: they answer to it equally well.
    Several(Vec<Application>),
}

impl Meant {
    /// The one application, or the error that lists those that it may be.
    async fn only(self, desk: &Desk, name: &str) -> Result<Application> {
        match self {
            Self::One(application) => Ok(application),
            Self::Several(several) => {
                Err(desk.ambiguous(name, &several.iter().collect::<Vec<_>>(), "PID").await)
            }
        }
    }
}

impl Desk {
    /// The window that shows `node`, or the topmost window of the application.
    pub async fn window_for(&self, app: &dyn ConnectedApp, node: Option<NodeId>) -> Result<Window> {
        if let Some(node) = node
            && let Some(window) = app.window_of(node).await?
        {
            return Ok(window);
        }
        let application = app.application();
        let windows = self.windows_of(application).await?;
        windows
            .into_iter()
            .min_by_key(|window| (window.minimized, !window.active, window.stacking))
            .ok_or_else(|| {
                Error::new(
                    ErrorCode::WindowNotFound,
                    format!("'{}' has no window on this desktop", application.name),
                )
                .with_next(text![
                    Invocation::of("ax_list_windows"),
                    " lists its windows; background actions need none."
                ])
            })
    }

    /// The running application that `name` means: a name, an alias of `ax_connect`, a process number, a
    /// bundle id or [`FRONTMOST`]. Capitals do not matter; the whole name goes before its beginning, that
    /// before a part, and that before the executable or sandbox it runs as. A misspelling is an error that names what comes near: a call may do harm in the wrong place.
    pub async fn application(&self, name: &str) -> Result<Application> {
        if let Some(connection) = self.remembered(name).await? {
            return Ok(connection.application().clone());
        }
        self.look_up(name).await?.only(self, name).await
    }

    /// Connects to the application that `name` means, see [`Desk::application`]. A connection is kept and found
    /// again under the same name for as long as the application lives.
    pub async fn connect(&self, name: &str) -> Result<Arc<dyn ConnectedApp>> {
        if let Some(connection) = self.remembered(name).await? {
            return Ok(connection);
        }
        let application = self.look_up(name).await?.only(self, name).await?;
        let connection = self.connect_application(&application).await?;
        if !name.eq_ignore_ascii_case(FRONTMOST) {
            self.own.keep_connection(name, &connection);
        }
        Ok(connection)
    }

    /// The living connection that has the alias `name` or was asked for under it. An alias never hides what runs: where an
    /// application has that very name by now, it is an error.
    async fn remembered(&self, name: &str) -> Result<Option<Arc<dyn ConnectedApp>>> {
        let Some(aliased) = self.own.aliased(name) else { return Ok(self.own.connection(name)) };
        let hidden = self.called_exactly(name, aliased.application()).await?;
        if hidden.is_empty() {
            return Ok(Some(aliased));
        }
        let candidates: Vec<&Application> =
            std::iter::once(aliased.application()).chain(hidden.iter()).collect();
        Err(self.ambiguous(name, &candidates, "PID").await)
    }

    /// The running applications that have this very name or process number, besides `own`.
    pub async fn called_exactly(&self, name: &str, own: &Application) -> Result<Vec<Application>> {
        let running = self.running_applications_within(ALIAS_PATIENCE).await?;
        let lower = name.trim().to_lowercase();
        let is_called = |application: &Application| {
            names(application).any(|name| name.to_lowercase() == lower)
                || application.pid().is_some_and(|pid| pid.to_string() == name.trim())
        };
        Ok(running
            .into_iter()
            .filter(|application| is_called(application) && !application.is_same(own))
            .collect())
    }

    /// Connects to an application that was looked up before. All callers share one connection.
    ///
    /// # Errors
    /// [`ErrorCode::Blocked`] with the rule, if a rule of the user denies the application; others as
    /// [`Accessibility::connect`](handeye_core::Accessibility::connect).
    pub async fn connect_application(&self, application: &Application) -> Result<Arc<dyn ConnectedApp>> {
        if let Some(rule) = self.guard.trust().standing(application).denied {
            return Err(blocked(&application.name, &rule));
        }
        let connected = if let Some(connection) = self.memory.connection(application) {
            Ok(connection)
        } else {
            let unread = format!("no tree of '{}' can be read", application.name);
            self.platform.accessibility.capabilities().trees.require(&unread)?;
            doing(|| format!("Connecting to '{}'", application.name));
            let connected = in_accessibility(self.platform.accessibility.connect(application)).await;
            connected.map(|connected| self.memory.share(Metered::of(connected)))
        };
        if let Ok(connection) = &connected {
            self.memory.begin_habits(connection.as_ref());
        }
        if let (Ok(connection), Some(pid)) = (&connected, application.pid()) {
            // However it was named: its process names it from now on.
            self.own.keep_connection(&pid.to_string(), connection);
        }
        connected.map_err(|mut error| {
            if error.code == ErrorCode::AppNotAccessible {
                let advice = error.next.take().unwrap_or_default();
                let pixels = text![
                    "Its windows and pixels work: ",
                    Invocation::of("ax_list_windows"),
                    ", ",
                    Invocation::of("ax_screenshot"),
                    "."
                ];
                error = error.with_next(advice.and(pixels));
            }
            error
        })
    }

    /// The windows of an application, from the topmost down.
    pub async fn windows_of(&self, application: &Application) -> Result<Vec<Window>> {
        let windows = self.platform.screen.windows().await?;
        Ok(windows.into_iter().filter(|window| belongs(window, application)).collect())
    }

    /// What a name means to those that run now.
    pub async fn look_up(&self, name: &str) -> Result<Meant> {
        if name.trim().is_empty() {
            return Err(Error::invalid_parameter("app", "is empty").with_next(text![
                Invocation::of("ax_list_apps"),
                " lists the running applications; 'frontmost' is the active one."
            ]));
        }
        let applications = self.platform.accessibility.applications().await?;
        if name.eq_ignore_ascii_case(FRONTMOST) {
            return self.frontmost(applications).await.map(Meant::One);
        }
        let fits = best_fits(name, &applications);
        match fits.as_slice() {
            [] => Err(not_found(name, &applications)),
            [only] => Ok(Meant::One((*only).clone())),
            several => Ok(match one_process(several) {
                Some(application) => Meant::One(application.clone()),
                None => Meant::Several(several.iter().map(|application| (*application).clone()).collect()),
            }),
        }
    }

    /// The one of `applications` whose window is active.
    pub async fn frontmost(&self, applications: Vec<Application>) -> Result<Application> {
        let windows = self.platform.screen.windows().await?;
        let active = windows.iter().find(|window| window.active).ok_or_else(|| {
            not_found("frontmost", &applications).with_next("No window is active: name the application.")
        })?;
        let mut owners: Vec<&Application> =
            applications.iter().filter(|application| belongs(active, application)).collect();
        owners.sort_by_key(|application| application.tree != TreeAccess::Available);
        owners.first().map(|application| (*application).clone()).ok_or_else(|| {
            Error::new(
                ErrorCode::AppNotFound,
                format!("the active window '{}' belongs to no known application", active.title),
            )
            .with_found(applications.iter().take(LISTED).map(describe))
        })
    }

    /// The error of a name that several applications answer to; `spelling` is how to name one of them by its process.
    pub async fn ambiguous(&self, name: &str, several: &[&Application], spelling: &str) -> Error {
        // Titles help to choose; without them the candidates are still listed.
        let windows = self.platform.screen.windows().await.unwrap_or_default();
        let candidates = several.iter().take(LISTED).map(|application| {
            let title =
                windows.iter().find(|window| belongs(window, application)).map(|window| &window.title);
            title.map_or_else(
                || describe(application),
                |title| format!("{}, window \"{title}\"", describe(application)),
            )
        });
        Error::new(
            ErrorCode::AppAmbiguous,
            format!("{} running applications match '{}'", several.len(), screen_text::line(name, QUOTED)),
        )
        .with_found(candidates)
        .with_next(text!["Name one by its pid, as ", Argument::new("app", spelling), "."])
    }
}

/// One line about an application, for errors.
pub fn describe(application: &Application) -> String {
    match application.pid() {
        Some(pid) => format!("{} (pid {pid})", application.name),
        None => application.name.clone(),
    }
}

/// The error of a name that nobody answers to.
pub fn not_found(name: &str, applications: &[Application]) -> Error {
    let all: Vec<&str> = applications.iter().map(|application| application.name.as_str()).collect();
    let near = nearest(name, all.iter().copied(), 3);
    let next = if near.is_empty() {
        text![Invocation::of("ax_list_apps"), " lists the running applications."]
    } else {
        format!("Did you mean {}?", near.join(" or ")).into()
    };
    let shown = screen_text::line(name, QUOTED);
    Error::new(ErrorCode::AppNotFound, format!("no running application matches '{shown}'"))
        .with_found(applications.iter().take(LISTED).map(describe))
        .with_next(next)
}

/// The one of `applications` that `name` means; `None` if there is none, or it may be several.
pub fn only_fit<'a>(name: &str, applications: &'a [Application]) -> Option<&'a Application> {
    match best_fits(name, applications).as_slice() {
        [] => None,
        [only] => Some(only),
        several => one_process(several),
    }
}

/// Whether any of `applications` answers to `name`.
pub fn answers(name: &str, applications: &[Application]) -> bool {
    !best_fits(name, applications).is_empty()
}

fn best_fits<'a>(wanted: &str, applications: &'a [Application]) -> Vec<&'a Application> {
    let wanted = screen_text::name(wanted.trim());
    let wanted = wanted.as_str();
    if let Ok(pid) = wanted.parse::<u32>() {
        let of_process: Vec<_> =
            applications.iter().filter(|application| application.pid() == Some(pid)).collect();
        if !of_process.is_empty() {
            return of_process;
        }
    }
    let lower = wanted.to_lowercase();
    let named = best_graded(applications.iter(), |name| fit(&lower, name));
    if named.is_empty() {
        return applications.iter().filter(|application| is_started_as(application, wanted)).collect();
    }
    named
}

/// How well `wanted` fits a name, both in lower case.
fn fit(wanted: &str, name: &str) -> Option<Fit> {
    if name == wanted {
        Some(Fit::Exact)
    } else if name.starts_with(wanted) {
        Some(Fit::Prefix)
    } else if name.contains(wanted) {
        Some(Fit::Contains)
    } else {
        None
    }
}

/// Several entries of one process are one application: the entry with a tree stands for them.
pub fn one_process<'a>(several: &[&'a Application]) -> Option<&'a Application> {
    let first = several.first()?;
    let same = first.pid().is_some() && several.iter().all(|application| application.pid() == first.pid());
    let with_tree = several.iter().find(|application| application.tree == TreeAccess::Available);
    same.then(|| *with_tree.unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::ProcessIdentity;
    use handeye_core::testing::application;

    fn fitting(wanted: &str) -> Vec<u32> {
        let all = [
            application("Chrome", 1, "com.google.Chrome"),
            application("Chrome Canary", 2, "com.google.Chrome.canary"),
            application("mousepad", 3, "org.xfce.mousepad.desktop"),
            application("gedit", 4, "gedit"),
            application("gedit", 5, "gedit"),
        ];
        best_fits(wanted, &all).into_iter().filter_map(handeye_core::Application::pid).collect()
    }

    #[test]
    fn what_no_name_fits_is_found_by_what_was_started() {
        let mut browser = application("DB Browser for SQLite", 7, "DB Browser for SQLite");
        let executable = |path: &str| Some(path.into());
        browser.process = Some(ProcessIdentity {
            executable: executable("/usr/bin/sqlitebrowser"),
            ..ProcessIdentity::unverified(7)
        });
        let mut named = application("sqlitebrowser helper", 8, "helper");
        assert_eq!(best_fits("SQLiteBrowser", std::slice::from_ref(&browser)), [&browser]);
        assert!(
            best_fits("sqlite-browser", std::slice::from_ref(&browser)).is_empty(),
            "the whole name only"
        );
        named.process = Some(ProcessIdentity {
            executable: executable("/opt/sqlitebrowser"),
            ..ProcessIdentity::unverified(8)
        });
        let both = [browser, named];
        assert_eq!(best_fits("sqlitebrowser", &both), [&both[1]], "a name goes before it");
    }

    #[test]
    fn the_best_kind_of_fit_wins() {
        assert_eq!(fitting("chrome"), [1]);
        assert_eq!(fitting("chr"), [1, 2]);
        assert_eq!(fitting("canary"), [2]);
        assert_eq!(fitting("MOUSEPAD"), [3]);
        assert_eq!(fitting("org.xfce.mousepad"), [3]);
        assert_eq!(fitting("gedit"), [4, 5]);
        assert_eq!(fitting("5"), [5]);
        assert!(fitting("muosepad").is_empty(), "a misspelling is told, not taken");
        assert!(fitting("inkscape").is_empty());
    }
}
