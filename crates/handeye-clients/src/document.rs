//! What an entry says, and what a whole file says, whatever its format.

use crate::table::{Client, Shape};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::path::Path;

/// A server as a client starts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl Server {
    /// Whether it is handeye, wherever that is installed, or this program under another name.
    pub fn is_handeye(&self) -> bool {
        let program = Path::new(&self.command);
        program.file_name().is_some_and(|name| name == "handeye")
            || std::env::current_exe().is_ok_and(|own| own == program)
    }

    /// The command and its arguments in one line, quoted as a shell needs it.
    pub fn line(&self) -> String {
        let words: Vec<_> =
            std::iter::once(&self.command).chain(&self.args).map(|word| quoted(word)).collect();
        words.join(" ")
    }
}

fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+,:=@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''")).into()
    }
}

/// A value of an entry. The order of fields is that in which they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Field {
    Text(String),
    Texts(Vec<String>),
    Switch(bool),
    Number(u32),
}

/// The fields of an entry, in the order in which they are written.
pub(crate) fn fields(shape: Shape, name: &str, server: &Server) -> Vec<(&'static str, Field)> {
    let text = |text: &str| Field::Text(text.to_owned());
    let args = || Field::Texts(server.args.clone());
    let command = || text(&server.command);
    match shape {
        Shape::Plain => vec![("command", command()), ("args", args())],
        Shape::Typed(kind) => vec![("type", text(kind)), ("command", command()), ("args", args())],
        Shape::WithTools(kind) => vec![
            ("type", text(kind)),
            ("command", command()),
            ("args", args()),
            ("tools", Field::Texts(vec!["*".to_owned()])),
        ],
        Shape::CommandList => {
            let words = std::iter::once(&server.command).chain(&server.args).cloned().collect();
            vec![("type", text("local")), ("command", Field::Texts(words)), ("enabled", Field::Switch(true))]
        }
        Shape::Extension => vec![
            ("name", text(name)),
            ("type", text("stdio")),
            ("cmd", command()),
            ("args", args()),
            ("enabled", Field::Switch(true)),
            ("timeout", Field::Number(300)),
        ],
        Shape::Listed => vec![("name", text(name)), ("command", command()), ("args", args())],
        Shape::ListedWithTransport => {
            vec![("name", text(name)), ("transport", text("stdio")), ("command", command()), ("args", args())]
        }
    }
}

impl Field {
    /// The value as a file of any format says it.
    pub(crate) fn value(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Texts(texts) => json!(texts),
            Self::Switch(is_on) => json!(is_on),
            Self::Number(number) => json!(number),
        }
    }
}

/// The entry as a file of any format says it.
pub(crate) fn value(fields: &[(&'static str, Field)]) -> Value {
    let pairs = fields.iter().map(|(name, field)| ((*name).to_owned(), field.value()));
    Value::Object(pairs.collect::<Map<_, _>>())
}

/// The entry `name` in what a file says.
pub(crate) fn entry<'a>(content: &'a Value, client: &Client, name: &str) -> Option<&'a Value> {
    let servers = content.get(client.key)?;
    if client.shape.is_listed() {
        servers.as_array()?.iter().find(|entry| entry.get("name").is_some_and(|found| found == name))
    } else {
        servers.get(name)
    }
}

/// What a file says without the entry `name`; a list that is empty then counts as missing.
pub(crate) fn without(mut content: Value, client: &Client, name: &str) -> Value {
    let Some(object) = content.as_object_mut() else { return json!({}) };
    let is_empty = match object.get_mut(client.key) {
        Some(Value::Object(servers)) => {
            servers.remove(name);
            servers.is_empty()
        }
        Some(Value::Array(servers)) => {
            servers.retain(|entry| entry.get("name").is_none_or(|found| found != name));
            servers.is_empty()
        }
        Some(Value::Null) => true,
        _ => false,
    };
    if is_empty {
        object.remove(client.key);
    }
    content
}

/// What an entry starts, if it starts a program.
pub(crate) fn server(entry: &Value) -> Option<Server> {
    let texts = |value: &Value| -> Vec<String> {
        let words = value.as_array().into_iter().flatten();
        words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let command = entry.get("command").or_else(|| entry.get("cmd"))?;
    if let Some(command) = command.as_str() {
        let args = entry.get("args").map(texts).unwrap_or_default();
        return Some(Server { command: command.to_owned(), args });
    }
    let mut words = texts(command).into_iter();
    Some(Server { command: words.next()?, args: words.collect() })
}
