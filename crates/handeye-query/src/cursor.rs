//! The place up to which a text was read: what both parsers (expressions and XPath) have in common.

use crate::fault::fault;
use handeye_core::{Error, Result};

/// A text, and how much of it was read.
pub(crate) struct Cursor<'q> {
    text: &'q str,
    /// A query that works, for errors.
    example: &'static str,
    /// The byte that comes next.
    pub(crate) at: usize,
    depth: usize,
}

impl<'q> Cursor<'q> {
    /// Reads `text` from byte `at` on.
    pub(crate) fn new(text: &'q str, at: usize, example: &'static str) -> Self {
        Self { text, example, at, depth: 0 }
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &'q str {
        self.text
    }

    /// What was not read yet.
    pub(crate) fn rest(&self) -> &'q str {
        &self.text[self.at..]
    }

    /// A fault at what comes next.
    pub(crate) fn fault(&self, why: impl std::fmt::Display) -> Error {
        self.fault_at(self.at, why)
    }

    /// A fault at a byte.
    pub(crate) fn fault_at(&self, at: usize, why: impl std::fmt::Display) -> Error {
        fault(self.text, at, why, self.example)
    }

    /// The next character that is not white space; moves up to it.
    pub(crate) fn peek(&mut self) -> Option<char> {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    /// Takes `symbol` if it comes next.
    pub(crate) fn take(&mut self, symbol: &str) -> bool {
        self.peek();
        let found = self.rest().starts_with(symbol);
        if found {
            self.at += symbol.len();
        }
        found
    }

    /// A fault at what comes next, unless the end was reached.
    pub(crate) fn expect_end(&mut self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(c) => Err(self.fault(format!("'{c}' has no meaning here"))),
        }
    }

    /// Goes one level of nesting deeper, of which there may be `most`; [`Cursor::leave`] comes back.
    pub(crate) fn enter(&mut self, most: usize) -> Result<()> {
        if self.depth >= most {
            return Err(self.fault(format!("nested deeper than {most} levels")));
        }
        self.depth += 1;
        Ok(())
    }

    /// Comes back from a level of nesting.
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }
}
