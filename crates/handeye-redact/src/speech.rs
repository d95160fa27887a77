//! Texts that hold calls, advice and errors, without what is secret in them.

use crate::Redactor;
use handeye_core::{Advice, Error, Text};

impl Redactor {
    /// Takes out of a text what is secret in it. Its calls stay calls; only where a secret reaches over one of them, the text is words alone
    /// afterwards.
    pub fn speech(&self, text: &mut Text) {
        if self.is_secret(text) {
            let parts = text.map_words(|words| self.text(words).into_owned());
            *text = if self.is_secret(&parts) { Text::from(self.text(&parts).into_owned()) } else { parts };
        }
    }

    /// The error without what is secret in it.
    #[must_use]
    pub fn error(&self, mut error: Error) -> Error {
        let own = |text: &mut String| {
            if self.is_secret(text) {
                *text = self.text(text).into_owned();
            }
        };
        own(&mut error.message);
        error.found.iter_mut().for_each(own);
        if let Some(next) = &error.next
            && self.is_secret(next)
        {
            let changed = next.map_words(|words| self.text(words).into_owned());
            let is_clean = !self.is_secret(&changed);
            error.next = Some(if is_clean { changed } else { Advice::from(self.text(next).into_owned()) });
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::{ErrorCode, Invocation, text};

    const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

    #[test]
    fn nothing_of_an_error_has_a_secret_and_its_calls_stay() {
        let call = Invocation::of("ax_find").with("query", TOKEN);
        let error = Error::new(ErrorCode::ElementNotFound, format!("nothing is called {TOKEN}"))
            .with_found([TOKEN, "Save"])
            .with_next(text!["Look with ", call, "."]);
        let error = Redactor::default().error(error);
        let shown = serde_json::to_string(&error).expect("JSON");
        assert!(!shown.contains("ghp_") && shown.contains("Save"), "{shown}");
        assert_eq!(error.next.expect("advice").calls().count(), 1);
    }
}
