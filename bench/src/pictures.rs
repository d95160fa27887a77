//! Screenshots to PNG: whole commands from cold, and warm in a server.

use crate::Result;
use crate::mcp_client::Client;
use crate::options::Options;
use crate::report::{Report, against, ms, verdict};
use crate::samples::Series;
use handeye_core::Window;
use handeye_core::platform::CaptureTarget;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use x11rb::connection::Connection;
use x11rb::protocol::shm::ConnectionExt as _;
use x11rb::protocol::xproto::ImageFormat;

/// A program that takes a picture, by its command line.
type Taker<'a> = (&'static str, Box<dyn Fn(&Path) -> Command + 'a>);

/// Bytes of a pixel as the X server sends it.
const X_PIXEL: u32 = 4;

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

fn words(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str], file: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(file);
    command
}

/// Measures pictures of the screen and of one window.
pub fn measure(options: &Options, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    report.section("Screenshot to PNG");
    report.say("Whole commands from their start to their end, and the size of the file.");
    let script = options.scripts.join("mss_shot.py");
    let screen: Vec<Taker> = vec![
        ("handeye", Box::new(|file| words(&options.handeye, &["screenshot", "--output"], file))),
        ("scrot", Box::new(|file| words("scrot", &["--overwrite"], file))),
        ("maim", Box::new(|file| words("maim", &[], file))),
        ("python-mss", Box::new(|file| words(&options.python, &[&script.to_string_lossy()], file))),
        ("import (ImageMagick)", Box::new(|file| words("import", &["-window", "root"], file))),
    ];
    let measured = take_turns(options, folder.path(), &screen)?;
    let own = measured["handeye"].clone();
    let size = screen_size()?;
    table(report, &format!("Screen, {}x{}", size.0, size.1), &screen, &measured);
    let scrot = &measured["scrot"];
    if let (Some(cold), Some(peer), Some(bytes), Some(peer_bytes)) =
        (own.median("ms"), scrot.median("ms"), own.median("bytes"), scrot.median("bytes"))
    {
        report.say(&format!(
            "Twice as fast as scrot: {:.1}×, {}. File no more than 10 % larger: {:+.0} %, {}.",
            peer / cold,
            verdict(peer / cold >= 2.0),
            (bytes / peer_bytes - 1.0) * 100.0,
            verdict(bytes <= peer_bytes * 1.1)
        ));
    }
    if let Some(window) = window()? {
        let pid = window.pid.map(|pid| pid.to_string()).unwrap_or_default();
        let id = window.id.0.to_string();
        let takers: Vec<Taker> = vec![
            (
                "handeye",
                Box::new(|file| words(&options.handeye, &["screenshot", "--app", &pid, "--output"], file)),
            ),
            ("maim", Box::new(|file| words("maim", &["-i", &id], file))),
            ("import (ImageMagick)", Box::new(|file| words("import", &["-window", &id], file))),
        ];
        let measured = take_turns(options, folder.path(), &takers)?;
        let area = window.frame;
        let title = format!("One window, {}x{} (“{}”)", area.width, area.height, window.title);
        table(report, &title, &takers, &measured);
    }
    warm(options, report)
}

/// Every program once a round.
fn take_turns(options: &Options, folder: &Path, takers: &[Taker]) -> Result<BTreeMap<&'static str, Series>> {
    let mut measured: BTreeMap<&'static str, Series> = BTreeMap::new();
    for round in 0..options.rounds {
        for (name, command) in takers {
            let file: PathBuf = folder.join(format!("{round}.png"));
            let mut command = command(&file);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let begun = Instant::now();
            let status = command.status()?;
            let taken = milliseconds(begun);
            if !status.success() {
                return Err(format!("{command:?} ended with {status}").into());
            }
            let series = measured.entry(name).or_default();
            series.push("ms", taken);
            series.push("bytes", std::fs::metadata(&file)?.len() as f64);
            std::fs::remove_file(&file)?;
        }
    }
    Ok(measured)
}

fn table(report: &mut Report, title: &str, takers: &[Taker], measured: &BTreeMap<&'static str, Series>) {
    let own = &measured["handeye"];
    let mut rows = vec![vec![title.to_owned(), "time".into(), "file".into(), "file ÷ handeye's".into()]];
    for (name, _) in takers {
        let series = &measured[name];
        let bytes = series.median("bytes").unwrap_or(f64::NAN);
        rows.push(vec![
            (*name).to_owned(),
            against(series.median("ms"), own.median("ms")),
            format!("{:.0} kB", bytes / 1000.0),
            format!("{:.2}", bytes / own.median("bytes").unwrap_or(f64::NAN)),
        ]);
    }
    report.table(&rows);
}

