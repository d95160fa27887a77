//! Reads a tree or finds a button with the xa11y library, and prints what that took as one line of JSON.
//!
//! `xa11y-probe tree APP` or `xa11y-probe find APP TITLE`.

use std::error::Error;
use std::time::{Duration, Instant};
use xa11y::{App, AppExt, Element};

/// Elements, and how many of them are in view.
#[derive(Default)]
struct Count {
    nodes: usize,
    showing: usize,
}

/// Reads everything below `element` that is in view. Every element comes with role, name, states, extents, actions and value.
fn walk(element: &Element, depth: usize, count: &mut Count) -> Result<(), Box<dyn Error>> {
    count.nodes += 1;
    let visible = element.data().states.visible;
    count.showing += usize::from(visible);
    if !visible && depth >= 2 {
        return Ok(());
    }
    for child in element.children()? {
        walk(&child, depth + 1, count)?;
    }
    Ok(())
}

/// The application of this name, or of this process.
fn application(name: &str) -> Result<App, Box<dyn Error>> {
    Ok(match name.parse() {
        Ok(process) => App::by_pid(process, Duration::ZERO)?,
        Err(_) => App::by_name(name, Duration::ZERO)?,
    })
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["tree", name] => {
            let begun = Instant::now();
            let mut count = Count::default();
            walk(&application(name)?.as_element(), 0, &mut count)?;
            let cold = milliseconds(begun);
            let begun = Instant::now();
            walk(&application(name)?.as_element(), 0, &mut Count::default())?;
            let warm = milliseconds(begun);
            println!(
                "{}",
                serde_json::json!({"cold_ms": cold, "warm_ms": warm, "nodes": count.nodes, "showing": count.showing})
            );
        }
        ["find", name, title] => {
            let selector = format!("button[name=\"{title}\"]");
            let begun = Instant::now();
            let app = application(name)?;
            app.locator(&selector).element()?;
            let cold = milliseconds(begun);
            let begun = Instant::now();
            app.locator(&selector).element()?;
            let warm = milliseconds(begun);
            println!("{}", serde_json::json!({"cold_ms": cold, "warm_ms": warm}));
        }
        _ => return Err("usage: xa11y-probe tree APP | find APP TITLE".into()),
    }
    Ok(())
}
