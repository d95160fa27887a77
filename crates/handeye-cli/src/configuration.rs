//! The configuration file: `handeye/config.toml` in the XDG folder for configuration. It is optional, and read once.

use crate::settings::foreign::{self, ForeignKey};
use crate::settings::{ALL, About, BASE_URL, CONFIG, HTTP_TOKEN, Kind, Value, abouts};
use handeye_core::nearness::nearest;
use handeye_core::{Error, ErrorCode, Result};
use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The largest file that is read, in bytes. Anything larger is not a configuration.
const MAX_BYTES: u64 = 64 * 1024;
/// How many faults an error names.
const MAX_FAULTS: usize = 12;
/// How many addresses of providers are kept.
const MAX_PROVIDERS: usize = 64;

/// One value of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its key, with its table.
    pub key: String,
    /// The line on which it stands, counted from 1.
    pub line: usize,
    /// The value, of the kind of its setting.
    pub value: Value,
}

/// The values of the file, by the variable that each stands in for.
#[derive(Debug, Default, PartialEq)]
struct Configuration {
    path: PathBuf,
    entries: BTreeMap<String, Entry>,
}

static LOADED: OnceLock<Configuration> = OnceLock::new();

/// Reads the file, for the rest of the life of this process.
pub(crate) fn load() -> Result<()> {
    let Some((path, required)) = place() else { return Ok(()) };
    let read = Configuration::read(&path, required)?;
    LOADED.set(read).map_err(|_| Error::internal("the configuration file is read a second time"))
}

/// What the file says in place of an environment variable.
pub(crate) fn entry(variable: &str) -> Option<&'static Entry> {
    LOADED.get()?.entries.get(variable)
}

/// What the file says in place of variables whose names its keys choose.
pub(crate) fn entries() -> impl Iterator<Item = (&'static str, &'static Entry)> {
    LOADED
        .get()
        .into_iter()
        .flat_map(|read| &read.entries)
        .map(|(variable, entry)| (variable.as_str(), entry))
}

/// The file that was read.
pub(crate) fn path() -> &'static Path {
    LOADED.get().map_or(Path::new(""), |read| &read.path)
}

/// The folder for configuration.
pub(crate) fn folder() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // The specification of the XDG folders: a relative one does not count.
    let folder = set("XDG_CONFIG_HOME").filter(|folder| folder.is_absolute());
    folder.or_else(|| Some(set("HOME")?.join(".config")))
}

/// Where the file is, and whether it has to be there.
pub(crate) fn place() -> Option<(PathBuf, bool)> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = set(CONFIG.about.variable) {
        return Some((path, true));
    }
    let folder = folder()?;
    let own = folder.join("handeye/config.toml");
    let foreign = folder.join("axterminator/config.toml");
    let path = if !own.exists() && foreign.exists() { foreign } else { own };
    Some((path, false))
}

impl Configuration {
    fn read(path: &Path, required: bool) -> Result<Self> {
        let fault = |why: String| {
            Error::new(
                ErrorCode::InvalidParameter,
                format!("the configuration file {} {why}", path.display()),
            )
        };
        let unreadable = |error: std::io::Error| fault(format!("cannot be read: {error}"));
        // Asked before it is opened: to open a pipe is to wait for its writer.
        match fs::metadata(path) {
            Ok(about) if about.is_file() || about.file_type().is_char_device() => {}
            Ok(_) => return Err(fault("is not a file".into())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !required => {
                return Ok(Self::default());
            }
            Err(error) => return Err(unreadable(error)),
        }
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(unreadable)?;
        let is_shared = file.metadata().map_err(unreadable)?.mode() & 0o077 != 0;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(fault(format!("is larger than {} KiB", MAX_BYTES / 1024)));
        }
        let text = String::from_utf8(bytes).map_err(|_| fault("is not UTF-8".into()))?;
        let entries = parse(&text).map_err(|faults| {
            fault(format!("cannot be used: {}", faults.join("; ")))
                .with_next("docs/reference/environment.md lists every key.")
        })?;
        if is_shared && let Some(secret) = entries.get(HTTP_TOKEN.about.variable) {
            let (key, line) = (&secret.key, secret.line);
            return Err(fault(format!(
                "cannot be used: line {line}: '{key}' is a secret, and other users may read this file"
            ))
            .with_next(format!("Run chmod 600 {}, and choose another token.", path.display())));
        }
        Ok(Self { path: path.to_owned(), entries })
    }
}

