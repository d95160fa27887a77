//! The configuration files of MCP clients: where each client has its list of servers, and how handeye is written into it and
//! taken out again without touching anything else.
//!
//! [`CLIENTS`] is the table. A change is planned first ([`plan_install`], [`plan_uninstall`]) and can be shown; [`Plan::write`] makes it.

mod diff;
mod document;
mod edit;
mod environment;
mod file;
mod file_location;
mod json;
mod plan;
mod status;
mod table;
mod toml;
mod yaml;

pub use document::Server;
pub use environment::Environment;
pub use file_location::Surroundings;
pub use plan::{Change, Plan, plan_install, plan_uninstall};
pub use status::{RegistrationState, Status, status};
pub use table::{CLIENTS, Client, client};
