//! The table.

use super::setting::{Kind, Setting};

/// How much is logged.
pub const LOG_LEVEL: Setting = Setting {
    flag: None,
    variable: "HANDEYE_LOG_LEVEL",
    aliases: &["PEEKABOO_LOG_LEVEL", "AXTERMINATOR_LOG_LEVEL"],
    key: Some("server.log_level"),
    kind: Kind::Text,
    default: "info for a server, warn for a command",
    help: "What is logged: off, error (or fatal), warn, info, debug, trace, or a tracing filter. A command logs to standard \
           error, a server to its file. No level logs typed text, screen content, questions or keys",
};

/// Where a server logs.
pub const LOG_FILE: Setting = Setting {
    flag: None,
    variable: "HANDEYE_LOG_FILE",
    aliases: &["PEEKABOO_LOG_FILE"],
    key: Some("server.log_file"),
    kind: Kind::Path,
    default: "handeye/handeye-mcp.log in XDG_STATE_HOME or ~/.local/state",
    help: "The log file of a server, readable by its owner only. It is rotated at 4 MiB; three rotated files are kept",
};

/// Whether a server logs to standard error too.
pub const CONSOLE_LOGGING: Setting = Setting {
    flag: None,
    variable: "HANDEYE_CONSOLE_LOGGING",
    aliases: &["PEEKABOO_CONSOLE_LOGGING", "PEEKABOO_MCP_CONSOLE_LOGGING"],
    key: Some("server.console_logging"),
    kind: Kind::Switch,
    default: "false",
    help: "true: a server logs to standard error too",
};

/// How answers are printed.
pub const FORMAT: Setting = Setting {
    flag: Some("format"),
    variable: "HANDEYE_FORMAT",
    aliases: &[],
    key: Some("cli.format"),
    kind: Kind::Text,
    default: "text",
    help: "How the answer is printed: text for people, json for programs, quiet for the exit code alone",
};

/// How long a command may take.
pub const TIMEOUT: Setting = Setting {
    flag: Some("timeout"),
    variable: "HANDEYE_TIMEOUT",
    aliases: &[],
    key: Some("cli.timeout"),
    kind: Kind::Number,
    default: "the command's own deadline",
    help: "Give up after this many seconds",
};

/// Whether colours are used on a terminal.
pub const NO_COLOR: Setting = Setting {
    flag: None,
    variable: "NO_COLOR",
    aliases: &[],
    key: Some("cli.no_color"),
    kind: Kind::Switch,
    default: "unset",
    help: "Any value disables colours; output to a pipe has none",
};

/// The port of a server that listens.
pub const PORT: Setting = Setting {
    flag: Some("port"),
    variable: "HANDEYE_HTTP_PORT",
    aliases: &[],
    key: Some("http.port"),
    kind: Kind::Number,
    default: "8741",
    help: "The port for --http; 0 selects a free port",
};

/// The address of a server that listens.
pub const BIND: Setting = Setting {
    flag: Some("bind"),
    variable: "HANDEYE_HTTP_BIND",
    aliases: &[],
    key: Some("http.bind"),
    kind: Kind::Text,
    default: "127.0.0.1",
    help: "The address for --http; it must be a loopback address",
};

/// What is known of the client of a server.
pub const CLIENT_PROFILE: Setting = Setting {
    flag: Some("client-profile"),
    variable: "HANDEYE_CLIENT_PROFILE",
    aliases: &[],
    key: Some("server.client_profile"),
    kind: Kind::Text,
    default: "auto",
    help: "The client's profile, which determines the form of answers: auto (by the client's name), or a name such as \
           claude-code, model or program",
};

/// Whether a person is asked before something may be destroyed.
pub const CONFIRM: Setting = Setting {
    flag: Some("confirm"),
    variable: "HANDEYE_CONFIRM",
    aliases: &[],
    key: Some("security.confirm"),
    kind: Kind::Text,
    default: "auto",
    help: "Whether a person confirms destructive actions: auto (if a person can be asked), always (otherwise the action is \
           refused), never",
};

/// How long a person may take for one question.
pub const ASK_TIMEOUT: Setting = Setting {
    flag: None,
    variable: "HANDEYE_ASK_TIMEOUT",
    aliases: &[],
    key: Some("security.ask_timeout"),
    kind: Kind::Number,
    default: "300",
    help: "Seconds that a person may take to answer one question, at most 600",
};

/// Where screenshots are saved.
pub const SCREENSHOT_DIR: Setting = Setting {
    flag: Some("screenshot-dir"),
    variable: "HANDEYE_SCREENSHOT_DIR",
    aliases: &[],
    key: Some("screenshots.dir"),
    kind: Kind::Path,
    default: ".handeye-screenshots",
    help: "The folder for screenshots; created when needed",
};

/// What an answer over MCP carries of a picture.
pub const IMAGE_RESPONSES: Setting = Setting {
    flag: Some("image-responses"),
    variable: "HANDEYE_IMAGE_RESPONSES",
    aliases: &[],
    key: Some("screenshots.responses"),
    kind: Kind::Text,
    default: "file",
    help: "What an answer contains of a screenshot: file (its path), inline (also the picture, scaled for a model), omit (neither)",
};

