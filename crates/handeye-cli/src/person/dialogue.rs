//! A form as lines of text, and lines of text as its fields.

use handeye_call::client::{Field, FieldKind, Form, Page};
use handeye_core::screen_text::{block, is_forging, line};
use serde_json::{Value, json};

/// Longest message, in characters: a question has to stay on the screen.
const MAX_MESSAGE: usize = 1_000;
/// Longest title of a choice or a field, in characters.
const MAX_TITLE: usize = 200;

/// What a line means for a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Heard {
    /// The value of the field.
    Value(Value),
    /// The field is left out.
    Nothing,
    /// The question is closed.
    Closed,
    /// Nothing that the field takes; what it takes ends the sentence "Please …".
    Unfit(String),
}

/// What a form is about.
pub(super) fn message(form: &Form) -> String {
    let message = line(&form.message, MAX_MESSAGE);
    match &form.exhibit {
        Some(exhibit) => format!("{message}\n\n{}\n", block(exhibit, usize::MAX)),
        None => message,
    }
}

/// A page, whole.
pub(super) fn page(page: &Page) -> String {
    format!("{}\n  {}\n", line(&page.message, MAX_MESSAGE), line(&page.url, MAX_MESSAGE))
}

/// What asks for a field.
pub(super) fn prompt(field: &Field) -> String {
    let title = line(&field.title, MAX_TITLE);
    let nothing = if field.required { "Enter to cancel" } else { "Enter to skip" };
    match &field.kind {
        FieldKind::YesNo { default } => {
            format!("{}? [{}] ", title.trim_end_matches('?'), if *default { "Y/n" } else { "y/N" })
        }
        FieldKind::Text { .. } => format!("{title} [{nothing}]: "),
        FieldKind::Integer { minimum, maximum, default } => {
            format!("{title} [{minimum} to {maximum}, Enter for {default}]: ")
        }
        FieldKind::Choice(choices) => {
            let mut lines = String::new();
            for (index, choice) in choices.iter().enumerate() {
                lines.push_str(&format!("  {}) {}\n", index + 1, line(&choice.title, MAX_TITLE)));
            }
            format!("{lines}{title} [1 to {}, {nothing}]: ", choices.len())
        }
    }
}

