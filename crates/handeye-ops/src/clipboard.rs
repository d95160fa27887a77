//! `ax_clipboard`: reads what was copied, and copies (axterminator, section 4.8).

use crate::input_file;
use async_trait::async_trait;
use clap::{Args, ValueEnum};
use handeye_call::budget::Budget;
use handeye_call::call::Call;
use handeye_call::outcome::{Outcome, Verdict};
use handeye_core::{ClipForm, Clipping, Copied, Error, ErrorCode, Invocation, Result, screen_text, text};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use handeye_picture as picture;
use handeye_shots::Subject;
use handeye_shots::delivery::{Capture, Destination, Inline, Order, file_uri};
use handeye_shots::working_directory::WorkingDirectory;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads or writes the clipboard.
pub struct ReadOrWrite;

/// What to do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Action {
    /// Shows what was copied.
    Read,
    /// Copies something.
    Write,
}

/// In which form it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// Plain text.
    #[default]
    Text,
    /// HTML source.
    Html,
    /// A picture.
    Png,
    /// Files, by their URIs.
    Files,
}

impl Format {
    const fn form(self) -> ClipForm {
        match self {
            Self::Text => ClipForm::Text,
            Self::Html => ClipForm::Html,
            Self::Png => ClipForm::Png,
            Self::Files => ClipForm::Files,
        }
    }

    /// What is not there, at the end of a sentence.
    const fn words(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Html => "HTML",
            Self::Png => "a PNG picture",
            Self::Files => "a list of files",
        }
    }
}

/// What to read or to copy.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(value_enum, help = "What to do")]
    action: Action,
    #[arg(help = "Text to copy")]
    text: Option<String>,
    /// To read
    #[arg(long, value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format>,
    #[arg(long, help = "HTML to copy, beside the text")]
    html: Option<String>,
    #[arg(long = "file", value_name = "FILE", help = "A file to copy, by path or URI; repeat it for more")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    /// Picture file to copy, or to write
    #[arg(long, value_name = "FILE")]
    path: Option<PathBuf>,
}

/// What was read, or whether it was copied.
#[derive(Default, Serialize, JsonSchema)]
pub struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    text: Option<String>,
    success: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    formats: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    path: Option<String>,
}

/// Longest text that an answer with a budget has, in characters.
const MAX_CHARS: usize = 12_000;
/// From how many bytes on a text is in the text of such an answer only.
const LONG: usize = 4_000;
/// Longest name of a format that is shown, in characters.
const MAX_NAME: usize = 80;

#[async_trait]
impl Operation for ReadOrWrite {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_clipboard",
        command: "clipboard",
        title: "System clipboard",
        description: "What is written can be pasted until something else is copied",
        toolset: Toolset::Context,
        read_only: false,
        destructive: false,
        idempotent: false,
        looks_at_desktop: false,
        narrower: || "Paste it to get all of it.".into(),
        ..Meta::READ
    };

    fn names_files(input: &Input) -> bool {
        input.path.is_some() || !input.files.is_empty()
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        check(&input)?;
        match input.action {
            Action::Read => read(engine, call, &input).await,
            Action::Write => write(engine, call, input).await,
        }
    }
}

/// Whether the parameters go together.
fn check(input: &Input) -> Result<()> {
    let only =
        |name: &str, action: &str| Err(Error::invalid_parameter(name, format!("is for action {action}")));
    match input.action {
        Action::Read if input.text.is_some() => only("text", "write"),
        Action::Read if input.html.is_some() => only("html", "write"),
        Action::Read if !input.files.is_empty() => only("files", "write"),
        Action::Read if input.path.is_some() && input.format != Some(Format::Png) => {
            Err(Error::invalid_parameter("path", "is where a picture is written: 'format' has to be png"))
        }
        Action::Write if input.format.is_some() => only("format", "read"),
        Action::Read | Action::Write => Ok(()),
    }
}

