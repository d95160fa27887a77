//! A picture beside an answer that is not about pictures: it shows what the figures say, and its failure does not fail the answer.

use handeye_call::call::Call;
use handeye_call::outcome::Picture;
use handeye_core::{Frame, Result, Text, Window};
use handeye_engine::Engine;
use handeye_shots::delivery::{Capture, Delivered, Order};
use handeye_shots::{Subject, scale_of};
use handeye_tree::outline::quoted;

/// Most characters of a window's title.
const MAX_TITLE: usize = 120;

/// What an answer gets of such a picture.
pub(crate) struct Exhibit {
    /// A sentence for the reader.
    pub(crate) sentence: String,
    /// What could not be done with it.
    pub(crate) note: Option<Text>,
    /// The file, if there is one.
    pub(crate) path: Option<String>,
    /// Its id, where a later call can use it.
    pub(crate) screenshot: Option<String>,
    /// The picture itself, if the answer is to have it.
    pub(crate) picture: Option<Picture>,
}

impl Exhibit {
    /// What an answer gets of a delivered picture that is called `title`.
    pub(crate) fn new(call: &Call, title: &str, mut delivered: Delivered) -> Self {
        let sentence = delivered.sentence(title);
        let (path, note) = match delivered.file() {
            Ok(file) => {
                let shown = file.filter(|file| file.shown.is_some());
                (shown.map(|file| file.path.display().to_string()), None)
            }
            Err(error) => (None, Some(format!("Not saved: {}", error.message).into())),
        };
        let screenshot = call.reader.remembered.then(|| delivered.id.to_string());
        Self { sentence, note, path, screenshot, picture: delivered.picture }
    }
}

/// Delivers pixels that belong to a window.
pub(crate) async fn deliver(
    engine: &Engine,
    call: &Call,
    window: &Window,
    frame: Frame,
    order: Order,
) -> Result<Delivered> {
    let scale = scale_of(&engine.desk.platform.screen.monitors().await?, frame.place().as_ref());
    engine.deliver(call, Capture { frame, subject: Subject::Window(window.id), scale }, order).await
}

/// How a window is named.
pub(crate) fn name_of(window: &Window) -> String {
    format!("window {}", quoted(&window.title, MAX_TITLE))
}
