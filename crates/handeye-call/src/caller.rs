//! Whom a call is from.

use handeye_core::{Error, Result, screen_text};
use std::borrow::Cow;
use std::fmt;

/// By which way a call comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// MCP over the standard input and output of this process.
    Stdio,
    /// MCP over HTTP.
    Http,
    /// The socket of the daemon.
    Socket,
    /// The command line of this process.
    Terminal,
}

impl Channel {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Socket => "socket",
            Self::Terminal => "terminal",
        }
    }
}

/// Whom a call is from: the way by which it comes, and what is known of the other end. References, names, pictures, tasks and the
/// journal belong to a caller; equal callers are the same one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Caller {
    channel: Channel,
    principal: Cow<'static, str>,
}

impl Caller {
    /// Longest principal, in bytes.
    const LONGEST: usize = 100;

    /// The client at the other end of standard input and output: there is one.
    pub const STDIO: Self = Self { channel: Channel::Stdio, principal: Cow::Borrowed("") };

    /// Every program that comes over HTTP with the server's own token. They are one caller, as the token is one.
    pub const HTTP_TOKEN: Self = Self { channel: Channel::Http, principal: Cow::Borrowed("token") };

    /// The command that this process is.
    pub const TERMINAL: Self = Self { channel: Channel::Terminal, principal: Cow::Borrowed("") };

    /// Whom an authorization over HTTP is for. `principal` must be one that no other authorization can have.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`](handeye_core::ErrorCode::InvalidParameter) if it is empty or longer than 100 bytes. It is never cut.
    pub fn of_http(principal: &str) -> Result<Self> {
        if principal.is_empty() || principal.len() > Self::LONGEST {
            let allowed = format!("must have 1 to {} bytes", Self::LONGEST);
            return Err(Error::invalid_parameter("principal", allowed));
        }
        Ok(Self { channel: Channel::Http, principal: principal.to_owned().into() })
    }

    /// Whether it comes over HTTP, and so has no more than its authorization grants.
    pub fn is_over_http(&self) -> bool {
        self.channel == Channel::Http
    }

    /// A program of the user with this number, at the other end of a socket. `name` is its own word: it separates the programs of one user,
    /// and protects none from another.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`](handeye_core::ErrorCode::InvalidParameter) if the name is empty or too long. It is never cut: two
    /// callers must not become one.
    pub fn of_socket(user: u32, name: &str) -> Result<Self> {
        let principal = format!("{user}/{name}");
        if name.is_empty() || principal.len() > Self::LONGEST {
            let allowed = Self::LONGEST + name.len() - principal.len();
            return Err(Error::invalid_parameter("caller", format!("must have 1 to {allowed} bytes")));
        }
        Ok(Self { channel: Channel::Socket, principal: principal.into() })
    }
}

/// On one line, without characters that could forge another record of a log.
impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.channel.as_str())?;
        if self.principal.is_empty() {
            return Ok(());
        }
        write!(f, ":{}", screen_text::line(&self.principal, Self::LONGEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::ErrorCode;

    #[test]
    fn a_log_shows_a_caller_on_one_line() {
        assert_eq!(Caller::STDIO.to_string(), "stdio");
        assert_eq!(Caller::HTTP_TOKEN.to_string(), "http:token");
        let forged = Caller::of_socket(7, "x\ncaller=stdio\u{202e}").expect("short").to_string();
        assert!(forged.starts_with("socket:7/x") && !forged.contains(['\n', '\u{202e}']), "{forged:?}");
    }

    #[test]
    fn a_name_is_refused_and_not_cut() {
        let long = "x".repeat(98);
        assert!(Caller::of_socket(7, &long).is_ok());
        for refused in ["", &format!("{long}y")] {
            let error = Caller::of_socket(7, refused).expect_err("refused");
            assert_eq!(error.code, ErrorCode::InvalidParameter);
            assert!(error.message.contains("1 to 98 bytes"), "{error}");
        }
        assert!(Caller::of_http("").is_err() && Caller::of_http(&"x".repeat(101)).is_err());
        assert_ne!(Caller::of_http("a").expect("short"), Caller::of_http("b").expect("short"));
        assert_ne!(Caller::of_socket(7, "8/x").expect("short"), Caller::of_socket(78, "x").expect("short"));
    }
}
