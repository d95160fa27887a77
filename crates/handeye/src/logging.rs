//! Logs go to standard error, because standard output belongs to the protocol and to answers.

use handeye_cli::settings::LOG_LEVEL;
use tracing_subscriber::EnvFilter;

/// Starts logging as the environment asks for it. A filter that cannot be parsed is reported and replaced by the default.
pub(crate) fn start() {
    let asked = LOG_LEVEL.from_environment();
    let filter = parse(asked.as_deref().unwrap_or(LOG_LEVEL.default));
    let (filter, fault) = match filter {
        Ok(filter) => (filter, None),
        Err(fault) => (EnvFilter::new(with_quiet_sdk(LOG_LEVEL.default)), Some(fault)),
    };
    let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(colours).with_env_filter(filter).init();
    if let Some(fault) = fault {
        tracing::warn!("{} is no log filter ({fault}), so '{}' holds", LOG_LEVEL.variable, LOG_LEVEL.default);
    }
}

fn parse(level: &str) -> Result<EnvFilter, tracing_subscriber::filter::ParseError> {
    EnvFilter::try_new(if level.contains("rmcp") { level.to_owned() } else { with_quiet_sdk(level) })
}

/// The MCP SDK logs every message whole, and with it the text that is typed and read. So it is heard only where a
/// filter names it.
fn with_quiet_sdk(level: &str) -> String {
    format!("{level},rmcp=off")
}
