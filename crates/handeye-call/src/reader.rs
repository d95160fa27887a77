//! What the reader of an answer can do with it. The face that makes a call states it; below the faces, nothing depends on which face that is.

use crate::budget::Budget;
use handeye_core::Invocation;

/// What the reader of an answer can do with it.
#[expect(clippy::struct_excessive_bools, reason = "they are properties of a reader, each by itself")]
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    /// The name of the face that made the call, for the audit log. Nothing depends on it.
    pub face: &'static str,
    /// How large the answer may be.
    pub budget: Budget,
    /// Whether a later call can use what the answer names: `e12`, `s7`, `t3`. Not where the process ends with its answer.
    pub remembered: bool,
    /// Whether pictures can be parts of the answer; otherwise the operations whose pictures may be either write files.
    pub inline_pictures: bool,
    /// Whether the elements of an outline are listed beside its lines, for a program that does not parse lines.
    pub lists_elements: bool,
    /// Whether the next call is configured by the environment of that moment. A server has the environment that it was started with.
    pub configured_anew: bool,
    /// Whether a person who describes an element in other words is offered the search by sight in the same form: not where that person
    /// can start this search as the next step.
    pub offered_sight: bool,
    /// How a call is written in the message of an error, which is words alone.
    pub spell: fn(&Invocation) -> String,
}

impl Reader {
    /// A model behind a process that stays. It is no face's: the calls that handeye itself makes have this reader.
    pub const MODEL: Self = Self {
        face: "",
        budget: Budget::MODEL,
        remembered: true,
        inline_pictures: true,
        lists_elements: false,
        configured_anew: false,
        offered_sight: true,
        spell: Invocation::to_string,
    };
}
