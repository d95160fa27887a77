//! A platform in memory, for tests: applications whose elements react as a script says, windows, a pointer and a keyboard. No part of the product:
//! crates name it among their `dev-dependencies` alone.

mod app;
mod desktop;
mod elements;
mod keys;
mod manners;
mod notifications;
mod own_input;
mod places;
mod seat;
mod secrets;
mod user;

pub use app::FakeApp;
pub use desktop::{FakeDesktop, GRANT, monitor};
pub use elements::insert;
pub use manners::{Manners, Reaction};
