//! `handeye://system/status`

use crate::Resources;
use handeye_act::confirm::Confirm;
use handeye_call::call::Call;
use handeye_core::SecurityMode;
use handeye_core::vision::ModelChoice;
use handeye_sight::analysis;
use serde_json::{Value, json};

/// The system's status for a reader that speaks `revision` of the protocol. Looks whether a provider can be asked.
pub(super) async fn read(resources: &Resources, call: &Call, revision: Option<&str>) -> Value {
    let model = analysis::available(resources.engine.vision.as_ref(), &ModelChoice::default()).await.ok();
    let mut status = watched(resources).await;
    status["protocol_version"] = json!(revision);
    status["vlm_available"] = json!(model.is_some());
    if let Some(model) = model {
        status["vlm_backend"] = json!(model.provider);
    }
    status["security_mode"] = json!(security_mode(resources, call));
    status["blocked_calls"] = json!(resources.engine.desk.guard.trust().blocked());
    status["uptime_seconds"] = json!((resources.kept.started.elapsed().as_secs_f64() * 10.0).round() / 10.0);
    status
}

/// The mode that is in force, in the specification's words (13.2); a stricter setting counts as the mode that it amounts to.
fn security_mode(resources: &Resources, call: &Call) -> SecurityMode {
    let desk = &resources.engine.desk;
    let by_settings = match desk.confirm {
        _ if call.offered.read_only => SecurityMode::Sandboxed,
        Confirm::Always => SecurityMode::Safe,
        Confirm::Auto | Confirm::Never => SecurityMode::Normal,
    };
    desk.guard.trust().mode().max(by_settings)
}

/// What a subscriber is notified of. No provider is looked at for that.
pub(super) async fn watched(resources: &Resources) -> Value {
    let accessibility = resources.engine.desk.platform.accessibility.status().await;
    let mut status = json!({
        "accessibility_enabled": accessibility.enabled,
        "server_version": env!("CARGO_PKG_VERSION"),
        "vlm_backend": resources.engine.vision.configured().into_iter().next().map(|model| model.provider),
        "connected_apps": resources.engine.desk.own.connected_applications(),
        "platform": resources.engine.desk.platform.diagnosis.session().to_string(),
    });
    let ledger = resources.engine.desk.ledger.condition();
    status["audit_log"] = json!({ "path": ledger.place, "required": ledger.required, "fault": ledger.fault, "lost": ledger.lost });
    if !accessibility.suggestion.is_empty() {
        status["suggestion"] = accessibility.suggestion.into();
    }
    status
}

/// Of what was read, what a subscriber is notified of.
pub(super) fn lasting(mut status: Value) -> Value {
    if let Some(fields) = status.as_object_mut() {
        for name in [
            "uptime_seconds",
            "protocol_version",
            "vlm_available",
            "vlm_backend",
            "security_mode",
            "blocked_calls",
        ] {
            fields.remove(name);
        }
    }
    status
}
