//! The tables `[redact]` and `[[secrets]]` of a file, checked, with their applications.

use crate::file::Source;
use crate::pattern::AppPattern;
use handeye_core::{Application, SecretPlace, Subject};
use handeye_redact::table::PatternFault;
use handeye_redact::vault::ApplicationTest;
use handeye_redact::{Bound, FieldPattern, HiddenFields, RedactTable, Redactor, SecretTable, Vault};
use std::path::Path;
use std::sync::Arc;

/// Most entries of `[[secrets]]`, and of the fields of `[redact]`.
const MOST: usize = 500;

/// What is secret, and which secrets may be typed where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Secrecy {
    redact: RedactTable,
    fields: Vec<(Option<AppPattern>, FieldPattern)>,
    secrets: Vec<Secret>,
}

/// An entry of `[[secrets]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Secret {
    name: String,
    place: SecretPlace,
    application: String,
    pattern: AppPattern,
    field: FieldPattern,
    source: Source,
}

impl Secrecy {
    /// The tables of the file at `path`, in which `line_of` knows lines by their bytes.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub(crate) fn of(
        path: &Path,
        line_of: &impl Fn(usize) -> usize,
        redact: RedactTable,
        tables: &[SecretTable],
    ) -> Result<Self, PatternFault> {
        let whole = |why: String| PatternFault { place: 0..0, why };
        Redactor::new(&redact)?;
        if tables.len() > MOST || redact.fields.len() > MOST {
            return Err(whole(format!("more than {MOST} secrets or fields are named")));
        }
        let mut fields = Vec::new();
        for field in &redact.fields {
            let of = |why: String| PatternFault { place: field.span(), why };
            let field = field.get_ref();
            let pattern = match field.application() {
                Some(app) => Some(app.parse().map_err(|why: String| of(format!("'{app}' {why}")))?),
                None => None,
            };
            field.pattern().check().map_err(of)?;
            fields.push((pattern, field.pattern()));
        }
        let mut secrets = Vec::new();
        for table in tables {
            let of_app = |why: String| PatternFault { place: table.app.span(), why };
            let application = table.app.get_ref().clone();
            let pattern: AppPattern =
                application.parse().map_err(|why: String| of_app(format!("'{application}' {why}")))?;
            if !pattern.is_identity() {
                return Err(of_app(format!(
                    "'{application}' is a name, which every application can take: a secret needs exe:, flatpak:, snap: or desktop:"
                )));
            }
            secrets.push(Secret {
                name: table.name.get_ref().clone(),
                place: table.place()?,
                application,
                pattern,
                field: table.field.get_ref().clone(),
                source: Source::File { path: path.to_owned(), line: line_of(table.name.span().start) },
            });
        }
        Ok(Self { redact, fields, secrets })
    }

    /// Adds those of another file. What one of them makes secret is secret.
    pub fn add(&mut self, other: Self) {
        self.redact.patterns.extend(other.redact.patterns);
        self.redact.entropy |= other.redact.entropy;
        self.fields.extend(other.fields);
        self.secrets.extend(other.secrets);
    }

    /// The table `[redact]`.
    pub fn redact(&self) -> &RedactTable {
        &self.redact
    }

    /// The secrets that can be typed by name.
    pub fn vault(&self) -> Vault {
        Vault::new(self.bound())
    }

    /// The fields whose content never leaves.
    pub fn hidden(&self) -> HiddenFields {
        let named = self.fields.iter().map(|(pattern, field)| {
            let test = pattern.clone().map(|pattern| {
                // Of two that it may be, both are hidden.
                let test = move |application: &Application| pattern.restricts(&Subject::from(application));
                Arc::new(test) as Arc<dyn ApplicationTest>
            });
            (test, field.clone())
        });
        HiddenFields::new(named, &self.bound().collect::<Vec<_>>())
    }

    fn bound(&self) -> impl Iterator<Item = Bound> {
        self.secrets.iter().map(|secret| {
            let pattern = secret.pattern.clone();
            Bound {
                name: secret.name.clone(),
                place: secret.place.clone(),
                application: secret.application.clone(),
                is_application: Arc::new(move |application: &Application| {
                    pattern.allows(&Subject::from(application))
                }),
                field: secret.field.clone(),
                rule: secret.source.to_string(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::PolicyFile;
    use std::path::Path;

    fn parse(text: &str) -> handeye_core::Result<PolicyFile> {
        PolicyFile::parse(Path::new("/etc/security.toml"), text)
    }

    const BANK: &str = "[[secrets]]\nname = 'bank'\nfrom = 'file:~/.secrets/bank'\napp = 'exe:/usr/bin/firefox-esr'\nfield = 'Password'\n";

    #[test]
    fn secrets_know_their_lines() {
        let file =
            parse(&format!("mode = 'normal'\n{BANK}\n{}", BANK.replace("'bank'", "'b2'"))).expect("sound");
        let rules: Vec<String> =
            file.secrecy.vault().secrets().iter().map(|secret| format!("{secret:?}")).collect();
        assert_eq!(
            rules,
            [
                "bank for field \"Password\" of exe:/usr/bin/firefox-esr (line 3 of /etc/security.toml)",
                "b2 for field \"Password\" of exe:/usr/bin/firefox-esr (line 9 of /etc/security.toml)",
            ]
        );
    }

    #[test]
    fn what_is_malformed_is_reported_with_its_line() {
        for (text, line, why) in [
            (BANK.replace("'bank'", "'my bank'"), 2, "name of a secret"),
            (BANK.replace("file:~/", "file:"), 3, "'file:' needs a path"),
            (BANK.replace("file:", "vault:"), 3, "keyring:SERVICE/ACCOUNT"),
            (BANK.replace("exe:/usr/bin/firefox-esr", "Firefox"), 4, "is a name"),
            (BANK.replace("'Password'", "{ role = 'nonsense' }"), 5, "is not a role"),
            (BANK.replace("'Password'", "{ roel = 'textbox' }"), 5, ""),
            (BANK.replace("field = 'Password'", ""), 1, "missing field `field`"),
            (format!("{BANK}url = 'x'"), 6, "unknown field"),
            ("[redact]\npatterns = ['a', '(']".to_owned(), 2, "not a regular expression"),
            ("[redact]\nfields = [{ app = '', name = 'x' }]".to_owned(), 2, "is empty"),
            ("[redact]\nfields = ['IBAN', ' ']".to_owned(), 2, "needs a name or a role"),
            ("[redact]\nentropie = true".to_owned(), 2, "unknown field"),
        ] {
            let error = parse(&text).expect_err(&text);
            let place = format!("line {line} of /etc/security.toml");
            assert!(error.message.contains(&place) && error.message.contains(why), "{text}: {error}");
        }
        assert!(
            parse("[redact]\nfields = ['IBAN', { app = 'Mail', role = 'textbox' }]\nentropy = false").is_ok()
        );
    }
}
