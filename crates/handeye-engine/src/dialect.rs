//! The error codes of the systems whose clients handeye serves.

use handeye_core::ErrorCode;

/// Whose error codes the clients of an operation know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// handeye's own codes.
    Handeye,
    /// Peekaboo 1.1.2, section II.A.4 (and `SWIFT_CLI_TIMEOUT` of 1.0.0-beta.17).
    Peekaboo,
    /// mcp-screenshot-mac, requirement 5.
    ScreenshotMac,
}

impl Dialect {
    /// The code under which its clients know an error; `None` where that is handeye's own.
    pub const fn code(self, code: ErrorCode) -> Option<&'static str> {
        match self {
            Self::Handeye => None,
            Self::Peekaboo => Some(peekaboo(code)),
            Self::ScreenshotMac => screenshot_mac(code),
        }
    }
}

const fn peekaboo(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::AppNotFound | ErrorCode::AppGone => "APP_NOT_FOUND",
        ErrorCode::AppAmbiguous => "AMBIGUOUS_APP_IDENTIFIER",
        ErrorCode::WindowNotFound => "WINDOW_NOT_FOUND",
        ErrorCode::WindowMinimized | ErrorCode::CaptureFailed => "CAPTURE_FAILED",
        ErrorCode::DisplayUnavailable => "PERMISSION_ERROR_SCREEN_RECORDING",
        ErrorCode::AccessibilityUnavailable | ErrorCode::InputUnavailable => "PERMISSION_ERROR_ACCESSIBILITY",
        ErrorCode::Io => "FILE_IO_ERROR",
        ErrorCode::InvalidParameter
        | ErrorCode::InvalidQuery
        | ErrorCode::TooLarge
        | ErrorCode::UnsupportedImage => "INVALID_ARGUMENT",
        ErrorCode::Timeout | ErrorCode::AppNotResponding => "SWIFT_CLI_TIMEOUT",
        ErrorCode::Internal => "INTERNAL_SWIFT_ERROR",
        _ => "UNKNOWN_ERROR",
    }
}

const fn screenshot_mac(code: ErrorCode) -> Option<&'static str> {
    match code {
        ErrorCode::AppNotFound | ErrorCode::AppAmbiguous | ErrorCode::AppGone => Some("ProcessNotFound"),
        ErrorCode::WindowNotFound | ErrorCode::WindowMinimized => Some("NoWindow"),
        ErrorCode::Timeout | ErrorCode::AppNotResponding => Some("Timeout"),
        ErrorCode::CaptureFailed
        | ErrorCode::DisplayUnavailable
        | ErrorCode::AccessibilityUnavailable
        | ErrorCode::Io => Some("CaptureFailed"),
        _ => None,
    }
}
