//! `ax_run_script`: runs a script that a person has read and approved (axterminator, section 4.9).

use async_trait::async_trait;
use clap::{Args, ValueEnum};
use handeye_act::script::LONGEST_SCRIPT;
use handeye_call::budget::Budget;
use handeye_call::call::Call;
use handeye_call::outcome::{Outcome, Verdict};
use handeye_core::{
    Argument, Error, ErrorCode, Result, Script, ScriptEnd, ScriptLanguage, ScriptOutput, ScriptRun, Support,
    screen_text, text,
};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// Runs a script.
pub struct RunScript;

/// The language of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lowercase")]
enum Language {
    /// POSIX shell.
    #[default]
    Shell,
    /// macOS only.
    AppleScript,
    /// macOS only.
    Jxa,
}

impl From<Language> for ScriptLanguage {
    fn from(language: Language) -> Self {
        match language {
            Language::Shell => Self::Shell,
            Language::AppleScript => Self::AppleScript,
            Language::Jxa => Self::Jxa,
        }
    }
}

/// Which script to run, and how.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(help = "The script")]
    script: String,
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    language: Language,
    #[arg(long, default_value_t = TIMEOUT_MS, help = "After so long it is ended with all that it has started; at most 60000")]
    #[serde(default = "timeout_ms")]
    timeout_ms: u64,
    /// Absolute; default: the home folder
    #[arg(long, value_name = "FOLDER")]
    cwd: Option<PathBuf>,
}

/// How long a script may take when nothing else is asked for.
const TIMEOUT_MS: u64 = 10_000;
/// The longest script, in bytes: a person has to read it.
const MAX_SCRIPT: usize = 20_000;
/// Longest output of a stream in an answer with a budget, in characters.
const MAX_CHARS: usize = 6_000;
/// Up to how many characters an output is in the fields of such an answer too.
const SHORT: usize = 2_000;
/// How many lines of its output the error of a script has that ran too long.
const LAST_LINES: usize = 5;

const fn timeout_ms() -> u64 {
    TIMEOUT_MS
}

/// What came of it.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<String>,
    stdout_bytes: u64,
    stderr_bytes: u64,
    left_running: usize,
    duration_ms: u64,
}

#[async_trait]
impl Operation for RunScript {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_run_script",
        command: "script",
        title: "Run a script",
        description: "For what applications cannot be made to do. A person reads and approves it first; what it leaves running is ended",
        toolset: Toolset::Script,
        open_world: true,
        deadline: Duration::from_secs(20),
        looks_at_desktop: false,
        output_published: false,
        task: true,
        narrower: || "Have the script print less.".into(),
        ..Meta::ACT
    };

    fn waiting(input: &Input) -> Duration {
        Duration::from_millis(input.timeout_ms).min(LONGEST_SCRIPT)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        let script = script(engine, input).await?;
        let deadline = script.deadline;
        let run = engine.desk.run_script(call, script).await?;
        if run.end == ScriptEnd::TimedOut {
            return Err(timed_out(&run, deadline));
        }
        Ok(outcome(call.reader.budget, &run))
    }
}

/// The script that is asked for, checked before a person has to read it.
async fn script(engine: &Engine, input: Input) -> Result<Script> {
    let Input { script: source, language, timeout_ms, cwd } = input;
    let language = ScriptLanguage::from(language);
    if let Support::No(missing) = engine.desk.platform.scripts.language(language) {
        return Err(Error::new(ErrorCode::NotSupported, format!("parameter 'language': {}", missing.reason))
            .with_next(text!["Write it for ", Argument::new("language", "shell"), "."]));
    }
    check(&source)?;
    let deadline = Duration::from_millis(timeout_ms);
    if deadline.is_zero() || deadline > LONGEST_SCRIPT {
        let why = format!("has to be from 1 to {}", LONGEST_SCRIPT.as_millis());
        return Err(Error::invalid_parameter("timeout_ms", why));
    }
    let directory = match cwd {
        Some(folder) if !folder.is_absolute() => {
            return Err(Error::invalid_parameter("cwd", "has to be an absolute path"));
        }
        Some(folder) => folder,
        None => engine.desk.platform.scripts.home()?,
    };
    let looked_at = directory.clone();
    let is_folder = tokio::task::spawn_blocking(move || looked_at.is_dir()).await.map_err(Error::internal)?;
    if !is_folder {
        return Err(Error::invalid_parameter("cwd", "is not a folder that can be entered"));
    }
    Ok(Script { language, source, directory, deadline })
}

/// Whether a person can read the script: all of it, and as it is.
fn check(source: &str) -> Result<()> {
    if source.trim().is_empty() {
        return Err(Error::invalid_parameter("script", "is empty"));
    }
    if source.len() > MAX_SCRIPT {
        let message = format!(
            "parameter 'script': has {} bytes; at most {MAX_SCRIPT} are taken, as a person reads it before it runs",
            source.len()
        );
        return Err(Error::new(ErrorCode::TooLarge, message).with_next("Do it in several shorter scripts."));
    }
    let seen = |c: char| matches!(c, '\n' | '\t');
    if let Some(hidden) = source.chars().find(|c| !seen(*c) && screen_text::is_forging(*c)) {
        let why = format!("contains U+{:04X}, which a person does not see", u32::from(hidden));
        return Err(Error::invalid_parameter("script", why)
            .with_next("Write such a character as an escape, for example with printf."));
    }
    Ok(())
}

