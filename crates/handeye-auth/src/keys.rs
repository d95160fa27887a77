//! The public keys of an issuer (RFC 7517), and which algorithms each may verify.

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, EllipticCurveKeyParameters, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;
use std::fmt;

/// Most keys of an issuer that are looked at.
const MOST: usize = 64;
/// The length of the modulus of an RSA key, in characters of base64url: 2,048 to 8,192 bits.
const MODULUS: std::ops::RangeInclusive<usize> = 342..=1366;

/// A key. It verifies by the algorithms of its own kind alone: a public key is never the secret of an HMAC.
pub(crate) struct Key {
    pub(crate) id: Option<String>,
    pub(crate) algorithms: Vec<Algorithm>,
    pub(crate) decoding: DecodingKey,
}

impl Key {
    /// The key, if it can verify a signature. Symmetric keys cannot.
    fn read(key: &Value) -> Option<Self> {
        let key: Jwk = serde_json::from_value(key.clone()).ok()?;
        if key.common.public_key_use.as_ref().is_some_and(|purpose| *purpose != PublicKeyUse::Signature) {
            return None;
        }
        let mut algorithms = match &key.algorithm {
            AlgorithmParameters::RSA(rsa) if MODULUS.contains(&rsa.n.len()) => vec![
                Algorithm::RS256,
                Algorithm::RS384,
                Algorithm::RS512,
                Algorithm::PS256,
                Algorithm::PS384,
                Algorithm::PS512,
            ],
            AlgorithmParameters::EllipticCurve(curve) => match curve.curve {
                EllipticCurve::P256 if has_coordinates(curve, 32) => vec![Algorithm::ES256],
                EllipticCurve::P384 if has_coordinates(curve, 48) => vec![Algorithm::ES384],
                _ => return None,
            },
            AlgorithmParameters::OctetKeyPair(pair) if pair.curve == EllipticCurve::Ed25519 => {
                vec![Algorithm::EdDSA]
            }
            _ => return None,
        };
        if let Some(only) = key.common.key_algorithm {
            let only = only.to_string();
            algorithms.retain(|algorithm| format!("{algorithm:?}") == only);
        }
        let decoding = DecodingKey::from_jwk(&key).ok()?;
        (!algorithms.is_empty()).then_some(Self { id: key.common.key_id, algorithms, decoding })
    }
}

/// Whether the coordinates of a point have so many bytes, in the base64 of JWKs, which has no padding.
fn has_coordinates(curve: &EllipticCurveKeyParameters, bytes: usize) -> bool {
    let characters = (bytes * 4).div_ceil(3);
    curve.x.len() == characters && curve.y.len() == characters
}

/// The keys of an issuer.
pub(crate) struct Keys(Vec<Key>);

impl Keys {
    /// Those of a JWK set that can verify signatures. Others are left out: a set may have keys for other purposes.
    pub(crate) fn read(set: &Value) -> Result<Self, &'static str> {
        let keys = set.get("keys").and_then(Value::as_array).ok_or("is no set of keys")?;
        let keys: Vec<Key> = keys.iter().take(MOST).filter_map(Key::read).collect();
        if keys.is_empty() { Err("has no key that can verify a signature") } else { Ok(Self(keys)) }
    }

    /// The key that a token names. One that names none means the only key.
    pub(crate) fn find(&self, id: Option<&str>) -> Option<&Key> {
        match (id, self.0.as_slice()) {
            (Some(id), keys) => keys.iter().find(|key| key.id.as_deref() == Some(id)),
            (None, [only]) => Some(only),
            (None, _) => None,
        }
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|key| &key.id)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The example of RFC 7517, appendix A.1.
    fn curve() -> Value {
        json!({ "kty": "EC", "crv": "P-256", "kid": "1", "use": "sig",
                "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM" })
    }

    #[test]
    fn a_key_verifies_by_the_algorithm_of_its_kind() {
        let other = json!({ "kty": "oct", "kid": "2", "k": "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0" });
        let short = json!({ "kty": "RSA", "kid": "3", "n": "AQAB", "e": "AQAB" });
        let keys = Keys::read(&json!({ "keys": [other, curve(), short, { "kty": "new" }, 5] })).expect("one");
        assert_eq!(keys.find(Some("1")).expect("there").algorithms, [Algorithm::ES256]);
        assert!(keys.find(None).is_some(), "it is the only one");
        assert!(keys.find(Some("2")).is_none() && keys.find(Some("3")).is_none());
    }

    #[test]
    fn what_cannot_verify_is_no_key() {
        let with = |name: &str, value: &str| {
            let mut key = curve();
            key[name] = value.into();
            Keys::read(&json!({ "keys": [key] }))
        };
        assert!(
            with("use", "enc").is_err() && with("alg", "HS256").is_err() && with("crv", "P-384").is_err()
        );
        assert!(with("alg", "ES256").is_ok());
        for none in [json!({}), json!({ "keys": [] }), json!({ "keys": 5 }), json!(null)] {
            assert!(Keys::read(&none).is_err(), "{none}");
        }
    }
}
