//! Private desktops from outside: what they offer, and that nothing is left of them, however they end.
//!
//! The example `private-desktop` is the supervisor here, as `handeye` is in the product, and the process that is killed.

use handeye_linux::desktop::{Options, PrivateDesktop, SUPERVISOR_ARGUMENT};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_secs(60);

/// The example's executable, which cargo builds before these tests, beside them.
fn example() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its executable");
    let build = test.parent().and_then(Path::parent).expect("tests are in target/PROFILE/deps");
    build.join("examples/private-desktop")
}

/// A runtime folder of the test's own, so that what is left in it is this test's.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        Self(tempfile::Builder::new().prefix("hd").tempdir_in("/tmp").expect("a scratch folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, script: &str) -> Command {
        let mut command = Command::new(example());
        command.args(["sh", "-c", script]).env("XDG_RUNTIME_DIR", self.path()).env_remove("HANDEYE_DESKTOP");
        command
    }

    /// Waits until no process carries the scratch folder in its environment, and no file is left in it.
    fn expect_nothing_left(&self, display: &str) {
        let number = display.trim_start_matches(':');
        wait_for("the end of everything", || {
            let processes = processes_in(self.path());
            let socket = PathBuf::from(format!("/tmp/.X11-unix/X{number}"));
            let traces: Vec<PathBuf> = [socket].into_iter().filter(|path| nobody_listens_at(path)).collect();
            let files = fs::read_dir(self.path()).expect("the scratch folder").count();
            if processes.is_empty() && traces.is_empty() && files == 0 {
                Ok(())
            } else {
                Err(format!("processes {processes:?}, display {traces:?}, {files} files"))
            }
        });
    }
}

/// Another desktop may have taken the display number already: then the socket is alive.
fn nobody_listens_at(socket: &Path) -> bool {
    UnixStream::connect(socket).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}

fn processes_in(folder: &Path) -> Vec<String> {
    let needle = folder.to_str().expect("plain").as_bytes();
    let own = std::process::id().to_string();
    fs::read_dir("/proc")
        .expect("proc")
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy() != own)
        .filter(|entry| {
            fs::read(entry.path().join("environ"))
                .is_ok_and(|text| text.windows(needle.len()).any(|window| window == needle))
        })
        .map(|entry| {
            let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            format!("{} {}", entry.file_name().to_string_lossy(), name.trim())
        })
        .collect()
}

