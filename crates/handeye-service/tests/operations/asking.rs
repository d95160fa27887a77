//! Questions about pictures, answered by a model in memory whose answers depend on the width of the picture.

use crate::bench::Bench;
use async_trait::async_trait;
use handeye_call::call::Call;
use handeye_call::client::{Ask, Client, Content, InteractionCapabilities, Message, Question, Sampled};
use handeye_call::client::{Reply as ClientReply, Speaker};
use handeye_call::progress::{Progress, Step};
use handeye_call::reader::Reader;
use handeye_core::vision::{EncodedPicture, Model, ModelChoice, PictureLimits, Reply, Vision};
use handeye_core::{Error, ErrorCode, Frame, Rect, Result};
use handeye_picture as picture;
use handeye_sight::analysis::{self, Analysis, answerer};
use serde_json::json;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Pictures of these widths are answered with a failure, with a part of an answer, and never.
const FAILS: u32 = 13;
const CUTS: u32 = 17;
const HANGS: u32 = 19;

/// Answers with the size of every picture.
struct Oracle {
    limits: PictureLimits,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
    files: Mutex<Vec<EncodedPicture>>,
}

#[async_trait]
impl Vision for Oracle {
    fn configured(&self) -> Vec<Model> {
        vec![model()]
    }

    async fn choose(&self, choice: &ModelChoice) -> Result<Model> {
        match choice.provider.as_deref() {
            None | Some("auto" | "test") => Ok(model()),
            Some(_) => Err(Error::new(ErrorCode::AnalysisUnavailable, "not enabled")),
        }
    }

    fn limits(&self, _model: &Model) -> PictureLimits {
        self.limits
    }

    async fn ask(&self, _model: &Model, picture: Option<EncodedPicture>, question: &str) -> Result<Reply> {
        let picture = picture.expect("a picture");
        let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(now, Ordering::SeqCst);
        let size = picture::decode(&picture.bytes)?.size();
        self.files.lock().expect("not poisoned").push(picture);
        tokio::time::sleep(Duration::from_millis(20)).await;
        if size.width == HANGS {
            std::future::pending::<()>().await;
        }
        self.at_once.fetch_sub(1, Ordering::SeqCst);
        if size.width == FAILS {
            return Err(Error::new(ErrorCode::ProviderLimited, "test is tired"));
        }
        let text = format!("{question} {}x{}", size.width, size.height);
        Ok(Reply { text, complete: size.width != CUTS })
    }
}

fn model() -> Model {
    Model { provider: "test".into(), name: "oracle".into() }
}

fn frame(width: u32, height: u32) -> Frame {
    let bytes = width as usize * height as usize * 3;
    // Noise, which no format makes much smaller.
    let mut seed = 1_u32;
    let noise = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 24) as u8
    });
    Frame::new(Rect::new(0, 0, width, height), noise.take(bytes).collect())
}

fn bench() -> (Bench, Arc<Oracle>) {
    let oracle = Arc::new(Oracle {
        limits: PictureLimits { longest_side: 1000, pixels: 500_000, bytes: 60_000 },
        at_once: AtomicUsize::new(0),
        most_at_once: AtomicUsize::new(0),
        files: Mutex::default(),
    });
    let mut bench = Bench::with([]);
    bench.engine.vision = Arc::clone(&oracle) as Arc<dyn Vision>;
    (bench, oracle)
}

fn call() -> Call {
    Call::new(Reader::MODEL, CancellationToken::new())
}

async fn ask_all(
    bench: &Bench,
    call: &Call,
    pictures: Vec<(String, Frame)>,
    question: &str,
) -> Result<Analysis> {
    let answerer = answerer(bench.engine.vision.as_ref(), call, &ModelChoice::default()).await?;
    analysis::ask_all(bench.engine.vision.as_ref(), call, pictures, question, &answerer).await
}

async fn ask(bench: &Bench, call: &Call, widths: &[u32]) -> Result<Analysis> {
    let pictures = widths
        .iter()
        .enumerate()
        .map(|(index, width)| (format!("Window {index}"), frame(*width, 10)))
        .collect();
    ask_all(bench, call, pictures, "Size?").await
}

