//! The process: the picture goes to its standard input, a table of words comes from its standard output.

use super::tsv;
use async_trait::async_trait;
use handeye_core::ocr::{GreyPicture, Ocr, TextLine};
use handeye_core::{Error, ErrorCode, Result};
use std::io;
use std::process::{ExitStatus, Stdio};
use std::str::FromStr;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::Semaphore;

/// The program, looked up in `PATH`.
const PROGRAM: &str = "tesseract";
/// The Debian package that has it.
const PACKAGE: &str = "tesseract-ocr";
/// How long one picture may take. A full screen takes about a second of one core.
const DEADLINE: Duration = Duration::from_secs(30);
/// Most bytes of a table; a screen full of text has some hundred thousand.
const MAX_TABLE: u64 = 4 * 1024 * 1024;
/// Most bytes of what it says about itself that are kept.
const MAX_COMPLAINT: u64 = 4 * 1024;
/// Longest side of a picture that it takes.
const MAX_SIDE: u32 = 32_767;
/// How many pictures are read at a time, over all callers: each takes a core.
static TURNS: Semaphore = Semaphore::const_new(2);

/// Languages to read, as tesseract names them.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Languages(String);

impl Default for Languages {
    fn default() -> Self {
        Self("eng".to_owned())
    }
}

impl FromStr for Languages {
    type Err = String;

    /// Reads names such as `eng`, or several as `eng+deu`.
    fn from_str(text: &str) -> Result<Self, String> {
        let is_name = |name: &str| {
            (1..=40).contains(&name.len())
                && name.starts_with(|c: char| c.is_ascii_alphanumeric())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        let text = text.trim();
        if text.split('+').all(is_name) && text.split('+').count() <= 16 {
            Ok(Self(text.to_owned()))
        } else {
            Err("is not a list of languages such as eng or eng+deu".to_owned())
        }
    }
}

/// Reads by a process of its own for each picture.
#[derive(Debug, Clone, Default)]
pub struct Tesseract {
    languages: Languages,
}

impl Tesseract {
    /// One that reads these languages. Nothing is started before the first picture.
    pub fn new(languages: Languages) -> Self {
        Self { languages }
    }

    async fn run(&self, picture: GreyPicture) -> Result<Vec<TextLine>> {
        let _turn = TURNS.acquire().await.map_err(|_| Error::internal("no more pictures are read"))?;
        let mut child = Command::new(PROGRAM)
            .args(["stdin", "stdout", "-l", &self.languages.0, "--psm", "11", "-c", "tessedit_create_tsv=1"])
            // Its threads get in each other's way on few cores: five times as slow, measured on two.
            .env("OMP_THREAD_LIMIT", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|fault| not_started(&fault))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(mut input), Some(output), Some(complaints)) = pipes else {
            return Err(Error::internal("a process without pipes"));
        };
        let sending = async move {
            // A process that ends before it has read everything gives the reason in its status.
            let sent = async {
                input.write_all(&header(&picture)).await?;
                input.write_all(&picture.pixels).await
            };
            if let Err(fault) = sent.await {
                tracing::debug!(%fault, "tesseract did not take the whole picture");
            }
            Ok(())
        };
        // One that says too much is ended at once, as everything else of it is dropped.
        let ((), table, complaint) = tokio::try_join!(sending, whole(output), beginning(complaints))?;
        let status = child.wait().await.map_err(|fault| broken(&fault))?;
        if !status.success() {
            return Err(self.complained(status, &String::from_utf8_lossy(&complaint)));
        }
        Ok(tsv::lines(&String::from_utf8_lossy(&table)))
    }

    /// The error of a process that did not end well.
    fn complained(&self, status: ExitStatus, complaint: &str) -> Error {
        let languages = &self.languages.0;
        if complaint.contains("Failed loading language") || complaint.contains("couldn't load any languages")
        {
            let missing = missing_languages(complaint);
            let missing = if missing.is_empty() { vec![languages.clone()] } else { missing };
            let packages: Vec<String> =
                missing.iter().map(|name| format!("{PACKAGE}-{}", name.replace('_', "-"))).collect();
            return Error::new(
                ErrorCode::MissingDependency,
                format!("tesseract has no data for the language {}", missing.join(", ")),
            )
            .with_next(format!("sudo apt-get install --no-install-recommends {}", packages.join(" ")));
        }
        failed(&format!("it ended with {status}"))
    }
}

