//! Calls that failed.

use handeye_core::{Error, ErrorCode, Invocation, text};
use std::time::Duration;

/// How long one call may take before the application counts as not responding.
pub(super) const CALL_DEADLINE: Duration = Duration::from_millis(1500);

/// A call that failed, by what the caller can do about it.
#[derive(Debug)]
pub(super) enum CallError {
    /// The object or the interface does not exist (any more).
    NoSuchObject,
    /// The application refused, or answered with something that is not an answer.
    Rejected(String),
    /// The application answered with that many bytes, more than are read of an answer.
    TooLong(usize),
    /// The application did not answer in time.
    NotResponding,
    /// Another process, which shows a part of the application, did not answer in time.
    PartNotResponding,
    /// The application or the bus is gone.
    Gone,
    /// It was not sent, for a reason of our own.
    NotSent(Box<Error>),
}

impl CallError {
    /// The error for a caller who asked about `application`.
    pub(super) fn about(self, application: &str) -> Error {
        match self {
            Self::NoSuchObject => Error::new(ErrorCode::StaleReference, format!("the element no longer exists in {application}")),
            Self::Rejected(why) => Error::new(ErrorCode::ActionFailed, format!("{application} rejected the call: {why}")),
            Self::TooLong(bytes) => Error::new(
                ErrorCode::ActionFailed,
                format!("{application} answered with {bytes} bytes, more than are read of an answer"),
            ),
            Self::NotSent(error) => *error,
            Self::NotResponding => Error::new(
                ErrorCode::AppNotResponding,
                format!("{application} did not answer within {} ms", CALL_DEADLINE.as_millis()),
            )
            .with_next("Wait and try again; if this persists, the application hangs or is stopped. Other applications are not affected."),
            Self::PartNotResponding => Error::new(
                ErrorCode::AppNotResponding,
                format!("the process that shows this part of {application} did not answer within {} ms", CALL_DEADLINE.as_millis()),
            )
            .with_next("Wait and try again. The rest of the window can be used meanwhile."),
            Self::Gone => Error::new(ErrorCode::AppGone, format!("{application} has ended or left the accessibility bus"))
                .with_next(text!["Start it again, or call ", Invocation::of("ax_list_apps"), " to see what runs."]),
        }
    }

    /// Whether no further call to this process has any sense.
    pub(super) fn is_fatal(&self) -> bool {
        matches!(self, Self::NotResponding | Self::Gone)
    }

    /// What an error means that an application or the bus sends: its name, and what it says.
    pub(super) fn of_reply(name: &str, text: Option<&str>) -> Self {
        match name.strip_prefix("org.freedesktop.DBus.Error.") {
            Some("UnknownObject" | "UnknownMethod" | "UnknownInterface" | "UnknownProperty") => {
                Self::NoSuchObject
            }
            Some("NoReply" | "Disconnected" | "ServiceUnknown" | "NameHasNoOwner") => Self::Gone,
            _ => Self::Rejected(text.unwrap_or(name).to_owned()),
        }
    }
}

impl From<zbus::Error> for CallError {
    fn from(error: zbus::Error) -> Self {
        match &error {
            zbus::Error::MethodError(name, text, _) => Self::of_reply(name.as_str(), text.as_deref()),
            zbus::Error::InputOutput(_) => Self::Gone,
            _ => Self::Rejected(error.to_string()),
        }
    }
}
