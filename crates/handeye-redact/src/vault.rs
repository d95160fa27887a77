//! Which secrets there are by name, and where each may be typed. A text on the screen can make an agent type a secret, but nowhere else.

use crate::field::FieldPattern;
use handeye_core::{Application, Error, ErrorCode, Result, Role, SecretPlace};
use std::fmt;
use std::sync::Arc;

/// Whether an application is the one that a rule means. Implemented by what reads the policy file.
pub trait ApplicationTest: Send + Sync {
    /// Whether it is.
    fn is_meant(&self, application: &Application) -> bool;
}

impl<F: Fn(&Application) -> bool + Send + Sync> ApplicationTest for F {
    fn is_meant(&self, application: &Application) -> bool {
        self(application)
    }
}

/// A secret with the one place where it may be typed.
#[derive(Clone)]
pub struct Bound {
    /// Its name.
    pub name: String,
    /// Where it is kept.
    pub place: SecretPlace,
    /// The application, as the rule has it.
    pub application: String,
    /// Whether an application is that one.
    pub is_application: Arc<dyn ApplicationTest>,
    /// The field in it.
    pub field: FieldPattern,
    /// Where the rule is: the file with the line.
    pub rule: String,
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {} of {} ({})", self.name, self.field, self.application, self.rule)
    }
}

/// A field that something is to be typed into.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Its application.
    pub application: &'a Application,
    /// Its role.
    pub role: Role,
    /// What it is called: its name, its description, what labels it.
    pub labels: &'a [&'a str],
}

/// The secrets that can be typed by name.
#[derive(Debug, Clone, Default)]
pub struct Vault {
    secrets: Arc<[Bound]>,
}

impl Vault {
    /// These secrets. Several entries of one name are one secret that may be typed in several places.
    pub fn new(secrets: impl IntoIterator<Item = Bound>) -> Self {
        Self { secrets: secrets.into_iter().collect() }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// The secrets with their places.
    pub fn secrets(&self) -> &[Bound] {
        &self.secrets
    }

    /// Whether this field is one that a secret is typed into, so that what it holds is secret.
    pub fn is_bound_to(&self, target: &Target<'_>) -> bool {
        self.secrets.iter().any(|secret| secret.may_go_to(target))
    }

    /// Where to get the secret of this name from, in order to type it into this field.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`] if no secret is called so, with those that are bound to the application;
    /// [`ErrorCode::Blocked`] if it is bound to another field, with the rule.
    pub fn place(&self, name: &str, target: &Target<'_>) -> Result<&SecretPlace> {
        let called: Vec<&Bound> = self.secrets.iter().filter(|secret| secret.name == name).collect();
        if let Some(secret) = called.iter().find(|secret| secret.may_go_to(target)) {
            return Ok(&secret.place);
        }
        let Some(first) = called.first() else { return Err(self.unknown(name, target.application)) };
        let rules: Vec<String> = called
            .iter()
            .map(|secret| format!("{} of {} ({})", secret.field, secret.application, secret.rule))
            .collect();
        Err(Error::new(
            ErrorCode::Blocked,
            format!(
                "secret '{}' may not be typed here: it is bound to {}. Nothing was typed",
                first.name,
                rules.join(", or ")
            ),
        )
        .with_next("Name that field of that application, or ask the user to change the rule."))
    }

    fn unknown(&self, name: &str, application: &Application) -> Error {
        let mut bound: Vec<&str> = self
            .secrets
            .iter()
            .filter(|secret| secret.is_application.is_meant(application))
            .map(|secret| secret.name.as_str())
            .collect();
        bound.sort_unstable();
        bound.dedup();
        let known = if bound.is_empty() {
            format!("none is bound to '{}'", application.name)
        } else {
            format!("bound to '{}': {}", application.name, bound.join(", "))
        };
        let what = format!("no secret is called '{name}'; {known}. Nothing was typed");
        Error::new(ErrorCode::InvalidParameter, what)
            .with_next("Secrets are declared in [[secrets]] of security.toml, by the user.")
    }
}

impl Bound {
    fn may_go_to(&self, target: &Target<'_>) -> bool {
        self.is_application.is_meant(target.application)
            && self.field.matches(target.role, target.labels.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::testing::application;

    fn bound(name: &str, app: &'static str, field: &str) -> Bound {
        Bound {
            name: name.into(),
            place: SecretPlace::Variable(name.to_uppercase()),
            application: app.into(),
            is_application: Arc::new(move |application: &Application| application.name == app),
            field: FieldPattern::Name(field.into()),
            rule: "security.toml:7".into(),
        }
    }

    #[test]
    fn a_secret_goes_where_it_is_bound_to_and_nowhere_else() {
        let vault = Vault::new([
            bound("bank", "Browser", "Password"),
            bound("bank", "Terminal", "PIN"),
            bound("mail", "Mail", "Password"),
        ]);
        let place = |name: &str, app: &str, label: &str| {
            let application = application(app, 7, "");
            let labels = [label];
            let target = Target { application: &application, role: Role::TextBox, labels: &labels };
            vault.place(name, &target).map(|place| format!("{place:?}"))
        };
        assert!(place("bank", "Browser", "Password:").is_ok());
        assert!(place("bank", "Terminal", "PIN").is_ok());
        for (app, label) in
            [("Browser", "PIN"), ("Browser", ""), ("Mail", "Password"), ("Browser 2", "Password")]
        {
            let error = place("bank", app, label).expect_err("bound elsewhere");
            assert_eq!(error.code, ErrorCode::Blocked);
            assert!(error.message.contains("security.toml:7"), "{}", error.message);
        }
        let error = place("bnak", "Browser", "Password").expect_err("no secret");
        assert_eq!(error.code, ErrorCode::InvalidParameter);
        assert!(error.message.contains("'bnak'") && error.message.contains(": bank."), "{}", error.message);
        assert!(!error.message.contains("mail"), "only those of the application: {}", error.message);
    }
}
