//! The names to which an application answers, and which windows are its own.

use handeye_core::{Application, Window};

/// Every name by which an application may be called.
pub fn names(application: &Application) -> impl Iterator<Item = &str> {
    let bundle = application.bundle_id.as_deref().map(|id| id.strip_suffix(".desktop").unwrap_or(id));
    let last_part = bundle.and_then(|id| id.rsplit_once('.')).map(|(_, last)| last);
    std::iter::once(application.name.as_str())
        .chain(application.bundle_id.as_deref())
        .chain(bundle)
        .chain(last_part)
        .filter(|name| !name.is_empty())
}

/// Whether `wanted` is what the system reports of the application's process: the name of its executable, or the one under which its sandbox
/// was installed. Users know an application by what they start, which it may never call itself. Capitals do not matter.
pub fn is_started_as(application: &Application, wanted: &str) -> bool {
    let Some(process) = &application.process else { return false };
    let executable = process.executable.as_deref().map(|path| path.rsplit('/').next().unwrap_or(path));
    [executable, process.sandbox.as_deref()]
        .into_iter()
        .flatten()
        .any(|name| name.eq_ignore_ascii_case(wanted))
}

/// The best grade that one of an application's names, in lower case, is given; the smaller the better.
pub fn graded<G: Ord>(application: &Application, grade: impl Fn(&str) -> Option<G>) -> Option<G> {
    names(application).filter_map(|name| grade(&name.to_lowercase())).min()
}

/// Those of `applications` that are given the best grade of all; none if none is given one.
pub fn best_graded<'a, G: Ord>(
    applications: impl Iterator<Item = &'a Application>,
    grade: impl Fn(&str) -> Option<G>,
) -> Vec<&'a Application> {
    let graded: Vec<(G, &Application)> =
        applications.filter_map(|application| Some((graded(application, &grade)?, application))).collect();
    let Some(best) = graded.iter().map(|(grade, _)| grade).min() else { return Vec::new() };
    graded.iter().filter(|(grade, _)| grade == best).map(|(_, application)| *application).collect()
}

/// Whether a window is one of the application's.
pub fn belongs(window: &Window, application: &Application) -> bool {
    match (window.pid, application.pid()) {
        (Some(window), Some(application)) => window == application,
        _ => window
            .class
            .as_deref()
            .is_some_and(|class| names(application).any(|name| name.eq_ignore_ascii_case(class))),
    }
}
