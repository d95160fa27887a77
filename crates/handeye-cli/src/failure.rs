//! A failed command as it is printed: its error in the words of a shell, and for programs the calls that its advice names.

use crate::spelling::Speller;
use handeye_core::{Advice, Error};
use serde_json::{Value, json};

/// An error that is about to be printed.
pub(crate) struct Failure {
    /// What happened, in words.
    pub(crate) error: Error,
    /// The calls that its advice names, in their order.
    next_calls: Vec<Value>,
}

impl Failure {
    /// The failure of an operation, as the caller of its command reads it.
    pub(crate) fn of(error: Error, speller: &Speller<'_>) -> Self {
        let calls = error.next.iter().flat_map(Advice::calls);
        let next_calls = calls.map(|call| speller.fields(call)).collect();
        Self { error: speller.error(error), next_calls }
    }

    /// The fields for a program. Without a call to make, there is no field for it.
    pub(crate) fn fields(&self) -> Value {
        let mut fields = json!(self.error.clone().in_words());
        if !self.next_calls.is_empty() {
            fields["next_calls"] = self.next_calls.as_slice().into();
        }
        fields
    }
}

/// The failure of what is no operation: its advice is words alone.
impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        Self { error: error.clone(), next_calls: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::{ErrorCode, Invocation, Text, text};
    use handeye_service::registry;

    fn failure(application: Option<&str>, next: Text) -> Failure {
        let click = registry::by_command("click").expect("a command");
        let error = Error::new(ErrorCode::Refused, "why").with_next(next);
        Failure::of(error, &Speller::new(click, application))
    }

    #[test]
    fn the_calls_of_the_advice_are_data_beside_its_words() {
        let click = Invocation::of("ax_click").with("query", "e5").with("mode", "focus");
        let failure = failure(Some("mousepad"), text![click, " uses the real pointer."]);
        assert_eq!(
            failure.fields(),
            json!({
                "code": "refused",
                "message": "why",
                "next": "`handeye click e5 --app mousepad --mode focus` uses the real pointer.",
                "next_calls": [{
                    "operation": "ax_click",
                    "command": "click",
                    "arguments": {"app": "mousepad", "query": "e5", "mode": "focus"},
                }],
            })
        );
    }

    #[test]
    fn the_application_is_the_one_that_the_user_or_the_advice_named() {
        let tree = Invocation::of("ax_get_tree").with("app", "7");
        let either = Text::either(vec![tree, Invocation::of("ax_list_apps")]);
        let failure = failure(Some("mousepad"), text!["Look with ", either, "."]);
        assert_eq!(
            failure.next_calls,
            [
                json!({"operation": "ax_get_tree", "command": "tree", "arguments": {"app": "7"}}),
                json!({"operation": "ax_list_apps", "command": "apps", "arguments": {}}),
            ]
        );
    }

    #[test]
    fn advice_without_a_call_has_no_field_for_it() {
        let fields = failure(None, "Wait.".into()).fields();
        assert_eq!(fields, json!({"code": "refused", "message": "why", "next": "Wait."}));
    }
}
