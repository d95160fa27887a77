//! The question to a person which of several applications is meant, by which a call goes on that would end with an error.
//!
//! Where the client shows no form, the error stays: it lists what there is.

use crate::desk::Desk;
use crate::fuzzy::Found;
use crate::naming::belongs;
use crate::targets::{FRONTMOST, LISTED, Meant, describe};
use handeye_call::call::Call;
use handeye_call::client::{Choice, FieldKind, Form};
use handeye_core::{Application, Argument, ConnectedApp, Error, Result, text};
use handeye_tree::describe::quote;
use std::sync::Arc;

impl Desk {
    /// [`Desk::application`], and where several answer to the name, the one that the person chooses.
    ///
    /// # Errors
    /// [`ErrorCode::AppAmbiguous`] with the candidates if the client cannot ask, [`ErrorCode::Declined`] if the person chooses none.
    pub async fn application_or_ask(&self, call: &Call, name: &str) -> Result<Application> {
        if !call.client.capabilities().form || self.own.connection(name).is_some() {
            return self.application(name).await;
        }
        match self.look_up(name).await? {
            Meant::One(application) => Ok(application),
            Meant::Several(several) => self.chosen(call, name, several, "app").await,
        }
    }

    /// [`Desk::connect`], to the application that the person chooses where several answer to the name.
    ///
    /// # Errors
    /// As [`Desk::application_or_ask`] and [`Desk::connect`].
    pub async fn connect_or_ask(&self, call: &Call, name: &str) -> Result<Arc<dyn ConnectedApp>> {
        if !call.client.capabilities().form || self.own.connection(name).is_some() {
            return self.connect(name).await;
        }
        match self.look_up(name).await? {
            Meant::One(application) => {
                let connection = self.connect_application(&application).await?;
                if !name.eq_ignore_ascii_case(FRONTMOST) {
                    self.own.keep_connection(name, &connection);
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

    /// [`Desk::applications_named`], and where several come equally near to the name, the one that the person chooses.
    /// `parameter` is the one that names the application.
    ///
    /// # Errors
    /// As [`Desk::applications_named`]; [`ErrorCode::Declined`] if the person chooses none.
    pub async fn applications_named_or_ask(
        &self,
        call: &Call,
        name: &str,
        parameter: &'static str,
    ) -> Result<Vec<Application>> {
        match self.find_fuzzily(name).await? {
            Found::These(these) => Ok(these),
            Found::Unclear(several) if call.client.capabilities().form => {
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
        parameter: &'static str,
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
        if let Some(pid) = chosen.pid() {
            let named = Argument::new(parameter, pid.to_string());
            call.trail.note(text![
                format!("The person chose {}: name it by ", describe(&chosen)),
                named,
                "."
            ]);
        }
        Ok(chosen)
    }
}

/// How a reply names an application: its bundle id, or its process where that does not distinguish it from the others.
fn value_of(application: &Application, among: &[Application]) -> String {
    let alone = |id: &&String| among.iter().filter(|other| other.bundle_id.as_ref() == Some(id)).count() == 1;
    match (application.bundle_id.as_ref().filter(alone), application.pid()) {
        (Some(id), _) => id.clone(),
        (None, Some(pid)) => pid.to_string(),
        (None, None) => application.name.clone(),
    }
}
