//! `handeye config show`: the settings that hold, and where each comes from.

use crate::exit::{report, unprinted};
use crate::output::{Output, harmless};
use crate::security::{Security, usual_place};
use crate::settings::{
    ALL, AUDIT_LOG, CONFIG, InForce, Kind, LOG_FILE, Origin, SECURITY_FILE, SECURITY_MODE, in_force,
    no_settings, text_of,
};
use crate::{audit_place, configuration, http_arguments, log_place, server_arguments};
use clap::{Arg, ArgAction, ArgMatches, Command};
use handeye_core::Result;
use handeye_redact::Redactor;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// The command.
pub fn config_command() -> Command {
    let show = Command::new("show")
        .about("Show every setting with the value that holds")
        .long_about(
            "Shows every setting with the value that holds here, and the rules that are read. With flags of mcp serve, shows what that \
             server would have. Tokens and keys are not shown, only whether they are set. What is malformed is reported with its line.",
        )
        .arg(
            Arg::new("origin")
                .long("origin")
                .action(ArgAction::SetTrue)
                .help("Say where each value comes from, and what else sets it without effect"),
        )
        .args(http_arguments())
        .args(server_arguments());
    Command::new("config")
        .about("Show the settings that hold, and where they come from")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(show)
}

/// Runs `handeye config show`; `matches` are those of the whole command line.
pub fn config_show(matches: &ArgMatches, output: &Output) -> ExitCode {
    match shown(matches) {
        Ok((fields, text)) => output
            .answer(&fields, &[], || harmless(&text))
            .map_or_else(|fault| unprinted(&fault), |()| ExitCode::SUCCESS),
        Err(error) => report(&error, output),
    }
}

fn shown(matches: &ArgMatches) -> Result<(Value, String)> {
    let show = matches.subcommand_matches("config").and_then(|config| config.subcommand_matches("show"));
    let show = show.unwrap_or(matches);
    let security = Security::configured(Some(show))?;
    let mut settings = in_force(ALL, matches)?;
    for held in &mut settings {
        complete(held, &security)?;
    }
    let sources = sources(&security);
    let strange = no_settings();
    let origins = show.get_flag("origin");
    let fields = json!({
        "files": sources.iter().map(|(what, path, is_read)| json!({ "what": what, "path": path, "read": is_read })).collect::<Vec<_>>(),
        "settings": settings.iter().map(|held| field(held, origins)).collect::<Vec<_>>(),
        "unknown": strange.iter().map(|(name, near)| json!({ "variable": name, "near": near })).collect::<Vec<_>>(),
        "warnings": security.warnings,
    });
    let mut lines: Vec<String> = sources
        .iter()
        .map(|(what, path, is_read)| format!("{what}: {path}{}", if *is_read { "" } else { " (not there)" }))
        .collect();
    lines.push(String::new());
    lines.extend(table(&settings, origins));
    if !strange.is_empty() || !security.warnings.is_empty() {
        lines.push(String::new());
    }
    lines.extend(strange.iter().map(|(name, near)| {
        let meant = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
        format!("{name} is set and is no setting{meant}")
    }));
    lines.extend(security.warnings.iter().map(|warning| format!("Doubtful: {warning}")));
    Ok((fields, lines.join("\n")))
}

/// What the table of settings does not know: what the rules say, where the default of a place is, and what is secret in a text.
fn complete(held: &mut InForce, security: &Security) -> Result<()> {
    let variable = held.about.variable;
    if variable == SECURITY_MODE.about.variable {
        held.value = Some(security.mode.as_str().into());
        let mut set: Vec<_> = security.modes.clone();
        // The tightest holds, and of several the first one.
        if let Some(at) = set.iter().position(|(_, mode)| *mode == security.mode) {
            held.origin = set.remove(at).0;
        }
        held.overridden = set.into_iter().map(|(origin, _)| origin).collect();
    }
    // A key may have been put into a setting for something else.
    if let Some(value) = &mut held.value
        && (held.about.kind == Kind::Text || value.is_array())
    {
        Redactor::default().json(value);
    }
    if held.origin != Origin::Default || held.about.kind == Kind::Secret {
        return Ok(());
    }
    let place = if variable == CONFIG.about.variable {
        configuration::place().map(|(path, _)| path)
    } else if variable == SECURITY_FILE.about.variable {
        usual_place()
    } else if variable == LOG_FILE.about.variable {
        Some(log_place::log_file())
    } else if variable == AUDIT_LOG.about.variable {
        audit_place::audit_log()?.map(|settings| settings.path)
    } else {
        None
    };
    held.value = held.value.take().or_else(|| {
        let of_text = || match held.about.kind {
            Kind::Number | Kind::Switch => serde_json::from_str(held.about.default).ok(),
            _ => None,
        };
        place.map(|path| path.display().to_string().into()).or_else(of_text)
    });
    Ok(())
}

