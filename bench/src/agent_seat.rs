//! Actions in the background by a seat of the agent's own, beside xdotool, which takes the focus for them.

use crate::Result;
use crate::applications;
use crate::mcp_client::Client;
use crate::options::Options;
use crate::report::{Report, ms, verdict};
use crate::samples::Samples;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How much longer than xdotool's an action may take until its answer.
const TARGET_MS: f64 = 100.0;
const START_UP: Duration = Duration::from_mins(1);
/// How long an effect may take.
const EFFECT: Duration = Duration::from_secs(10);
/// Time between two looks at an effect that xdotool has caused.
const LOOK: Duration = Duration::from_millis(1);
/// Between two actions, so that each begins without a seat of an agent: one goes a second after its last action, and Chromium takes no keys
/// of the user until then.
const REST: Duration = Duration::from_millis(2_500);
/// What the titles of the fixtures are: each acts in one of its own, as an element that another one changes proves nothing to handeye.
const TITLE: &str = "Fixture of handeye";
const THEIR_TITLE: &str = "Fixture of xdotool";
/// A page that shows in its title what was typed.
const PAGE: &str = "<!doctype html><meta charset=utf-8><title>Page</title><label>Name <input \
                    oninput=\"document.title = this.value\"></label>";

/// A program that ends with this value.
struct Program(Child);

