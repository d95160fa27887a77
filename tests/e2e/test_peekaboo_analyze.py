"""Peekaboo's `analyze` over MCP and from the shell, with AI providers on this machine that check what they are asked."""

import json
import os
import re
import resource
import subprocess
import threading
import time

import pytest

from support import BINARY, PATIENCE, history, wait_for
from support.provider import KEYS, Provider
from support.session import Session

FEEDBACK = re.compile(r"👻 Peekaboo: Analyzed image with (\S+) in \d+\.\d\ds\.")


@pytest.fixture
def provider(provider):
    """A provider that answers with what it was asked and shown."""
    provider.answer = lambda question: f"{question.text} I see {question.size[0]}x{question.size[1]}."
    return provider


@pytest.fixture
def serve(desktop):
    """Starts servers with more in their environment; (session, path of its log)."""
    sessions = []

    def start(env, **more):
        log = desktop.path(f"analyze-{len(sessions)}-{time.monotonic_ns()}.log")
        sessions.append(Session({**desktop.env, **env, **more}, log=log))
        return sessions[-1], log

    yield start
    for session in sessions:
        session.close()


@pytest.fixture
def shell(desktop):
    """Runs handeye: (exit code, standard output, standard error)."""
    def run(*words, env=None, cwd=None):
        result = history.run([BINARY, *words], env={**desktop.env, **(env or {})}, capture_output=True, text=True,
                             timeout=60, check=False, stdin=subprocess.DEVNULL, cwd=cwd)
        return result.returncode, result.stdout, result.stderr
    return run


@pytest.fixture
def picture(tmp_path):
    """Draws a picture in a file."""
    def draw(name="shot.png", size="640x400", *words):
        path = tmp_path / name
        subprocess.run(["/usr/bin/convert", "-size", size, "gradient:red-blue", *words, str(path)], check=True)
        return str(path)
    return draw


def texts(session, tool, **arguments):
    """The text items of an answer, its fields, and whether it is an error."""
    async def call():
        return await session.client.call_tool(tool, arguments)
    result = session._portal.call(call)
    return [part.text for part in result.content if part.type == "text"], result.structured_content or {}, result


def test_peekaboo_1_1_2_analyze_output_has_answer_feedback_text_and_model(provider, serve, picture):
    session, _ = serve(provider.environment("openai/gpt-4o"))
    said, fields, result = texts(session, "analyze", image_path=picture(), question="What?")
    assert said[0] == "What? I see 640x400."
    assert FEEDBACK.fullmatch(said[1]).group(1) == "openai/gpt-4o"
    assert len(said) == 2 and not result.is_error
    assert fields["analysis_text"] == "What? I see 640x400."
    assert fields["model_used"] == "openai/gpt-4o"


def test_peekaboo_1_1_2_analyze_is_listed_with_its_schema(provider, serve):
    session, _ = serve(provider.environment("openai/gpt-4o"))
    tool = session.tools()["analyze"]
    assert set(tool.input_schema["required"]) == {"image_path", "question"}
    assert set(tool.input_schema["properties"]) == {"image_path", "question", "provider_config"}
    assert set(tool.input_schema["properties"]["provider_config"]["properties"]) == {"type", "model"}
    assert tool.annotations.read_only_hint and tool.annotations.open_world_hint


@pytest.mark.parametrize("model", ["openai/gpt-4o", "anthropic/claude-x", "gemini/gemini-x", "ollama/qwen2.5vl:7b",
                                   "lmstudio/org/model:q4", "mlx/m", "vllm/m", "llamacpp/m", "my-box/m"])
def test_every_provider_gets_picture_model_and_question(provider, shell, picture, model):
    env = provider.environment(model)
    env = {name.replace("-", "_"): value for name, value in env.items()}
    code, out, err = shell("analyze", picture(), "What is shown?", "--format", "json", env=env)
    assert code == 0, err
    assert json.loads(out)["model_used"] == model
    (question,) = provider.questions
    assert question.text == "What is shown?"
    assert question.model == model.split("/", 1)[1]
    assert question.size == (640, 400)
    key = KEYS.get(model.split("/")[0])
    assert (key in str(question.headers.values())) if key else "authorization" not in question.headers


