//! The server's own token: its bearer may do everything.

use crate::bearer;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use handeye_core::{Error, Result};
use sha2::{Digest, Sha256};
use std::fmt;
use subtle::ConstantTimeEq;

/// How many random bytes a token is made of.
const RANDOM: usize = 32;
/// The shortest token that may be set, in characters.
const SHORTEST: usize = 32;
/// The longest, in characters.
const LONGEST: usize = 512;

/// The token. Its text is in no log and no error.
#[derive(Clone)]
pub struct Token {
    text: String,
    digest: [u8; 32],
}

impl Token {
    /// A token of 32 random bytes of the system, in the alphabet of URLs.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`](handeye_core::ErrorCode::Internal) if the system has no random bytes.
    pub fn random() -> Result<Self> {
        let mut bytes = [0; RANDOM];
        getrandom::fill(&mut bytes)
            .map_err(|fault| Error::internal(format!("the system gives no random bytes: {fault}")))?;
        Ok(Self::of(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// A token that somebody chose.
    ///
    /// # Errors
    /// Why it cannot be one, as the end of a sentence about it and without its text.
    pub fn chosen(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if !(SHORTEST..=LONGEST).contains(&text.len()) {
            return Err(format!("must have {SHORTEST} to {LONGEST} characters"));
        }
        if !bearer::is_token(text) {
            return Err("may have letters, digits and -._~+/ only, with = at the end (RFC 6750)".to_owned());
        }
        Ok(Self::of(text.to_owned()))
    }

    fn of(text: String) -> Self {
        let digest = Sha256::digest(&text).into();
        Self { text, digest }
    }

    /// Whether this is the token. Takes as long for every text of one length: digests are compared, and all of them.
    pub fn is(&self, text: &str) -> bool {
        let digest: [u8; 32] = Sha256::digest(text).into();
        digest.ct_eq(&self.digest).into()
    }

    /// The text, for who may know it.
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

/// Without its text.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_random_token_is_known_and_no_other() {
        let token = Token::random().expect("random");
        assert_eq!(URL_SAFE_NO_PAD.decode(token.reveal()).expect("base64").len(), RANDOM);
        assert!(token.is(token.reveal()) && Token::chosen(token.reveal()).is_ok());
        let mut other = token.reveal().to_owned();
        let last = other.pop().expect("long");
        assert!(!token.is(&other) && !token.is(""));
        other.push(if last == 'A' { 'E' } else { 'A' });
        assert!(!token.is(&other));
        let many: HashSet<String> =
            (0..100).map(|_| Token::random().expect("random").reveal().to_owned()).collect();
        assert_eq!(many.len(), 100);
    }

    #[test]
    fn a_chosen_token_is_long_and_fits_a_header() {
        let good = "x".repeat(SHORTEST);
        assert!(Token::chosen(&format!(" {good}\n")).expect("good").is(&good));
        for bad in [
            "",
            "short",
            &"x".repeat(LONGEST + 1),
            &format!("{good} y"),
            &format!("{good}\u{e9}"),
            &format!("{good}\n{good}"),
        ] {
            let why = Token::chosen(bad).expect_err(bad);
            assert!(bad.is_empty() || !why.contains(bad), "{why}");
        }
    }

    #[test]
    fn its_text_is_not_printed() {
        let token = Token::random().expect("random");
        assert!(!format!("{token:?}").contains(token.reveal()));
    }
}
