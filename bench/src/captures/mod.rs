//! Screenshots: whole commands beside those of the peers, and a warm server beside the floor.
//!
//! Each size of the screen is a private desktop of its own, in which a probe measures and prints what it found.

mod commands;
mod crowd;
mod grabber;
mod probe;
mod screens;
mod warm;

pub use probe::run;

use crate::Result;
use crate::options::Options;
use crate::report::{Report, against, ms, verdict};
use crate::samples;
use std::collections::BTreeMap;
use std::process::Command;

/// Sizes of the screen.
const SIZES: [&str; 2] = ["1920x1080", "3840x2160"];
/// What a screen shows: the name of its values, and how the tables call it.
const SCREENS: [(&str, &str); 2] =
    [("flat", "flat UI (a page in Chromium, full screen)"), ("photo", "a photograph")];
const FORMATS: [(&str, &str); 2] = [("png", "PNG"), ("jpeg", "JPEG")];
/// How much larger than that of any peer a file may be.
const SIZE: f64 = 1.10;
/// How many times the floor a PNG file from a warm server may take, and an inline picture beside the file.
const FILE_FLOORS: f64 = 1.5;
const INLINE_FLOORS: f64 = 3.0;
/// How much ten captures in flight may slow a tree read.
const CROWD: f64 = 1.25;

/// What a probe measured, by name: `flat.png.scrot.ms`.
struct Values(BTreeMap<String, f64>);

impl Values {
    fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }
}

/// Measures both sizes and writes the tables.
pub fn measure(options: &Options, report: &mut Report) -> Result<()> {
    report.section("Captures");
    report.say(
        "Whole commands from their start to their end, then a warm server. Quality 80 for JPEG where a program has that scale \
         (maim 8 of 10, ffmpeg `-q:v 3`); PSNR is against the screen itself. “Memory” is the peak of one run (`time -f %M`). \
         Sizes and times of the peers are also given as multiples of handeye's.",
    );
    for size in SIZES {
        let values = probe_at(options, size)?;
        for (screen, shown) in SCREENS {
            for (format, name) in FORMATS {
                commands_table(
                    report,
                    &values,
                    &format!("{screen}.{format}"),
                    &format!("{size}, {shown}, {name}"),
                );
            }
        }
        if values.get("window.png.handeye.ms").is_some() {
            commands_table(report, &values, "window.png", &format!("{size}, one window, PNG"));
        }
        for (screen, shown) in SCREENS {
            warm_table(report, &values, screen, &format!("{size}, {shown}, warm server"), size == SIZES[0]);
        }
        if size == SIZES[0] {
            crowd_table(report, &values);
        }
    }
    Ok(())
}

fn probe_at(options: &Options, size: &str) -> Result<Values> {
    eprintln!("   {size}");
    let mut command = Command::new(&options.handeye);
    command.args(["desktop", "run", "--size", size, "--"]).arg(std::env::current_exe()?);
    command.args(["probe", "captures"]).args(options.words());
    let fields = samples::probe(&mut command)?;
    Ok(Values(fields.into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?))).collect()))
}

fn commands_table(report: &mut Report, values: &Values, row: &str, title: &str) {
    let value = |program: &str, what: &str| values.get(&format!("{row}.{program}.{what}"));
    let with_psnr = value("handeye", "psnr").is_some();
    let mut table = vec![vec![title.to_owned(), "time".into(), "file".into(), "memory".into()]];
    if with_psnr {
        table[0].push("PSNR".into());
    }
    let own_size = value("handeye", "bytes");
    let (mut fastest, mut small) = (true, true);
    for program in commands::PROGRAMS {
        let Some(time) = value(program, "ms") else { continue };
        let bytes = value(program, "bytes");
        let mut cells = vec![
            program.to_owned(),
            against(Some(time), value("handeye", "ms")),
            bytes.zip(own_size).map_or("–".into(), |(bytes, own)| {
                format!("{:.0} kB ({:.2}×)", bytes / 1000.0, bytes / own)
            }),
            value(program, "kilobytes")
                .map_or("–".into(), |kilobytes| format!("{:.0} MB", kilobytes / 1024.0)),
        ];
        if with_psnr {
            cells.push(value(program, "psnr").map_or("–".into(), |decibels| format!("{decibels:.1} dB")));
        }
        if program != "handeye" {
            report.ratio(title, &format!("{program} ÷ handeye, time"), Some(time), value("handeye", "ms"));
        }
        fastest &= value("handeye", "ms").is_some_and(|own| own <= time);
        small &= own_size.zip(bytes).is_some_and(|(own, bytes)| own <= bytes * SIZE);
        table.push(cells);
    }
    report.table(&table);
    report.say(&format!(
        "Fastest of all: {}. No more than 10 % larger than any peer's file: {}.",
        verdict(fastest),
        verdict(small)
    ));
}

