//! `handeye://system/status`

use crate::engine::Engine;
use serde_json::{Value, json};

/// How calls are restricted. There is one mode so far.
const SECURITY_MODE: &str = "normal";

/// The system's status for a reader that speaks `revision` of the protocol.
pub(super) async fn read(engine: &Engine, revision: Option<&str>) -> Value {
    let accessibility = engine.platform.accessibility.status().await;
    let provider = engine.vision.configured().into_iter().next();
    let mut status = json!({
        "accessibility_enabled": accessibility.enabled,
        "server_version": env!("CARGO_PKG_VERSION"),
        "protocol_version": revision,
        "vlm_backend": provider.as_ref().map(|model| &model.provider),
        "vlm_available": provider.is_some(),
        "connected_apps": engine.memory.connected_applications(),
        "platform": engine.platform.diagnosis.system(),
        "security_mode": SECURITY_MODE,
        "uptime_seconds": (engine.memory.resources.started.elapsed().as_secs_f64() * 10.0).round() / 10.0,
    });
    if !accessibility.suggestion.is_empty() {
        status["suggestion"] = accessibility.suggestion.into();
    }
    status
}

/// Without what changes by itself.
pub(super) fn lasting(mut status: Value) -> Value {
    if let Some(fields) = status.as_object_mut() {
        fields.remove("uptime_seconds");
        fields.remove("protocol_version");
    }
    status
}
