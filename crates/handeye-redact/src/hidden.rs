//! Fields whose content never leaves, whatever their toolkit says of them.

use crate::field::{FieldPattern, normal};
use crate::vault::{ApplicationTest, Bound};
use handeye_core::{Abilities, Application, Node, Role, States};
use std::fmt;
use std::sync::Arc;

/// How fields for passwords are labelled. One whose text its user made visible is no protected field any more for its toolkit.
const PASSWORDS: [&str; 25] = [
    "password",
    "passphrase",
    "passcode",
    "current password",
    "new password",
    "confirm password",
    "passwort",
    "kennwort",
    "mot de passe",
    "contraseña",
    "senha",
    "palavra-passe",
    "password attuale",
    "wachtwoord",
    "lösenord",
    "adgangskode",
    "passord",
    "salasana",
    "hasło",
    "heslo",
    "пароль",
    "parola",
    "密码",
    "パスワード",
    "비밀번호",
];

/// A field, and whether an application is the one that it is in; in each one, if there is no test.
pub type InApplication = (Option<Arc<dyn ApplicationTest>>, FieldPattern);

/// The fields whose content never leaves: protected ones, those for passwords, and those that the policy names.
#[derive(Clone, Default)]
pub struct HiddenFields {
    named: Arc<[InApplication]>,
}

impl fmt::Debug for HiddenFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.named.iter().map(|(_, field)| field)).finish()
    }
}

impl HiddenFields {
    /// Those that the policy names, each in one application or in all, and those that secrets are typed into.
    pub fn new(named: impl IntoIterator<Item = InApplication>, secrets: &[Bound]) -> Self {
        let bound =
            secrets.iter().map(|secret| (Some(Arc::clone(&secret.is_application)), secret.field.clone()));
        Self { named: named.into_iter().chain(bound).collect() }
    }

    /// Whether the user names none: protected fields and those for passwords are hidden anyway.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// The rules that concern an application, as a test of its elements.
    pub fn of<'a>(&'a self, application: &Application) -> impl Fn(&Node) -> bool + 'a {
        let meant = |(test, _): &&InApplication| test.as_ref().is_none_or(|test| test.is_meant(application));
        let fields: Vec<&FieldPattern> = self.named.iter().filter(meant).map(|(_, field)| field).collect();
        move |node| {
            let labels = || [&*node.name, &*node.description];
            node.states.contains(States::PROTECTED)
                || takes_text(node) && labels().iter().any(|label| is_for_password(label))
                || fields.iter().any(|field| field.matches(node.role, labels()))
        }
    }
}

/// Firefox says of all that holds text, labels too, that its text can be edited; of a field alone that it is editable.
fn takes_text(node: &Node) -> bool {
    let is_field = matches!(node.role, Role::TextBox | Role::SearchBox | Role::SpinButton | Role::ComboBox);
    node.states.contains(States::EDITABLE) || is_field && node.abilities.contains(Abilities::EDITABLE_TEXT)
}

fn is_for_password(label: &str) -> bool {
    let longest = 40;
    !label.is_empty() && label.len() <= longest && PASSWORDS.contains(&normal(label).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::testing::{application, named, tree};

    #[test]
    fn protected_fields_those_for_passwords_and_those_of_the_policy_are_hidden() {
        let mut tree = tree(
            "window \"Main\"\n  textbox \"Password:\": \"a\"\n  textbox \"IBAN\": \"b\"\n  textbox \"Name\": \"c\"\n  button \"Password\"\n  text \"Password\"",
        );
        let of_firefox = tree.nodes().find(|node| node.role == Role::Text).expect("a label").id;
        tree.update(of_firefox, |node| node.abilities |= Abilities::EDITABLE_TEXT);
        for name in ["Password:", "IBAN", "Name"] {
            let id = named(&tree, name);
            tree.update(id, |node| node.states |= States::EDITABLE);
        }
        let bank: Arc<dyn ApplicationTest> = Arc::new(|application: &Application| application.name == "Bank");
        let fields = HiddenFields::new([(Some(bank), FieldPattern::Name("IBAN".into()))], &[]);
        let hidden = |app: &str| -> Vec<String> {
            let application = application(app, 7, "");
            let is_hidden = fields.of(&application);
            tree.nodes().filter(|node| is_hidden(node)).map(|node| node.name.to_string()).collect()
        };
        let mut of_bank = hidden("Bank");
        of_bank.sort();
        assert_eq!(of_bank, ["IBAN", "Password:"]);
        assert_eq!(hidden("Mail"), ["Password:"]);
    }
}
