//! `handeye://clipboard`

use crate::Resources;
use handeye_core::{ClipForm, Clipping, Result};
use handeye_tree::outline::estimate_tokens;
use serde_json::{Value, json};

/// Most tokens of text; longer text is cut, and the answer says so.
const TEXT_TOKENS: usize = handeye_call::budget::MAX_TOKENS / 2;

/// What was copied, as far as it is text.
pub(super) async fn read(resources: &Resources) -> Result<Value> {
    Ok(shown(resources.engine.desk.clipboard(ClipForm::Text).await?))
}

fn shown(clipping: Clipping) -> Value {
    let mut clipboard = json!({ "text": null, "formats": clipping.formats });
    if clipping.secret {
        clipboard["note"] = "What was copied is marked as a password, and is not read.".into();
        return clipboard;
    }
    let Some(text) = clipping.text else { return clipboard };
    let kept = fitting(&text);
    if kept.len() < text.len() || clipping.cut {
        let total = text.chars().count();
        let more = if clipping.cut { "more than " } else { "" };
        clipboard["note"] = format!(
            "The first {} of {more}{total} characters. Paste it to get all of it.",
            kept.chars().count()
        )
        .into();
    }
    clipboard["text"] = kept.into();
    clipboard
}

/// The beginning of a text that the budget allows.
fn fitting(text: &str) -> &str {
    let mut kept = text;
    while estimate_tokens(kept) > TEXT_TOKENS {
        // In proportion, and a little less, until it fits.
        let bytes = kept.len() * TEXT_TOKENS / estimate_tokens(kept);
        let mut end = bytes - bytes / 50;
        while !kept.is_char_boundary(end) {
            end -= 1;
        }
        kept = &kept[..end];
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_left_out_and_a_long_text_is_cut() {
        let secret = Clipping {
            text: Some("hunter2".into()),
            secret: true,
            formats: vec!["UTF8_STRING".into()],
            cut: false,
            ..Clipping::default()
        };
        assert!(!shown(secret).to_string().contains("hunter2"));
        let long = Clipping { text: Some("漢".repeat(50_000)), ..Clipping::default() };
        let clipboard = shown(long);
        assert!(estimate_tokens(&clipboard.to_string()) < handeye_call::budget::MAX_TOKENS);
        assert!(clipboard["note"].as_str().is_some_and(|note| note.contains("of 50000 characters")));
        let short = shown(Clipping { text: Some("abc".into()), ..Clipping::default() });
        assert_eq!((&short["text"], &short["note"]), (&json!("abc"), &Value::Null));
    }
}
