//! Questions to a person by which a call goes on that would end with an error: which application, which element.
//!
//! Where the client shows no form, the error stays: it lists what there is.

use crate::act::Turn;
use crate::call::{Call, Face};
use crate::client::{Choice, FieldKind, Form};
use crate::effect::quote;
use crate::engine::Engine;
use crate::fuzzy::Found;
use crate::locate::{self, Located};
use crate::operation::Operation;
use crate::ops::find_visual::{self, FindVisual};
use crate::targets::{FRONTMOST, LISTED, Meant, belongs, describe};
use crate::visual::{self, Source};
use handeye_core::{Application, ConnectedApp, DetailKinds, Error, ErrorCode, Result};
use std::sync::Arc;

/// Longest description of an element, in characters.
const MAX_DESCRIPTION: u32 = 200;
/// The field of a form that asks whether to look for it in the picture too.
const BY_SIGHT: &str = "use_visual";

impl Engine {
    /// [`Engine::application`], and where several answer to the name, the one that the person chooses.
    ///
    /// # Errors
    /// [`ErrorCode::AppAmbiguous`] with the candidates if the client cannot ask, [`ErrorCode::Declined`] if the person chooses none.
    pub async fn application_or_ask(&self, call: &Call, name: &str) -> Result<Application> {
        if !call.client.abilities().form || self.memory.connection(name).is_some() {
            return self.application(name).await;
        }
        match self.look_up(name).await? {
            Meant::One(application) => Ok(application),
            Meant::Several(several) => self.chosen(call, name, several, "app").await,
        }
    }

    /// [`Engine::connect`], to the application that the person chooses where several answer to the name.
    ///
    /// # Errors
    /// As [`Engine::application_or_ask`] and [`Engine::connect`].
    pub async fn connect_or_ask(&self, call: &Call, name: &str) -> Result<Arc<dyn ConnectedApp>> {
        if !call.client.abilities().form || self.memory.connection(name).is_some() {
            return self.connect(name).await;
        }
        match self.look_up(name).await? {
            Meant::One(application) => {
                let connection = self.connect_application(&application).await?;
                if !name.eq_ignore_ascii_case(FRONTMOST) {
                    self.memory.keep_connection(name, &connection);
                }
                Ok(connection)
            }
            // Not kept under the name: another client may mean another one of them.
            Meant::Several(several) => {
                let application = self.chosen(call, name, several, "app").await?;
                self.connect_application(&application).await
            }
        }
    }

    /// [`Engine::applications_named`], and where several come equally near to the name, the one that the person chooses.
    /// `parameter` is the one that names the application.
    ///
    /// # Errors
    /// As [`Engine::applications_named`]; [`ErrorCode::Declined`] if the person chooses none.
    pub async fn applications_named_or_ask(
        &self,
        call: &Call,
        name: &str,
        parameter: &str,
    ) -> Result<Vec<Application>> {
        match self.find_fuzzily(name).await? {
            Found::These(these) => Ok(these),
            Found::Unclear(several) if call.client.abilities().form => {
                self.chosen(call, name.trim(), several, parameter).await.map(|chosen| vec![chosen])
            }
            Found::Unclear(several) => Err(self.unclear(name.trim(), &several).await),
        }
    }

