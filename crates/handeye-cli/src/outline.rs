//! Colours for outlines: the role stands out, names stay plain, references and states step back.

use anstyle::Style;

const ROLE: Style = Style::new().bold();
const MARKS: Style = Style::new().dimmed();

/// Colours every line of `text` that is an outline line (`- role "name" [marks]: value`) and leaves the others alone.
pub(crate) fn coloured(text: &str) -> String {
    text.split_inclusive('\n').map(coloured_line).collect()
}

fn coloured_line(line: &str) -> String {
    let Some((indent, rest)) = outline_line(line) else { return line.to_owned() };
    let role_end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (role, rest) = rest.split_at(role_end);
    let (name, rest) = rest.split_at(name_length(rest));
    let (marks, value) = rest.split_at(marks_length(rest));
    let marks = if marks.is_empty() { String::new() } else { format!("{MARKS}{marks}{MARKS:#}") };
    format!("{indent}- {ROLE}{role}{ROLE:#}{name}{marks}{value}")
}

/// The indentation and what follows the dash, if this is an outline line.
fn outline_line(line: &str) -> Option<(&str, &str)> {
    let body = line.trim_start_matches(' ');
    let rest = body.strip_prefix("- ")?;
    rest.starts_with(|c: char| c.is_ascii_lowercase()).then(|| (&line[..line.len() - body.len()], rest))
}

/// Length of the quoted name and the space before it. Inside of it a backslash takes the next character along.
fn name_length(rest: &str) -> usize {
    let Some(quoted) = rest.strip_prefix(" \"") else { return 0 };
    let mut escaped = false;
    for (at, c) in quoted.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return 2 + at + 1,
            _ => {}
        }
    }
    0
}

/// Length of the run of ` [mark]`.
fn marks_length(rest: &str) -> usize {
    let mut length = 0;
    while let Some(mark) = rest[length..].strip_prefix(" [") {
        let Some(end) = mark.find(']') else { break };
        length += 2 + end + 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_line_are_told_apart() {
        let painted =
            coloured("  - textbox \"a \\\" [b]\" [ref=e3] [focused]: \"- x\"\nnote - button\n- button\n");
        assert_eq!(
            painted,
            format!(
                "  - {ROLE}textbox{ROLE:#} \"a \\\" [b]\"{MARKS} [ref=e3] [focused]{MARKS:#}: \"- x\"\nnote - button\n- {ROLE}button{ROLE:#}\n"
            )
        );
    }
}