/// How much the folder for screenshots may hold.
pub const SCREENSHOT_KEEP: Setting = Setting {
    flag: Some("screenshot-keep"),
    variable: "HANDEYE_SCREENSHOT_KEEP",
    aliases: &[],
    key: Some("screenshots.keep"),
    kind: Kind::NumberOrText,
    default: "all",
    help: "Screenshots to keep in that folder: a count such as 100, or a size such as 500MB; older ones are removed",
};

/// Where `image` saves pictures when a call names no path.
pub const SAVE_PATH: Setting = Setting {
    flag: None,
    variable: "HANDEYE_DEFAULT_SAVE_PATH",
    aliases: &["PEEKABOO_DEFAULT_SAVE_PATH"],
    key: Some("screenshots.default_save_path"),
    kind: Kind::Path,
    default: "the folder for screenshots",
    help: "Where image saves pictures when it is given no path: a folder or a file",
};

/// How long a capture of `image` or a look of `list` may take.
pub const CAPTURE_TIMEOUT: Setting = Setting {
    flag: None,
    variable: "HANDEYE_CLI_TIMEOUT",
    aliases: &["PEEKABOO_CLI_TIMEOUT"],
    key: Some("screenshots.timeout_ms"),
    kind: Kind::Number,
    default: "30000",
    help: "How many milliseconds image (without its question) and list may take",
};

/// How long the folder of a `screenshot_app_window` lives.
pub const SCREENSHOT_TTL: Setting = Setting {
    flag: None,
    variable: "HANDEYE_SCREENSHOT_TTL_MS",
    aliases: &["MCP_SCREENSHOT_MAC_TTL_MS"],
    key: Some("screenshots.ttl_ms"),
    kind: Kind::Number,
    default: "600000",
    help: "After how many milliseconds the temporary folder of a screenshot_app_window is removed; 0 keeps it",
};

/// Who answers questions about pictures.
pub const AI_PROVIDERS: Setting = Setting {
    flag: None,
    variable: "HANDEYE_AI_PROVIDERS",
    aliases: &["PEEKABOO_AI_PROVIDERS"],
    key: Some("ai.providers"),
    kind: Kind::List,
    default: "unset: questions are not answered",
    help: "Models that answer questions about pictures, in the order in which they are tried: provider/model, separated by \
           commas. Providers: openai, anthropic, gemini, ollama, and any OpenAI-compatible server by a name of your own",
};

/// How long a model may take for one answer.
pub const AI_TIMEOUT: Setting = Setting {
    flag: None,
    variable: "HANDEYE_AI_TIMEOUT",
    aliases: &[],
    key: Some("ai.timeout"),
    kind: Kind::Number,
    default: "60",
    help: "Seconds that a model may take for one answer, at most 570",
};

/// Which languages are read in pictures.
pub const OCR_LANGUAGES: Setting = Setting {
    flag: None,
    variable: "HANDEYE_OCR_LANGUAGES",
    aliases: &[],
    key: Some("ai.ocr_languages"),
    kind: Kind::Text,
    default: "eng",
    help: "Languages of the text that is read in pictures, as tesseract names them, for example eng+deu",
};

/// The key for `OpenAI`.
pub const OPENAI_KEY: Setting = Setting {
    flag: None,
    variable: "OPENAI_API_KEY",
    aliases: &[],
    key: None,
    kind: Kind::Text,
    default: "unset",
    help: "The key for openai",
};

/// The key for Anthropic.
pub const ANTHROPIC_KEY: Setting = Setting {
    flag: None,
    variable: "ANTHROPIC_API_KEY",
    aliases: &[],
    key: None,
    kind: Kind::Text,
    default: "unset",
    help: "The key for anthropic",
};

/// The key for Gemini.
pub const GEMINI_KEY: Setting = Setting {
    flag: None,
    variable: "GEMINI_API_KEY",
    aliases: &["GOOGLE_API_KEY"],
    key: None,
    kind: Kind::Text,
    default: "unset",
    help: "The key for gemini",
};

/// Where Ollama listens.
pub const OLLAMA_BASE_URL: Setting = Setting {
    flag: None,
    variable: "HANDEYE_OLLAMA_BASE_URL",
    aliases: &["PEEKABOO_OLLAMA_BASE_URL"],
    key: Some("ai.base_url.ollama"),
    kind: Kind::Text,
    default: "http://localhost:11434",
    help: "Where Ollama listens",
};

/// Where another provider listens.
pub const BASE_URL: Setting = Setting {
    flag: None,
    variable: "HANDEYE_NAME_BASE_URL",
    aliases: &[],
    key: Some("ai.base_url.NAME"),
    kind: Kind::Text,
    default: "the provider's own address",
    help: "Where the provider NAME listens, for example HANDEYE_VLLM_BASE_URL=http://localhost:8000/v1; a name that handeye does \
           not know is an OpenAI-compatible server there",
};

