//! `image`: pictures of screens or of an application's windows, and what a model says about them
//! (Peekaboo 1.1.2, sections I.C and II.B; 1.0.0-beta.17 where it says more).

mod capture_focus;
mod command;
mod path;
mod plan;
mod report;
mod target;
mod waking;

use crate::marked;
use crate::shared::is_default;
use async_trait::async_trait;
use capture_focus::CaptureFocus;
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::vision::ModelChoice;
use handeye_core::{Error, ErrorCode, Frame, Result, Text, text};
use handeye_engine::{Dialect, Engine, Meta, Operation, Toolset};
use handeye_picture::Format;
use handeye_shots::delivery::{Capture, Destination, Inline, Order};
use handeye_shots::marks::Mark;
use handeye_shots::on_screen::capture;
use handeye_shots::scale_of;
use handeye_sight::analysis::{self, Answerer};
use handeye_tree::describe::quote;
use path::{Names, SavePath};
use plan::{Item, Plan};
use report::{Output, Shoot, Taken, warning};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::path::PathBuf;
use std::time::Duration;
use target::Target;

/// Captures pictures.
pub struct Image;

/// How much longer a call may take that asks a question. A model has a limit of its own, which ends with a better error.
const ANALYSIS_TIME: Duration = Duration::from_secs(600);

/// What to capture, and where it goes.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[schemars(
        description = "Omit for all screens, or 'screen:0', 'frontmost', 'App', 'App:WINDOW_TITLE:text', 'App:WINDOW_INDEX:0'"
    )]
    #[serde(default = "all_screens", deserialize_with = "parsed")]
    #[serde(serialize_with = "written", skip_serializing_if = "is_all_screens")]
    #[schemars(with = "Option<String>")]
    app_target: Result<Target>,
    /// File or folder
    path: Option<PathBuf>,
    /// Answered by an AI model
    question: Option<String>,
    /// data: inline
    format: Option<FileFormat>,
    #[serde(default, skip_serializing_if = "is_default")]
    capture_focus: CaptureFocus,
    /// Draw refs
    #[serde(default)]
    annotate: bool,
}

/// How pictures are returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FileFormat {
    Png,
    Jpg,
    Data,
}

#[expect(clippy::unnecessary_wraps, reason = "it stands for a target that was read")]
fn all_screens() -> Result<Target> {
    Ok(Target::AllScreens)
}

/// Whether a target need not be sent. It is then in no schema either.
fn is_all_screens(target: &Result<Target>) -> bool {
    *target == all_screens()
}

/// Reads a target. The operation reports what is wrong with it, in words that the parser of JSON does not have.
fn parsed<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Result<Target>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.unwrap_or_default().parse())
}

/// Writes a target so that it is read again as what it is. What flags make of one need not have a spelling.
fn written<S: Serializer>(target: &Result<Target>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let spelled = target.as_ref().map(Target::to_string).unwrap_or_default();
    if target.is_ok() && spelled.parse() == *target {
        return serializer.serialize_str(&spelled);
    }
    Err(serde::ser::Error::custom("this target has no spelling"))
}

#[async_trait]
impl Operation for Image {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "image",
        command: "image",
        title: "Capture screens or windows",
        description: "Capture to files, inline, or to answer a question",
        application: "app_target",
        toolset: Toolset::Pictures,
        // In the foreground it takes the focus; the question goes to a provider.
        read_only: false,
        open_world: true,
        deadline: handeye_engine::capture::DEADLINE,
        dialect: Dialect::Peekaboo,
        output_published: false,
        pictures: true,
        task: true,
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        input.app_target.as_ref().ok().and_then(Target::application)
    }

    fn deadline(engine: &Engine) -> Duration {
        engine.captures.deadline
    }

    fn waiting(input: &Input) -> Duration {
        if input.question().is_some() { ANALYSIS_TIME } else { Duration::ZERO }
    }

    fn names_files(input: &Input) -> bool {
        input.path.is_some()
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        let wish = Wish::of(engine, call, &input).await?;
        let target = input.app_target.clone()?;
        let limit = engine.captures.deadline;
        let taking = take(engine, call, &target, input.capture_focus, &wish);
        let mut shoot = tokio::time::timeout(limit, taking).await.map_err(|_elapsed| {
            let whom = target.application().map_or_else(String::new, |name| format!(" of '{name}'"));
            Error::new(
                ErrorCode::Timeout,
                format!("the capture{whom} did not end within {} ms", limit.as_millis()),
            )
            .with_next("The application may be busy or stopped: try again, or capture the screen.")
        })??;
        shoot.notes.splice(0..0, wish.notes);
        let Some(question) = input.question() else {
            return Ok(report::outcome(shoot, None, call.reader.remembered));
        };
        let pictures = std::mem::take(&mut shoot.frames);
        let analysed = match analysis::answerer(engine.vision.as_ref(), call, &ModelChoice::default()).await {
            // Its answer may come in another run, and that would save the pictures again.
            Ok(Answerer::Client) if wish.kept => Err(no_provider_for_kept()),
            Ok(answerer) => {
                analysis::ask_all(engine.vision.as_ref(), call, pictures, question, &answerer).await
            }
            Err(error) => Err(error),
        };
        match analysed {
            Err(error) if error.code == ErrorCode::InputRequired => Err(error),
            analysed => Ok(report::outcome(shoot, Some(analysed), call.reader.remembered)),
        }
    }
}

