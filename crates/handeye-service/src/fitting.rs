//! Cuts answers to their budget: none is larger than a model can afford to read, and nothing is cut silently.

use handeye_call::budget::{Budget, NOTE_CHARACTERS};
use handeye_call::outcome::Answer;
use handeye_core::{Text, text};
use handeye_engine::Meta;
use handeye_tree::outline::estimate_tokens as estimate;
use serde_json::Value;

/// Tokens kept free for the note on what was left out.
const NOTE_TOKENS: usize = 80;

/// Cuts an answer to the budget: the text at a line, then the longest lists and strings of the fields. Says what was left out
/// and which call gets it.
pub(crate) fn fit(mut answer: Answer, meta: &Meta, budget: Budget) -> Answer {
    if budget == Budget::UNLIMITED {
        return answer;
    }
    let mut notes = Vec::new();
    let cost = |fields: &Value| if budget.fields { estimate(&fields.to_string()) } else { 0 };
    let mut fields_cost = cost(&answer.fields);
    if budget.takes(fields_cost + estimate(&answer.text), &answer.text) {
        return answer;
    }
    while fields_cost > budget.tokens / 2 {
        let Some(note) = shorten_largest(&mut answer.fields) else { break };
        notes.push(note);
        fields_cost = cost(&answer.fields);
    }
    let tokens = budget.tokens.saturating_sub(fields_cost + NOTE_TOKENS);
    let characters = budget.characters.saturating_sub(NOTE_CHARACTERS);
    if let Some(note) = cut_text(&mut answer.text, tokens, characters) {
        notes.push(note);
    }
    if !notes.is_empty() {
        let left_out = format!("\n[left out: {}. ", notes.join(", "));
        answer.text.push(text![left_out, (meta.narrower)(), "]"]);
    }
    answer
}

/// Keeps the lines of `text` that fit into `tokens` and `characters`; returns what was left out.
fn cut_text(text: &mut Text, tokens: usize, characters: usize) -> Option<String> {
    if estimate(text) <= tokens && text.chars().count() <= characters {
        return None;
    }
    let (mut spent, mut shown) = (0, 0);
    let mut kept_bytes = 0;
    let mut kept_lines = 0;
    for line in text.split_inclusive('\n') {
        spent += estimate(line);
        shown += line.chars().count();
        if spent > tokens || shown > characters {
            break;
        }
        kept_bytes += line.len();
        kept_lines += 1;
    }
    if kept_lines == 0 {
        // One huge line: keep its beginning. Half a character a token fits whatever the script.
        let kept = (tokens / 2).min(characters);
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
    use handeye_call::budget::MAX_TOKENS;
    use handeye_call::outcome::Outcome;
    use serde_json::json;

    fn fitted(text: String, fields: Value) -> Answer {
        let meta = Meta { narrower: || "Ask ax_x for more.".into(), ..Meta::READ };
        fit(Outcome::new(text, fields), &meta, Budget::MODEL)
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
    fn text_alone_keeps_within_what_its_client_hands_on() {
        let meta = Meta { narrower: || "Ask ax_x for more.".into(), ..Meta::READ };
        let lines: Vec<String> = (0..2000).map(|n| format!("- button \"Number {n}\" [ref=e{n}]")).collect();
        let answer = fit(Outcome::new(lines.join("\n"), json!({})), &meta, Budget::of_text(6_500));
        assert!(answer.text.chars().count() <= 6_500, "{}", answer.text.chars().count());
        assert!(answer.text.ends_with("Ask ax_x for more.]"));
        // Fields that are not sent take no room.
        let rows = json!({"rows": vec!["some row"; 20_000]});
        let answer = fit(Outcome::new("three words long", rows), &meta, Budget::of_text(6_500));
        assert_eq!(answer.text, "three words long");
        assert_eq!(Budget::of_text(6_500).outline(), 1_545);
        assert_eq!(Budget::MODEL.outline(), 7_800);
    }

    #[test]
    fn a_shell_takes_all_that_there_is() {
        let answer = fit(Outcome::new("x\n".repeat(100_000), json!({})), &Meta::READ, Budget::UNLIMITED);
        assert_eq!(answer.text.len(), 200_000);
    }

    #[test]
    fn large_fields_and_single_lines_are_cut_too() {
        let answer = fitted("漢".repeat(50_000), json!({"rows": vec!["some row"; 20_000]}));
        let total = estimate(&answer.text) + estimate(&answer.fields.to_string());
        assert!(total <= MAX_TOKENS, "{total}");
        assert!(answer.text.contains("characters") && answer.text.contains("'rows'"));
    }
}