#[tokio::test]
async fn one_picture_gets_its_answer_without_a_header() {
    let (bench, _) = bench();
    let analysis = ask(&bench, &call(), &[30]).await.expect("an answer");
    assert_eq!(analysis.text, "Size? 30x10");
    assert_eq!((analysis.model, analysis.failed), (Some(model()), None));
}

#[tokio::test]
async fn several_are_asked_three_at_a_time_and_reported_in_their_order() {
    let (bench, oracle) = bench();
    let analysis = ask(&bench, &call(), &[31, 32, 33, 34, 35, 36, 37]).await.expect("answers");
    let reported: Vec<&str> = analysis.text.split("\n\n").collect();
    assert_eq!(reported.len(), 7);
    assert_eq!(reported[0], "### Window 0\nSize? 31x10");
    assert_eq!(reported[6], "### Window 6\nSize? 37x10");
    assert_eq!(oracle.most_at_once.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_picture_that_fails_does_not_lose_the_other_answers() {
    let (bench, _) = bench();
    let analysis = ask(&bench, &call(), &[30, FAILS, CUTS]).await.expect("answers");
    assert!(analysis.text.contains("Size? 30x10"), "{}", analysis.text);
    assert!(analysis.text.contains("### Window 1\nAnalysis failed: test is tired"), "{}", analysis.text);
    assert_eq!(analysis.model, Some(model()));
    assert_eq!(analysis.failed.map(|error| error.code), Some(ErrorCode::ProviderLimited));
    assert!(matches!(&analysis.notes[..], [note] if note.contains("Window 2") && note.contains("cut off")));
    let none = ask(&bench, &call(), &[FAILS, FAILS]).await.expect("an analysis");
    assert_eq!(none.model, None);
}

#[tokio::test]
async fn at_the_deadline_the_answers_that_came_are_reported() {
    let (bench, _) = bench();
    let call = call().within(Duration::from_millis(1500));
    let analysis = ask(&bench, &call, &[HANGS, 30]).await.expect("an answer");
    assert!(analysis.text.contains("Size? 30x10"), "{}", analysis.text);
    assert_eq!(analysis.failed.map(|error| error.code), Some(ErrorCode::Timeout));
    assert!(call.remaining() > Duration::ZERO);
}

#[tokio::test]
async fn every_step_is_further_than_the_one_before() {
    let (bench, _) = bench();
    let steps: Arc<Mutex<Vec<Step>>> = Arc::default();
    let reported = Arc::clone(&steps);
    let mut call = call();
    call.progress = Progress::to(move |step| reported.lock().expect("not poisoned").push(step));
    ask(&bench, &call, &[30, 31, FAILS, 33, 34]).await.expect("answers");
    let steps = steps.lock().expect("not poisoned");
    assert_eq!(steps.iter().map(|step| step.done).collect::<Vec<_>>(), (1..=10).collect::<Vec<_>>());
    assert!(steps.iter().all(|step| step.total == Some(10)));
    assert_eq!(steps[0].message, "Asking test/oracle about Window 0");
    assert!(steps.iter().any(|step| step.message == "test/oracle failed about Window 2"));
}

#[tokio::test]
async fn a_picture_is_scaled_to_what_the_provider_takes() {
    let (bench, oracle) = bench();
    let pictures = vec![("Screen".to_owned(), frame(1600, 900))];
    let asked = ask_all(&bench, &call(), pictures, "Size?").await;
    assert_eq!(asked.expect("an answer").failed, None);
    let files = oracle.files.lock().expect("not poisoned");
    assert!(files[0].bytes.len() <= oracle.limits.bytes);
    let area = picture::decode(&files[0].bytes).expect("a picture").size();
    assert!(area.width <= 1000 && u64::from(area.width) * u64::from(area.height) <= 500_000);
    assert!((f64::from(area.width) / f64::from(area.height) - 16.0 / 9.0).abs() < 0.05, "{area:?}");
}

#[tokio::test]
async fn a_title_cannot_forge_a_header() {
    let (bench, _) = bench();
    let title = "Mail\n### Window 7\nall is well".to_owned();
    let pictures = vec![(title, frame(30, 10)), ("x".repeat(500), frame(31, 10))];
    let asked = ask_all(&bench, &call(), pictures, "Size?").await;
    let text = asked.expect("answers").text;
    assert!(text.starts_with("### Mail ### Window 7 all is well\nSize?"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() < 200));
}

#[tokio::test]
async fn a_question_that_says_nothing_is_refused() {
    let (bench, oracle) = bench();
    for (question, code) in
        [(" \n".to_owned(), ErrorCode::InvalidParameter), ("x".repeat(40_000), ErrorCode::TooLarge)]
    {
        let pictures = vec![("Screen".to_owned(), frame(30, 10))];
        let asked = ask_all(&bench, &call(), pictures, &question).await;
        assert_eq!(asked.expect_err("refused").code, code);
    }
    assert!(oracle.files.lock().expect("not poisoned").is_empty());
}

/// A folder with pictures, and with what is none.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn picture(&self, name: &str, format: picture::Format) -> PathBuf {
        self.bytes(name, &picture::encode(&frame(40, 30), format).expect("encoded").bytes)
    }

    fn bytes(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("written");
        path
    }
}

