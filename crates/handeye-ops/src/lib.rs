//! What can be done: the operations, one file each, and the registry that lists them. They run on the engine of `handeye-engine`; the gate
//! before them is in `handeye-service`.

mod answer;
mod choice;
mod element;
mod element_picture;
mod element_value;
mod exhibit;
mod folders;
mod input_file;
pub mod marked;
mod menu;
mod pointer_click;
mod recognised;
pub mod registry;
pub mod shared;
mod shown;
mod status;
pub mod take_back;
mod target;

// The operations, in the order in which they are listed. The line of a module is all that the registry needs (`build.rs`); the empty
// lines keep rustfmt from sorting them.

pub mod check;

pub mod connect;

pub mod apps;

pub mod windows;

pub mod find;

pub mod tree;

pub mod attributes;

pub mod get;

pub mod click;

pub mod click_at;

pub mod type_text;

pub mod set_value;

pub mod scroll;

pub mod drag;

pub mod key;

pub mod screenshot;

pub mod analyze;

pub mod screenshot_app_window;

pub mod wait;

pub mod image;

pub mod list;

pub mod next_action;

pub mod find_visual;

pub mod workflow;

pub mod assert;

pub mod visual_diff;

pub mod audit;

pub mod undo;

pub mod clipboard;

pub mod session_info;

pub mod run_script;
