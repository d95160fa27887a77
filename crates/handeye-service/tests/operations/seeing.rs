//! Finding by sight: who is asked after whom, and what becomes of a place in a picture.

use crate::bench::{Bench, FakeApp};
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handeye_call::call::{Call, Face};
use handeye_call::client::{
    Ask, Client, Content, InteractionCapabilities, Question, Reply as ClientReply, Sampled, input_required,
};
use handeye_call::client_log::{Level, Log, Record};
use handeye_call::outcome::Answer;
use handeye_core::ocr::{GreyPicture, Ocr, TextLine, Word};
use handeye_core::vision::{EncodedPicture, Model, ModelChoice, PictureLimits, Reply, Vision};
use handeye_core::{Error, ErrorCode, Frame, Rect, Result, Role};
use handeye_picture::{self as picture, Format};
use handeye_service::toolbox::{Selection, Toolbox};
use handeye_sight::visual::{Source, search};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
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
struct Stuck {
    begun: tokio::sync::Notify,
    dropped: Arc<AtomicBool>,
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
struct Says {
    answer: Result<String>,
    asked: AtomicUsize,
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
struct Scripted {
    form: Option<Value>,
    model: Option<&'static str>,
    /// Whether an answer comes with another run of the call, as in the newest revision.
    later: bool,
    asked: Mutex<Vec<Question>>,
    /// Keys of the questions that were answered.
    known: Mutex<Vec<String>>,
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