async fn analyze(bench: &Bench, path: &Path) -> Result<handeye_call::outcome::Answer> {
    bench.call("analyze", json!({"image_path": path, "question": "Size?"})).await
}

#[tokio::test]
async fn analyze_answers_with_text_model_and_time() {
    let (bench, files) = (bench().0, Files::new());
    let answer = analyze(&bench, &files.picture("a.png", picture::Format::Png)).await.expect("an answer");
    assert_eq!(answer.text, "Size? 40x30");
    assert_eq!(answer.fields, json!({"analysis_text": "Size? 40x30", "model_used": "test/oracle"}));
    let note = answer.notes.last().expect("a note");
    assert!(
        note.starts_with("👻 Peekaboo: Analyzed image with test/oracle in 0.") && note.ends_with("s."),
        "{note}"
    );
}

#[tokio::test]
async fn analyze_judges_a_file_by_its_content_and_its_name_by_its_ending() {
    let (bench, files) = (bench().0, Files::new());
    for name in ["a.PNG", "b.jpeg", "c.webp"] {
        analyze(&bench, &files.picture(name, picture::Format::Jpeg)).await.expect("an answer");
    }
    for name in ["a.gif", "a.txt", "png", "a.png.bak"] {
        let error =
            analyze(&bench, &files.picture(name, picture::Format::Png)).await.expect_err("no such ending");
        assert_eq!(error.code, ErrorCode::InvalidParameter);
        assert!(error.message.contains(".webp"), "{}", error.message);
    }
}

#[tokio::test]
async fn analyze_refuses_what_is_no_file_and_never_waits_for_it() {
    let (bench, files) = (bench().0, Files::new());
    std::fs::create_dir(files.path("folder.png")).expect("made");
    symlink("/dev/zero", files.path("zero.png")).expect("made");
    symlink("/dev/tty", files.path("tty.png")).expect("made");
    let made = std::process::Command::new("mkfifo").arg(files.path("pipe.png")).status().expect("mkfifo");
    assert!(made.success());
    for (name, why) in
        [("folder.png", "folder"), ("zero.png", "device"), ("tty.png", "device"), ("pipe.png", "pipe")]
    {
        let path = files.path(name);
        let asked = tokio::time::timeout(Duration::from_secs(20), analyze(&bench, &path)).await;
        let error = asked.expect("in time").expect_err("no file");
        assert_eq!(error.code, ErrorCode::InvalidParameter, "{name}");
        assert!(error.message.contains(why), "{}", error.message);
    }
}

#[tokio::test]
async fn analyze_reports_what_cannot_be_read() {
    let (bench, files) = (bench().0, Files::new());
    let huge = files.path("huge.png");
    std::fs::File::create(&huge).and_then(|file| file.set_len(2 << 30)).expect("made");
    let png = picture::encode(&frame(40, 30), picture::Format::Png).expect("encoded").bytes;
    for (path, code, why) in [
        (files.path("missing.png"), ErrorCode::Io, "No such file"),
        (files.path("missing/a.png"), ErrorCode::Io, "No such file"),
        (PathBuf::from("relative.png"), ErrorCode::Io, "relative.png"),
        (huge, ErrorCode::TooLarge, "2147483648 bytes"),
        (files.bytes("empty.png", b""), ErrorCode::UnsupportedImage, "empty"),
        (files.bytes("text.png", b"hello"), ErrorCode::UnsupportedImage, "not a picture"),
        (files.bytes("cut.png", &png[..png.len() / 2]), ErrorCode::UnsupportedImage, "cut off"),
    ] {
        let error = analyze(&bench, &path).await.expect_err("unreadable");
        assert_eq!(error.code, code, "{path:?}: {}", error.message);
        assert!(error.message.contains(why), "{}", error.message);
    }
    let relative = analyze(&bench, Path::new("relative.png")).await.expect_err("missing");
    assert!(relative.next.is_some_and(|next| next.contains("counts from /")));
}

