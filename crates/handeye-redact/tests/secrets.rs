//! What is a secret and what is not: examples of both, and what holds for any text.

use handeye_core::SecretText;
use handeye_redact::{RedactTable, Redactor, mark};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Tokens as their issuers write them, each made up, with the kind that it is. Their parts are put together here, so that no scanner
/// of repositories takes one for a real one.
fn tokens() -> Vec<(String, &'static str)> {
    let b62 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a7B8c9D0";
    let hex = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    let of = |prefix: &str, length: usize| format!("{prefix}{}", &b62[..length]);
    let jwt = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
    vec![
        (of("ghp_", 36), "GitHub token"),
        (of("gho_", 36), "GitHub token"),
        (of("github_pat_", 40), "GitHub token"),
        (of("glpat-", 20), "GitLab token"),
        (format!("xoxb-123456789012-1234567890123-{}", &b62[..24]), "Slack token"),
        (of("sk-ant-api03-", 50), "Anthropic key"),
        (of("sk-proj-", 48), "OpenAI key"),
        (of("sk-", 48), "API key"),
        ("AKIAIOSFODNN7EXAMPLE".to_owned(), "AWS key id"),
        (of("AIza", 35), "Google key"),
        (of("ya29.", 60), "Google token"),
        (of("GOCSPX-", 28), "Google secret"),
        (of("sk_live_", 24), "Stripe key"),
        (format!("shpat_{}", &hex[..32]), "Shopify token"),
        (of("npm_", 36), "npm token"),
        (of("pypi-AgEIcHlwaS5vcmc", 50), "PyPI token"),
        (of("dckr_pat_", 27), "Docker token"),
        (of("hf_", 34), "Hugging Face token"),
        (format!("SG.{}.{}", &b62[..22], &b62[..43]), "SendGrid key"),
        (format!("dop_v1_{hex}"), "DigitalOcean token"),
        (of("hvs.", 28), "Vault token"),
        (format!("glsa_{}_{}", &b62[..32], &hex[..8]), "Grafana token"),
        (of("lin_api_", 40), "API key"),
        (format!("dapi{}", &hex[..32]), "API key"),
        (jwt.to_owned(), "JWT"),
        (
            format!("-----BEGIN RSA PRIVATE KEY-----\n{b62}\n{b62}\n-----END RSA PRIVATE KEY-----"),
            "private key",
        ),
        (
            format!(
                "-----BEGIN OPENSSH PRIVATE KEY-----\\n{b62}\\n{b62}\\n-----END OPENSSH PRIVATE KEY-----"
            ),
            "private key",
        ),
        (b62[..40].to_owned(), "random word"),
    ]
}

#[test]
fn every_token_is_taken_out_wherever_it_stands() {
    let redactor = Redactor::default();
    for (token, kind) in tokens() {
        for around in
            ["@", "see @ here", "\"@\"", "- textbox \"@\" [ref=e12]", "(@)", "x=@&y=1", "a\\n@", "k: @,"]
        {
            let text = around.replace('@', &token);
            let out = redactor.text(&text);
            assert!(!out.contains(&token[..token.len() / 2]), "{kind} in {around}: {out}");
            assert!(out.contains("‹redacted: "), "{out}");
        }
        assert_eq!(redactor.text(&token), mark::mark(kind), "{token}");
    }
}