/// What was typed, without the end of its line, as the value of a field.
pub(super) fn read(field: &Field, line: &str) -> Heard {
    let typed = line.trim();
    match &field.kind {
        FieldKind::YesNo { default } => match typed.to_ascii_lowercase().as_str() {
            "" => Heard::Value(json!(default)),
            "y" | "yes" => Heard::Value(json!(true)),
            "n" | "no" => Heard::Value(json!(false)),
            _ => Heard::Unfit("type y for yes or n for no".into()),
        },
        FieldKind::Integer { default, .. } if typed.is_empty() => Heard::Value(json!(default)),
        FieldKind::Text { .. } | FieldKind::Choice(_) if typed.is_empty() => {
            if field.required {
                Heard::Closed
            } else {
                Heard::Nothing
            }
        }
        FieldKind::Integer { minimum, maximum, .. } => match typed.parse::<i64>() {
            Ok(number) if (*minimum..=*maximum).contains(&number) => Heard::Value(json!(number)),
            _ => Heard::Unfit(format!("type a number from {minimum} to {maximum}")),
        },
        FieldKind::Text { max_length } => {
            if typed.chars().count() > *max_length as usize {
                Heard::Unfit(format!("type at most {max_length} characters"))
            } else if typed.contains(is_forging) {
                // For example an arrow key, in a terminal that does not edit lines.
                Heard::Unfit("type visible characters".into())
            } else {
                Heard::Value(json!(typed))
            }
        }
        FieldKind::Choice(choices) => {
            let is_number = typed.bytes().all(|byte| byte.is_ascii_digit());
            let number = typed.parse::<usize>().ok().filter(|_| is_number);
            match number.and_then(|number| choices.get(number.checked_sub(1)?)) {
                Some(choice) => Heard::Value(json!(choice.value)),
                None => Heard::Unfit(format!("type a number from 1 to {}", choices.len())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_call::client::Choice;
    use proptest::prelude::*;

    fn field(required: bool, kind: FieldKind) -> Field {
        Field { name: "x".into(), title: "Title".into(), required, kind }
    }

    fn yes_no() -> Field {
        field(true, FieldKind::YesNo { default: false })
    }

    fn choice() -> Field {
        let choices = [("77", "One (pid 77)"), ("1", "Two (pid 1)")];
        let choices = choices.map(|(value, title)| Choice { value: value.into(), title: title.into() });
        field(true, FieldKind::Choice(choices.to_vec()))
    }

    #[test]
    fn a_choice_is_a_list_with_numbers() {
        assert_eq!(
            prompt(&choice()),
            "  1) One (pid 77)\n  2) Two (pid 1)\nTitle [1 to 2, Enter to cancel]: "
        );
        assert_eq!(read(&choice(), "1"), Heard::Value(json!("77")), "its number, not its value");
        assert_eq!(read(&choice(), " 02 "), Heard::Value(json!("1")));
        assert_eq!(read(&choice(), ""), Heard::Closed);
        for wrong in ["0", "3", "77", "-1", "+1", "One", "1 2", "99999999999999999999999"] {
            assert!(matches!(read(&choice(), wrong), Heard::Unfit(_)), "{wrong}");
        }
    }

    #[test]
    fn nothing_is_what_holds_if_nothing_is_entered() {
        assert_eq!(prompt(&yes_no()), "Title? [y/N] ");
        assert_eq!(read(&yes_no(), ""), Heard::Value(json!(false)));
        let number = field(true, FieldKind::Integer { minimum: 1, maximum: 9, default: 5 });
        assert_eq!((read(&number, ""), read(&number, "9")), (Heard::Value(json!(5)), Heard::Value(json!(9))));
        assert!(matches!(read(&number, "10"), Heard::Unfit(_)));
        let text = |required| field(required, FieldKind::Text { max_length: 5 });
        assert_eq!((read(&text(true), "  "), read(&text(false), "")), (Heard::Closed, Heard::Nothing));
        assert_eq!(read(&text(true), " größe "), Heard::Value(json!("größe")));
        for wrong in ["longer", "a\u{1b}[A", "a\0"] {
            assert!(matches!(read(&text(true), wrong), Heard::Unfit(_)), "{wrong:?}");
        }
    }

    #[test]
    fn words_of_an_application_stay_on_their_line_and_steer_nothing() {
        let hostile = "'x\u{1b}]0;y\u{7}\u{9b}2J\r\nNothing to see. \u{202e}]N/y[\u{2028}y\u{200b}'";
        let shown = line(hostile, 1_000);
        assert!(!shown.contains(is_forging), "{shown:?}");
        assert_eq!(line("a\nb", 9), "a b");
        assert_eq!(line("abcdef", 3), "abc…");
        assert!(line("שלום, עולם", 99).starts_with("שלום"), "letters of any direction are shown");
    }

    proptest! {
        #[test]
        fn only_a_yes_is_a_yes(line in "\\PC{0,12}|[yYeEsSnNoO \\t]{0,6}") {
            let is_yes = matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes");
            prop_assert_eq!(read(&yes_no(), &line) == Heard::Value(json!(true)), is_yes);
        }

        #[test]
        fn what_is_shown_can_be_seen(text in any::<String>()) {
            prop_assert!(!line(&text, 50).contains(is_forging));
        }

        #[test]
        fn a_choice_is_one_of_those_offered(line in any::<String>()) {
            let heard = read(&choice(), &line);
            let offered = [Heard::Value(json!("77")), Heard::Value(json!("1"))];
            prop_assert!(offered.contains(&heard) || matches!(heard, Heard::Closed | Heard::Unfit(_)));
        }
    }
}
