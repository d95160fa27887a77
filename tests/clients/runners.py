"""How each client is started without a person: its own home, a dummy key, and the stand-in as its model."""

import json
import os
import pathlib
import re
import subprocess


class Client:
    """One client. A subclass says how it is configured and what starts it.

    `bin` is the folder of its program, `home` its own home, `url` that of the stand-in; `server` are the words that start the MCP
    server and `environment` what that needs.
    """

    name = package = ""
    folder = "clients"
    # Seconds after which the client itself gives up a call; longer than any step takes.
    patience = 180

    def __init__(self, modules, home, url, server, environment):
        self.modules, self.home, self.url = pathlib.Path(modules), pathlib.Path(home), url
        self.server, self.environment = server, environment
        self.work = self.home / "work"
        self.work.mkdir(parents=True)
        self.configure()

    @classmethod
    def version(cls, modules):
        """The version that is installed."""
        return json.loads((pathlib.Path(modules) / cls.package / "package.json").read_text(encoding="utf-8"))["version"]

    def program(self, name):
        """One of the programs that npm installed."""
        return str(self.modules / ".bin" / name)

    def write(self, path, content):
        """A file of its home: a text, or anything else as JSON."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")

    def stdio(self, **more):
        """The server as most configurations have it."""
        return {"command": self.server[0], "args": self.server[1:], "env": self.environment, **more}

    def env(self):
        """The environment of the client. No proxy is there: what does not go to this machine goes nowhere."""
        node = os.path.dirname(os.environ.get("HANDEYE_NODE", ""))
        nowhere = "http://127.0.0.1:9"
        return {"PATH": f"{node}:{os.environ['PATH']}" if node else os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8",
                "TERM": "dumb", "TMPDIR": self.temporary(), "HTTP_PROXY": nowhere, "HTTPS_PROXY": nowhere, "http_proxy": nowhere,
                "https_proxy": nowhere, "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost", "CI": "1",
                **self.variables()}

    def before(self, words):
        """Runs a command that writes a part of the configuration."""
        subprocess.run(words, env=self.env(), cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=120, check=True)

    def temporary(self):
        """Its own folder for temporary files."""
        folder = self.home / "tmp"
        folder.mkdir(exist_ok=True)
        return str(folder)

    def configure(self):
        """Writes its configuration."""

    def variables(self):
        """Variables of its own."""
        return {}

    def command(self):
        """The words that start it."""
        raise NotImplementedError

    @staticmethod
    def unwrap(texts):
        """What a model got as texts, without what the client puts around each answer."""
        return texts


def gemini_texts(texts):
    """Texts without what Gemini CLI and those that come of it put around them: tags, announcements of pictures, JSON of errors."""
    plain = []
    for text in texts:
        error = re.fullmatch(r"MCP tool '\w+' reported tool error for function call: .* with response: (\[.*\])", text)
        if error:
            plain += json_texts(json.loads(error.group(1))[0]["functionResponse"]["response"])
        else:
            plain.append("\n".join(line for line in text.splitlines() if not re.fullmatch(
                r"</?untrusted_context>|\[Tool '\w+' provided the following image data with mime-type: image/\w+\]", line)))
    return plain


def json_texts(result):
    """The texts of the result of a call."""
    return [part["text"] for part in result["content"] if part["type"] == "text"]


class ClaudeCode(Client):
    """Anthropic's."""

    name, package = "Claude Code", "@anthropic-ai/claude-code"

    def configure(self):
        self.write("servers.json", {"mcpServers": {"handeye": self.stdio(type="stdio")}})

    def variables(self):
        return {"ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": "dummy", "DISABLE_AUTOUPDATER": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "MCP_TOOL_TIMEOUT": str(self.patience * 1000)}

    def command(self):
        return [self.program("claude"), "-p", "go", "--mcp-config", str(self.home / "servers.json"), "--strict-mcp-config",
                "--allowedTools", "mcp__handeye", "ToolSearch"]

    @staticmethod
    def unwrap(texts):
        # Where it keeps a picture.
        return [text for text in texts if not re.fullmatch(r"\[Image: source: \S+\]", text)]


def codex_model(url):
    """Codex's description of its model, with the stand-in at `url`; its key is in `DUMMY`."""
    return f"""model = "gpt-5.5"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "DUMMY"
"""


class Codex(Client):
    """OpenAI's, with a model that it knows, so that it looks for tools when it wants them."""

    name, package = "Codex", "@openai/codex"

    def configure(self):
        words, env = json.dumps(self.server[1:]), ", ".join(f"{key} = {json.dumps(value)}" for key, value in self.environment.items())
        self.write(".codex/config.toml", f"""
{codex_model(self.url)}
[mcp_servers.handeye]
command = {json.dumps(self.server[0])}
args = {words}
env = {{ {env} }}
tool_timeout_sec = {self.patience}
""")

    def variables(self):
        return {"DUMMY": "x"}

    def command(self):
        return [self.program("codex"), "exec", "--skip-git-repo-check", "go"]

    @staticmethod
    def unwrap(texts):
        return [re.sub(r"\AWall time: [\d.]+ seconds\nOutput:\n?", "", text) for text in texts]