/// Reads the text of a file. No fault repeats a value, which may be a secret in the wrong place.
fn parse(text: &str) -> Result<BTreeMap<String, Entry>, Vec<String>> {
    let line_of = |at: usize| text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(span.start));
        vec![format!("line {line}: {}", error.message())]
    })?;
    let mut reader = Reader { line_of: &line_of, entries: BTreeMap::new(), faults: Vec::new() };
    reader.read("", table.get_ref());
    let Reader { entries, mut faults, .. } = reader;
    if faults.is_empty() {
        return Ok(entries);
    }
    faults.sort_by_key(|(line, _)| *line);
    let more = faults.len().saturating_sub(MAX_FAULTS);
    let reported = faults.into_iter().take(MAX_FAULTS).map(|(line, fault)| format!("line {line}: {fault}"));
    Err(reported.chain((more > 0).then(|| format!("and {more} more"))).collect())
}

struct Reader<'a> {
    line_of: &'a dyn Fn(usize) -> usize,
    entries: BTreeMap<String, Entry>,
    faults: Vec<(usize, String)>,
}

impl Reader<'_> {
    /// Reads the table whose name, with a dot behind it, is `prefix`.
    fn read(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let key = format!("{prefix}{}", name.get_ref());
            let line = (self.line_of)(name.span().start);
            if let Some(known) = foreign::key(&key) {
                self.read_foreign(key, line, known, value.get_ref());
                continue;
            }
            match (setting(&key), value.get_ref()) {
                (Some((setting, variable)), value) => match typed(setting.kind, value) {
                    Some(_) if self.entries.len() >= ALL.len() + MAX_PROVIDERS => {
                        self.faults.push((line, format!("more than {MAX_PROVIDERS} providers")));
                    }
                    Some(value) => {
                        self.entries.insert(variable, Entry { key, line, value });
                    }
                    None => {
                        let fault =
                            format!("'{key}' must be {}, not {}", expected(setting.kind), found(value));
                        self.faults.push((line, fault));
                    }
                },
                (None, DeValue::Table(inner)) if is_table(&key) => self.read(&format!("{key}."), inner),
                (None, _) if is_table(&key) => self.faults.push((line, format!("'{key}' must be a table"))),
                (None, _) => self.faults.push((line, unknown(&key))),
            }
        }
    }

    /// Reads a key of the specification of axterminator. One of ours for the same setting has priority, before or behind it.
    fn read_foreign(&mut self, key: String, line: usize, known: ForeignKey, value: &DeValue<'_>) {
        let (variable, kind) = match known {
            ForeignKey::Alias(variable, kind) => (Some(variable), kind),
            ForeignKey::WithoutEffect => (None, Kind::Number),
        };
        let Some(value) = typed(kind, value) else {
            let fault = format!("'{key}' must be {}, not {}", expected(kind), found(value));
            self.faults.push((line, fault));
            return;
        };
        if let Some(fault) = foreign::fault(&key, &value) {
            self.faults.push((line, fault));
        } else if let Some(variable) = variable {
            self.entries.entry(variable.to_owned()).or_insert(Entry { key, line, value });
        }
    }
}

/// The setting of a key, and the variable that it stands in for.
fn setting(key: &str) -> Option<(&'static About, String)> {
    if let Some(setting) = abouts().find(|setting| setting.key == Some(key)) {
        return Some((setting, setting.variable.to_owned()));
    }
    let name = key.strip_prefix(BASE_URL.about.key?.strip_suffix("NAME")?)?;
    let spelt = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let name: String = name.chars().map(spelt).collect();
    (!name.is_empty()).then(|| (&BASE_URL.about, BASE_URL.about.variable.replace("NAME", &name)))
}

