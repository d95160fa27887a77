//! The applications of several sources as one list.

use handeye_core::{Application, TreeAccess};

/// The lists of the sources, in the order of preference, as one. A process that several sources list is there once: as the first of them lists
/// it that can show its tree, or else as the very first. What one source lists several times, it keeps.
pub(crate) fn merged(lists: Vec<Vec<Application>>) -> Vec<Application> {
    let mut lists = lists.into_iter();
    let mut merged = lists.next().unwrap_or_default();
    for list in lists {
        let known = merged.len();
        for application in list {
            match merged[..known].iter_mut().find(|other| other.is_same(&application)) {
                None => merged.push(application),
                Some(other) if shows_tree(&application) && !shows_tree(other) => *other = application,
                Some(_) => {}
            }
        }
    }
    merged
}

fn shows_tree(application: &Application) -> bool {
    application.tree == TreeAccess::Available
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::testing::application;
    use handeye_core::{ApplicationId, SourceId};

    fn listed(source: &'static str, name: &str, pid: u32) -> Application {
        let id = ApplicationId::new(SourceId::new(source), name);
        Application { id, ..application(name, pid, name) }
    }

    fn without_tree(name: &str, pid: u32) -> Application {
        let tree = TreeAccess::Missing { reason: "no reason".into(), advice: "none".into() };
        Application { tree, ..application(name, pid, name) }
    }

    fn names(list: &[Application]) -> Vec<&str> {
        list.iter().map(|application| application.name.as_str()).collect()
    }

    #[test]
    fn a_process_is_listed_once_by_the_source_that_shows_its_tree() {
        let list = merged(vec![
            vec![listed("one", "Editor", 1), without_tree("Browser", 2), listed("one", "Editor too", 1)],
            vec![listed("two", "Editor elsewhere", 1), listed("two", "Page", 2), listed("two", "New", 3)],
        ]);
        assert_eq!(names(&list), ["Editor", "Page", "Editor too", "New"]);
    }

    #[test]
    fn a_process_of_which_no_source_shows_a_tree_keeps_its_first_reason() {
        let list = merged(vec![vec![without_tree("First", 1)], vec![without_tree("Second", 1)]]);
        assert_eq!(names(&list), ["First"]);
    }
}
