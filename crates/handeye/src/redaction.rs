//! What this process keeps secret: one for its logs and for the answers of all its callers.

use handeye_engine::Engine;
use handeye_redact::{Redactor, Vault};
use std::sync::LazyLock;

static REDACTOR: LazyLock<Redactor> = LazyLock::new(Redactor::default);

/// That of this process. A secret that one part of it types is known to its log from then on.
pub(crate) fn redactor() -> Redactor {
    REDACTOR.clone()
}

/// The engine with it.
pub(crate) fn keeping(engine: Engine) -> Engine {
    let desk = engine.desk.clone().keeping(redactor(), Vault::default());
    Engine { desk, ..engine }
}
