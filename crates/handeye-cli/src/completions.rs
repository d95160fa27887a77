//! `handeye completions`: scripts that complete commands, options and, in bash, the names of running applications.

use crate::exit::unprinted;
use crate::format::Format;
use crate::output::{Output, write_all};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use serde_json::json;
use std::process::ExitCode;

/// What bash asks handeye itself for: after `--app`, the applications that run. It looks once, starts no daemon, and says nothing where
/// nothing can be read.
const BASH_APPLICATIONS: &str = r#"
_handeye_or_applications() {
    # Bash takes --app=name for three words.
    local typed="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
    [[ "$typed" == "=" ]] && typed=""
    [[ "$before" == "=" ]] && before="${COMP_WORDS[COMP_CWORD-2]}"
    if [[ "$before" != --app ]]; then
        _handeye "$@"
        return
    fi
    local name
    typed="${typed#[\"\']}"
    typed="${typed//\\/}"
    COMPREPLY=()
    while IFS= read -r name; do
        [[ "$name" == "$typed"* ]] && COMPREPLY+=("$(printf '%q' "$name")")
    done < <(command handeye apps --format text --no-daemon --no-input --timeout 2 2>/dev/null | sed -n 's/^- \(.*\) (pid [0-9]*).*/\1/p' | sort -u)
}
complete -F _handeye_or_applications -o bashdefault -o default handeye
"#;

/// The command.
pub(crate) fn command() -> Command {
    Command::new("completions")
        .about("Print completions for a shell")
        .long_about("Prints the completion script, for example: handeye completions bash > ~/.local/share/bash-completion/completions/handeye")
        .arg(Arg::new("shell").required(true).value_parser(value_parser!(Shell)).action(ArgAction::Set))
}

/// Prints the completion script for the shell that was asked for.
pub fn completions(matches: &ArgMatches, mut command: Command, output: &Output) -> ExitCode {
    let shell = matches.get_one::<Shell>("shell").copied().unwrap_or(Shell::Bash);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "handeye", &mut script);
    if shell == Shell::Bash {
        script.extend_from_slice(BASH_APPLICATIONS.as_bytes());
    }
    let printed = match output.format {
        Format::Envelope => {
            let script = String::from_utf8_lossy(&script);
            output.answer(&json!({ "shell": shell.to_string(), "script": script }), &[], String::new)
        }
        Format::Text | Format::Json | Format::Quiet => write_all(&script),
    };
    printed.map_or_else(|fault| unprinted(&fault), |()| ExitCode::SUCCESS)
}
