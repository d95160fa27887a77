//! An access token that is a JWT (RFC 7519, RFC 9068, RFC 8725): whether it is valid, and whose it is.
//!
//! A bearer token is used many times, so its `jti` is not remembered: what bounds a stolen one is its short life. A token that is bound to a
//! key of its sender (`cnf`: RFC 8705, RFC 9449) is none that a bearer may use.

use crate::keys::Key;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use handeye_call::caller::Caller;
use handeye_call::scopes::Scopes;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// How far the clocks of issuer and server may differ, in seconds.
const LEEWAY: u64 = 30;
/// The types that an access token may say it has. Others are JWTs for something else (RFC 8725, 3.11).
const TYPES: [&str; 3] = ["jwt", "at+jwt", "application/at+jwt"];
/// The longest `sub` that stands in a log as it is, in bytes.
const LONGEST_SUBJECT: usize = 64;

/// What a token says of itself before anything of it is believed.
pub(crate) struct Head {
    pub(crate) key: Option<String>,
    algorithm: Algorithm,
}

/// Reads the header. `none` is no algorithm here, and neither is one with a shared secret.
pub(crate) fn head(token: &str) -> Result<Head, &'static str> {
    let header = decode_header(token).map_err(|_| "it is no JWT with an algorithm that is allowed")?;
    if matches!(header.alg, Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512) {
        return Err("it is signed with a shared secret");
    }
    if header.crit.is_some() {
        return Err("it has critical extensions that are not known");
    }
    let is_known = |kind: &String| TYPES.iter().any(|known| kind.eq_ignore_ascii_case(known));
    if header.typ.as_ref().is_some_and(|kind| !is_known(kind)) {
        return Err("its type is not that of an access token");
    }
    Ok(Head { key: header.kid, algorithm: header.alg })
}

/// What a valid token grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claims {
    pub(crate) caller: Caller,
    pub(crate) scopes: Scopes,
    pub(crate) valid_for: Duration,
}

/// Checks signature, issuer, audience and times.
pub(crate) fn verify(
    token: &str,
    head: &Head,
    key: &Key,
    issuer: &str,
    audience: &str,
) -> Result<Claims, &'static str> {
    if !key.algorithms.contains(&head.algorithm) {
        return Err("its algorithm is not that of its key");
    }
    let mut validation = Validation::new(head.algorithm);
    validation.leeway = LEEWAY;
    validation.validate_nbf = true;
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    validation.set_issuer(&[issuer]);
    validation.set_audience(&[audience]);
    let claims = decode::<Map<String, Value>>(token, &key.decoding, &validation)
        .map_err(|fault| reason(fault.kind()))?
        .claims;
    // It must be the issuer, and not be among several.
    if claims.get("iss").and_then(Value::as_str) != Some(issuer) {
        return Err("it is not from the issuer");
    }
    if claims.contains_key("cnf") {
        return Err("it is bound to a key of its sender, and came as a bearer token");
    }
    let subject = claims.get("sub").and_then(Value::as_str).unwrap_or_default();
    let scopes = claims.get("scope").and_then(Value::as_str).unwrap_or_default();
    let expires = claims.get("exp").and_then(Value::as_f64).unwrap_or_default().clamp(0.0, 1e11) as u64;
    let remaining = (expires + LEEWAY).saturating_sub(jsonwebtoken::get_current_timestamp());
    Ok(Claims {
        caller: caller(subject)?,
        scopes: Scopes::named(scopes),
        valid_for: Duration::from_secs(remaining),
    })
}

/// The caller of a subject. A long one is not cut, which could make two of them one.
fn caller(subject: &str) -> Result<Caller, &'static str> {
    let principal = match subject.len() {
        0 => return Err("it names nobody"),
        1..=LONGEST_SUBJECT => format!("oauth/{subject}"),
        _ => {
            let digest: [u8; 32] = Sha256::digest(subject).into();
            format!("oauth-sha256/{}", URL_SAFE_NO_PAD.encode(digest))
        }
    };
    Caller::of_http(&principal).map_err(|_| "it names nobody")
}

/// Why a token is not valid, without anything of it.
fn reason(fault: &ErrorKind) -> &'static str {
    match fault {
        ErrorKind::ExpiredSignature => "it has expired",
        ErrorKind::ImmatureSignature => "it is not valid yet",
        ErrorKind::InvalidIssuer => "it is not from the issuer",
        ErrorKind::InvalidAudience => "it is for another resource",
        ErrorKind::MissingRequiredClaim(_) => "it lacks one of exp, iss, aud and sub",
        ErrorKind::InvalidAlgorithm | ErrorKind::UnsupportedAlgorithm => {
            "its algorithm is not that of its key"
        }
        ErrorKind::InvalidSignature => "its signature is wrong",
        _ => "it cannot be read",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn unsigned(header: &Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        format!("{}.{}.", part(header), part(claims))
    }

    #[test]
    fn algorithms_without_a_public_key_are_refused() {
        for algorithm in ["none", "None", "NONE", "HS256", "HS512", "", "RS1"] {
            let token = unsigned(&json!({ "alg": algorithm, "kid": "1" }), &json!({ "sub": "x" }));
            assert!(head(&token).is_err(), "{algorithm}");
        }
        assert!(head(&unsigned(&json!({ "alg": "RS256" }), &json!({}))).is_ok());
    }

    #[test]
    fn a_jwt_for_something_else_is_refused() {
        for header in [
            json!({ "alg": "RS256", "crit": ["b64"], "b64": false }),
            json!({ "alg": "RS256", "typ": "dpop+jwt" }),
            json!({ "alg": "RS256", "typ": "logout+jwt" }),
        ] {
            assert!(head(&unsigned(&header, &json!({}))).is_err(), "{header}");
        }
        for kind in ["JWT", "at+jwt", "application/at+JWT"] {
            assert!(head(&unsigned(&json!({ "alg": "ES256", "typ": kind }), &json!({}))).is_ok(), "{kind}");
        }
    }

    #[test]
    fn subjects_are_callers_and_two_are_never_one() {
        let long = "x".repeat(LONGEST_SUBJECT + 1);
        let callers = ["token", "a", "sha256/a", &long, &format!("{long}x")]
            .map(|name| caller(name).expect("somebody"));
        for (at, caller) in callers.iter().enumerate() {
            assert!(*caller != Caller::HTTP_TOKEN && !callers[..at].contains(caller), "{caller}");
        }
        assert!(caller("").is_err());
    }

    proptest! {
        #[test]
        fn whatever_comes_is_no_panic(token in "[A-Za-z0-9_.-]{0,200}") {
            prop_assert!(head(&token).is_err() || token.contains('.'));
        }
    }
}