impl Program {
    fn start(command: &mut Command) -> Result<Self> {
        Ok(Self(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if self.0.kill().is_ok() && self.0.wait().is_err() {
            eprintln!("process {} cannot be waited for", self.0.id());
        }
    }
}

/// The windows, the client and the state of the fixture.
struct Scene {
    client: Client,
    user: String,
    fixture: String,
    theirs: String,
    page: String,
    /// The state of xdotool's fixture.
    state: PathBuf,
    programs: [Program; 4],
    _folder: tempfile::TempDir,
}

/// One action by both.
struct Case {
    name: &'static str,
    /// The call of handeye in this round.
    call: fn(&Scene, usize) -> (&'static str, Value),
    /// The words for xdotool in this round, once the window is active.
    words: fn(&Places, usize) -> String,
    /// Whether the effect of xdotool's is there, beside the state from before.
    happened: fn(&Scene, &Value, usize) -> Result<bool>,
    in_page: bool,
}

/// Points on the screen.
struct Places {
    multi: (i64, i64),
    source: (i64, i64),
    target: (i64, i64),
    field: (i64, i64),
}

const CASES: [Case; 4] = [
    Case {
        name: "double click (GTK 3)",
        call: |scene, _| {
            (
                "ax_click",
                json!({"app": scene.fixture(), "query": "role:button Multi", "click_type": "double"}),
            )
        },
        words: |places, _| {
            let (x, y) = places.multi;
            format!("mousemove {x} {y} click --repeat 2 --delay 20 1")
        },
        happened: |scene, before, _| Ok(scene.state()?["double"] != before["double"]),
        in_page: false,
    },
    Case {
        name: "drag (GTK 3)",
        call: |scene, _| {
            let ends = json!({"app": scene.fixture(), "from_query": "Drag source", "to_query": "Drop target",
                              "duration_ms": 100});
            ("ax_drag", ends)
        },
        words: |places, _| {
            let ((x, y), (to_x, to_y)) = (places.source, places.target);
            let mut words = format!("mousemove {x} {y} mousedown 1");
            for step in 1..=10 {
                let (x, y) = (x + (to_x - x) * step / 10, y + (to_y - y) * step / 10);
                words.push_str(&format!(" mousemove {x} {y} sleep 0.01"));
            }
            words.push_str(&format!(" sleep 0.1 mousemove {} {to_y} sleep 0.05 mouseup 1", to_x + 1));
            words
        },
        happened: |scene, before, _| Ok(scene.state()?["dropped"] != before["dropped"]),
        in_page: false,
    },
    Case {
        name: "chord (GTK 3)",
        call: |scene, round| {
            ("ax_key_press", json!({"app": scene.fixture(), "key": chord(round), "modifiers": ["ctrl"]}))
        },
        words: |_, round| format!("key ctrl+{}", chord(round)),
        happened: |scene, _, round| Ok(scene.state()?["chord"] == format!("ctrl+{}", chord(round))),
        in_page: false,
    },
    Case {
        name: "40 characters into a page (Chromium)",
        call: |_, round| {
            let text = typed("h", round);
            (
                "ax_type",
                json!({"app": "Chromium", "query": "role:textbox Name", "text": text, "clear_first": true}),
            )
        },
        words: |places, round| {
            let (x, y) = places.field;
            format!("mousemove {x} {y} click 1 key ctrl+a type --delay 1 {}", typed("x", round))
        },
        happened: |scene, _, round| {
            let title = Command::new("xdotool").args(["getwindowname", &scene.page]).output()?;
            Ok(String::from_utf8_lossy(&title.stdout).starts_with(&typed("x", round)))
        },
        in_page: true,
    },
];

/// A key that the round before does not have.
fn chord(round: usize) -> &'static str {
    ["k", "m"][round % 2]
}

/// A text of 40 characters that no other round has.
fn typed(by: &str, round: usize) -> String {
    format!("{by}{round:039}")
}

/// Measures each action by both programs in turns.
pub fn measure(options: &Options, report: &mut Report) -> Result<()> {
    let mut scene = Scene::start(options)?;
    let places = scene.places()?;
    report.section("Actions in the background");
    report.say(
        "A user's window has the focus. handeye acts in another one by the agent's own seat, until its answer says that the effect is \
         confirmed; its seat is made again where it has rested. xdotool activates that window, acts, and is timed until the application's \
         own state shows the effect; that it has taken the focus, and gives it back, is not in its time.",
    );
    let head = ["", "handeye, in the background", "xdotool, with the focus", "target", ""];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for case in &CASES {
        let (mut own, mut theirs) = (Samples::default(), Samples::default());
        for round in 0..options.rounds {
            own.push(scene.by_handeye(case, round)?);
            theirs.push(scene.by_xdotool(case, &places, round)?);
        }
        let (own, theirs) = (own.median(), theirs.median());
        let target = theirs.map(|value| value + TARGET_MS);
        let reached = own.zip(target).is_some_and(|(own, target)| own < target);
        report.ratio(case.name, "xdotool ÷ handeye", theirs, own);
        rows.push(vec![case.name.to_owned(), ms(own), ms(theirs), ms(target), verdict(reached).to_owned()]);
    }
    report.table(&rows);
    Ok(())
}

impl Scene {
    fn start(options: &Options) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("handeye-bench-").tempdir()?;
        let applications = options.scripts.join("../apps");
        let log = folder.path().join("fixture.log");
        let python = |script: &str, log: &Path| {
            let mut command = Command::new("/usr/bin/python3");
            command.arg(applications.join(script)).env("APP_LOG", log);
            command
        };
        let fixture = Program::start(python("gtk3_app.py", &log).arg(TITLE))?;
        let log = folder.path().join("theirs.log");
        let theirs = Program::start(python("gtk3_app.py", &log).arg(THEIR_TITLE))?;
        let (mut browser, _) = applications::browser(folder.path())?;
        std::fs::write(folder.path().join("page.html"), PAGE)?;
        let browser = Program::start(&mut browser)?;
        let user = Program::start(&mut python("bystander.py", &folder.path().join("user.log")))?;
        let page = window("^Page")?;
        // Beside the fixtures, not over them; of those, each is raised when it is acted in.
        xdotool(&format!("windowmove --sync {page} 950 20"))?;
        for title in [TITLE, THEIR_TITLE] {
            xdotool(&format!("windowmove {} 20 40", window(title)?))?;
        }
        Ok(Self {
            client: Client::start(options)?,
            user: window("^Bystander$")?,
            fixture: window(TITLE)?,
            theirs: window(THEIR_TITLE)?,
            page,
            state: folder.path().join("theirs.log.state"),
            programs: [fixture, theirs, browser, user],
            _folder: folder,
        })
    }

    /// The process of the own fixture, by which its calls name it.
    fn fixture(&self) -> String {
        self.programs[0].0.id().to_string()
    }

    /// The process of xdotool's fixture.
    fn their_fixture(&self) -> String {
        self.programs[1].0.id().to_string()
    }

    fn state(&self) -> Result<Value> {
        Ok(serde_json::from_str(&std::fs::read_to_string(&self.state)?)?)
    }

    fn places(&mut self) -> Result<Places> {
        let fixture = self.their_fixture();
        Ok(Places {
            multi: self.middle(&fixture, "role:button Multi")?,
            source: self.middle(&fixture, "Drag source")?,
            target: self.middle(&fixture, "Drop target")?,
            field: self.middle("Chromium", "role:textbox Name")?,
        })
    }

    /// The middle of an element, as soon as the application shows it.
    fn middle(&mut self, app: &str, query: &str) -> Result<(i64, i64)> {
        let begun = Instant::now();
        loop {
            match self.client.tool("ax_find", &json!({"app": app, "query": query})) {
                Ok(found) => {
                    let found = &found["structuredContent"];
                    let number = |field: &str, place: usize| {
                        found[field][place].as_i64().ok_or_else(|| format!("{query} has no place"))
                    };
                    let across = number("position", 0)? + number("size", 0)? / 2;
                    return Ok((across, number("position", 1)? + number("size", 1)? / 2));
                }
                Err(error) if begun.elapsed() > START_UP => return Err(error),
                Err(_) => std::thread::sleep(Duration::from_millis(100)),
            }
        }
    }

    /// Gives the user's window the focus, and uncovers the fixture of handeye.
    fn rest(&self) -> Result<()> {
        xdotool(&format!("windowraise {} windowactivate --sync {}", self.fixture, self.user))?;
        std::thread::sleep(REST);
        Ok(())
    }

    fn by_handeye(&mut self, case: &Case, round: usize) -> Result<f64> {
        self.rest()?;
        let (tool, arguments) = (case.call)(self, round);
        let begun = Instant::now();
        let answer = self.client.tool(tool, &arguments)?;
        let taken = begun.elapsed();
        let effect = &answer["structuredContent"]["effect"];
        if effect["status"] != "confirmed" || effect["route"] != "agent_seat" {
            return Err(format!("{}: {effect}", case.name).into());
        }
        Ok(taken.as_secs_f64() * 1000.0)
    }

    fn by_xdotool(&self, case: &Case, places: &Places, round: usize) -> Result<f64> {
        self.rest()?;
        let before = self.state()?;
        let window = if case.in_page { &self.page } else { &self.theirs };
        let words = format!("windowactivate --sync {window} {}", (case.words)(places, round));
        let begun = Instant::now();
        xdotool(&words)?;
        while !(case.happened)(self, &before, round)? {
            if begun.elapsed() > EFFECT {
                return Err(format!("{}: xdotool had no effect", case.name).into());
            }
            std::thread::sleep(LOOK);
        }
        Ok(begun.elapsed().as_secs_f64() * 1000.0)
    }
}

fn xdotool(words: &str) -> Result<()> {
    let status = Command::new("xdotool").args(words.split(' ')).status()?;
    if status.success() { Ok(()) } else { Err(format!("xdotool {words}: {status}").into()) }
}

/// The window with this title, as soon as it is there.
fn window(title: &str) -> Result<String> {
    let begun = Instant::now();
    while begun.elapsed() < START_UP {
        let found = Command::new("xdotool").args(["search", "--onlyvisible", "--name", title]).output()?;
        if let Some(first) = String::from_utf8_lossy(&found.stdout).lines().next() {
            return Ok(first.to_owned());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Err(format!("no window {title} came").into())
}
