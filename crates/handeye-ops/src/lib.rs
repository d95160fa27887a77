//! What can be done: the operations, one file each, and the registry that lists them. They run on the engine of `handeye-engine`; the gate
//! before them is in `handeye-service`.

pub mod analyze;
mod answer;
pub mod apps;
pub mod attributes;
pub mod check;
mod choice;
pub mod click;
pub mod click_at;
pub mod connect;
pub mod drag;
mod element;
pub mod find;
pub mod find_visual;
mod folders;
pub mod get;
pub mod image;
pub mod key;
pub mod list;
pub mod marked;
mod menu;
pub mod next_action;
pub mod registry;
pub mod screenshot;
pub mod screenshot_app_window;
pub mod scroll;
pub mod set_value;
pub mod shared;
mod shown;
mod status;
mod target;
pub mod tree;
pub mod type_text;
pub mod wait;
pub mod windows;
