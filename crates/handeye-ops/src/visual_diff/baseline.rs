//! The picture that a window is compared with, in each of the ways in which a caller can name it.

use crate::{folders, input_file};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handeye_call::call::Call;
use handeye_core::{Argument, Error, ErrorCode, Frame, Invocation, Result, Text, screen_text, text};
use handeye_engine::Engine;
use handeye_picture::{self as picture, MAX_FILE_BYTES};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The parameter.
const PARAMETER: &str = "baseline";
/// How the base64 of a PNG, a JPEG and a WebP begins.
const ENCODED: [&str; 3] = ["iVBORw0KGgo", "/9j/", "UklGR"];
/// What is longer is not a path on any system.
const LONGEST_PATH: usize = 4_096;
/// Most characters of the parameter that an error repeats.
const QUOTED: usize = 100;

/// Where the picture is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Baseline {
    /// In this file.
    File(PathBuf),
    /// In the file of a picture that was delivered.
    Shot(PathBuf),
    /// In the parameter itself, decoded.
    Bytes(Vec<u8>),
}

impl Baseline {
    /// Understands the parameter.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`] if it is none of the ways, [`ErrorCode::UnknownScreenshot`] for an id that is not known.
    pub(super) fn parse(given: &str, engine: &Engine) -> Result<Self> {
        let given = given.trim();
        if given.is_empty() {
            return Err(Error::invalid_parameter(PARAMETER, "is empty").with_next(WAYS));
        }
        if let Some(data) = given.strip_prefix("data:") {
            let encoded = data.split_once(";base64,").map(|(_, encoded)| encoded).ok_or_else(|| {
                Error::invalid_parameter(PARAMETER, "is a data: URI without base64").with_next(WAYS)
            })?;
            return decoded(encoded).map(Self::Bytes);
        }
        if given.starts_with("file:") {
            return from_uri(given).map(Self::File);
        }
        if given.contains("://") {
            let why = format!("'{}' is not a file of this machine", screen_text::line(given, QUOTED));
            return Err(Error::invalid_parameter(PARAMETER, why).with_next(WAYS));
        }
        if is_id(given) {
            let shot = engine.memory.shots.lookup(given)?;
            return shot.file.map(|file| Self::Shot(file.to_path_buf())).ok_or_else(|| {
                Error::invalid_parameter(PARAMETER, format!("the picture {given} was not saved to a file"))
                    .with_next(WAYS)
            });
        }
        if looks_encoded(given) {
            return decoded(given).map(Self::Bytes);
        }
        if given.contains('\0') {
            return Err(Error::invalid_parameter(PARAMETER, "contains a character that no path may contain"));
        }
        Ok(Self::File(given.into()))
    }

    /// The path that a new baseline is written to.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`] if the parameter names no path, or one of another format.
    pub(super) fn to_write(&self, engine: &Engine) -> Result<PathBuf> {
        let Self::File(path) = self else {
            return Err(Error::invalid_parameter(PARAMETER, "names no path that can be written to")
                .with_next("Name a file that ends in .png."));
        };
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if !ending.eq_ignore_ascii_case("png") {
            return Err(Error::invalid_parameter(PARAMETER, "a baseline is written as PNG, which is exact")
                .with_next("Name a file that ends in .png."));
        }
        engine
            .delivery
            .working_directory
            .absolute(path)
            .map_err(|error| Error::new(ErrorCode::Io, error.to_string()))
    }

    /// Its pixels.
    ///
    /// # Errors
    /// Those of reading and decoding: the file is missing, not a picture, damaged or too large.
    pub(super) async fn read(self, engine: &Engine, call: &Call) -> Result<Frame> {
        let here = engine.delivery.working_directory.clone();
        let bytes = match self {
            Self::Bytes(bytes) => bytes,
            Self::Shot(path) => {
                input_file::read(here, path, PARAMETER, input_file::PICTURE).await.map_err(|error| {
                    Error::new(error.code, format!("the file of the picture is gone: {}", error.message))
                        .with_next(text!["Take a new picture with ", Invocation::of("ax_screenshot"), "."])
                })?
            }
            Self::File(path) => {
                let path = match path.to_str() {
                    Some(text) => folders::found(call, &here, text.to_owned()).await?.into(),
                    None => path,
                };
                let absolute = here.absolute(&path).unwrap_or_else(|_| path.clone());
                let is_there = tokio::fs::try_exists(&absolute).await;
                if matches!(is_there, Ok(false)) {
                    return Err(missing(&path, &absolute, call.reader.remembered));
                }
                input_file::read(here, path, PARAMETER, input_file::PICTURE).await?
            }
        };
        picture::away(move || picture::decode(&bytes)).await
    }
}