fn wait_for<T>(what: &str, mut check: impl FnMut() -> Result<T, String>) -> T {
    let started = Instant::now();
    loop {
        match check() {
            Ok(value) => return value,
            Err(state) => assert!(started.elapsed() < DEADLINE, "waited in vain for {what}: {state}"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts a command that prints its display and then goes on, and reads that.
fn start(command: &mut Command) -> (Running, String) {
    let mut child = Running(command.stdout(Stdio::piped()).spawn().expect("the example starts"));
    let mut line = String::new();
    BufReader::new(child.0.stdout.take().expect("piped")).read_line(&mut line).expect("the command prints");
    (child, line.trim().to_owned())
}

/// A child that a test which fails does not leave behind.
struct Running(Child);

impl Running {
    fn id(&self) -> u32 {
        self.0.id()
    }

    /// Waits for its end, but not for ever.
    fn wait(&mut self) -> std::io::Result<ExitStatus> {
        wait_for("the end of the example", || match self.0.try_wait() {
            Ok(None) => Err("it runs".into()),
            other => Ok(other),
        })
        .map(|status| status.expect("it ended"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            self.0.kill().expect("it can be killed");
            self.0.wait().expect("it ended");
        }
    }
}

fn send(child: &Running, signal: Signal) {
    kill_process(Pid::from_child(&child.0), signal).expect("it runs");
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_command_finds_a_whole_desktop_and_its_exit_code_is_returned() {
    let scratch = Scratch::new();
    let output = scratch
        .run(
            "echo display=$DISPLAY; xdpyinfo | grep dimensions; wmctrl -m | grep Name; \
             gdbus call --session -d org.a11y.Bus -o /org/a11y/bus -m org.freedesktop.DBus.Properties.Get \
             org.a11y.Status IsEnabled; exit 7",
        )
        .output()
        .expect("it runs");
    let text = text(&output);
    assert_eq!(output.status.code(), Some(7), "{text}");
    for expected in ["1920x1080", "Name: ", "(<true>,)"] {
        assert!(text.contains(expected), "no '{expected}' in: {text}");
    }
    let display = text.lines().find_map(|line| line.strip_prefix("display=")).expect("printed").to_owned();
    scratch.expect_nothing_left(&display);
}

#[test]
fn several_desktops_stand_side_by_side_and_end_alone() {
    // Names of this test's own: the default ones are used again as soon as they are free.
    let start_one = |number: u32| {
        let name = Some(format!("test-{}-{number}", std::process::id()));
        PrivateDesktop::start(&Options { supervisor: Some(example()), name, ..Options::default() })
            .expect("it starts")
    };
    let desktops: Vec<PrivateDesktop> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|number| scope.spawn(move || start_one(number))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let mut displays: Vec<&str> = desktops.iter().map(|desktop| desktop.info().display.as_str()).collect();
    displays.sort_unstable();
    displays.dedup();
    assert_eq!(displays.len(), 4);
    let folders: Vec<PathBuf> = desktops.iter().map(|desktop| desktop.info().folder.clone()).collect();
    let mut desktops = desktops.into_iter();
    desktops.next().expect("the first").stop().expect("it ends");
    assert!(!folders[0].exists() && processes_in(&folders[0]).is_empty());
    for desktop in desktops {
        let answer = desktop.admit(Command::new("xdpyinfo").stdout(Stdio::null())).status().expect("it runs");
        assert!(answer.success(), "{} fell with another one", desktop.info().name);
        let folder = desktop.info().folder.clone();
        drop(desktop);
        assert!(!folder.exists(), "dropping left {}", folder.display());
        assert_eq!(processes_in(&folder), [""; 0]);
    }
}

#[test]
fn what_makes_itself_a_daemon_is_ended_with_the_command() {
    let scratch = Scratch::new();
    // Times to sleep that no other test has, as those run at the same time; whether the last one listed is another's does not matter.
    let script = "setsid -f env -i sleep 73001; (trap '' TERM HUP; exec sleep 73002) & echo $DISPLAY; \
                  until [ $(wc -l < \"$LIST\") = 2 ]; do \
                  for p in $(pgrep -x sleep); do grep -lz 7300[12] /proc/$p/cmdline; done > \"$LIST\"; done; true";
    let list = tempfile::NamedTempFile::new().expect("a scratch file");
    let output = scratch.run(script).env("LIST", list.path()).output().expect("it runs");
    assert!(output.status.success(), "{}", text(&output));
    scratch.expect_nothing_left(text(&output).trim());
    let daemons = fs::read_to_string(list.path()).expect("the list");
    assert_eq!(daemons.lines().count(), 2, "{daemons}");
    for cmdline in daemons.lines() {
        let alive = fs::read_to_string(cmdline).is_ok_and(|text| text.contains("sleep\x007300"));
        assert!(!alive, "{cmdline} is still there");
    }
}

#[test]
fn a_killed_handeye_leaves_nothing() {
    let scratch = Scratch::new();
    let (mut child, display) =
        start(&mut scratch.run("setsid -f sleep 1000; echo $DISPLAY; exec sleep 1000"));
    assert!(processes_in(scratch.path()).len() > 4);
    send(&child, Signal::KILL);
    assert_eq!(child.wait().expect("it ended").signal(), Some(9));
    scratch.expect_nothing_left(&display);
}

#[test]
fn a_killed_supervisor_leaves_nothing() {
    let scratch = Scratch::new();
    let (mut child, display) =
        start(&mut scratch.run("setsid -f sleep 1000; echo $DISPLAY; exec sleep 1000"));
    let supervisor = children_of(child.id())[0];
    kill_process(Pid::from_raw(supervisor).expect("a number"), Signal::KILL).expect("it runs");
    assert_ne!(child.wait().expect("it ended").code(), Some(0));
    scratch.expect_nothing_left(&display);
}

#[test]
fn the_whole_process_group_killed_leaves_nothing() {
    use std::os::unix::process::CommandExt;
    let scratch = Scratch::new();
    let (mut child, display) = start(scratch.run("echo $DISPLAY; exec sleep 1000").process_group(0));
    rustix::process::kill_process_group(Pid::from_child(&child.0), Signal::KILL).expect("it runs");
    child.wait().expect("it ended");
    scratch.expect_nothing_left(&display);
}

#[test]
fn signals_reach_the_command() {
    let scratch = Scratch::new();
    let script = "trap 'exit 33' TERM; echo $DISPLAY; while :; do sleep 0.05; done";
    let (mut child, display) = start(&mut scratch.run(script));
    send(&child, Signal::TERM);
    assert_eq!(child.wait().expect("it ended").code(), Some(33));
    scratch.expect_nothing_left(&display);

    let (mut child, display) = start(&mut scratch.run("echo $DISPLAY; exec sleep 1000"));
    send(&child, Signal::INT);
    assert_eq!(child.wait().expect("it ended").code(), Some(130));
    scratch.expect_nothing_left(&display);
}

#[test]
fn a_stopped_program_does_not_hold_up_the_end() {
    let scratch = Scratch::new();
    let (mut child, display) =
        start(&mut scratch.run("sleep 1000 & kill -STOP $!; echo $DISPLAY; exec sleep 1000"));
    send(&child, Signal::TERM);
    assert_eq!(child.wait().expect("it ended").code(), Some(143));
    scratch.expect_nothing_left(&display);
}

#[test]
fn the_end_of_the_x_server_is_the_end_of_the_desktop() {
    let scratch = Scratch::new();
    let (mut child, display) = start(&mut scratch.run("echo $DISPLAY; exec sleep 1000"));
    let supervisor = children_of(child.id())[0].cast_unsigned();
    let server = children_of(supervisor)
        .into_iter()
        .find(|pid| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "Xvfb"))
        .expect("a server");
    kill_process(Pid::from_raw(server).expect("a number"), Signal::KILL).expect("it runs");
    assert_eq!(child.wait().expect("it ended").code(), Some(6));
    scratch.expect_nothing_left(&display);
}

#[test]
fn missing_programs_are_named_at_once_with_their_packages() {
    let scratch = Scratch::new();
    let output = scratch.run("true").env("PATH", "/nonexistent").arg("x").output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "a command that is not on the PATH: {}", text(&output));
    let output = Command::new(example())
        .arg("/bin/true")
        .env("PATH", "/nonexistent")
        .env("XDG_RUNTIME_DIR", scratch.path())
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(6));
    let text = text(&output);
    for expected in ["Xvfb", "xvfb", "dbus-daemon", "openbox", "apt-get install"] {
        assert!(text.contains(expected), "no '{expected}' in: {text}");
    }
    scratch.expect_nothing_left(":x");
}

#[test]
fn an_ordinary_user_gets_one_too() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let public = tempfile::Builder::new().prefix("hd").tempdir_in("/tmp").expect("a scratch folder");
    fs::set_permissions(public.path(), fs::Permissions::from_mode(0o755)).expect("opened");
    let program = public.path().join("handeye");
    fs::copy(example(), &program).expect("copied");
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&program)
        .args(["sh", "-c", "id -u; echo $HANDEYE_DESKTOP; xdpyinfo >/dev/null && exit 5"])
        .env("HOME", public.path())
        .env_remove("XDG_RUNTIME_DIR")
        .env_remove("HANDEYE_DESKTOP")
        .output()
        .expect("it runs");
    let text = text(&output);
    assert_eq!(output.status.code(), Some(5), "{text}");
    assert!(text.contains("/tmp/handeye-65534/desktops/"), "{text}");
    wait_for("the folder of the user to go", || {
        if Path::new("/tmp/handeye-65534").exists() { Err("still there".into()) } else { Ok(()) }
    });
    assert_eq!(
        fs::read_dir(public.path()).expect("the home").count(),
        1,
        "something was written to the home"
    );
}

#[test]
fn another_program_does_not_get_in_without_the_cookie() {
    let desktop = PrivateDesktop::start(&Options { supervisor: Some(example()), ..Options::default() })
        .expect("it starts");
    let knock = |authority: &str| {
        let mut command = Command::new("xdpyinfo");
        desktop.admit(&mut command).stdout(Stdio::null()).stderr(Stdio::null());
        if !authority.is_empty() {
            command.env("XAUTHORITY", authority);
        }
        command.status().expect("it runs").success()
    };
    assert!(knock(""));
    assert!(!knock("/dev/null"));
    desktop.stop().expect("it ends");
}

#[test]
fn the_launcher_is_not_for_people() {
    let output = Command::new(example()).arg(SUPERVISOR_ARGUMENT).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
}

fn children_of(pid: u32) -> Vec<i32> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).expect("children are listed");
    text.split_whitespace().map(|child| child.parse().expect("a number")).collect()
}
