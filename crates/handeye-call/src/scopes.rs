//! What a caller may do with its calls: the scopes that an authorization grants.

use std::fmt;

/// One right. The names are those of an access token's `scope`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Scope {
    /// To look at the desktop.
    Read = 1,
    /// To change something on it.
    Act = 1 << 1,
    /// To have files read or written at places that the caller names.
    Files = 1 << 2,
    /// To read and write the clipboard.
    Clipboard = 1 << 3,
    /// To run scripts.
    Script = 1 << 4,
}

impl Scope {
    /// Every scope, in the order in which they are listed.
    pub const ALL: [Self; 5] = [Self::Read, Self::Act, Self::Files, Self::Clipboard, Self::Script];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Act => "act",
            Self::Files => "files",
            Self::Clipboard => "clipboard",
            Self::Script => "script",
        }
    }
}

/// A set of scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scopes(u8);

impl Scopes {
    /// Every scope: what a caller has whose authorization knows no scopes.
    pub const ALL: Self = Self::of(&Scope::ALL);
    /// None.
    pub const NONE: Self = Self(0);

    /// These.
    pub const fn of(scopes: &[Scope]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < scopes.len() {
            bits |= scopes[at] as u8;
            at += 1;
        }
        Self(bits)
    }

    /// Those that a list of names separated by spaces has (RFC 6749, 3.3). Scopes of other resources grant nothing here.
    pub fn named(names: &str) -> Self {
        let known = |name: &str| Scope::ALL.into_iter().find(|scope| scope.as_str() == name);
        names.split(' ').filter_map(known).fold(Self::NONE, |scopes, scope| scopes.and(Self::of(&[scope])))
    }

    /// These and those.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether all of `needed` are among these.
    pub const fn cover(self, needed: Self) -> bool {
        self.0 & needed.0 == needed.0
    }

    /// Whether it is one of these.
    pub const fn has(self, scope: Scope) -> bool {
        self.cover(Self::of(&[scope]))
    }

    /// Those of `needed` that are not among these.
    #[must_use]
    pub const fn missing_of(self, needed: Self) -> Self {
        Self(needed.0 & !self.0)
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Their names, separated by spaces.
impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Scope::ALL.into_iter().filter(|scope| self.has(*scope)).map(Scope::as_str);
        f.write_str(&names.collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        let scopes = Scopes::named("openid act  read Act files2");
        assert_eq!(scopes, Scopes::of(&[Scope::Read, Scope::Act]));
        assert_eq!(scopes.to_string(), "read act");
        assert_eq!(Scopes::named(&Scopes::ALL.to_string()), Scopes::ALL);
        assert!(Scopes::named("").is_empty());
    }

    #[test]
    fn what_is_missing_is_what_is_not_covered() {
        let scopes = Scopes::of(&[Scope::Read]);
        let needed = Scopes::of(&[Scope::Read, Scope::Script]);
        assert!(!scopes.cover(needed) && Scopes::ALL.cover(needed) && scopes.cover(Scopes::NONE));
        assert_eq!(scopes.missing_of(needed), Scopes::of(&[Scope::Script]));
        assert!(Scopes::ALL.missing_of(needed).is_empty());
    }
}
