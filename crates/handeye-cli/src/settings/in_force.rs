//! Which value of a setting holds, and who set it.

use super::flag::given_anywhere;
use super::lookup::SetBy;
use super::origin::Origin;
use super::setting::{About, AnySetting, Kind};
use super::table::{BASE_URL, COMPATIBLE_KEY};
use super::value::Value;
use crate::configuration;
use clap::ArgMatches;
use handeye_core::{Error, Result};

/// What holds of one setting.
#[derive(Debug, Clone)]
pub struct InForce {
    /// How the setting is called and described.
    pub about: &'static About,
    /// The variable that sets it; that of a provider has its name in it.
    pub variable: String,
    /// What was set; `None` where nothing was, and for a secret.
    pub value: Option<serde_json::Value>,
    /// Who set it.
    pub origin: Origin,
    /// Who else set it, without effect.
    pub overridden: Vec<Origin>,
}

impl InForce {
    fn of(setting: &'static dyn AnySetting, variable: &str, set: Vec<(Origin, Value)>) -> Result<Self> {
        let about = setting.about();
        let mut set = set.into_iter();
        let Some((origin, value)) = set.next() else {
            return Ok(Self {
                about,
                variable: variable.to_owned(),
                value: None,
                origin: Origin::Default,
                overridden: Vec::new(),
            });
        };
        // Only who set it is named with what is wrong; a reader repeats no secret.
        let value = setting.shown(&value).map_err(|why| fault(&origin, variable, why))?;
        let overridden = set.map(|(origin, _)| origin).collect();
        Ok(Self { about, variable: variable.to_owned(), value, origin, overridden })
    }
}

fn fault(origin: &Origin, variable: &str, why: String) -> Error {
    let (name, next) = match origin {
        Origin::Default => (variable.to_owned(), "Set it.".to_owned()),
        Origin::Flag(flag) => ((*flag).to_owned(), "Change this flag.".to_owned()),
        Origin::Variable(name) => (name.clone(), "Change this environment variable, or unset it.".to_owned()),
        Origin::File { path, line, key } => {
            (key.clone(), format!("Change line {line} of {}.", path.display()))
        }
    };
    Error::invalid_parameter(&name, why).with_next(next)
}

/// What holds of the settings of the table, by the flags of a command line, the environment and the configuration file. Those of a
/// provider are there once for each that is set.
///
/// # Errors
/// A value that is none; the error names who set it.
pub fn in_force(settings: &'static [&'static dyn AnySetting], flags: &ArgMatches) -> Result<Vec<InForce>> {
    let mut all = Vec::new();
    for setting in settings {
        let about = setting.about();
        if [BASE_URL.about.variable, COMPATIBLE_KEY.about.variable].contains(&about.variable) {
            all.extend(of_providers(*setting)?);
            continue;
        }
        let flag = about.flag.and_then(|flag| Some((Origin::Flag(flag), given_anywhere(flags, about)?)));
        let elsewhere = about.every().map(|(source, value)| (Origin::from(source), value));
        all.push(InForce::of(*setting, about.variable, flag.into_iter().chain(elsewhere).collect())?);
    }
    Ok(all)
}

/// What is set of a setting with the name of a provider in its variable.
fn of_providers(setting: &'static dyn AnySetting) -> Result<Vec<InForce>> {
    let about = setting.about();
    let in_environment = std::env::vars_os().filter_map(|(name, value)| {
        let value = value.into_string().ok().filter(|value| !value.is_empty())?;
        let name = name.into_string().ok()?;
        Some((name.clone(), Origin::Variable(name), Value::Text(value)))
    });
    let in_file = configuration::entries()
        .map(|(name, entry)| (name.to_owned(), Origin::from(SetBy::File(entry)), entry.value.clone()));
    let mut found: Vec<(String, Origin, Value)> =
        in_environment.chain(in_file).filter(|(name, ..)| is_of_provider(name, about)).collect();
    // The sort is stable: the variable of a provider stays before its key.
    found.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    let providers = found.chunk_by(|(one, ..), (other, ..)| one == other);
    let in_force = providers.map(|of_one| {
        let set = of_one.iter().map(|(_, origin, value)| (origin.clone(), value.clone())).collect();
        InForce::of(setting, &of_one[0].0, set)
    });
    in_force.collect()
}

/// Whether this variable is one of a setting with the name of a provider in its variable, and none of a setting of its own.
pub(super) fn is_of_provider(variable: &str, about: &About) -> bool {
    let Some((before, behind)) = about.variable.split_once("NAME") else { return false };
    let name = variable.strip_prefix(before).and_then(|rest| rest.strip_suffix(behind));
    name.is_some_and(|name| !name.is_empty()) && super::abouts().all(|known| known.variable != variable)
}

/// Variables that look like settings of handeye and are none, with the setting that was probably meant.
pub fn no_settings() -> Vec<(String, Option<&'static str>)> {
    /// Most that are named.
    const MOST: usize = 64;
    /// What handeye itself sets for the programs that it starts.
    const OWN: [&str; 5] = [
        "HANDEYE_DESKTOP",
        "HANDEYE_DESKTOP_ISOLATED",
        "HANDEYE_DESKTOP_MEMBER",
        "HANDEYE_DISCOVERED",
        "HANDEYE_SCRIPT",
    ];
    let known = |name: &str| {
        OWN.contains(&name)
            || super::foreign::WITHOUT_EFFECT == name
            || super::abouts().any(|about| {
                about.variable == name || about.aliases.contains(&name) || is_of_provider(name, about)
            })
    };
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut strange: Vec<String> = names
        .filter(|name| name.starts_with("HANDEYE_") || name.starts_with("AXTERMINATOR_"))
        .filter(|name| !known(name))
        .take(MOST)
        .collect();
    strange.sort();
    let every_name = || {
        super::abouts().flat_map(|about| std::iter::once(about.variable).chain(about.aliases.iter().copied()))
    };
    let with_near = strange.into_iter().map(|name| {
        let near = handeye_core::nearness::nearest(&name, every_name(), 1).first().copied();
        (name, near)
    });
    with_near.collect()
}

/// What holds of a setting as a text for people.
pub fn text_of(held: &InForce) -> String {
    match &held.value {
        None if held.about.kind == Kind::Secret && held.origin != Origin::Default => "(set)".to_owned(),
        None => held.about.default.to_owned(),
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Array(texts)) if texts.is_empty() => "(empty)".to_owned(),
        Some(serde_json::Value::Array(texts)) => {
            let texts: Vec<&str> = texts.iter().filter_map(serde_json::Value::as_str).collect();
            texts.join(", ")
        }
        Some(other) => other.to_string(),
    }
}