#[test]
fn the_secret_part_of_a_text_is_taken_out_and_the_rest_stays() {
    let redactor = Redactor::default();
    for (text, out) in [
        ("https://anna:hunter2@example.org/a", "https://anna:‹redacted: password›@example.org/a"),
        ("postgres://app:p%40ss@db:5432/x", "postgres://app:‹redacted: password›@db:5432/x"),
        ("Authorization: Bearer abcdef0123456789XYZ", "Authorization: Bearer ‹redacted: bearer token›"),
        ("Authorization: Basic YW5uYTpodW50ZXIy", "Authorization: Basic ‹redacted: credentials›"),
        ("DB_PASSWORD=hunter2x", "DB_PASSWORD=‹redacted: secret›"),
        ("?client_secret=ab12cd34&x=1", "?client_secret=‹redacted: secret›&x=1"),
        (r#"{"api_key": "abc123def"}"#, r#"{"api_key": "‹redacted: secret›"}"#),
        ("AWS_SECRET_ACCESS_KEY=mZ3v/Qk8TdY1xR+pL7wNc4Bs", "AWS_SECRET_ACCESS_KEY=‹redacted: secret›"),
        ("123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawQ", "123456789:‹redacted: Telegram token›"),
    ] {
        assert_eq!(redactor.text(text), out);
    }
}

#[test]
fn a_token_that_was_cut_is_taken_out_too() {
    let redactor = Redactor::default();
    for text in ["button \"ghp_a1B2c3…\" appeared", "\"sk-ant-api03-abc…(+40 chars)\"", "eyJhbGciOiJIUzI1…"]
    {
        assert!(redactor.text(text).contains("‹redacted: "), "{text}");
    }
}

#[test]
fn what_is_no_secret_stays() {
    let redactor = Redactor::default();
    for text in [
        "https://example.org/a:b@c?next=https://x.org",
        "http://[::1]:8080/path http://localhost:3000/user@host",
        "mailto:anna@example.org ssh git@github.com:me/repo.git",
        "max_tokens=100000 tokens=4096 token=parse(input) password=password secret=None",
        "Password: required. Token expired. API key missing",
        "sk-fading-circle-container sk-learn-pipeline-with-a-long-name",
        "commit da39a3ee5e6b4b0d3255bfef95601890afd80709 (tag: v1.2.3)",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "550e8400-e29b-41d4-a716-446655440000 /dev/disk/by-uuid/1c2d3e4f-5a6b-7c8d-9e0f",
        "libgtk-3.so.0.2404.38 x86_64-linux-gnu Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101",
        "-----BEGIN CERTIFICATE----- -----BEGIN PUBLIC KEY-----",
        "Basic authentication methods; bearer of good news; Bearer token",
        "org.gnome.Settings.Devices.Keyboard.Shortcuts_2 /org/a11y/atspi/accessible/1234567890",
        "- textbox \"Search\" [ref=e1234567] [focused]: \"find_all_the_things_2024\"",
        "{{secret:bank}} ‹redacted: JWT›",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    ] {
        assert_eq!(redactor.text(text), text);
    }
}

fn with_policy(text: &str) -> Redactor {
    let table: RedactTable = toml::from_str(text).expect("a table");
    Redactor::new(&table).expect("sound patterns")
}

#[test]
fn the_policy_names_patterns_and_switches_random_words_off() {
    let redactor = with_policy("patterns = ['\\bEMP-\\d{6}\\b']\nentropy = false");
    assert_eq!(redactor.text("staff EMP-123456, EMP-1"), "staff ‹redacted: named by the policy›, EMP-1");
    let random = "q7Rf2LxZ0pVb9TnKc4Wm";
    assert_eq!(redactor.text(random), random);
    for wrong in ["patterns = ['(']", "patterns = ['x*']", "patterns = ['(a{1000}){1000}']"] {
        let table: RedactTable = toml::from_str(wrong).expect("a table");
        let fault = Redactor::new(&table).expect_err(wrong);
        assert_eq!(fault.place.start, 12, "{wrong}: {}", fault.why);
    }
    assert!(toml::from_str::<RedactTable>("entropie = true").is_err());
}

#[test]
fn a_secret_that_was_typed_is_known_to_all_clones() {
    let redactor = Redactor::default();
    let logs = redactor.clone();
    assert_eq!(logs.text("open sesame"), "open sesame");
    redactor.remember("door", &SecretText::new("open sesame"));
    assert_eq!(logs.text("it reads \"open sesame\""), "it reads \"‹redacted: secret door›\"");
    assert_eq!(logs.text("it reads open se…"), "it reads ‹redacted: secret door›…");
    assert!(!format!("{redactor:?}").contains("sesame"));
}

#[test]
fn an_application_cannot_hide_a_token_in_a_mark() {
    let redactor = Redactor::default();
    let (token, _) = &tokens()[0];
    let out = redactor.text(&mark::mark(token)).into_owned();
    assert!(!out.contains(&**token), "{out}");
}

#[test]
fn json_stays_json() {
    let redactor = Redactor::default();
    let (token, _) = &tokens()[0];
    let mut value = json!({"a": [token, 1, {"b": format!("x {token}")}], token.as_str(): null, "n": 1.5});
    assert!(redactor.json(&mut value));
    let text = value.to_string();
    assert!(!text.contains(&**token), "{text}");
    assert_eq!(value["n"], 1.5);
    assert!(!redactor.json(&mut value), "again");

    redactor.remember("key", &SecretText::new("a\"b\\\nc"));
    let held = json!({"x": "a\"b\\\nc", "y": ["\n", token]});
    for written in [held.to_string(), serde_json::to_string_pretty(&held).expect("JSON")] {
        let out = redactor.text_or_json(&written).expect("there is a secret");
        let read: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(read, json!({"x": "‹redacted: secret key›", "y": ["\n", "‹redacted: GitHub token›"]}));
    }
    assert_eq!(redactor.text_or_json("{\"a\":1}"), None);
}

/// Texts that are likely to meet a rule.
fn texts() -> impl Strategy<Value = String> {
    let parts = prop_oneof![
        any::<String>(),
        "[A-Za-z0-9+/=_-]{0,60}",
        "[A-Za-z0-9]{18,40}",
        prop::sample::select(vec![
            "ghp_",
            "eyJ",
            "eyJhbGciOiJIUzI1NiJ9",
            ".",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "://",
            "a:b@",
            "password=",
            "token",
            "=",
            "\"",
            "\\n",
            "\\",
            " ",
            "…",
            "‹redacted: ",
            "JWT",
            "›",
            "sk-",
            "AKIA",
            "bearer ",
            "Authorization: Basic ",
            "ä",
            "typed-secret",
            "typed-se",
        ])
        .prop_map(str::to_owned),
        prop::sample::select(tokens().into_iter().map(|(token, _)| token).collect::<Vec<_>>()),
    ];
    prop::collection::vec(parts, 0..12).prop_map(|parts| parts.concat())
}

fn knowing() -> Redactor {
    let redactor = with_policy("patterns = ['Z\\d']");
    redactor.remember("t", &SecretText::new("typed-secret"));
    redactor
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn doing_it_again_changes_nothing(text in texts()) {
        let redactor = knowing();
        let once = redactor.text(&text).into_owned();
        prop_assert_eq!(redactor.text(&once), once.as_str());
    }

    #[test]
    fn places_are_in_order_and_split_no_character(text in texts()) {
        let mut end = 0;
        for found in knowing().found(&text) {
            prop_assert!(found.place.start >= end && found.place.start < found.place.end);
            prop_assert!(text.get(found.place.clone()).is_some());
            end = found.place.end;
        }
    }

    #[test]
    fn what_stays_is_what_was_there(text in texts()) {
        let redactor = Redactor::default();
        let found = redactor.found(&text);
        if found.is_empty() {
            prop_assert_eq!(redactor.text(&text), text.as_str());
        }
    }

    #[test]
    fn a_token_never_survives(before in "[ -~]{0,20}", after in "[ -~]{0,20}", at in 0..28_usize) {
        let (token, _) = &tokens()[at];
        let text = format!("{before} {token} {after}");
        let out = knowing().text(&text).into_owned();
        prop_assert!(!out.contains(&**token), "{}", out);
    }
}

/// Work at each beginning is bounded: a form that read on to the end from each of them would not come back from these.
#[test]
fn long_hostile_texts_come_to_an_end() {
    let redactor = knowing();
    let length = 400_000;
    for part in [
        "eyJ",
        "ghp_",
        "://a:",
        "password=1",
        "-----BEGIN PRIVATE KEY-----",
        "A1b",
        "…",
        "typed-se…",
        "token=",
        "bearer ",
    ] {
        let text = part.repeat(length / part.len());
        assert!(redactor.text(&text).len() <= text.len() * 20, "{part}");
    }
}
