use super::*;
use crate::table::{CLIENTS, Format, client};
use proptest::prelude::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn handeye(args: &[&str]) -> Server {
    Server { command: "/opt/handeye".into(), args: args.iter().map(|word| (*word).to_owned()).collect() }
}

/// A home folder, with a file of a client in it.
struct Home {
    folder: tempfile::TempDir,
    client: &'static Client,
    path: PathBuf,
}

impl Home {
    fn new(client: &'static Client, text: Option<&str>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = Surroundings::of_home(folder.path()).choose(client.files).expect("a place");
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        if let Some(text) = text {
            fs::write(&path, text).expect("written");
        }
        Self { folder, client, path }
    }

    fn install(&self, args: &[&str], force: bool) -> Result<Plan> {
        let surroundings = Surroundings::of_home(self.folder.path());
        plan_install(self.client, &surroundings, "handeye", &handeye(args), force)
    }

    fn uninstall(&self) -> Result<Plan> {
        plan_uninstall(self.client, &Surroundings::of_home(self.folder.path()), "handeye", false)
    }

    fn text(&self) -> Option<String> {
        fs::read_to_string(&self.path).ok()
    }
}

fn named(id: &str) -> &'static Client {
    client(id).expect("known")
}

/// The smallest file with something of the user in it.
fn mine(client: &Client) -> &'static str {
    match client.format {
        Format::Json => "{ // mine\n  \"a\": 1\n}",
        Format::Toml => "a = 1 # mine",
        Format::Yaml => "a: 1 # mine",
    }
}

#[test]
fn what_was_installed_twice_and_uninstalled_left_no_trace() {
    for client in CLIENTS {
        for text in [None, Some(""), Some(mine(client))] {
            let home = Home::new(client, text);
            if client.needs_file && text.is_none() {
                let error = home.install(&["mcp"], false).expect_err("nothing to add to");
                assert!(error.message.contains("does not exist"), "{error:?}");
                continue;
            }
            assert_eq!(home.install(&["mcp"], false).expect(client.id).change, Change::Added);
            for args in [&["mcp"][..], &["mcp", "--read-only"], &["mcp"]] {
                home.install(args, false).expect(client.id).write().expect(client.id);
            }
            let again = home.install(&["mcp"], false).expect(client.id);
            assert_eq!((again.change, again.diff()), (Change::None, String::new()));
            home.uninstall().expect(client.id).write().expect(client.id);
            assert_eq!(home.text().as_deref(), text, "{}", client.id);
            assert_eq!(home.uninstall().expect(client.id).change, Change::None);
            let files = fs::read_dir(home.path.parent().expect("a folder")).expect("readable");
            let expected = if text.is_some() { 2 } else { 0 };
            assert_eq!(
                files.filter(|file| file.as_ref().is_ok_and(|file| file.path().is_file())).count(),
                expected
            );
        }
    }
}

#[test]
fn what_a_client_wrote_after_the_installation_stays() {
    let home = Home::new(named("claude-code"), Some("{\"a\": 1}\n"));
    home.install(&["mcp"], false).expect("valid").write().expect("written");
    let text = home.text().expect("there").replace("\"a\": 1", "\"a\": 2");
    fs::write(&home.path, text).expect("written");
    home.uninstall().expect("valid").write().expect("written");
    let text = home.text().expect("there");
    assert!(text.contains("\"a\": 2") && !text.contains("handeye"), "{text}");
}

#[test]
fn a_backup_has_the_text_and_the_permissions() {
    let home = Home::new(named("cursor"), Some("{}"));
    fs::set_permissions(&home.path, fs::Permissions::from_mode(0o640)).expect("set");
    let backup = home.install(&["mcp"], false).expect("valid").write().expect("written").expect("a backup");
    assert_eq!(fs::read_to_string(&backup).expect("there"), "{}");
    let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&backup), mode(&home.path)), (0o640, 0o640));
}

#[test]
fn an_entry_of_another_server_is_replaced_by_force_only() {
    let text = "{\"mcpServers\": {\"handeye\": {\"command\": \"/usr/bin/other\"}}}\n";
    let home = Home::new(named("cursor"), Some(text));
    for error in [home.install(&["mcp"], false), home.uninstall()].map(|plan| plan.expect_err("foreign")) {
        assert_eq!(error.code, ErrorCode::InvalidParameter);
        assert!(error.message.contains("/usr/bin/other") && error.next.is_some(), "{error:?}");
    }
    let plan = home.install(&["mcp"], true).expect("by force");
    assert_eq!(plan.change, Change::Replaced);
    plan.write().expect("written");
    assert!(!home.text().expect("there").contains("other"));
}

#[test]
fn a_file_that_is_not_as_it_should_be_is_named_and_left_alone() {
    let home = Home::new(named("gemini"), Some("{\"a\": "));
    let error = home.install(&["mcp"], true).expect_err("broken");
    assert!(error.message.contains("settings.json") && error.message.contains("JSON"), "{error:?}");
    fs::set_permissions(&home.path, fs::Permissions::from_mode(0o400)).expect("set");
    fs::write(home.folder.path().join("real"), "{}").expect("written");
    fs::remove_file(&home.path).expect("removed");
    std::os::unix::fs::symlink("../real", &home.path).expect("linked");
    let error = home.install(&["mcp"], true).expect_err("a link");
    assert!(error.message.contains("link to ../real"), "{error:?}");
}

