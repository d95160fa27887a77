//! Two pictures of 4K screens compared: from two PNG files to a third one that shows the differences, and the comparison alone.

use crate::Result;
use crate::options::Options;
use crate::report::{Report, against, ms, verdict};
use crate::samples::{Series, probe as read_probe};
use handeye_core::{Frame, Size};
use handeye_picture::diff::{self, Mode};
use handeye_picture::{Format, decode, encode};
use handeye_png::samples::{Kind, rgb};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const WIDTH: u32 = 3840;
const HEIGHT: u32 = 2160;

/// Pairs of pictures, by what they are.
const PAIRS: [&str; 3] =
    ["equal", "a UI in which two parts changed", "a photograph of which every pixel changed"];

/// Measures the pairs with all programs in turn.
pub fn measure(options: &Options, report: &mut Report) -> Result<()> {
    report.section("Comparing two pictures");
    report.say(&format!(
        "Pictures of {WIDTH}x{HEIGHT} pixels. “Whole” is a process from its start to its end: both PNG files are read and decoded, compared, \
         and a PNG of the differences is written. “Alone” is the comparison and the drawing of the differences in memory. ImageMagick is `compare \
         -metric AE`; pixelmatch runs in Node with pngjs. Target: faster than both."
    ));
    let mut rows =
        vec![["Pictures", "", "handeye", "ImageMagick", "pixelmatch", ""].map(str::to_owned).to_vec()];
    for pair in PAIRS {
        let found = rounds(options, pair)?;
        let median = |program: &str, name: &str| found.get(program).and_then(|series| series.median(name));
        for name in ["whole", "alone"] {
            let peers = [median("imagemagick", name), median("pixelmatch", name)];
            let own = median("handeye", name);
            for (peer, time) in ["ImageMagick", "pixelmatch"].into_iter().zip(peers) {
                report.ratio(pair, &format!("{peer} ÷ handeye, {name}"), time, own);
            }
            let fastest = peers.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            let reached = own.is_some_and(|own| own < fastest);
            rows.push(vec![
                pair.to_owned(),
                name.to_owned(),
                ms(own),
                against(peers[0], own),
                against(peers[1], own),
                verdict(reached).to_owned(),
            ]);
        }
        let perceptual = median("handeye", "perceptual");
        rows.push(vec![
            pair.to_owned(),
            "perceptual, alone".into(),
            ms(perceptual),
            "–".into(),
            "–".into(),
            String::new(),
        ]);
    }
    report.table(&rows);
    Ok(())
}

/// All programs in every round.
fn rounds(options: &Options, pair: &str) -> Result<BTreeMap<&'static str, Series>> {
    let folder = tempfile::Builder::new().prefix("handeye-bench-").tempdir()?;
    let file = |name: &str| folder.path().join(name);
    let (one, other, output) = (file("one.png"), file("other.png"), file("output.png"));
    let (before, after) = pictures(pair);
    std::fs::write(&one, encode(&before, Format::Png)?.bytes)?;
    std::fs::write(&other, encode(&after, Format::Png)?.bytes)?;
    let mut found: BTreeMap<&'static str, Series> = BTreeMap::new();
    for _ in 0..options.rounds {
        for program in ["handeye", "imagemagick", "pixelmatch"] {
            let mut command = match program {
                "handeye" => {
                    let mut own = Command::new(std::env::current_exe()?);
                    own.args(["probe", "diff"]);
                    own
                }
                "imagemagick" => {
                    let mut compare = Command::new("compare");
                    compare.args(["-metric", "AE"]);
                    compare
                }
                _ => {
                    let mut node = Command::new(&options.node);
                    node.arg(options.scripts.join("pixelmatch.mjs")).arg(&options.node_modules);
                    node
                }
            };
            command.args([&one, &other, &output]);
            let begun = Instant::now();
            let fields = if program == "imagemagick" {
                // It ends with 1 where pictures differ.
                let ended = command.output()?;
                if !matches!(ended.status.code(), Some(0 | 1)) {
                    return Err(format!("{command:?} ended with {}", ended.status).into());
                }
                serde_json::Map::new()
            } else {
                read_probe(&mut command)?
            };
            let series = found.entry(program).or_default();
            series.push("whole", begun.elapsed().as_secs_f64() * 1000.0);
            if let Some(alone) = fields.get("compare_ms").and_then(serde_json::Value::as_f64) {
                series.push("alone", alone);
            }
        }
        // Not in the process that is measured as a whole.
        let mut own = Command::new(std::env::current_exe()?);
        own.args(["probe", "diff"]).args([&one, &other]).arg("perceptual");
        found.entry("handeye").or_default().add(&read_probe(&mut own)?);
    }
    Ok(found)
}

/// Both pictures of a pair.
fn pictures(pair: &str) -> (Frame, Frame) {
    let size = Size::new(WIDTH, HEIGHT);
    let kind = if pair == PAIRS[2] { Kind::Photograph } else { Kind::Flat };
    let before = rgb(kind, WIDTH, HEIGHT);
    let mut after = before.clone();
    if pair == PAIRS[2] {
        for value in &mut after {
            *value = value.saturating_add(60);
        }
    } else if pair == PAIRS[1] {
        for (left, top, width, height) in [(400, 300, 600, 200), (3000, 1800, 300, 120)] {
            for y in top..top + height {
                let start = (y * WIDTH as usize + left) * 3;
                after[start..start + width * 3].iter_mut().for_each(|value| *value = 255 - *value);
            }
        }
    }
    (Frame::unplaced(size, before), Frame::unplaced(size, after))
}

/// Compares two files and writes a third; or only compares, as an observer sees them.
pub fn probe(one: &str, other: &str, output: &str) -> Result<()> {
    let (before, after) = (decode(&std::fs::read(one)?)?, decode(&std::fs::read(other)?)?);
    let begun = Instant::now();
    let elapsed = || begun.elapsed().as_secs_f64() * 1000.0;
    if output == "perceptual" {
        let found = diff::compare(&before, &after, Mode::Perceptual, &[])?;
        found.overlay(&after)?;
        println!("{}", json!({"perceptual": elapsed(), "different": found.different}));
        return Ok(());
    }
    let found = diff::compare(&before, &after, Mode::Pixel { tolerate_antialiasing: true }, &[])?;
    let drawn = found.overlay(&after)?;
    let compare_ms = elapsed();
    std::fs::write(Path::new(output), encode(&drawn, Format::Png)?.bytes)?;
    println!("{}", json!({"compare_ms": compare_ms, "different": found.different}));
    Ok(())
}