    fn has_refused(&self) -> bool {
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
    fn call(self: &Arc<Self>) -> Call {
        Call { client: Arc::clone(self) as _, ..call() }
    }

    fn asked(&self) -> Vec<Question> {
        self.asked.lock().expect("no panic").clone()
    }
}

fn call() -> Call {
    Call::new(Face::Mcp, CancellationToken::new())
}

/// An application with a button at (110, 110), 100 x 18, and nothing else; and who looks at it.
fn bench(words: &[(&'static str, Rect)]) -> (Bench, Arc<FakeApp>) {
    let (app, _) = FakeApp::simple("Game", 7, [(Role::Button, "b7")]);
    let mut bench = Bench::with([Arc::clone(&app)]);
    bench.engine.ocr = Arc::new(Reader(words.to_vec()));
    (bench, app)
}

fn says(bench: &mut Bench, answer: Result<&str>) -> Arc<Says> {
    let says = Arc::new(Says { answer: answer.map(str::to_owned), asked: AtomicUsize::new(0) });
    bench.engine.vision = Arc::clone(&says) as _;
    says
}

fn wanted(description: &str) -> Value {
    json!({"app": "Game", "description": description})
}

async fn find(bench: &Bench, description: &str) -> Answer {
    bench.call("ax_find_visual", wanted(description)).await.expect("an answer")
}

/// The steps that were tried: `ocr failed, provider found`.
fn outcomes(answer: &Answer) -> String {
    let attempts = answer.fields["attempts"].as_array().expect("attempts").iter();
    let reported = attempts
        .map(|attempt| ["step", "outcome"].map(|field| attempt[field].as_str().expect("a text")).join(" "));
    reported.collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn text_on_an_element_gives_its_reference() {
    let (bench, app) = bench(&[("Launch", Rect::new(120, 112, 40, 10))]);
    let answer = find(&bench, "the Launch button").await;
    let fields = &answer.fields;
    assert_eq!(
        (&fields["found"], &fields["strategy"], &fields["vlm_backend"]),
        (&json!(true), &json!("ocr"), &json!("fake"))
    );
    assert_eq!((&fields["position"], &fields["size"]), (&json!([120, 112]), &json!([40, 10])));
    assert_eq!(outcomes(&answer), "ocr found");
    let reference = fields["element_ref"].as_str().expect("a reference");
    bench.call("ax_click", json!({"app": "Game", "query": reference})).await.expect("clicked");
    assert_eq!(app.performed(), 1);
}

#[tokio::test]
async fn text_that_no_element_shows_gives_a_point_to_click() {
    let (bench, _) = bench(&[("Launch", Rect::new(300, 250, 40, 10))]);
    let answer = find(&bench, "Launch").await;
    let fields = &answer.fields;
    assert_eq!(fields.get("element_ref"), None);
    assert_eq!(fields["point"], json!([220, 155]));
    assert!(answer.text.contains("mode: \"focus\""), "{}", answer.text);
    let (point, screenshot) = (&fields["point"], &fields["screenshot"]);
    let click = json!({"x": point[0], "y": point[1], "screenshot": screenshot, "mode": "focus"});
    bench.call("ax_click_at", click).await.expect("clicked");
    assert!(
        bench.desktop.seat_log().contains(&"click Left x1 at 320,255".to_owned()),
        "{:?}",
        bench.desktop.seat_log()
    );
}

#[tokio::test]
async fn a_provider_looks_where_no_text_is_and_its_box_is_mapped_back() {
    let (mut bench, _) = bench(&[("Cancel", Rect::new(300, 250, 40, 10))]);
    let provider =
        says(&mut bench, Ok(r#"Sure: {"found": true, "box": [10, 5, 55, 14], "confidence": 0.8}"#));
    let answer = find(&bench, "the red rocket").await;
    assert_eq!(outcomes(&answer), "ocr not_found, provider found");
    assert_eq!((&answer.fields["vlm_backend"], &answer.fields["confidence"]), (&json!("test"), &json!(0.8)));
    let [x, y] = [0, 1].map(|at| answer.fields["position"][at].as_i64().expect("a number"));
    assert!((120..=122).contains(&x) && (110..=112).contains(&y), "{x}, {y}");
    assert!(answer.fields["element_ref"].is_string());
    assert_eq!(provider.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn who_cannot_look_hands_on_and_says_why() {
    let (mut bench, _) = bench(&[]);
    bench.engine.ocr = Arc::new(handeye_core::ocr::NoOcr);
    says(&mut bench, Err(Error::new(ErrorCode::ProviderLimited, "test is tired")));
    let client = Arc::new(Scripted {
        model: Some(r#"{"found": true, "box": [20, 20, 60, 30]}"#),
        ..Scripted::default()
    });
    let records: Arc<Mutex<Vec<Record>>> = Arc::default();
    let reported = Arc::clone(&records);
    let log = Log::to(Level::Notice, move |record| reported.lock().expect("no panic").push(record));
    let call = Call { log, ..client.call() };
    let answer = bench.call_with("ax_find_visual", wanted("secret word"), call).await.expect("found");
    assert_eq!(outcomes(&answer), "ocr failed, provider failed, client found");
    assert_eq!(answer.fields["attempts"][1]["why"], "test is tired");
    assert_eq!(
        (&answer.fields["vlm_backend"], &answer.fields["position"]),
        (&json!("client"), &json!([120, 120]))
    );
    let records = records.lock().expect("no panic");
    let fell: Vec<&Value> = records.iter().map(|record| &record.data["to"]).collect();
    assert_eq!(fell, [&json!("provider"), &json!("client"), &Value::Null]);
    assert!(records[2].data["vlm_duration_ms"].is_number() && records[2].data["strategy"] == "client");
    assert!(
        records
            .iter()
            .all(|record| record.level == Level::Notice && !record.data.to_string().contains("secret"))
    );
}

#[tokio::test]
async fn where_nobody_can_look_the_answer_is_a_failure_with_the_picture() {
    let (mut bench, _) = bench(&[]);
    bench.engine.ocr = Arc::new(handeye_core::ocr::NoOcr);
    let answer = find(&bench, "Launch").await;
    let failure = answer.failure.as_ref().expect("a failure");
    assert_eq!((failure.code, failure.found.len()), (ErrorCode::AnalysisUnavailable, 3));
    assert!(
        answer.fields["screenshot"].is_string() && answer.text.contains("Look yourself"),
        "{}",
        answer.text
    );
    bench.engine.ocr = Arc::new(Reader(Vec::new()));
    let answer = find(&bench, "Launch").await;
    assert!(answer.failure.is_none() && answer.fields["found"] == false, "{answer:?}");
}

#[tokio::test]
async fn several_places_are_a_models_to_distinguish_or_all_reported() {
    let twice = [("Save", Rect::new(300, 250, 40, 10)), ("Save", Rect::new(120, 112, 40, 10))];
    let (mut bench, _) = bench(&twice);
    let answer = find(&bench, "Save").await;
    assert_eq!(answer.fields["position"], json!([120, 112]), "the first from the top");
    assert_eq!(answer.fields.get("element_ref"), None, "it is not sure");
    assert!(
        answer.text.contains("2 places") && answer.text.contains("40x10 at (300, 250)"),
        "{}",
        answer.text
    );
    says(&mut bench, Ok(r#"{"found": true, "box": [100, 75, 120, 80]}"#));
    let answer = find(&bench, "Save").await;
    assert_eq!(outcomes(&answer), "ocr ambiguous, provider found");
    assert_eq!(answer.fields["strategy"], "provider");
}

#[tokio::test]
async fn an_answer_that_comes_later_is_about_the_picture_that_was_sent() {
    let (mut bench, app) = bench(&[]);
    let provider = says(&mut bench, Ok(r#"{"found": false}"#));
    let client = Arc::new(Scripted {
        model: Some(r#"{"found": true, "box": [210, 150, 230, 160]}"#),
        later: true,
        ..Scripted::default()
    });
    let first = bench.call_with("ax_find_visual", wanted("Launch"), client.call()).await;
    assert_eq!(first.expect_err("asked").code, ErrorCode::InputRequired);
    app.move_by(50, 30);
    let answer = bench.call_with("ax_find_visual", wanted("Launch"), client.call()).await.expect("found");
    assert_eq!(provider.asked.load(Ordering::SeqCst), 1, "nobody is asked twice");
    assert_eq!(outcomes(&answer), "ocr not_found, provider not_found, client found");
    assert_eq!(answer.fields["position"], json!([310, 250]), "as it was in the picture");
    let (point, screenshot) = (&answer.fields["point"], &answer.fields["screenshot"]);
    let click = json!({"x": point[0], "y": point[1], "screenshot": screenshot, "mode": "focus"});
    let clicked = bench.call("ax_click_at", click).await.expect("clicked");
    assert!(clicked.text.contains("followed: the window moved by (50, 30)"), "{}", clicked.text);
    let abouts: Vec<String> = client.asked().into_iter().map(|question| question.about).collect();
    assert!(abouts.len() == 2 && abouts[0] == abouts[1], "{abouts:?}");
}

#[tokio::test]
async fn a_cancelled_call_ends_the_reading() {
    let (mut bench, _) = bench(&[]);
    let stuck = Arc::new(Stuck::default());
    bench.engine.ocr = Arc::clone(&stuck) as _;
    let token = CancellationToken::new();
    let calling = bench.call_with("ax_find_visual", wanted("Launch"), Call::new(Face::Mcp, token.clone()));
    let cancelling = async {
        stuck.begun.notified().await;
        token.cancel();
    };
    let (ended, ()) = tokio::join!(calling, cancelling);
    assert_eq!(ended.expect_err("cancelled").code, ErrorCode::Cancelled);
    assert!(stuck.dropped.load(Ordering::SeqCst));
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_hangs_costs_its_step_alone() {
    let (mut bench, app) = bench(&[]);
    bench.engine.ocr = Arc::new(Stuck::default());
    let window = app.windows.lock().expect("no panic")[0].clone();
    let sought =
        search(bench.engine.eyes(), &call(), "Launch", Source::Window(window)).await.expect("an end");
    let outcomes: Vec<&str> = sought.attempts.iter().map(|attempt| attempt.outcome.as_str()).collect();
    assert_eq!(outcomes, ["failed"; 3]);
    assert!(sought.attempts[0].why.contains("no answer"), "{}", sought.attempts[0].why);
}

#[tokio::test]
async fn a_picture_that_comes_with_the_call_is_looked_at_instead() {
    let (bench, _) = bench(&[("Launch", Rect::new(110, 120, 40, 10))]);
    let frame = Frame::new(Rect::new(0, 0, 400, 300), vec![200; 400 * 300 * 3]);
    let file = STANDARD.encode(picture::encode(&frame, Format::Png).expect("encoded").bytes);
    let arguments = json!({"app": "nobody", "description": "Launch", "screenshot": file});
    let answer = bench.call("ax_find_visual", arguments).await.expect("found");
    assert_eq!(answer.fields.get("position"), None, "it is not on the screen");
    assert_eq!((&answer.fields["point"], &answer.fields["size"]), (&json!([30, 25]), &json!([40, 10])));
    assert!(answer.text.contains("40x10 at (10, 20) of the picture"), "{}", answer.text);
    assert_eq!((answer.fields.get("screenshot"), answer.fields.get("element_ref")), (None, None));
    for wrong in ["s7", "", "AAAA"] {
        let arguments = json!({"app": "Game", "description": "Launch", "screenshot": wrong});
        assert!(bench.call("ax_find_visual", arguments).await.is_err(), "{wrong}");
    }
    bench.fails("ax_find_visual", wanted(" "), ErrorCode::InvalidParameter).await;
    bench.fails("ax_find_visual", wanted(&"x".repeat(3_000)), ErrorCode::TooLarge).await;
}

fn fields_of_the_form(client: &Scripted) -> Vec<String> {
    match client.asked().first().map(|question| question.ask.clone()) {
        Some(Ask::Form(form)) => form.fields.iter().map(|field| field.name.to_string()).collect(),
        other => panic!("no form was shown: {other:?}"),
    }
}

#[tokio::test]
async fn an_action_finds_by_sight_if_the_person_wants_that() {
    let (bench, app) =
        bench(&[("Launch", Rect::new(120, 112, 40, 10)), ("Abort", Rect::new(300, 250, 40, 10))]);
    let click = json!({"app": "Game", "query": "zzyzx"});
    let person = |description: &str, more: Value| {
        let mut form = json!({"description": description});
        form.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        Arc::new(Scripted { form: Some(form), later: true, ..Scripted::default() })
    };
    for more in [json!({"use_visual": true}), json!({})] {
        let client = person("Launch", more);
        bench.call_with("ax_click", click.clone(), client.call()).await.expect_err("asked");
        assert_eq!(fields_of_the_form(&client), ["description", "use_visual"]);
        bench.call_with("ax_click", click.clone(), client.call()).await.expect("clicked");
    }
    assert_eq!(app.performed(), 2);
    let no = person("Launch", json!({"use_visual": false}));
    bench.call_with("ax_click", click.clone(), no.call()).await.expect_err("asked");
    let error = bench.call_with("ax_click", click.clone(), no.call()).await.expect_err("not in the tree");
    assert_eq!(error.code, ErrorCode::ElementNotFound);
    let painted = person("Abort", json!({}));
    bench.call_with("ax_click", click.clone(), painted.call()).await.expect_err("asked");
    let error = bench.call_with("ax_click", click.clone(), painted.call()).await.expect_err("no element");
    assert!(
        error.next.is_some_and(|next| next.contains("x: 220, y: 155, screenshot: \"s")),
        "{}",
        error.message
    );
    assert_eq!(app.performed(), 2);
}

#[tokio::test(start_paused = true)]
async fn it_is_offered_only_where_it_is_switched_on() {
    let (bench, _) = bench(&[]);
    let client = Arc::new(Scripted {
        form: Some(json!({"description": "Launch"})),
        later: true,
        ..Scripted::default()
    });
    let usual = Toolbox::of(&Selection::default()).expect("sound");
    let call = Call { offered: usual.offered(), ..client.call() };
    bench.call_with("ax_click", json!({"app": "Game", "query": "zzyzx"}), call).await.expect_err("asked");
    assert_eq!(fields_of_the_form(&client), ["description"]);
}

#[tokio::test(start_paused = true)]
async fn a_search_in_an_action_gets_the_time_that_models_take() {
    let (mut bench, _) = bench(&[]);
    bench.engine.ocr = Arc::new(Stuck::default());
    let client = Arc::new(Scripted { form: Some(json!({"description": "Launch"})), ..Scripted::default() });
    let started = tokio::time::Instant::now();
    let ended = bench.call_with("ax_click", json!({"app": "Game", "query": "zzyzx"}), client.call()).await;
    assert_eq!(ended.expect_err("nobody sees it").code, ErrorCode::ElementNotFound);
    assert!(started.elapsed() > Duration::from_secs(30), "{:?}", started.elapsed());
}
