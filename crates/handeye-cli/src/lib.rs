//! The command line face: every operation of the engine as a subcommand, and how answers are printed.
//!
//! Nothing here knows what an operation does. Names, arguments and help come from the registry, calls go through the
//! gate, here or in the daemon that the commands of a desktop share; this crate adds the formats, the colours, the exit
//! codes and the commands that only a shell needs (`clean`, `doctor`, `completions`, `daemon`).

mod asked_format;
mod asking;
mod audit_log;
mod audit_place;
mod captures;
mod clean;
mod codegen;
mod command;
mod completions;
mod config_show;
mod configuration;
mod daemon;
mod debug_logs;
mod doctor;
mod envelope;
mod exit;
mod failure;
mod format;
mod http;
mod log_place;
mod names;
mod nested;
mod output;
mod person;
mod pictures;
mod policy;
mod reader;
mod record;
mod run;
mod security;
mod serving;
pub mod settings;
mod shape;
mod skill;
mod spelling;
mod table;
mod waiting;

pub use asking::asking;
pub use audit_log::{audit_log, is_about_audit_log};
pub use audit_place::audit_log as audit_log_settings;
pub use captures::captures;
pub use clean::clean;
pub use codegen::{codegen, command as codegen_command};
pub use command::{Globals, command, globals};
pub use completions::completions;
pub use config_show::{config_command, config_show};
pub use configuration::Entry;
pub use daemon::command::daemon;
pub use daemon::{Client, Configure, Endpoint, Launch, Prepare, Program, Server, idle_time};
pub use debug_logs::DebugLogs;
pub use doctor::doctor;
pub use exit::{EXIT_CODES, PEEKABOO_EXIT_CODES, early_error, report, usage_error};
pub use format::Format;
pub use http::{
    Authorization, HttpPlace, TokenSource, given_http_flags, http_arguments, http_authorization, http_place,
    http_token, http_token_that_is_set, http_token_variables, is_over_http,
};
pub use log_place::{log_file, prepare_log_folder};
pub use output::{Output, harmless};
pub use person::{ask_yes_no, can_ask};
pub use pictures::delivery;
pub use policy::{mode, policy_check, policy_commands, policy_explain};
pub use record::{command as record_command, record};
pub use run::{cancelled_by_signal, gains_from_daemon, run, run_by_daemon};
pub use security::{Security, limits, picture_room};
pub use serving::{client_profile, given_server_flags, server_arguments, shows_cursor, toolbox};
pub use skill::skill;
