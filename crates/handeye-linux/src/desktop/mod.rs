//! A private desktop: an X server, a session bus, an accessibility bus and a window manager of their own, that
//! no user sees and no user's program is disturbed by.
//!
//! ```text
//! handeye ──spawns──▶ supervisor (its own process, a child subreaper)
//!    │  control socket:      ├─ Xvfb, dbus-daemon, at-spi-bus-launcher, window manager
//!    └─ its end says that    ├─ the command of `desktop run`
//!       handeye is gone      └─ whatever these start, daemons included
//! ```
//!
//! Nothing is left behind, however it ends: when handeye ends or is killed, the supervisor ends all its
//! descendants and removes its folder; when the supervisor is killed, the kernel ends the components
//! ([`launch`]), and the next handeye removes the rest ([`sweep`]).

mod a11y;
mod channel;
mod client;
mod components;
mod display;
pub(crate) mod ewmh;
mod fault;
mod folder;
mod forward;
mod isolation;
mod launch;
mod layout;
mod options;
pub(crate) mod processes;
mod requirements;
mod supervisor;
mod supervisor_process;
mod surrounding;
mod sweep;
mod xauthority;

pub use client::{PrivateDesktop, list, run, start_detached, stop};
pub use folder::DesktopInfo;
pub(crate) use folder::make_private;
pub use isolation::{Isolation, NamedHost, SharedPath};
pub use launch::SUPERVISOR_ARGUMENT;
pub use layout::MonitorOption;
pub use options::{Options, REMOVED_VARIABLES};
pub(crate) use requirements::{components, find_program};
pub use supervisor::supervisor_main;
pub use surrounding::{Surrounding, SurroundingSandbox};
