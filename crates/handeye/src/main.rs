//! handeye.
fn main() {}
