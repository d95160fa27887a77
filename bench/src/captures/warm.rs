//! A warm server beside the floor.

use super::grabber::{Grabber, fastest_png};
use super::screens::{Copy, Spot};
use crate::Result;
use crate::mcp_client::Client;
use crate::options::Options;
use crate::samples::Series;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// Captures of the screen in servers that have captured before, taking turns with the floor: after a few pixels were drawn on the screen, once more after
/// nothing was, and after all of it was drawn, as it is.
pub(super) fn measure(options: &Options, rounds: usize, folder: &Path) -> Result<Series> {
    let directory = folder.to_string_lossy();
    let server = |responses| {
        Client::start_with(
            options,
            &["--screenshot-dir", &directory, "--image-responses", responses, "--screenshot-keep", "4"],
        )
    };
    let (mut files, mut inline) = (server("file")?, server("inline")?);
    let (mut grabber, mut spot) = (Grabber::new()?, Spot::show()?);
    let (pixels, size) = (grabber.rgb()?, grabber.size);
    let jpeg = folder.join("warm.jpg");
    let to_jpeg = json!({"app_target": "screen:0", "format": "jpg", "path": jpeg});
    let mut series = Series::default();
    for round in 0..=rounds {
        let mut turn = |name: &str, work: &mut dyn FnMut() -> Result<Value>| -> Result<Value> {
            let begun = Instant::now();
            let result = work()?;
            // The first round warms up.
            if round > 0 {
                series.push(name, begun.elapsed().as_secs_f64() * 1000.0);
            }
            Ok(result)
        };
        spot.draw()?;
        let saved = turn("file", &mut || files.tool("ax_screenshot", &json!({})))?;
        turn("file again", &mut || files.tool("ax_screenshot", &json!({})))?;
        spot.draw()?;
        let shown = turn("inline", &mut || inline.tool("ax_screenshot", &json!({})))?;
        turn("inline again", &mut || inline.tool("ax_screenshot", &json!({})))?;
        spot.draw()?;
        turn("jpeg", &mut || files.tool("image", &to_jpeg))?;
        turn("jpeg again", &mut || files.tool("image", &to_jpeg))?;
        turn("grab", &mut || grabber.grab().map(|()| Value::Null))?;
        let fastest = turn("encode", &mut || Ok(json!(fastest_png(&pixels, size)?)))?;
        let file = saved["structuredContent"]["path"].as_str().ok_or("a screenshot without a path")?;
        series.push("file bytes", std::fs::metadata(folder.join(file))?.len() as f64);
        series.push("inline bytes", picture_bytes(&shown)?);
        series.push("jpeg bytes", std::fs::metadata(&jpeg)?.len() as f64);
        series.push("encode bytes", fastest.as_f64().unwrap_or(f64::NAN));
    }
    let copy = Copy::show(size)?;
    let nothing = json!({});
    for round in 0..=rounds {
        for (name, tool, arguments) in [
            ("file all", "ax_screenshot", &nothing),
            ("inline all", "ax_screenshot", &nothing),
            ("jpeg all", "image", &to_jpeg),
        ] {
            copy.draw()?;
            let client = if name == "inline all" { &mut inline } else { &mut files };
            let begun = Instant::now();
            client.tool(tool, arguments)?;
            if round > 0 {
                series.push(name, begun.elapsed().as_secs_f64() * 1000.0);
            }
        }
    }
    series.push("kilobytes", files.peak_kilobytes()?.max(inline.peak_kilobytes()?) as f64);
    Ok(series)
}

/// Bytes of the picture in an answer, which is in Base64: three bytes in four characters.
fn picture_bytes(result: &Value) -> Result<f64> {
    let parts = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let picture = parts.iter().find_map(|part| part["data"].as_str()).ok_or("an answer without a picture")?;
    Ok(picture.trim_end_matches('=').len() as f64 * 3.0 / 4.0)
}
