//! Text that goes into an element, and the proof that it arrived.

use super::actor::Actor;
use super::observation::Observation;
use crate::effect::Effect;
use handeye_core::{Advice, DetailKinds, Error, ErrorCode, Node, NodeId, Result, States};
use handeye_tree::describe::quote;
use std::fmt;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Longest text that goes in at once in the background, in characters.
pub const MAX_BACKGROUND: usize = 100_000;
/// Longest text that is typed key by key, in characters.
pub const MAX_TYPED: usize = 10_000;
/// Longest text that is read back, in characters.
const MAX_READ: u32 = 400_000;

/// Fails if `text` is longer than `limit` characters. Nothing was dispatched then.
pub fn check_length(name: &str, text: &str, limit: usize) -> Result<()> {
    // Every character has at least one byte, so only a text with more bytes has to be counted.
    if text.len() <= limit {
        return Ok(());
    }
    let length = text.chars().count();
    if length <= limit {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::TooLarge,
        format!("parameter '{name}' has {length} characters; at most {limit} are accepted at once"),
    )
    .with_next("Send it in parts, or write it to a file and open that in the application."))
}

/// What a field holds.
#[derive(Clone, PartialEq, Eq)]
pub enum Content {
    /// Text that can be read.
    Text(String),
    /// Only the number of characters can be known.
    Length(u32),
    /// Neither.
    Unreadable,
}

/// What a field holds is nobody's business in a log.
impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text(_) => "Text",
            Self::Length(_) => "Length",
            Self::Unreadable => "Unreadable",
        })
    }
}

/// What was to come out of it.
#[derive(Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Exactly this text.
    Whole(String),
    /// What was there before with this text put in somewhere.
    Inserted(String),
}

impl Wanted {
    /// The same for another text.
    #[must_use]
    pub(super) fn with_text(&self, text: &str) -> Self {
        match self {
            Self::Whole(_) => Self::Whole(text.to_owned()),
            Self::Inserted(_) => Self::Inserted(text.to_owned()),
        }
    }
}

/// What is typed is nobody's business in a log.
impl fmt::Debug for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whole(_) => "Whole",
            Self::Inserted(_) => "Inserted",
        })
    }
}

/// Reads what an element holds, the whole of it where the mirror has only the beginning.
pub async fn read(actor: &Actor<'_>, node: &Node) -> Result<Content> {
    if node.states.contains(States::PROTECTED) {
        let length = node.details.text.known().map(|text| text.total_chars);
        return Ok(length.map_or(Content::Unreadable, Content::Length));
    }
    match node.details.text.known() {
        Some(text) if text.is_cut() => actor.app.read_text(node.id, 0, MAX_READ).await.map(Content::Text),
        Some(text) => Ok(Content::Text(text.shown.to_string())),
        None => Ok(Content::Unreadable),
    }
}

/// How long a text may take to show up after its application had settled: browsers announce it late.
const LATE: Duration = Duration::from_millis(600);
/// Time between two looks at a text that has not shown up yet.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Reads the element back after an action and returns whether it holds what it should.
///
/// An element that took nothing although its application accepted it is an error: a caller that goes on as if
/// the text were there would do harm.
pub(super) async fn proof(
    actor: &Actor<'_>,
    id: NodeId,
    before: &Content,
    wanted: &Wanted,
    observation: &Observation,
    next: &Advice,
) -> Result<Effect> {
    if observation.unresponsive {
        return Ok(Effect::unconfirmed(
            "the application has not answered since, so nothing could be read back",
        ));
    }
    let end = Instant::now() + LATE.min(actor.call.remaining() / 2);
    let mut node = observation.now(id).cloned();
    loop {
        let Some(present) = &node else {
            return Ok(Effect::unconfirmed("the element is gone, so its text cannot be read back"));
        };
        let after = read(actor, present).await?;
        let verdict = verdict(before, &after, wanted, present.states.contains(States::PROTECTED));
        let is_final =
            matches!(&verdict, Some(effect) if effect.is_confirmed()) || after == Content::Unreadable;
        if is_final || Instant::now() >= end {
            return verdict.ok_or_else(|| took_nothing(next));
        }
        sleep(LOOK_AGAIN).await;
        node = actor.app.reread(&[id], DetailKinds::TEXT | DetailKinds::VALUE).await?.get(id).cloned();
    }
}

