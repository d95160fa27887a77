//! Where pictures are saved: `path` as a file or a folder (Peekaboo 1.1.2, section II.B).

use handeye_core::{Error, Result};
use handeye_picture::Format;
use handeye_shots::delivery::{Destination, cannot_write};
use handeye_shots::working_directory::WorkingDirectory;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Longest name of a file, in bytes, on the file systems of today.
const MAX_NAME: usize = 255;
/// Longest part of a generated name that comes from an application, in characters.
const MAX_WORD: usize = 40;

/// A `path` that is understood; absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SavePath {
    /// This file, or files beside it whose names begin as its name does.
    File(PathBuf),
    /// Files in this folder, with names of their own.
    Folder(PathBuf),
}

impl SavePath {
    /// Understands a `path`: a name with an extension is a file; one without, one that ends in `/`, `.` and `..` are
    /// folders, and so is a folder that is there already. `~` is the home directory; a relative path begins at the
    /// working directory.
    pub(super) async fn of(here: &WorkingDirectory, path: &Path) -> Result<Self> {
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            return Err(Error::invalid_parameter("path", "contains a character that no path may contain"));
        }
        let home = std::env::home_dir();
        let expanded = match (path.strip_prefix("~"), home) {
            (Ok(rest), Some(home)) if rest.as_os_str().is_empty() => home,
            (Ok(rest), Some(home)) => home.join(rest),
            _ => path.to_owned(),
        };
        let absolute = here
            .absolute(&expanded)
            .map_err(|error| Error::invalid_parameter("path", format!("cannot be resolved: {error}")))?;
        // A path that ends in `/` would be looked at through the link.
        let named: PathBuf = absolute.components().collect();
        // A failure to look is reported when the picture is written.
        let is_link = tokio::fs::symlink_metadata(&named).await.is_ok_and(|found| found.is_symlink());
        if is_link {
            let why =
                io::Error::new(ErrorKind::InvalidInput, "it is a symbolic link, and links are not followed");
            return Err(cannot_write(&absolute, &why));
        }
        let is_there = tokio::fs::metadata(&absolute).await.is_ok_and(|found| found.is_dir());
        Ok(if is_there || is_folder(path) { Self::Folder(absolute) } else { Self::File(absolute) })
    }

    /// The format that the file's extension asks for, if it is one of a picture.
    pub(super) fn format(&self) -> Option<Format> {
        let Self::File(path) = self else { return None };
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "png" => Some(Format::Png),
            "jpg" | "jpeg" => Some(Format::Jpeg),
            _ => None,
        }
    }
}

/// Whether a path means a folder by its looks.
fn is_folder(path: &Path) -> bool {
    let text = path.as_os_str().as_encoded_bytes();
    let ends_in_folder = text.ends_with(b"/") || text.ends_with(b"/.");
    ends_in_folder || path.extension().is_none_or(OsStr::is_empty)
}

/// The names of the pictures of one call.
#[derive(Debug, Clone)]
pub(super) struct Names {
    /// Where they go.
    pub(super) place: SavePath,
    /// When they were taken, as [`stamp`] formats it.
    pub(super) stamp: String,
    /// Whether there is more than one.
    pub(super) several: bool,
}

impl Names {
    /// Where the picture of that number goes, see [`Names::path`]. Only at a path that was named exactly a picture is replaced.
    pub(super) fn destination(&self, number: usize, suffix: &str, format: Format) -> Destination {
        let path = self.path(number, suffix, format);
        match &self.place {
            SavePath::File(_) if !self.several => Destination::File(path),
            _ => Destination::New(path),
        }
    }

    /// The place of the picture of that number (from 0). A single one goes exactly where it was asked for; several get
    /// their number and the time into their names: `/tmp/capture.png` becomes `/tmp/capture_1_TIME.png`. In a
    /// folder they are called `handeye_TIME` and `suffix`.
    fn path(&self, number: usize, suffix: &str, format: Format) -> PathBuf {
        match &self.place {
            SavePath::Folder(folder) => {
                folder.join(format!("handeye_{}{suffix}.{}", self.stamp, format.extension()))
            }
            SavePath::File(file) if !self.several => file.clone(),
            SavePath::File(file) => {
                let (stem, extension) =
                    (file.file_stem().unwrap_or_default(), file.extension().unwrap_or_default());
                let identifier = format!("_{}_{}.", number + 1, self.stamp);
                let mut name = shortened(stem, identifier.len() + extension.len()).to_owned();
                name.push(identifier);
                name.push(extension);
                file.with_file_name(name)
            }
        }
    }
}

/// The beginning of a name, so short that `more` bytes still fit behind it.
fn shortened(stem: &OsStr, more: usize) -> &OsStr {
    let Some(text) = stem.to_str() else { return stem };
    let room = MAX_NAME.saturating_sub(more).min(text.len());
    let end = (0..=room).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    OsStr::new(&text[..end])
}

/// This moment, for a file's name.
pub(super) fn stamp() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S-%3fZ").to_string()
}

