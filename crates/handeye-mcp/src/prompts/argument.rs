//! An argument of a prompt, as it is declared.

/// An argument of a prompt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) required: bool,
    /// What it names, for completions.
    pub(crate) kind: Kind,
}

/// What an argument names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An application.
    Application,
    /// Applications, separated by commas.
    Applications,
    /// A region of the application that another argument names: a tool bar, a list.
    Region(&'static str),
    /// An element of the application that another argument names.
    Element(&'static str),
    /// What leads somewhere in the application that another argument names: a menu, a tab, a button.
    Way(&'static str),
    /// One of these.
    Choice(&'static [&'static str]),
    /// Words.
    Text,
}

/// Yes or no.
pub(crate) const SWITCH: Kind = Kind::Choice(&["true", "false"]);

/// An argument that has to be given.
pub(crate) const fn required(name: &'static str, description: &'static str, kind: Kind) -> Argument {
    Argument { name, description, required: true, kind }
}

/// An argument that may be left out.
pub(crate) const fn optional(name: &'static str, description: &'static str, kind: Kind) -> Argument {
    Argument { name, description, required: false, kind }
}
