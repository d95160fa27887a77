//! Rules on trees that are written down.
