//! What is secret in a text, and what stands in its place; which secrets exist by name, and where each may be typed. Pure: nothing here
//! reads a file, the environment or a desktop.
//!
//! [`Redactor`] is what everything else uses. It finds tokens and keys by their form ([`catalogue`], looked for by [`scan`]), long random
//! words ([`random`]), what the policy names, and secrets that were typed ([`typed`]); [`mark`] is what is written in their place.
//! [`speech`] does it for texts that hold calls, and for errors. [`table`] has the tables of the policy file, [`field`] how a field is named in them, [`hidden`] which fields show nothing, [`placeholder`] reads `{{secret:NAME}}`, and
//! [`vault`] decides which secret may be typed where.

mod catalogue;
pub mod field;
mod hidden;
pub mod mark;
pub mod placeholder;
mod random;
mod redactor;
mod scan;
mod speech;
pub mod table;
mod typed;
pub mod vault;

pub use catalogue::Kind;
pub use field::FieldPattern;
pub use hidden::HiddenFields;
pub use redactor::{Found, Redactor};
pub use table::{RedactTable, SecretTable};
pub use vault::{Bound, Target, Vault};
