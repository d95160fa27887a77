//! What handeye remembers between calls, beside what it knows of applications.
//!
//! Looks and pictures are names that a later call uses, so they outlive the settings of the call that made them. Everything here is bounded: names
//! come from clients.

use handeye_shots::Shots;
use handeye_shots::delivery::Housekeeping;
use handeye_sight::visual::Searches;
use handeye_tree::looks::Looks;

/// What is remembered for as long as the process lives. All engines on one desktop share it.
#[derive(Default)]
pub struct Memory {
    /// The looks at whole trees that were returned.
    pub looks: Looks,
    /// The pictures that were delivered.
    pub shots: Shots,
    /// The searches in pictures that wait for a client's model.
    pub searches: Searches,
    /// What tidies behind the pictures.
    pub housekeeping: Housekeeping,
}
