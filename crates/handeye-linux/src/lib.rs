//! The Linux desktop.

pub mod desktop;
pub mod doctor;
pub mod x11;
pub mod atspi;
