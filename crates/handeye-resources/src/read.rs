//! `resources/read`: the content of a resource, through the gate as every other call.

use super::address::{Address, View};
use super::{app_content, apps, clipboard, events, recording, screenshot, status};
use crate::Resources;
use async_trait::async_trait;
use handeye_call::call::Call;
use handeye_call::outcome::{Answer, Outcome, Picture};
use handeye_core::{Invocation, Result, text};
use handeye_engine::{Engine, JudgedAs, Meta, ParsedInput, Runnable};
use serde_json::{Value, json};
use std::time::Duration;

/// What is known of reading. It is neither a tool nor a command: clients that know resources have a request of their own for it.
const META: Meta = Meta {
    tool: "resources/read",
    command: "resource",
    title: "Read a resource",
    description: "Its content now",
    deadline: Duration::from_secs(15),
    narrower: || text![Invocation::of("ax_get_tree"), " with root_query shows a part."],
    ..Meta::READ
};

/// Which resource is read, and by which caller.
struct Wanted {
    uri: String,
    revision: Option<String>,
}

/// The parameters of reading the resource of a URI: the gate runs [`Resources`] with them, and the policy judges them as the call that the
/// resource equals. `revision` is that of the protocol that the reader speaks.
pub fn wanted(uri: impl Into<String>, revision: Option<&str>) -> ParsedInput {
    let uri = uri.into();
    // What is wrong with a URI is reported when it is read, which reads nothing else.
    let address = Address::parse(&uri).ok();
    let input = ParsedInput::of(Wanted { uri, revision: revision.map(str::to_owned) });
    match address {
        Some(address) => input.judged_as(address.judged_as()),
        None => input,
    }
}

impl Address {
    /// The call that reading or watching this resource equals.
    pub fn judged_as(&self) -> JudgedAs {
        let application = self.application().map(str::to_owned);
        JudgedAs { meta: self.definition().equals, application }
    }
}

/// The content of a resource.
pub(super) enum Content {
    /// JSON.
    Json(Value),
    /// A picture.
    Picture(Picture),
}

#[async_trait]
impl Runnable for Resources {
    fn meta(&self) -> &'static Meta {
        const { &META }
    }

    fn deadline(&self, _engine: &Engine) -> Duration {
        META.deadline
    }

    /// Reads with the settings of `engine`; what is remembered is shared.
    async fn run(&self, engine: &Engine, call: &Call, input: ParsedInput) -> Result<Answer> {
        let wanted: Wanted = input.into_inner()?;
        let resources = &self.with(engine.clone());
        let address = Address::parse(&wanted.uri)?;
        let content = match &address {
            Address::Status => Content::Json(status::read(resources, call, wanted.revision.as_deref()).await),
            Address::Apps => Content::Json(apps::read(resources, call).await?),
            Address::Clipboard => Content::Json(clipboard::read(resources).await?),
            Address::RecordingStart => Content::Json(recording::start(resources, call).await?),
            Address::RecordingStop => Content::Json(recording::stop(resources).await?),
            Address::App { name, view } => match view {
                View::Tree => Content::Json(app_content::read_tree(resources, &address, name).await?),
                View::WindowTree(index) => {
                    Content::Json(app_content::read_window(resources, &address, name, *index).await?)
                }
                View::State => Content::Json(app_content::read_state(resources, &address, name).await?),
                View::Events => Content::Json(events::read(resources, &address, name).await?),
                View::Screenshot => Content::Picture(screenshot::read(resources, call, name).await?),
            },
        };
        if let (Content::Json(json), None) = (&content, address.application())
            && !address.is_recording()
        {
            resources.note_content(&address, json);
        }
        let fields = json!({ "mime_type": address.mime_type() });
        Ok(match content {
            Content::Json(json) => Outcome::new(json.to_string(), fields),
            Content::Picture(picture) => Outcome { pictures: vec![picture], ..Outcome::new("", fields) },
        })
    }
}
