//! Notifications that applications send to the desktop.

use crate::Application;

/// A notification that the desktop has taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// Its place in the order in which they were seen, from 1.
    pub number: u64,
    /// The number that the desktop gave it. One with the same number replaces it.
    pub id: u32,
    /// The process that sent it, then the one that started that, and so on: what the system itself reports. Empty where the process had ended.
    pub processes: Vec<u32>,
    /// The application for which a service of the desktop sent it, by the name of its desktop file: a sandboxed application sends nothing itself.
    pub on_behalf_of: Option<String>,
    /// Its heading.
    pub title: String,
    /// Its text; some applications write markup into it.
    pub body: String,
}

impl Notification {
    /// Those of the `running` applications that sent it. What a notification itself claims of its sender does not count.
    ///
    /// That is the application of the process that sent it, or else of the nearest one that started that: a terminal starts applications, whose
    /// notifications are not those of the terminal. A service of the desktop sends for every instance of a sandboxed application.
    pub fn senders<'a>(&'a self, running: &'a [Application]) -> impl Iterator<Item = &'a Application> {
        let process = self.sending_process(running);
        running.iter().filter(move |application| match &self.on_behalf_of {
            Some(name) => {
                let sandbox = application.process.as_ref().and_then(|process| process.sandbox.as_deref());
                sandbox.or(application.bundle_id.as_deref()) == Some(name.as_str())
            }
            None => process.is_some() && application.pid() == process,
        })
    }

    /// Whether no other program stands between the notification and its sender, whatever else was running when it was sent.
    pub fn is_direct(&self, running: &[Application]) -> bool {
        self.on_behalf_of.is_some() || self.processes.first().copied() == self.sending_process(running)
    }

    fn sending_process(&self, running: &[Application]) -> Option<u32> {
        let is_application = |pid: u32| running.iter().any(|application| application.pid() == Some(pid));
        self.processes.iter().copied().find(|pid| is_application(*pid))
    }
}

/// Most notifications that are remembered.
pub const KEPT_NOTIFICATIONS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ApplicationId, ProcessIdentity, SourceId, TreeAccess};

    fn application(name: &str, pid: u32, sandbox: Option<&str>) -> Application {
        let sandbox = sandbox.map(Into::into);
        Application {
            id: ApplicationId::new(SourceId::new("test"), name),
            name: name.to_owned(),
            process: Some(ProcessIdentity { sandbox, ..ProcessIdentity::unverified(pid) }),
            bundle_id: Some(name.to_owned()),
            toolkit: None,
            tree: TreeAccess::Available,
        }
    }

    fn notification(processes: &[u32], on_behalf_of: Option<&str>) -> Notification {
        Notification {
            number: 1,
            id: 1,
            processes: processes.to_vec(),
            on_behalf_of: on_behalf_of.map(str::to_owned),
            title: String::new(),
            body: String::new(),
        }
    }

    #[test]
    fn the_nearest_application_has_sent_it() {
        let running = [application("terminal", 7, None), application("editor", 8, None)];
        for (processes, sender, is_direct) in [
            (&[7][..], Some("terminal"), true),
            (&[8, 7], Some("editor"), true),
            (&[90, 8, 7], Some("editor"), false),
            (&[90, 7], Some("terminal"), false),
            (&[90], None, false),
        ] {
            let sent = notification(processes, None);
            let senders: Vec<&str> =
                sent.senders(&running).map(|application| application.name.as_str()).collect();
            assert_eq!(senders, Vec::from_iter(sender), "{processes:?}");
            assert_eq!(sent.is_direct(&running), is_direct, "{processes:?}");
        }
        assert_eq!(notification(&[], None).senders(&running).count(), 0);
    }

    #[test]
    fn a_portal_sends_for_the_sandbox_that_it_names() {
        let running = [application("org.a", 7, None), application("x", 8, Some("org.b"))];
        let sender = |name| {
            let sent = notification(&[50], Some(name));
            sent.senders(&running).map(|application| application.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(sender("org.a"), ["org.a"]);
        assert_eq!(sender("org.b"), ["x"]);
        assert!(sender("x").is_empty(), "the sandbox has another name");
    }
}
