//! What this process keeps secret: one for its logs and for the answers of all its callers.

use handeye_cli::Security;
use handeye_core::{Error, ErrorCode, Result};
use handeye_engine::Engine;
use handeye_redact::Redactor;
use std::sync::LazyLock;

static REDACTOR: LazyLock<Redactor> = LazyLock::new(Redactor::default);

/// That of this process. A secret that one part of it types is known to its log from then on.
pub(crate) fn redactor() -> Redactor {
    REDACTOR.clone()
}

/// The engine that keeps secret what the user's rules say.
///
/// # Errors
/// A pattern of theirs that cannot be used.
pub(crate) fn keeping(engine: Engine, security: &Security) -> Result<Engine> {
    let redactor = redactor();
    let fault = |why: String| Error::new(ErrorCode::InvalidParameter, why);
    redactor.configure(security.secrecy.redact()).map_err(|found| fault(found.why))?;
    let desk = engine.desk.keeping(redactor, security.secrecy.vault(), security.secrecy.hidden());
    Ok(Engine { desk, ..engine })
}
