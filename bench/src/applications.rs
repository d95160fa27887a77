//! The applications that are measured: started once, and known to be ready before anything is measured.

use crate::Result;
use crate::options::Options;
use crate::processes;
use crate::samples::probe;
use rustix::process::{Pid, Signal, kill_process};
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
    /// The program by whose process it is known instead, where several applications have that name.
    process: Option<&'static str>,
    /// Title of a button that is in view.
    pub button: &'static str,
    /// Whether it has an element with 2^31 children. A program that asks for all of them gets no answer, and the application does nothing else for minutes.
    pub endless: bool,
    /// Elements that it has when it is ready, at least.
    at_least: u64,
}

impl Application {
    /// Whether no other one of them has its name.
    pub fn has_own_name(&self) -> bool {
        self.process.is_none()
    }
}

/// All of them.
pub const ALL: [Application; 7] = [
    Application {
        key: "gtk3",
        title: "GTK 3: gtk3-widget-factory",
        name: "gtk3-widget-factory",
        process: None,
        button: "link button",
        endless: false,
        at_least: 100,
    },
    Application {
        key: "gtk4",
        title: "GTK 4: gtk4-widget-factory",
        name: "gtk4-widget-factory",
        process: None,
        button: "togglebutton",
        endless: false,
        at_least: 100,
    },
    Application {
        key: "qt5",
        title: "Qt 5: kcalc",
        name: "kcalc",
        process: None,
        button: "7",
        endless: false,
        at_least: 60,
    },
    Application {
        key: "office",
        title: "LibreOffice Writer",
        name: "soffice",
        process: Some("soffice.bin"),
        button: "Bold",
        endless: false,
        at_least: 150,
    },
    Application {
        key: "calc",
        title: "LibreOffice Calc, 400 cells",
        name: "soffice",
        process: Some("soffice.bin"),
        button: "Bold",
        endless: true,
        at_least: 150,
    },
    Application {
        key: "firefox",
        title: "Firefox, page with 600 cells",
        name: "Firefox",
        process: None,
        button: "Order 7",
        endless: false,
        at_least: 300,
    },
    Application {
        key: "chromium",
        title: "Chromium, page with 600 cells",
        name: "Chromium",
        process: None,
        button: "Order 7",
        endless: false,
        at_least: 300,
    },
];

/// Chromium in a window that is nearly as large as the screen, with two items in each row: some 500 elements are in view.
pub const LARGE: Application = Application {
    key: "chromium-large",
    title: "Chromium, 1900x1050, page with 600 cells, 6 in a row",
    name: "Chromium",
    process: None,
    button: "Order 7",
    endless: false,
    at_least: 300,
};

const START_UP: Duration = Duration::from_secs(90);
/// For how long it has to be at rest, and for how many hundredths of a second it may work meanwhile.
const AT_REST_FOR: Duration = Duration::from_secs(2);
const AT_REST: u64 = 10;
/// Some are never at rest: they animate.
const AT_REST_WITHIN: Duration = Duration::from_secs(20);

/// An application that runs.
pub struct Started {
    /// Which one it is.
    pub known: &'static Application,
    /// How a program names it: by its name on the accessibility bus, or by the number of its process.
    pub app: String,
    /// The process that was started, from which its own one may descend.
    pub process: u32,
}

/// Programs that end with this value.
pub struct Running {
    children: Vec<Child>,
    started: Vec<Started>,
    folder: tempfile::TempDir,
}

impl Running {
    /// All of them, in the order of the tables.
    pub fn started(&self) -> &[Started] {
        &self.started
    }

