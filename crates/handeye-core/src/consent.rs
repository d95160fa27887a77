//! What somebody has to grant, switch on or install before a port can do all that it could, and how that is done.

use crate::{Advice, Missing, Support};

/// Something that a port needs from outside: a switch of the session, a grant of the system, an extension of the server. Each port declares its
/// own; diagnoses, refusals and instructions read it from there.
#[derive(Debug, Clone, Copy)]
pub struct Consent {
    /// What it is: `org.a11y.Status IsEnabled`, `Screen Recording`.
    pub name: &'static str,
    /// What the matter is without it, as a part of a sentence.
    pub without: &'static str,
    /// How to get it at once, or to do without it, in a sentence.
    pub obtain: fn() -> Advice,
    /// How to get it so that it stays, in sentences.
    pub keep: &'static str,
    /// Every step, a line each, for a person who wants to be led; empty where one sentence says it all.
    pub steps: &'static str,
    /// The probe of the diagnosis that shows whether it was given.
    pub probe: &'static str,
}

impl Consent {
    /// What can be done only with it, while it was not given.
    pub fn missing(&self) -> Support {
        let next = Some((self.obtain)());
        Support::No(Missing { reason: format!("{} is missing", self.name).into(), next })
    }

    /// How to get that one of `consents` so that it stays which this probe shows. Empty if there is none.
    pub fn kept(consents: &[Self], probe: &str) -> &'static str {
        consents.iter().find(|consent| consent.probe == probe).map_or("", |consent| consent.keep)
    }
}
