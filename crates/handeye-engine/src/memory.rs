//! What handeye remembers for a caller between its calls, beside what [`Belongings`](handeye_act::belongings::Belongings) has.
//!
//! Looks and pictures are names that a later call uses, so they outlive the settings of the call that made them. Everything here is bounded: names
//! come from clients.

use handeye_flow::Suspended;
use handeye_recording::Running;
use handeye_shots::Shots;
use handeye_shots::delivery::Holdings;
use handeye_sight::visual::Searches;
use handeye_tree::looks::Looks;
use std::sync::Arc;

/// What is remembered for one caller. All its engines share it.
#[derive(Default)]
pub struct Memory {
    /// The looks at whole trees that it was given.
    pub looks: Looks,
    /// The pictures that it was given.
    pub shots: Shots,
    /// The files of its pictures.
    pub holdings: Arc<Holdings>,
    /// The searches in pictures that wait for its model.
    pub searches: Searches,
    /// Workflows that wait for the answer to a question.
    pub flows: Suspended,
    /// The recording of the user that runs for it.
    pub recording: Running,
}

impl Memory {
    /// That of another caller, which is empty. No number of the one is ever a number of the other.
    #[must_use]
    pub fn of_another_caller(&self) -> Self {
        Self {
            looks: self.looks.of_another_caller(),
            shots: self.shots.of_another_caller(),
            holdings: Arc::default(),
            searches: self.searches.of_another_caller(),
            flows: self.flows.of_another_caller(),
            recording: Running::default(),
        }
    }
}
