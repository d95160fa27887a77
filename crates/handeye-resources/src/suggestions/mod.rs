//! Suggestions for a name that is being typed: applications, windows, regions and elements, the likeliest first.
//!
//! A user waits for them at every key, so nothing is looked at while they wait: suggestions come from what is remembered (the
//! applications and windows of a moment ago, the mirrors of connected applications), and what is too old is looked at again behind
//! the answer. Only the very first question about something waits, for a moment.

mod elements;
mod recall;

pub use recall::Recall;

use handeye_act::desk::Desk;
use handeye_act::naming::names;
use handeye_core::nearness::ranked;
use handeye_core::{Application, Tree};
use handeye_engine::{JudgedAs, Meta, Operation};
use handeye_ops::apps::ListApps;
use handeye_ops::tree::GetTree;
use handeye_ops::windows::ListWindows;
use std::collections::HashSet;

/// What is suggested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'a> {
    /// Running applications.
    Application,
    /// The numbers of an application's windows.
    Window {
        /// The application.
        of: &'a str,
    },
    /// Regions of an application's active window: a tool bar, a list, a named group.
    Region {
        /// The application.
        of: &'a str,
    },
    /// Elements that an application shows.
    Element {
        /// The application.
        of: &'a str,
    },
    /// What leads somewhere in an application: menus with their entries, tabs, links, entries of lists.
    Way {
        /// The application.
        of: &'a str,
    },
}

impl Subject<'_> {
    /// The operation that reports what suggestions of this subject do: who may not call that gets none.
    pub const fn equals(&self) -> &'static Meta {
        match self {
            Self::Application => &ListApps::META,
            Self::Window { .. } => &ListWindows::META,
            Self::Region { .. } | Self::Element { .. } | Self::Way { .. } => &GetTree::META,
        }
    }

    /// The call that suggestions of this subject equal.
    pub fn judged_as(&self) -> JudgedAs {
        let application = match self {
            Self::Application => None,
            Self::Window { of } | Self::Region { of } | Self::Element { of } | Self::Way { of } => {
                Some((*of).to_owned())
            }
        };
        JudgedAs { meta: self.equals(), application }
    }
}

impl Recall {
    /// The names that `typed` may be the beginning of, the likeliest first; all of them if nothing is typed yet. Never fails:
    /// of what cannot be looked at nothing is known.
    pub async fn suggestions(&self, desk: &Desk, subject: Subject<'_>, typed: &str) -> Vec<String> {
        match subject {
            Subject::Application => applications(&self.seen(desk).await.applications, typed),
            Subject::Window { of } => {
                let windows = self.seen(desk).await.windows_of(desk, of);
                ranked(typed, (0..windows).map(|index| index.to_string()))
            }
            Subject::Region { of } => self.in_tree(desk, of, typed, elements::regions).await,
            Subject::Element { of } => self.in_tree(desk, of, typed, elements::elements).await,
            Subject::Way { of } => self.in_tree(desk, of, typed, elements::ways).await,
        }
    }

    async fn in_tree(
        &self,
        desk: &Desk,
        application: &str,
        typed: &str,
        find: impl Fn(&Tree) -> Vec<String>,
    ) -> Vec<String> {
        let Some(tree) = self.tree(desk, application).await else { return Vec::new() };
        ranked(typed, distinct(find(&tree)))
    }
}

/// Applications whose name, bundle id or process number fits; each name once.
fn applications(running: &[Application], typed: &str) -> Vec<String> {
    if !typed.is_empty() && typed.bytes().all(|byte| byte.is_ascii_digit()) {
        let pids = running.iter().filter_map(handeye_core::Application::pid).map(|pid| pid.to_string());
        return pids.filter(|pid| pid.starts_with(typed)).collect();
    }
    let spellings = running.iter().flat_map(|application| names(application).map(str::to_owned));
    let by_spelling = |spelling: &String| {
        let fits = |application: &&Application| names(application).any(|name| name == spelling);
        running.iter().find(fits).map(|application| application.name.clone())
    };
    distinct(ranked(typed, spellings).iter().filter_map(by_spelling).collect())
}

