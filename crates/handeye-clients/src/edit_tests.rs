use super::*;
use crate::table::CLIENTS;
use proptest::prelude::*;

fn server(args: &[&str]) -> Server {
    let args = args.iter().map(|word| (*word).to_owned()).collect();
    Server { command: "/usr/bin/handeye".to_owned(), args }
}

fn client(id: &str) -> &'static Client {
    crate::table::client(id).expect("known")
}

/// A text of a client with settings, comments and other servers.
fn sample(client: &Client) -> String {
    let key = client.key;
    match (client.format, client.shape.is_listed()) {
        (Format::Json, _) => format!(
            "// mine\n{{\n\t\"theme\": \"dark\", // keep\n\t\"{key}\": {{\n\t\t/* other */\n\t\t\"other\": {{ \"command\": \"x\" }},\n\t}},\n\t\"last\": [1, 2.50,]\n}}\n"
        ),
        (Format::Toml, false) => format!(
            "# mine\nmodel = \"o\" # keep\n\n[{key}.other]\ncommand = \"x\" # other\n\n[profiles.a]\nx = 1.50\n"
        ),
        (Format::Toml, true) => format!(
            "# mine\nmodel = \"o\" # keep\n\n[[{key}]]\nname = \"other\" # other\ncommand = \"x\"\n\n[profiles.a]\nx = 1.50\n"
        ),
        (Format::Yaml, false) => format!(
            "# mine\nMODEL: o # keep\n{key}:\n  # other\n  other:\n    cmd: x\n\n  # last\n  another:\n    cmd: y\n\nlast: [1, 2.50]\n"
        ),
        (Format::Yaml, true) => format!(
            "# mine\nmodel: o # keep\n{key}:\n  # other\n  - name: other\n    command: x\n\nlast: [1, 2.50]\n"
        ),
    }
}

#[test]
fn comments_and_other_settings_are_kept_in_every_client() {
    for client in CLIENTS {
        let before = sample(client);
        let after = insert(client, &before, "handeye", &server(&["mcp", "serve"])).expect(client.id);
        for line in before.lines() {
            let kept = line.trim().trim_end_matches(',');
            assert!(after.contains(kept), "{}: {kept:?} is gone from\n{after}", client.id);
        }
        let parsed = read(client, &after).expect(client.id);
        let entry = entry(&parsed, client, "handeye").expect(client.id);
        assert_eq!(crate::document::server(entry), Some(server(&["mcp", "serve"])), "{}", client.id);
        let removed = remove(client, &after, "handeye").expect(client.id);
        assert_eq!(read(client, &removed), read(client, &before), "{}:\n{removed}", client.id);
        assert_added(client, &before, &after);
    }
}

#[test]
fn an_entry_can_be_the_first_and_is_replaced_by_another() {
    for client in CLIENTS {
        let first = insert(client, "", "handeye", &server(&["mcp", "serve"])).expect(client.id);
        let second =
            insert(client, &first, "handeye", &server(&["mcp", "serve", "--read-only"])).expect(client.id);
        let parsed = read(client, &second).expect(client.id);
        let entry = entry(&parsed, client, "handeye").expect(client.id);
        assert_eq!(
            crate::document::server(entry),
            Some(server(&["mcp", "serve", "--read-only"])),
            "{}",
            client.id
        );
        let none = remove(client, &second, "handeye").expect(client.id);
        assert!(super::entry(&read(client, &none).expect(client.id), client, "handeye").is_none());
        insert(client, &none, "handeye", &server(&["again"])).expect(client.id);
    }
}

#[test]
fn a_broken_text_is_refused() {
    for client in CLIENTS {
        let broken = match client.format {
            Format::Json => ["{\"a\": ", "{\"a\" 1}", "[]", "{'a': 1}"],
            Format::Toml => ["a = ", "[a", "a = 1\na = 2", "= 3"],
            Format::Yaml => ["a: [1", "- a", "a: b: c", "a: 1\n---\nb: 2\n"],
        };
        for text in broken {
            assert!(insert(client, text, "handeye", &server(&[])).is_err(), "{}: {text}", client.id);
        }
        let text = match client.format {
            Format::Json => format!("{{\"{}\": 7}}", client.key),
            Format::Toml => format!("{} = 7", client.key),
            Format::Yaml => format!("{}: 7", client.key),
        };
        assert!(insert(client, &text, "handeye", &server(&[])).is_err(), "{}: {text}", client.id);
    }
}

#[test]
fn yaml_that_is_not_written_in_lines_is_refused_and_nothing_is_lost() {
    let goose = client("goose");
    for text in ["extensions: {other: {cmd: x}}\n", "extensions:\r\n  other:\r\n    cmd: x\r\n"] {
        assert!(insert(goose, text, "handeye", &server(&[])).is_err(), "{text}");
    }
    let margin = "mcpServers:\n- name: other\n  command: x\nmodels: []\n";
    let after =
        insert(client("continue"), margin, "handeye", &server(&["mcp"])).expect("entries at the margin");
    assert_eq!(remove(client("continue"), &after, "handeye").as_deref(), Ok(margin));
}