@pytest.mark.parametrize("name", ["a.png", "a.PNG", "a.jpg", "a.jpeg", "a.webp"])
def test_peekaboo_1_1_2_analyze_takes_png_jpg_jpeg_and_webp(provider, shell, picture, name):
    path = picture("a." + name.split(".")[1].lower())
    renamed = os.path.join(os.path.dirname(path), name)
    os.rename(path, renamed)
    code, out, err = shell("analyze", renamed, "What?", env=provider.environment("ollama/m"))
    assert (code, out.splitlines()[:1]) == (0, ["What? I see 640x400."]), err


@pytest.mark.parametrize("model,longest,pixels", [("openai/m", 2048, 1_572_864), ("anthropic/m", 1568, 1_150_000),
                                                  ("gemini/m", 3072, 9_437_184), ("ollama/m", 1568, 1_150_000)])
def test_pictures_are_scaled_to_the_limits_of_the_provider(provider, shell, picture, model, longest, pixels):
    code, _, err = shell("analyze", picture("big.png", "4000x2000"), "What?", env=provider.environment(model))
    assert code == 0, err
    width, height = provider.questions[0].size
    assert max(width, height) <= longest and width * height <= pixels
    assert width * height > 0.8 * min(pixels, longest * longest // 2), "no smaller than needed"
    assert abs(width / height - 2) < 0.02


def test_a_picture_reaches_the_provider_as_it_is(provider, shell, tmp_path):
    path, seen = tmp_path / "four.png", tmp_path / "seen.png"
    subprocess.run(["/usr/bin/convert", "-size", "1x1", "xc:red", "xc:lime", "xc:blue", "xc:none", "+append",
                    "-scale", "64x16!", str(path)], check=True)
    code, _, err = shell("analyze", str(path), "What?", env=provider.environment("ollama/m"))
    assert code == 0, err
    seen.write_bytes(provider.questions[0].file)
    pixels = subprocess.run(["/usr/bin/convert", str(seen), "-scale", "4x1!", "-depth", "8", "rgb:-"], check=True,
                            capture_output=True).stdout
    wanted = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255])
    assert all(abs(a - b) <= 40 for a, b in zip(pixels, wanted, strict=True)), pixels.hex()


def test_peekaboo_1_1_2_analyze_not_configured(serve, shell, picture):
    session, _ = serve({})
    said, _, result = texts(session, "analyze", image_path=picture(), question="What?")
    assert result.is_error
    assert "AI analysis not configured on this server. Set the HANDEYE_AI_PROVIDERS environment variable." in said[0]
    assert shell("analyze", picture(), "What?")[0] != 0


def test_an_ollama_of_this_machine_needs_no_configuration(provider, serve, shell, picture):
    """It is asked when a picture is, not before, and only which of its models can look at one."""
    provider.abilities = {"codellama:7b": ["completion"], "qwen2.5vl:7b": ["completion", "vision"], "llava:latest": ["vision"]}
    here = {"OLLAMA_HOST": provider.url.removeprefix("http://")}
    session, _ = serve(here)
    assert session.ask("list_tools").tools and provider.checks == []
    said, _, result = texts(session, "analyze", image_path=picture(), question="What?")
    assert not result.is_error and said[0] == "What? I see 640x400.", said
    assert [question.model for question in provider.questions] == ["qwen2.5vl:7b"]
    assert provider.checks[:3] == ["/api/tags", "/api/show codellama:7b", "/api/show qwen2.5vl:7b"]
    assert "ollama/qwen2.5vl:7b" in texts(session, "list", item_type="server_status")[0][0]
    status = json.loads(session.ask("read_resource", "handeye://system/status").contents[0].text)
    assert (status["vlm_available"], status["vlm_backend"]) == (True, "ollama")
    probes = json.loads(shell("doctor", "--format", "json", env=here)[1])["probes"]
    [models] = [probe for probe in probes if probe["name"] == "ai_models"]
    assert (models["status"], models["detail"]) == ("ok", "ollama/qwen2.5vl:7b, found on this machine")


@pytest.mark.parametrize("env", [{"HANDEYE_AI_PROVIDERS": "none"}, {"OLLAMA_HOST": "http://198.51.100.7:11434"}, {}])
def test_an_ollama_is_not_looked_for_where_it_must_not_be_or_cannot_look(provider, shell, picture, env):
    provider.abilities = {"codellama:7b": ["completion"]}
    code, _, err = shell("analyze", picture(), "What?", env={"OLLAMA_HOST": provider.url, **env})
    assert code != 0 and "AI analysis not configured" in err, err
    assert provider.questions == [] and (bool(provider.checks) == (not env))