    /// The application of several that the person chooses.
    async fn chosen(
        &self,
        call: &Call,
        name: &str,
        several: Vec<Application>,
        parameter: &str,
    ) -> Result<Application> {
        // Titles help to choose; without them the candidates are still listed.
        let windows = self.platform.screen.windows().await.unwrap_or_default();
        let several: Vec<Application> = several.into_iter().take(LISTED).collect();
        let choices: Vec<Choice> = several
            .iter()
            .map(|application| {
                let title =
                    windows.iter().find(|window| belongs(window, application)).map(|window| &window.title);
                let window = title.map_or_else(String::new, |title| format!(", window \"{}\"", quote(title)));
                Choice {
                    value: value_of(application, &several),
                    title: format!("{}{window}", describe(application)),
                }
            })
            .collect();
        let form = Form::new(format!("Multiple apps match '{}'. Which one?", quote(name))).required(
            "app",
            "Select application",
            FieldKind::Choice(choices),
        );
        let fields = call.fill_in("app", "", form).await?;
        let value = fields.text("app").unwrap_or_default();
        let chosen = several.iter().find(|application| value_of(application, &several) == value);
        let chosen = chosen.ok_or_else(|| Error::internal("a choice that was not offered"))?.clone();
        if let Some(pid) = chosen.pid {
            let named = match call.face {
                Face::Mcp => format!("{parameter}: \"{pid}\""),
                Face::Cli => format!("--app {pid}"),
            };
            call.trail.note(format!("The person chose {}: name it by {named}.", describe(&chosen)));
        }
        Ok(chosen)
    }
}

/// How a reply names an application: its bundle id, or its process where that does not tell it from the others.
fn value_of(application: &Application, among: &[Application]) -> String {
    let alone = |id: &&String| among.iter().filter(|other| other.bundle_id.as_ref() == Some(id)).count() == 1;
    match (application.bundle_id.as_ref().filter(alone), application.pid) {
        (Some(id), _) => id.clone(),
        (None, Some(pid)) => pid.to_string(),
        (None, None) => application.name.clone(),
    }
}

/// The element of an action. If nothing comes near what it is called, the person may describe it in other words, once.
///
/// # Errors
/// As [`locate::one`]; [`ErrorCode::Declined`] if the person does not want to.
pub async fn locate_or_ask(turn: &Turn<'_>, query: &str, details: DetailKinds) -> Result<Located> {
    let missed = match locate::one(turn.engine, &turn.app, query, details).await {
        // Where something comes near, the caller can help itself.
        Err(error) if error.code == ErrorCode::ElementNotFound && error.found.is_empty() => error,
        other => return other,
    };
    if !turn.call.client.abilities().form {
        return Err(missed);
    }
    let app = &turn.app.application().name;
    let message =
        format!("Could not find '{}' in {}. Can you describe it differently?", quote(query), quote(app));
    let kind = FieldKind::Text { max_length: MAX_DESCRIPTION };
    let mut form = Form::new(message).required("description", "Alternative description", kind);
    // A shell switches no tools on, and has `find-visual` as a command of its own.
    if turn.call.face == Face::Mcp && turn.call.tools.has(FindVisual::META.tool) {
        form = form.optional(BY_SIGHT, "Try AI vision search?", FieldKind::YesNo { default: true });
    }
    let fields = turn.call.fill_in("description", "", form).await?;
    let description = fields.text("description").unwrap_or_default();
    let found = match locate::one(turn.engine, &turn.app, description, details).await {
        Err(error) if error.code == ErrorCode::ElementNotFound && fields.is_yes(BY_SIGHT) => {
            by_sight(turn, description, details, error).await?
        }
        other => other?,
    };
    turn.call.trail.note(format!("Found by the person's description '{}'.", quote(description)));
    Ok(found)
}

/// The element that is seen where the application's topmost window shows what is described; `missed` says that the tree has none.
async fn by_sight(
    turn: &Turn<'_>,
    description: &str,
    details: DetailKinds,
    missed: Error,
) -> Result<Located> {
    let windows = turn.engine.windows_of(turn.app.application()).await?;
    let Some(window) = windows.into_iter().find(|window| !window.minimized) else { return Err(missed) };
    turn.call.grace.grant(visual::TIME);
    let sought = visual::search(turn.engine, turn.call, description, Source::Window(window)).await?;
    let Some(hit) = &sought.hit else {
        return Err(missed.with_found(sought.failures()));
    };
    if !hit.others.is_empty() {
        return Err(find_visual::several(hit));
    }
    let element = visual::under(turn.engine, &turn.app, &sought.picture, hit.area, details).await?;
    element.ok_or_else(|| find_visual::without_element(turn.engine, &sought.picture, hit))
}
