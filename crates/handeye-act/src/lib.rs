//! Acting: every action takes one path, and nothing else reaches an application, the pointer or the keyboard.
//!
//! An operation finds its target, states an [`Action`] and hands it to an [`Actor`], which has it assessed and authorized, takes the
//! seat if it needs one, looks, aims, dispatches, looks again until the effect is complete, judges that and writes it down.

mod action;
mod actor;
pub mod asking;
mod attribution;
mod blind;
mod choosing;
mod clipboard;
pub mod confirm;
pub mod desk;
mod drag;
pub mod effect;
pub mod expectation;
pub mod fuzzy;
mod guard;
pub mod journal;
mod key;
pub mod locate;
mod metered;
mod open_list;
mod place;
mod pointer;
mod popups;
pub mod press;
mod read_back;
mod receiver;
mod request;
pub mod restless;
mod seat;
pub mod settle;
pub mod targets;
mod text;
pub mod twins;
mod typing;
mod wheel;

pub use action::{Action, Report, Route};
pub use actor::{Actor, ShownBy, named, refused};

pub use choosing::{Choose, holds, is_option, pressing};
pub use drag::{Drag, End};
pub use guard::Guard;
pub use key::KeyPress;
pub use open_list::ChooseInList;
pub use place::Place;
pub use pointer::{Clicks, ElementClick, PointClick};
pub use popups::user_elsewhere;
pub use read_back::{is_on, rounded};
pub use receiver::text_receiver;
pub use request::{Goal, Request};
pub use text::{Content, MAX_BACKGROUND, MAX_TYPED, Wanted, check_length, read};
pub use typing::{Typing, focused};
pub use wheel::Wheel;
