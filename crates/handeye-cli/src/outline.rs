//! Outlines (`- role "name" [marks]: "value"`, one element a line) for a shell: coloured for people, nested for scripts,
//! and without references where they do not outlive the process that gave them.

use anstyle::Style;
use serde_json::{Value, json};

const ROLE: Style = Style::new().bold();
const MARKS: Style = Style::new().dimmed();

/// The parts of an outline line, each as it stands there.
#[derive(Debug, PartialEq, Eq)]
struct Line<'t> {
    /// Levels of indentation.
    depth: usize,
    role: &'t str,
    /// The quoted name with the space before it, or nothing.
    name: &'t str,
    /// `[mark]`s with the spaces before them, or nothing.
    marks: &'t str,
    /// What is left: the value with its colon, or nothing.
    rest: &'t str,
}

/// Colours every outline line of `text` and leaves the others alone.
pub(crate) fn coloured(text: &str) -> String {
    let coloured_line = |line: &str| {
        let Some(parts) = Line::parse(line) else { return line.to_owned() };
        let Line { depth, role, name, marks, rest } = parts;
        let marks = if marks.is_empty() { String::new() } else { format!("{MARKS}{marks}{MARKS:#}") };
        format!("{}- {ROLE}{role}{ROLE:#}{name}{marks}{rest}", "  ".repeat(depth))
    };
    text.split_inclusive('\n').map(coloured_line).collect()
}

/// Takes every ` [ref=e12]` out of `text`, except inside of quotes, where it is something that an application shows.
pub(crate) fn without_references(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let mark = rest.strip_prefix(" [ref=").and_then(|mark| mark.split_once(']'));
        if let Some((_, after)) = mark {
            rest = after;
            continue;
        }
        let step = if rest.starts_with('"') { quoted_length(rest) } else { 0 };
        let step = if step == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { step };
        let (taken, after) = rest.split_at(step);
        out.push_str(taken);
        rest = after;
    }
    out
}

/// The outline as nested elements: `role`, `name`, `states`, `value` and `children` where there are any, and as
/// `notes` what an element's own lines say about parts that are not shown.
pub(crate) fn nested(text: &str) -> Vec<Value> {
    let mut open: Vec<(usize, Value)> = Vec::new();
    let mut roots = Vec::new();
    // The name of the look stands below the outline and is a field too.
    for line in text.lines().filter(|line| !line.starts_with("look: ")) {
        let depth = (line.len() - line.trim_start_matches(' ').len()) / 2;
        while open.last().is_some_and(|(above, _)| *above >= depth) {
            close(&mut open, &mut roots);
        }
        match Line::parse(line) {
            Some(parts) => open.push((depth, parts.element())),
            None => {
                if let Some((_, parent)) = open.last_mut() {
                    push(parent, "notes", line.trim_start_matches([' ', '-']).into());
                }
            }
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut roots);
    }
    roots
}

/// Puts the innermost open element into the one around it.
fn close(open: &mut Vec<(usize, Value)>, roots: &mut Vec<Value>) {
    let Some((_, done)) = open.pop() else { return };
    match open.last_mut() {
        Some((_, parent)) => push(parent, "children", done),
        None => roots.push(done),
    }
}

fn push(element: &mut Value, key: &str, item: Value) {
    match element.get_mut(key) {
        Some(Value::Array(items)) => items.push(item),
        _ => element[key] = json!([item]),
    }
}

impl<'t> Line<'t> {
    fn parse(line: &'t str) -> Option<Self> {
        let body = line.trim_start_matches(' ');
        let depth = (line.len() - body.len()) / 2;
        let rest =
            body.strip_prefix("- ").filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))?;
        let (role, rest) =
            rest.split_at(rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len()));
        let (name, rest) = rest.split_at(name_length(rest));
        let (marks, rest) = rest.split_at(marks_length(rest));
        Some(Self { depth, role, name, marks, rest })
    }

    fn element(&self) -> Value {
        let mut element = json!({ "role": self.role });
        if let Some(name) = unquoted(self.name) {
            element["name"] = name;
        }
        for mark in self.marks.split([' ', '[', ']']).filter(|mark| !mark.is_empty()) {
            match mark.strip_prefix("ref=") {
                Some(reference) => element["ref"] = reference.into(),
                None => push(&mut element, "states", mark.into()),
            }
        }
        if let Some(value) = self.rest.trim_end().strip_prefix(": ").and_then(unquoted) {
            element["value"] = value;
        }
        element
    }
}

/// The text of a quoted string: outlines quote as JSON does. A long one goes on after its text with a count.
fn unquoted(text: &str) -> Option<Value> {
    serde_json::from_str::<String>(text.trim()).ok().map(Value::String)
}

/// Length of the quoted name and the space before it.
fn name_length(rest: &str) -> usize {
    match rest.strip_prefix(' ').map(quoted_length) {
        None | Some(0) => 0,
        Some(length) => 1 + length,
    }
}

/// Length of the quoted string at the start of `text`, with its quotes; 0 if there is none. Inside of it a backslash
/// takes the next character along.
pub(crate) fn quoted_length(text: &str) -> usize {
    let Some(quoted) = text.strip_prefix('"') else { return 0 };
    let mut escaped = false;
    for (at, c) in quoted.char_indices() {
        match c {
            '\n' => return 0,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 2,
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

    const WINDOW: &str = "\
- window \"Untitled\" [ref=e2] [active]
  - textbox \"a \\\" [ref=e9]\" [ref=e3] [focused] [multiline]: \"x\\ny\"
  - list [ref=e4]
    - listitem \"a.txt\" [ref=e5]
    - … 498 more rows
  - button \"OK\" [disabled]
";

    #[test]
    fn the_parts_of_a_line_are_coloured() {
        let painted =
            coloured("  - textbox \"a \\\" [b]\" [ref=e3] [focused]: \"- x\"\nnote - button\n- button\n");
        assert_eq!(
            painted,
            format!(
                "  - {ROLE}textbox{ROLE:#} \"a \\\" [b]\"{MARKS} [ref=e3] [focused]{MARKS:#}: \"- x\"\nnote - button\n\
                 - {ROLE}button{ROLE:#}\n"
            )
        );
    }

    #[test]
    fn references_go_and_screen_text_stays() {
        let plain = without_references(WINDOW);
        assert!(
            plain.starts_with("- window \"Untitled\" [active]\n  - textbox \"a \\\" [ref=e9]\" [focused]"),
            "{plain}"
        );
        assert_eq!(without_references("Clicked button \"é\" [ref=e1]."), "Clicked button \"é\".");
    }

    #[test]
    fn a_tree_is_nested() {
        assert_eq!(
            nested(&without_references(WINDOW)),
            [json!({"role": "window", "name": "Untitled", "states": ["active"], "children": [
                {"role": "textbox", "name": "a \" [ref=e9]", "states": ["focused", "multiline"], "value": "x\ny"},
                {"role": "list", "children": [{"role": "listitem", "name": "a.txt"}], "notes": ["… 498 more rows"]},
                {"role": "button", "name": "OK", "states": ["disabled"]},
            ]})]
        );
    }
}
