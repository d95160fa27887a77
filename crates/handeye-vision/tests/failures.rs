//! Every way in which a provider can fail: each is an error that names the provider and never the key.

mod support;

use handeye_core::{Error, ErrorCode};
use std::time::{Duration, Instant};
use support::{KEY, ask_only, providers, raw, read_request, with};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// An HTTP answer.
fn http(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
}

/// The error of a question to `provider` that is answered so.
async fn failure(provider: &str, answer: impl Into<Vec<u8>>) -> Error {
    let address = raw(answer).await;
    let error =
        ask_only(&providers(&format!("{provider}/m"), &address), provider).await.expect_err("a failure");
    harmless(&error, provider);
    error
}

/// Names the provider and holds nothing of the key.
fn harmless(error: &Error, provider: &str) {
    let shown = format!("{error:?} {error}");
    assert!(error.message.contains(provider), "{shown}");
    assert!(!shown.contains(&KEY[..10]) && !shown.contains("abcdef"), "{shown}");
}

#[tokio::test]
async fn a_wrong_key() {
    let echo = format!(
        r#"{{"error": {{"message": "Incorrect API key provided: {KEY}. See https://x?key={KEY}"}}}}"#
    );
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let error = failure("openai", http(status, "", &echo)).await;
        assert_eq!(error.code, ErrorCode::ProviderUnauthorized);
        assert!(error.message.starts_with("openai rejected the key (HTTP 40"), "{}", error.message);
        assert!(error.next.as_ref().is_some_and(|next| next.contains("OPENAI_API_KEY")));
    }
    let gemini = r#"{"error": {"code": 400, "message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}}"#;
    assert_eq!(
        failure("gemini", http("400 Bad Request", "", gemini)).await.code,
        ErrorCode::ProviderUnauthorized
    );
    let error = failure("vllm", http("401 Unauthorized", "", "{}")).await;
    assert!(error.message.contains("asks for a key"), "{}", error.message);
    assert!(error.next.is_some_and(|next| next.contains("HANDEYE_VLLM_API_KEY")));
}