#[test]
fn a_file_that_is_read_only_or_changed_in_the_meantime_is_left_alone() {
    for (before, between) in [(Some("{}"), Some("{\"b\": 1}")), (None, Some("{}")), (Some("{}"), None)] {
        let home = Home::new(named("cursor"), before);
        let plan = home.install(&["mcp"], false).expect("valid");
        match between {
            Some(text) => fs::write(&home.path, text).expect("written"),
            None => fs::remove_file(&home.path).expect("removed"),
        }
        let error = plan.write().expect_err("changed in the meantime");
        assert!(error.message.contains("another program has changed"), "{error:?}");
        assert_eq!(home.text().as_deref(), between);
    }
    let home = Home::new(named("cursor"), Some("{}"));
    fs::set_permissions(&home.path, fs::Permissions::from_mode(0o400)).expect("set");
    let error = home.install(&["mcp"], false).expect("valid").write().expect_err("read-only");
    assert!(error.message.contains("read-only"), "{error:?}");
    assert_eq!(
        fs::read_dir(home.path.parent().expect("a folder")).expect("readable").count(),
        1,
        "no backup"
    );
}

/// Files as people and clients write them: any indentation, line ends, comments, empty lines, and with or without servers.
fn prior() -> impl Strategy<Value = (usize, String)> {
    let parts =
        ("[ \t]{0,5}", "[a-zäé:#/,{}\\[\\]\"' -]{0,20}", 0..4_u8, any::<[bool; 4]>(), 0..CLIENTS.len());
    parts.prop_map(|(margin, comment, servers, [trailing, spread, last, end], number)| {
        let client = &CLIENTS[number];
        let listed = client.shape.is_listed();
        let gap = if spread { "\n\n" } else { "\n" };
        let key = client.key;
        let mut text = match client.format {
            Format::Json => {
                let entries: Vec<String> = (0..servers)
                    .map(|server| format!("{margin}{margin}\"s{server}\": {{\"command\": \"x\"}}"))
                    .collect();
                let separator = format!(", // {comment}{gap}");
                let comma = if trailing && servers > 0 { "," } else { "" };
                let after = if last { format!(",{gap}{margin}\"last\": [1, 2]") } else { String::new() };
                let inside = entries.join(&separator);
                format!("{{ // {comment}{gap}{margin}\"{key}\": {{\n{inside}{comma} // {comment}\n}}{after}{gap}}}")
            }
            Format::Toml => {
                let table = |server| {
                    let head = if listed { format!("[[{key}]]\nname = \"s{server}\"") } else { format!("[{key}.s{server}]") };
                    format!("{gap}# {comment}{gap}{head}\n{margin}command = \"x\" # {comment}")
                };
                let after = if last { format!("{gap}[last] # {comment}\na = 1") } else { String::new() };
                format!("# {comment}\nfirst = 1{}{after}", (0..servers).map(table).collect::<String>())
            }
            Format::Yaml => {
                let margin = " ".repeat(margin.len() + 1);
                let entry = |server| {
                    let head = if listed { format!("- name: s{server}") } else { format!("s{server}:") };
                    format!("{gap}{margin}# {comment}\n{margin}{head}\n{margin}  cmd: x # {comment}")
                };
                let after = if last { format!("{gap}last: 1") } else { String::new() };
                let block = if servers > 0 {
                    format!("\n{key}:{}", (0..servers).map(entry).collect::<String>())
                } else {
                    String::new()
                };
                format!("# {comment}\nfirst: 1{block}{after}")
            }
        };
        if end {
            text.push('\n');
        }
        if !spread && trailing && client.format == Format::Json {
            text = text.replace('\n', "\r\n");
        }
        (number, text)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn any_file_gets_an_entry_and_then_its_bytes_back((number, text) in prior()) {
        let client = &CLIENTS[number];
        let home = Home::new(client, Some(&text));
        let plan = home.install(&["mcp", "serve"], false).map_err(|why| TestCaseError::fail(format!("{why:?}\n{text}")))?;
        plan.write().map_err(|why| TestCaseError::fail(why.message))?;
        let with = home.text().unwrap_or_default();
        // A comma may have been added behind an entry, before its comment.
        let plain = |text: &str| text.replace(',', "");
        for line in text.lines() {
            prop_assert!(plain(&with).contains(plain(line).trim_end()), "{:?} is gone:\n{}", line, with);
        }
        prop_assert_eq!(home.install(&["mcp", "serve"], false).map(|plan| plan.change), Ok(Change::None));
        home.uninstall().and_then(|plan| plan.write()).map_err(|why| TestCaseError::fail(why.message))?;
        prop_assert_eq!(home.text(), Some(text));
    }
}