def test_peekaboo_1_1_2_analyze_reads_the_variable_of_peekaboo(provider, shell, picture):
    env = provider.environment("ollama/m")
    env["PEEKABOO_AI_PROVIDERS"] = env.pop("HANDEYE_AI_PROVIDERS")
    env["PEEKABOO_OLLAMA_BASE_URL"] = env.pop("HANDEYE_OLLAMA_BASE_URL")
    code, _, err = shell("analyze", picture(), "What?", env=env)
    assert code == 0, err
    code, _, err = shell("analyze", picture(), "What?", "--provider", "openai", env=env)
    assert code != 0
    assert "Provider 'openai' is not enabled in server's PEEKABOO_AI_PROVIDERS configuration." in err


def test_peekaboo_1_1_2_analyze_auto_takes_the_first_available(provider, serve, picture):
    down = Provider()
    down.up = False
    env = {**provider.environment("gemini/g", "vllm/v"), **down.environment("ollama/o"), "OPENAI_API_KEY": "",
           "HANDEYE_AI_PROVIDERS": "openai/gpt-4o, ollama/o, vllm/v, gemini/g"}
    session, _ = serve(env)
    path = picture()
    assert texts(session, "analyze", image_path=path, question="What?")[1]["model_used"] == "vllm/v"
    explicit = texts(session, "analyze", image_path=path, question="What?", provider_config={"type": "gemini"})
    assert explicit[1]["model_used"] == "gemini/g"
    named = texts(session, "analyze", image_path=path, question="What?",
                  provider_config={"type": "gemini", "model": "other"})
    assert named[1]["model_used"] == "gemini/other"
    auto = texts(session, "analyze", image_path=path, question="What?", provider_config={"type": "auto"})
    assert auto[1]["model_used"] == "vllm/v"
    assert down.checks == ["/api/tags"] and not down.questions
    down.stop()


def test_peekaboo_1_1_2_analyze_none_operational(shell, picture):
    env = {"HANDEYE_AI_PROVIDERS": "openai/gpt-4o,ollama/m", "HANDEYE_OLLAMA_BASE_URL": "http://127.0.0.1:1",
           "OPENAI_API_KEY": ""}
    code, out, err = shell("analyze", picture(), "What?", env=env)
    assert code != 0 and out == ""
    assert "No configured AI providers in HANDEYE_AI_PROVIDERS are currently operational." in err
    assert "OPENAI_API_KEY is not set" in err and "connection was refused" in err


@pytest.mark.parametrize("status,headers,body,code,part", [
    (401, {}, "{}", "provider_unauthorized", "rejected the key"),
    (429, {"retry-after": "12"}, "{}", "provider_limited", "Try again in 12 s."),
    (503, {}, "oops", "provider_failed", "HTTP 503"),
    (200, {"content-type": "text/html"}, "<html>", "provider_failed", "incomplete answer"),
    (200, {}, json.dumps({"choices": [{"message": {"content": ""}}]}), "provider_failed", "empty answer"),
    (200, {}, json.dumps({"choices": [{"message": {"content": None, "refusal": "No."}}]}), "provider_refused", "No."),
])
def test_failures_of_a_provider_are_errors_of_their_own(provider, serve, picture, status, headers, body, code, part):
    provider.failure = (status, headers, body)
    session, _ = serve(provider.environment("openai/gpt-4o"))
    said, fields, result = texts(session, "analyze", image_path=picture(), question="What?")
    assert result.is_error and fields["error"]["code"] == code
    assert part in said[0] and "openai" in said[0]
    assert result.meta["backend_error_code"]


def test_a_silent_provider_ends_at_its_time_limit(provider, serve, picture):
    session, _ = serve(provider.environment("openai/gpt-4o"), HANDEYE_AI_TIMEOUT="0.5")
    with provider.hold():
        said, fields, result = texts(session, "analyze", image_path=picture(), question="What?")
        provider.wait(lambda p: p.given_up == 1)
    assert result.is_error and fields["error"]["code"] == "timeout"
    assert "openai/gpt-4o did not answer within 0.5 s" in said[0]