#[async_trait]
impl Ocr for Tesseract {
    fn name(&self) -> &'static str {
        PROGRAM
    }

    async fn read(&self, picture: GreyPicture) -> Result<Vec<TextLine>> {
        let size = picture.size;
        if size.width.max(size.height) > MAX_SIDE || size.width == 0 || size.height == 0 {
            return Err(Error::new(
                ErrorCode::TooLarge,
                format!("tesseract accepts no picture of {}x{} pixels", size.width, size.height),
            ));
        }
        let started = Instant::now();
        let read = tokio::time::timeout(DEADLINE, self.run(picture)).await.unwrap_or_else(|_elapsed| {
            Err(Error::new(ErrorCode::Timeout, format!("tesseract took more than {} s", DEADLINE.as_secs())))
        });
        let (lines, outcome) =
            read.as_ref().map_or_else(|error| (0, error.code.as_str()), |lines| (lines.len(), "ok"));
        tracing::debug!(lines, outcome, duration_ms = started.elapsed().as_millis(), "read a picture");
        read
    }
}

/// The head of a portable graymap.
fn header(picture: &GreyPicture) -> Vec<u8> {
    format!("P5\n{} {}\n255\n", picture.size.width, picture.size.height).into_bytes()
}

/// Reads to the end.
///
/// # Errors
/// [`ErrorCode::TooLarge`] if there are more than [`MAX_TABLE`] bytes, as soon as that is known.
async fn whole(from: impl AsyncRead + Unpin) -> Result<Vec<u8>> {
    let mut kept = Vec::new();
    from.take(MAX_TABLE + 1).read_to_end(&mut kept).await.map_err(|fault| broken(&fault))?;
    if kept.len() as u64 > MAX_TABLE {
        let message = format!("tesseract found more than {MAX_TABLE} bytes of text");
        return Err(Error::new(ErrorCode::TooLarge, message));
    }
    Ok(kept)
}

/// Reads to the end, so that the writer is not held up, and keeps the first [`MAX_COMPLAINT`] bytes.
async fn beginning(mut from: impl AsyncRead + Unpin) -> Result<Vec<u8>> {
    let mut kept = Vec::new();
    (&mut from).take(MAX_COMPLAINT).read_to_end(&mut kept).await.map_err(|fault| broken(&fault))?;
    tokio::io::copy(&mut from, &mut tokio::io::sink()).await.map_err(|fault| broken(&fault))?;
    Ok(kept)
}

/// The names between quotes in `Failed loading language 'deu'`.
fn missing_languages(complaint: &str) -> Vec<String> {
    let complaints = complaint.split("Failed loading language '").skip(1);
    let quoted = complaints.filter_map(|rest| rest.split('\'').next());
    quoted.filter(|name| name.parse::<Languages>().is_ok()).take(16).map(str::to_owned).collect()
}

fn not_started(fault: &io::Error) -> Error {
    if fault.kind() == io::ErrorKind::NotFound {
        return Error::new(
            ErrorCode::MissingDependency,
            format!("tesseract, which reads text in pictures, is not installed (Debian package {PACKAGE})"),
        )
        .with_next(format!("sudo apt-get install --no-install-recommends {PACKAGE}"));
    }
    failed(&format!("it cannot be started: {fault}"))
}

fn broken(fault: &io::Error) -> Error {
    failed(&fault.to_string())
}

fn failed(why: &str) -> Error {
    Error::new(ErrorCode::ProviderFailed, format!("tesseract failed: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::Size;

    #[test]
    fn languages_are_names_and_nothing_else() {
        for good in ["eng", "eng+deu", "chi_sim", " jpn "] {
            assert_eq!(good.parse::<Languages>().expect("names").0, good.trim());
        }
        for bad in ["", "+", "eng+", "-c", "../x", "a b", "eng;x"] {
            assert!(bad.parse::<Languages>().is_err(), "{bad}");
        }
    }

    #[test]
    fn missing_languages_are_named_with_their_packages() {
        let tesseract = Tesseract::new("eng+chi_sim".parse().expect("names"));
        let complaint = "Error opening data file\nFailed loading language 'chi_sim'\nTesseract couldn't load any languages!";
        let error = tesseract.complained(ExitStatus::default(), complaint);
        assert_eq!(error.code, ErrorCode::MissingDependency);
        assert!(error.next.is_some_and(|next| next.ends_with(" tesseract-ocr-chi-sim")));
    }

    #[tokio::test]
    async fn what_comes_is_bounded_and_read_to_its_end() {
        assert_eq!(whole(&b"abc"[..]).await.expect("read"), b"abc");
        assert_eq!(whole(tokio::io::repeat(7)).await.expect_err("endless").code, ErrorCode::TooLarge);
        let long = vec![7; 2 * MAX_COMPLAINT as usize];
        assert_eq!(beginning(&long[..]).await.expect("read").len() as u64, MAX_COMPLAINT);
    }

    #[tokio::test]
    async fn a_picture_without_pixels_or_beyond_its_sides_is_refused() {
        for size in [Size::new(0, 5), Size::new(40_000, 1)] {
            let read = Tesseract::default().read(GreyPicture { size, pixels: Vec::new() }).await;
            assert_eq!(read.expect_err("refused").code, ErrorCode::TooLarge);
        }
    }
}
