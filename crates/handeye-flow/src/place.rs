//! Where a value is put in, and how it is written there.

/// What a parameter is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A query: a value is a quoted text in it.
    Query,
    /// A text.
    Text,
    /// Anything else: a value that is alone keeps its type.
    Anything,
}

impl Place {
    /// What writes a text with values there.
    pub(crate) fn writer(self, template: &str) -> Writer {
        let manner = match self {
            Self::Query if template.trim_start().starts_with('/') => Manner::XPath,
            Self::Query => Manner::Query,
            Self::Text | Self::Anything => Manner::Plain,
        };
        Writer { manner, written: String::new(), quote: None, escaped: false, last: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Plain,
    Query,
    XPath,
}

/// Writes the parts of a text.
pub(crate) struct Writer {
    manner: Manner,
    written: String,
    /// The quote that is open.
    quote: Option<char>,
    escaped: bool,
    /// The last character that stands in the workflow itself.
    last: Option<char>,
}

impl Writer {
    /// A part that stands in the workflow itself.
    pub(crate) fn literal(&mut self, text: &str) {
        self.written.push_str(text);
        for c in text.chars() {
            let begins_a_word = self.last.is_none_or(|last| last.is_whitespace() || ":=~!([,".contains(last));
            self.last = Some(c);
            if std::mem::take(&mut self.escaped) {
                continue;
            }
            match (self.quote, c) {
                (Some(_), '\\') if self.manner == Manner::Query => self.escaped = true,
                (Some(open), c) if c == open => self.quote = None,
                // The apostrophe of "it's" opens nothing.
                (None, '"' | '\'') if begins_a_word => self.quote = Some(c),
                _ => {}
            }
        }
    }

    /// A value, so that it stays one text.
    ///
    /// # Errors
    /// Why it cannot be written, as the end of a sentence.
    pub(crate) fn value(&mut self, value: &str) -> Result<(), &'static str> {
        match (self.manner, self.quote) {
            (Manner::Plain, _) => self.written.push_str(value),
            (Manner::Query, Some(_)) => self.written.push_str(&escaped(value)),
            (Manner::Query, None) => {
                self.written.push('"');
                self.written.push_str(&escaped(value));
                self.written.push('"');
            }
            (Manner::XPath, Some(open)) if !value.contains(open) => self.written.push_str(value),
            (Manner::XPath, None) if !value.contains('"') => {
                self.written.push('"');
                self.written.push_str(value);
                self.written.push('"');
            }
            (Manner::XPath, _) => return Err("has a quote in it, which XPath cannot express"),
        }
        Ok(())
    }

    pub(crate) fn written(self) -> String {
        self.written
    }
}

/// A text between the quotes of a query.
fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            '\'' => text.push_str("\\u0027"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            c if c.is_control() && (c as u32) < 0x10000 => {
                text.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(place: Place, parts: [&str; 3]) -> Result<String, &'static str> {
        let mut writer = place.writer(parts[0]);
        writer.literal(parts[0]);
        writer.value(parts[1])?;
        writer.literal(parts[2]);
        Ok(writer.written())
    }

    #[test]
    fn a_value_in_a_query_stays_one_text() {
        let hostile = "x\" OR role:button OR \"\\";
        assert_eq!(
            written(Place::Query, ["button ", hostile, ""]).as_deref(),
            Ok(r#"button "x\" OR role:button OR \"\\""#)
        );
        assert_eq!(
            written(Place::Query, ["button \"", hostile, "\""]).as_deref(),
            Ok(r#"button "x\" OR role:button OR \"\\""#)
        );
        assert_eq!(written(Place::Query, ["title='", "it's", "'"]).as_deref(), Ok("title='it\\u0027s'"));
        assert_eq!(written(Place::Text, ["", hostile, "!"]), Ok(format!("{hostile}!")));
    }

    #[test]
    fn xpath_takes_what_it_can_express() {
        assert_eq!(
            written(Place::Query, ["//button[@name='", "Save", "']"]).as_deref(),
            Ok("//button[@name='Save']")
        );
        assert!(written(Place::Query, ["//button[@name='", "x' or '1'='1", "']"]).is_err());
        assert_eq!(
            written(Place::Query, ["//button[@name=", "it's", "]"]).as_deref(),
            Ok("//button[@name=\"it's\"]")
        );
    }
}
