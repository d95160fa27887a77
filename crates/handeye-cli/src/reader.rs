//! The reader of what a command prints.

use crate::spelling;
use handeye_call::budget::Budget;
use handeye_call::reader::Reader;

/// A person or a script at a shell, which has the answer of a process that ends with it.
pub(crate) const SHELL: Reader = Reader {
    face: "cli",
    budget: Budget::UNLIMITED,
    remembered: false,
    inline_pictures: false,
    lists_elements: true,
    configured_anew: true,
    // No tool is switched off at a shell, and `find-visual` is a command of its own.
    offered_sight: false,
    spell: spelling::command,
};
