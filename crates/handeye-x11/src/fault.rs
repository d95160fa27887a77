//! How a request to the X server can fail, and how that is reported to the caller.

use handeye_core::{Error, ErrorCode};
use x11rb::errors::{ConnectError, ConnectionError, ReplyError, ReplyOrIdError};
use x11rb::x11_utils::X11Error;

/// The result of work on an X connection.
pub(super) type Outcome<T> = std::result::Result<T, Fault>;

/// Why work on an X connection failed.
#[derive(Debug)]
pub(super) enum Fault {
    /// The connection is of no use any more; the next call opens a new one.
    Lost(String),
    /// No display is named.
    NoDisplay,
    /// The server rejected a request. Work that expects this handles it; here it is a surprise.
    Rejected(Box<X11Error>),
    /// The work itself failed.
    Refused(Box<Error>),
}

impl Fault {
    /// The error that the caller gets, for the display `display`. `not_found` is why no session was found, if one was searched for.
    pub(super) fn into_error(self, display: &str, not_found: Option<&Error>) -> Error {
        match self {
            Self::Lost(why) => unreachable_display(display, &why, not_found),
            Self::NoDisplay => not_found.cloned().unwrap_or_else(no_display),
            Self::Rejected(error) => Error::internal(format!(
                "the X server rejected request {}.{} of {} with {:?}",
                error.major_opcode,
                error.minor_opcode,
                error.request_name.unwrap_or("an extension"),
                error.error_kind
            )),
            Self::Refused(error) => *error,
        }
    }
}

/// The X server of `display` cannot be reached; `why` completes the sentence.
pub(super) fn unreachable_display(display: &str, why: &str, not_found: Option<&Error>) -> Error {
    let mut error = Error::new(
        ErrorCode::DisplayUnavailable,
        format!("the X server on display '{display}' cannot be used: {why}"),
    )
    .with_next(
        "Check that the X server runs and that DISPLAY and XAUTHORITY are those of the session, or use a \
             private desktop: `handeye desktop run -- COMMAND`, or `handeye mcp serve --desktop private`.",
    );
    if let Some(not_found) = not_found {
        error.found.clone_from(&not_found.found);
    }
    error
}

/// No display was named at all.
fn no_display() -> Error {
    Error::new(ErrorCode::DisplayUnavailable, "there is no display: DISPLAY is not set").with_next(
        "Set DISPLAY to that of a running session, or use a private desktop: `handeye desktop run -- COMMAND`, \
         or `handeye mcp serve --desktop private`.",
    )
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Refused(Box::new(error))
    }
}

impl From<ConnectError> for Fault {
    fn from(error: ConnectError) -> Self {
        Self::Lost(error.to_string())
    }
}

impl From<ConnectionError> for Fault {
    fn from(error: ConnectionError) -> Self {
        match error {
            ConnectionError::UnsupportedExtension => {
                Error::new(ErrorCode::NotSupported, "the X server lacks an extension that this needs").into()
            }
            other => Self::Lost(other.to_string()),
        }
    }
}

impl From<ReplyError> for Fault {
    fn from(error: ReplyError) -> Self {
        match error {
            ReplyError::ConnectionError(error) => error.into(),
            ReplyError::X11Error(error) => Self::Rejected(Box::new(error)),
        }
    }
}

impl From<ReplyOrIdError> for Fault {
    fn from(error: ReplyOrIdError) -> Self {
        match error {
            ReplyOrIdError::IdsExhausted => Self::Lost("it has no resource ids left".into()),
            ReplyOrIdError::ConnectionError(error) => error.into(),
            ReplyOrIdError::X11Error(error) => Self::Rejected(Box::new(error)),
        }
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self::Lost(error.to_string())
    }
}

/// Turns a rejection by the server into `None`: what was asked about has gone in the meantime.
pub(super) trait Vanished<T> {
    /// `None` if the server rejected the request; other faults stay faults.
    fn if_there(self) -> Outcome<Option<T>>;
}

impl<T> Vanished<T> for Result<T, ReplyError> {
    fn if_there(self) -> Outcome<Option<T>> {
        match self {
            Ok(reply) => Ok(Some(reply)),
            Err(ReplyError::X11Error(_)) => Ok(None),
            Err(ReplyError::ConnectionError(error)) => Err(error.into()),
        }
    }
}