async fn read(engine: &Engine, call: &Call, input: &Input) -> Result<Outcome<Output>> {
    let format = input.format.unwrap_or_default();
    let clipping = engine.desk.clipboard(format.form()).await?;
    if clipping.secret {
        return Err(Error::new(
            ErrorCode::Refused,
            "the clipboard was not read: its owner marks the content as a password",
        )
        .with_next("Ask the person to paste it where it is needed."));
    }
    let formats: Vec<String> =
        clipping.formats.iter().map(|name| screen_text::line(name, MAX_NAME)).collect();
    let fields = Output { success: true, formats, ..Output::default() };
    match (format, clipping) {
        (Format::Png, Clipping { png: Some(png), .. }) => {
            picture_read(engine, call, input, png, fields).await
        }
        (Format::Png, Clipping { cut: true, .. }) => Err(Error::new(
            ErrorCode::TooLarge,
            format!("the picture on the clipboard has more than {} bytes", Clipping::MAX_PICTURE),
        )),
        (Format::Text | Format::Html, Clipping { text: Some(text), cut, .. }) => {
            Ok(text_read(call.reader.budget, text, cut, fields))
        }
        (Format::Files, Clipping { files, cut, .. }) if !files.is_empty() => {
            let more = if cut { "\n[left out: more files than these]" } else { "" };
            let lines: Vec<String> =
                files.iter().map(|uri| screen_text::line(uri, Clipping::MAX_BYTES)).collect();
            Ok(Outcome::new(format!("{}{more}", lines.join("\n")), Output { files, ..fields }))
        }
        _ => Ok(nothing_read(format, fields)),
    }
}

fn text_read(budget: Budget, text: String, cut: bool, fields: Output) -> Outcome<Output> {
    let most = if budget == Budget::UNLIMITED { usize::MAX } else { MAX_CHARS };
    let total = text.chars().count();
    let mut shown: String = text.chars().take(most).collect();
    let is_short = budget == Budget::UNLIMITED || text.len() <= LONG;
    if cut || total > most {
        let more = if cut { "more than " } else { "" };
        let left_out = (total - total.min(most)).max(1);
        shown.push_str(&format!("\n[left out: {more}{left_out} characters at the end]"));
    } else if text.is_empty() {
        shown.push_str("(an empty text)");
    }
    Outcome::new(shown, Output { text: is_short.then_some(text), ..fields })
}

fn nothing_read(format: Format, fields: Output) -> Outcome<Output> {
    let text = if fields.formats.is_empty() {
        "The clipboard is empty.".to_owned()
    } else {
        format!("The clipboard does not have {}. It has: {}", format.words(), fields.formats.join(", "))
    };
    Outcome {
        verdict: Verdict::No(ErrorCode::ElementNotFound),
        ..Outcome::new(text, Output { success: false, ..fields })
    }
}

async fn picture_read(
    engine: &Engine,
    call: &Call,
    input: &Input,
    png: Vec<u8>,
    fields: Output,
) -> Result<Outcome<Output>> {
    let frame = picture::away(move || picture::decode(&png)).await?;
    let size = frame.size();
    let order = match &input.path {
        Some(path) => Order {
            destination: Destination::File(path.clone()),
            inline: Inline::Never,
            ..Order::configured()
        },
        None => Order::configured(),
    };
    let capture = Capture { frame, subject: Subject::Screen, scale: 1.0 };
    let mut delivered = engine.deliver_seen(call, capture, Arc::default(), order).await?;
    let mut notes = Vec::new();
    let file = match delivered.file() {
        Ok(file) => file,
        Err(error) if delivered.picture.is_some() => {
            notes.push(format!("Not saved: {}", error.message).into());
            None
        }
        Err(error) => return Err(error),
    };
    let path = file.filter(|file| file.shown.is_some()).map(|file| file.path.display().to_string());
    let place = path.as_ref().map_or_else(String::new, |path| format!(", saved to {path}"));
    let text = format!("A picture of {}x{} pixels{place}", size.width, size.height);
    let pictures = delivered.picture.into_iter().collect();
    Ok(Outcome { pictures, notes, ..Outcome::new(text, Output { path, ..fields }) })
}

async fn write(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
    let Input { text, html, files, path, .. } = input;
    for (name, text) in [("text", &text), ("html", &html)] {
        if let Some(text) = text.as_ref().filter(|text| text.len() > Clipping::MAX_BYTES) {
            let message = format!(
                "parameter '{name}': has {} bytes; at most {} are copied",
                text.len(),
                Clipping::MAX_BYTES
            );
            return Err(Error::new(ErrorCode::TooLarge, message).with_next("Copy it in parts, or as a file."));
        }
    }
    let here = engine.delivery.working_directory.clone();
    let png = match path {
        Some(path) => Some(picture_of(here.clone(), path).await?),
        None => None,
    };
    let files = tokio::task::spawn_blocking(move || uris(&here, &files)).await.map_err(Error::internal)??;
    let copied = Copied { text, html, png, files };
    if copied.is_empty() {
        return Err(Error::invalid_parameter("text", "is missing: there is nothing to copy").with_next(
            text![
                "Pass what to copy: ",
                Invocation::of("ax_clipboard").with("action", "write").with("text", "…"),
                "."
            ],
        ));
    }
    let what = summary(&copied);
    engine.desk.copy(call, copied).await?;
    Ok(Outcome::new(format!("Copied {what}."), Output { success: true, ..Output::default() }))
}