fn no_provider_for_kept() -> Error {
    Error::new(
        ErrorCode::AnalysisUnavailable,
        "no configured AI provider answers questions about saved pictures",
    )
    .with_next("Without path, the client's own model is asked; or ask analyze about the saved file.")
}

impl Input {
    /// The question, if it asks anything.
    fn question(&self) -> Option<&str> {
        self.question.as_deref().filter(|question| !question.trim().is_empty())
    }
}

/// What `path`, `format` and `question` ask for together.
struct Wish {
    /// Where files go; `None` for the folder for screenshots.
    place: Option<SavePath>,
    format: Format,
    inline: Inline,
    /// Whether the pixels are needed for a question.
    asked: bool,
    /// Whether a file is wanted at all.
    kept: bool,
    /// Whether what can be acted on is marked.
    annotated: bool,
    notes: Vec<Text>,
}

impl Wish {
    async fn of(engine: &Engine, call: &Call, input: &Input) -> Result<Self> {
        let asked = input.question().is_some();
        if let Some(question) = input.question() {
            analysis::check_question(question)?;
        }
        let named = input.path.as_ref().filter(|path| !path.as_os_str().is_empty());
        let default = engine.captures.save_path.as_ref().filter(|_| !asked);
        let place = match named.or(default) {
            Some(path) => Some(SavePath::of(&engine.delivery.working_directory, path).await?),
            None => None,
        };
        let screen = input.app_target.as_ref().is_ok_and(Target::is_screen);
        let mut notes = Vec::new();
        if screen && input.format == Some(FileFormat::Data) {
            notes.push(SCREENS_ARE_FILES.into());
        }
        if screen && input.capture_focus == CaptureFocus::Foreground {
            notes.push(SCREENS_HAVE_NO_FOCUS.into());
        }
        if !call.reader.inline_pictures && input.format == Some(FileFormat::Data) {
            notes.push(COMMANDS_WRITE_FILES.into());
        }
        if input.annotate && asked && place.is_none() {
            notes.push(ONLY_KEPT_PICTURES_ARE_MARKED.into());
        }
        let extension = place.as_ref().and_then(SavePath::format);
        let inline_data = !screen && (named.is_none() || input.format == Some(FileFormat::Data));
        let format = match input.format {
            Some(FileFormat::Png | FileFormat::Data) => Format::Png,
            Some(FileFormat::Jpg) if inline_data => Format::Png,
            Some(FileFormat::Jpg) => Format::Jpeg,
            None => extension.unwrap_or_default(),
        };
        if let Some(extension) = extension.filter(|extension| *extension != format) {
            let (content, name) = (format.mime_type(), extension.mime_type());
            let kept = format!("The file keeps its extension, but its content is {content}, not {name}.");
            notes.push(kept.into());
        }
        let inline = if asked || !call.reader.inline_pictures {
            Inline::Never
        } else if inline_data {
            Inline::Png
        } else {
            Inline::Configured
        };
        let kept = !asked || place.is_some();
        Ok(Self { kept, place, format, inline, asked, annotated: input.annotate, notes })
    }
}