/// The ways in which a baseline can be named.
const WAYS: &str =
    "Name a picture by its path, a file:// URI, the base64 of a PNG, or the id of a picture as s7.";

/// The error of a file that is not there: how to make it.
fn missing(path: &Path, absolute: &Path, remembered: bool) -> Error {
    let named = path.to_string_lossy();
    let shown = screen_text::line(&absolute.to_string_lossy(), QUOTED);
    let message = format!("the baseline {shown} does not exist");
    let next: Text = if !named.contains('.') && named.len() > 16 && STANDARD.decode(named.as_bytes()).is_ok()
    {
        "If it is base64, it is not that of a PNG, JPEG or WebP picture.".into()
    } else if remembered {
        text![
            "Take a picture that is right with ",
            Invocation::of("ax_screenshot"),
            ": its id or path is a baseline."
        ]
    } else {
        text!["The same call with ", Argument::new("update", true), " writes it."]
    };
    Error::new(ErrorCode::Io, message).with_next(next)
}

/// Whether it is written as the id of a picture.
fn is_id(given: &str) -> bool {
    given.strip_prefix('s').is_some_and(|number| {
        !number.is_empty() && number.len() < 20 && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}

/// Whether it is base64: it begins as that of a picture does, or it is longer than any path.
fn looks_encoded(given: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=\r\n \t".contains(&byte);
    let is_picture = ENCODED.iter().any(|start| given.starts_with(start));
    given.len() > LONGEST_PATH || (is_picture && given.bytes().all(is_base64))
}

fn decoded(encoded: &str) -> Result<Vec<u8>> {
    if encoded.len() / 4 * 3 > MAX_FILE_BYTES {
        let message = format!("parameter '{PARAMETER}': is longer than a picture of {MAX_FILE_BYTES} bytes");
        return Err(Error::new(ErrorCode::TooLarge, message).with_next("Name a file by its path."));
    }
    let compact: Vec<u8> = encoded.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    STANDARD.decode(compact).map_err(|_| {
        Error::invalid_parameter(PARAMETER, "is not base64 of a picture, or it is cut off").with_next(WAYS)
    })
}

/// The path of a `file:` URI of this machine (RFC 8089).
fn from_uri(uri: &str) -> Result<PathBuf> {
    let rest = uri.strip_prefix("file://").map(|rest| rest.strip_prefix("localhost").unwrap_or(rest));
    let path = rest.map(|rest| {
        let bytes: Vec<u8> = percent_encoding::percent_decode_str(rest).collect();
        PathBuf::from(OsString::from_vec(bytes))
    });
    path.filter(|path| path.is_absolute() && !path.as_os_str().as_encoded_bytes().contains(&0)).ok_or_else(
        || {
            let shown = screen_text::line(uri, QUOTED);
            Error::invalid_parameter(PARAMETER, format!("'{shown}' is not the URI of a file of this machine"))
                .with_next("A file's URI has three slashes: file:///home/me/baseline.png.")
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_of_this_machine() {
        assert_eq!(from_uri("file:///a%20b/%C3%BC.png").expect("a path"), Path::new("/a b/ü.png"));
        assert_eq!(from_uri("file://localhost/a.png").expect("a path"), Path::new("/a.png"));
        for bad in ["file://host/a.png", "file:a.png", "file:/a.png", "file://", "file:///a%00"] {
            assert_eq!(from_uri(bad).expect_err(bad).code, ErrorCode::InvalidParameter, "{bad}");
        }
    }

    #[test]
    fn base64_is_known_by_its_beginning_or_its_length() {
        assert!(looks_encoded("iVBORw0KGgoAAAANSUhEUg=="));
        assert!(looks_encoded("/9j/4AAQSkZJRgABAQ"));
        assert!(!looks_encoded("/9j/picture.jpg"), "a path");
        assert!(!looks_encoded("baseline"), "a path without an ending");
        assert!(looks_encoded(&"a".repeat(5_000)), "longer than any path");
        assert!(decoded("iVBORw0KGgo*").is_err());
    }

    #[test]
    fn ids_are_those_of_pictures() {
        assert!(is_id("s7"));
        for path in ["s", "s7.png", "./s7", "e7", "s99999999999999999999999"] {
            assert!(!is_id(path), "{path}");
        }
    }
}
