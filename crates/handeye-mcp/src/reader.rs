//! The reader of what a tool returns.

use handeye_call::reader::Reader;

/// The model behind an MCP client.
pub(crate) const CLIENT: Reader = Reader { face: "mcp", ..Reader::MODEL };
