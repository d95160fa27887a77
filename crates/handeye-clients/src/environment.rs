//! The environment in which a client starts a server, so that a server can be tried as the client would start it.

use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Which variables of its own environment a client passes to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passes {
    /// All of them.
    Everything,
    /// All but the cookie of the display and what may be secret.
    NoSecrets,
    /// Only those that the SDKs pass. It is also assumed of a client that was not measured: what works with them works with more.
    Few,
}

/// Those that the SDKs pass.
const FEW: [&str; 6] = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/// Variables of a server.
pub type Environment = BTreeMap<OsString, OsString>;

impl Passes {
    /// The environment of a server with this entry, when the client has the environment of this process.
    pub(crate) fn environment(self, entry: &Value) -> Environment {
        let mut passed: Environment = std::env::vars_os().filter(|(name, _)| self.passes(name)).collect();
        // Codex: names of more variables to pass.
        let more = entry.get("env_vars").and_then(Value::as_array).into_iter().flatten();
        for name in more.filter_map(Value::as_str) {
            passed.extend(std::env::var_os(name).map(|value| (name.into(), value)));
        }
        let own = ["env", "environment", "envs"].iter().filter_map(|key| entry.get(key)?.as_object());
        for (name, value) in own.flatten() {
            passed.extend(value.as_str().map(|value| (name.into(), expanded(value))));
        }
        passed
    }

    fn passes(self, name: &OsStr) -> bool {
        match self {
            Self::Everything => true,
            Self::NoSecrets => {
                let name = name.to_string_lossy();
                name != "XAUTHORITY" && !name.ends_with("_TOKEN") && !name.ends_with("_KEY")
            }
            Self::Few => FEW.iter().any(|known| name == *known),
        }
    }
}

/// The value of a variable of this process for `$NAME` and `${NAME}`, which several clients replace; other values as they are.
fn expanded(value: &str) -> OsString {
    let name = value
        .strip_prefix('$')
        .map(|name| name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name));
    name.and_then(std::env::var_os).unwrap_or_else(|| value.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_entry_adds_variables_to_those_that_are_passed() {
        let entry = json!({"env": {"DISPLAY": ":7", "WHERE": "$PATH", "OTHER": "${PATH}", "PRICE": "$ 5"}, "env_vars": ["CARGO_PKG_NAME"]});
        let passed = Passes::Few.environment(&entry);
        let value =
            |name: &str| passed.get(OsStr::new(name)).map(|value| value.to_string_lossy().into_owned());
        let path = std::env::var("PATH").expect("tests have a path");
        assert_eq!(value("DISPLAY").as_deref(), Some(":7"));
        assert_eq!((value("WHERE"), value("OTHER")), (Some(path.clone()), Some(path)));
        assert_eq!(value("PRICE").as_deref(), Some("$ 5"));
        assert_eq!(value("CARGO_PKG_NAME").as_deref(), Some("handeye-clients"));
        assert_eq!(value("CARGO_PKG_VERSION"), None);
        assert!(Passes::Everything.environment(&entry).contains_key(OsStr::new("CARGO_PKG_VERSION")));
        for (name, passes) in
            [("XAUTHORITY", false), ("GH_TOKEN", false), ("API_KEY", false), ("DISPLAY", true)]
        {
            assert_eq!(Passes::NoSecrets.passes(OsStr::new(name)), passes, "{name}");
        }
    }
}
