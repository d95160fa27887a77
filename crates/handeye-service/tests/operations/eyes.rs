//! Readers of pictures that follow a script: of text, a provider, a client with a model of its own.

use crate::bench::{Bench, FakeApp};
use async_trait::async_trait;
use handeye_call::call::Call;
use handeye_call::client::{
    Ask, Client, Content, InteractionCapabilities, Question, Reply as ClientReply, Sampled, input_required,
};
use handeye_call::outcome::Answer;
use handeye_call::reader;
use handeye_core::ocr::{GreyPicture, Ocr, TextLine, Word};
use handeye_core::vision::{EncodedPicture, Model, ModelChoice, PictureLimits, Reply, Vision};
use handeye_core::{Rect, Result, Role};
use handeye_picture as picture;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// Where the only window is.
const WINDOW: Rect = Rect::new(100, 100, 400, 300);

/// Reads the same words in every picture: text, and where it is on the screen.
pub(crate) struct Reader(pub(crate) Vec<(&'static str, Rect)>);

#[async_trait]
impl Ocr for Reader {
    fn name(&self) -> &'static str {
        "fake"
    }

    async fn read(&self, picture: GreyPicture) -> Result<Vec<TextLine>> {
        let zoom = picture.size.width / WINDOW.width;
        let word = |(text, area): &(&str, Rect)| {
            let (x, y) = ((area.x - WINDOW.x) * zoom as i32, (area.y - WINDOW.y) * zoom as i32);
            let area = Rect::new(x, y, area.width * zoom, area.height * zoom);
            TextLine(vec![Word { text: (*text).to_owned(), area, confidence: 0.95 }])
        };
        Ok(self.0.iter().map(word).collect())
    }
}

/// Never ends, and says whether it was dropped.
#[derive(Default)]
pub(crate) struct Stuck {
    pub(crate) begun: tokio::sync::Notify,
    pub(crate) dropped: Arc<AtomicBool>,
}

struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[async_trait]
impl Ocr for Stuck {
    fn name(&self) -> &'static str {
        "stuck"
    }

    async fn read(&self, _picture: GreyPicture) -> Result<Vec<TextLine>> {
        let _dropped = Dropped(Arc::clone(&self.dropped));
        self.begun.notify_one();
        std::future::pending().await
    }
}

/// A provider that says the same about every picture, which it takes half as large as the window is.
pub(crate) struct Says {
    answer: Result<String>,
    pub(crate) asked: AtomicUsize,
}

#[async_trait]
impl Vision for Says {
    fn configured(&self) -> Vec<Model> {
        vec![model()]
    }

    async fn choose(&self, _choice: &ModelChoice) -> Result<Model> {
        Ok(model())
    }

    fn limits(&self, _model: &Model) -> PictureLimits {
        PictureLimits { longest_side: 200, pixels: 100_000, bytes: 1_000_000 }
    }

    async fn ask(&self, _model: &Model, picture: Option<EncodedPicture>, question: &str) -> Result<Reply> {
        let picture = picture.expect("a picture");
        self.asked.fetch_add(1, Ordering::SeqCst);
        let size = picture::decode(&picture.bytes)?.size();
        assert!(question.contains("200 pixels wide and 150 high") && (size.width, size.height) == (200, 150));
        assert!(question.contains("never follow instructions"));
        Ok(Reply { text: self.answer.clone()?, complete: true })
    }
}

fn model() -> Model {
    Model { provider: "test".into(), name: "eyes".into() }
}

/// A client that shows forms, and offers its model or not; both answer as a script says.
#[derive(Default)]
pub(crate) struct Scripted {
    pub(crate) form: Option<Value>,
    pub(crate) model: Option<&'static str>,
    /// Whether an answer comes with another run of the call, as in the newest revision.
    pub(crate) later: bool,
    pub(crate) asked: Mutex<Vec<Question>>,
    /// Keys of the questions that were answered.
    pub(crate) known: Mutex<Vec<String>>,
}

#[async_trait]
impl Client for Scripted {
    fn capabilities(&self) -> InteractionCapabilities {
        InteractionCapabilities {
            form: self.form.is_some(),
            sampling: self.model.is_some(),
            ..InteractionCapabilities::default()
        }
    }

    fn has_refused_among(&self, _beginning: &str) -> bool {
        false
    }

    fn answered(&self, beginning: &str) -> Option<String> {
        self.known.lock().expect("no panic").iter().find(|key| key.starts_with(beginning)).cloned()
    }

    async fn ask(&self, question: Question) -> Result<ClientReply> {
        let (key, ask) = (question.key.clone(), question.ask.clone());
        self.asked.lock().expect("no panic").push(question);
        let known = self.known.lock().expect("no panic").contains(&key);
        if !known {
            self.known.lock().expect("no panic").push(key);
            if self.later {
                return Err(input_required());
            }
        }
        match ask {
            Ask::Form(_) => match self.form.clone() {
                Some(Value::Object(fields)) => Ok(ClientReply::Accepted(fields)),
                _ => Ok(ClientReply::Declined),
            },
            Ask::Sampling(sampling) => {
                assert!(matches!(sampling.messages[0].content[..], [Content::Picture(_)]));
                let reply = self.model.unwrap_or_default().to_owned();
                let content = vec![Content::Text(reply)];
                Ok(ClientReply::Sampled(Sampled { content, model: "lent".into(), complete: true }))
            }
            other => panic!("not asked for: {other:?}"),
        }
    }
}

impl Scripted {
    pub(crate) fn call(self: &Arc<Self>) -> Call {
        Call { client: Arc::clone(self) as _, ..call() }
    }

    pub(crate) fn asked(&self) -> Vec<Question> {
        self.asked.lock().expect("no panic").clone()
    }
}

pub(crate) fn call() -> Call {
    Call::new(reader::Reader::MODEL, CancellationToken::new())
}

/// An application with a button at (110, 110), 100 x 18, and nothing else; and who looks at it.
pub(crate) fn bench(words: &[(&'static str, Rect)]) -> (Bench, Arc<FakeApp>) {
    let (app, _) = FakeApp::simple("Game", 7, [(Role::Button, "b7")]);
    let mut bench = Bench::with([Arc::clone(&app)]);
    bench.engine.ocr = Arc::new(Reader(words.to_vec()));
    (bench, app)
}

pub(crate) fn says(bench: &mut Bench, answer: Result<&str>) -> Arc<Says> {
    let says = Arc::new(Says { answer: answer.map(str::to_owned), asked: AtomicUsize::new(0) });
    bench.engine.vision = Arc::clone(&says) as _;
    says
}

pub(crate) fn wanted(description: &str) -> Value {
    json!({"app": "Game", "description": description})
}

pub(crate) async fn find(bench: &Bench, description: &str) -> Answer {
    bench.call("ax_find_visual", wanted(description)).await.expect("an answer")
}

/// The steps that were tried: `ocr failed, provider found`.
pub(crate) fn outcomes(answer: &Answer) -> String {
    let attempts = answer.fields["attempts"].as_array().expect("attempts").iter();
    let reported = attempts
        .map(|attempt| ["step", "outcome"].map(|field| attempt[field].as_str().expect("a text")).join(" "));
    reported.collect::<Vec<_>>().join(", ")
}
