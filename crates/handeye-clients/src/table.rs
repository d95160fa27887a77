//! The clients: how each is detected, which file has its servers, and what an entry looks like. Everything that differs
//! between clients is here.

use crate::environment::Passes;
use crate::file_location::FileLocation;
use handeye_core::{Error, ErrorCode, Result};

/// A client.
#[derive(Debug)]
pub struct Client {
    /// What it is called on the command line.
    pub id: &'static str,
    /// What it is called by people.
    pub name: &'static str,
    /// Its programs; one on the `PATH` means that it is installed.
    pub(crate) programs: &'static [&'static str],
    /// Files and folders that it makes; one that exists means that it is installed.
    pub(crate) traces: &'static [FileLocation],
    /// Where the file may be: the first that exists, else the first.
    pub(crate) files: &'static [FileLocation],
    pub(crate) format: Format,
    /// The key of the servers in that file.
    pub(crate) key: &'static str,
    pub(crate) shape: Shape,
    pub(crate) passes: Passes,
    /// Whether a file with nothing but servers would be wrong, so that the client has to make it first.
    pub(crate) needs_file: bool,
}

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON; comments and trailing commas are kept where they are.
    Json,
    Toml,
    Yaml,
}

/// What an entry looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `NAME: {command, args}`.
    Plain,
    /// The same with a `type`.
    Typed(&'static str),
    /// The same with a `type` and the tools that are allowed: all.
    WithTools(&'static str),
    /// `NAME: {type: "local", command: [program, …], enabled: true}`.
    CommandList,
    /// `NAME: {name, type: stdio, cmd, args, enabled, timeout}`.
    Extension,
    /// A list of `{name, command, args}`.
    Listed,
    /// A list of `{name, transport, command, args}`.
    ListedWithTransport,
}

impl Shape {
    /// Whether entries are in a list, each with its name, and not in a table by their names.
    pub(crate) fn is_listed(self) -> bool {
        matches!(self, Self::Listed | Self::ListedWithTransport)
    }
}

/// Every client, in the order of the documentation. The places were taken from the pages that are named, read in November
/// 2026; those marked "measured" were also seen with the client itself (`docs/how-to/connect-a-client.md`).
pub const CLIENTS: &[Client] = &[
    // code.claude.com/docs/en/mcp: servers of scope `user` are in ~/.claude.json; CLAUDE_CONFIG_DIR moves it. Measured.
    Client {
        id: "claude-code",
        name: "Claude Code",
        programs: &["claude"],
        traces: &[FileLocation::Home(".claude.json"), FileLocation::Home(".claude")],
        files: &[
            FileLocation::Moved("CLAUDE_CONFIG_DIR", ".claude.json"),
            FileLocation::Home(".claude.json"),
        ],
        format: Format::Json,
        key: "mcpServers",
        shape: Shape::Typed("stdio"),
        passes: Passes::Everything,
        needs_file: false,
    },
    // modelcontextprotocol.io/quickstart/user has the form; mcpbundles.com/blog/2025/04/18/claude-desktop-and-mcp the place on Linux.
    Client {
        id: "claude-desktop",
        name: "Claude Desktop",
        programs: &["claude-desktop"],
        traces: &[FileLocation::Config("Claude")],
        files: &[FileLocation::Config("Claude/claude_desktop_config.json")],
        format: Format::Json,
        key: "mcpServers",
        shape: Shape::Plain,
        passes: Passes::Few,
        needs_file: false,
    },
    // cursor.com/docs/context/mcp: global servers are in ~/.cursor/mcp.json.
    Client {
        id: "cursor",
        name: "Cursor",
        programs: &["cursor", "cursor-agent"],
        traces: &[FileLocation::Home(".cursor")],
        files: &[FileLocation::Home(".cursor/mcp.json")],
        format: Format::Json,
        key: "mcpServers",
        shape: Shape::Plain,
        passes: Passes::Few,
        needs_file: false,
    },
    // code.visualstudio.com/docs/copilot/reference/mcp-configuration: mcp.json of the user's profile, key `servers`, `type` is required.
    Client {
        id: "vscode",
        name: "VS Code",
        programs: &["code"],
        traces: &[FileLocation::Config("Code/User")],
        files: &[FileLocation::Config("Code/User/mcp.json")],
        format: Format::Json,
        key: "servers",
        shape: Shape::Typed("stdio"),
        passes: Passes::Few,
        needs_file: false,
    },
    // developers.openai.com/codex/mcp: [mcp_servers.NAME] in ~/.codex/config.toml; CODEX_HOME moves the folder. Measured. It starts
    // servers without the session's variables, which handeye finds by itself, so `env_vars` is not needed.
    Client {
        id: "codex",
        name: "Codex",
        programs: &["codex"],
        traces: &[FileLocation::Home(".codex")],
        files: &[FileLocation::Moved("CODEX_HOME", "config.toml"), FileLocation::Home(".codex/config.toml")],
        format: Format::Toml,
        key: "mcp_servers",
        shape: Shape::Plain,
        passes: Passes::Few,
        needs_file: false,
    },
    // google-gemini.github.io/gemini-cli/docs/tools/mcp-server.html: mcpServers in ~/.gemini/settings.json. Measured.
    Client {
        id: "gemini",
        name: "Gemini CLI",
        programs: &["gemini"],
        traces: &[FileLocation::Home(".gemini")],
        files: &[FileLocation::Home(".gemini/settings.json")],
        format: Format::Json,
        key: "mcpServers",
        shape: Shape::Plain,
        passes: Passes::NoSecrets,
        needs_file: false,
    },
    // opencode.ai/docs/mcp-servers and /docs/config: `mcp` in ~/.config/opencode/opencode.json or .jsonc. Measured.
    Client {
        id: "opencode",
        name: "opencode",
        programs: &["opencode"],
        traces: &[FileLocation::Config("opencode")],
        files: &[
            FileLocation::Config("opencode/opencode.jsonc"),
            FileLocation::Config("opencode/opencode.json"),
        ],
        format: Format::Json,
        key: "mcp",
        shape: Shape::CommandList,
        passes: Passes::Everything,
        needs_file: false,
    },
    // zed.dev/docs/ai/mcp: `context_servers` in the settings file, ~/.config/zed/settings.json.
    Client {
        id: "zed",
        name: "Zed",
        programs: &["zed", "zeditor"],
        traces: &[FileLocation::Config("zed")],
        files: &[FileLocation::Config("zed/settings.json")],
        format: Format::Json,
        key: "context_servers",
        shape: Shape::Plain,
        passes: Passes::Few,
        needs_file: false,
    },
    // docs.windsurf.com/windsurf/cascade/mcp: ~/.codeium/windsurf/mcp_config.json.
    Client {
        id: "windsurf",
        name: "Windsurf",
        programs: &["windsurf"],
        traces: &[FileLocation::Home(".codeium/windsurf")],
        files: &[FileLocation::Home(".codeium/windsurf/mcp_config.json")],
        format: Format::Json,
        key: "mcpServers",
        shape: Shape::Plain,
        passes: Passes::Few,
        needs_file: false,
    },
    // block.github.io/goose/docs/guides/config-files: `extensions` in ~/.config/goose/config.yaml.
    Client {
        id: "goose",
        name: "Goose",
        programs: &["goose"],
        traces: &[FileLocation::Config("goose")],
        files: &[FileLocation::Config("goose/config.yaml")],
        format: Format::Yaml,
        key: "extensions",
        shape: Shape::Extension,
        passes: Passes::Few,
        needs_file: false,
    },
    // docs.cline.bot/mcp/mcp-overview: ~/.cline/data/settings/cline_mcp_settings.json; the extension for VS Code has its own. Measured.
    Client {
        id: "cline",
        name: "Cline",
        programs: &["cline"],
        traces: &[
            FileLocation::Home(".cline"),
            FileLocation::Config("Code/User/globalStorage/saoudrizwan.claude-dev"),
        ],
        files: &[
            FileLocation::Home(".cline/data/settings/cline_mcp_settings.json"),
            FileLocation::Config(
                "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            ),
        ],
        format: Format::Json,
        key: "mcpServers",
        shape: Shape::Plain,
        passes: Passes::Everything,
        needs_file: false,
    },
    // qwenlm.github.io/qwen-code-docs/en/users/features/mcp: mcpServers in ~/.qwen/settings.json. Measured.
    Client {
        id: "qwen",
        name: "Qwen Code",
        programs: &["qwen"],
        traces: &[FileLocation::Home(".qwen")],
        files: &[FileLocation::Home(".qwen/settings.json")],
        format: Format::Json,
        key: "mcpServers",
        shape: Shape::Plain,
        passes: Passes::Everything,
        needs_file: false,
    },
    // docs.github.com/en/copilot/how-tos/copilot-cli (adding MCP servers): ~/.copilot/mcp-config.json; COPILOT_HOME moves it. Measured.
    Client {
        id: "copilot",
        name: "Copilot CLI",
        programs: &["copilot"],
        traces: &[FileLocation::Home(".copilot")],
        files: &[
            FileLocation::Moved("COPILOT_HOME", "mcp-config.json"),
            FileLocation::Home(".copilot/mcp-config.json"),
        ],
        format: Format::Json,
        key: "mcpServers",
        shape: Shape::WithTools("local"),
        passes: Passes::Everything,
        needs_file: false,
    },
    // github.com/Kilo-Org/kilocode, packages/kilo-docs/pages/automate/mcp/using-in-kilo-code.md: `mcp` in ~/.config/kilo/kilo.jsonc. Measured.
    Client {
        id: "kilo",
        name: "Kilo",
        programs: &["kilo"],
        traces: &[FileLocation::Config("kilo")],
        files: &[FileLocation::Config("kilo/kilo.jsonc"), FileLocation::Config("kilo/kilo.json")],
        format: Format::Json,
        key: "mcp",
        shape: Shape::CommandList,
        passes: Passes::Everything,
        needs_file: false,
    },
    // docs.continue.dev/reference: a list `mcpServers` in ~/.continue/config.yaml. Measured (by `--config`). The file
    // has to name models too, and is read instead of an older config.json.
    Client {
        id: "continue",
        name: "Continue",
        programs: &["cn"],
        traces: &[FileLocation::Home(".continue")],
        files: &[FileLocation::Home(".continue/config.yaml")],
        format: Format::Yaml,
        key: "mcpServers",
        shape: Shape::Listed,
        passes: Passes::Everything,
        needs_file: true,
    },
    // docs.mistral.ai/vibe/code/cli/mcp-servers: [[mcp_servers]] in ~/.vibe/config.toml; VIBE_HOME moves the folder. Measured.
    Client {
        id: "vibe",
        name: "Mistral Vibe",
        programs: &["vibe"],
        traces: &[FileLocation::Home(".vibe")],
        files: &[FileLocation::Moved("VIBE_HOME", "config.toml"), FileLocation::Home(".vibe/config.toml")],
        format: Format::Toml,
        key: "mcp_servers",
        shape: Shape::ListedWithTransport,
        passes: Passes::Few,
        needs_file: false,
    },
];

/// The client that is called `id`, by its id or its name.
///
/// # Errors
/// If there is none: all are named, and the nearest is suggested.
pub fn client(id: &str) -> Result<&'static Client> {
    let wanted = plain(id);
    let found = CLIENTS.iter().find(|client| plain(client.id) == wanted || plain(client.name) == wanted);
    found.ok_or_else(|| {
        let distance = |client: &Client| strsim::osa_distance(&plain(client.id), &wanted);
        let nearest = CLIENTS.iter().min_by_key(|client| distance(client));
        let nearest = nearest.filter(|client| distance(client) <= 3).or_else(|| {
            CLIENTS.iter().find(|client| wanted.len() > 2 && plain(client.name).contains(&wanted))
        });
        let ids: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
        let error =
            Error::new(ErrorCode::InvalidParameter, format!("'{id}' is not a client that handeye knows"));
        let known = format!("The clients are {}.", ids.join(", "));
        error.with_next(match nearest {
            Some(client) => format!("Did you mean '{}'? {known}", client.id),
            None => known,
        })
    })
}

fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_found_by_id_and_name_and_a_near_one_is_suggested() {
        for client in CLIENTS {
            assert_eq!(super::client(client.id).expect("known").id, client.id);
            assert_eq!(super::client(client.name).expect("known").id, client.id);
        }
        assert_eq!(client("VS-Code").expect("known").id, "vscode");
        let suggestion = |name| client(name).expect_err("unknown").next.expect("a next step");
        assert!(suggestion("cursr").starts_with("Did you mean 'cursor'?"));
        assert!(suggestion("claud").contains("claude-code"));
        assert!(suggestion("emacs-mcp-el").starts_with("The clients are claude-code, "));
    }
}