/// Whether some key stands in a table of that name.
fn is_table(name: &str) -> bool {
    keys().any(|key| key.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

fn keys() -> impl Iterator<Item = &'static str> {
    abouts().filter_map(|setting| setting.key).chain(foreign::keys())
}

fn unknown(key: &str) -> String {
    let shown: String = key.chars().take(60).collect();
    if key.to_ascii_lowercase().ends_with("key") {
        return format!("'{shown}' is unknown; keys of providers come from environment variables alone");
    }
    match nearest(key, keys(), 1).first() {
        Some(near) => format!("'{shown}' is unknown (did you mean '{near}'?)"),
        None => format!("'{shown}' is unknown"),
    }
}

/// The value, if it is of this kind.
fn typed(kind: Kind, value: &DeValue<'_>) -> Option<Value> {
    match (kind, value) {
        (Kind::Path, DeValue::String(path)) => Some(Value::Text(at_home(path))),
        (Kind::Text | Kind::Secret | Kind::NumberOrText | Kind::List, DeValue::String(text)) => {
            Some(Value::Text(text.to_string()))
        }
        (Kind::Number | Kind::NumberOrText, DeValue::Integer(number)) if number.radix() == 10 => {
            let digits = number.as_str();
            digits.parse().map(Value::Whole).or_else(|_| digits.parse().map(Value::Fraction)).ok()
        }
        (Kind::Number, DeValue::Float(number)) => number.as_str().parse().map(Value::Fraction).ok(),
        (Kind::Switch, DeValue::Boolean(on)) => Some(Value::Switch(*on)),
        (Kind::List, DeValue::Array(items)) => {
            let names = items.iter().map(Spanned::get_ref).map(|item| item.as_str().map(str::to_owned));
            names.collect::<Option<Vec<_>>>().map(Value::List)
        }
        _ => None,
    }
}

fn at_home(path: &str) -> String {
    match (path.strip_prefix("~/"), env::var("HOME")) {
        (Some(rest), Ok(home)) => format!("{home}/{rest}"),
        _ => path.to_owned(),
    }
}

const fn expected(kind: Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::Secret | Kind::Path => "a string",
        Kind::Number => "a number",
        Kind::NumberOrText => "a number or a string",
        Kind::Switch => "true or false",
        Kind::List => "strings in brackets, or one string",
    }
}

