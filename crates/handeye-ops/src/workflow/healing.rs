//! The element of a step whose query finds nothing any more, by what it was when the step was recorded.

use handeye_act::healing;
use handeye_act::locate::Located;
use handeye_call::call::Call;
use handeye_core::{DetailKinds, Error, ErrorCode, Result};
use handeye_engine::{Engine, InnerTool};
use handeye_locator::{ACT, Fingerprint};
use handeye_tree::outline;
use serde_json::Value;

/// Whether another way to find the element of a step can help.
pub(super) const fn can_heal(missed: &Error) -> bool {
    matches!(
        missed.code,
        ErrorCode::ElementNotFound
            | ErrorCode::ElementAmbiguous
            | ErrorCode::UnknownReference
            | ErrorCode::StaleReference
    )
}

/// The parameters of a step with the element that is recognized now in the place of its query.
///
/// # Errors
/// `missed`, with why nothing is recognized surely enough for an action; [`ErrorCode::InputRequired`] and [`ErrorCode::Cancelled`].
pub(super) async fn with_element(
    engine: &Engine,
    call: &Call,
    tool: &InnerTool,
    mut args: Value,
    print: &Fingerprint,
    missed: Error,
) -> Result<Value> {
    let Some(name) = tool.elements.iter().copied().find(|name| args.get(*name).is_some_and(Value::is_string))
    else {
        return Err(missed);
    };
    let app = args.get("app").and_then(Value::as_str).unwrap_or("frontmost").to_owned();
    let found = match look(engine, call, &app, print).await {
        Ok(found) => found,
        Err(error) if matches!(error.code, ErrorCode::InputRequired | ErrorCode::Cancelled) => {
            return Err(error);
        }
        Err(error) => return Err(nor_by_locator(missed, &error.message, error.found)),
    };
    if let Some(unsure) = found.confidence.filter(|confidence| *confidence < ACT) {
        let why = format!("what fits it best is not sure enough for an action (confidence {unsure:.2})");
        let line = outline::line(&found.node, found.shown_reference());
        return Err(nor_by_locator(missed, &why, vec![line.into()]));
    }
    if let Some(healed) = &found.healed {
        call.trail.note(healed.clone());
    }
    args[name] = Value::String(found.reference);
    Ok(args)
}

async fn look(engine: &Engine, call: &Call, app: &str, print: &Fingerprint) -> Result<Located> {
    let app = engine.desk.connect_or_ask(call, app).await?;
    healing::by_fingerprint(engine.desk.handles(call), &app, print, DetailKinds::empty()).await
}

/// A query that found nothing, and a locator that decided nothing.
fn nor_by_locator(mut missed: Error, why: &str, found: Vec<String>) -> Error {
    missed.message = format!("{}; by the step's locator: {why}", missed.message);
    if found.is_empty() { missed } else { missed.with_found(found) }
}
