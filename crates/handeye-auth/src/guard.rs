//! Decides who may come.

use crate::issuer::{Issuer, Unaccepted};
use crate::token::Token;
use handeye_call::caller::Caller;
use handeye_call::scopes::Scopes;
use std::time::Duration;

/// What a request was granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Whose it is.
    pub caller: Caller,
    /// What it may do.
    pub scopes: Scopes,
    /// How long it is valid, if it ends.
    pub valid_for: Option<Duration>,
}

/// Why a request was not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// It has no token.
    Missing,
    /// Its token is not valid, for a reason that repeats nothing of it.
    Invalid(&'static str),
    /// It cannot be decided now: the keys of the issuer are not available.
    Unavailable,
}

/// Decides who may come.
#[derive(Debug)]
pub struct Guard {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Token(Token),
    Issuer(Box<Issuer>, Option<Token>),
    #[cfg(feature = "conformance")]
    Open,
}

impl Guard {
    /// Lets in who has this token, for everything.
    pub const fn of_token(token: Token) -> Self {
        Self { kind: Kind::Token(token) }
    }

    /// Lets in who has an access token of this issuer, for what it grants; and who has the server's own token, if one was set.
    pub fn of_issuer(issuer: Issuer, token: Option<Token>) -> Self {
        Self { kind: Kind::Issuer(Box::new(issuer), token) }
    }

    /// The issuer whose tokens let in, if there is one.
    pub fn issuer(&self) -> Option<&Issuer> {
        match &self.kind {
            Kind::Issuer(issuer, _) => Some(issuer),
            Kind::Token(_) => None,
            #[cfg(feature = "conformance")]
            Kind::Open => None,
        }
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
    pub async fn admit(&self, token: Option<&str>) -> Result<Grant, Denied> {
        let everything = Grant { caller: Caller::HTTP_TOKEN, scopes: Scopes::ALL, valid_for: None };
        match &self.kind {
            #[cfg(feature = "conformance")]
            Kind::Open => Ok(everything),
            Kind::Token(own) => {
                let token = token.ok_or(Denied::Missing)?;
                own.is(token)
                    .then_some(everything)
                    .ok_or(Denied::Invalid("it is not the token of this server"))
            }
            Kind::Issuer(issuer, own) => {
                let token = token.ok_or(Denied::Missing)?;
                if own.as_ref().is_some_and(|own| own.is(token)) {
                    return Ok(everything);
                }
                let claims = issuer.accept(token).await.map_err(|why| match why {
                    Unaccepted::Invalid(why) => Denied::Invalid(why),
                    Unaccepted::Unavailable => Denied::Unavailable,
                })?;
                let valid_for = Some(claims.valid_for);
                Ok(Grant { caller: claims.caller, scopes: claims.scopes, valid_for })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_token_lets_in() {
        let token = Token::random().expect("random");
        let guard = Guard::of_token(token.clone());
        let grant = guard.admit(Some(token.reveal())).await.expect("let in");
        assert_eq!((grant.caller, grant.scopes), (Caller::HTTP_TOKEN, Scopes::ALL));
        assert_eq!(guard.admit(None).await, Err(Denied::Missing));
        let other = Token::random().expect("random");
        assert!(matches!(guard.admit(Some(other.reveal())).await, Err(Denied::Invalid(_))));
    }
}