/// Why a screen is a file although its pixels were asked for (section I.C, "Screen Capture Auto-fallback").
const SCREENS_ARE_FILES: &str = "Screen captures cannot use format \"data\": a whole screen is too large for an \
    answer. Format \"png\" is used instead.";

/// What `capture_focus` means for a screen.
const SCREENS_HAVE_NO_FOCUS: &str =
    "capture_focus \"foreground\" has no effect on screens: they are captured as they are.";
/// What `format: data` means for a command.
const COMMANDS_WRITE_FILES: &str = "Format \"data\" has no effect on a command: the picture is a PNG file.";
/// What `annotate` means for a picture that is not delivered.
const ONLY_KEPT_PICTURES_ARE_MARKED: &str =
    "annotate has no effect on a picture that is only asked about: give path to keep it.";

/// Takes the pictures and delivers each of them before the next one is taken. One that fails does not lose the others.
async fn take(
    engine: &Engine,
    call: &Call,
    target: &Target,
    focus: CaptureFocus,
    wish: &Wish,
) -> Result<Shoot> {
    let plan = Plan::of(engine, call, target, focus).await?;
    let names = wish.place.as_ref().map(|place| Names {
        place: place.clone(),
        stamp: path::stamp(),
        several: plan.items.len() > 1,
    });
    let mut shoot = Shoot { notes: plan.notes, ..Shoot::default() };
    let mut first_failure = None;
    for (number, item) in plan.items.into_iter().enumerate() {
        let label = item.label.clone();
        let captured = match shoot.capture(engine, &item, wish).await {
            Ok((frame, marks)) => {
                let scale = scale_of(&plan.monitors, frame.place().as_ref());
                let capture = Capture { frame, subject: item.subject, scale };
                let destination = match &names {
                    Some(names) => names.destination(number, &item.suffix, wish.format),
                    None => Destination::Folder,
                };
                let order = Order { destination, format: wish.format, inline: wish.inline, marks };
                shoot.add((engine, call), item, capture, order, wish).await
            }
            Err(error) => Err(error),
        };
        if let Err(error) = captured {
            shoot.notes.push(warning(&label, &error).into());
            first_failure.get_or_insert(error);
        }
    }
    match first_failure {
        Some(error) if shoot.taken.is_empty() => Err(error),
        _ => Ok(shoot),
    }
}

impl Shoot {
    /// Takes one picture, and finds what is marked on it.
    async fn capture(&mut self, engine: &Engine, item: &Item, wish: &Wish) -> Result<(Frame, Vec<Mark>)> {
        let mut marked = None;
        if wish.annotated && wish.kept {
            // Asked before the pixels are taken: a slow application would let the picture grow old.
            marked = Some(marked::collect(engine, item.subject, item.area).await?);
        }
        let frame = if item.woken {
            waking::drawn(engine, item.target).await?
        } else {
            capture(engine.desk.platform.screen.as_ref(), item.target).await?
        };
        let Some(mut marked) = marked else { return Ok((frame, Vec::new())) };
        marked.keep_shown_by(&frame);
        self.notes.push(text![format!("\"{}\": ", quote(&item.label)), marked.list()]);
        Ok((frame, marked.marks()))
    }

    async fn add(
        &mut self,
        (engine, call): (&Engine, &Call),
        item: Item,
        capture: Capture,
        order: Order,
        wish: &Wish,
    ) -> Result<()> {
        let (captured, place) = (capture.frame.size(), capture.frame.place());
        if !wish.kept {
            self.frames.push((item.label.clone(), capture.frame));
            self.taken.push(Taken { item, captured, place, delivered: None, file: None });
            return Ok(());
        }
        let pixels = wish.asked.then(|| (item.label.clone(), capture.frame.clone()));
        let mut delivered = engine.deliver(call, capture, order).await?;
        let file = match delivered.file() {
            Ok(file) => file,
            // The picture was made: it is useful to the user who sees it, or gets the answer about it.
            Err(error) if delivered.picture.is_some() || wish.asked => {
                self.notes.push(warning(&item.label, &error).into());
                None
            }
            Err(error) => return Err(error),
        };
        self.frames.extend(pixels);
        self.taken.push(Taken { item, captured, place, delivered: Some(delivered), file });
        Ok(())
    }
}
