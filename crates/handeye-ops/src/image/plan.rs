//! Which pictures a target means, before any of them is taken.

use super::capture_focus::CaptureFocus;
use super::target::{FORMS, Target};
use super::{path, waking};
use crate::shown::{Shown, shown_first};
use handeye_call::call::Call;
use handeye_core::platform::{CaptureTarget, WindowPart};
use handeye_core::{Application, Argument, Error, ErrorCode, Invocation, Monitor, Rect, Result, Text, text};
use handeye_engine::Engine;
use handeye_shots::Subject;
use handeye_shots::on_screen::check_captures;
use handeye_tree::describe::quote;

/// Most pictures of one call.
const MAX_PICTURES: usize = 32;

/// The pictures that a target means.
pub(super) struct Plan {
    /// One or more.
    pub(super) items: Vec<Item>,
    /// The monitors at that moment.
    pub(super) monitors: Vec<Monitor>,
    /// What the caller has to know of what is left out or was done otherwise.
    pub(super) notes: Vec<Text>,
}

/// A picture to take.
pub(super) struct Item {
    pub(super) target: CaptureTarget,
    pub(super) subject: Subject,
    /// The part of the screen that it is going to show.
    pub(super) area: Option<Rect>,
    /// `Display 1 / Main`, or the title of the window.
    pub(super) label: String,
    /// What distinguishes it from the others in a generated file name.
    pub(super) suffix: String,
    pub(super) window: Option<OfWindow>,
    /// Whether it is of a window that was minimized until now.
    pub(super) woken: bool,
}

/// The window that a picture is of.
pub(super) struct OfWindow {
    pub(super) title: String,
    pub(super) id: u64,
    pub(super) index: usize,
}

impl Plan {
    /// Finds out which pictures `target` means. In the foreground the window is activated first.
    pub(super) async fn of(
        engine: &Engine,
        call: &Call,
        target: &Target,
        focus: CaptureFocus,
    ) -> Result<Self> {
        let screen = engine.desk.platform.screen.as_ref();
        check_captures(screen).await?;
        if matches!(target, Target::WindowTitle { .. }) {
            let what = "no window can be found by its title";
            screen.capabilities().await?.titles.require(what)?;
        }
        let Some(name) = target.application() else { return screens(engine, target).await };
        let found = engine.desk.applications_named_or_ask(call, name, "app_target").await;
        let applications = found.map_err(|error| {
            let grammar = error.code == ErrorCode::AppNotFound && name.contains(':');
            if grammar { error.with_next(FORMS) } else { error }
        })?;
        let windows = Windows::of(engine, applications).await?;
        let mut notes = Vec::new();
        let wanted = windows.wanted(target, &mut notes)?;
        let windows = match (focus, wanted.first()) {
            (CaptureFocus::Foreground, Some(first)) => {
                notes.extend(bring_forward(engine, first).await);
                // Activating brings a minimized window back.
                windows.again(engine).await?
            }
            _ => windows,
        };
        windows.plan(target, &wanted, notes)
    }
}

/// Activates a window; returns a note if that did not work, as the picture can be taken anyway.
async fn bring_forward(engine: &Engine, numbered: &Numbered) -> Option<Text> {
    let _held = engine.desk.memory.lock_seat().await;
    let window = &numbered.shown.window;
    let seat = engine.desk.platform.seats.user.as_ref();
    let mut forward = engine.desk.bring_forward(seat, window.id).await;
    if forward.is_ok() && window.minimized {
        forward = waking::mapped(engine, window.id).await;
    }
    forward.err().map(|error| {
        format!(
            "Warning: \"{}\" could not be brought to the front ({}); it is captured as it is.",
            quote(&window.title),
            error.message
        )
        .into()
    })
}

