//! Every operation, in the order in which they are listed.

use handeye_engine::{AnyOperation, Erased};
use std::sync::LazyLock;

/// An entry for each operation; `build.rs` writes them from the modules in `lib.rs`.
static ALL: LazyLock<Vec<Box<dyn AnyOperation>>> =
    LazyLock::new(|| include!(concat!(env!("OUT_DIR"), "/operations.rs")));

/// Every operation. The order is always the same.
pub fn all() -> &'static [Box<dyn AnyOperation>] {
    &ALL
}

/// The operation behind an MCP tool.
pub fn by_tool(name: &str) -> Option<&'static dyn AnyOperation> {
    all().iter().find(|operation| operation.meta().tool == name).map(AsRef::as_ref)
}

/// The operation behind a CLI subcommand.
pub fn by_command(name: &str) -> Option<&'static dyn AnyOperation> {
    all().iter().find(|operation| operation.meta().command == name).map(AsRef::as_ref)
}
