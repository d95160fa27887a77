//! Decides who may come.

use crate::token::Token;
use handeye_call::caller::Caller;
use handeye_call::scopes::Scopes;

/// What a request was granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Whose it is.
    pub caller: Caller,
    /// What it may do.
    pub scopes: Scopes,
}

/// Why a request was not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// It has no token.
    Missing,
    /// Its token is not valid, for a reason that repeats nothing of it.
    Invalid(&'static str),
}

/// Decides who may come.
#[derive(Debug)]
pub struct Guard {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Token(Token),
    #[cfg(feature = "conformance")]
    Open,
}

impl Guard {
    /// Lets in who has this token, for everything.
    pub const fn of_token(token: Token) -> Self {
        Self { kind: Kind::Token(token) }
    }

    /// Lets everybody in: the official conformance suite has no token.
    #[cfg(feature = "conformance")]
    pub const fn open() -> Self {
        Self { kind: Kind::Open }
    }

    /// Who comes with this bearer token, if any.
    ///
    /// # Errors
    /// Who may not come in.
    pub fn admit(&self, token: Option<&str>) -> Result<Grant, Denied> {
        let everything = Grant { caller: Caller::HTTP_TOKEN, scopes: Scopes::ALL };
        match &self.kind {
            #[cfg(feature = "conformance")]
            Kind::Open => Ok(everything),
            Kind::Token(own) => {
                let token = token.ok_or(Denied::Missing)?;
                own.is(token)
                    .then_some(everything)
                    .ok_or(Denied::Invalid("it is not the token of this server"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_token_lets_in() {
        let token = Token::random().expect("random");
        let guard = Guard::of_token(token.clone());
        let grant = guard.admit(Some(token.reveal())).expect("let in");
        assert_eq!((grant.caller, grant.scopes), (Caller::HTTP_TOKEN, Scopes::ALL));
        assert_eq!(guard.admit(None), Err(Denied::Missing));
        let other = Token::random().expect("random");
        assert!(matches!(guard.admit(Some(other.reveal())), Err(Denied::Invalid(_))));
    }
}