#[tokio::test]
async fn too_many_questions() {
    let limited = |headers| http("429 Too Many Requests", headers, r#"{"error": {"message": "slow down"}}"#);
    let error = failure("anthropic", limited("retry-after: 17\r\n")).await;
    assert_eq!(error.code, ErrorCode::ProviderLimited);
    assert!(
        error.message.contains("anthropic limits") && error.message.contains("slow down"),
        "{}",
        error.message
    );
    assert_eq!(error.next.as_deref(), Some("Try again in 17 s."));
    let error = failure("openai", limited("")).await;
    assert!(error.next.is_some_and(|next| next.contains("quota")));
}

#[tokio::test]
async fn a_fault_of_the_provider() {
    let error = failure("openai", http("503 Service Unavailable", "retry-after: 5\r\n", "<html>")).await;
    assert_eq!(
        (error.code, error.message.as_str()),
        (ErrorCode::ProviderFailed, "openai reported an internal error (HTTP 503)")
    );
    assert_eq!(error.next.as_deref(), Some("Try again in 5 s."));
    let overloaded = r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#;
    assert!(
        failure("anthropic", http("529 Overloaded", "", overloaded)).await.message.contains("Overloaded")
    );
}

#[tokio::test]
async fn an_unknown_model() {
    let error = failure("ollama", http("404 Not Found", "", r#"{"error": "model 'm' not found"}"#)).await;
    assert_eq!(error.code, ErrorCode::ProviderFailed);
    assert!(error.message.contains("does not know the model 'm'"), "{}", error.message);
    assert_eq!(error.next.as_deref(), Some("`ollama pull m` gets the model."));
}

#[tokio::test]
async fn a_question_that_is_not_accepted() {
    let error = failure("lmstudio", http("400 Bad Request", "", r#"{"error": "no \u0007vision"}"#)).await;
    assert!(
        error.message.ends_with("does not accept the question (HTTP 400): \"no vision\""),
        "{}",
        error.message
    );
    let policy = r#"{"error": {"code": "content_policy_violation", "message": "not allowed"}}"#;
    assert_eq!(failure("openai", http("400 Bad Request", "", policy)).await.code, ErrorCode::ProviderRefused);
    let long = format!(r#"{{"error": "{}"}}"#, "long ".repeat(10_000));
    assert!(failure("openai", http("422 No", "", &long)).await.message.len() < 500);
}

#[tokio::test]
async fn an_error_in_an_answer_of_success() {
    let error = failure("vllm", http("200 OK", "", r#"{"error": {"message": "out of memory"}}"#)).await;
    assert!(error.message.contains("answered with an error: \"out of memory\""), "{}", error.message);
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_the_key() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let location = format!("location: http://{}/v1\r\n", elsewhere.local_addr().expect("an address"));
    let error = failure("openai", http("307 Temporary Redirect", &location, "")).await;
    assert!(error.message.contains("redirect"), "{}", error.message);
    let visited = tokio::time::timeout(Duration::from_millis(200), elsewhere.accept()).await;
    assert!(visited.is_err(), "nobody came there");
}

#[tokio::test]
async fn torn_answers() {
    let cut = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"choices\": [{\"mess";
    let unfinished = http("200 OK", "", r#"{"choices": [{"message": {"content": "A c"#);
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n20\r\n{\"choices\":";
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 6\r\n\r\n<html>";
    for (answer, why) in [
        (cut.to_owned(), "the connection closed before it was whole"),
        (chunked.to_owned(), "the connection closed before it was whole"),
        (String::new(), "the connection closed before it was whole"),
        ("HTTP/1.1 200 OK\r\ncontent-le".to_owned(), "the connection closed before it was whole"),
        (unfinished, "its JSON ends in the middle"),
        (http("200 OK", "", ""), "its JSON ends in the middle"),
        (page.to_owned(), "it is not JSON but text/html (6 bytes)"),
        (http("200 OK", "", "{\"response\": \"A\"}\n{\"response\": \"B\"}"), "it is not JSON"),
        (http("200 OK", "", "[1, 2]"), "it does not have the fields of this provider's answers"),
        (http("200 OK", "", r#"{"choices": []}"#), "it does not have the fields of this provider's answers"),
    ] {
        let error = failure("openai", answer).await;
        assert_eq!(error.code, ErrorCode::ProviderFailed);
        assert!(
            error.message.starts_with(&format!("openai gave an incomplete answer: {why}")),
            "{}",
            error.message
        );
    }
    // What speaks no HTTP at all is reported as such.
    assert_eq!(failure("openai", "SSH-2.0-OpenSSH_9.2\r\n").await.code, ErrorCode::ProviderFailed);
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off_by_its_size() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let sent = tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.expect("a client");
        read_request(&mut connection).await;
        connection
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n\"")
            .await
            .expect("sent");
        let (part, mut sent) = (vec![b'x'; 1 << 16], 0_usize);
        while connection.write_all(&part).await.is_ok() {
            sent += part.len();
            assert!(sent < 1 << 30, "nobody stops this");
        }
        sent
    });
    let error = ask_only(&providers("openai/m", &address), "openai").await.expect_err("too much");
    harmless(&error, "openai");
    assert!(error.message.contains("more than 8 MB"), "{}", error.message);
    assert!(sent.await.expect("ended") < 64 << 20, "little more than the limit was read");
}

#[tokio::test]
async fn a_provider_that_keeps_silent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let providers = with("openai/m", &[("HANDEYE_AI_TIMEOUT", "0.3")], &address);
    let started = Instant::now();
    let error = ask_only(&providers, "openai").await.expect_err("silence");
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(
        (error.code, error.message.as_str()),
        (ErrorCode::Timeout, "openai/m did not answer within 0.3 s")
    );
    assert!(error.next.is_some_and(|next| next.contains("HANDEYE_AI_TIMEOUT")));
}

#[tokio::test]
async fn a_provider_that_never_comes_to_the_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.expect("a client");
        read_request(&mut connection).await;
        connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{").await.expect("sent");
        while connection.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    let providers = with("openai/m", &[("HANDEYE_AI_TIMEOUT", "0.4")], &address);
    assert_eq!(ask_only(&providers, "openai").await.expect_err("slow").code, ErrorCode::Timeout);
}

#[tokio::test]
async fn nobody_listens() {
    let error = ask_only(&providers("ollama/m", "http://127.0.0.1:1"), "ollama").await.expect_err("refused");
    harmless(&error, "ollama");
    assert_eq!(error.code, ErrorCode::ProviderFailed);
    assert_eq!(
        error.message,
        "ollama at http://127.0.0.1:1 cannot be reached: the connection was refused; nothing listens there"
    );
    assert!(error.next.is_some_and(|next| next.contains("HANDEYE_OLLAMA_BASE_URL")));
}

#[tokio::test]
async fn a_name_that_does_not_exist() {
    let address = "http://no-such-host.invalid:8000";
    let error = ask_only(&providers("vllm/m", address), "vllm").await.expect_err("no such host");
    harmless(&error, "vllm");
    assert!(error.message.ends_with("its name cannot be resolved (DNS)"), "{}", error.message);
}

#[tokio::test]
async fn a_server_that_speaks_no_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("https://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.expect("a client");
        connection.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.expect("sent");
    });
    let error = ask_only(&providers("openai/m", &address), "openai").await.expect_err("no TLS");
    harmless(&error, "openai");
    assert!(error.message.contains("TLS failed"), "{}", error.message);
}

#[tokio::test]
async fn a_key_that_no_header_can_hold() {
    let providers = with("openai/m", &[("OPENAI_API_KEY", "sk-te\nst-abcdefghij")], "http://127.0.0.1:1");
    let error = ask_only(&providers, "openai").await.expect_err("no header");
    assert_eq!(error.message, "OPENAI_API_KEY contains characters that no key has");
}

#[tokio::test]
async fn dropping_the_question_closes_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let providers = providers("openai/m", &format!("http://{}", listener.local_addr().expect("an address")));
    let question = tokio::spawn(async move { ask_only(&providers, "openai").await });
    let (mut connection, _) = listener.accept().await.expect("a client");
    read_request(&mut connection).await;
    question.abort();
    let mut rest = [0; 1];
    let ended =
        tokio::time::timeout(Duration::from_secs(5), connection.read(&mut rest)).await.expect("in time");
    assert_eq!(ended.expect("an orderly end"), 0);
}

#[tokio::test]
async fn an_answer_that_echoes_the_key_does_not_show_it() {
    let answer = format!(r#"{{"choices": [{{"message": {{"content": "You sent Bearer {KEY}"}}}}]}}"#);
    let address = raw(http("200 OK", "", &answer)).await;
    let reply = ask_only(&providers("openai/m", &address), "openai").await.expect("an answer");
    assert_eq!(reply.text, "You sent Bearer [key]");
}