async fn screens(engine: &Engine, target: &Target) -> Result<Plan> {
    let monitors = engine.desk.platform.screen.monitors().await?;
    let numbers: Vec<usize> = match target {
        Target::Screen(index) => {
            let index = *index as usize;
            if index >= monitors.len() {
                return Err(no_such_screen(index, &monitors));
            }
            vec![index]
        }
        _ => (0..monitors.len()).collect(),
    };
    if numbers.is_empty() {
        return Err(Error::new(ErrorCode::CaptureFailed, "this desktop has no monitor"));
    }
    let items = numbers
        .into_iter()
        .map(|index| {
            let main = index == 0;
            Item {
                target: CaptureTarget::Region(monitors[index].area),
                subject: Subject::Screen,
                area: Some(monitors[index].area),
                label: format!("Display {}{}", index + 1, if main { " / Main" } else { "" }),
                suffix: format!("_display{index}{}", if main { "_main" } else { "" }),
                window: None,
                woken: false,
            }
        })
        .collect();
    Ok(Plan { items, monitors, notes: Vec::new() })
}

fn no_such_screen(index: usize, monitors: &[Monitor]) -> Error {
    let last = monitors.len().saturating_sub(1);
    Error::new(ErrorCode::InvalidParameter, format!("there is no screen {index}: the last one is {last}"))
        .with_found(monitors.iter().enumerate().map(|(index, monitor)| {
            let area = monitor.area;
            format!("screen:{index}: {}x{} at ({}, {})", area.width, area.height, area.x, area.y)
        }))
        .with_next("Screens count from 0; without app_target every screen is captured.")
}

/// The windows of the applications that were named.
struct Windows {
    applications: Vec<Application>,
    monitors: Vec<Monitor>,
    list: Vec<Numbered>,
}

/// A window and its number in the list of `list` (`application_windows`).
#[derive(Clone)]
struct Numbered {
    index: usize,
    shown: Shown,
    /// Whether it was minimized and is not any more.
    woken: bool,
}

impl Numbered {
    /// A line for an error.
    fn line(&self) -> String {
        let state = if self.shown.window.minimized { " (minimized)" } else { "" };
        format!("{}: \"{}\"{state}", self.index, quote(&self.shown.window.title))
    }
}

impl Windows {
    async fn of(engine: &Engine, applications: Vec<Application>) -> Result<Self> {
        let windows = engine.desk.platform.screen.windows().await?;
        let monitors = engine.desk.platform.screen.monitors().await?;
        let list = shown_first(windows, &applications, &monitors)
            .into_iter()
            .enumerate()
            .map(|(index, shown)| Numbered { index, shown, woken: false })
            .collect();
        Ok(Self { applications, monitors, list })
    }

    /// The same windows with the numbers that they had, as they are now.
    async fn again(self, engine: &Engine) -> Result<Self> {
        let now = Self::of(engine, self.applications).await?;
        let renumbered = self.list.into_iter().filter_map(|before| {
            let was = &before.shown.window;
            let now = now.list.iter().find(|now| now.shown.window.id == was.id)?;
            let woken = was.minimized && !now.shown.window.minimized;
            Some(Numbered { index: before.index, shown: now.shown.clone(), woken })
        });
        Ok(Self { list: renumbered.collect(), ..now })
    }

    /// The windows that the target means, minimized ones too.
    fn wanted(&self, target: &Target, notes: &mut Vec<Text>) -> Result<Vec<Numbered>> {
        if self.list.is_empty() {
            return Err(Error::new(ErrorCode::WindowNotFound, format!("{} has no window", self.whose()))
                .with_next(text![
                    "It may still be starting, or run without a window; ",
                    Invocation::of("list"),
                    " names the applications."
                ]));
        }
        match target {
            Target::WindowIndex { index, .. } => {
                let numbered = self.list.get(*index as usize).ok_or_else(|| {
                    let last = self.list.len() - 1;
                    self.no_window(format!("{} has no window {index}: the last one is {last}", self.whose()))
                })?;
                Ok(vec![numbered.clone()])
            }
            Target::WindowTitle { title, .. } => {
                let titled = titled(&self.list, title);
                let Some(first) = titled.first() else {
                    return Err(self.no_window(format!("no window of {} has this title", self.whose())));
                };
                if titled.len() > 1 {
                    let windows = titled.len();
                    let this = format!("this is the topmost one, WINDOW_INDEX:{}.", first.index);
                    notes.push(format!("{windows} windows have this title; {this}").into());
                }
                Ok(vec![(*first).clone()])
            }
            _ => Ok(self.list.clone()),
        }
    }