class GeminiCli(Client):
    """Google's."""

    name, package = "Gemini CLI", "@google/gemini-cli"

    def configure(self):
        self.write(".gemini/settings.json", {
            "mcpServers": {"handeye": self.stdio(timeout=self.patience * 1000, trust=True)},
            "security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False}, "telemetry": {"enabled": False}})

    def variables(self):
        return {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": self.url, "GEMINI_CLI_TRUST_WORKSPACE": "true",
                # One process, which a signal reaches.
                "GEMINI_CLI_NO_RELAUNCH": "true"}

    def command(self):
        return [self.program("gemini"), "-p", "go", "-m", "gemini-2.5-pro", "--approval-mode", "yolo"]

    @staticmethod
    def unwrap(texts):
        return gemini_texts(texts)


PINNED = (ClaudeCode, Codex, GeminiCli)


class OpenCode(Client):
    """Anomaly's."""

    name, package, folder = "OpenCode", "opencode-ai", "clients-long"

    def configure(self):
        model = {"name": "mock", "tool_call": True, "attachment": True, "modalities": {"input": ["text", "image"], "output": ["text"]},
                 "limit": {"context": 200_000, "output": 8_000}}
        self.write(".config/opencode/opencode.json", {
            "autoupdate": False, "share": "disabled", "permission": "allow", "model": "mock/mock-model", "small_model": "mock/mock-model",
            "provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "name": "mock", "models": {"mock-model": model},
                                  "options": {"baseURL": f"{self.url}/v1", "apiKey": "dummy"}}},
            "mcp": {"handeye": {"type": "local", "command": self.server, "environment": self.environment,
                                "timeout": self.patience * 1000}}})

    def variables(self):
        return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}

    def command(self):
        return [self.program("opencode"), "run", "go"]


class QwenCode(Client):
    """Alibaba's."""

    name, package, folder = "Qwen Code", "@qwen-code/qwen-code", "clients-long"

    def configure(self):
        self.write(".qwen/settings.json", {
            "mcpServers": {"handeye": self.stdio(timeout=self.patience * 1000, trust=True)},
            "security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False, "disableAutoUpdate": True, "disableUpdateNag": True}, "telemetry": {"enabled": False}})

    def variables(self):
        return {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": f"{self.url}/v1", "OPENAI_MODEL": "gpt-5", "QWEN_CODE_NO_RELAUNCH": "true"}

    def command(self):
        return [self.program("qwen"), "-p", "go", "--approval-mode", "yolo"]

    @staticmethod
    def unwrap(texts):
        return gemini_texts(texts)


class CopilotCli(Client):
    """GitHub's, without its account."""

    name, package, folder = "Copilot CLI", "@github/copilot", "clients-long"

    def configure(self):
        server = self.stdio(type="local", tools=["*"], timeout=self.patience * 1000)
        self.write(".copilot/mcp-config.json", {"mcpServers": {"handeye": server}})

    def variables(self):
        return {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": f"{self.url}/v1", "COPILOT_PROVIDER_TYPE": "openai",
                "COPILOT_PROVIDER_WIRE_API": "completions", "COPILOT_PROVIDER_API_KEY": "dummy", "COPILOT_MODEL": "mock-model",
                "COPILOT_AUTO_UPDATE": "false"}

    def command(self):
        return [self.program("copilot"), "-p", "go", "--allow-all-tools"]

    @staticmethod
    def unwrap(texts):
        return [text.removeprefix("MCP server 'handeye': ") for text in texts]


class Cline(Client):
    """Cline's."""

    name, package, folder = "Cline", "cline", "clients-long"

    def configure(self):
        self.write(".cline/data/settings/cline_mcp_settings.json", {"mcpServers": {"handeye": self.stdio(
            type="stdio", disabled=False, timeout=self.patience, autoApprove=[])}})
        self.before([self.program("cline"), "auth", "openai-compatible", "--apikey", "dummy", "--baseurl", f"{self.url}/v1",
                     "--modelid", "mock-model"])

    def command(self):
        return [self.program("cline"), "--auto-approve", "true", "-P", "openai-compatible", "-k", "dummy", "-m", "mock-model", "please go"]

    @staticmethod
    def unwrap(texts):
        plain = []
        for text in texts:
            try:
                plain += json_texts(json.loads(text))
            except ValueError:
                plain.append(text)  # It was cut.
        return plain


LONG = (OpenCode, QwenCode, CopilotCli, Cline)
