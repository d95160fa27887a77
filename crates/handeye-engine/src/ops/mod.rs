//! The operations, one file each.

pub mod analyze;
pub mod apps;
pub mod attributes;
pub mod check;
mod choice;
pub mod click;
pub mod click_at;
pub mod connect;
pub mod drag;
pub mod find;
pub mod find_visual;
pub mod get;
pub mod image;
pub mod key;
pub mod list;
pub mod next_action;
mod receiver;
pub mod screenshot;
pub mod screenshot_app_window;
pub mod scroll;
pub mod set_value;
pub mod shared;
mod text;
pub mod tree;
pub mod type_text;
pub mod wait;
pub mod windows;