fn timed_out(run: &ScriptRun, deadline: Duration) -> Error {
    let message = format!(
        "the script did not end within {} ms: it and all that it had started were ended",
        deadline.as_millis()
    );
    let lines = |name: &'static str, output: &ScriptOutput| {
        let text = String::from_utf8_lossy(&output.bytes).into_owned();
        let lines: Vec<String> = text.lines().rev().take(LAST_LINES).map(str::to_owned).collect();
        lines.into_iter().rev().map(move |line| format!("{name}: {line}"))
    };
    Error::new(ErrorCode::ScriptTimeout, message)
        .with_found(lines("stdout", &run.stdout).chain(lines("stderr", &run.stderr)))
        .with_next(text![
            "It may have done a part of its work: look before you repeat it. ",
            Argument::new("timeout_ms", LONGEST_SCRIPT.as_millis().to_string()),
            " is the longest time; standard input is empty."
        ])
}

fn outcome(budget: Budget, run: &ScriptRun) -> Outcome<Output> {
    let duration_ms = u64::try_from(run.took.as_millis()).unwrap_or(u64::MAX);
    let (exit_code, signal) = match run.end {
        ScriptEnd::Exited(code) => (Some(code), None),
        ScriptEnd::Killed(signal) => (None, Some(signal)),
        ScriptEnd::TimedOut => (None, None),
    };
    let mut text = match (exit_code, signal) {
        (Some(code), _) => format!("Exit code {code} after {duration_ms} ms."),
        (None, Some(signal)) => format!("Ended by signal {signal} after {duration_ms} ms."),
        (None, None) => format!("Ended after {duration_ms} ms."),
    };
    if run.left_running > 0 {
        text.push_str(&format!(" Processes that it left running were ended: {}.", run.left_running));
    }
    let mut stream = |name: &str, output: &ScriptOutput| {
        let whole = String::from_utf8_lossy(&output.bytes).into_owned();
        let total = output.bytes.len() as u64 + output.left_out;
        let most = if budget == Budget::UNLIMITED { usize::MAX } else { MAX_CHARS };
        if total > 0 {
            let shown: String = whole.chars().take(most).collect();
            text.push_str(&format!("\n{name}:\n{}", shown.trim_end_matches('\n')));
            let left_out = total.saturating_sub(shown.len() as u64);
            if left_out > 0 && shown.len() < whole.len() || output.left_out > 0 {
                text.push_str(&format!("\n[left out: {left_out} of {total} bytes]"));
            }
        }
        let is_short = budget == Budget::UNLIMITED || whole.chars().count() <= SHORT;
        (is_short.then_some(whole), total)
    };
    let (stdout, stdout_bytes) = stream("stdout", &run.stdout);
    let (stderr, stderr_bytes) = stream("stderr", &run.stderr);
    let left_running = run.left_running;
    let fields =
        Output { exit_code, signal, stdout, stderr, stdout_bytes, stderr_bytes, left_running, duration_ms };
    let verdict = Verdict::of(exit_code == Some(0), ErrorCode::ActionFailed);
    Outcome { verdict, ..Outcome::new(text, fields) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_one_that_a_person_can_read() {
        assert!(check("for f in *; do\n\techo \"ñ $f\"\ndone").is_ok());
        let code = |source: &str| check(source).expect_err("refused").code;
        for hidden in ["", " \n\t", "ls\u{1b}[8m", "a\rb", "a\u{202e}b", "a\0b", "a\u{200b}b"] {
            assert_eq!(code(hidden), ErrorCode::InvalidParameter, "{hidden:?}");
        }
        assert_eq!(code(&"x".repeat(MAX_SCRIPT + 1)), ErrorCode::TooLarge);
    }

    #[test]
    fn a_long_output_is_once_in_an_answer_and_says_what_is_left_out() {
        let mut stdout = ScriptOutput::default();
        stdout.take(&vec![b'y'; ScriptOutput::MAX_BYTES + 9]);
        let run = ScriptRun {
            end: ScriptEnd::Exited(3),
            stdout,
            stderr: ScriptOutput { bytes: b"no\n".to_vec(), left_out: 0 },
            left_running: 2,
            took: Duration::from_millis(7),
        };
        let model = outcome(Budget::MODEL, &run);
        assert!(model.text.starts_with(
            "Exit code 3 after 7 ms. Processes that it left running were ended: 2.\nstdout:\nyy"
        ));
        assert!(
            model.text.ends_with("y\n[left out: 256153 of 262153 bytes]\nstderr:\nno"),
            "{}",
            &model.text[6_000..]
        );
        assert_eq!((model.fields.stdout.as_deref(), model.fields.stderr.as_deref()), (None, Some("no\n")));
        assert_eq!(
            (model.fields.stdout_bytes, model.verdict),
            (262_153, Verdict::No(ErrorCode::ActionFailed))
        );
        let shell = outcome(Budget::UNLIMITED, &run);
        assert_eq!(shell.fields.stdout.map(|whole| whole.len()), Some(ScriptOutput::MAX_BYTES));
    }
}