def test_two_questions_are_asked_side_by_side(provider, serve, picture):
    session, _ = serve(provider.environment("openai/gpt-4o"))
    path = picture()
    with provider.hold():
        first = session.start("analyze", image_path=path, question="One?")
        second = session.start("analyze", image_path=path, question="Two?")
        provider.wait(lambda p: p.most_at_once == 2)
    assert "One?" in first.result(30).text and "Two?" in second.result(30).text


def test_cancelling_closes_the_connection_to_the_provider(provider, serve, picture):
    session, _ = serve(provider.environment("openai/gpt-4o"))
    with provider.hold():
        call = session.start("analyze", image_path=picture(), question="What?")
        provider.wait(lambda p: len(p.questions) == 1)
        call.cancel()
        provider.wait(lambda p: p.given_up == 1)
    # The server lives on.
    assert "I see" in session.do("analyze", image_path=picture(), question="Again?").text


def test_interrupting_the_command_closes_the_connection(provider, desktop, picture):
    with provider.hold():
        command = subprocess.Popen([BINARY, "analyze", picture(), "What?"], stderr=subprocess.PIPE,
                                   env={**desktop.env, **provider.environment("openai/gpt-4o")})
        provider.wait(lambda p: len(p.questions) == 1)
        command.terminate()
        provider.wait(lambda p: p.given_up == 1)
        assert command.wait(PATIENCE) != 0
        command.stderr.close()


def test_progress_is_told(provider, serve, picture):
    session, _ = serve(provider.environment("openai/gpt-4o"))
    told = []

    async def note(progress, total, message):
        told.append((progress, total, message))

    async def call():
        return await session.client.call_tool("analyze", {"image_path": picture(), "question": "What?"},
                                              progress_callback=note)
    session._portal.call(call)
    wait_for("the steps", lambda: len(told) >= 2)
    assert [step[0] for step in told] == sorted({step[0] for step in told})
    assert "openai/gpt-4o" in told[0][2] and "shot.png" in told[0][2]


@pytest.mark.parametrize("make,code,part", [
    (lambda folder: folder / "missing.png", "io", "No such file"),
    (lambda folder: folder, "invalid_parameter", "must end in"),
    (lambda folder: made(folder / "folder.png", os.mkdir), "invalid_parameter", "folder"),
    (lambda folder: made(folder / "zero.png", lambda path: os.symlink("/dev/zero", path)), "invalid_parameter", "device"),
    (lambda folder: made(folder / "pipe.png", os.mkfifo), "invalid_parameter", "pipe"),
    (lambda folder: made(folder / "huge.png", sparse), "too_large", "bytes"),
    (lambda folder: made(folder / "text.png", lambda path: path.write_text("no picture")), "unsupported_image", "not a picture"),
    (lambda folder: made(folder / "shot.gif", lambda path: path.write_text("GIF89a")), "invalid_parameter", "must end in"),
], ids=["missing", "root", "folder", "device", "pipe", "2GB", "no-image", "ending"])
def test_bad_paths(provider, serve, tmp_path, make, code, part):
    session, _ = serve(provider.environment("openai/gpt-4o"))
    answer = session.call("analyze", image_path=str(make(tmp_path)), question="What?")
    assert (answer.is_error, answer.code) == (True, code), answer.text
    assert part in answer.text
    assert not provider.questions


def made(path, make):
    make(path)
    return path


def sparse(path):
    with open(path, "wb") as file:
        file.truncate(2 << 30)


def test_a_relative_path_counts_from_the_working_directory(provider, shell, picture, tmp_path):
    picture("here.png")
    env = provider.environment("ollama/m")
    code, out, err = shell("analyze", "here.png", "What?", env=env, cwd=tmp_path)
    assert (code, out.splitlines()[:1]) == (0, ["What? I see 640x400."]), err
    code, _, err = shell("analyze", "there.png", "What?", env=env, cwd=tmp_path)
    assert code != 0 and str(tmp_path) in err


def test_a_decompression_bomb_costs_neither_time_nor_memory(provider, shell, tmp_path):
    import struct
    import zlib

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    path = tmp_path / "bomb.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(bytes(50_000_000), 9)) + chunk(b"IEND", b""))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code, _, err = shell("analyze", str(path), "What?", env=provider.environment("ollama/m"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert code != 0 and "unsupported_image" in err
    # The time of the processor, which other programs cost nothing.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 5


