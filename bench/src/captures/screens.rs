//! What the screen shows while it is captured.

use super::grabber::Grabber;
use crate::Result;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long an application may take until its window stands still.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long nothing must change for the screen to count as still.
const STILL: Duration = Duration::from_millis(400);

/// The application that stands for flat user interfaces. It ends with this value.
pub(super) struct Flat {
    child: Child,
    /// Its window.
    pub(super) window: String,
}

impl Flat {
    /// The application's name on the accessibility bus.
    pub(super) const APP: &str = "gtk3-widget-factory";

    /// Starts it and makes its window as large as the screen.
    pub(super) fn show(size: (u16, u16)) -> Result<Self> {
        let mut command = Command::new(Self::APP);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn()?;
        let mut flat = Self { child, window: String::new() };
        let begun = Instant::now();
        while flat.window.is_empty() {
            if begun.elapsed() > PATIENCE {
                return Err(format!("{} shows no window", Self::APP).into());
            }
            let found =
                Command::new("xdotool").args(["search", "--onlyvisible", "--name", "(?i)widget"]).output()?;
            flat.window =
                String::from_utf8_lossy(&found.stdout).lines().next().unwrap_or_default().to_owned();
            std::thread::sleep(Duration::from_millis(50));
        }
        let (width, height) = (size.0.to_string(), size.1.to_string());
        let status = Command::new("xdotool")
            .args([
                "windowsize",
                "--sync",
                &flat.window,
                &width,
                &height,
                "windowmove",
                &flat.window,
                "0",
                "0",
            ])
            .status()?;
        if !status.success() {
            return Err("its window cannot be made larger".into());
        }
        wait_until_still()?;
        Ok(flat)
    }
}

impl Drop for Flat {
    fn drop(&mut self) {
        if self.child.kill().is_ok() && self.child.wait().is_err() {
            eprintln!("{} cannot be waited for", Self::APP);
        }
    }
}

/// Puts a picture that looks like a photograph to an encoder onto the screen: soft forms at every scale, and the noise of a
/// sensor. The same one every time.
pub(super) fn show_photograph(size: (u16, u16), folder: &Path) -> Result<()> {
    let file = folder.join("photograph.png");
    let size = format!("{}x{}", size.0, size.1);
    let made = Command::new("convert")
        .args(["-size", &size, "-seed", "7", "plasma:tomato-steelblue", "-blur", "0x1"])
        .args(["-attenuate", "0.08", "+noise", "Gaussian", "-depth", "8"])
        .arg(&file)
        .status()?;
    let shown = Command::new("display").args(["-window", "root"]).arg(&file).status()?;
    if !made.success() || !shown.success() {
        return Err("ImageMagick cannot show a photograph".into());
    }
    wait_until_still()
}

/// Waits until the pixels of the screen have stayed the same for a while.
fn wait_until_still() -> Result<()> {
    let mut grabber = Grabber::new()?;
    let begun = Instant::now();
    let mut last = grabber.pixels()?;
    let mut since = Instant::now();
    while since.elapsed() < STILL {
        if begun.elapsed() > PATIENCE {
            return Err("the screen does not come to rest".into());
        }
        std::thread::sleep(Duration::from_millis(40));
        let now = grabber.pixels()?;
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
    Ok(())
}
