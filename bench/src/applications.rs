//! The applications that are measured: started once, and known to be ready before anything is measured.

use crate::Result;
use crate::options::Options;
use crate::samples::probe;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// An application and a button that every tool can find in it.
pub struct Application {
    /// Short name, for the command line.
    pub key: &'static str,
    /// What the tables call it.
    pub title: &'static str,
    /// Its name on the accessibility bus.
    pub name: &'static str,
    /// Title of a button that is in view.
    pub button: &'static str,
    /// Elements that it has when it is ready, at least.
    at_least: u64,
}

/// All of them.
pub const ALL: [Application; 6] = [
    Application {
        key: "gtk3",
        title: "GTK 3: gtk3-widget-factory",
        name: "gtk3-widget-factory",
        button: "link button",
        at_least: 100,
    },
    Application {
        key: "gtk4",
        title: "GTK 4: gtk4-widget-factory",
        name: "gtk4-widget-factory",
        button: "togglebutton",
        at_least: 100,
    },
    Application { key: "qt5", title: "Qt 5: kcalc", name: "kcalc", button: "7", at_least: 60 },
    Application {
        key: "office",
        title: "LibreOffice Writer",
        name: "soffice",
        button: "Bold",
        at_least: 150,
    },
    Application {
        key: "firefox",
        title: "Firefox, page with 600 cells",
        name: "Firefox",
        button: "Order 7",
        at_least: 300,
    },
    Application {
        key: "chromium",
        title: "Chromium, page with 600 cells",
        name: "Chromium",
        button: "Order 7",
        at_least: 300,
    },
];

/// Chromium in a window that is nearly as large as the screen, with two items in each row: some 500 elements are in view.
pub const LARGE: Application = Application {
    key: "chromium-large",
    title: "Chromium, 1900x1050, page with 600 cells, 6 in a row",
    name: "Chromium",
    button: "Order 7",
    at_least: 300,
};

const START_UP: Duration = Duration::from_secs(90);

/// Programs that end with this value.
pub struct Running {
    children: Vec<Child>,
    folder: tempfile::TempDir,
}

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.children {
            // One that has ended by itself is as good; the private desktop ends what these leave behind.
            if child.kill().is_ok() && child.wait().is_err() {
                eprintln!("process {} cannot be waited for", child.id());
            }
        }
    }
}

/// A page with a table of 600 cells: a text, a button and a link for each of 200 items, so many of which share a row.
fn page(in_a_row: usize) -> String {
    let mut rows = String::new();
    for item in 0..200 {
        rows.push_str(if item % in_a_row == 0 { "<tr>" } else { "" });
        rows.push_str(&format!(
            "<td>Item {item}<td><button>Order {item}</button><td><a href=\"#{item}\">Details {item}</a>\n"
        ));
    }
    format!(
        "<!doctype html><meta charset=utf-8><title>Orders</title><h1>Orders</h1>\
         <form><label>Name <input></label><label>Notes <textarea></textarea></label>\
         <label>Amount <input type=range value=30></label><label><input type=checkbox> Agree</label></form>\
         <table>{rows}</table>"
    )
}

const FIREFOX_PREFERENCES: &str = r#"
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("browser.termsofuse.prompt.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("termsofuse.bypassNotification", true);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
user_pref("trailhead.firstrun.didSeeAboutWelcome", true);
"#;

fn command(key: &str, folder: &Path) -> Result<Command> {
    let (in_a_row, size) = if key == LARGE.key { (2, "1900,1050") } else { (1, "1000,800") };
    let file = folder.join("page.html");
    std::fs::write(&file, page(in_a_row))?;
    let page = format!("file://{}", file.display());
    let profile = folder.join(key);
    std::fs::create_dir_all(&profile)?;
    let mut command;
    match key {
        "gtk3" => command = Command::new("gtk3-widget-factory"),
        "gtk4" => command = Command::new("gtk4-widget-factory"),
        "qt5" => command = Command::new("kcalc"),
        "office" => {
            command = Command::new("soffice");
            command
                .args(["--norestore", "--nologo", "--nofirststartwizard", "--writer"])
                .arg(format!("-env:UserInstallation=file://{}", profile.display()))
                .env("SAL_USE_VCLPLUGIN", "gtk3");
        }
        "firefox" => {
            std::fs::write(profile.join("user.js"), FIREFOX_PREFERENCES)?;
            command = Command::new("firefox-esr");
            command.args(["--no-remote", "--profile"]).arg(&profile).arg(page);
        }
        _ => {
            command = Command::new("chromium");
            command
                .args(["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic", "--disable-sync"])
                .args([
                    "--disable-background-networking",
                    "--disable-component-update",
                    "--password-store=basic",
                ])
                .arg(format!("--window-size={size}"))
                .args(["--window-position=20,20", "--force-renderer-accessibility"])
                .arg(format!("--user-data-dir={}", profile.display()))
                .arg(page);
        }
    }
    // A GTK 4 animation on a software GL renderer can starve its own accessibility; Cairo draws as fast.
    command.env("GSK_RENDERER", "cairo").env("HOME", folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

/// Chromium with its page, and what it is called on the accessibility bus. `folder` is its home.
pub fn browser(folder: &Path) -> Result<(Command, &'static str)> {
    Ok((command("chromium", folder)?, "Chromium"))
}

/// Starts the applications that are asked for and waits until their trees have stopped growing.
pub fn start(options: &Options) -> Result<Running> {
    start_those(ALL.iter().filter(|application| options.wants_application(application.key)))
}

/// Starts one of them or [`LARGE`], for a measurement on it alone.
pub fn start_one(key: &str) -> Result<Running> {
    start_those(ALL.iter().chain([&LARGE]).filter(|application| application.key == key))
}

fn start_those<'a>(applications: impl Iterator<Item = &'a Application>) -> Result<Running> {
    let folder = tempfile::Builder::new().prefix("handeye-bench-").tempdir()?;
    let mut running = Running { children: Vec::new(), folder };
    for application in applications {
        let child = command(application.key, running.folder.path())?.spawn()?;
        running.children.push(child);
        wait_until_ready(application)?;
    }
    Ok(running)
}

fn wait_until_ready(application: &Application) -> Result<()> {
    let begun = Instant::now();
    let mut before = 0;
    let mut last = String::from("it was never asked");
    while begun.elapsed() < START_UP {
        let seen = probe(Command::new(std::env::current_exe()?).args(["probe", "tree", application.name]));
        let nodes = match seen {
            Ok(fields) => fields.get("nodes").and_then(serde_json::Value::as_u64).unwrap_or(0),
            Err(error) => {
                last = error.to_string();
                0
            }
        };
        if nodes >= application.at_least && nodes == before {
            eprintln!("{} is ready: {nodes} elements", application.title);
            return Ok(());
        }
        if nodes > 0 {
            last = format!("it has {nodes} elements");
        }
        before = nodes;
        std::thread::sleep(Duration::from_millis(300));
    }
    Err(format!("{} did not become ready: {last}", application.title).into())
}