/// An application's name as a part of a file's name: letters and digits of any script, and `-` for the rest.
pub(super) fn word(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let word: String = name.chars().map(safe).take(MAX_WORD).collect();
    let word = word.trim_matches('-');
    if word.is_empty() { "app".to_owned() } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    const STAMP: &str = "2026-01-13T15-30-45-123Z";

    fn names(place: SavePath, several: bool) -> Names {
        Names { place, stamp: STAMP.into(), several }
    }

    fn file(path: &str) -> SavePath {
        SavePath::File(path.into())
    }

    #[tokio::test]
    async fn peekaboo_1_1_2_v_c_file_or_folder() {
        let there = tempfile::tempdir().expect("a folder");
        let dotted = there.path().join("shots.d");
        std::fs::create_dir(&dotted).expect("a folder");
        let here = std::env::current_dir().expect("a working directory");
        let of = |path: &str| {
            let path = PathBuf::from(path);
            async move { SavePath::of(&WorkingDirectory::default(), &path).await.expect("a place") }
        };
        for (path, place) in [
            ("/nowhere/capture.png", file("/nowhere/capture.png")),
            ("/nowhere/a b/ünï 漢.jpg", file("/nowhere/a b/ünï 漢.jpg")),
            ("/nowhere/.hidden.png", file("/nowhere/.hidden.png")),
            ("/nowhere/v1.2", file("/nowhere/v1.2")),
            ("/nowhere/../capture.png", file("/nowhere/../capture.png")),
            ("relative.png", SavePath::File(here.join("relative.png"))),
        ] {
            assert_eq!(of(path).await, place, "{path}");
        }
        for path in [
            "/nowhere/shots",
            "/nowhere/shots/",
            "/nowhere/shots.png/",
            "/nowhere/shots.png/.",
            "/nowhere/shots.png/..",
            "/nowhere/.hidden",
            "/nowhere/name.",
            "/",
            ".",
            "..",
            "relative",
            "~",
            "~/shots",
        ] {
            let place = of(path).await;
            assert!(matches!(&place, SavePath::Folder(folder) if folder.is_absolute()), "{path}: {place:?}");
        }
        assert_eq!(
            SavePath::of(&WorkingDirectory::default(), &dotted).await.expect("a place"),
            SavePath::Folder(dotted),
            "it is there"
        );
        let home = std::env::home_dir().expect("a home");
        assert_eq!(of("~/a.png").await, SavePath::File(home.join("a.png")));
        assert!(SavePath::of(&WorkingDirectory::default(), Path::new("/tmp/a\0b.png")).await.is_err());
    }

    #[test]
    fn peekaboo_1_1_2_ii_b_several_pictures_get_identifiers() {
        let several = names(file("/tmp/capture.png"), true);
        assert_eq!(
            [0, 1].map(|number| several.path(number, "", Format::Png)),
            [format!("/tmp/capture_1_{STAMP}.png"), format!("/tmp/capture_2_{STAMP}.png")].map(PathBuf::from)
        );
        let one = names(file("/tmp/capture.png"), false);
        assert_eq!(one.path(0, "_display0_main", Format::Png), Path::new("/tmp/capture.png"));
        let folder = names(SavePath::Folder("/tmp/shots".into()), true);
        assert_eq!(
            folder.path(0, "_display0_main", Format::Jpeg),
            Path::new(&format!("/tmp/shots/handeye_{STAMP}_display0_main.jpg"))
        );
    }

    #[test]
    fn peekaboo_1_1_2_v_c_the_extension_stays() {
        for extension in ["png", "jpg", "JPEG", "tiff"] {
            let several = names(file(&format!("/tmp/a.b.{extension}")), true);
            let path = several.path(0, "", Format::Jpeg);
            assert_eq!(path, PathBuf::from(format!("/tmp/a.b_1_{STAMP}.{extension}")));
        }
        assert_eq!(file("/a.PNG").format(), Some(Format::Png));
        assert_eq!(file("/a.jpeg").format(), Some(Format::Jpeg));
        assert_eq!(file("/a.webp").format(), None);
    }

    #[test]
    fn an_application_cannot_leave_the_folder_by_its_name() {
        assert_eq!(word("../../etc/passwd"), "etc-passwd");
        assert_eq!(word("Übersicht 漢"), "Übersicht-漢");
        assert_eq!(word("///"), "app");
        assert_eq!(word(&"x".repeat(500)).len(), MAX_WORD);
    }

    proptest! {
        #[test]
        fn several_names_differ_stay_in_the_folder_and_keep_the_extension(
            stem in "[^/\\x00]{1,300}",
            extension in "[A-Za-z0-9]{1,8}",
            application in "\\PC{0,80}",
            count in 2usize..20,
        ) {
            let asked = PathBuf::from("/folder/of mine").join(format!("{stem}.{extension}"));
            prop_assume!(asked.extension().is_some());
            for place in [SavePath::File(asked), SavePath::Folder("/folder/of mine".into())] {
                let is_file = matches!(place, SavePath::File(_));
                let names = names(place, true);
                let paths: Vec<PathBuf> = (0..count)
                    .map(|number| names.path(number, &format!("_{}_window{number}", word(&application)), Format::Png))
                    .collect();
                let distinct: HashSet<&PathBuf> = paths.iter().collect();
                prop_assert_eq!(distinct.len(), count);
                for path in &paths {
                    prop_assert_eq!(path.parent(), Some(Path::new("/folder/of mine")));
                    let expected = if is_file { extension.as_str() } else { "png" };
                    prop_assert_eq!(path.extension().and_then(OsStr::to_str), Some(expected));
                    let length = path.file_name().map_or(0, OsStr::len);
                    prop_assert!(length <= MAX_NAME, "{length}");
                }
            }
        }
    }
}