/// Asserts that one text is the other with something added to it: in one place, or in two where a comma had to be added before it.
fn assert_added(client: &Client, before: &str, after: &str) {
    let same =
        |pairs: &mut dyn Iterator<Item = (u8, u8)>| pairs.take_while(|(one, other)| one == other).count();
    let head = same(&mut before.bytes().zip(after.bytes()));
    let rest = (&before.as_bytes()[head..], &after.as_bytes()[head..]);
    let tail = same(&mut rest.0.iter().rev().copied().zip(rest.1.iter().rev().copied()));
    let between = String::from_utf8_lossy(&rest.0[..rest.0.len() - tail]).into_owned();
    let added = String::from_utf8_lossy(&rest.1[..rest.1.len() - tail]).into_owned();
    // An empty table is written in another form when it gets an entry.
    let is_kept = added.contains(&between) || ["", "{}", "[]"].contains(&between.trim());
    assert!(is_kept, "{}: {between:?} became {added:?} in\n{after}", client.id);
}

#[test]
fn an_entry_of_handeye_keeps_its_own_settings_when_it_starts_something_else() {
    let old = r#"{"mcpServers": {"handeye": {"command": "/old/handeye", /* mine */ "env": {"A": "b"}, "args": ["mcp"]}}}"#;
    let new = update(client("cursor"), old, "handeye", &server(&["mcp", "serve"])).expect("valid");
    for kept in ["/* mine */", r#""env": {"A": "b"}"#, "/usr/bin/handeye", "serve"] {
        assert!(new.contains(kept), "{kept}: {new}");
    }
    let old = "[mcp_servers.handeye]\ncommand = \"/old/handeye\" # mine\nargs = []\nenv_vars = [\"A\"]\n";
    assert_eq!(
        update(client("codex"), old, "handeye", &server(&["mcp"])).as_deref(),
        Ok(
            "[mcp_servers.handeye]\ncommand = \"/usr/bin/handeye\" # mine\nargs = [\"mcp\"]\nenv_vars = [\"A\"]\n"
        )
    );
    let old = "extensions:\n  handeye:\n    cmd: /old/handeye\n    envs:\n      A: b\n";
    let error = update(client("goose"), old, "handeye", &server(&["mcp"])).expect_err("would be lost");
    assert!(error.contains("settings of its own"), "{error}");
}

/// Comments and settings that may surround the servers.
fn noise() -> impl Strategy<Value = (String, Vec<(String, String)>, bool)> {
    let word = "[a-z]{1,6}( [a-z#:,{}]{1,4})?";
    let servers = proptest::collection::btree_map("[a-g]{1,5}", "[ -~]{0,12}", 0..4);
    (word.prop_map(|word| word), servers.prop_map(|map| map.into_iter().collect()), any::<bool>())
}

fn text(client: &Client, comment: &str, servers: &[(String, String)], spread: bool) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let gap = if spread { "\n" } else { "" };
    match client.format {
        Format::Json => {
            let entries: Vec<String> = servers
                .iter()
                .map(|(name, word)| {
                    format!("    // {comment}\n    {}: {{\"command\": {}}}", quoted(name), quoted(word))
                })
                .collect();
            let inner =
                if entries.is_empty() { String::new() } else { format!("\n{}\n  ", entries.join(",\n")) };
            format!("{{{gap} // {comment}\n  \"{}\": {{{inner}}}{gap}\n}}\n", client.key)
        }
        Format::Toml => {
            let entries = servers.iter().map(|(name, word)| {
                if client.shape.is_listed() {
                    format!(
                        "{gap}[[{}]] # {comment}\nname = {}\ncommand = {}\n",
                        client.key,
                        quoted(name),
                        quoted(word)
                    )
                } else {
                    format!("{gap}[{}.{name}] # {comment}\ncommand = {}\n", client.key, quoted(word))
                }
            });
            format!("# {comment}\nfirst = 1\n{}", entries.collect::<String>())
        }
        Format::Yaml => {
            let entries = servers.iter().map(|(name, word)| {
                if client.shape.is_listed() {
                    format!("  # {comment}\n  - name: {}\n    command: {}\n{gap}", quoted(name), quoted(word))
                } else {
                    format!("  # {comment}\n  {}:\n    cmd: {}\n{gap}", quoted(name), quoted(word))
                }
            });
            let entries: String = entries.collect();
            let empty = if servers.is_empty() { " {}" } else { "" };
            let empty = if client.shape.is_listed() && servers.is_empty() { " []" } else { empty };
            format!("# {comment}\nfirst: 1\n{}:{empty}\n{entries}last: 2\n", client.key)
        }
    }
}

proptest! {
    #[test]
    fn other_entries_and_comments_survive_an_entry_that_comes_and_goes(
        (comment, servers, spread) in noise(), number in 0..CLIENTS.len(), word in "[ -~]{0,20}"
    ) {
        let client = &CLIENTS[number];
        let before = text(client, &comment, &servers, spread);
        let parsed = read(client, &before).map_err(|why| TestCaseError::fail(format!("{why}\n{before}")))?;
        let after = insert(client, &before, "handeye", &server(&["mcp", &word]))
            .map_err(|why| TestCaseError::fail(format!("{}: {why}\n{before}", client.id)))?;
        assert_added(client, &before, &after);
        let count = |text: &str| text.matches(comment.as_str()).count();
        prop_assert!(count(&after) >= count(&before), "{}\n{}", before, after);
        let removed = remove(client, &after, "handeye")
            .map_err(|why| TestCaseError::fail(format!("{}: {why}\n{after}", client.id)))?;
        prop_assert_eq!(without(read(client, &removed).expect("valid"), client, "handeye"), without(parsed, client, "handeye"));
        prop_assert!(count(&removed) >= count(&before), "{}\n{}", before, removed);
    }
}
