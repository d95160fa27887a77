//! Everything that is measured on a screen of one size, as one line of JSON.

use super::commands::Task;
use super::grabber::Grabber;
use super::screens::{Flat, Photograph};
use super::{crowd, warm};
use crate::Result;
use crate::options::Options;
use crate::samples::Series;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Screens of more pixels than this are measured in fewer rounds, without the window and the crowd.
const LARGE: u32 = 4_000_000;

/// Measures on the screen of this desktop.
pub fn run(options: &Options) -> Result<()> {
    let folder = tempfile::Builder::new().prefix("handeye-bench-").tempdir()?;
    let size = Grabber::new()?.size;
    let large = u32::from(size.0) * u32::from(size.1) > LARGE;
    let rounds = if large { options.rounds.div_ceil(2) } else { options.rounds };
    let mut values = Values(Map::new());

    let flat = Flat::show(size, folder.path())?;
    screen("flat", options, rounds, size, folder.path(), &mut values)?;
    if !large {
        let task = Task { options, format: "png", size, window: Some(&flat.window), app: flat.app };
        values.add_all("window.png", task.measure(rounds, folder.path())?);
        let (alone, crowded) = crowd::measure(options, flat.app, rounds, folder.path())?;
        values.0.insert("crowd.alone".into(), json!(alone));
        values.0.insert("crowd.crowded".into(), json!(crowded));
    }
    drop(flat);

    let photograph = Photograph::show(size)?;
    screen("photo", options, rounds, size, folder.path(), &mut values)?;
    drop(photograph);
    println!("{}", Value::Object(values.0));
    Ok(())
}

/// What the screen shows now, by commands in both formats and in a warm server.
fn screen(
    name: &str,
    options: &Options,
    rounds: usize,
    size: (u16, u16),
    folder: &Path,
    values: &mut Values,
) -> Result<()> {
    for format in ["png", "jpeg"] {
        let task = Task { options, format, size, window: None, app: "" };
        values.add_all(&format!("{name}.{format}"), task.measure(rounds, folder)?);
    }
    values.add(&format!("warm.{name}"), &warm::measure(options, rounds * 2, folder)?);
    Ok(())
}

/// Medians by name.
struct Values(Map<String, Value>);

impl Values {
    fn add(&mut self, prefix: &str, series: &Series) {
        for (name, median) in series.medians() {
            self.0.insert(format!("{prefix}.{name}"), json!(median));
        }
    }

    fn add_all<'a>(&mut self, prefix: &str, programs: impl IntoIterator<Item = (&'a str, Series)>) {
        for (program, series) in programs {
            self.add(&format!("{prefix}.{program}"), &series);
        }
    }
}