def test_the_key_is_in_no_log_and_no_error(provider, serve, shell, desktop, picture, tmp_path):
    """Everything is logged that can be, and the provider sends the key back in its errors."""
    key = KEYS["openai"]
    log_file = tmp_path / "server.log"
    loud = {"HANDEYE_LOG_LEVEL": "trace", "HANDEYE_LOG_FILE": str(log_file), "RUST_LOG": "trace"}
    env = {**provider.environment("openai/gpt-4o", "gemini/g", "anthropic/a"), **loud}
    shown = []
    for failure in [None, (401, {}, json.dumps({"error": {"message": f"Incorrect API key provided: {key}"}})),
                    (500, {"www-authenticate": key}, json.dumps({"error": f"at http://h/?key={key}&x=1"})),
                    (200, {}, json.dumps({"choices": [{"message": {"content": f"echo {key}"}}]}))]:
        provider.failure = failure
        session, log = serve(env)
        for name in ["openai", "gemini", "anthropic"]:
            answer = session.call("analyze", image_path=picture(), question="What?", provider_config={"type": name})
            shown.append(f"{answer.text} {answer.fields}")
        session.close()
        with open(log, encoding="utf-8") as file:
            shown.append(file.read())
        for form in [[], ["--format", "json"], ["--json-output"]]:
            shown += map(str, shell("analyze", picture(), "What?", *form, env=env))
    for path in [log_file, *tmp_path.glob("*.log*")]:
        if path.exists():
            shown.append(path.read_text(encoding="utf-8", errors="replace"))
    assert provider.questions and all(key not in text for key in KEYS.values() for text in shown)
    assert any("[key]" in text for text in shown), "the provider's message is shown without the key"
    assert all(question.headers.get("authorization") == f"Bearer {key}"
               for question in provider.questions if question.protocol == "openai")


@pytest.fixture
def certificate(tmp_path):
    """A certificate for this machine that is not trusted yet, and its key."""
    files = str(tmp_path / "own.pem"), str(tmp_path / "own.key")
    subprocess.run(["/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE",
                    "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return files


def test_a_provider_is_asked_by_https_only_if_its_certificate_is_trusted(shell, picture, certificate):
    secure = Provider(certificate)
    env, path = secure.environment("openai/gpt-4o"), picture()
    code, out, err = shell("analyze", path, "What?", env=env)
    assert code != 0 and out == "" and "TLS failed" in err and "SSL_CERT_FILE" in err
    assert KEYS["openai"] not in err and not secure.questions
    code, out, err = shell("analyze", path, "What?", env={**env, "SSL_CERT_FILE": certificate[0]})
    assert (code, out.splitlines()[:1]) == (0, ["A picture."]), err
    assert len(secure.questions) == 1
    secure.stop()


def test_no_proxy_sees_a_question(provider, shell, picture):
    proxy = Provider()
    through = {name: proxy.url for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]}
    code, _, err = shell("analyze", picture(), "What?", env={**provider.environment("ollama/m"), **through})
    assert code == 0, err
    assert len(provider.questions) == 1 and not proxy.questions and not proxy.checks
    proxy.stop()


def test_a_picture_is_in_no_log(provider, serve, picture):
    session, log = serve(provider.environment("openai/gpt-4o"), HANDEYE_LOG_LEVEL="trace")
    session.do("analyze", image_path=picture(), question="Where is the secret button?")
    session.close()
    with open(log, encoding="utf-8") as file:
        text = file.read()
    assert "iVBOR" not in text and "data:image" not in text and "/9j/" not in text
    assert "secret button" not in text, "a question may hold anything"


def test_a_server_that_asks_nothing_builds_no_client(provider, serve):
    session, _ = serve(provider.environment("openai/gpt-4o", "ollama/m"))
    session.do("ax_list_apps")
    assert not provider.checks
    with open(f"/proc/{session.process}/maps", encoding="utf-8", errors="replace") as maps:
        assert "ca-certificates" not in maps.read()


def test_the_answer_of_another_thread_is_never_mixed_up(provider, serve, picture):
    session, _ = serve(provider.environment("openai/gpt-4o"))
    path, wrong = picture(), []

    def ask(number):
        if f"Number {number}?" not in session.do("analyze", image_path=path, question=f"Number {number}?").text:
            wrong.append(number)
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong and len(provider.questions) == 12
