//! `handeye://apps`

use crate::Resources;
use handeye_call::call::Call;
use handeye_core::{Error, Result};
use handeye_engine::Operation;
use handeye_ops::apps::{Input, ListApps};
use serde_json::Value;

/// The running applications, with the fields of `ax_list_apps`.
pub(super) async fn read(resources: &Resources, call: &Call) -> Result<Value> {
    let listed = ListApps::run(&resources.engine, call, Input {}).await?;
    serde_json::to_value(listed.fields).map_err(Error::internal)
}

/// Without what handeye itself changes.
pub(super) fn lasting(mut apps: Value) -> Value {
    for app in apps["apps"].as_array_mut().into_iter().flatten() {
        if let Some(fields) = app.as_object_mut() {
            fields.remove("connected");
        }
    }
    apps
}
