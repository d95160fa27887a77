//! Delivery: how every picture reaches the caller. Written once, used by all tools that make pictures.
//!
//! A picture is saved at full size, gets an id (`s7`) under which its pixels can be clicked, and is put into the
//! answer, scaled to what a model takes, where that is configured or asked for.

mod clean;
mod draft;
mod fault;
mod folder;
mod holdings;
mod housekeeping;
mod made;
mod name;
mod order;
mod place;
mod report;
mod settings;
mod temporary;
mod work;
mod write;

pub use clean::{Cleaned, Trace, clean};
pub use fault::cannot_write;
pub use holdings::{Holdings, Room};
pub use housekeeping::Housekeeping;
pub(crate) use made::{Made, Pixels};
pub use order::{Capture, Delivered, Destination, Inline, Order, SavedFile};
pub use place::uri as file_uri;
pub use report::save_report;
pub use settings::{Delivery, Keep, Responses};
pub use work::deliver;
