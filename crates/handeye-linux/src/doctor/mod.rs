//! `handeye doctor` on Linux: tries everything that handeye needs and says what to do about what does not work.
//!
//! Every probe runs beside the others under one deadline, so that the answer comes in half a second
//! whatever hangs. A probe that fails only because of another one is reported as skipped, so that the reader sees the cause alone.

mod applications;
mod buses;
mod capture;
mod display;
mod ocr;
mod private_desktop;
mod system;

use crate::discovery;
use async_trait::async_trait;
use handeye_core::platform::{Clipboard, Diagnosis, Probe, ProbeStatus, Screen, Session};
use handeye_core::{Accessibility, Consent, Error, Seats};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// For each probe; all together must stay below half a second.
const DEADLINE: Duration = Duration::from_millis(400);

/// The names of the probes, in the order of the report, each with the probes that it cannot do without.
const NEEDS: &[(&str, &[&str])] = &[
    ("display", &[]),
    ("window_manager", &["display"]),
    ("session_bus", &[]),
    ("accessibility_bus", &["session_bus"]),
    ("accessibility_switch", &["session_bus", "accessibility_bus"]),
    ("capture", &["display"]),
    ("input", &["display"]),
    ("agent_seat", &["display", "input"]),
    ("private_desktop", &[]),
    ("ocr", &[]),
    ("applications", &["display", "session_bus", "accessibility_bus"]),
];

/// Reports what works in this desktop session.
pub struct Doctor {
    accessibility: Arc<dyn Accessibility>,
    screen: Arc<dyn Screen>,
    seats: Seats,
    clipboard: Arc<dyn Clipboard>,
}

/// What a probe has found; it is a [`Probe`] when its name and its time are added.
struct Finding {
    status: ProbeStatus,
    detail: String,
    advice: Option<String>,
}

impl Finding {
    fn ok(detail: impl Into<String>) -> Self {
        Self { status: ProbeStatus::Ok, detail: detail.into(), advice: None }
    }

    fn warn(detail: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { status: ProbeStatus::Warn, detail: detail.into(), advice: Some(advice.into()) }
    }

    fn fail(detail: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { status: ProbeStatus::Fail, detail: detail.into(), advice: Some(advice.into()) }
    }
}

/// What of `names` was not in the environment, and where it was found: an addition to a detail.
fn discovered(names: &[&str]) -> String {
    let facts = discovery::facts().into_iter().filter(|fact| names.contains(&fact.name));
    let shown = facts.map(|fact| format!("; {}={} from {}", fact.name, fact.value, fact.source));
    shown.collect::<Vec<_>>().concat()
}

impl From<Error> for Finding {
    fn from(error: Error) -> Self {
        let found = error.found.join("; ");
        let detail = if found.is_empty() { error.message } else { format!("{}: {found}", error.message) };
        Self { status: ProbeStatus::Fail, detail, advice: error.next.map(|next| next.to_string()) }
    }
}

impl Doctor {
    /// A doctor that examines the session of this process, through the same services that the operations use.
    pub fn new(
        accessibility: Arc<dyn Accessibility>,
        screen: Arc<dyn Screen>,
        seats: Seats,
        clipboard: Arc<dyn Clipboard>,
    ) -> Self {
        Self { accessibility, screen, seats, clipboard }
    }

    /// How to get what a port needs and this probe shows to be missing.
    fn advice(&self, probe: &str) -> &'static str {
        let consents = [
            self.accessibility.consents(),
            self.screen.consents(),
            self.seats.user.consents(),
            self.clipboard.consents(),
        ]
        .concat();
        Consent::kept(&consents, probe)
    }
}

#[async_trait]
impl Diagnosis for Doctor {
    async fn probe(&self) -> Vec<Probe> {
        let mut probes = <[Probe; 11]>::from(tokio::join!(
            timed("display", display::server()),
            timed("window_manager", display::window_manager(self.advice("window_manager"))),
            timed("session_bus", buses::session()),
            timed("accessibility_bus", buses::accessibility()),
            timed("accessibility_switch", buses::switch(self.advice("accessibility_switch"))),
            timed("capture", capture::probe(self.screen.as_ref())),
            timed("input", display::input(self.advice("input"))),
            timed("agent_seat", display::agent_seat(self.seats.agents.as_ref())),
            timed("private_desktop", private_desktop::probe()),
            timed("ocr", ocr::probe()),
            timed("applications", applications::probe(self.accessibility.as_ref())),
        ))
        .to_vec();
        skip_consequences(&mut probes);
        probes
    }

    fn session(&self) -> Session {
        system::session()
    }
}

async fn timed(name: &str, probe: impl Future<Output = Finding>) -> Probe {
    let started = Instant::now();
    let finding = tokio::time::timeout(DEADLINE, probe).await.unwrap_or_else(|_| {
        Finding::fail(
            format!("no answer within {} ms", DEADLINE.as_millis()),
            "The process on the other side may be stopped or overloaded; look at it with `ps` or `top`.",
        )
    });
    Probe {
        name: name.to_owned(),
        status: finding.status,
        detail: finding.detail,
        advice: finding.advice,
        elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

/// Makes a failure that follows from another failure a skipped probe.
fn skip_consequences(probes: &mut [Probe]) {
    let failed: Vec<String> = probes
        .iter()
        .filter(|probe| probe.status == ProbeStatus::Fail)
        .map(|probe| probe.name.clone())
        .collect();
    for probe in probes.iter_mut().filter(|probe| probe.status == ProbeStatus::Fail) {
        let needs = NEEDS.iter().find(|(name, _)| *name == probe.name).map_or(&[][..], |(_, needs)| needs);
        if let Some(cause) = needs.iter().find(|need| failed.iter().any(|name| name == *need)) {
            probe.status = ProbeStatus::Skip;
            probe.detail = format!("needs {cause}, which fails");
            probe.advice = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(name: &str, status: ProbeStatus) -> Probe {
        Probe { name: name.into(), status, detail: String::new(), advice: Some("do".into()), elapsed_ms: 0 }
    }

    #[test]
    fn only_the_cause_is_reported_as_a_failure() {
        let mut probes = vec![
            probe("display", ProbeStatus::Fail),
            probe("session_bus", ProbeStatus::Ok),
            probe("capture", ProbeStatus::Fail),
            probe("accessibility_bus", ProbeStatus::Fail),
        ];
        skip_consequences(&mut probes);
        let statuses: Vec<ProbeStatus> = probes.iter().map(|probe| probe.status).collect();
        assert_eq!(statuses, [ProbeStatus::Fail, ProbeStatus::Ok, ProbeStatus::Skip, ProbeStatus::Fail]);
        assert_eq!(probes[2].advice, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_that_hangs_fails_in_time() {
        let started = tokio::time::Instant::now();
        let hung = timed("display", std::future::pending()).await;
        assert_eq!(hung.status, ProbeStatus::Fail);
        assert!(started.elapsed() < Duration::from_millis(500));
    }
}
