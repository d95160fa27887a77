//! Finds an element that is not any more what it was: by what the caller's own query meant before, or by a fingerprint from a file.
//!
//! The query itself comes first. Only where nothing matches it, the element that it meant before is looked for.

use crate::handles::Handles;
use crate::locate::{self, Located};
use handeye_core::{
    ConnectedApp, DetailKinds, Error, ErrorCode, NodeId, Result, Scope, Tree, application_id,
};
use handeye_locator::{Fingerprint, Healed, Outcome, Strategy as Way, Survey, heal, heal_among};
use handeye_query::{Matched, Strategy};
use handeye_tree::outline;
use std::sync::Arc;

/// The confidence of an element that is the same one as before, but has another name now: a button that was "Play" can be "Pause".
const RENAMED: f64 = 0.75;

/// The element that `query` means in the strategy `auto`, or meant before, with `details` read. See [`by_strategy`].
///
/// # Errors
/// As [`by_strategy`].
pub async fn one(
    handles: Handles<'_>,
    app: &Arc<dyn ConnectedApp>,
    query: &str,
    details: DetailKinds,
) -> Result<Located> {
    by_strategy(handles, app, query, Strategy::Auto, details).await
}

/// The element that `query` means, or meant when this caller used it before, with `details` read. A healed one has
/// [`Located::healed`] and [`Located::confidence`]; [`Located::check_unambiguous`] refuses one that is not sure enough for an action.
///
/// # Errors
/// As [`locate::by_strategy`]; where several can be the element that the query meant before, the error lists them.
pub async fn by_strategy(
    handles: Handles<'_>,
    app: &Arc<dyn ConnectedApp>,
    query: &str,
    strategy: Strategy,
    details: DetailKinds,
) -> Result<Located> {
    let id = application_id(app.as_ref());
    match locate::by_strategy(handles, app, query, strategy, details).await {
        Ok(located) => {
            if located.matched != Matched::Reference && located.equally_good == 1 {
                let entry = handles.references.lookup(&located.reference)?;
                if let Some(print) = entry.fingerprint() {
                    handles.meant.keep(id, query.trim(), located.node.id, print.clone());
                }
            }
            Ok(located)
        }
        Err(missed) if missed.code == ErrorCode::ElementNotFound => {
            let Some(meaning) = handles.meant.get(&id, query.trim()) else { return Err(missed) };
            // The search has read everything.
            let tree = app.mirror().snapshot();
            let outcome = if tree.contains(meaning.node) {
                let confidence = RENAMED;
                Outcome::Found(Healed { node: meaning.node, strategy: Way::Xpath, confidence })
            } else {
                heal_among(&meaning.print, &Survey::new(&tree), |id| id.get() > meaning.alive_until)
            };
            match outcome {
                Outcome::Found(healed) => taken(handles, app, query, healed, details).await,
                Outcome::Ambiguous(several) => Err(missed.with_found(lines(&tree, &several))),
                Outcome::Gone(_) => Err(missed_too(missed)),
            }
        }
        Err(error) => Err(error),
    }
}

/// The element of a fingerprint, wherever it is now, with `details` read.
///
/// # Errors
/// [`ErrorCode::ElementNotFound`] or [`ErrorCode::ElementAmbiguous`] with the elements that come nearest.
pub async fn by_fingerprint(
    handles: Handles<'_>,
    app: &Arc<dyn ConnectedApp>,
    print: &Fingerprint,
    details: DetailKinds,
) -> Result<Located> {
    let showing = Scope { details: DetailKinds::IDENTIFIER, ..Scope::SHOWING };
    let mut tree = app.refresh(showing).await?;
    let mut outcome = heal(print, &Survey::new(&tree));
    if matches!(outcome, Outcome::Gone(_)) {
        tree = app.refresh(Scope { hidden: true, ..showing }).await?;
        outcome = heal(print, &Survey::new(&tree));
    }
    let what = outline::summary(print.role(), print.label());
    match outcome {
        Outcome::Found(healed) => taken(handles, app, &what, healed, details).await,
        Outcome::Ambiguous(several) => {
            let message = format!("several elements can be {what} of the recording");
            Err(Error::new(ErrorCode::ElementAmbiguous, message).with_found(lines(&tree, &several)))
        }
        Outcome::Gone(near) => {
            let message =
                format!("{what} of the recording is not in '{}' ({})", app.application().name, tried());
            Err(Error::new(ErrorCode::ElementNotFound, message).with_found(lines(&tree, &near)))
        }
    }
}

async fn taken(
    handles: Handles<'_>,
    app: &Arc<dyn ConnectedApp>,
    what: &str,
    healed: Healed,
    details: DetailKinds,
) -> Result<Located> {
    let mut located = locate::known(handles, app, healed.node, details).await?;
    located.matched = matched(healed.strategy);
    located.confidence = Some(healed.confidence);
    let what = handeye_core::screen_text::line(what, 60);
    located.healed = Some(format!(
        "'{what}' was healed: {}, confidence {:.2}",
        located.matched.as_str(),
        healed.confidence
    ));
    Ok(located)
}

/// A query whose earlier element is gone too.
fn missed_too(mut missed: Error) -> Error {
    missed.message = format!("{}; what it meant before is not there either ({})", missed.message, tried());
    missed
}

fn tried() -> String {
    let names: Vec<&str> = Way::ALL.iter().map(|way| way.as_str()).collect();
    format!("tried {}", names.join(", "))
}

const fn matched(way: Way) -> Matched {
    match way {
        Way::TitleExact => Matched::TitleExact,
        Way::TitleContains => Matched::TitleContains,
        Way::RoleTitle => Matched::RoleTitle,
        Way::Identifier => Matched::Identifier,
        Way::Xpath => Matched::Xpath,
        Way::Semantic => Matched::Semantic,
        Way::Fuzzy => Matched::Fuzzy,
    }
}

fn lines(tree: &Tree, ids: &[NodeId]) -> Vec<String> {
    ids.iter().filter_map(|id| tree.get(*id)).map(|node| outline::line(node, None).into()).collect()
}
