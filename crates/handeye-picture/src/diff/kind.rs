//! How pixels are compared, and what is found at one.

/// How far the eye blends, in pixels.
pub(super) const RADIUS: u32 = 2;

/// How two pixels are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Each pixel by itself.
    Pixel {
        /// Whether pixels do not count that differ because an edge is smoothed in another way.
        tolerate_antialiasing: bool,
    },
    /// As an observer sees the pixels around it.
    Perceptual,
}

impl Mode {
    /// How many pixels around one are looked at in each direction, to find out whether it differs.
    pub(super) const fn reach(self) -> u32 {
        match self {
            Self::Pixel { .. } => 0,
            Self::Perceptual => RADIUS,
        }
    }
}

/// What was found at a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// No difference that counts.
    Equal,
    /// A difference.
    Different,
    /// A difference of the smoothing of an edge.
    Antialiased,
}