/// Whether an element, read again, holds what it should after it held `before`.
pub(super) async fn shows(actor: &Actor<'_>, id: NodeId, before: &Content, wanted: &Wanted) -> Result<bool> {
    let tree = match actor.app.reread(&[id], DetailKinds::TEXT | DetailKinds::VALUE).await {
        Err(error) if error.code == ErrorCode::StaleReference => return Ok(false),
        other => other?,
    };
    let Some(node) = tree.get(id) else { return Ok(false) };
    let after = read(actor, node).await?;
    let verdict = verdict(before, &after, wanted, node.states.contains(States::PROTECTED));
    Ok(after != *before && verdict.is_some_and(|effect| effect.is_confirmed()))
}

/// What a field that held `before` and holds `after` shows about a text that was to go in; `None` if it took nothing.
fn verdict(before: &Content, after: &Content, wanted: &Wanted, is_protected: bool) -> Option<Effect> {
    Some(match (before, after, wanted) {
        (_, Content::Text(now), Wanted::Whole(text)) if now == text => {
            Effect::confirmed(format!("it now reads \"{}\"", quote(now)))
        }
        (Content::Text(old), Content::Text(now), Wanted::Inserted(text)) if is_insertion(old, text, now) => {
            Effect::confirmed(format!("it now reads \"{}\"", quote(now)))
        }
        (Content::Length(old), Content::Length(now), wanted) => length_proof(*old, *now, wanted),
        (Content::Text(old), Content::Text(now), _) if old == now => return None,
        (_, Content::Text(now), _) => Effect::unconfirmed(format!(
            "its text is now \"{}\", which is not what was asked for",
            quote(now)
        )),
        _ if is_protected => Effect::unconfirmed("the field hides its text, so it cannot be read back"),
        _ => Effect::unconfirmed("the element's text cannot be read back"),
    })
}

fn took_nothing(next: &Advice) -> Error {
    Error::new(
        ErrorCode::ActionFailed,
        "the application accepted the text, but the text of the element did not change",
    )
    .with_next(next.clone())
}

/// A protected field reports how many characters it holds, and nothing else.
fn length_proof(old: u32, now: u32, wanted: &Wanted) -> Effect {
    let expected = match wanted {
        Wanted::Whole(text) => text.chars().count() as u64,
        Wanted::Inserted(text) => u64::from(old) + text.chars().count() as u64,
    };
    if u64::from(now) == expected {
        Effect::confirmed("the hidden text has the right length")
    } else {
        Effect::unconfirmed("the hidden text does not have the expected length")
    }
}

/// Whether `now` is `old` with `text` put in at some place.
fn is_insertion(old: &str, text: &str, now: &str) -> bool {
    if now.len() != old.len() + text.len() {
        return false;
    }
    let common = old.bytes().zip(now.bytes()).take_while(|(a, b)| a == b).count();
    // The text may share characters with what stood there: any place up to the first difference may be the one.
    (0..=common).rev().any(|at| {
        now.is_char_boundary(at)
            && now.get(at..at + text.len()) == Some(text)
            && now.get(at + text.len()..) == old.get(at..)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_insertion_is_distinguished_from_another_change() {
        assert!(is_insertion("", "abc", "abc"));
        assert!(is_insertion("aa", "a", "aaa"));
        assert!(is_insertion("héllo", "é", "hééllo"));
        assert!(is_insertion("one two", " and", "one and two"));
        assert!(!is_insertion("one", "two", "twoonf"));
        assert!(!is_insertion("one", "two", "one"));
    }

    #[test]
    fn a_long_text_is_counted_in_characters() {
        assert!(check_length("text", &"é".repeat(MAX_TYPED), MAX_TYPED).is_ok());
        let error = check_length("text", &"é".repeat(MAX_TYPED + 1), MAX_TYPED).expect_err("too long");
        assert_eq!(error.code, ErrorCode::TooLarge);
    }
}