const fn found(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array of that",
        DeValue::Table(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn values(text: &str) -> Vec<(String, Value)> {
        let entries = parse(text).expect("sound");
        entries.into_iter().map(|(variable, entry)| (variable, entry.value)).collect()
    }

    fn faults(text: &str) -> String {
        parse(text).expect_err("faulty").join("\n")
    }

    #[test]
    fn every_key_stands_in_for_its_variable() {
        let text = "[server]\ntoolsets = ['find', \"observe\"]\nread_only = true\nlog_level = 'debug'\n\
                    [screenshots]\nkeep = 100\nttl_ms = 5_000\n[cli]\ntimeout = 2.5\n\
                    [ai]\nproviders = 'ollama/llava'\n[ai.base_url]\nollama = 'http://a'\nmy-gpu = 'http://b'\n";
        let expected = [
            ("HANDEYE_AI_PROVIDERS", "ollama/llava".into()),
            ("HANDEYE_LOG_LEVEL", "debug".into()),
            ("HANDEYE_MY_GPU_BASE_URL", "http://b".into()),
            ("HANDEYE_OLLAMA_BASE_URL", "http://a".into()),
            ("HANDEYE_READ_ONLY", Value::Switch(true)),
            ("HANDEYE_SCREENSHOT_KEEP", Value::Whole(100)),
            ("HANDEYE_SCREENSHOT_TTL_MS", Value::Whole(5000)),
            ("HANDEYE_TIMEOUT", Value::Fraction(2.5)),
            ("HANDEYE_TOOLSETS", Value::List(vec!["find".to_owned(), "observe".to_owned()])),
        ];
        assert_eq!(values(text), expected.map(|(variable, value)| (variable.to_owned(), value)));
        assert_eq!(parse(text).expect("sound")["HANDEYE_SCREENSHOT_TTL_MS"].line, 7);
        assert!(values("").is_empty() && values("# nothing\n[server]\n").is_empty());
        assert_eq!(values("server.tools = []"), [("HANDEYE_TOOLS".to_owned(), Value::List(Vec::new()))]);
    }

    #[test]
    fn faults_are_named_with_their_lines_and_without_their_values() {
        let text = "[server]\ntolsets = 's3cret'\nread_only = 's3cret'\n\n[ai]\ntimeout = true\nopenai_api_key = 's3cret'\n\
                    base_url = 5\n[zebra]\nx = 1\n[cli.format]\nx = 1\n[screenshots]\nkeep = 0xff\ndir = ['s3cret']\n";
        let reported = faults(text);
        for part in [
            "line 2: 'server.tolsets' is unknown (did you mean 'server.toolsets'?)",
            "line 3: 'server.read_only' must be true or false, not a string",
            "line 6: 'ai.timeout' must be a number, not true or false",
            "line 7: 'ai.openai_api_key' is unknown; keys of providers come from environment variables alone",
            "line 8: 'ai.base_url' must be a table",
            "line 9: 'zebra' is unknown",
            "line 11: 'cli.format' must be a string, not a table",
            "line 14: 'screenshots.keep' must be a number or a string, not a number",
            "line 15: 'screenshots.dir' must be a string, not an array of that",
        ] {
            assert!(reported.contains(part), "{part} in\n{reported}");
        }
        assert!(!reported.contains("s3cret"), "{reported}");
        assert_eq!(reported.lines().count(), 9, "{reported}");
    }

    #[test]
    fn keys_of_the_specification_are_other_names() {
        let text = "[server]\nlog_level = 'info'\nsecurity_mode = 'normal'\nconfirm_destructive = false\n\
                    [vlm]\nbackend = 'anthropic'\n[http]\nport = 8741\nbind = '127.0.0.1'\n\
                    [cache]\ntree_ttl_ms = 500\nscreenshot_debounce_ms = 100\n[security]\nallowed_apps = []\n";
        let expected = [
            ("HANDEYE_AI_PROVIDERS", "anthropic".into()),
            ("HANDEYE_ALLOWED_APPS", Value::List(Vec::new())),
            ("HANDEYE_CONFIRM", Value::Switch(false)),
            ("HANDEYE_HTTP_BIND", "127.0.0.1".into()),
            ("HANDEYE_HTTP_PORT", Value::Whole(8741)),
            ("HANDEYE_LOG_LEVEL", "info".into()),
            ("HANDEYE_SECURITY_MODE", "normal".into()),
        ];
        assert_eq!(values(text), expected.map(|(variable, value)| (variable.to_owned(), value)));
        for ours_beside_it in [
            "security.confirm = 'always'\nserver.confirm_destructive = false",
            "server.confirm_destructive = false\nsecurity.confirm = 'always'",
        ] {
            assert_eq!(values(ours_beside_it), [("HANDEYE_CONFIRM".to_owned(), "always".into())]);
        }
        let reported = faults(
            "[server]\nsecurity_mode = 5\nconfirm_destructive = 'yes'\n[security]\ndenied_apps = 7\n\
             [vlm]\nbackend = 'mlx'\n[rate_limits]\nrps = 'x'\n[cache]\ntree_ttl_ms = 'x'\n[http]\ntoken = 5\n",
        );
        for line in [2, 3, 5, 7, 9, 11, 13] {
            assert!(reported.contains(&format!("line {line}: ")), "line {line} in\n{reported}");
        }
        assert!(!reported.contains("s3cret"), "{reported}");
    }

    #[test]
    fn what_is_no_toml_is_reported_with_its_line() {
        for (text, line) in [
            ("a = 1\nb = ", "line 2"),
            ("[server\n", "line 1"),
            ("[ai]\n[ai]\n", "line 2"),
            ("\u{0}", "line 1"),
        ] {
            assert!(faults(text).starts_with(line), "{}", faults(text));
        }
        assert!(faults(&"[".repeat(60_000)).starts_with("line 1"), "depth is no danger");
        assert!(faults(&format!("a = {}", "[".repeat(60_000))).starts_with("line 1"));
        let many = (0..40).map(|n| format!("x{n} = 1")).collect::<Vec<_>>().join("\n");
        assert!(faults(&many).ends_with("and 28 more"), "{}", faults(&many));
    }

    #[test]
    fn a_file_may_be_missing_but_not_be_anything_else() {
        let folder = std::env::temp_dir().join(format!("handeye-configuration-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("config.toml");
        assert_eq!(Configuration::read(&path, false), Ok(Configuration::default()));
        assert!(
            Configuration::read(&path, true).is_err_and(|error| error.message.contains("cannot be read"))
        );
        assert!(
            Configuration::read(&folder, false).is_err_and(|error| error.message.contains("is not a file"))
        );
        let null = Configuration::read(Path::new("/dev/null"), true).expect("empty");
        assert!(null.entries.is_empty());
        let endless = Configuration::read(Path::new("/dev/zero"), true);
        assert!(endless.is_err_and(|error| error.message.contains("larger than 64 KiB")));
        for (mode, is_read) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o620, false)]
        {
            fs::remove_file(&path).or_else(|_| fs::write(&path, "")).expect("mine");
            fs::write(&path, "[http]\nport = 1\ntoken = 's3cret'\n").expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("mine");
            let read = Configuration::read(&path, true);
            assert_eq!(read.is_ok(), is_read, "{mode:o}");
            assert!(read.err().is_none_or(|error| error.message.contains("line 3") && !error.message.contains("s3cret")));
        }
        fs::remove_file(&path).expect("mine");
        fs::write(&path, b"[server]\nlog_level = '\xff'\n").expect("written");
        assert!(Configuration::read(&path, false).is_err_and(|error| error.message.contains("UTF-8")));
        fs::remove_dir_all(&folder).expect("removed");
    }
}