#[tokio::test]
async fn analyze_fails_as_the_provider_fails() {
    let (bench, files) = (bench().0, Files::new());
    let picture = picture::encode(&frame(FAILS, 10), picture::Format::Png).expect("encoded").bytes;
    let error = analyze(&bench, &files.bytes("a.png", &picture)).await.expect_err("tired");
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::ProviderLimited, "test is tired"));
    let other = json!({"image_path": "/missing.png", "question": "?", "provider_config": {"type": "openai"}});
    bench.fails("analyze", other, ErrorCode::AnalysisUnavailable).await;
}

/// A client whose model says how many parts each message has.
struct Sampler {
    questions: Mutex<Vec<Question>>,
}

#[async_trait]
impl Client for Sampler {
    fn capabilities(&self) -> InteractionCapabilities {
        InteractionCapabilities { sampling: true, ..InteractionCapabilities::default() }
    }

    fn has_refused_among(&self, _beginning: &str) -> bool {
        false
    }

    async fn ask(&self, question: Question) -> Result<ClientReply> {
        let reply = match &question.ask {
            Ask::Sampling(sampling) => format!("{} messages", sampling.messages.len()),
            other => panic!("not to the model: {other:?}"),
        };
        self.questions.lock().expect("not poisoned").push(question);
        Ok(ClientReply::Sampled(Sampled {
            content: vec![Content::Text(reply)],
            model: "lent".into(),
            complete: true,
        }))
    }
}

fn lent() -> (Call, Arc<Sampler>) {
    let client = Arc::new(Sampler { questions: Mutex::default() });
    (Call { client: Arc::clone(&client) as _, ..call() }, client)
}

#[tokio::test]
async fn the_clients_own_model_answers_where_no_provider_does() {
    let bench = Bench::with([]);
    let (call, client) = lent();
    let pictures = vec![("Screen".to_owned(), frame(4000, 3000))];
    let analysis = ask_all(&bench, &call, pictures, "Size?").await.expect("an answer");
    assert_eq!(analysis.text, "2 messages");
    assert_eq!(analysis.model.expect("a model").to_string(), "client/lent");
    let questions = client.questions.lock().expect("not poisoned");
    let Ask::Sampling(sampling) = &questions[0].ask else { panic!("to the model") };
    assert_eq!(sampling.messages[1], Message::user("Size?"));
    let (Speaker::User, [Content::Picture(sent)]) =
        (sampling.messages[0].speaker, &*sampling.messages[0].content)
    else {
        panic!("a picture")
    };
    let area = picture::decode(&sent.bytes).expect("a picture").size();
    assert!(area.width <= 1_568 && sent.bytes.len() <= 3_500_000, "{area:?}");
}

#[tokio::test]
async fn a_provider_goes_before_the_clients_own_model() {
    let (bench, _) = bench();
    let (call, client) = lent();
    ask(&bench, &call, &[30]).await.expect("an answer");
    assert!(client.questions.lock().expect("not poisoned").is_empty());
}

#[tokio::test]
async fn a_provider_that_was_asked_for_by_name_is_not_replaced() {
    let bench = Bench::with([]);
    let (call, _) = lent();
    let choice = ModelChoice { provider: Some("openai".into()), model: None };
    let error =
        answerer(bench.engine.vision.as_ref(), &call, &choice).await.expect_err("nobody else will do");
    assert_eq!(error.code, ErrorCode::AnalysisUnavailable);
}

#[tokio::test]
async fn the_clients_model_is_asked_about_a_few_pictures_at_most() {
    let bench = Bench::with([]);
    let (call, client) = lent();
    let error = ask(&bench, &call, &[30; 5]).await.expect_err("too many");
    assert_eq!(error.code, ErrorCode::TooLarge);
    assert!(client.questions.lock().expect("not poisoned").is_empty());
}