/// The files that settings and rules come from: what each is, where, and whether it was read.
fn sources(security: &Security) -> Vec<(&'static str, String, bool)> {
    let shown = |path: &Path| path.display().to_string();
    let configuration = configuration::place().map(|(path, _)| {
        let is_read = configuration::path() == path;
        ("Configuration", shown(&path), is_read)
    });
    let read = security.files.iter().map(|path| ("Rules", shown(path), true));
    let absent = security.absent.iter().map(|path| ("Rules", shown(path), false));
    configuration.into_iter().chain(read).chain(absent).collect()
}

fn field(held: &InForce, origins: bool) -> Value {
    let is_set = held.origin != Origin::Default;
    let mut field = if held.about.kind == Kind::Secret {
        json!({ "setting": held.variable, "secret": true, "set": is_set })
    } else {
        let value = held.value.clone().unwrap_or_else(|| held.about.default.into());
        json!({ "setting": held.variable, "value": value })
    };
    if origins {
        field["origin"] = held.origin.json();
        if !held.overridden.is_empty() {
            field["overridden"] = held.overridden.iter().map(Origin::json).collect();
        }
    }
    field
}

/// A line for each setting.
fn table(settings: &[InForce], origins: bool) -> Vec<String> {
    let rows: Vec<(&str, String, &InForce)> =
        settings.iter().map(|held| (held.variable.as_str(), text_of(held), held)).collect();
    let width = |of: &dyn Fn(&(&str, String, &InForce)) -> usize, most: usize| {
        rows.iter().map(of).filter(|width| *width <= most).max().unwrap_or(0)
    };
    let names = width(&|(name, ..)| name.chars().count(), usize::MAX);
    let values = width(&|(_, value, _)| value.chars().count(), 40);
    let lines = rows.iter().map(|(name, value, held)| {
        if !origins {
            return format!("{name:<names$}  {value}");
        }
        let also: Vec<String> = held.overridden.iter().map(ToString::to_string).collect();
        let also =
            if also.is_empty() { String::new() } else { format!(" (without effect: {})", also.join("; ")) };
        format!("{name:<names$}  {value:<values$}  {}{also}", held.origin)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(words: &[&str]) -> ArgMatches {
        let words = ["handeye", "config", "show"].into_iter().chain(words.iter().copied());
        crate::command::command([config_command()]).try_get_matches_from(words).expect("valid")
    }

    fn held(settings: &[InForce], variable: &str) -> InForce {
        settings.iter().find(|held| held.variable == variable).expect("in the table").clone()
    }

    #[test]
    fn a_flag_is_where_a_value_comes_from() {
        let settings = in_force(
            ALL,
            &matches(&[
                "--http",
                "--port",
                "9000",
                "--tools",
                "ax_find, ax_click",
                "--format",
                "json",
                "--no-input",
                "--read-only",
            ]),
        );
        let settings = settings.expect("sound");
        for (variable, flag, value) in [
            ("HANDEYE_HTTP_PORT", "port", json!(9000)),
            ("HANDEYE_TOOLS", "tools", json!(["ax_find", "ax_click"])),
            ("HANDEYE_FORMAT", "format", json!("json")),
            ("HANDEYE_NO_INPUT", "no-input", json!(true)),
            ("HANDEYE_READ_ONLY", "read-only", json!(true)),
        ] {
            let held = held(&settings, variable);
            assert_eq!((held.origin, held.value), (Origin::Flag(flag), Some(value)), "{variable}");
        }
        let held = held(&settings, "HANDEYE_HTTP_BIND");
        assert_eq!((held.origin, held.value), (Origin::Default, None));
    }

    #[test]
    fn every_setting_is_there_once_and_no_secret_has_a_value() {
        let (fields, text) = shown(&matches(&["--origin"])).expect("sound");
        let listed = fields["settings"].as_array().expect("a list");
        for setting in ALL {
            let about = setting.about();
            if about.variable.contains("_NAME_") {
                continue;
            }
            let of_it: Vec<_> = listed.iter().filter(|field| field["setting"] == about.variable).collect();
            assert_eq!(of_it.len(), 1, "{}", about.variable);
            assert_eq!(of_it[0]["value"].is_null(), about.kind == Kind::Secret, "{}", about.variable);
            assert!(text.contains(about.variable));
        }
    }
}
