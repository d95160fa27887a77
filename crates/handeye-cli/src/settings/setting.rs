//! What a setting is.

use super::shown::Shown;
use super::value::Value;

/// What the value of a key in the configuration file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// A string that is never printed.
    Secret,
    /// A string; `~/` at its beginning is the home directory.
    Path,
    /// A number.
    Number,
    /// A number, or a string with a unit.
    NumberOrText,
    /// `true` or `false`.
    Switch,
    /// Strings.
    List,
}

/// How a setting is called and described.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// The flag that sets it, without dashes, if there is one. It wins over everything else.
    pub flag: Option<&'static str>,
    /// The environment variable that sets it.
    pub variable: &'static str,
    /// Names from the systems that handeye replaces; used when `variable` is not set.
    pub aliases: &'static [&'static str],
    /// The key that sets it in the configuration file, with its table, if there is one; it comes last. Keys of providers have
    /// none: a secret does not belong in a file of settings. That of the HTTP token is refused in a file that others can read.
    pub key: Option<&'static str>,
    /// What the value of that key is.
    pub kind: Kind,
    /// What holds when nobody says otherwise.
    pub default: &'static str,
    /// What it does, in one sentence.
    pub help: &'static str,
}

/// Makes the value of a setting of what was set, or says what is wrong with it; that completes a sentence about the setting.
pub(super) type Reader<T> = fn(&Value) -> Result<T, String>;

/// One setting, whose values are of type `T`, wherever they come from.
#[derive(Debug, Clone, Copy)]
pub struct Setting<T = String> {
    /// Its names and its description.
    pub about: About,
    /// What reads its value, of a flag, a variable and a key alike.
    pub(super) reader: Reader<T>,
}

impl About {
    /// The setting whose values are read by this.
    pub(super) const fn read_by<T>(self, reader: Reader<T>) -> Setting<T> {
        Setting { about: self, reader }
    }
}

/// A setting, whatever the type of its values is.
pub trait AnySetting: Sync {
    /// Its names and its description.
    fn about(&self) -> &About;

    /// What a value that was set is, for a reader; `None` for a secret.
    ///
    /// # Errors
    /// What is wrong with it; that completes a sentence about the setting.
    fn shown(&self, value: &Value) -> Result<Option<serde_json::Value>, String>;
}

impl<T: Shown> AnySetting for Setting<T> {
    fn about(&self) -> &About {
        &self.about
    }

    fn shown(&self, value: &Value) -> Result<Option<serde_json::Value>, String> {
        let read = (self.reader)(value)?;
        Ok((self.about.kind != Kind::Secret).then(|| read.shown(value)))
    }
}