    fn plan(self, target: &Target, wanted: &[Numbered], mut notes: Vec<Text>) -> Result<Plan> {
        let single = matches!(target, Target::WindowIndex { .. } | Target::WindowTitle { .. });
        let now: Vec<&Numbered> = wanted
            .iter()
            .filter_map(|wanted| self.list.iter().find(|now| now.shown.window.id == wanted.shown.window.id))
            .collect();
        let (visible, minimized): (Vec<&Numbered>, Vec<&Numbered>) =
            now.into_iter().partition(|numbered| !numbered.shown.window.minimized);
        if visible.is_empty() {
            return Err(match minimized.first() {
                Some(window) if single => minimized_window(window),
                Some(_) => {
                    self.no_window(format!("{} has no visible window: all are minimized", self.whose()))
                }
                None => self.no_window(format!("the window of {} was closed", self.whose())),
            });
        }
        notes.extend(
            minimized
                .iter()
                .map(|window| format!("Skipped window {}: it has no pixels.", window.line()).into()),
        );
        if visible.len() > MAX_PICTURES {
            let left_out = visible.len() - MAX_PICTURES;
            let next = format!("WINDOW_INDEX:{MAX_PICTURES} is the next one.");
            notes.push(format!("Left out {left_out} windows; {next}").into());
        }
        let items = visible.into_iter().take(MAX_PICTURES).map(|numbered| self.item(numbered)).collect();
        Ok(Plan { items, monitors: self.monitors, notes })
    }

    fn item(&self, numbered: &Numbered) -> Item {
        let Numbered { index, shown: Shown { window, .. }, woken } = numbered;
        let owner =
            self.applications.iter().find(|application| handeye_act::naming::belongs(window, application));
        let owner = owner.map_or_else(String::new, |application| path::word(&application.name));
        let label = if window.title.is_empty() { format!("Window {index}") } else { window.title.clone() };
        Item {
            target: CaptureTarget::Window(window.id, WindowPart::Content),
            subject: Subject::Window(window.id),
            area: window.content(),
            label,
            suffix: format!("_{owner}_window{index}"),
            window: Some(OfWindow { title: window.title.clone(), id: window.id.number(), index: *index }),
            woken: *woken,
        }
    }

    fn no_window(&self, message: String) -> Error {
        Error::new(ErrorCode::WindowNotFound, message)
            .with_found(self.list.iter().take(MAX_PICTURES).map(Numbered::line))
            .with_next("Name one of them as App:WINDOW_INDEX:number.")
    }

    /// The applications, for a sentence.
    fn whose(&self) -> String {
        let names: Vec<String> =
            self.applications.iter().map(|application| format!("'{}'", quote(&application.name))).collect();
        names.join(" and ")
    }
}

fn minimized_window(window: &Numbered) -> Error {
    Error::new(ErrorCode::WindowMinimized, format!("window {} has no pixels: it is minimized", window.line()))
        .with_next(text![
            Argument::new("capture_focus", "foreground"),
            " brings it up first (that takes the focus)."
        ])
}

/// The windows of a title: those whose title is exactly that, else but for capitals, else of which it is a part.
fn titled<'a>(windows: &'a [Numbered], title: &str) -> Vec<&'a Numbered> {
    let lower = title.to_lowercase();
    let fits: [&dyn Fn(&str) -> bool; 3] =
        [&|other| other.trim() == title, &|other| other.trim().to_lowercase() == lower, &|other| {
            other.to_lowercase().contains(&lower)
        }];
    fits.into_iter()
        .map(|fits| windows.iter().filter(|window| fits(&window.shown.window.title)).collect::<Vec<_>>())
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}