fn warm_table(report: &mut Report, values: &Values, screen: &str, title: &str, has_target: bool) {
    let value = |what: &str| values.get(&format!("warm.{screen}.{what}"));
    let kilobytes =
        |what: &str| value(what).map_or(String::new(), |bytes| format!("{:.0} kB", bytes / 1000.0));
    let floor = value("grab").zip(value("encode")).map(|(grab, encode)| grab + encode);
    let floors = |time: Option<f64>| match (time, floor) {
        (Some(time), Some(floor)) => format!("{} ({:.2} floors)", ms(Some(time)), time / floor),
        _ => ms(time),
    };
    let row = |title: &str, what: &str| {
        [
            title.to_owned(),
            floors(value(&format!("{what} all"))),
            floors(value(what)),
            ms(value(&format!("{what} again"))),
            kilobytes(&format!("{what} bytes")),
        ]
    };
    let floor_row = |title: &str, what: &str, size: &str| {
        let (time, nothing) = (ms(value(what)), String::new());
        [title.to_owned(), time, nothing.clone(), nothing, kilobytes(size)]
    };
    let rows: [[String; 5]; 6] = [
        [title, "all was drawn again", "8x8 pixels were drawn", "nothing was drawn", "size"]
            .map(str::to_owned),
        row("`ax_screenshot` to a PNG file, over stdio", "file"),
        row("`ax_screenshot` with the scaled picture inline, and the file", "inline"),
        row("`image` to a JPEG file", "jpeg"),
        floor_row("floor: `XShmGetImage`", "grab", ""),
        floor_row("floor: the fastest PNG encoder (`png`, Fastest) of that screen", "encode", "encode bytes"),
    ];
    report.table(&rows.map(Vec::from));
    for (what, shown) in
        [("file all", "PNG file"), ("inline all", "inline picture"), ("jpeg all", "JPEG file")]
    {
        let name = format!("floor ÷ handeye, {shown}, all drawn again");
        report.ratio(title, &name, floor, value(what));
    }
    for (what, shown) in [("file", "PNG file"), ("inline", "inline picture"), ("jpeg", "JPEG file")] {
        report.ratio(title, &format!("floor ÷ handeye, {shown}"), floor, value(what));
    }
    if has_target && let Some(floor) = floor {
        let reached = |what: &str, most: f64| verdict(value(what).is_some_and(|time| time <= floor * most));
        report.say(&format!(
            "File within {FILE_FLOORS} floors: {} where all was drawn again, {} where a few pixels were. Inline within {INLINE_FLOORS:.0} floors: {} and {}. \
             Peak memory of the server after all of them: {:.0} MB.",
            reached("file all", FILE_FLOORS),
            reached("file", FILE_FLOORS),
            reached("inline all", INLINE_FLOORS),
            reached("inline", INLINE_FLOORS),
            value("kilobytes").unwrap_or(f64::NAN) / 1024.0
        ));
    }
}

fn crowd_table(report: &mut Report, values: &Values) {
    let (alone, crowded) = (values.get("crowd.alone"), values.get("crowd.crowded"));
    report.table(&[
        ["Reading a tree (`ax_get_tree`), one server", "time"].map(str::to_owned).to_vec(),
        vec!["alone".into(), ms(alone)],
        vec![
            "ten captures to PNG files always in flight".into(),
            against(crowded, alone).replace('×', " times"),
        ],
    ]);
    let reached = alone.zip(crowded).is_some_and(|(alone, crowded)| crowded <= alone * CROWD);
    report.say(&format!("No more than a quarter slower: {}.", verdict(reached)));
}
