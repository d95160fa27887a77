//! A text that is to be entered, as its caller wrote it: secrets stand in it by their names. Their values are put in right before the text
//! is sent to the application, after everything else was decided, and are in nothing that outlives that.

use super::actor::Actor;
use crate::effect::Effect;
use handeye_core::{Error, ErrorCode, Invocation, Node, Result, SecretText, text};
use handeye_redact::placeholder::{self, Piece};
use handeye_redact::{Target, mark};
use std::fmt;

/// A text that is to be entered.
#[derive(Clone, PartialEq, Eq)]
pub struct Written {
    text: String,
    /// Its parts, where it names secrets.
    pieces: Vec<Piece>,
}

/// What is typed is nobody's business in a log.
impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Written")
    }
}

impl Written {
    /// The text of this parameter.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`] if it names a secret in a way that cannot be read, or holds the mark of something that was taken out.
    pub fn parse(parameter: &str, text: &str) -> Result<Self> {
        if mark::is_in(text) {
            let why =
                format!("holds the mark '{}…{}' of a secret that was not shown", mark::BEGIN, mark::END);
            return Err(Error::invalid_parameter(parameter, why).with_next(text![
                Invocation::of("ax_workflow"),
                " puts a value of one step into the next one, {{step_1.value}}, without showing it."
            ]));
        }
        let pieces = if placeholder::is_in(text) {
            placeholder::parse(text).map_err(|why| Error::invalid_parameter(parameter, why))?
        } else {
            Vec::new()
        };
        Ok(Self { text: text.to_owned(), pieces })
    }

    /// A text in which nothing is a placeholder: what an element held before.
    pub fn literal(text: &str) -> Self {
        Self { text: text.to_owned(), pieces: Vec::new() }
    }

    /// Whether it names a secret.
    pub fn names_secrets(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How much it is, in words: the text itself is private, and of a secret not even its length is known.
    pub fn amount(&self) -> String {
        if self.names_secrets() {
            let names: Vec<String> = self.names().map(|name| format!("secret '{name}'")).collect();
            return names.join(" and ");
        }
        match self.text.chars().count() {
            1 => "1 character".to_owned(),
            count => format!("{count} characters"),
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Secret(name) => Some(name.as_str()),
            Piece::Literal(_) => None,
        })
    }

    /// Checks that each secret in it may be typed into this element. Nothing is read for that.
    ///
    /// # Errors
    /// Those of [`Vault::place`](handeye_redact::Vault::place).
    pub(super) async fn check(&self, actor: &Actor<'_>, node: &Node) -> Result<()> {
        if self.names_secrets() {
            let labels = labels(actor, node).await?;
            self.places(actor, node, &labels)?;
        }
        Ok(())
    }

    fn places<'a>(
        &self,
        actor: &'a Actor<'_>,
        node: &Node,
        labels: &[String],
    ) -> Result<Vec<&'a handeye_core::SecretPlace>> {
        if let Some(owner) = &node.owner {
            return Err(Error::new(
                ErrorCode::Blocked,
                format!("no secret is typed into an element of {owner}, which another application shows"),
            ));
        }
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let application = actor.app.application();
        let target = Target { application, role: node.role, labels: &labels };
        self.names().map(|name| actor.desk.vault.place(name, &target)).collect()
    }

    /// The text with the values of its secrets, for this element and this moment. All that leaves is redacted of them from now on.
    ///
    /// # Errors
    /// As [`check`](Self::check), and those of the place where a secret is kept.
    pub(super) async fn filled(&self, actor: &Actor<'_>, node: &Node) -> Result<SecretText> {
        let labels = labels(actor, node).await?;
        let mut places = self.places(actor, node, &labels)?.into_iter();
        let mut filled = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(range) => filled.push_str(&self.text[range.clone()]),
                Piece::Secret(name) => {
                    let Some(place) = places.next() else {
                        return Err(Error::internal("a secret without a place"));
                    };
                    let value = actor.desk.platform.secrets.read(place).await?;
                    if value.expose().chars().any(char::is_control) {
                        let why = format!("secret '{name}' holds characters that are keys and not text");
                        return Err(Error::new(ErrorCode::Refused, why)
                            .with_next("Store it without ends of lines and tabs."));
                    }
                    actor.desk.redactor.remember(name, &value);
                    filled.push_str(value.expose());
                }
            }
        }
        Ok(SecretText::new(filled))
    }

    /// The effect without what a field holds.
    pub(super) fn veil(effect: Effect) -> Effect {
        if !effect.evidence.contains('"') {
            return effect;
        }
        if effect.is_confirmed() {
            Effect::confirmed("it holds what was typed, which is secret")
        } else {
            Effect::unconfirmed("it does not hold what was typed, which is secret")
        }
    }
}

/// What an element is called: its name, its description, its identifier and what labels it.
async fn labels(actor: &Actor<'_>, node: &Node) -> Result<Vec<String>> {
    let mut labels = vec![node.name.to_string(), node.description.to_string()];
    labels.extend(node.details.identifier.known().map(ToString::to_string));
    let links = actor.app.links(&[node.id]).await?;
    let tree = actor.app.mirror().snapshot();
    let labelling = links.get(&node.id).into_iter().flat_map(|links| &links.labelled_by);
    labels.extend(labelling.filter_map(|id| tree.get(*id)).map(|label| label.label().to_owned()));
    labels.retain(|label| !label.trim().is_empty());
    Ok(labels)
}
