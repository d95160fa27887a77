//! The budget: no answer is larger than a model can afford to read, and nothing is cut in silence.

use crate::operation::{Answer, Meta};
use crate::outline::estimate_tokens as estimate;
use serde_json::Value;

/// Most tokens in one answer, text and fields together.
pub const MAX_TOKENS: usize = 8_000;

/// Tokens kept free for the note on what was left out.
const NOTE_TOKENS: usize = 80;

/// Cuts an answer to the budget: the text at a line, then the longest lists and strings of the fields. Says what was left out
/// and which call gets it.
pub fn fit(mut answer: Answer, meta: &Meta) -> Answer {
    let mut notes = Vec::new();
    let mut fields_cost = estimate(&answer.fields.to_string());
    if fields_cost + estimate(&answer.text) <= MAX_TOKENS {
        return answer;
    }
    while fields_cost > MAX_TOKENS / 2 {
        let Some(note) = shorten_largest(&mut answer.fields) else { break };
        notes.push(note);
        fields_cost = estimate(&answer.fields.to_string());
    }
    let left = MAX_TOKENS.saturating_sub(fields_cost + NOTE_TOKENS);
    if let Some(note) = cut_text(&mut answer.text, left) {
        notes.push(note);
    }
    if !notes.is_empty() {
        answer.text.push_str(&format!("\n[left out: {}. {}]", notes.join(", "), meta.narrower));
    }
    answer
}

/// Keeps the lines of `text` that fit into `tokens`; returns what was left out.
fn cut_text(text: &mut String, tokens: usize) -> Option<String> {
    if estimate(text) <= tokens {
        return None;
    }
    let mut spent = 0;
    let mut kept_bytes = 0;
    let mut kept_lines = 0;
    for line in text.split_inclusive('\n') {
        spent += estimate(line);
        if spent > tokens {
            break;
        }
        kept_bytes += line.len();
        kept_lines += 1;
    }
    if kept_lines == 0 {
        // One huge line: keep its beginning. Half a character a token fits whatever the script.
        let kept = tokens / 2;
        kept_bytes = text.char_indices().nth(kept).map_or(text.len(), |(at, _)| at);
        let left_out = text.chars().count().saturating_sub(kept);
        text.truncate(kept_bytes);
        return Some(format!("{left_out} characters"));
    }
    let all_lines = text.lines().count();
    text.truncate(kept_bytes);
    text.truncate(text.trim_end().len());
    Some(format!("{} of {all_lines} lines", all_lines - kept_lines))
}

/// Halves the largest list or string directly below the top; returns what was left out, `None` if nothing can be shortened.
fn shorten_largest(fields: &mut Value) -> Option<String> {
    let (name, value) =
        fields.as_object_mut()?.iter_mut().max_by_key(|(_, value)| value.to_string().len())?;
    match value {
        Value::Array(items) if items.len() > 1 => {
            let kept = items.len() / 2;
            let left_out = items.len() - kept;
            items.truncate(kept);
            Some(format!("{left_out} of '{name}'"))
        }
        Value::Object(entries) if entries.len() > 1 => {
            let dropped: Vec<String> = entries.keys().skip(entries.len() / 2).cloned().collect();
            for key in &dropped {
                entries.remove(key);
            }
            Some(format!("{} of '{name}'", dropped.len()))
        }
        Value::String(text) if text.len() > 64 => {
            let total = text.chars().count();
            let kept: String = text.chars().take(total / 2).collect();
            *text = kept;
            Some(format!("{} characters of '{name}'", total - total / 2))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Outcome;
    use serde_json::json;

    fn fitted(text: String, fields: Value) -> Answer {
        let meta = Meta { narrower: "Ask ax_x for more.", ..Meta::READ };
        fit(Outcome::new(text, fields), &meta)
    }

    #[test]
    fn a_small_answer_is_left_alone() {
        let answer = fitted("- button".into(), json!({"found": true}));
        assert_eq!(answer.text, "- button");
    }

    #[test]
    fn a_large_text_is_cut_at_a_line_and_says_so() {
        let lines: Vec<String> = (0..5000).map(|n| format!("- button \"Number {n}\" [ref=e{n}]")).collect();
        let answer = fitted(lines.join("\n"), json!({}));
        assert!(estimate(&answer.text) <= MAX_TOKENS);
        let note = answer.text.lines().last().expect("a last line");
        assert!(note.contains("of 5000 lines") && note.contains("Ask ax_x for more."), "{note}");
        let before_note = answer.text.lines().rev().nth(1).expect("a kept line");
        assert!(before_note.ends_with(']'), "cut at a line: {before_note}");
    }

    #[test]
    fn large_fields_and_single_lines_are_cut_too() {
        let answer = fitted("漢".repeat(50_000), json!({"rows": vec!["some row"; 20_000]}));
        let total = estimate(&answer.text) + estimate(&answer.fields.to_string());
        assert!(total <= MAX_TOKENS, "{total}");
        assert!(answer.text.contains("characters") && answer.text.contains("'rows'"));
    }
}