fn block_on<F: std::future::Future>(work: F) -> Result<F::Output> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    Ok(runtime.block_on(work))
}

/// The largest window that is not minimized.
fn window() -> Result<Option<Window>> {
    let windows = block_on(async { handeye_linux::platform().screen.windows().await })??;
    Ok(windows
        .into_iter()
        .filter(|window| !window.minimized && window.pid.is_some() && window.title.contains("Chromium"))
        .max_by_key(|window| window.frame.width * window.frame.height))
}

fn screen_size() -> Result<(u16, u16)> {
    let (connection, screen) = x11rb::connect(None)?;
    let root = &connection.setup().roots[screen];
    Ok((root.width_in_pixels, root.height_in_pixels))
}

/// In a server: capture and encoding against `XShmGetImage` and the fastest encoder.
fn warm(options: &Options, report: &mut Report) -> Result<()> {
    let mut client = Client::start(options)?;
    client.tool("ax_screenshot", &json!({}))?;
    let mut grabber = Grabber::new()?;
    let mut series = Series::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let platform = handeye_linux::platform();
    // What the encoder of the floor gets: the same screen.
    let pixels = runtime.block_on(platform.screen.capture(CaptureTarget::Desktop))?;
    for _ in 0..options.rounds {
        let begun = Instant::now();
        let frame = runtime.block_on(platform.screen.capture(CaptureTarget::Desktop))?;
        let captured = milliseconds(begun);
        let picture = runtime.block_on(handeye_engine::picture::png(frame))?;
        series.push("process", milliseconds(begun));
        series.push("capture", captured);
        series.push("bytes", picture.bytes.len() as f64);
        let begun = Instant::now();
        client.tool("ax_screenshot", &json!({}))?;
        series.push("mcp", milliseconds(begun));
        let begun = Instant::now();
        grabber.grab()?;
        series.push("grab", milliseconds(begun));
        let begun = Instant::now();
        let fastest = fastest_png(&pixels.rgb, pixels.area.width, pixels.area.height)?;
        series.push("encode", milliseconds(begun));
        series.push("fastest bytes", fastest as f64);
    }
    let floor = series.median("grab").zip(series.median("encode")).map(|(grab, encode)| grab + encode);
    let process = series.median("process");
    let rows: Vec<Vec<String>> = vec![
        vec!["Screen, warm".into(), "time".into(), "file".into()],
        vec![
            "handeye, capture and PNG, in process".into(),
            ms(process),
            format!("{:.0} kB", series.median("bytes").unwrap_or(f64::NAN) / 1000.0),
        ],
        vec!["of it, capture".into(), ms(series.median("capture")), String::new()],
        vec![
            "handeye, `ax_screenshot` over stdio, Base64 and JSON included".into(),
            ms(series.median("mcp")),
            String::new(),
        ],
        vec!["floor: `XShmGetImage`".into(), ms(series.median("grab")), String::new()],
        vec![
            "floor: the fastest encoder (`png`, Fastest)".into(),
            ms(series.median("encode")),
            format!("{:.0} kB", series.median("fastest bytes").unwrap_or(f64::NAN) / 1000.0),
        ],
    ];
    report.table(&rows);
    if let Some((own, floor)) = process.zip(floor) {
        report.say(&format!(
            "In a warm server within 1.5 times the floor: {:.2}×, {}.",
            own / floor,
            verdict(own <= floor * 1.5)
        ));
    }
    Ok(())
}

/// Length of the file of the fastest encoder.
fn fastest_png(rgb: &[u8], width: u32, height: u32) -> Result<usize> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fastest);
    encoder.write_header()?.write_image_data(rgb)?;
    Ok(file.len())
}

/// Nothing but `XShmGetImage` of the whole screen.
struct Grabber {
    connection: x11rb::rust_connection::RustConnection,
    root: u32,
    segment: u32,
    size: (u16, u16),
}

impl Grabber {
    fn new() -> Result<Self> {
        let (connection, screen) = x11rb::connect(None)?;
        let root = &connection.setup().roots[screen];
        let size = (root.width_in_pixels, root.height_in_pixels);
        let root = root.root;
        let memory = memfd_create("handeye-bench", MemfdFlags::CLOEXEC)?;
        ftruncate(&memory, u64::from(size.0) * u64::from(size.1) * u64::from(X_PIXEL))?;
        let segment = connection.generate_id()?;
        connection.shm_attach_fd(segment, memory, false)?.check()?;
        Ok(Self { connection, root, segment, size })
    }

    fn grab(&mut self) -> Result<()> {
        let (width, height) = self.size;
        let format = ImageFormat::Z_PIXMAP.into();
        self.connection
            .shm_get_image(self.root, 0, 0, width, height, u32::MAX, format, self.segment, 0)?
            .reply()?;
        Ok(())
    }
}
