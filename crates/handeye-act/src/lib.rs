//! Acting: every action takes one path, and nothing else reaches an application, the pointer or the keyboard.
//!
//! An operation finds its target, states an [`Action`] and hands it to an [`Actor`], which has it assessed and authorized, takes the
//! seat if it needs one, looks, aims, dispatches, looks again until the effect is complete, judges that and writes it down.

mod actor;
mod application_click;
pub mod applications;
pub mod asking;
mod attribution;
mod authorize;
pub mod belongings;
mod beneath;
mod blind;
mod choosing;
mod clipboard;
mod closing;
pub mod confirm;
mod consent;
pub mod desk;
mod drag;
pub mod effect;
mod elevation;
pub mod evidence;
pub mod expected;
mod focus_kept;
mod focused;
pub mod fuzzy;
mod guard;
pub mod handles;
pub mod healing;
pub mod journal;
mod key;
pub mod locate;
mod masking;
pub mod meant;
mod metered;
pub mod naming;
mod observation;
mod open_list;
pub mod placing;
mod point_target;
mod pointer;
mod popups;
pub mod press;
mod read_back;
mod receiver;
mod record;
mod request;
pub mod restless;
mod route;
pub mod script;
mod seat;
mod seats;
pub mod settle;
pub mod targets;
mod text;
pub mod twins;
mod typing;
mod watching;
mod wheel;
pub mod window_owners;
mod written;

pub use actor::{Action, Actor, Report, ShownBy, named, named_as, refused};

pub use beneath::{controls_of_window, element_in, elements_of_popup};

pub use application_click::{ApplicationClick, OwnClick};
pub use choosing::{Choose, chosen, holds, is_option, pressing};
pub use drag::{End, PointerDrag};
pub use focused::focused;
pub use guard::{Guard, blocked};
pub use key::KeyStroke;
pub use observation::{Observation, WindowChanges};
pub use open_list::ChooseInList;
pub use point_target::PointTarget;
pub use pointer::{Clicks, ElementClick, PointClick};
pub use popups::user_elsewhere;
pub use read_back::{is_on, rounded};
pub use receiver::text_receiver;
pub use record::{Grant, NotDone};
pub use request::{Goal, Request};
pub use route::{Route, SeatOf};
pub use text::{Content, MAX_BACKGROUND, MAX_TYPED, Wanted, check_length, read};
pub use typing::Typing;
pub use watching::{Agreed, WatchedUser};
pub use wheel::{Wheel, is_scrolled_as};
pub use written::Written;
