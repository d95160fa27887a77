//! Advice for a shell: the engine names tools, a person types commands.

use crate::outline::without_references;
use handeye_core::Error;
use handeye_engine::registry;

/// The error with the tools that it speaks of named as the commands that they are here.
pub(crate) fn for_the_shell(mut error: Error) -> Error {
    let names: Vec<(&str, &str)> =
        registry::all().iter().map(|operation| (operation.meta().tool, operation.meta().command)).collect();
    error.message = with_commands(&error.message, &names);
    error.next = error.next.map(|next| with_commands(&next, &names));
    error.found = error.found.iter().map(|line| without_references(line)).collect();
    error
}

fn with_commands(text: &str, names: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        let (before, word) = rest.split_at(start);
        let end = word.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        out.push_str(before);
        match names.iter().find(|(tool, _)| *tool == word) {
            Some((_, command)) => {
                out.push_str("handeye ");
                out.push_str(command);
            }
            None => out.push_str(word),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_become_commands() {
        let names = [("ax_click", "click"), ("ax_click_at", "click-at")];
        assert_eq!(
            with_commands("Call ax_click_at, or ax_click with é; max_clicks stays.", &names),
            "Call handeye click-at, or handeye click with é; max_clicks stays."
        );
    }
}
