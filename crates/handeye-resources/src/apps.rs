//! `handeye://apps`

use crate::Resources;
use futures_util::StreamExt as _;
use handeye_call::call::Call;
use handeye_core::{Application, Error, Result, screen_text};
use handeye_engine::Operation;
use handeye_insight::State;
use handeye_ops::apps::{Input, ListApps};
use serde_json::Value;

/// Most connected applications that are looked at for their state.
const LOOKED_AT: usize = 32;
/// How many of them at a time.
const AT_A_TIME: usize = 8;
/// Most characters of a title.
const MAX_TITLE: usize = 200;

/// The running applications, with the fields of `ax_list_apps`.
pub(super) async fn listed(resources: &Resources, call: &Call) -> Result<Value> {
    let listed = ListApps::run(&resources.engine, call, Input {}).await?;
    serde_json::to_value(listed.fields).map_err(Error::internal)
}

/// The same, with what each connected one is doing and which of its windows has the focus (axterminator, section 11.3).
pub(super) async fn read(resources: &Resources, call: &Call) -> Result<Value> {
    let mut apps = listed(resources, call).await?;
    let desk = &resources.engine.desk;
    let is_any_connected = apps["apps"].as_array().into_iter().flatten().any(|app| app["connected"] == true);
    if !is_any_connected {
        return Ok(apps);
    }
    let running = desk.platform.accessibility.applications().await?;
    let connected =
        running.into_iter().filter(|application| desk.own.is_connected(application)).take(LOOKED_AT);
    let summaries: Vec<(Application, Summary)> = futures_util::stream::iter(connected)
        .map(|application| async {
            let summary = summary(resources, &application).await;
            (application, summary)
        })
        .buffer_unordered(AT_A_TIME)
        .filter_map(|(application, summary)| {
            std::future::ready(summary.map(|summary| (application, summary)))
        })
        .collect()
        .await;
    for app in apps["apps"].as_array_mut().into_iter().flatten() {
        let is_it = |(application, _): &&(Application, Summary)| {
            app["name"] == *application.name && app["pid"].as_u64() == application.pid().map(u64::from)
        };
        if let Some((_, summary)) = summaries.iter().find(is_it) {
            app["state"] = summary.state.as_str().into();
            app["focused_window"] = summary.focused_window.clone().into();
        }
    }
    Ok(apps)
}

/// What one application is doing.
struct Summary {
    state: State,
    /// The title of its active window.
    focused_window: Option<String>,
}

/// What a connected application is doing; `None` if it has ended meanwhile.
async fn summary(resources: &Resources, application: &Application) -> Option<Summary> {
    let app = resources.engine.desk.memory.connection(application)?;
    let snapshot = match resources.look_or_known(&app).await {
        Ok(snapshot) => snapshot,
        Err(error) => {
            tracing::debug!(
                app = application.name,
                code = error.code.as_str(),
                "no state of a connected application"
            );
            return None;
        }
    };
    let insight = snapshot.insight();
    let active = snapshot.windows.iter().find(|window| window.active).map(|window| window.title.clone());
    let in_tree = || {
        let front = snapshot.tree.get(snapshot.front()?.window)?;
        Some(front.name.to_string())
    };
    // Without a display the tree alone says which window is in front.
    let title = if snapshot.windows.is_empty() { in_tree() } else { active };
    Some(Summary {
        state: snapshot.state(insight.as_ref()),
        focused_window: title.map(|title| screen_text::line(&title, MAX_TITLE)),
    })
}

/// Without what handeye itself changes, and what has a resource of its own to be watched.
pub(super) fn lasting(mut apps: Value) -> Value {
    for app in apps["apps"].as_array_mut().into_iter().flatten() {
        if let Some(fields) = app.as_object_mut() {
            for field in ["connected", "state", "focused_window"] {
                fields.remove(field);
            }
        }
    }
    apps
}