    /// How a program names the one with this key.
    pub fn app(&self, key: &str) -> Result<&str> {
        let found = self.started.iter().find(|started| started.known.key == key);
        Ok(&found.ok_or_else(|| format!("{key} was not started"))?.app)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.children {
            // What a start script has started goes on without it.
            let below = processes::family(child.id()).unwrap_or_default();
            // One that has ended by itself is as good.
            if child.kill().is_ok() && child.wait().is_err() {
                eprintln!("process {} cannot be waited for", child.id());
            }
            for process in below.into_iter().skip(1).filter_map(|process| Pid::from_raw(process as i32)) {
                // The private desktop ends what is left behind.
                let _ = kill_process(process, Signal::KILL);
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

/// A spreadsheet of 50 rows and 8 columns: numbers, and a text in each first cell.
fn spreadsheet() -> String {
    let mut rows = String::new();
    for row in 1..=50 {
        rows.push_str(&format!(
            "<table:table-row><table:table-cell office:value-type=\"string\"><text:p>Order {row}</text:p></table:table-cell>"
        ));
        for column in 1..=7 {
            let value = row * column;
            rows.push_str(&format!(
                "<table:table-cell office:value-type=\"float\" office:value=\"{value}\"><text:p>{value}</text:p></table:table-cell>"
            ));
        }
        rows.push_str("</table:table-row>\n");
    }
    let name = |part: &str| format!("xmlns:{part}=\"urn:oasis:names:tc:opendocument:xmlns:{part}:1.0\"");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<office:document {} {} {} office:version=\"1.3\" \
         office:mimetype=\"application/vnd.oasis.opendocument.spreadsheet\"><office:body><office:spreadsheet>\
         <table:table table:name=\"Orders\">{rows}</table:table></office:spreadsheet></office:body></office:document>\n",
        name("office"),
        name("table"),
        name("text")
    )
}

/// Nothing is shown before or over the page, and nothing is fetched while it is measured.
const FIREFOX_PREFERENCES: &str = r#"
user_pref("app.normandy.enabled", false);
user_pref("app.update.enabled", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("browser.termsofuse.prompt.enabled", false);
user_pref("browser.translations.enable", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
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
        "office" => command = office("--writer", &profile),
        "calc" => {
            let file = folder.join("orders.fods");
            std::fs::write(&file, spreadsheet())?;
            command = office("--calc", &profile);
            command.arg(file);
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

/// An office of its own, with one of its programs.
fn office(program: &str, profile: &Path) -> Command {
    let mut command = Command::new("soffice");
    command
        .args(["--norestore", "--nologo", "--nofirststartwizard", program])
        .arg(format!("-env:UserInstallation=file://{}", profile.display()))
        .env("SAL_USE_VCLPLUGIN", "gtk3");
    command
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

fn start_those(applications: impl Iterator<Item = &'static Application>) -> Result<Running> {
    let folder = tempfile::Builder::new().prefix("handeye-bench-").tempdir()?;
    let mut running = Running { children: Vec::new(), started: Vec::new(), folder };
    for known in applications {
        let child = command(known.key, running.folder.path())?.spawn()?;
        let process = child.id();
        running.children.push(child);
        wait_until_at_rest(process)?;
        let app = wait_until_ready(known, process)?;
        running.started.push(Started { known, app, process });
    }
    Ok(running)
}

/// How a program names an application that was started as this process. An error where its own process has not come yet.
fn name_of(application: &Application, process: u32) -> Result<String> {
    let Some(program) = application.process else { return Ok(application.name.to_owned()) };
    let family = processes::family(process)?;
    let own = family.into_iter().find(|process| processes::program(*process).as_deref() == Some(program));
    Ok(own.ok_or_else(|| format!("{program} does not run"))?.to_string())
}

/// Elements that it shows now.
fn elements(application: &Application, process: u32) -> Result<(String, u64)> {
    let app = name_of(application, process)?;
    let seen = probe(Command::new(std::env::current_exe()?).args(["probe", "tree", &app]))?;
    Ok((app, seen.get("nodes").and_then(serde_json::Value::as_u64).unwrap_or(0)))
}

/// Waits until it hardly works any more, or until it is plain that it always does: a browser that somebody connects to while it loads a page has an
/// incomplete bulk load of that from then on, or not, as luck has it.
fn wait_until_at_rest(process: u32) -> Result<()> {
    let begun = Instant::now();
    let mut before = processes::worked(process)?;
    while begun.elapsed() < AT_REST_WITHIN {
        std::thread::sleep(AT_REST_FOR);
        let now = processes::worked(process)?;
        if now.saturating_sub(before) <= AT_REST {
            break;
        }
        before = now;
    }
    Ok(())
}

/// Waits until its tree has stopped growing; how a program names it.
fn wait_until_ready(application: &Application, process: u32) -> Result<String> {
    let begun = Instant::now();
    let mut before = 0;
    let mut last = String::from("it was never asked");
    while begun.elapsed() < START_UP {
        match elements(application, process) {
            Ok((app, nodes)) if nodes >= application.at_least && nodes == before => {
                eprintln!("{} is ready: {nodes} elements", application.title);
                return Ok(app);
            }
            Ok((_, nodes)) => {
                last = format!("it has {nodes} elements");
                before = nodes;
            }
            Err(error) => {
                last = error.to_string();
                before = 0;
            }
        }
        std::thread::sleep(Duration::from_millis(300));
    }
    Err(format!("{} did not become ready: {last}", application.title).into())
}
