//! The answer of a comparison, and the picture that shows it.

use super::{Output, Region};
use crate::exhibit::{Exhibit, deliver, name_of};
use handeye_call::call::Call;
use handeye_call::outcome::{Outcome, Verdict};
use handeye_core::{ErrorCode, Frame, Result, Size, Text, Window};
use handeye_engine::Engine;
use handeye_picture::diff::Comparison;
use handeye_picture::{self as picture, Format};
use handeye_shots::delivery::{Destination, Inline, Order};
use std::path::PathBuf;

/// Most rectangles that an answer has.
const MAX_REGIONS: usize = 8;

/// The answer of a new baseline.
pub(super) async fn updated(
    engine: &Engine,
    call: &Call,
    window: &Window,
    frame: Frame,
    path: PathBuf,
) -> Result<Outcome<Output>> {
    let size = frame.size();
    let total = u64::from(size.width) * u64::from(size.height);
    let order = Order {
        destination: Destination::File(path),
        format: Format::Png,
        inline: Inline::Never,
        ..Order::configured()
    };
    let mut delivered = deliver(engine, call, window, frame, order).await?;
    let file = delivered.file()?;
    let shown = file.as_ref().and_then(|file| file.shown.clone()).unwrap_or_default();
    let text =
        format!("Baseline written to {shown}: {}, {}x{} pixels.", name_of(window), size.width, size.height);
    let fields = Output {
        passed: true,
        diff_percentage: 0.0,
        diff_pixels: 0,
        total_pixels: total,
        antialiased_pixels: None,
        regions: Vec::new(),
        size: [size.width, size.height],
        baseline_size: None,
        screenshot: None,
        path: file.map(|file| file.path.display().to_string()),
    };
    Ok(Outcome::new(text, fields))
}

/// The answer of a comparison of the baseline with `frame`, the window as it is now.
pub(super) async fn compared(
    engine: &Engine,
    call: &Call,
    window: &Window,
    frame: Frame,
    comparison: Comparison,
    baseline_size: Size,
    threshold: f64,
) -> Result<Outcome<Output>> {
    let size = frame.size();
    let percentage = comparison.percentage();
    let same_size = size == baseline_size;
    let passed = same_size && percentage <= threshold;
    let regions = comparison.regions.iter().take(MAX_REGIONS);
    let mut fields = Output {
        passed,
        diff_percentage: rounded(percentage),
        diff_pixels: comparison.different,
        total_pixels: comparison.total,
        antialiased_pixels: (comparison.antialiased > 0).then_some(comparison.antialiased),
        regions: regions.map(|area| Region { x: area.x, y: area.y, w: area.width, h: area.height }).collect(),
        size: [size.width, size.height],
        baseline_size: (!same_size).then_some([baseline_size.width, baseline_size.height]),
        screenshot: None,
        path: None,
    };
    let mut text = sentence(&comparison, &fields, threshold);
    let (mut notes, mut pictures) = (Vec::new(), Vec::new());
    // Of what is equal there is nothing to be seen.
    if comparison.different + comparison.antialiased > 0 {
        let drawn = picture::away(move || comparison.overlay(&frame)).await?;
        let delivered = deliver(engine, call, window, drawn, Order::configured()).await?;
        let title = format!("differences of {}", name_of(window));
        // The figures count, the picture of them is for the eye.
        let shown = Exhibit::new(call, &title, delivered);
        text.push_str(&format!("\n{}", shown.sentence));
        notes.extend(shown.note);
        (fields.path, fields.screenshot) = (shown.path, shown.screenshot);
        pictures.extend(shown.picture);
    }
    let verdict = Verdict::of(passed, ErrorCode::AssertionFailed);
    Ok(Outcome { notes, pictures, verdict, ..Outcome::new(text, fields) })
}

fn sentence(comparison: &Comparison, fields: &Output, threshold: f64) -> Text {
    let result = if fields.passed { "Passed" } else { "Failed" };
    let Output { diff_percentage, diff_pixels, total_pixels, .. } = fields;
    let mut text = format!(
        "{result}: {diff_percentage} % differs ({diff_pixels} of {total_pixels} pixels); at most {threshold} % is accepted."
    );
    if let Some([width, height]) = fields.baseline_size {
        let [now_width, now_height] = fields.size;
        text.push_str(&format!(
            "\nThe sizes differ: the baseline has {width}x{height} pixels, now it is {now_width}x{now_height}. \
             What only one of them has counts as different."
        ));
    }
    if let Some(count) = fields.antialiased_pixels {
        text.push_str(&format!("\n{count} more pixels differ only in the smoothing of edges."));
    }
    if !fields.regions.is_empty() {
        let all: Vec<String> =
            fields.regions.iter().map(|it| format!("{},{},{},{}", it.x, it.y, it.w, it.h)).collect();
        text.push_str(&format!("\nIt differs at (x,y,w,h): {}", all.join("  ")));
        let more = comparison.regions.len().saturating_sub(MAX_REGIONS);
        if more > 0 {
            text.push_str(&format!("  [left out: {more} smaller regions]"));
        }
    }
    text.into()
}

/// With four decimals, but never 0 where anything differs.
fn rounded(percentage: f64) -> f64 {
    let rounded = (percentage * 10_000.0).round() / 10_000.0;
    if rounded == 0.0 && percentage > 0.0 { 0.0001 } else { rounded }
}