fn distinct(names: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    names.into_iter().filter(|name| seen.insert(name.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::Role;
    use handeye_core::testing::application;
    use handeye_fake::{FakeApp, FakeDesktop};
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::time::Instant;

    #[test]
    fn applications_are_found_by_each_of_their_names() {
        let running = [
            application("LibreOffice Writer", 1, "libreoffice-writer"),
            application("Mousepad", 23, "org.xfce.mousepad.desktop"),
            application("xterm", 234, "XTerm"),
            application("xterm", 5, "XTerm"),
        ];
        let found = |typed: &str| applications(&running, typed);
        assert_eq!(found(""), ["LibreOffice Writer", "Mousepad", "xterm"]);
        assert_eq!(found("MOU"), ["Mousepad"]);
        assert_eq!(found("xfce"), ["Mousepad"]);
        assert_eq!(found("wri"), ["LibreOffice Writer"]);
        assert_eq!(found("muosepad"), ["Mousepad"]);
        assert_eq!(found("23"), ["23", "234"]);
        assert!(found("inkscape").is_empty());
    }

    #[tokio::test]
    async fn windows_and_elements_of_a_named_application_are_suggested_from_its_mirror() {
        let (app, _) = FakeApp::simple(
            "Editor",
            7,
            [(Role::Button, "Save"), (Role::Button, "Send"), (Role::ToolBar, "")],
        );
        let desktop = FakeDesktop::with([Arc::clone(&app)]);
        let desk = Desk::new(desktop.platform());
        let recall = Recall::default();
        let suggest = |subject, typed| recall.suggestions(&desk, subject, typed);
        assert_eq!(suggest(Subject::Application, "edi").await, ["Editor"]);
        assert_eq!(suggest(Subject::Window { of: "Editor" }, "").await, ["0"]);
        assert_eq!(suggest(Subject::Element { of: "Editor" }, "s").await, ["Save", "Send"]);
        assert_eq!(suggest(Subject::Element { of: "editor" }, "sned").await, ["Send"]);
        assert_eq!(suggest(Subject::Region { of: "Editor" }, "tool").await, ["toolbar"]);
        for nobody in [Subject::Element { of: "Nobody" }, Subject::Window { of: "Nobody" }] {
            assert!(suggest(nobody, "").await.is_empty());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_answers_is_known_at_once_while_another_application_hangs() {
        let (app, _) = FakeApp::simple("Editor", 7, [(Role::Button, "Save")]);
        let (hung, _) = FakeApp::simple("Viewer", 8, []);
        hung.hang();
        let desktop = FakeDesktop::with([app, hung]);
        let desk = Desk::new(desktop.platform());
        *desktop.introduction.lock().expect("no panic") = Duration::from_secs(3_600);
        let suggest = async |subject| Recall::default().suggestions(&desk, subject, "").await;
        assert_eq!(suggest(Subject::Application).await, ["Editor", "Viewer"]);
        assert_eq!(suggest(Subject::Element { of: "Editor" }).await, ["Save", "Editor"]);
        assert_eq!(suggest(Subject::Window { of: "Viewer" }).await, ["0"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_hung_application_holds_up_nobody() {
        let (app, _) = FakeApp::simple("Editor", 7, [(Role::Button, "Save")]);
        let desktop = FakeDesktop::with([Arc::clone(&app)]);
        let desk = Desk::new(desktop.platform());
        let recall = Recall::default();
        let element = Subject::Element { of: "Editor" };
        assert_eq!(recall.suggestions(&desk, element, "sa").await, ["Save"]);
        app.hang();
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        for _ in 0..20 {
            let started = Instant::now();
            assert_eq!(recall.suggestions(&desk, element, "sa").await, ["Save"]);
            assert!(started.elapsed() < Duration::from_millis(20), "{:?}", started.elapsed());
        }
    }
}
