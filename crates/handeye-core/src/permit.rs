//! The right to act. Each method of a port that touches an application, the pointer, the keyboard or the clipboard takes a [`Permit`], and so
//! does what writes a file of the user, so that code which was not authorized does not compile.

/// The right to do what was authorized just now. Nothing but an [`Authority`] makes one:
///
/// ```compile_fail
/// let permit = handeye_core::Permit { _granted: () };
/// ```
#[derive(Debug)]
pub struct Permit {
    _granted: (),
}

/// Grants permits. The guard of the engine holds the only one of a program: a lint forbids [`Authority::new`] elsewhere, but for tests of
/// platforms.
#[derive(Debug)]
pub struct Authority {
    _only: (),
}

impl Authority {
    /// For the guard, and for tests of platforms.
    #[expect(clippy::new_without_default, reason = "a default would get around the lint")]
    pub const fn new() -> Self {
        Self { _only: () }
    }

    /// The right to do something that was authorized.
    pub const fn grant(&self) -> Permit {
        Permit { _granted: () }
    }
}
