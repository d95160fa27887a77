//! AT-SPI2: applications, their trees, and the mirrors that events keep true.
//!
//! `bus` finds the accessibility bus, `wire` calls one process (what `read_call` lists, and nothing else), over a `channel`, past the bus where `direct` can, `reading` and `details` read elements, `bulk` many at once, `loader` loads
//! trees, `making` has a toolkit make what it does not list yet, `events` decodes what applications announce, `book` knows which element is which object, `connected` holds what is
//! known of one application, and `refreshing` makes that true. `process` reads about a process, `aside` from what waits for its answers. What each toolkit does differently is in `toolkit`.

mod action_line;
mod actions;
mod agent_seat;
mod alike;
mod applications;
mod applying;
mod arrangement;
mod arranging;
mod aside;
mod batched_socket;
mod book;
mod bulk;
mod bus;
mod bus_session;
mod cache_items;
mod call_error;
mod call_line;
mod channel;
mod collapsing;
mod connected;
mod correction;
mod delivery;
mod details;
mod direct;
mod events;
mod filling_in;
mod following_up;
mod in_view;
mod inspection;
mod introduced;
mod line_keeper;
mod links;
mod loader;
mod loading;
mod making;
mod marshalled;
mod message;
mod object;
mod on_screen;
mod outbox;
mod owners;
mod patching;
mod placement;
mod process;
mod read_call;
mod reading;
mod refreshing;
mod renewing;
mod replaced_children;
mod rest;
mod revalidation;
mod rooms;
mod scrolled;
mod service;
mod splitter;
mod states_in_place;
mod stillness;
mod switch;
mod titles;
mod titling;
mod toolkit;
mod true_read;
mod view;
mod virtual_children;
mod vocabulary;
mod waking;
mod wire;

pub use bus::session_bus;
pub use connected::ConnectedApplication;
pub use line_keeper::LineKeeper;
pub use service::AtSpi;
