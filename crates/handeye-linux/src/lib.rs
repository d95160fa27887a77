//! The Linux desktop.
