//! Whole commands that take a picture of the screen into a file.

use crate::Result;
use crate::options::Options;
use crate::samples::Series;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// All programs, in the order of the tables.
pub(super) const PROGRAMS: [&str; 6] = ["handeye", "scrot", "maim", "python-mss", "import", "ffmpeg"];

/// What they all capture, and how.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) options: &'a Options,
    /// `png` or `jpeg`.
    pub(super) format: &'a str,
    /// Of the screen.
    pub(super) size: (u16, u16),
    /// A window instead of the screen.
    pub(super) window: Option<&'a str>,
    /// The application of that window.
    pub(super) app: &'a str,
}

impl Task<'_> {
    fn is_jpeg(self) -> bool {
        self.format == "jpeg"
    }

    /// The command of a program, if it can do this.
    fn command(self, program: &str, file: &Path) -> Option<Command> {
        let options = self.options;
        let mut command = Command::new(match program {
            "handeye" => options.handeye.as_os_str(),
            "python-mss" => options.python.as_os_str(),
            program => program.as_ref(),
        });
        match (program, self.window) {
            ("handeye", None) => command.args(["image", "--screen-index", "0", "--path"]),
            ("handeye", Some(_)) => command.args(["image", "--app", self.app, "--path"]),
            ("scrot", None) if self.is_jpeg() => command.args(["--overwrite", "--quality", "80"]),
            ("scrot", None) => command.arg("--overwrite"),
            ("maim", None) if self.is_jpeg() => command.args(["--format=jpg", "--quality", "8"]),
            ("maim", None) => &mut command,
            ("maim", Some(window)) => command.args(["-i", window]),
            ("python-mss", None) => command.arg(options.scripts.join("mss_shot.py")),
            ("import", None) if self.is_jpeg() => command.args(["-window", "root", "-quality", "80"]),
            ("import", None) => command.args(["-window", "root"]),
            ("import", Some(window)) => command.args(["-window", window]),
            ("ffmpeg", None) => {
                let size = format!("{}x{}", self.size.0, self.size.1);
                command.args([
                    "-loglevel",
                    "error",
                    "-f",
                    "x11grab",
                    "-draw_mouse",
                    "0",
                    "-video_size",
                    &size,
                ]);
                command.arg("-i").arg(std::env::var_os("DISPLAY").unwrap_or_default());
                command.args(["-frames:v", "1", "-update", "1", "-y"]);
                if self.is_jpeg() { command.args(["-q:v", "3"]) } else { &mut command }
            }
            _ => return None,
        };
        command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        Some(command)
    }

    fn file(self, folder: &Path, program: &str) -> PathBuf {
        folder.join(format!("{program}.{}", if self.is_jpeg() { "jpg" } else { "png" }))
    }

    /// Every program once a round, and once more for what a run costs in memory and, where it loses any, how near the
    /// picture is to the screen.
    pub(super) fn measure(self, rounds: usize, folder: &Path) -> Result<BTreeMap<&'static str, Series>> {
        let mut measured: BTreeMap<&'static str, Series> = BTreeMap::new();
        for _ in 0..rounds {
            for program in PROGRAMS {
                let file = self.file(folder, program);
                let Some(mut command) = self.command(program, &file) else { continue };
                let begun = Instant::now();
                succeed(&mut command)?;
                let series = measured.entry(program).or_default();
                series.push("ms", begun.elapsed().as_secs_f64() * 1000.0);
                series.push("bytes", std::fs::metadata(&file)?.len() as f64);
                std::fs::remove_file(&file)?;
            }
        }
        let screen = folder.join("screen.png");
        succeed(Command::new("import").args(["-window", "root"]).arg(&screen))?;
        for (program, series) in &mut measured {
            let file = self.file(folder, program);
            let Some(command) = self.command(program, &file) else { continue };
            series.push("kilobytes", peak_memory(&command, folder)?);
            if self.is_jpeg() {
                series.push("psnr", psnr(&screen, &file)?);
            }
        }
        Ok(measured)
    }
}

/// Runs a command; what it complains of is the error.
fn succeed(command: &mut Command) -> Result<()> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?} ended with {}: {said}", output.status).into())
}

/// Kilobytes that one run took at its peak.
fn peak_memory(command: &Command, folder: &Path) -> Result<f64> {
    let told = folder.join("memory");
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["-f", "%M", "-o"]).arg(&told).arg(command.get_program()).args(command.get_args());
    succeed(&mut timed)?;
    Ok(std::fs::read_to_string(&told)?.trim().parse()?)
}

/// How near a picture is to the screen, in decibels. `ImageMagick` prints it on standard error, and fails if they differ.
fn psnr(screen: &Path, picture: &Path) -> Result<f64> {
    let output =
        Command::new("compare").args(["-metric", "PSNR"]).arg(screen).arg(picture).arg("null:").output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    said.split_whitespace()
        .next()
        .and_then(|word| word.parse().ok())
        .ok_or_else(|| format!("compare: {said}").into())
}
