//! The header `Authorization` of a request that carries a bearer token (RFC 6750, 2.1).

/// The longest token that is looked at, in bytes. Access tokens with many claims have a few KiB.
pub const LONGEST: usize = 16 * 1024;

/// Whether a text is the `b64token` that RFC 6750 lets a token be.
pub fn is_token(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    !body.is_empty()
        && text.len() <= LONGEST
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte))
}

/// The token of a header's value; `None` for another scheme, and for what is no token.
pub fn token(value: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(value).ok()?;
    let (scheme, rest) = text.split_once(' ')?;
    let token = rest.trim_matches(' ');
    (scheme.eq_ignore_ascii_case("bearer") && is_token(token)).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_bearer_token_is_read() {
        assert_eq!(token(b"Bearer abc.d-e_f~+/=="), Some("abc.d-e_f~+/=="));
        assert_eq!(token(b"bearer  x "), Some("x"), "schemes have no case");
        for other in [
            &b""[..],
            b"Bearer",
            b"Bearer ",
            b"Basic abc",
            b"Bearer a b",
            b"Bearer ==",
            b"Bearer a=b",
            b"\xff \xff",
        ] {
            assert_eq!(token(other), None, "{other:?}");
        }
        assert_eq!(token(format!("Bearer {}", "x".repeat(LONGEST + 1)).as_bytes()), None);
    }

    proptest! {
        #[test]
        fn whatever_comes_is_a_token_or_nothing(value in proptest::collection::vec(any::<u8>(), 0..80)) {
            if let Some(found) = token(&value) {
                prop_assert!(is_token(found) && found.is_ascii() && !found.contains(' '));
            }
        }

        #[test]
        fn every_token_comes_back(text in "[A-Za-z0-9._~+/-]{1,60}={0,2}") {
            let header = format!("Bearer {text}");
            prop_assert_eq!(token(header.as_bytes()), Some(text.as_str()));
        }
    }
}
