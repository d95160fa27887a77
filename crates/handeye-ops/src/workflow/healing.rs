//! The element of a step whose query finds nothing any more, by what it was when the step was recorded.

use handeye_act::healing;
use handeye_call::call::Call;
use handeye_core::{DetailKinds, Error, ErrorCode};
use handeye_engine::{Engine, InnerTool};
use handeye_locator::{ACT, Fingerprint};
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

/// The parameters of a step with the element that is recognized now in the place of its query; `None` if none is, surely enough for an action.
pub(super) async fn with_element(
    engine: &Engine,
    call: &Call,
    tool: &InnerTool,
    mut args: Value,
    print: &Fingerprint,
) -> Option<Value> {
    let name = tool.elements.iter().copied().find(|name| args.get(*name).is_some_and(Value::is_string))?;
    let app = args.get("app").and_then(Value::as_str).unwrap_or("frontmost").to_owned();
    let app = engine.desk.connect_or_ask(call, &app).await.ok()?;
    let found =
        healing::by_fingerprint(engine.desk.handles(call), &app, print, DetailKinds::empty()).await.ok()?;
    if found.confidence.is_none_or(|confidence| confidence < ACT) {
        return None;
    }
    if let Some(healed) = &found.healed {
        call.trail.note(healed.clone());
    }
    args[name] = Value::String(found.reference);
    Some(args)
}
