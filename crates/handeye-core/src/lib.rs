//! The words that every part of handeye speaks: applications, windows, nodes, roles, states,
//! pictures, effects and errors; the mirror of an accessibility tree; and the traits that a platform fulfils.
//!
//! This crate knows no operating system, no protocol and no policy. A platform crate (`handeye-atspi`, `handeye-x11`) implements
//! the traits of [`platform`]; everything above is written against them.

pub mod advice;
pub mod application;
pub mod capability;
pub mod cells;
pub mod clipping;
pub mod consent;
pub mod details;
pub mod diff;
pub mod error;
pub mod extents;
pub mod frame;
pub mod geometry;
pub mod input;
pub mod invocation;
pub mod ledger;
pub mod mirror;
pub mod nearness;
pub mod node;
pub mod notification;
pub mod numbers;
pub mod ocr;
mod one_seat;
pub mod permit;
pub mod platform;
pub mod reference;
pub mod role;
pub mod screen_text;
pub mod script;
pub mod seat;
pub mod secret;
pub mod setting;
pub mod state;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod text;
pub mod tree;
mod trust;
pub mod user_input;
pub mod vision;
pub mod window;

pub use advice::Advice;
pub use application::{Application, ApplicationId, ProcessIdentity, SourceId, TreeAccess};
pub use capability::{
    AccessibilityCapabilities, ClipboardCapabilities, Missing, ScreenCapabilities, Support,
};
pub use cells::{cell_around, is_plain_picture, name_from_cells};
pub use clipping::{ClipForm, Clipping, Copied};
pub use consent::Consent;
pub use details::{Detail, DetailKinds, Details, KeptDetails, NumericValue, TextContent};
pub use diff::{Change, Diff, Field, Recreated};
pub use error::{Error, ErrorCode, Result};
pub use extents::{Extents, Units};
pub use frame::{Frame, Redrawn, Stamp};
pub use geometry::{InPicture, InWindow, OnScreen, Point, Rect, Size, Space};
pub use input::{Button, Chord, KeySymbol, Modifier};
pub use invocation::{Argument, Invocation, Parameter};
pub use ledger::{
    Ledger, LedgerCondition, LedgerEntry, LedgerFault, LedgerFields, LedgerOutcome, LedgerResult, LedgerRisk,
    LedgerTarget, NoLedger, OpenRecord, Receipt, Written,
};
pub use mirror::{Mirror, Version};
pub use node::{Abilities, Node, NodeId, Owner};
pub use notification::Notification;
pub use numbers::Numbers;
pub use one_seat::OneSeat;
pub use permit::{Authority, Permit};
pub use platform::{
    Accessibility, Changes, Clipboard, ConnectedApp, DrawingWatch, Links, NodeAction, Notifications,
    Platform, Scope, Screen, Source, application_id,
};
pub use role::Role;
pub use script::{Script, ScriptEnd, ScriptLanguage, ScriptOutput, ScriptRun, Scripts};
pub use seat::{
    AgentSeats, ApplicationInput, Dismissal, DragWay, Means, OnAgentSeat, OpenMenus, Seat, SeatCapabilities,
    Seats, Takes,
};
pub use secret::{NoSecrets, SecretPlace, SecretText, Secrets};
pub use setting::SettingName;
pub use state::States;
pub use text::{Part, Text};
pub use tree::Tree;
pub use trust::{NoRules, Rule, Rules, SecurityMode, Standing, Subject, Trust};
pub use user_input::{Keystroke, UserAction, UserEvent, UserEventSender, UserEvents, UserInput};
pub use window::{ActiveWindow, Monitor, Place, SeatState, Window, WindowId};