/// The key for a compatible server.
pub const COMPATIBLE_KEY: Setting = Setting {
    flag: None,
    variable: "HANDEYE_NAME_API_KEY",
    aliases: &[],
    key: None,
    kind: Kind::Text,
    default: "unset",
    help: "The key for the OpenAI-compatible server NAME, if it asks for one",
};

/// Where the configuration file is.
pub const CONFIG: Setting = Setting {
    flag: None,
    variable: "HANDEYE_CONFIG",
    aliases: &[],
    key: None,
    kind: Kind::Path,
    default: "handeye/config.toml in XDG_CONFIG_HOME or ~/.config",
    help: "The configuration file; it is optional, but a file that is named here must exist",
};

/// Which toolsets a server offers.
pub const TOOLSETS: Setting = Setting {
    flag: Some("toolsets"),
    variable: "HANDEYE_TOOLSETS",
    aliases: &[],
    key: Some("server.toolsets"),
    kind: Kind::List,
    default: "default",
    help: "Toolsets that the server offers, separated by commas",
};

/// Which single tools a server offers.
pub const TOOLS: Setting = Setting {
    flag: Some("tools"),
    variable: "HANDEYE_TOOLS",
    aliases: &[],
    key: Some("server.tools"),
    kind: Kind::List,
    default: "those of the toolsets",
    help: "Tools that the server offers, separated by commas: only these, or in addition to those of the named toolsets",
};

/// Which tools a server leaves out.
pub const EXCLUDE_TOOLS: Setting = Setting {
    flag: Some("exclude-tools"),
    variable: "HANDEYE_EXCLUDE_TOOLS",
    aliases: &[],
    key: Some("server.exclude_tools"),
    kind: Kind::List,
    default: "none",
    help: "Tools that the server leaves out, separated by commas",
};

/// Whether a server only looks.
pub const READ_ONLY: Setting = Setting {
    flag: Some("read-only"),
    variable: "HANDEYE_READ_ONLY",
    aliases: &[],
    key: Some("server.read_only"),
    kind: Kind::Switch,
    default: "false",
    help: "Offer only tools that do not change the desktop; overrides every other choice of tools",
};

/// Whether commands do without the daemon.
pub const NO_DAEMON: Setting = Setting {
    flag: Some("no-daemon"),
    variable: "HANDEYE_NO_DAEMON",
    aliases: &[],
    key: Some("cli.no_daemon"),
    kind: Kind::Switch,
    default: "false",
    help: "Run without the process that commands share; e12, s7 and t3 are then not valid in the next command",
};

/// Whether commands ask nobody.
pub const NO_INPUT: Setting = Setting {
    flag: Some("no-input"),
    variable: "HANDEYE_NO_INPUT",
    aliases: &[],
    key: Some("cli.no_input"),
    kind: Kind::Switch,
    default: "false",
    help: "Ask nothing at the terminal: continue or fail, as in a pipe",
};

/// Whether a yes at the terminal counts where a person has to confirm.
pub const TRUST_TERMINAL: Setting = Setting {
    flag: None,
    variable: "HANDEYE_TRUST_TERMINAL",
    aliases: &[],
    key: Some("security.trust_terminal"),
    kind: Kind::Switch,
    default: "false",
    help: "true: with confirm set to always, a yes that is typed at a command's terminal counts as a person's; a program that \
           types there can also give it",
};

/// After how long the daemon ends.
pub const DAEMON_IDLE: Setting = Setting {
    flag: None,
    variable: "HANDEYE_DAEMON_IDLE",
    aliases: &[],
    key: Some("cli.daemon_idle"),
    kind: Kind::Number,
    default: "600",
    help: "Idle seconds after which the process that commands share ends; the command that starts it sets the value",
};

/// Every setting, in the order of the documentation.
pub const ALL: &[Setting] = &[
    CONFIG,
    FORMAT,
    TIMEOUT,
    PORT,
    BIND,
    CLIENT_PROFILE,
    CONFIRM,
    ASK_TIMEOUT,
    TRUST_TERMINAL,
    TOOLSETS,
    TOOLS,
    EXCLUDE_TOOLS,
    READ_ONLY,
    SCREENSHOT_DIR,
    IMAGE_RESPONSES,
    SCREENSHOT_KEEP,
    SCREENSHOT_TTL,
    SAVE_PATH,
    CAPTURE_TIMEOUT,
    LOG_LEVEL,
    LOG_FILE,
    CONSOLE_LOGGING,
    NO_COLOR,
    NO_DAEMON,
    DAEMON_IDLE,
    NO_INPUT,
    AI_PROVIDERS,
    AI_TIMEOUT,
    OCR_LANGUAGES,
    OPENAI_KEY,
    ANTHROPIC_KEY,
    GEMINI_KEY,
    OLLAMA_BASE_URL,
    BASE_URL,
    COMPATIBLE_KEY,
];