/// What was copied, without its content.
fn summary(copied: &Copied) -> String {
    let mut parts = Vec::new();
    if let Some(text) = &copied.text {
        parts.push(format!("{} characters of text", text.chars().count()));
    }
    if let Some(html) = &copied.html {
        parts.push(format!("{} characters of HTML", html.chars().count()));
    }
    if let Some(png) = &copied.png {
        parts.push(format!("a picture of {} bytes", png.len()));
    }
    match copied.files.len() {
        0 => {}
        1 => parts.push("1 file".to_owned()),
        count => parts.push(format!("{count} files")),
    }
    parts.join(", ")
}

/// The picture of a file, as PNG: a PNG file as it is, so that nothing of it is lost.
async fn picture_of(here: WorkingDirectory, path: PathBuf) -> Result<Vec<u8>> {
    let file = input_file::read(here, path, "path", input_file::PICTURE).await?;
    let png = picture::away(move || {
        let frame = picture::decode(&file)?;
        if file.starts_with(b"\x89PNG") {
            return Ok(file);
        }
        picture::encode(&frame, picture::Format::Png).map(|encoded| encoded.bytes)
    })
    .await?;
    if png.len() > Clipping::MAX_PICTURE {
        let message = format!(
            "the picture has {} bytes as a PNG file; at most {} are copied",
            png.len(),
            Clipping::MAX_PICTURE
        );
        return Err(Error::new(ErrorCode::TooLarge, message).with_next("Scale the picture down first."));
    }
    Ok(png)
}

/// The URIs of files that were named by paths or URIs. It blocks.
fn uris(here: &WorkingDirectory, files: &[String]) -> Result<Vec<String>> {
    if files.len() > Clipping::MAX_FILES {
        let message = format!(
            "parameter 'files': has {} files; at most {} are copied",
            files.len(),
            Clipping::MAX_FILES
        );
        return Err(Error::new(ErrorCode::TooLarge, message));
    }
    files.iter().map(|file| uri(here, file)).collect()
}

fn uri(here: &WorkingDirectory, file: &str) -> Result<String> {
    let invalid = |why: &str| {
        let shown = screen_text::line(file, MAX_NAME);
        Error::invalid_parameter("files", format!("'{shown}' {why}"))
    };
    if file.is_empty() || file.contains(['\n', '\r', '\0']) {
        return Err(invalid("is neither a path nor a URI"));
    }
    let is_uri = file.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    if is_uri {
        return Ok(file.to_owned());
    }
    let path = here.absolute(Path::new(file)).map_err(|error| invalid(&format!("has no place: {error}")))?;
    // What a link leads to may be gone: the link itself can be copied.
    path.symlink_metadata().map_err(|error| invalid(&format!("cannot be copied: {error}")))?;
    Ok(file_uri(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(budget: Budget, text: &str, cut: bool) -> Outcome<Output> {
        text_read(budget, text.to_owned(), cut, Output::default())
    }

    #[test]
    fn a_long_text_is_once_in_an_answer_and_says_what_is_left_out() {
        let long = "ñ".repeat(MAX_CHARS + 7);
        let model = read_text(Budget::MODEL, &long, false);
        assert!(model.text.ends_with("ñ\n[left out: 7 characters at the end]"));
        assert_eq!(model.fields.text, None);
        let shell = read_text(Budget::UNLIMITED, &long, false);
        assert_eq!(
            (shell.fields.text.as_deref(), shell.text.to_string()),
            (Some(long.as_str()), long.clone())
        );
        assert!(read_text(Budget::UNLIMITED, "abc", true).text.contains("more than"));
        assert_eq!(read_text(Budget::MODEL, "", false).text, "(an empty text)");
    }

    #[test]
    fn a_file_is_named_by_path_or_uri() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a b"), "").expect("written");
        let here = WorkingDirectory::default();
        let path = folder.path().join("a b").display().to_string();
        assert_eq!(uri(&here, &path).expect("there"), format!("file://{}", path.replace(' ', "%20")));
        assert_eq!(uri(&here, "sftp://host/a").expect("a URI"), "sftp://host/a");
        for wrong in ["", "a\nb", "/no/such/file", "://x"] {
            assert_eq!(uri(&here, wrong).expect_err(wrong).code, ErrorCode::InvalidParameter);
        }
    }
}
